"""Where one phrase, or two of them word beside word, stand in the encode view.

Two phrases stand in columns where there is room, otherwise each word of the second below that of the first. Above
the words that differ a sentence says why.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QRect, QRectF, Qt

from bpe_gui.widgets.encode_layout import BLOCK_SPACING, LARGEST_GUTTER_SHARE, MARGIN, Block, EncodeLayout, Fonts
from core.encode_steps import Phrase
from core.side_by_side import WordPair

LEAST_COLUMN_IN_DIGITS = 42
SENTENCE_INDENT, SENTENCE_SPACING = 24, 8
ANY_HEIGHT = 10_000


@dataclass(frozen=True, slots=True)
class Column:
    """A phrase between `left` and `right`; its row titles take `gutter` of that."""

    layout: EncodeLayout
    left: float
    right: float
    gutter: float

    @property
    def rows_left(self) -> float:
        return self.left + self.gutter

    @property
    def rows_width(self) -> float:
        return self.right - self.rows_left


@dataclass(frozen=True, slots=True)
class Band:
    """A word under both encoders, from `rows_top` on below the sentence that says why they differ.

    `captions` are the heights at which the encoders' names stand, where they have a line of their own.
    """

    pair: WordPair
    blocks: tuple[Block, ...]
    top: float
    sentence: QRectF | None
    rows_top: float
    captions: tuple[float, ...]
    bottom: float


class EncodeColumns:
    """All that stands in a view of some width; heights count from the top of all rows."""

    def __init__(
        self,
        phrases: Sequence[Phrase],
        pairs: Sequence[WordPair],
        fonts: Fonts,
        width: float,
        folds: bool,
    ) -> None:
        self.fonts = fonts
        self.line_height = ceil(fonts.small_metrics.height()) + 4
        self.bands: list[Band] = []
        self._pairs = pairs
        self._same = {place for place, pair in enumerate(pairs) if pair.difference is None} if folds else set[int]()
        self._layouts = [] if pairs else [EncodeLayout(phrases[0].words if phrases else (), fonts)]
        self.are_beside = False
        self.widen(width)

    def widen(self, width: float) -> None:
        """Take another width. Rows keep their numbers until columns fit, or no longer fit, beside each other."""
        self._width = width
        if self._pairs:
            least = self.fonts.small_metrics.horizontalAdvance("0") * LEAST_COLUMN_IN_DIGITS
            are_beside = width >= 2 * least
            if are_beside is not self.are_beside or not self._layouts:
                self.are_beside = are_beside
                self._layouts = self._pair_up()
            self.height = self._stack()
        else:
            self.height = self._layouts[0].height
        self.columns = self._columns()

    @property
    def header_height(self) -> float:
        """Of the encoders' names above the columns, which do not scroll."""
        return self.line_height + 2 if self.are_beside else 0.0

    @property
    def overflow(self) -> float:
        """By how much the widest word is wider than its column."""
        return max(column.layout.width - column.rows_width for column in self.columns)

    def column_at(self, x: float) -> int:
        return 1 if self.are_beside and x >= self.columns[1].left else 0

    def bands_between(self, top: float, bottom: float) -> list[Band]:
        first = max(bisect_right(self.bands, top, key=_top) - 1, 0)
        return self.bands[first : bisect_left(self.bands, bottom, key=_top)]

    def band_of(self, column: int, row: int) -> Band | None:
        """The words that a row of a column belongs to; None where nothing is compared."""
        if not self.bands:
            return None
        top = self.columns[column].layout.block_at_row(row).top
        return self.bands[bisect_right(self.bands, top, key=_top) - 1]

    def difference_after(self, column: int, row: int | None) -> tuple[int, int] | None:
        """(column, row) where the next words part, behind a row and from the top again; None if no words do."""
        parting = [band for band in self.bands if band.pair.difference is not None]
        current = self.band_of(column, row) if row is not None else None
        later = [band for band in parting if current and band.top > current.top]
        band = next(iter(later or parting), None)
        if band is None or band.pair.difference is None:
            return None
        places = enumerate(zip(band.blocks, band.pair.difference.rows, strict=True))
        rows = [(number, block.first_row + index) for number, (block, index) in places if index is not None]
        return rows[0] if rows else (0, band.blocks[0].last_row)

    def band_at(self, y: float) -> Band | None:
        band = next(iter(self.bands_between(y, y + 1)), None)
        return band if band and band.top <= y < band.bottom else None

    def opposite(self, column: int, row: int) -> int | None:
        """The row of the other column that stands beside this one, or the nearest of the same word."""
        band = self.band_of(column, row)
        if band is None or len(band.blocks) < 2:
            return None
        ours, theirs = band.blocks[column], band.blocks[1 - column]
        return min(theirs.first_row + row - ours.first_row, theirs.last_row)

    def _pair_up(self) -> list[EncodeLayout]:
        """Of two equal results, one below the other, the first is enough."""
        pairs, same = self._pairs, self._same
        shown = pairs if self.are_beside else [pair for place, pair in enumerate(pairs) if place not in same]
        first = EncodeLayout((p.first for p in pairs), self.fonts, same, (p.second for p in pairs))
        folded = same if self.are_beside else ()
        second = EncodeLayout((p.second for p in shown), self.fonts, folded, (p.first for p in shown))
        return [first, second]

    def _stack(self) -> float:
        """Put the pairs of words below one another; returns the height of all."""
        first, second = self._layouts
        others = iter(second.blocks)
        top = MARGIN // 2 + self.header_height
        self.bands.clear()
        for place, (pair, block) in enumerate(zip(self._pairs, first.blocks, strict=True)):
            is_alone = place in self._same and not self.are_beside
            blocks = (block,) if is_alone else (block, next(others))
            self.bands.append(self._band(first, pair, blocks, top))
            top = self.bands[-1].bottom + BLOCK_SPACING
        return top

    def _band(self, layout: EncodeLayout, pair: WordPair, blocks: tuple[Block, ...], top: float) -> Band:
        sentence = self._sentence(pair.difference.message, top) if pair.difference else None
        rows_top = sentence.bottom() if sentence else top
        captions, bottom = list[float](), rows_top
        for block in blocks:
            if self.are_beside:
                block.top = rows_top
                bottom = max(bottom, rows_top + layout.block_height(block))
            else:
                if len(blocks) > 1:
                    captions.append(bottom)
                    bottom += self.line_height
                block.top = bottom
                bottom += layout.block_height(block)
        return Band(pair, blocks, top, sentence, rows_top, tuple(captions), bottom)

    def _sentence(self, text: str, top: float) -> QRectF:
        room = QRect(0, 0, max(round(self._width - SENTENCE_INDENT - MARGIN), 1), ANY_HEIGHT)
        size = self.fonts.small_metrics.boundingRect(QRectF(room), int(Qt.TextFlag.TextWordWrap), text)
        return QRectF(SENTENCE_INDENT, top, room.width(), ceil(size.height()) + SENTENCE_SPACING)

    def _columns(self) -> list[Column]:
        layouts = self._layouts
        width = self._width // 2 if self.are_beside else self._width
        lefts = [0.0, width if self.are_beside else 0.0]
        gutters = [min(layout.gutter_width, width * LARGEST_GUTTER_SHARE) for layout in layouts]
        if not self.are_beside:
            gutters = [max(gutters)] * len(gutters)
        pairs = zip(layouts, lefts, gutters, strict=False)
        return [Column(layout, left, left + width, gutter) for layout, left, gutter in pairs]


def _top(band: Band) -> float:
    return band.top
