"""Token lengths and frequencies at the session's step, counted on a thread when someone looks at them."""

from collections.abc import Generator
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from bpe_gui.held_out_text import HeldOutText
from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from core.corpus import Corpus
from core.distributions import Distributions, distributions
from core.measuring import Tally
from core.progress import Progress
from core.recording import Recording

REST_MILLISECONDS, MOST_REST_MILLISECONDS = 80, 500
REST_FACTOR = 3
"""While the step moves, counting leaves three quarters of the time to the rest, but not for longer than a wait."""
MAX_RANKS = 1_000
"""Of a curve of frequencies against ranks: more would not be seen."""

Found = tuple[Distributions | None, Distributions | None]


class Sources(NamedTuple):
    """What the distributions depend on."""

    recording: Recording
    step: int
    held_out: Tally | None
    held_out_corpus: Corpus | None

    def are(self, others: "Sources | None") -> bool:
        """Whether they are the very same ones: to compare recordings by their content would take long."""
        if others is None or self.step != others.step:
            return False
        return self.recording is others.recording and self.held_out is others.held_out


class StepDistributions(QObject):
    """Signals:
    counted: those of a step are there.
    """

    counted = Signal()

    def __init__(self, session: Session, held_out: HeldOutText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._held_out = held_out
        self.corpus: Distributions | None = None
        self.held_out: Distributions | None = None
        self._wanted: Sources | None = None
        self._counted: Sources | None = None
        self._clock = QElapsedTimer()
        self._last_milliseconds = 0
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._count)
        self._job = LatestJob(self)
        self._job.done.connect(self._take)
        session.recording_replaced.connect(self._start_over)
        held_out.changed.connect(self._drop_other_text)

    @property
    def is_current(self) -> bool:
        """Whether those of the session's step are there."""
        return self._sources().are(self._counted)

    def count_soon(self) -> None:
        """Let those of the session's step come; costs nothing where they are there."""
        if not (self.is_current or self._rest.isActive() or self._job.is_running):
            rest = max(REST_MILLISECONDS, REST_FACTOR * self._last_milliseconds)
            self._rest.start(min(rest, MOST_REST_MILLISECONDS))

    def _sources(self) -> Sources:
        step = self._session.step
        return Sources(self._session.recording, step, self._held_out.tally(step), self._held_out.corpus)

    def _count(self) -> None:
        self._wanted = self._sources()
        self._clock.start()
        self._job.start(partial(_both, self._wanted))

    def _take(self, found: Found) -> None:
        self._last_milliseconds = self._clock.elapsed()
        self.corpus, self.held_out = found
        self._counted = self._wanted
        self.counted.emit()

    def _drop_other_text(self) -> None:
        if self._counted and self._counted.held_out_corpus is not self._held_out.corpus:
            self.held_out = None
            self.counted.emit()

    def _start_over(self) -> None:
        self._rest.stop()
        self._job.cancel()
        self.corpus = self.held_out = None
        self._counted = None


def _both(of: Sources) -> Generator[Progress, None, Found]:
    corpus = other = None
    if of.recording.has_counts:
        corpus = yield from distributions(of.recording, None, of.step, MAX_RANKS)
    if of.held_out is not None:
        other = yield from distributions(of.recording, of.held_out, of.step, MAX_RANKS)
    return corpus, other
