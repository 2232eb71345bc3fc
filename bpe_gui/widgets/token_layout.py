"""Lays a block of text out in rows that fit the view, and tells where on a row each character, or part of it, stands.

Nothing here depends on tokens: moving through the steps changes colours, never the layout.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt, QTextBoundaryFinder
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextLayout, QTextLine, QTextOption

from bpe_gui.widgets.drawn_text import drawn, has_right_to_left, reads_right_to_left, utf16_places
from bpe_gui.widgets.text_blocks import lines
from core.segmentation import Segment

ENDLESS = 1e7
TAB_COLUMNS = 4
MARKER_WIDTH = 5.0
_TOUCH = 0.75  # pixels between two stretches that are seen as one


@dataclass(frozen=True)
class Measures:
    """What a layout depends on besides the text. `spaces_lead`: a row rather starts than ends with a space."""

    font: QFont
    width: float
    spaces_lead: bool
    line_end_width: float
    row_height: float

    @classmethod
    def of(cls, font: QFont, width: float, spaces_lead: bool, shows_white_space: bool) -> "Measures":
        metrics = QFontMetricsF(font)
        line_end = metrics.horizontalAdvance("⏎") + 2 if shows_white_space else metrics.horizontalAdvance("n") * 0.6
        return cls(font, max(width - 2 * line_end, 1.0), spaces_lead, line_end, round(metrics.height() * 1.45))


@dataclass(frozen=True)
class Row:
    """The characters `start` to `end` of the text on one row; those from `text_end` on are a line end.

    `leading[i]` and `trailing[i]` are the x of the two edges of character start + i: leading is the left one, except
    where the text reads from right to left. Characters that are drawn as one share its room by their bytes.
    """

    start: int
    text_end: int
    end: int
    y: float
    height: float
    text: str
    layout: QTextLayout | None
    origin: QPointF
    leading: list[float]
    trailing: list[float]
    is_mixed: bool

    def draw(self, painter: QPainter, y: float) -> None:
        if self.layout is not None:
            self.layout.draw(painter, QPointF(self.origin.x(), y + self.origin.y()))

    def stretches(self, segment: Segment) -> list[tuple[float, float]]:
        """Where the segment stands on this row, as (left, right); several where reading directions mix."""
        if segment.start == segment.end:
            x = self._end_of(segment.end)
            return [(x - MARKER_WIDTH / 2, x + MARKER_WIDTH / 2)]
        _, start, end, lead, trail, _ = segment
        first, last = max(start, self.start) - self.start, min(end, self.end) - self.start - 1
        begin, finish = self.leading[first], self.trailing[last]
        if lead and start >= self.start:
            begin += (self.trailing[first] - begin) * lead / len(self.text[first].encode())
        if trail and end <= self.end:
            finish -= (finish - self.leading[last]) * trail / len(self.text[last].encode())
        if not self.is_mixed:
            return [(begin, finish)]
        return _joined(
            sorted(
                sorted((begin if i == first else self.leading[i], finish if i == last else self.trailing[i]))
                for i in range(first, last + 1)
            )
        )

    def holds(self, segment: Segment) -> bool:
        if segment.start == segment.end:
            return self.start < segment.end <= self.text_end
        return segment.start < self.end and segment.end > self.start

    def box(self, character: int, y: float) -> QRectF:
        """Where one character of the text stands, the row's top being at `y`."""
        left, right = sorted((self.leading[character - self.start], self.trailing[character - self.start]))
        return QRectF(left, y, right - left, self.height)

    def _end_of(self, place: int) -> float:
        return self.trailing[place - 1 - self.start]


def _joined(stretches: list[list[float]]) -> list[tuple[float, float]]:
    joined: list[list[float]] = []
    for left, right in stretches:
        if joined and left - joined[-1][1] < _TOUCH:
            joined[-1][1] = max(joined[-1][1], right)
        else:
            joined.append([left, right])
    return [(left, right) for left, right in joined]


