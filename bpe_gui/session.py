"""What is being looked at: the corpus, the recording and the step. Everything on the screen is a function of these."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.corpus import Corpus
from core.merge import Merge
from core.recording import Recording
from core.trainer import TrainerConfig, build_alphabet


class Session(QObject):
    """Signals:
    corpus_replaced: another text is in the corpus pane; the recording is still the old one.
    recording_replaced: another recording, with its step; nothing of the old one may be kept.
    merges_appended(first rank, count): the recording grew at its end.
    recording_ended: the run that filled the recording is over; `recording.stop_reason` says why.
    step_changed(step)
    merge_revealed(rank): someone wants to see where this merge applied; the step is already the one after it.
    """

    corpus_replaced = Signal()
    recording_replaced = Signal()
    merges_appended = Signal(int, int)  # first rank, count
    recording_ended = Signal()
    step_changed = Signal(int)
    merge_revealed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._corpus = Corpus.typed("")
        self._recording = empty_recording()
        self._step = 0

    @property
    def corpus(self) -> Corpus:
        return self._corpus

    @property
    def recording(self) -> Recording:
        return self._recording

    @property
    def step(self) -> int:
        return self._step

    @property
    def last_step(self) -> int:
        return len(self._recording)

    def replace_corpus(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.corpus_replaced.emit()

    def replace_recording(self, recording: Recording) -> None:
        """Show another recording at its last step."""
        self._recording = recording
        self._step = len(recording)
        self.recording_replaced.emit()
        self.step_changed.emit(self._step)

    def append(self, merges: Sequence[Merge]) -> None:
        """Let the recording grow. The step goes along while it stands at the end."""
        first = len(self._recording)
        follows = self._step == first
        self._recording.extend(merges)
        self.merges_appended.emit(first, len(merges))
        if follows:
            self.go_to(self.last_step)

    def end_recording(self) -> None:
        self.recording_ended.emit()

    def go_to(self, step: int) -> None:
        """Show the corpus after `step` merges; a step outside the recording becomes the nearest one inside."""
        step = min(max(step, 0), self.last_step)
        if step != self._step:
            self._step = step
            self.step_changed.emit(step)

    def reveal_merge(self, rank: int) -> None:
        """Go to the step at which this merge has just been made and show a place where it applied."""
        self.go_to(rank + 1)
        self.merge_revealed.emit(rank)


def empty_recording() -> Recording:
    """The bytes and no merges: what is there before anything was trained."""
    config = TrainerConfig()
    return Recording(build_alphabet({}, config), config)
