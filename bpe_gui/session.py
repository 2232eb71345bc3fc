"""What is being looked at: the corpus, the recording and the step. Everything on the screen is a function of these."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from core.bookmarks import Bookmarks, Notes
from core.corpus import Corpus
from core.merge import Merge
from core.recording import Recording
from core.trainer import TrainerConfig, build_alphabet

MAX_RUNS_KEPT = 5
MAX_WORDS_KEPT = 1_000_000
"""Unique words of all runs before the one that is shown; about 150 bytes each."""


class Run(NamedTuple):
    """A recording at some step. `about` says how it came from an earlier one, "" if it did not."""

    recording: Recording
    step: int
    about: str = ""
    bookmarks: Bookmarks = ()


class Session(QObject):
    """Signals:
    corpus_replaced: another text is in the corpus pane; the recording is still the old one.
    recording_replaced: another recording, with its step; nothing of the old one may be kept.
    merges_appended(first rank, count): the recording grew at its end.
    recording_ended: the run that filled the recording is over; `recording.stop_reason` says why.
    step_changed(step)
    bookmarks_changed: other steps of the recording are marked, or by other names.
    merge_revealed(rank): someone wants to see where this merge applied; the step is already the one after it.
    """

    corpus_replaced = Signal()
    recording_replaced = Signal()
    merges_appended = Signal(int, int)  # first rank, count
    recording_ended = Signal()
    step_changed = Signal(int)
    bookmarks_changed = Signal()
    merge_revealed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._corpus = Corpus.typed("")
        self._recording = empty_recording()
        self._step = 0
        self._about = ""
        self._bookmarks: Bookmarks = ()
        self._runs_before: list[Run] = []  # the last one was shown last
        self._runs_after: list[Run] = []

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
    def about(self) -> str:
        """How the recording came from an earlier one, such as `Branch at step 12: e + s forbidden`; mostly ""."""
        return self._about

    @property
    def bookmarks(self) -> Bookmarks:
        """Steps of the recording that someone has marked."""
        return self._bookmarks

    @property
    def has_run_before(self) -> bool:
        return bool(self._runs_before)

    @property
    def has_run_after(self) -> bool:
        return bool(self._runs_after)

    @property
    def last_step(self) -> int:
        return len(self._recording)

    def replace_corpus(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.corpus_replaced.emit()

    def replace_recording(self, recording: Recording, about: str = "", notes: Notes | None = None) -> None:
        """Show another recording, at its last step unless `notes` on it say another.

        The one that was shown is kept: see `go_to_run_before`.
        """
        if len(self._recording):
            self._runs_before = _worth_keeping([*self._runs_before, self._run()])
        self._runs_after.clear()
        notes = notes or Notes()
        step = len(recording) if notes.step is None else min(notes.step, len(recording))
        self._show(Run(recording, step, about, notes.bookmarks))

    def go_to_run_before(self) -> None:
        """Show the recording that was replaced last, at its step."""
        if self._runs_before:
            self._runs_after.append(self._run())
            self._show(self._runs_before.pop())

    def go_to_run_after(self) -> None:
        """Take the latest `go_to_run_before` back."""
        if self._runs_after:
            self._runs_before.append(self._run())
            self._show(self._runs_after.pop())

    def _run(self) -> Run:
        return Run(self._recording, self._step, self._about, self._bookmarks)

    def _show(self, run: Run) -> None:
        self._recording, self._step, self._about, self._bookmarks = run
        self.recording_replaced.emit()
        self.step_changed.emit(self._step)
        self.bookmarks_changed.emit()

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

    def set_bookmarks(self, bookmarks: Bookmarks) -> None:
        """Mark these steps of the recording, and no others."""
        if bookmarks != self._bookmarks:
            self._bookmarks = bookmarks
            self.bookmarks_changed.emit()

    @property
    def notes(self) -> Notes:
        """What is to be kept beside the recording."""
        return Notes(self._bookmarks, None if self._step == self.last_step else self._step)

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


def _worth_keeping(runs: Sequence[Run]) -> list[Run]:
    """The last run, and those before it while there is room; branches share the words of the run they came from."""
    kept, words = list[Run](), dict[int, int]()
    for run in reversed(runs[-MAX_RUNS_KEPT:]):
        counts = run.recording.word_counts
        words[id(counts)] = len(counts)
        if kept and sum(words.values()) > MAX_WORDS_KEPT:
            break
        kept.insert(0, run)
    return kept


def empty_recording() -> Recording:
    """The bytes and no merges: what is there before anything was trained."""
    config = TrainerConfig()
    return Recording(build_alphabet({}, config), config)
