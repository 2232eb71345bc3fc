"""A choice that asks for the room of its texts, and shortens the one shown where there is less."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

TEXT_MARGIN = 3
"""Around the text, and between it and an icon."""


class ElidingCombo(QComboBox):
    """Never narrower than `least_letters` of its font."""

    def __init__(self, least_letters: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least_letters = least_letters
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def shown_text(self) -> str:
        """The text with an ellipsis if it is too long."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        room -= 2 * TEXT_MARGIN - 4 + self._icon_width()
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)

    def _icon_width(self) -> int:
        has_icon = not self.itemIcon(self.currentIndex()).isNull()
        return self.iconSize().width() + TEXT_MARGIN + 1 if has_icon else 0

    # Qt

    def minimumSizeHint(self) -> QSize:
        hint = super().sizeHint()
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        letters = self.fontMetrics().averageCharWidth() * self._least_letters + self._icon_width()
        content = QSize(letters, self.fontMetrics().height())
        least = self.style().sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, content, self)
        return QSize(min(least.width(), hint.width()), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
