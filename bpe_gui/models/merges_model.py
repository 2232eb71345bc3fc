"""The merges as a table that grows while training runs, filtered and sorted by `core.merge_table` in slices."""

from collections.abc import Generator, Sequence
from enum import IntEnum
from html import escape
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QElapsedTimer,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)

from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.widgets.tips import plain_tip
from core.merge_table import (
    TOKEN_COLUMNS,
    Column,
    Condition,
    arranged,
    cell_text,
    matching,
    number_of,
    token_of,
)
from core.vocab import bytes_line, hex_bytes, token_label, ways_lines

SLICE_MILLISECONDS = 8
QUIET_MILLISECONDS = 300
"""A sorted table takes new merges in at its end and sorts them once none has come for so long."""

COLUMNS = tuple(Column)
Index = QModelIndex | QPersistentModelIndex

HEADERS: dict[Column, tuple[str, str]] = {
    Column.RANK: (
        "Rank",
        "Place of the merge in the training order. Ranks count from 0, steps from 1:\n"
        "the merge of rank 0 is made by step 1. The rank is not the token id.",
    ),
    Column.LEFT: ("Left", "The left token of the pair that was merged."),
    Column.RIGHT: ("Right", "The right token of the pair that was merged."),
    Column.TOKEN: ("Token", "The new token: left and right side by side."),
    Column.COUNT: (
        "Count",
        "Pair count: how often the pair stood in the corpus when it was chosen.\n"
        "Overlapping places count: aaaa holds a a three times.",
    ),
    Column.SCORE: (
        "Score",
        "WordPiece's score of the pair when it was chosen: its count divided by the counts of left and right.\n"
        "The pair with the highest score is merged, however rare it is.",
    ),
    Column.APPLIED: (
        "Applied",
        "How many replacements the merge made in the corpus.\n"
        "Fewer than the pair count where places overlapped: aaaa becomes aa aa, two replacements.",
    ),
    Column.COMPLETED: (
        "Completed",
        "How many words of the corpus became a single token by this merge, each as often as it occurs.",
    ),
    Column.TIED: (
        "Tied",
        "How many pairs shared the top count or score, this one included.\n"
        "With more than 1, the tie rule chose among them.",
    ),
    Column.TOKENS_LEFT: ("Tokens left", "Length of the whole corpus in tokens after this merge."),
    Column.TOKEN_ID: (
        "Id",
        "Id of the new token in the vocabulary.\nSpecial tokens and base symbols have the ids before the merges.",
    ),
    Column.ALSO: (
        "Ways",
        "How many other merges make the same token: Llama 3 and gpt-oss list every way to put a token together.\n"
        "Rest the mouse on the number to see them.",
    ),
}


class Role(IntEnum):
    """VALUE: the number itself, or the token's label. TOKEN_ID: id of the token in a token column, else None.
    APPLIES: whether the merge is made at the session's step. CURRENT: whether it is the last one made."""

    VALUE = Qt.ItemDataRole.UserRole
    TOKEN_ID = Qt.ItemDataRole.UserRole + 1
    APPLIES = Qt.ItemDataRole.UserRole + 2
    CURRENT = Qt.ItemDataRole.UserRole + 3


