"""The table view of the measures: rows are chosen whole, numbers always have room, and units give way first."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from bpe_gui.models.measures_model import NUMBER_COLUMNS, Column, MeasuresModel
from bpe_gui.theme import Theme

NUMBER_DIGITS = 15
"""Room for `123,456,789` and for a good part of a file's name."""
LEAST_NUMBER_DIGITS = 9
LEAST_UNIT_DIGITS = 6
LEAST_ROWS = 4
ROW_PADDING = 8
GAP_AFTER_NUMBER = "\N{EN SPACE}"


class _Cells(QStyledItemDelegate):
    """Keeps numbers a little away from the next column, without changing what is copied."""

    # Qt

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if index.column() in NUMBER_COLUMNS:
            option.text += GAP_AFTER_NUMBER


class _Header(QHeaderView):
    """Names end where the numbers below them do."""

    # Qt

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        if logicalIndex in NUMBER_COLUMNS:
            width = self.sectionSize(logicalIndex) - 2 * self.fontMetrics().horizontalAdvance(GAP_AFTER_NUMBER)
            option.text = self.fontMetrics().elidedText(option.text, Qt.TextElideMode.ElideMiddle, width)
            option.text += GAP_AFTER_NUMBER


class MeasuresTable(QTableView):
    """Signals:
    copy_wanted: the person pressed the key for it.
    """

    copy_wanted = Signal()

    def __init__(self, model: MeasuresModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setModel(model)
        self.setItemDelegate(_Cells(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName("Measures at this step")
        self._set_up_headers()
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    def show_columns(self, columns: set[Column]) -> None:
        """Of the number columns, these."""
        for column in NUMBER_COLUMNS:
            self.setColumnHidden(column, column not in columns)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Titles in full, numbers as wide as is good, units in the rest; in a narrow panel without units."""
        digit, width = self.fontMetrics().horizontalAdvance("0"), self.viewport().width()
        shown = [column for column in NUMBER_COLUMNS if not self.isColumnHidden(column)]
        title = self.sizeHintForColumn(Column.TITLE) + digit
        room = (width - title) // max(len(shown), 1)
        number = max(min(NUMBER_DIGITS * digit, room), LEAST_NUMBER_DIGITS * digit)
        rest = width - title - number * len(shown)
        has_units = rest >= LEAST_UNIT_DIGITS * digit
        self.setColumnHidden(Column.UNIT, not has_units)
        self.setColumnWidth(Column.TITLE, title if has_units else max(width - number * len(shown), digit))
        for column in shown:
            self.setColumnWidth(column, number)
        if has_units:
            self.setColumnWidth(Column.UNIT, rest)

    def _set_up_headers(self) -> None:
        across, down = _Header(Qt.Orientation.Horizontal, self), self.verticalHeader()
        self.setHorizontalHeader(across)
        across.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        across.setHighlightSections(False)
        across.setMinimumSectionSize(0)
        down.hide()
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def _take_on_theme(self) -> None:
        palette, colors = QPalette(), self._theme.colors
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            palette.setColor(group, QPalette.ColorRole.Highlight, colors.row)
            palette.setColor(group, QPalette.ColorRole.HighlightedText, colors.accent)
        self.setPalette(palette)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        self._fit_columns()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def minimumSizeHint(self) -> QSize:
        rows = self.horizontalHeader().sizeHint().height() + LEAST_ROWS * self.verticalHeader().defaultSectionSize()
        return QSize(super().minimumSizeHint().width(), rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)
