"""Chooses another pair for one merge of the recording: training then goes on from there as a branch."""

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QPushButton, QVBoxLayout, QWidget

from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.training import Training
from bpe_gui.widgets.pairs_table import PairsTable
from bpe_gui.widgets.plain_label import plain_label
from bpe_gui.widgets.progress_row import ProgressRow
from core.branching import Candidate, Turn, branch_corpus, candidates_with, pair_label, turn_at

SEARCH_DELAY_MILLISECONDS = 120
WIDTH, HEIGHT = 560, 520
TIP = (
    "Show only pairs whose merged token has this text, in any case unless it has capitals; a space finds ␣.\n"
    "Down goes to the table."
)


class ForceDialog(QDialog):
    """For the merge of the session's step when the dialog opens."""

    def __init__(self, session: Session, training: Training, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._recording = session.recording
        self._training = training
        self._theme = theme
        self._rank = session.step - 1
        self._turn: Turn | None = None
        self.setWindowTitle("Force another pair")
        self.table = PairsTable("Pairs that stood in the corpus at this step", theme, self)
        self.model = self.table.pairs
        self._make_widgets()
        self._arrange()
        self._counting = LatestJob(self)
        self._counting.progressed.connect(self.progress.show_progress)
        self._counting.done.connect(self._show_turn)
        self._counting.failed.connect(self._show_failure)
        self._searching = LatestJob(self)
        self._searching.done.connect(self._show_found)
        self._search_timer = QTimer(self, interval=SEARCH_DELAY_MILLISECONDS, singleShot=True)
        self._search_timer.timeout.connect(self._search)
        self.search.textChanged.connect(self._search_timer.start)
        self.table.selectionModel().currentRowChanged.connect(self._show_state)
        self.table.pair_chosen.connect(self._force)
        session.recording_replaced.connect(self.reject)
        self.progress.begin("Making the merges before it")
        self._counting.start(
            partial(turn_at, self._recording, self._rank, branch_corpus(self._recording, session.corpus))
        )

    def _make_widgets(self) -> None:
        taken = pair_label(self._recording, self._recording[self._rank].pair)
        self.head = plain_label(f"Step {self._rank + 1:,} merged {taken}. Which pair should it merge instead?")
        self.hint = plain_label(
            "The merges before it stay as they are; those after it are learned anew, as this run was trained.", "muted"
        )
        self.found = plain_label("", "muted")
        self.search = QLineEdit(placeholderText="Find a pair by the text it makes", clearButtonEnabled=True)
        self.search.setAccessibleName("Find a pair")
        self.search.setToolTip(TIP)
        self.search.setEnabled(False)
        self.progress = ProgressRow("Counting the pairs of this step", "Cancel", "Close without a choice", self)
        self.progress.cancel_wanted.connect(self.reject)
        self.buttons = QDialogButtonBox(self)
        self.force_button = QPushButton("&Force this pair and train on")
        self.force_button.setToolTip("Train a branch that merges the chosen pair at this step")
        self.force_button.setEnabled(False)
        self.force_button.setDefault(True)
        cancel = QPushButton("Cancel")
        self.buttons.addButton(self.force_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        for button in (self.force_button, cancel):
            button.setIcon(QIcon())
        self.force_button.clicked.connect(self._force)
        cancel.clicked.connect(self.reject)

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        for widget in (self.head, self.hint, self.search, self.table, self.found, self.progress, self.buttons):
            layout.addWidget(widget, int(widget is self.table))
        self.resize(WIDTH, HEIGHT)
        self.search.setFocus()

    def _show_turn(self, turn: Turn) -> None:
        self._turn = turn
        self.progress.end()
        self.search.setEnabled(True)
        self.model.show_step(turn.before, turn.candidates, turn.taken)
        self._show_number(len(turn.candidates))
        self._select_first()
        self.search.setFocus()

    def _show_failure(self, message: str) -> None:
        self.progress.end()
        self.hint.setText(message)
        self.hint.setProperty("role", "danger")
        self.hint.style().polish(self.hint)

    def _search(self) -> None:
        if self._turn:
            self._searching.start(partial(candidates_with, self._turn, self.search.text()))

    def _show_found(self, found: tuple[Candidate, ...]) -> None:
        self.model.show_candidates(found)
        self._show_number(len(found))
        self._select_first()

    def _show_number(self, found: int) -> None:
        total = len(self._turn.candidates) if self._turn else 0
        pairs = f"{total:,} {'pair' if total == 1 else 'pairs'}"
        shown = f"{found:,} of {pairs}" if found else f"None of {pairs} makes a token with this text"
        self.found.setText(pairs if found == total else shown)

    def _select_first(self) -> None:
        row = self.model.first_choice()
        if row is not None:
            self.table.setCurrentIndex(self.model.index(row, 0))
        self._show_state()

    def _show_state(self) -> None:
        row = self.table.currentIndex().row()
        self.force_button.setEnabled(row >= 0 and not self.model.is_taken(row))

    def _force(self) -> None:
        row = self.table.currentIndex().row()
        if row < 0 or self.model.is_taken(row):
            return
        pair = self.model.candidate(row).pair
        self.accept()
        self._training.force(self._rank, pair)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.table.setFocus()
        else:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        self._counting.cancel()
        self._searching.cancel()
        super().done(result)
