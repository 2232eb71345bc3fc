"""A part of a form that folds; while it is folded its heading says in a few words what is in it."""

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from bpe_gui.theme import Colors, Theme

MARGIN = 4
GAP = 8


class Tone(Enum):
    """How a summary is meant."""

    MUTED = "muted"
    SUCCESS = "success"
    WARNING = "warning"
    DANGER = "danger"

    def color(self, colors: Colors) -> QColor:
        color: QColor = getattr(colors, self.value)
        return color


class Section(QWidget):
    """Signals:
    toggled(is open): a person folded or unfolded it.
    """

    toggled = Signal(bool)

    def __init__(self, title: str, tip: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self._header = SectionHeader(title, tip, theme)
        self._content = QWidget()
        self._rows = QVBoxLayout(self._content)
        self._rows.setContentsMargins(0, 4, 0, 8)
        self._rows.setSpacing(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._header)
        layout.addWidget(self._content)
        self._content.hide()
        self._header.toggled.connect(self._content.setVisible)
        self._header.clicked.connect(self.toggled)

    @property
    def is_open(self) -> bool:
        return self._header.isChecked()

    def set_open(self, is_open: bool) -> None:
        self._header.setChecked(is_open)

    def add(self, widgets: Sequence[QWidget]) -> None:
        for widget in widgets:
            self._rows.addWidget(widget)

    def show_summary(self, text: str, tone: Tone) -> None:
        self._header.show_summary(text, tone)


class SectionHeader(QToolButton):
    """An arrow, the title and at the right a summary, shortened where there is no room; all of it can be clicked."""

    def __init__(self, title: str, tip: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tip = tip
        self._summary = ""
        self._tone = Tone.MUTED
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.toggled.connect(self._describe)
        theme.changed.connect(self.update)
        self._describe()

    def show_summary(self, text: str, tone: Tone) -> None:
        self._summary, self._tone = text, tone
        self._describe()
        self.update()

    def _describe(self) -> None:
        state = "Unfolded" if self.isChecked() else "Folded"
        self.setAccessibleDescription(f"{state}. {self._tip} {self._summary}".strip())
        self.setToolTip(f"{self._tip}\n{self._summary}" if self._summary else self._tip)

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _arrow_size(self) -> int:
        return self.fontMetrics().height() * 3 // 4

    def _title_width(self) -> int:
        return QFontMetrics(self._title_font()).horizontalAdvance(self.text())

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        wanted = {Qt.Key.Key_Right: True, Qt.Key.Key_Left: False}.get(Qt.Key(event.key()), not self.isChecked())
        keys = (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() not in keys:
            super().keyPressEvent(event)
        elif wanted is not self.isChecked():
            self.click()

    def sizeHint(self) -> QSize:
        width = self._arrow_size() + GAP // 2 + self._title_width() + MARGIN
        return QSize(width, self.fontMetrics().height() + 2 * MARGIN + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.colors
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.underMouse():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colors.row)
                painter.drawRoundedRect(self.rect(), 4, 4)
            if self.hasFocus():
                painter.setPen(QPen(colors.accent, 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 4, 4)
            self._paint_texts(painter, colors.text, self._tone.color(colors))

    def _paint_texts(self, painter: QPainter, title_color: QColor, summary_color: QColor) -> None:
        size, room = self._arrow_size(), self.rect().adjusted(0, 0, -MARGIN, 0)
        icon = self._theme.icon("caret-down" if self.isChecked() else "caret-right", self._theme.colors.muted)
        icon.paint(painter, QRect(room.left(), room.center().y() - size // 2 + 1, size, size))
        room.setLeft(room.left() + size + GAP // 2)
        painter.setFont(self._title_font())
        painter.setPen(title_color)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.text())
        room.setLeft(room.left() + self._title_width() + 2 * GAP)
        if self.isChecked() or not self._summary:
            return
        painter.setFont(self.font())
        painter.setPen(summary_color)
        shown = self.fontMetrics().elidedText(self._summary, Qt.TextElideMode.ElideRight, room.width())
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(room, right | Qt.TextFlag.TextSingleLine, shown)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
