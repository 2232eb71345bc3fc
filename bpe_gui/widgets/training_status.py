"""What training does right now, in words and as a bar, for the status bar of the window."""

from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from bpe_gui.actions import Actions
from bpe_gui.opener import Opener
from bpe_gui.session import Session
from bpe_gui.training import Training, TrainingState
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.share_bar import ShareBar
from core.pace import Pace, counting_text
from core.progress import Progress

BAR_WIDTH = 180
PHASES = {"words": "Counting words", "pairs": "Counting pairs", "merges": "Making the merges kept"}


class StatusLabel(ElidingLabel):
    """Takes the room its text needs, if there is so much, and never widens the window."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)


class TrainingStatus(QWidget):
    """Shows reading and counting with their share done, then the merges made and why training ended."""

    def __init__(
        self, session: Session, training: Training, opener: Opener, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._training = training
        self._pace = Pace()
        self._text = StatusLabel()
        self._text.setAccessibleName("Training status")
        self._bar = ShareBar()
        self._bar.setMaximumWidth(BAR_WIDTH)
        self._bar.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # beside the text, no gap
        self._bar.setAccessibleName("Progress")
        self._cancel = QToolButton(autoRaise=True)
        self._cancel.setDefaultAction(actions.stop)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        for widget in (self._text, self._bar, self._cancel):
            layout.addWidget(widget)
        training.state_changed.connect(self._show)
        training.progressed.connect(self._show_counting)
        session.merges_appended.connect(self._show)
        session.recording_ended.connect(self._show)
        session.recording_replaced.connect(self._show)
        opener.progressed.connect(self._show_reading)
        opener.opened.connect(self._show)
        opener.model_opened.connect(self._show)
        opener.pattern_wanted.connect(self._show)
        opener.failed.connect(self._show)
        opener.cancelled.connect(self._show)
        self._show()

    def _show_reading(self, progress: Progress) -> None:
        self._show_progress("Reading", progress)

    def _show_counting(self, phase: str, progress: Progress) -> None:
        self._show_progress(PHASES[phase], progress)
        if phase == "words":
            corpus = self._session.corpus
            self._pace.add(progress)
            self._text.setText(f"{PHASES[phase]}: {counting_text(progress, self._pace, 'B' * corpus.is_partial)}")

    def _show_progress(self, phase: str, progress: Progress) -> None:
        share = progress.done / progress.total if progress.total else 0.0
        self._text.setText(f"{phase}: {share:.0%}")
        self._bar.show_share(round(share * 1000), 1000)
        self._bar.setVisible(True)

    def _show(self) -> None:
        state = self._training.state
        self._cancel.setVisible(state is not TrainingState.IDLE)
        if state is not TrainingState.COUNTING:
            self._text.setText(self._sentence(state))
            self._show_share(state)

    def _sentence(self, state: TrainingState) -> str:
        recording, about = self._session.recording, self._session.about
        merges = f"{len(recording):,} {'merge' if len(recording) == 1 else 'merges'}"
        before = f"{about}. " if about else ""
        if state is TrainingState.RUNNING:
            return f"{before}Training: {merges}"
        if state is TrainingState.PAUSED:
            return f"{before}Paused after {merges}"
        if recording.stop_reason:
            return f"{before}Trained {merges}: {recording.stop_reason}"
        return f"{before}Ready"

    def _show_share(self, state: TrainingState) -> None:
        """How much of the merges asked for is made; the bar hides when nobody knows how many there will be."""
        recording = self._session.recording
        wanted = recording.merges_wanted
        self._bar.setVisible(state is not TrainingState.IDLE and wanted is not None)
        if wanted is not None:
            self._bar.show_share(min(len(recording), wanted), max(wanted, 1))
