"""Paints rows of tokens: a rounded background for each token, the text over it, and the marks of the moment."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from bpe_gui.theme import Theme, TokenColors
from bpe_gui.widgets.drawn_text import space_mark, spaces
from bpe_gui.widgets.shown_text import ShownRow, Span
from core.merge import UNKNOWN
from core.segmentation import GAP, Segment, Segmenter

RADIUS = 3.5
ROW_GAP = 3.0
NEAR_COLORS = 26
PULSE_ALPHA = 150
MAX_SHIFT = 3


@dataclass(frozen=True)
class Moment:
    """What is marked for now. `pulse` falls from 1 to 0 after a merge; `cursor` is the token the keyboard stands on."""

    shows_white_space: bool = False
    pulse: float = 0.0
    hovered: Segment | None = None
    cursor: Segment | None = None


class TokenPainter:
    """Some 5 microseconds a token."""

    def __init__(self, painter: QPainter, theme: Theme, segmenter: Segmenter, moment: Moment) -> None:
        self._painter = painter
        self._theme = theme
        self._segmenter = segmenter
        self._moment = moment
        self._accent = theme.colors.accent
        self._text_color = theme.token_colors(0).text

    def paint(self, rows: Iterable[ShownRow]) -> None:
        for shown in rows:
            self._paint_backgrounds(shown)
            self._painter.setPen(self._text_color)
            shown.row.draw(self._painter, shown.y)
            self._paint_unknown_text(shown)
            self._paint_marks(shown)

    def _paint_backgrounds(self, shown: ShownRow) -> None:
        left: TokenColors | None = None
        marked = list[Span]()
        hovered_id = self._moment.hovered.token_id if self._moment.hovered else None
        for span in shown.spans:
            token_id = span.segment.token_id
            if token_id == GAP:
                left = None
                continue
            left = self._colors(token_id, left)
            self._paint_background(chip(shown, span), span.segment, left)
            if span.segment.is_new or token_id == hovered_id or self._moment.cursor is not None:
                marked.append(span)
        for span in marked:  # over their neighbours
            self._paint_moment(chip(shown, span), span.segment)

    def _paint_background(self, box: QRectF, segment: Segment, colors: TokenColors) -> None:
        painter = self._painter
        if segment.token_id == UNKNOWN:
            painter.setBrush(colors.fill)
            painter.setPen(QPen(colors.edge, 1.2, Qt.PenStyle.DashLine))
        elif segment.lead or segment.trail:
            _paint_stripe(painter, box, colors)
            return
        else:
            painter.setBrush(colors.fill)
            painter.setPen(colors.edge)
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        if self._segmenter.ends_word(segment):
            self._paint_word_end(box, colors)

    def _colors(self, token_id: int, left: TokenColors | None) -> TokenColors:
        if token_id == UNKNOWN:
            return self._theme.unknown_colors()
        colors = self._theme.token_colors(token_id)
        shift = 0
        while left is not None and shift < MAX_SHIFT and _look_alike(colors.fill.rgb(), left.fill.rgb()):
            shift += 1
            colors = self._theme.token_colors(token_id, shift)
        return colors

    def _paint_word_end(self, box: QRectF, colors: TokenColors) -> None:
        size = min(6.0, box.width())
        corner = box.bottomRight()
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(colors.edge)
        self._painter.drawPolygon(QPolygonF([corner, corner - QPointF(size, 0), corner - QPointF(0, size)]))

    def _paint_moment(self, box: QRectF, segment: Segment) -> None:
        moment = self._moment
        if segment.is_new:
            self._outline(box.adjusted(0.5, 0.5, -0.5, -0.5), self._accent, 2, moment.pulse)
        if moment.hovered is not None and moment.hovered.token_id == segment.token_id:
            self._outline(box, self._text_color, 1.2)
        for marked in (moment.hovered, moment.cursor):
            if marked is not None and marked.place == segment.place:
                self._outline(box, self._text_color, 2.4)

    def _outline(self, box: QRectF, color: QColor, width: float, filled: float = 0.0) -> None:
        self._painter.setBrush(_faded(color, filled) if filled else Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(color, width))
        radius = min(RADIUS, box.width() / 3)
        self._painter.drawRoundedRect(box, radius, radius)

    def _paint_unknown_text(self, shown: ShownRow) -> None:
        for span in shown.spans:
            if span.segment.token_id == UNKNOWN:
                self._painter.save()
                self._painter.setClipRect(chip(shown, span), Qt.ClipOperation.IntersectClip)
                self._painter.setPen(self._theme.unknown_colors().text)
                shown.row.draw(self._painter, shown.y)
                self._painter.restore()

    def _paint_marks(self, shown: ShownRow) -> None:
        """White space where it is asked for."""
        row, hovered = shown.row, self._moment.hovered
        if not self._moment.shows_white_space and (hovered is None or not row.holds(hovered)):
            return
        self._painter.setPen(self._theme.colors.muted)
        for index in spaces(row.text):
            place = row.start + index
            if self._moment.shows_white_space or (hovered and hovered.start <= place < hovered.end):
                box, mark = row.box(place, shown.y), space_mark(row.text[index])
                self._painter.drawText(box.adjusted(-9, 0, 9, 0), Qt.AlignmentFlag.AlignCenter, mark)


def chip(shown: ShownRow, span: Span) -> QRectF:
    """The background of a token on its row."""
    top, height = shown.y + ROW_GAP, shown.row.height - 2 * ROW_GAP
    return QRectF(span.left + 0.5, top, max(span.right - span.left - 1, 1.0), height)


def _paint_stripe(painter: QPainter, box: QRectF, colors: TokenColors) -> None:
    """A part of a character: flat, since it shares the character with its neighbours."""
    painter.fillRect(box.adjusted(-0.5, 0, 0, 0), colors.fill)
    painter.fillRect(QRectF(box.right() - 0.5, box.top(), 1.0, box.height()), colors.edge)


def _faded(color: QColor, share: float) -> QColor:
    faded = QColor(color)
    faded.setAlpha(round(PULSE_ALPHA * share))
    return faded


@lru_cache(maxsize=65_536)
def _look_alike(one: int, other: int) -> bool:
    return sum(abs((one >> shift & 255) - (other >> shift & 255)) for shift in (0, 8, 16)) < NEAR_COLORS
