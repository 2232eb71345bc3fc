"""Runs the core trainer on a thread of its own and emits a signal for every merge."""

import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal, Slot

from core import kernel_loader
from core.branching import Beginning, replayed
from core.corpus import Corpus
from core.errors import BpeError, GivenUpError, KernelError
from core.merge import Merge
from core.pipeline import Pipeline
from core.progress import Progress
from core.recording import Recording
from core.trainer import StopReason
from core.trainers import AnyTrainer, trainer_for
from core.word_counts import corpus_words_counted
from core.word_facts import WordFacts

Begin = Callable[[Mapping[str, int]], Beginning]
"""Tells what a run starts from, once its words are known."""

LARGE_BYTES = 2_000_000
"""A text of this size trains in a second or so in plain Python; a larger one is worth a word, and waiting a second."""
MAX_IN_FLIGHT = 5_000
"""Merges emitted but not yet taken in: what the window takes in at once should not cost it more than some 15 ms."""


class _CancelledError(Exception):
    pass


def _next_turn(merges: Generator[Merge, None, StopReason]) -> Merge | StopReason:
    try:
        return next(merges)
    except StopIteration as stop:
        reason: StopReason = stop.value
        return reason


class TrainingThread(QThread):
    """One run: count words, count pairs, merge. Every signal carries the run's number, so that those of a run that
    was replaced can be told apart. Merges that are given from the start are in the recording when it is prepared.

    Signals:
    progressed(run, phase, Progress): `phase` is "words", "pairs" or "merges", those given.
    words_counted(run, WordFacts)
    prepared(run, Recording, about): the alphabet is known; merges follow after `release`.
    filled(run): it waits for merges to be acknowledged.
    merge_made(run, Merge): each merge once, in rank order. To queue each of them for another thread takes ten times
    as long as to make it: a receiver that only puts it aside can be connected directly.
    ended(run, StopReason)
    failed(run, message)
    """

    progressed = Signal(int, str, object)
    words_counted = Signal(int, object)
    prepared = Signal(int, object, str)
    filled = Signal(int)
    merge_made = Signal(int, object)
    ended = Signal(int, object)
    failed = Signal(int, str)

    def __init__(
        self,
        run_number: int,
        corpus: Corpus,
        pipeline: Pipeline,
        begin: Begin,
        paused: bool = False,
        word_counts: Mapping[str, int] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`word_counts` are those of the corpus, if they are known already."""
        super().__init__(parent)
        self._run_number = run_number
        self.corpus = self._read_corpus = corpus
        self.pipeline = pipeline
        self._begin = begin
        self._word_counts = word_counts
        self._trainer: AnyTrainer | None = None
        self._changed = threading.Condition()
        self._emitted = 0  # written by the run only
        # all below are written under _changed
        self._acknowledged = 0
        self._paused = paused
        self._held = False
        self._cancelled = False
        self._steps_allowed = 0
        self._seconds_per_merge = 0.0
        self._is_free = False  # to make merges without asking
        self._is_waiting = False

    def pause(self) -> None:
        self._set(_paused=True)

    def resume(self) -> None:
        self._set(_paused=False, _steps_allowed=0)  # those still wanted are among the merges that follow

    def hold(self) -> None:
        """Make no merge while the window draws: two threads that want the interpreter slow each other down."""
        self._set(_held=True)

    def release(self) -> None:
        self._set(_held=False)

    def allow_one_merge(self) -> None:
        """While paused, make one more merge."""
        with self._changed:
            self._steps_allowed += 1
            self._changed.notify_all()

    def cancel(self) -> None:
        """Stop before the next merge; wakes a paused run so that it sees the request."""
        self._set(_cancelled=True)
        if trainer := self._trainer:
            trainer.give_up()

    @Slot()
    def end(self) -> None:
        """Cancel and wait: a thread that outlives its owner would take the process down."""
        self.cancel()
        self.wait()

    def set_merges_per_second(self, rate: float | None) -> None:
        """None is as fast as possible."""
        self._set(_seconds_per_merge=1 / rate if rate else 0.0)

    @property
    def is_waiting(self) -> bool:
        """Whether it makes nothing just now, until it is asked to."""
        return self._is_waiting

    def acknowledge(self, merges: int) -> None:
        """The window has taken in so many merges; the run may make as many more."""
        with self._changed:
            self._acknowledged += merges
            self._changed.notify_all()

    def _set(self, **values: bool | float) -> None:
        with self._changed:
            for name, value in values.items():
                setattr(self, name, value)
            self._is_free = not (self._paused or self._held or self._cancelled or self._seconds_per_merge)
            self._changed.notify_all()

    @property
    def _in_flight(self) -> int:
        return self._emitted - self._acknowledged

    def _train(self) -> StopReason:
        self._await_loops()
        words = self._word_counts
        if not words:
            counted = self._reported("words", corpus_words_counted(self.corpus, self.pipeline))
            self.words_counted.emit(self._run_number, WordFacts.of(counted))
            words = counted.counts
            if counted.read:  # only now its encoding, size and digest are known
                self._read_corpus = self.corpus.when_read(counted.read)
        beginning = self._begin(words)
        trainer = trainer_for(words, beginning.config, beginning.alphabet, beginning.plan)
        self._trainer = trainer
        try:
            return self._make_merges(trainer, beginning)
        finally:
            trainer.clear()

    def _make_merges(self, trainer: AnyTrainer, beginning: Beginning) -> StopReason:
        self._reported("pairs", trainer.count_pairs())
        recording = Recording.of(trainer, beginning.config, self.pipeline, self._read_corpus)
        beginning.hand_on(recording)
        merges = trainer.merges()
        self._reported("merges", replayed(recording, merges, len(beginning.plan.given)))
        self.hold()  # the first merges are the longest; the window shows the new recording before them
        self.prepared.emit(self._run_number, recording, beginning.about)
        return self._emit_merges(merges)

    def _await_loops(self) -> None:
        """Let loops that only have to be loaded come first where the text is large: a run cannot change to them."""
        if self.corpus.byte_count > LARGE_BYTES and not kernel_loader.are_ready() and kernel_loader.are_cached():
            with suppress(KernelError):
                kernel_loader.load(self._stop_if_cancelled)

    def _stop_if_cancelled(self, status: kernel_loader.Status) -> None:
        if self._cancelled:
            raise _CancelledError

    def _reported(self, phase: str, work: Generator[Progress, None, Any]) -> Any:
        while True:
            try:
                progress = next(work)
            except StopIteration as stop:
                return stop.value
            if self._cancelled:
                raise _CancelledError
            self.progressed.emit(self._run_number, phase, progress)

    def _emit_merges(self, merges: Generator[Merge, None, StopReason]) -> StopReason:
        due = time.monotonic()
        while True:
            turn = _next_turn(merges)  # while the window draws: compiled loops need no interpreter
            if not self._is_free or self._in_flight >= MAX_IN_FLIGHT:
                due = self._wait_for_turn(due)
            if isinstance(turn, StopReason):
                return turn
            self._emitted += 1
            self.merge_made.emit(self._run_number, turn)

    def _wait_for_turn(self, due: float) -> float:
        """Return when the next merge may be made, with the time the one after it is due.

        Raises _CancelledError on request.
        """
        with self._changed:
            while True:
                if self._cancelled:
                    raise _CancelledError
                now = time.monotonic()
                if self._held:
                    self._wait()
                    continue
                if self._paused and self._steps_allowed:
                    self._steps_allowed -= 1
                elif self._paused or self._in_flight >= MAX_IN_FLIGHT:
                    if not self._paused:
                        self.filled.emit(self._run_number)
                    self._wait()
                    continue
                elif self._seconds_per_merge and now < due:
                    self._changed.wait(min(due, now + self._seconds_per_merge) - now)
                    continue
                return max(due, now - self._seconds_per_merge) + self._seconds_per_merge

    def _wait(self) -> None:
        self._is_waiting = True
        self._changed.wait()
        self._is_waiting = False

    # Qt

    def run(self) -> None:
        try:
            self.ended.emit(self._run_number, self._train())
        except (_CancelledError, GivenUpError):
            self.ended.emit(self._run_number, StopReason.CANCELLED)
        except BpeError as error:
            self.failed.emit(self._run_number, str(error))
        except MemoryError:
            self.failed.emit(self._run_number, "There is not enough memory to train on this text.")
