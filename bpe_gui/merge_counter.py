"""Counts what the merges of a tokenizer that was opened do in the corpus, on a thread: then it has counts to show."""

from collections.abc import Generator
from functools import partial

from PySide6.QtCore import QObject, Signal

from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from core.attaching import attached
from core.corpus import Corpus
from core.opened_files import look_up_once
from core.progress import Progress
from core.recording import Recording


class MergeCounter(QObject):
    """One counting at a time. The recording with counts takes the place of the one without, at the same step.

    Signals:
    started(name of the corpus)
    progressed(Progress)
    counted(Recording): it is the session's recording now.
    failed(message): nothing has changed.
    cancelled: nothing has changed.
    """

    started = Signal(str)
    progressed = Signal(object)
    counted = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._counted: Recording | None = None  # the one without counts
        self._job = LatestJob(self)
        self._job.progressed.connect(self.progressed)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._fail)
        session.recording_replaced.connect(self._drop)
        session.corpus_replaced.connect(self.cancel)

    @property
    def is_counting(self) -> bool:
        return self._job.is_running

    def count(self) -> None:
        """Count the merges of the session's recording in its corpus."""
        self.cancel()
        if counting_problem(self._session):
            return
        self._counted = self._session.recording
        self.started.emit(self._session.corpus.name)
        self._job.start(partial(_counting, self._session.recording, self._session.corpus))

    def cancel(self) -> None:
        self._counted = None
        if self._job.cancel():
            self.cancelled.emit()

    def _drop(self) -> None:
        """Someone has put another recording in the place of the one that is counted."""
        if self._counted is not None and self._counted is not self._session.recording:
            self.cancel()

    def _take(self, recording: Recording) -> None:
        self._counted = None
        about = f"Counted in {self._session.corpus.name}"
        self._session.replace_recording(recording, about, self._session.notes)
        self.counted.emit(recording)

    def _fail(self, message: str) -> None:
        self._counted = None
        self.failed.emit(message)


def _counting(recording: Recording, corpus: Corpus) -> Generator[Progress, None, Recording]:
    counted = yield from attached(recording, corpus)
    look_up_once(counted)
    return counted


def counting_problem(session: Session) -> str:
    """Why there is nothing to count; empty if there is."""
    if not session.last_step:
        return "There are no merges to count: open a tokenizer first."
    if not session.corpus.text:
        return "There is no text to count merges in: open or paste one first."
    if session.recording.has_counts and session.corpus.is_that_of(session.recording.corpus):
        return "The counts shown are those of this text."
    return ""
