"""A text as it is shown in a view of a given width: which blocks and rows are where, and which tokens stand on them."""

from collections.abc import Iterator
from typing import NamedTuple

from bpe_gui.widgets.text_blocks import TextBlocks
from bpe_gui.widgets.token_layout import BlockLayout, Measures, Row, lay_out
from core.segmentation import Segment, Segmenter

MAX_LAYOUTS = 96


class Place(NamedTuple):
    """`offset` pixels below the top of a block."""

    block: int
    offset: float


class Span(NamedTuple):
    """A segment, or the part of it that stands on one row."""

    segment: Segment
    left: float
    right: float


class ShownRow(NamedTuple):
    """A row with its top `y` in the view."""

    row: Row
    y: float
    spans: list[Span]


class ShownText:
    def __init__(self, segmenter: Segmenter, measures: Measures, blocks: TextBlocks | None = None) -> None:
        """`blocks` of what was shown before serve once more if the text is the same: 15 ms for 10 MB."""
        self.segmenter = segmenter
        self.blocks = blocks if blocks is not None and blocks.text == segmenter.text else TextBlocks(segmenter.text)
        self._measures = measures
        self._layouts: dict[int, BlockLayout] = {}
        self._spans: dict[int, list[list[Span]]] = {}  # of blocks, row by row, at _step
        self._step = 0

    def set_measures(self, measures: Measures) -> None:
        if measures != self._measures:
            self._measures = measures
            self._layouts.clear()
            self._spans.clear()

    def layout(self, block: int) -> BlockLayout:
        layout = self._layouts.get(block)
        if layout is None:
            if len(self._layouts) >= MAX_LAYOUTS:
                self._layouts.clear()
                self._spans.clear()
            start, stop = self.blocks.span(block)
            layout = self._layouts[block] = lay_out(self.segmenter.text, start, stop, self._measures)
        return layout

    def rows(self, top: Place, y: float, height: float, step: int) -> Iterator[ShownRow]:
        """The rows that are seen in a view of this height that has the place `top` at `y`."""
        block, y = top.block, y - top.offset
        while y > 0 and block > 0:
            block -= 1
            y -= self.layout(block).height
        while y < height and block < len(self.blocks):
            layout = self.layout(block)
            spans: list[list[Span]] | None = None
            for index, row in enumerate(layout.rows):
                if y + row.y < height and y + row.y + row.height > 0:
                    spans = self._spans_of(block, step) if spans is None else spans
                    yield ShownRow(row, y + row.y, spans[index])
            y += layout.height
            block += 1

    def moved(self, place: Place, pixels: float) -> Place:
        """The place so far below another one, inside the text."""
        block, offset = place.block, place.offset + pixels
        while offset < 0 and block > 0:
            block -= 1
            offset += self.layout(block).height
        while block < len(self.blocks) - 1 and offset >= (height := self.layout(block).height):
            block += 1
            offset -= height
        return Place(block, max(offset, 0.0))

    def last_top(self, height: float) -> Place:
        """Where a view of this height begins when it shows the end of the text."""
        if not len(self.blocks):
            return Place(0, 0.0)
        last = len(self.blocks) - 1
        return self.moved(Place(last, self.layout(last).height), -height)

    def place_of(self, character: int) -> Place:
        """The top of the row with this character."""
        block = self.blocks.index_of(character)
        return Place(block, self.layout(block).row_of(character).y)

    def character_at(self, place: Place) -> int:
        """First character of the row at a place."""
        layout = self.layout(place.block)
        return layout.row_at(place.offset).start if layout.rows else layout.start

    def _spans_of(self, block: int, step: int) -> list[list[Span]]:
        if step != self._step:
            self._step = step
            self._spans.clear()
        spans = self._spans.get(block)
        if spans is None:
            spans = self._spans[block] = self._find_spans(self.layout(block), step)
        return spans

    def _find_spans(self, layout: BlockLayout, step: int) -> list[list[Span]]:
        segments = self.segmenter.segments(layout.start, layout.end, step)
        found, first = list[list[Span]](), 0
        for row in layout.rows:
            while first < len(segments) and segments[first].end < row.start:
                first += 1
            spans, index = list[Span](), first
            while index < len(segments) and segments[index].start < row.end + 1:  # a marker may start behind the row
                segment = segments[index]
                if row.holds(segment):
                    for left, right in row.stretches(segment):
                        spans.append(Span(segment, left, right))
                index += 1
            found.append(spans)
        return found