class MergesModel(QAbstractTableModel):
    """Signals:
    arranged: filtering or sorting has come to its end.
    """

    arranged = Signal()

    def __init__(self, session: Session, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self._condition: Condition | None = None
        self._column = Column.RANK
        self._descending = False
        self._known = session.last_step
        self._ranks: Sequence[int] = range(self._known)  # what each row shows
        self._work: Generator[None, None, list[int]] | None = None
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._arrange_a_slice)
        self._quiet = QTimer(self, interval=QUIET_MILLISECONDS, singleShot=True)
        self._quiet.timeout.connect(self._arrange)
        session.recording_replaced.connect(self._start_over)
        session.merges_appended.connect(self._append)
        session.step_changed.connect(self._repaint)
        theme.changed.connect(self._repaint)

    @property
    def ranks(self) -> Sequence[int]:
        """The rank in each row."""
        return self._ranks

    @property
    def is_arranging(self) -> bool:
        return self._work is not None

    def row_of(self, rank: int) -> int | None:
        """None for a merge that the filter hides."""
        try:
            return self._ranks.index(rank)
        except ValueError:
            return None

    def set_condition(self, condition: Condition | None) -> None:
        """Show the merges that it holds for, None for all."""
        self._condition = condition
        self._arrange()

    def _start_over(self) -> None:
        self._drop_work()
        self.beginResetModel()
        self._known = self._session.last_step
        self._ranks = self._in_rank_order()
        self.endResetModel()
        if self._condition or self._column is not Column.RANK:
            self._arrange()
        else:
            self.arranged.emit()

    def _in_rank_order(self) -> Sequence[int]:
        return range(self._known - 1, -1, -1) if self._is_newest_first else range(self._known)

    @property
    def _is_newest_first(self) -> bool:
        return self._column is Column.RANK and self._descending

    def _append(self, first: int, count: int) -> None:
        new = matching(self._session.recording, self._condition, range(first, first + count))
        self._known = first + count
        if new:
            self._insert(new)
        if self._column is not Column.RANK:
            self._quiet.start()

    def _insert(self, new: list[int]) -> None:
        at = 0 if self._is_newest_first else len(self._ranks)
        self.beginInsertRows(QModelIndex(), at, at + len(new) - 1)
        if isinstance(self._ranks, range):
            self._ranks = self._in_rank_order()
        else:
            ranks = list(self._ranks)
            ranks[at:at] = new[::-1] if self._is_newest_first else new
            self._ranks = ranks
        self.endInsertRows()

    def _arrange(self) -> None:
        self._drop_work()
        if self._condition is None and self._column is Column.RANK:
            self._show(self._in_rank_order())
            return
        self._arranged_until = self._session.last_step
        self._work = arranged(self._session.recording, self._condition, self._column, self._descending)
        self._slices.start()
        self._arrange_a_slice()

    def _arrange_a_slice(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        while self._work:
            try:
                next(self._work)
            except StopIteration as end:
                self._drop_work()
                self._show(self._with_latest(end.value))
            if clock.elapsed() >= SLICE_MILLISECONDS:
                break

    def _with_latest(self, ranks: list[int]) -> list[int]:
        latest = matching(self._session.recording, self._condition, range(self._arranged_until, self._known))
        if latest and self._column is not Column.RANK:
            self._quiet.start()
        return latest[::-1] + ranks if self._is_newest_first else ranks + latest

    def _drop_work(self) -> None:
        self._work = None
        self._slices.stop()
        self._quiet.stop()

    def _show(self, ranks: Sequence[int]) -> None:
        self.beginResetModel()
        self._ranks = ranks
        self.endResetModel()
        self.arranged.emit()

    def _repaint(self) -> None:
        if self._ranks:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._ranks) - 1, len(Column) - 1))

    def _tooltip(self, rank: int, column: Column) -> str | None:
        recording = self._session.recording
        if column is Column.ALSO:
            return plain_tip("\n".join(ways_lines(recording, recording[rank].token_id))) or None
        if column not in TOKEN_COLUMNS:
            return None
        token_id = token_of(recording[rank], column)
        said_bytes = bytes_line(hex_bytes(recording.token(token_id).content))
        ways = ways_lines(recording, token_id) if column is Column.TOKEN else ()
        text = "\n".join(filter(None, (token_label(recording, token_id), f"id {token_id:,}", said_bytes, *ways)))
        return f"<p>{escape(text).replace(chr(10), '<br>')}</p>"

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._ranks)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        rank, column = self._ranks[index.row()], COLUMNS[index.column()]
        is_token = column in TOKEN_COLUMNS
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell_text(self._session.recording, rank, column)
            case Qt.ItemDataRole.ToolTipRole:
                return self._tooltip(rank, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignLeft if is_token else Qt.AlignmentFlag.AlignRight
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.FontRole:
                return None if is_token else self._theme.number_font()
            case Qt.ItemDataRole.ForegroundRole:
                return None if rank < self._session.step else self._theme.colors.muted
            case Role.VALUE:
                return self._value(rank, column)
            case Role.TOKEN_ID:
                return token_of(self._session.recording[rank], column) if is_token else None
            case Role.APPLIES:
                return rank < self._session.step
            case Role.CURRENT:
                return rank == self._session.step - 1
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        title, tip = HEADERS[Column(section)]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title
            case Qt.ItemDataRole.ToolTipRole:
                return tip
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignLeft if section in TOKEN_COLUMNS else Qt.AlignmentFlag.AlignRight
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Any column that is none, such as -1, stands for the order of training."""
        known = 0 <= column < len(Column)
        self._column = Column(column) if known else Column.RANK
        self._descending = known and order is Qt.SortOrder.DescendingOrder
        self._arrange()

    def _value(self, rank: int, column: Column) -> float | str:
        recording = self._session.recording
        if column in TOKEN_COLUMNS:
            return cell_text(recording, rank, column)
        return number_of(recording, recording[rank], column)
