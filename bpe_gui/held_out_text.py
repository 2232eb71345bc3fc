"""The text that the tokenizer is measured on besides its corpus: read, cut into words and encoded on a thread."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.held_out import Encoded, encoded
from core.measures import Measures
from core.measuring import Tally
from core.opened_files import reading_texts
from core.pipeline import Pipeline
from core.progress import Progress
from core.recording import Recording
from core.word_counts import corpus_words_counted

OWN_TEXT = "your text"
REST_MILLISECONDS, MOST_REST_MILLISECONDS = 150, 3_000
"""Before the same text is measured at other steps: a person who scrubs should not wait for steps already left."""
REST_FACTOR = 4
"""While merges arrive a short text is encoded again and again; this leaves four fifths of the time to the rest."""


class PhaseProgress(NamedTuple):
    """How far one phase has come, such as `Encoding`."""

    phase: str
    progress: Progress


@dataclass(frozen=True)
class Words:
    """The words of a text as this pipeline cuts them, with their counts."""

    corpus: Corpus
    pipeline: Pipeline
    counts: Mapping[str, int]


class HeldOutText(QObject):
    """Measured only when someone asks with `measure_soon`, so that nothing is done for panels that are hidden.

    Signals:
    changed: another text or none, or its measures are there for other steps.
    progressed(PhaseProgress)
    busy_changed(bool): reading or measuring has begun or ended.
    failed(message): the text could not be read or measured; the one before stays.
    """

    changed = Signal()
    progressed = Signal(object)
    busy_changed = Signal(bool)
    failed = Signal(str)

    def __init__(
        self, session: Session, corpus_measures: CorpusMeasures, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._corpus_measures = corpus_measures
        self._settings = settings
        self._corpus: Corpus | None = None
        self._words: Words | None = None
        self._encoded: Encoded | None = None
        self._is_own_text = False
        self._has_failed = False
        self._clock = QElapsedTimer()
        self._last_milliseconds = 0
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._measure)
        self._reading = LatestJob(self)
        self._reading.progressed.connect(self._tell_reading)
        self._reading.done.connect(self._take_file)
        self._reading.failed.connect(self._fail_reading)
        self._measuring = LatestJob(self)
        self._measuring.progressed.connect(self.progressed)
        self._measuring.done.connect(self._take_measures)
        self._measuring.failed.connect(self._fail_measuring)
        session.recording_replaced.connect(self._start_over)
        settings.changed.connect(self._on_setting_changed)

    @property
    def corpus(self) -> Corpus | None:
        return self._corpus

    @property
    def name(self) -> str:
        return self._corpus.name if self._corpus else ""

    @property
    def is_own_text(self) -> bool:
        """Whether it is the text that the user typed, and goes along with it."""
        return self._is_own_text

    @property
    def is_busy(self) -> bool:
        return self._reading.is_running or self._measuring.is_running

    @property
    def word_counts(self) -> Mapping[str, int] | None:
        """None until they are counted."""
        return self._words.counts if self._words else None

    def at(self, step: int) -> Measures | None:
        """None where there are no measures, or not yet."""
        return self._encoded.at(step) if self._encoded else None

    def tally(self, step: int) -> Tally | None:
        """What the measures at that step are counted from; None where there are none."""
        return self._encoded.tally if self._encoded and step in self._encoded.steps else None

    def choose_file(self, path: Path) -> None:
        self._reading.start(partial(reading_texts, CorpusSource((path,))))
        self.busy_changed.emit(True)

    def choose_own_text(self) -> None:
        """Take the text that the user typed, and go along with it from now on."""
        self._reading.cancel()
        self._take(Corpus.typed(self._settings.text(Settings.PASTED_TEXT), OWN_TEXT), is_own_text=True)

    def clear(self) -> None:
        """Measure no other text any more."""
        self._reading.cancel()
        self._take(None)

    def cancel(self) -> None:
        """End reading and keep the text there was, or end measuring and have none."""
        if self._reading.cancel():
            self.busy_changed.emit(self.is_busy)
        else:
            self.clear()

    def measure_soon(self) -> None:
        """Let the measures at the session's step come; costs nothing where they are there."""
        if self._corpus is None or self._has_failed or self._rest.isActive() or self._measuring.is_running:
            return
        if not self._is_current():
            self._rest.start(self._rest_milliseconds())

    def _is_current(self) -> bool:
        """Whether the measures at the session's step are there, in the order of the entropy that is chosen."""
        found = self._encoded
        return found is not None and self._session.step in found.steps and self._has_alpha(found)

    def _has_alpha(self, found: Encoded) -> bool:
        return found.spreads.alpha == self._corpus_measures.alpha

    def _rest_milliseconds(self) -> int:
        if self._encoded is None:
            return 0
        return min(max(REST_MILLISECONDS, REST_FACTOR * self._last_milliseconds), MOST_REST_MILLISECONDS)

    def _measure(self) -> None:
        if self._corpus is None:
            return
        recording, alpha = self._session.recording, self._corpus_measures.alpha
        step, found, words = self._session.step, self._encoded, self._words
        if words and words.pipeline != recording.pipeline:
            words = None
        self._clock.start()
        if found and words and step in found.steps:
            self._measuring.start(partial(_with_alpha, found, words, alpha))
        else:
            self._measuring.start(partial(_measured, self._corpus, words, recording, step, alpha))
        self.busy_changed.emit(True)

    def _take_file(self, corpus: Corpus) -> None:
        self._take(corpus)

    def _take(self, corpus: Corpus | None, is_own_text: bool = False) -> None:
        self._corpus = corpus
        self._is_own_text = is_own_text
        self._words = None
        self._start_over()
        self.changed.emit()

    def _take_measures(self, result: tuple[Words, Encoded]) -> None:
        self._last_milliseconds = self._clock.elapsed()
        self._words, self._encoded = result
        self.busy_changed.emit(self.is_busy)
        self.changed.emit()

    def _fail_reading(self, message: str) -> None:
        self.busy_changed.emit(self.is_busy)
        self.failed.emit(message)

    def _fail_measuring(self, message: str) -> None:
        self._has_failed = True
        self.busy_changed.emit(self.is_busy)
        self.failed.emit(message)

    def _start_over(self) -> None:
        """Whatever was counted with another recording."""
        self._rest.stop()
        self._measuring.cancel()
        self._encoded = None
        self._has_failed = False
        self.busy_changed.emit(self.is_busy)

    def _tell_reading(self, progress: Progress) -> None:
        self.progressed.emit(PhaseProgress("Reading", progress))

    def _on_setting_changed(self, key: str) -> None:
        if key == Settings.PASTED_TEXT and self._is_own_text:
            self.choose_own_text()


def _measured(
    corpus: Corpus, words: Words | None, recording: Recording, step: int, alpha: float
) -> Generator[PhaseProgress, None, tuple[Words, Encoded]]:
    if words is None:
        counting = corpus_words_counted(corpus, recording.pipeline)
        counted = yield from _in_phase("Counting words", counting)
        words = Words(corpus, recording.pipeline, counted.counts)
    found = yield from _in_phase("Encoding", encoded(recording, words.counts, step, alpha))
    return words, found


def _with_alpha(found: Encoded, words: Words, alpha: float) -> Generator[PhaseProgress, None, tuple[Words, Encoded]]:
    return words, (yield from _in_phase("Counting tokens", found.with_alpha(alpha)))


def _in_phase(phase: str, work: Generator[Progress, None, Any]) -> Generator[PhaseProgress, None, Any]:
    while True:
        try:
            progress = next(work)
        except StopIteration as stop:
            return stop.value
        yield PhaseProgress(phase, progress)
