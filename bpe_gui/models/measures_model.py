"""Every measure at the session's step as a table: of the corpus and of a held-out text, side by side."""

from enum import IntEnum
from html import escape
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.held_out_text import HeldOutText
from bpe_gui.session import Session
from bpe_gui.theme import Theme
from core.measures import MEASURES, Measure, Measures

NOT_YET = "…"
Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    TITLE = 0
    CORPUS = 1
    HELD_OUT = 2
    UNIT = 3


NUMBER_COLUMNS = (Column.CORPUS, Column.HELD_OUT)


class MeasuresModel(QAbstractTableModel):
    """A row for each of core's MEASURES, in their order."""

    def __init__(
        self,
        session: Session,
        corpus_measures: CorpusMeasures,
        held_out: HeldOutText,
        theme: Theme,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._corpus_measures = corpus_measures
        self._held_out = held_out
        self._theme = theme

    def show_step(self) -> None:
        """The numbers are other ones."""
        self.dataChanged.emit(self.index(0, Column.CORPUS), self.index(len(MEASURES) - 1, Column.HELD_OUT))

    def show_texts(self) -> None:
        """The texts have other names."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.CORPUS, Column.HELD_OUT)

    def tsv(self, rows: list[int], columns: list[Column]) -> str:
        """Those cells as they are shown, tabs between them, a line for each row."""
        cells = ((self.index(row, column).data() for column in columns) for row in rows)
        return "".join("\t".join(line) + "\n" for line in cells)

    def _text(self, measure: Measure, column: Column) -> str:
        if column is Column.TITLE:
            return measure.title
        if column is Column.UNIT:
            return measure.unit
        measures = self._measures(column)
        if measures is None or (measure.needs_spread and measures.spread is None):
            return NOT_YET
        return measure.text(measures)

    def _measures(self, column: Column) -> Measures | None:
        step = self._session.step
        return self._corpus_measures.at(step) if column is Column.CORPUS else self._held_out.at(step)

    def _name(self, column: Column) -> str:
        if column is Column.HELD_OUT:
            return self._held_out.name
        corpus = self._session.recording.corpus
        return corpus.name if corpus else ""

    def _header_tip(self, column: Column) -> str:
        if column is Column.CORPUS:
            return f"<p>The corpus that was trained on: {escape(self._name(column))}</p>"
        if column is Column.HELD_OUT:
            return f"<p>The held-out text: {escape(self._name(column))}</p>"
        return ""

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(MEASURES)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        measure, column = MEASURES[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(measure, column)
            case Qt.ItemDataRole.ToolTipRole:
                return f"<p>{escape(measure.help)}</p><p>Unit: {escape(measure.unit)}</p>"
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return measure.help
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column in NUMBER_COLUMNS else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.FontRole:
                return self._theme.number_font() if column in NUMBER_COLUMNS else None
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.colors.muted if column is Column.UNIT else None
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        column = Column(section)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return {Column.TITLE: "Measure", Column.UNIT: "Unit"}.get(column) or self._name(column)
            case Qt.ItemDataRole.ToolTipRole:
                return self._header_tip(column)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column in NUMBER_COLUMNS else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None
