"""A table of pairs with their counts, its tokens drawn as chips."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from bpe_gui.models.candidates_model import TOKEN_ID_ROLE, CandidateColumn, CandidatesModel
from bpe_gui.theme import Theme
from bpe_gui.widgets.token_chips import TokenChips

ROW_PADDING = 10
LEAST_DIGITS = 5
WIDTH_IN_DIGITS = {CandidateColumn.COUNT: 10, CandidateColumn.SCORE: 9, CandidateColumn.NOTE: 20}
"""The others share the rest."""


class PairsTable(QTableView):
    """Signals:
    pair_chosen: Enter or a double click on a row.
    """

    pair_chosen = Signal()

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.pairs = CandidatesModel(theme, self)
        self.setModel(self.pairs)
        self.setItemDelegate(TokenChips(theme, TOKEN_ID_ROLE, None, self))
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._set_up_columns()
        self.pairs.modelReset.connect(self._show_columns)
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    def _set_up_columns(self) -> None:
        header, digit = self.horizontalHeader(), self.fontMetrics().horizontalAdvance("0")
        header.setHighlightSections(False)
        header.setMinimumSectionSize(digit * LEAST_DIGITS)
        for column in CandidateColumn:
            if digits := WIDTH_IN_DIGITS.get(column):
                self.setColumnWidth(column, digit * digits)
            else:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def _show_columns(self) -> None:
        self.setColumnHidden(CandidateColumn.SCORE, not self.pairs.has_scores)
        self.setColumnHidden(CandidateColumn.NOTE, not self.pairs.has_note)

    def _take_on_theme(self) -> None:
        palette, colors = QPalette(), self._theme.colors
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            palette.setColor(group, QPalette.ColorRole.Highlight, colors.row)
            palette.setColor(group, QPalette.ColorRole.HighlightedText, colors.accent)
        self.setPalette(palette)
        self.verticalHeader().setDefaultSectionSize(QFontMetrics(self.font()).height() + ROW_PADDING)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.pair_chosen.emit()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and self.indexAt(event.position().toPoint()).isValid():
            self.pair_chosen.emit()
