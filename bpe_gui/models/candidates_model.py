"""Pairs that could be merged at one step as a table; core finds, sorts and filters them."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from bpe_gui.theme import Theme
from core.branching import Candidate
from core.merge import Pair
from core.merge_table import score_text
from core.recording import Recording
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
    """`taken` is the pair that the run on the screen merged, which gets a note."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._before: Recording | None = None
        self._taken: Pair | None = None
        self._candidates: tuple[Candidate, ...] = ()

    def show_step(self, before: Recording, candidates: tuple[Candidate, ...], taken: Pair | None = None) -> None:
        """Show the pairs of another step; `before` names their tokens."""
        self._before, self._taken = before, taken
        self.show_candidates(candidates)

    def show_candidates(self, candidates: tuple[Candidate, ...]) -> None:
        """Show other pairs of the same step."""
        self.beginResetModel()
        self._candidates = candidates
        self.endResetModel()

    @property
    def has_scores(self) -> bool:
        return bool(self._candidates) and self._candidates[0].score is not None

    @property
    def has_note(self) -> bool:
        return self._taken is not None

    def candidate(self, row: int) -> Candidate:
        return self._candidates[row]

    def is_taken(self, row: int) -> bool:
        return self._candidates[row].pair == self._taken

    def first_choice(self) -> int | None:
        """The first row with another pair than the one that was merged."""
        return next((row for row in range(min(len(self._candidates), 2)) if not self.is_taken(row)), None)

    def _text(self, row: int, column: CandidateColumn) -> str:
        assert self._before is not None
        candidate = self._candidates[row]
        match column:
            case CandidateColumn.COUNT:
                return f"{candidate.count:,}"
            case CandidateColumn.SCORE:
                return "" if candidate.score is None else score_text(candidate.score)
            case CandidateColumn.NOTE:
                return TAKEN if self.is_taken(row) else ""
        return token_label(self._before, candidate.pair[column])

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
