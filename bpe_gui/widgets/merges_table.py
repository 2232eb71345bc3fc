"""The table view of the merges: the current row is the merge of the session's step, whoever moved it."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from bpe_gui.models.merges_model import MergesModel, Role
from bpe_gui.theme import Theme
from bpe_gui.widgets.token_chips import TokenChips
from core.merge_table import Column

WIDTH_IN_DIGITS: dict[Column, int] = {
    Column.RANK: 6,
    Column.LEFT: 9,
    Column.RIGHT: 9,
    Column.TOKEN: 13,
    Column.COUNT: 11,
    Column.APPLIED: 11,
    Column.TIED: 6,
    Column.TOKENS_LEFT: 12,
    Column.TOKEN_ID: 8,
}


class MergesTable(QTableView):
    """Signals:
    row_chosen(row): by click, Enter, an arrow key or an assistive tool.
    """

    row_chosen = Signal(int)

    def __init__(self, model: MergesModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_told = False
        self._stood_at_end = True
        self._chips = TokenChips(theme, Role.TOKEN_ID, Role.APPLIES, self)
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
        elif scroll:
            self._scroll_to_row(index)
        self._is_told = False

    def _scroll_to_row(self, index: QModelIndex) -> None:
        across = self.horizontalScrollBar().value()
        self.scrollTo(index)
        self.horizontalScrollBar().setValue(across)

    def _current_column(self) -> int:
        return max(self.currentIndex().column(), 0)

    def _note_end(self) -> None:
        bar = self.verticalScrollBar()
        self._stood_at_end = bar.value() == bar.maximum()

    def _set_up_headers(self) -> None:
        across = self.horizontalHeader()
        across.setSortIndicatorClearable(True)
        across.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        across.setHighlightSections(False)
        across.setSectionsClickable(True)
        self.setSortingEnabled(True)
        down = self.verticalHeader()
        down.hide()
        down.setSectionResizeMode(down.ResizeMode.Fixed)

    def set_widths(self, widths: dict[int, int]) -> None:
        """Pixels by column; what is left out gets a width that suits its font."""
        digit = QFontMetrics(self.font()).horizontalAdvance("0")
        for column, digits in WIDTH_IN_DIGITS.items():
            self.setColumnWidth(column, widths.get(column, digit * digits))

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
        else:
            super().keyPressEvent(event)
