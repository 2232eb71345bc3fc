"""A label for one line of plain text that shortens it instead of asking for room."""

from html import escape

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

LEAST_MIDDLE_IN_DIGITS = 6
BETWEEN_FACTS = "  ·  "


class ElidingLabel(QLabel):
    """Its tooltip shows the whole text while it is shortened, unless it was given one that says more."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._ends = "", ""

    def set_parts(self, head: str, middle: str, tail: str) -> None:
        """Show them one behind the other; shorten the middle, and with hardly any room for it all from the end on."""
        self._ends = head, tail
        self.setText(head + middle + tail)

    def shown_text(self) -> str:
        """The text with an ellipsis if it is too long."""
        width, text, (head, tail) = self.contentsRect().width(), self.text(), self._ends
        metrics, mode = self.fontMetrics(), Qt.TextElideMode
        room = width - metrics.horizontalAdvance(head + tail)
        if head and room < LEAST_MIDDLE_IN_DIGITS * metrics.horizontalAdvance("0"):
            return metrics.elidedText(text, mode.ElideRight, width)
        return head + metrics.elidedText(text[len(head) : len(text) - len(tail)], mode.ElideMiddle, room) + tail

    def _wants_tip(self) -> bool:
        return not self.toolTip() and self.shown_text() != self.text()

    # Qt

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._wants_tip():
            QToolTip.showText(event.globalPos(), f"<p>{escape(self.text())}</p>", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(self.foregroundRole()))
            flags = self.alignment() | Qt.TextFlag.TextSingleLine
            painter.drawText(self.contentsRect(), flags, self.shown_text())


class FactsLabel(ElidingLabel):
    """A row of short facts. Where there is not room for all of them, the last ones are left out whole."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._facts: tuple[str, ...] = ()

    def set_facts(self, *facts: str) -> None:
        """The most important one first: it stays, shortened at its end if need be."""
        self._facts = facts
        self.setText(BETWEEN_FACTS.join(facts))

    def shown_text(self) -> str:
        width, metrics = self.contentsRect().width(), self.fontMetrics()
        for count in range(len(self._facts), 0, -1):
            text = BETWEEN_FACTS.join(self._facts[:count])
            if metrics.horizontalAdvance(text) <= width:
                return text
        return metrics.elidedText("".join(self._facts[:1]), Qt.TextElideMode.ElideRight, width)
