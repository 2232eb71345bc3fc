"""What can be drawn against the step, of the corpus and of the held-out text. The values are core's."""

import weakref
from collections.abc import Iterable, Sequence

import numpy as np

from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.held_out_text import HeldOutText
from bpe_gui.session import Session
from core.measures import MEASURES, NO_VALUE, Measure, Measures, Shown
from core.recording import Recording
from core.statistics import Series, value_at, with_peaks

Quantity = Series | Measure
"""A series is of the corpus only: its size in tokens, and the pairs chosen in it."""

NOT_DRAWN = ("token_count", "vocab_size")
"""The first is the corpus's length, the second goes up by one at every step."""

DRAWN_MEASURES: tuple[Measure, ...] = tuple(measure for measure in MEASURES if measure.name not in NOT_DRAWN)
SERIES_TITLES = {Series.CORPUS_LENGTH: "Corpus length", Series.PAIR_COUNT: "Pair count"}
SERIES_VALUES = {Series.CORPUS_LENGTH: "{} tokens", Series.PAIR_COUNT: "pair count {}"}


def title(quantity: Quantity) -> str:
    return quantity.title if isinstance(quantity, Measure) else SERIES_TITLES[quantity]


def first_step(quantity: Quantity) -> int:
    return 0 if isinstance(quantity, Measure) else quantity.first_step


def is_share(quantity: Quantity) -> bool:
    return isinstance(quantity, Measure) and quantity.shown is Shown.SHARE


def value_text(quantity: Quantity, value: float | None) -> str:
    """`4.07`, `12.3%`, `1,234 tokens`, or with `–` where there is no value."""
    if isinstance(quantity, Measure):
        return NO_VALUE if value is None else quantity.shown.value.format(value)
    return SERIES_VALUES[quantity].format(NO_VALUE if value is None else f"{value:,.0f}")


class Curves:
    """The values by step; None where there is none, or none yet."""

    def __init__(self, session: Session, corpus_measures: CorpusMeasures, held_out: HeldOutText) -> None:
        self._session = session
        self._corpus_measures = corpus_measures
        self._held_out = held_out
        self._counts_of: weakref.ref[Recording] | None = None
        self._counts = np.empty(0, np.int64)  # 40 ms to gather for 450,000 merges

    def has_held_out(self, quantity: Quantity) -> bool:
        return isinstance(quantity, Measure) and self._held_out.corpus is not None

    def of_corpus(self, quantity: Quantity, step: int) -> float | None:
        recording = self._session.recording
        if not recording.has_counts or not 0 <= step <= len(recording):
            return None
        if isinstance(quantity, Measure):
            return quantity.value(self._corpus_measures.at(step))
        return value_at(recording, quantity, step)

    def of_held_out(self, quantity: Quantity, step: int) -> float | None:
        measures: Measures | None = self._held_out.at(step)
        return quantity.value(measures) if measures and isinstance(quantity, Measure) else None

    def with_peaks(self, quantity: Quantity, steps: Sequence[int]) -> list[int]:
        """More steps where those given might miss the highest values: of pairs that another text has chosen."""
        recording = self._session.recording
        if quantity is not Series.PAIR_COUNT or recording.imported is None or not recording.has_counts:
            return list(steps)
        if self._counts_of is None or self._counts_of() is not recording:
            self._counts_of = weakref.ref(recording)
            self._counts = np.fromiter((merge.count for merge in recording), np.int64, len(recording))
        return with_peaks(self._counts, steps)

    def corpus_points(self, quantity: Quantity, steps: Iterable[int]) -> list[tuple[int, float]]:
        """Those of the steps that have a value, with it."""
        values = ((step, self.of_corpus(quantity, step)) for step in steps)
        return [(step, value) for step, value in values if value is not None]

    def held_out_points(self, quantity: Quantity, steps: Iterable[int]) -> list[tuple[int, float]]:
        values = ((step, self.of_held_out(quantity, step)) for step in steps)
        return [(step, value) for step, value in values if value is not None]
