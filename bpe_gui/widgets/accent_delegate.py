"""Draws list items with some air, and the chosen one with a bar in the accent colour, its icon in its own colours."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from bpe_gui.theme import Theme

PADDING = 4
BAR_PIXELS = 3

Index = QModelIndex | QPersistentModelIndex


class AccentDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QAbstractItemView) -> None:
        super().__init__(parent)
        self._theme = theme

    # Qt

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(2 * PADDING, 2 * PADDING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colors, plain = self._theme.colors, QStyleOptionViewItem(option)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, colors.row)
            bar = QRect(option.rect.left(), option.rect.top(), BAR_PIXELS, option.rect.height())
            painter.fillRect(bar, colors.accent)
            # the style would tint the icon, and frame the text
            plain.state &= ~(QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus)
            plain.palette.setColor(QPalette.ColorRole.Text, colors.accent)
        plain.rect = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        super().paint(painter, plain, index)
