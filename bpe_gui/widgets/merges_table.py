"""The table view of the merges: the current row is the merge of the session's step, whoever moved it."""

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from bpe_gui.models.merges_model import MergesModel, Role
from bpe_gui.theme import Theme
from bpe_gui.widgets.token_chips import TokenChips
from core.merge_table import TOKEN_COLUMNS, Column

WIDTH_IN_DIGITS: dict[Column, int] = {
    Column.RANK: 7,
    Column.LEFT: 9,
    Column.RIGHT: 9,
    Column.TOKEN: 13,
    Column.COUNT: 8,
    Column.SCORE: 9,
    Column.APPLIED: 8,  # without the score, up to here all fits into the panel of the first window
    Column.COMPLETED: 11,
    Column.TIED: 6,
    Column.TOKENS_LEFT: 12,
    Column.TOKEN_ID: 8,
    Column.ALSO: 6,
}
BAR_PIXELS = 3
NUMBER_MARGIN = 8
GAP_AFTER_TITLE = "\N{EN SPACE}"


class MergeCells(TokenChips):
    """Chips, numbers, and a bar before the merge of the current step.

    The numbers are drawn here because the style takes 0.1 ms for each, and the table is drawn with every frame.
    """

    def _paint_number(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colors = self._theme.colors
        is_current = index.data(Role.CURRENT)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.highlight())
        if is_current and index.column() == 0:
            painter.fillRect(QRect(option.rect.topLeft(), QSize(BAR_PIXELS, option.rect.height())), colors.accent)
        applied = colors.text if index.data(Role.APPLIES) else colors.muted
        painter.setPen(colors.accent if is_current else applied)
        painter.setFont(self._number_font)
        inside = option.rect.adjusted(0, 0, -NUMBER_MARGIN, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, index.data())

    def _take_on_theme(self) -> None:
        super()._take_on_theme()
        self._number_font = self._theme.number_font()

    # Qt

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if index.column() in TOKEN_COLUMNS:
            super().paint(painter, option, index)
        else:
            self._paint_number(painter, option, index)


class MergesHeader(QHeaderView):
    """Titles of numbers end where the numbers below them do, a little before the next column."""

    # Qt

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        if logicalIndex not in TOKEN_COLUMNS:
            option.text += GAP_AFTER_TITLE


class MergesTable(QTableView):
    """Signals:
    row_chosen(row): by click, Enter, an arrow key or an assistive tool.
    copy_wanted: the person pressed the key for it.
    """

    row_chosen = Signal(int)
    copy_wanted = Signal()

    def __init__(self, model: MergesModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_told = False
        self._stood_at_end = True
        self._chips = MergeCells(theme, Role.TOKEN_ID, Role.APPLIES, self)
        self.setModel(model)
        self.setItemDelegate(self._chips)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setAutoScroll(False)  # the dock decides whether the table follows
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName("Merges in the order of training")
        self.setFrameShape(QTableView.Shape.NoFrame)
        self._set_up_headers()
        model.rowsAboutToBeInserted.connect(self._note_end)
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    @property
    def stood_at_end(self) -> bool:
        """Whether the last row was in view before the latest rows came."""
        return self._stood_at_end

    def show_row(self, row: int | None, scroll: bool) -> None:
        """Make it the current row without announcing it; None is no row."""
        self._is_told = True
        index = QModelIndex() if row is None else self.model().index(row, self._current_column())
        self.setCurrentIndex(index)
        if row is None:
            self.clearSelection()
        elif scroll and not self._is_in_view(row):
            self._scroll_to_row(row)
        self._is_told = False

    def _is_in_view(self, row: int) -> bool:
        """Half of it will do, but the last row must be seen whole: else the table does not stand at its end."""
        place = self.visualRect(self.model().index(row, Column.RANK))
        if self._is_last(row):
            return place.top() >= 0 and place.bottom() < self.viewport().height()
        return 0 <= place.center().y() < self.viewport().height()

    def _is_last(self, row: int) -> bool:
        return row == self.model().rowCount() - 1

    def _scroll_to_row(self, row: int) -> None:
        """To the end for the last row, to the middle for others; never sideways."""
        if self._is_last(row):
            self.scrollToBottom()
            return
        visible = self.viewport().height() // self.verticalHeader().defaultSectionSize()
        self.verticalScrollBar().setValue(row - visible // 2)

    def set_widths(self, widths: Mapping[Column, int]) -> None:
        """Pixels by column; what is left out gets a width that suits its font."""
        digit = QFontMetrics(self.font()).horizontalAdvance("0")
        for column, digits in WIDTH_IN_DIGITS.items():
            self.setColumnWidth(column, widths.get(column, digit * digits))

    def make_room_for_ranks(self, count: int) -> None:
        """Ranks of six digits need a wider column than those of most recordings."""
        needed = QFontMetrics(self.font()).horizontalAdvance(f"{count:,}") + 2 * NUMBER_MARGIN
        if self.columnWidth(Column.RANK) < needed:
            self.setColumnWidth(Column.RANK, needed)

    def _current_column(self) -> int:
        return max(self.currentIndex().column(), 0)

    def _note_end(self) -> None:
        self._stood_at_end = self._is_at_end()

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() == bar.maximum()

    def _set_up_headers(self) -> None:
        across = MergesHeader(Qt.Orientation.Horizontal, self)
        self.setHorizontalHeader(across)
        across.setSortIndicatorClearable(True)
        across.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        across.setHighlightSections(False)
        across.setSectionsClickable(True)
        self.setSortingEnabled(True)
        down = self.verticalHeader()
        down.hide()
        down.setSectionResizeMode(down.ResizeMode.Fixed)

    def _take_on_theme(self) -> None:
        palette = QPalette()
        colors = self._theme.colors
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            palette.setColor(group, QPalette.ColorRole.Highlight, colors.row)
            palette.setColor(group, QPalette.ColorRole.HighlightedText, colors.accent)
        self.setPalette(palette)
        metrics = QFontMetrics(self._chips.font())
        self.verticalHeader().setDefaultSectionSize(max(metrics.height(), self.fontMetrics().height()) + 10)

    # Qt

    def updateGeometries(self) -> None:
        """Keep the last row in view where it is the current one, also in a lower window or with larger letters."""
        stays_at_end = self._is_at_end() and self.currentIndex().isValid() and self._is_last(self.currentIndex().row())
        super().updateGeometries()
        if stays_at_end:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:  # type: ignore[override]  # the stub allows persistent indexes, which never come
        super().currentChanged(current, previous)
        if current.isValid() and not self._is_told:
            self.row_chosen.emit(current.row())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pressed = self.indexAt(event.position().toPoint())
        again = pressed.isValid() and pressed.row() == self.currentIndex().row()
        super().mousePressEvent(event)
        if again and event.button() is Qt.MouseButton.LeftButton:
            self.row_chosen.emit(pressed.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_chosen.emit(self.currentIndex().row())
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            row = 0 if event.key() == Qt.Key.Key_Home else self.model().rowCount() - 1
            self.setCurrentIndex(self.model().index(row, self._current_column()))
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)
