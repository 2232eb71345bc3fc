"""The pairs that could be merged at one step as a table, best first; core.branching finds and filters them."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from bpe_gui.theme import Theme
from core.branching import Candidate, Turn
from core.merge_table import score_text
from core.vocab import token_label

Index = QModelIndex | QPersistentModelIndex
TOKEN_ID_ROLE = Qt.ItemDataRole.UserRole
TAKEN = "merged by this run"


class CandidateColumn(IntEnum):
    LEFT = 0
    RIGHT = 1
    COUNT = 2
    SCORE = 3
    NOTE = 4


TOKENS = (CandidateColumn.LEFT, CandidateColumn.RIGHT)
NUMBERS = (CandidateColumn.COUNT, CandidateColumn.SCORE)
HEADERS = {
    CandidateColumn.LEFT: ("Left", "The left token of the pair."),
    CandidateColumn.RIGHT: ("Right", "The right token of the pair."),
    CandidateColumn.COUNT: ("Count", "How often the pair stands in the corpus at this step."),
    CandidateColumn.SCORE: ("Score", "WordPiece's score: the count divided by the counts of left and right."),
    CandidateColumn.NOTE: ("", "Which pair this run merged."),
}


class CandidatesModel(QAbstractTableModel):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._turn: Turn | None = None
        self._candidates: tuple[Candidate, ...] = ()

    def show_turn(self, turn: Turn) -> None:
        """Show all of its pairs."""
        self._turn = turn
        self.show_candidates(turn.candidates)

    def show_candidates(self, candidates: tuple[Candidate, ...]) -> None:
        """Show only these pairs of the turn."""
        self.beginResetModel()
        self._candidates = candidates
        self.endResetModel()

    def candidate(self, row: int) -> Candidate:
        return self._candidates[row]

    def is_taken(self, row: int) -> bool:
        """Whether the run that is shown merged this pair itself."""
        return self._turn is not None and self._candidates[row].pair == self._turn.taken

    def first_choice(self) -> int | None:
        """The first row with another pair than the one that was merged."""
        return next((row for row in range(min(len(self._candidates), 2)) if not self.is_taken(row)), None)

    def _text(self, row: int, column: CandidateColumn) -> str:
        assert self._turn
        candidate = self._candidates[row]
        match column:
            case CandidateColumn.COUNT:
                return f"{candidate.count:,}"
            case CandidateColumn.SCORE:
                return "" if candidate.score is None else score_text(candidate.score)
            case CandidateColumn.NOTE:
                return TAKEN if self.is_taken(row) else ""
        return token_label(self._turn.before, candidate.pair[column])

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._candidates)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(CandidateColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = CandidateColumn(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(index.row(), column)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column in NUMBERS else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.FontRole:
                return self._theme.number_font() if column in NUMBERS else None
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.colors.muted if column is CandidateColumn.NOTE else None
            case _ if role == TOKEN_ID_ROLE:
                return self._candidates[index.row()].pair[column] if column in TOKENS else None
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(CandidateColumn):
            return None
        title, tip = HEADERS[CandidateColumn(section)]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title
            case Qt.ItemDataRole.ToolTipRole:
                return tip
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if section in NUMBERS else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None
