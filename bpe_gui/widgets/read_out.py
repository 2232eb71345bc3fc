"""The line over a chart: what each curve is, in its colour, and its value. It is the legend too."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_gui.theme import Theme

SWATCH_DIGITS = 2
GAP_DIGITS = 2
SWATCH_PIXELS = 3
LEAST_NAME_DIGITS = 4


@dataclass(frozen=True)
class Entry:
    """`alice.txt 4.07`; the name gives way where there is little room. Without a colour it has no line before it."""

    name: str
    value: str
    color: QColor | None = None

    @property
    def text(self) -> str:
        return " ".join(filter(None, (self.name, self.value)))


class ReadOut(QWidget):
    """A line of entries in the middle, the last one being where they hold: `at step 250`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: tuple[Entry, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def text(self) -> str:
        return " ".join(entry.text for entry in self._entries)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self.setAccessibleName(self.text())
            self.update()

    def shown_entries(self) -> tuple[str, ...]:
        """Their texts, as far as there is room for the names."""
        metrics = self.fontMetrics()
        names = [metrics.horizontalAdvance(entry.name) for entry in self._entries]
        missing = self._width() - self.contentsRect().width()
        if missing <= 0 or not any(names):
            return tuple(entry.text for entry in self._entries)
        room = max(sum(names) - missing, 0) // sum(bool(name) for name in names)
        if room < metrics.horizontalAdvance("0") * LEAST_NAME_DIGITS:
            return tuple(entry.value or entry.name for entry in self._entries)
        elided = [metrics.elidedText(entry.name, Qt.TextElideMode.ElideMiddle, room) for entry in self._entries]
        return tuple(
            " ".join(filter(None, (name, entry.value))) for name, entry in zip(elided, self._entries, strict=True)
        )

    def _width(self) -> int:
        """Of everything in full."""
        return sum(self._advance(entry.text, entry) for entry in self._entries) - self._gap()

    def _advance(self, text: str, entry: Entry) -> int:
        swatch = (SWATCH_DIGITS + 1) * self._digit() if entry.color else 0
        return swatch + self.fontMetrics().horizontalAdvance(text) + self._gap()

    def _digit(self) -> int:
        return self.fontMetrics().horizontalAdvance("0")

    def _gap(self) -> int:
        return GAP_DIGITS * self._digit() if any(entry.color for entry in self._entries) else self._digit()

    def _take_on_theme(self) -> None:
        self.setFont(self._theme.number_font())
        self.updateGeometry()
        self.update()

    def _paint(self, painter: QPainter) -> None:
        texts = self.shown_entries()
        width = sum(map(self._advance, texts, self._entries)) - self._gap()
        area = QRectF(self.contentsRect())
        x = area.left() + max((area.width() - width) / 2, 0.0)
        for text, entry in zip(texts, self._entries, strict=True):
            left = x
            if entry.color:
                painter.setPen(QPen(entry.color, SWATCH_PIXELS, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                end = left + SWATCH_DIGITS * self._digit()
                painter.drawLine(QPointF(left, area.center().y()), QPointF(end, area.center().y()))
                left = end + self._digit()
            painter.setPen(self._theme.colors.muted)
            place = QRectF(left, area.top(), area.right() - left, area.height())
            shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(int(place.width()) + 1, 0))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
            x += self._advance(text, entry)

    # Qt

    def event(self, event: QEvent) -> bool:
        """The tooltip has the whole line where it is shortened."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            is_short = self._width() > self.contentsRect().width()
            QToolTip.showText(event.globalPos(), f"<p>{escape(self.text())}</p>" if is_short else "", self)
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self.font()).height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint(painter)
