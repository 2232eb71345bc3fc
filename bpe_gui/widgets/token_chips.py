"""Draws the token cells of a table as chips: a rounded background in the token's colour, as everywhere else."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from bpe_gui.theme import Theme

INSET, PADDING, LEAST_PADDING, RADIUS = 3.0, 6.0, 2.0, 4.0
FADED = 0.45
"""Opacity of a token that is not there yet."""


class TokenChips(QStyledItemDelegate):
    """`id_role` gives the id of a cell's token; `fades_role`, if any, false for a chip to draw faintly."""

    def __init__(
        self, theme: Theme, id_role: int, applies_role: int | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._id_role = id_role
        self._applies_role = applies_role
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    def font(self) -> QFont:
        """The tokens' font in the size of the interface."""
        return self._font

    def shown_text(self, text: str, cell_width: float) -> str:
        """The text, shortened only where a chip as wide as its cell could not hold it."""
        room = cell_width - 2 * (INSET + LEAST_PADDING)
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, max(int(room), 0))

    def _take_on_theme(self) -> None:
        self._font = self._theme.text_font()
        self._font.setPointSizeF(QApplication.font().pointSizeF())
        self._metrics = QFontMetrics(self._font)

    def _paint_chip(self, painter: QPainter, cell: QRectF, text: str, token_id: int) -> None:
        metrics = self._metrics
        text = self.shown_text(text, cell.width())
        chip = cell.adjusted(INSET, INSET, -INSET, -INSET)
        chip.setWidth(min(max(metrics.horizontalAdvance(text) + 2 * PADDING, chip.height()), chip.width()))
        colors = self._theme.token_colors(token_id)
        painter.setPen(QPen(colors.edge, 1))
        painter.setBrush(colors.fill)
        painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.setPen(colors.text)
        painter.setFont(self._font)
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)

    # Qt

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        token_id = index.data(self._id_role)
        if token_id is None:
            super().paint(painter, option, index)
            return
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.highlight())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._applies_role is not None and not index.data(self._applies_role):
            painter.setOpacity(FADED)
        self._paint_chip(painter, QRectF(option.rect), str(index.data(Qt.ItemDataRole.DisplayRole)), token_id)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        metrics = self._metrics
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        width = metrics.horizontalAdvance(text) + 2 * (INSET + PADDING)
        return QSize(int(width) + 1, int(metrics.height() + 2 * INSET + 2))