@dataclass(frozen=True)
class BlockLayout:
    start: int
    end: int
    rows: tuple[Row, ...]
    height: float

    def row_of(self, character: int) -> Row:
        """The row with this character of the text; the last one for the end of the block."""
        return self.rows[max(bisect_right(self.rows, character, key=_row_start) - 1, 0)]

    def row_at(self, y: float) -> Row:
        return self.rows[max(bisect_right(self.rows, y, key=_row_top) - 1, 0)]


def _row_start(row: Row) -> int:
    return row.start


def _row_top(row: Row) -> float:
    return row.y


def lay_out(text: str, start: int, stop: int, measures: Measures) -> BlockLayout:
    """The characters `start` to `stop` of a text in rows."""
    rows, y = list[Row](), 0.0
    for line_start, text_end, end in lines(text, start, stop):
        for row in _rows(text, line_start, text_end, end, y, measures):
            rows.append(row)
            y = row.y + row.height
    return BlockLayout(start, stop, tuple(rows), y)


def _rows(text: str, start: int, text_end: int, end: int, y: float, measures: Measures) -> Iterator[Row]:
    line = drawn(text[start:text_end])
    if not line:
        yield _empty_row(text, start, end, y, measures)
        return
    goes_left = not line.isascii() and reads_right_to_left(line)
    cuts = [0, *_breaks(line, goes_left, measures), len(line)]
    for first, last in pairwise(cuts):
        row_end = end if last == len(line) else start + last
        piece = line[first:last]
        row = _row(text[start + first : row_end], piece, start + first, y, goes_left, measures)
        yield row
        y += row.height


def _empty_row(text: str, start: int, end: int, y: float, measures: Measures) -> Row:
    leading, trailing = _line_end([], [], end - start, 0.0, measures.line_end_width)
    return Row(start, start, end, y, measures.row_height, text[start:end], None, QPointF(), leading, trailing, False)


def _row(text: str, piece: str, start: int, y: float, goes_left: bool, measures: Measures) -> Row:
    """`text` with its line end, `piece` without and as it is drawn."""
    layout = _layout(piece, goes_left, measures.font)
    line = layout.lineAt(0)
    height = max(measures.row_height, round(line.height() * 1.2))
    x = measures.width + 2 * measures.line_end_width - line.naturalTextWidth() if goes_left else 0.0
    leading, trailing, is_mixed = _edges(layout, piece, x)
    line_end_x, step = (
        (x, -measures.line_end_width) if goes_left else (line.naturalTextWidth(), measures.line_end_width)
    )
    leading, trailing = _line_end(leading, trailing, len(text) - len(piece), line_end_x, step)
    origin = QPointF(x, (height - line.height()) / 2)
    text_end = start + len(piece)
    return Row(start, text_end, start + len(text), y, height, text, layout, origin, leading, trailing, is_mixed)


def _line_end(
    leading: list[float], trailing: list[float], count: int, x: float, step: float
) -> tuple[list[float], list[float]]:
    for _ in range(count):
        leading.append(x)
        x += step / count
        trailing.append(x)
    return leading, trailing


def _layout(piece: str, goes_left: bool, font: QFont) -> QTextLayout:
    layout = QTextLayout(piece, font)
    option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    option.setFlags(QTextOption.Flag.IncludeTrailingSpaces)
    option.setTextDirection(Qt.LayoutDirection.RightToLeft if goes_left else Qt.LayoutDirection.LeftToRight)
    option.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * TAB_COLUMNS)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(ENDLESS)
    line.setPosition(QPointF(0, 0))
    layout.endLayout()
    return layout


def _breaks(line: str, goes_left: bool, measures: Measures) -> list[int]:
    """Where rows start, other than the first one."""
    layout = _layout(line, goes_left, measures.font)
    if layout.lineAt(0).naturalTextWidth() <= measures.width:
        return []
    leading, trailing, _ = _edges(layout, line, 0.0)
    allowed = _allowed_breaks(line, measures.spaces_lead)
    ends, width = list[float](), 0.0  # as if everything went to the right
    for left, right in zip(leading, trailing, strict=True):
        width += abs(right - left)
        ends.append(width)
    found, start = list[int](), 0
    while ends[-1] - (ends[start - 1] if start else 0.0) > measures.width:
        limit = (ends[start - 1] if start else 0.0) + measures.width
        start = _break(start, bisect_right(ends, limit, lo=start), allowed, line)
        if start >= len(line):
            break
        found.append(start)
    return found


def _break(start: int, furthest: int, allowed: list[int], line: str) -> int:
    index = bisect_right(allowed, furthest) - 1
    if index >= 0 and allowed[index] > start:
        return allowed[index]
    return max(furthest, start + 1)


def _allowed_breaks(line: str, spaces_lead: bool) -> list[int]:
    """Unicode's places to break a line; with `spaces_lead` before a single space instead of behind it."""
    places = utf16_places(line)
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Line, line)
    found = list[int]()
    while (place := finder.toNextBoundary()) >= 0:
        index = place if len(places) == places[-1] + 1 else bisect_right(places, place) - 1
        if spaces_lead and 0 < index < len(line) and line[index - 1] == " ":
            index -= 1
        found.append(index)
    return found


def _edges(layout: QTextLayout, piece: str, x: float) -> tuple[list[float], list[float], bool]:
    """Leading and trailing edge of each character, and whether reading directions mix (or all go left)."""
    places = utf16_places(piece)
    line = layout.lineAt(0)
    is_mixed = has_right_to_left(piece)
    clusters = _clusters_by_glyphs(line, places) if is_mixed else _clusters_by_cursor(line, places)
    leading, trailing = list[float](), list[float]()
    for (first, begin, finish), (last, _, _) in pairwise([*clusters, (len(piece), 0.0, 0.0)]):
        if last == first + 1:
            leading.append(begin + x)
            trailing.append(finish + x)
        else:
            _share_out(piece[first:last], begin + x, finish + x, leading, trailing)
    return leading, trailing, is_mixed


def _share_out(cluster: str, begin: float, finish: float, leading: list[float], trailing: list[float]) -> None:
    """Characters drawn as one get room by their bytes."""
    total, done = len(cluster.encode()), 0
    for character in cluster:
        leading.append(begin + (finish - begin) * done / total)
        done += len(character.encode())
        trailing.append(begin + (finish - begin) * done / total)


_Cluster = tuple[int, float, float]  # first character, leading x, trailing x


def _clusters_by_cursor(line: QTextLine, places: list[int]) -> list[_Cluster]:
    """What is drawn as one, in a row that reads from left to right."""
    firsts, xs = list[int](), list[float]()
    for index, place in enumerate(places):
        x, valid_place = _cursor(line, place)
        if valid_place == place:
            if xs and x <= xs[-1] and index < len(places) - 1:
                continue  # nothing wide stands between: it belongs to the one before
            firsts.append(index)
            xs.append(x)
    return [(first, begin, finish) for (first, begin), (_, finish) in pairwise(zip(firsts, xs, strict=True))]


def _cursor(line: QTextLine, place: int) -> tuple[float, int]:
    found: Any = line.cursorToX(place)  # the stub says float
    return float(found[0]), int(found[1])


def _clusters_by_glyphs(line: QTextLine, places: list[int]) -> list[_Cluster]:
    """The same for rows with text that reads from right to left, where a cursor place has two sides."""
    boxes: dict[int, tuple[float, float, bool]] = {}
    flags = QTextLayout.GlyphRunRetrievalFlag
    for run in line.glyphRuns(
        -1, -1, flags.RetrieveStringIndexes | flags.RetrieveGlyphIndexes | flags.RetrieveGlyphPositions
    ):
        font = run.rawFont()
        advances = font.advancesForGlyphIndexes(run.glyphIndexes())
        for place, position, advance in zip(run.stringIndexes(), run.positions(), advances, strict=True):
            left, right = position.x(), position.x() + advance.x()
            if place in boxes:
                left, right = min(left, boxes[place][0]), max(right, boxes[place][1])
            boxes[place] = (left, right, run.isRightToLeft())
    clusters = list[_Cluster]()
    for index, place in enumerate(places[:-1]):
        if place in boxes:
            left, right, goes_left = boxes[place]
            clusters.append((index, right, left) if goes_left else (index, left, right))
    if not clusters or clusters[0][0] != 0:
        clusters.insert(0, (0, 0.0, 0.0))
    return clusters
