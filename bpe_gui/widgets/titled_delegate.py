"""Draws a list item as a title with a sentence of help below it, wrapped to the list's width."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from bpe_gui.theme import Theme

HELP_ROLE = Qt.ItemDataRole.UserRole
PADDING = 10
WRAPPED = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
ANY_HEIGHT = 10_000


class TitledDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QAbstractItemView) -> None:
        super().__init__(parent)
        self._theme = theme
        self._view = parent

    # Qt

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        # room for a scroll bar at all times: sizes are not asked for anew when one appears
        bar = self._view.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        width = self._view.contentsRect().width() - bar
        _, help_area = _areas(option.font, index, QRect(0, 0, width, ANY_HEIGHT))
        return QSize(width, help_area.bottom() + PADDING)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colors = self._theme.colors
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if is_selected:
            painter.fillRect(option.rect, colors.row)
            painter.fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()), colors.accent)
        title_area, help_area = _areas(option.font, index, option.rect)
        painter.setFont(_bold(option.font))
        painter.setPen(colors.accent if is_selected else colors.text)
        painter.drawText(title_area, WRAPPED, index.data())
        painter.setFont(option.font)
        painter.setPen(colors.muted)
        painter.drawText(help_area, WRAPPED, index.data(HELP_ROLE))
        painter.restore()


def _areas(font: QFont, index: QModelIndex | QPersistentModelIndex, rect: QRect) -> tuple[QRect, QRect]:
    """Where title and help are written."""
    inner = QRect(rect.left() + PADDING, rect.top() + PADDING, rect.width() - 2 * PADDING, ANY_HEIGHT)
    title = QFontMetrics(_bold(font)).boundingRect(inner, WRAPPED, index.data())
    below = inner.translated(0, title.height() + 2)
    return title, QFontMetrics(font).boundingRect(below, WRAPPED, index.data(HELP_ROLE))


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold
