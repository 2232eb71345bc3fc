"""The table view of the measures: rows are chosen whole, titles and numbers always have room, units get the rest."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from bpe_gui.models.measures_model import NUMBER_COLUMNS, Column, MeasuresModel
from bpe_gui.theme import Theme

NUMBER_DIGITS = 13
"""Room for `123,456,789` and for a good part of a file's name."""
ROW_PADDING = 8


class MeasuresTable(QTableView):
    """Signals:
    copy_wanted: the person pressed the key for it.
    """

    copy_wanted = Signal()

    def __init__(self, model: MeasuresModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName("Measures at this step")
        self._set_up_headers()
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    def _set_up_headers(self) -> None:
        across, down = self.horizontalHeader(), self.verticalHeader()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # units give way instead
        across.setHighlightSections(False)
        across.setSectionsClickable(False)
        across.setStretchLastSection(True)
        across.setSectionResizeMode(Column.TITLE, QHeaderView.ResizeMode.ResizeToContents)
        across.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        down.hide()
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def _take_on_theme(self) -> None:
        palette, colors = QPalette(), self._theme.colors
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            palette.setColor(group, QPalette.ColorRole.Highlight, colors.row)
            palette.setColor(group, QPalette.ColorRole.HighlightedText, colors.accent)
        self.setPalette(palette)
        metrics = self.fontMetrics()
        for column in NUMBER_COLUMNS:
            self.setColumnWidth(column, metrics.horizontalAdvance("0") * NUMBER_DIGITS)
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)
