"""Starts, steers and ends training runs, and hands their merges to the session once a frame."""

from collections import deque
from collections.abc import Mapping
from enum import Enum, auto
from functools import partial

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal, Slot

from bpe_gui.session import Session
from bpe_gui.training_thread import Begin, TrainingThread
from core.branching import Beginning, branch_corpus, continuation, forbidding, forcing, fresh, going_on
from core.compare_rules import with_rules_of
from core.corpus import Corpus
from core.merge import Merge, Pair
from core.pipeline import Pipeline
from core.progress import Progress
from core.recording import Recording
from core.trainer import StopReason, TrainerConfig
from core.word_facts import WordFacts

FRAME_MILLISECONDS = 33
PAINT_DELAY_MILLISECONDS = 8
"""Qt paints some 5 ms after a widget asks for it; a timer a little later fires when the painting is done."""
REST_FACTOR = 2


class TrainingState(Enum):
    IDLE = auto()
    COUNTING = auto()
    RUNNING = auto()
    PAUSED = auto()


class Arrivals:
    """The merges of one run on their way from its thread, which adds them, to the window, which takes them."""

    def __init__(self) -> None:
        self._merges: deque[Merge] = deque()

    def add(self, run_number: int, merge: Merge) -> None:
        self._merges.append(merge)

    @property
    def are_there(self) -> bool:
        return bool(self._merges)

    def take(self) -> list[Merge]:
        """Those that are there now; more may come meanwhile."""
        return [self._merges.popleft() for _ in range(len(self._merges))]


class Training(QObject):
    """Signals:
    state_changed(TrainingState)
    progressed(phase, Progress): while COUNTING; `phase` is "words", "pairs" or "merges", those made once more.
    words_counted(Corpus, Pipeline, WordFacts): the words are known that a run starts from, if it had to count them.
    failed(message): the run ended by a fault of its input; the session is as it was before.
    """

    state_changed = Signal(object)
    progressed = Signal(str, object)
    words_counted = Signal(object, object, object)
    failed = Signal(str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._state = TrainingState.IDLE
        self._thread: TrainingThread | None = None
        self._run_number = 0
        self._pauses_when_prepared = False
        self._filled: Recording | None = None  # the recording that takes the run's merges in, once it is known
        self._merges_per_second: float | None = None
        self._arrivals = Arrivals()
        self._frame = QTimer(self, singleShot=True, interval=FRAME_MILLISECONDS)
        self._frame.timeout.connect(self._begin_frame)
        self._drawing = QTimer(self, singleShot=True, interval=PAINT_DELAY_MILLISECONDS)
        self._drawing.timeout.connect(self._end_frame)
        self._frame_clock = QElapsedTimer()
        session.recording_replaced.connect(self._drop_run_of_another)

    @property
    def state(self) -> TrainingState:
        return self._state

    @property
    def is_active(self) -> bool:
        return self._state is not TrainingState.IDLE

    @property
    def is_held(self) -> bool:
        """Whether it is paused, or will be as soon as it has counted."""
        will_pause = self._state is TrainingState.COUNTING and self._pauses_when_prepared
        return self._state is TrainingState.PAUSED or will_pause

    @property
    def merges_per_second(self) -> float | None:
        """None: as fast as possible."""
        return self._merges_per_second

    def start(self, corpus: Corpus, pipeline: Pipeline, config: TrainerConfig, paused: bool = False) -> None:
        """Train on `corpus` from scratch; a run that is still going is dropped. `paused` makes one merge and waits."""
        self._start(corpus, pipeline, partial(fresh, config=config), paused)

    def go_on(self, corpus: Corpus, pipeline: Pipeline, config: TrainerConfig) -> None:
        """Make one more merge than the session's recording has, and wait. `Recording.can_go_on` must hold.

        The merges that are there are made once more, unseen, to get to where they ended. A limit that they have
        reached holds no longer.
        """
        recording = self._session.recording
        self._start(corpus, pipeline, partial(_go_on, recording, config), True, recording.word_counts, recording)

    def begin_single_merges(self, corpus: Corpus, pipeline: Pipeline, config: TrainerConfig) -> None:
        """Make one merge and wait: the next one where the last run ended, if it is one of `corpus` with these options.

        A run that came from an earlier one goes on with its own options: no others describe it.
        """
        recording = self._session.recording
        if self._session.about and recording.can_go_on(corpus, recording.pipeline, recording.config):
            self.go_on(corpus, recording.pipeline, recording.config)
        elif recording.can_go_on(corpus, pipeline, config):
            self.go_on(corpus, pipeline, config)
        else:
            self.start(corpus, pipeline, config, paused=True)

    def train_on(self, corpus: Corpus, step: int, stop: TrainerConfig) -> None:
        """Keep the first `step` merges of the session's recording and train on `corpus` as it was trained."""
        recording = self._session.recording
        self._start(corpus, recording.pipeline, partial(continuation, recording, step, stop=stop))

    def forbid(self, rank: int) -> None:
        """Train once more from this merge of the session's recording on, without merging its pair."""
        self._branch(partial(forbidding, self._session.recording, rank))

    def force(self, rank: int, pair: Pair) -> None:
        """Train once more from this merge of the session's recording on, and merge `pair` in its place."""
        self._branch(partial(forcing, self._session.recording, rank, pair))

    def change_rules(self, config: TrainerConfig) -> None:
        """Train once more on the corpus of the session's recording, with the choices of `config`."""
        self._branch(partial(with_rules_of, self._session.recording, config))

    def _branch(self, begin: Begin) -> None:
        """A run on the words that the recording was trained on, or those of the corpus pane if it has none."""
        recording = self._session.recording
        corpus = branch_corpus(recording, self._session.corpus)
        words = recording.word_counts if corpus is recording.corpus else None
        self._start(corpus, recording.pipeline, begin, word_counts=words)

    def _start(
        self,
        corpus: Corpus,
        pipeline: Pipeline,
        begin: Begin,
        paused: bool = False,
        word_counts: Mapping[str, int] | None = None,
        grows: Recording | None = None,
    ) -> None:
        """`grows` is the recording that new merges are added to, None for a new one."""
        self.stop()
        self._run_number += 1
        self._pauses_when_prepared = paused
        self._filled = grows
        thread = TrainingThread(self._run_number, corpus, pipeline, begin, paused, word_counts, parent=self)
        thread.set_merges_per_second(self._merges_per_second)
        if paused:
            thread.allow_one_merge()
        thread.progressed.connect(self._on_progressed)
        thread.words_counted.connect(self._on_words_counted)
        thread.prepared.connect(self._on_prepared)
        self._arrivals = Arrivals()
        thread.merge_made.connect(self._arrivals.add, Qt.ConnectionType.DirectConnection)
        thread.filled.connect(self._on_filled)
        thread.ended.connect(self._on_ended)
        thread.failed.connect(self._on_failed)
        thread.finished.connect(thread.deleteLater)
        self.destroyed.connect(thread.end)
        self._thread = thread
        self._set_state(TrainingState.COUNTING)
        thread.start()

    def pause(self) -> None:
        """Make no more merges; a run that still counts goes on with that, and waits before the first one."""
        if self._thread and self._state is TrainingState.RUNNING:
            self._thread.pause()
            self._set_state(TrainingState.PAUSED)
        elif self._thread and self._state is TrainingState.COUNTING:
            self._thread.pause()
            self._pauses_when_prepared = True

    def resume(self) -> None:
        if self._thread and self._state is TrainingState.PAUSED:
            self._thread.resume()
            self._set_state(TrainingState.RUNNING)
        elif self._thread and self._state is TrainingState.COUNTING:
            self._thread.resume()
            self._pauses_when_prepared = False

    def make_one_merge(self) -> None:
        """One merge more; pauses a run that is going."""
        self.pause()
        if self._thread and self._state is TrainingState.PAUSED:
            self._thread.allow_one_merge()

    def stop(self) -> None:
        """End the run. The merges that have arrived stay.

        Its thread is not waited for: a pattern that is slow, or a merge in a word of a million symbols, takes seconds.
        """
        if self._thread:
            self._thread.cancel()
            self._take_in()
            self._end(StopReason.CANCELLED)

    def end(self) -> None:
        """Stop, and wait for every thread, also those of runs that were stopped or replaced."""
        self.stop()
        for thread in self.findChildren(TrainingThread):
            thread.end()

    def set_merges_per_second(self, rate: float | None) -> None:
        self._merges_per_second = rate
        if self._thread:
            self._thread.set_merges_per_second(rate)

    @Slot(int, str, object)
    def _on_progressed(self, run_number: int, phase: str, progress: Progress) -> None:
        if run_number == self._run_number and self._thread:
            self.progressed.emit(phase, progress)

    @Slot(int, object)
    def _on_words_counted(self, run_number: int, facts: WordFacts) -> None:
        if run_number == self._run_number and self._thread:
            self.words_counted.emit(self._thread.corpus, self._thread.pipeline, facts)

    @Slot(int, object, str)
    def _on_prepared(self, run_number: int, recording: Recording, about: str) -> None:
        if run_number == self._run_number and self._thread:
            self._frame_clock.start()
            if self._filled is not None:
                self._filled.config = recording.config
                self._filled.stop_reason = None
            else:
                self._filled = recording
                self._session.replace_recording(recording, about)
            self._drawing.start()
            self._set_state(TrainingState.PAUSED if self._pauses_when_prepared else TrainingState.RUNNING)

    @Slot(int)
    def _on_filled(self, run_number: int) -> None:
        if run_number == self._run_number and self._frame.isActive():
            self._frame.stop()
            self._begin_frame()

    @Slot(int, object)
    def _on_ended(self, run_number: int, reason: StopReason) -> None:
        if run_number == self._run_number and self._thread:
            self._take_in()
            self._end(reason)

    @Slot(int, str)
    def _on_failed(self, run_number: int, message: str) -> None:
        if run_number == self._run_number and self._thread:
            self._end(None)
            self.failed.emit(message)

    def _begin_frame(self) -> None:
        """Show the merges that have arrived; the thread rests until the window is painted."""
        if self._arrivals.are_there and self._thread:
            self._frame_clock.start()
            self._thread.hold()
            self._take_in()
            self._drawing.start()
        else:
            self._frame.start(FRAME_MILLISECONDS)

    def _end_frame(self) -> None:
        """A frame that took long is followed by a longer rest, so that the thread gets most of the time."""
        if self._thread:
            self._thread.release()
            self._frame.start(max(FRAME_MILLISECONDS, REST_FACTOR * self._frame_clock.elapsed()))

    def _take_in(self) -> None:
        """Give the session the merges of the last frame, all at once."""
        if self._arrivals.are_there and self._thread:
            arrived = self._arrivals.take()
            self._session.append(arrived)
            self._thread.acknowledge(len(arrived))

    def _drop_run_of_another(self) -> None:
        """Someone has put another recording in the place of the one that the run fills."""
        filled = self._filled
        if self._thread and filled is not None and filled is not self._session.recording:
            self._thread.cancel()
            filled.stop_reason = StopReason.CANCELLED
            self._end(None)

    def _end(self, reason: StopReason | None) -> None:
        self._frame.stop()
        self._drawing.stop()
        self._thread = None
        self._filled = None
        was_counting = self._state is TrainingState.COUNTING
        self._set_state(TrainingState.IDLE)
        if not was_counting and reason is not None:
            self._session.recording.stop_reason = reason
            self._session.end_recording()

    def _set_state(self, state: TrainingState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)


def _go_on(recording: Recording, config: TrainerConfig, words: Mapping[str, int]) -> Beginning:
    return going_on(recording, config)
