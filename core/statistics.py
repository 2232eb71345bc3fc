"""Numbers of training against the step, for the charts and the time slider; what a text comes to is in measures.py.

Every value is exact; a curve is thinned by asking for fewer steps, so its cost depends on the screen and not on the
recording.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.recording import Recording


class Series(StrEnum):
    """What can be drawn against the step."""

    CORPUS_LENGTH = "corpus length"
    """Tokens in the corpus after the step."""
    PAIR_COUNT = "pair count"
    """How often the pair stood in the corpus when the step's merge chose it."""

    @property
    def first_step(self) -> int:
        """Step 0 made no merge, so it has no pair count."""
        return 1 if self is Series.PAIR_COUNT else 0


def bytes_per_token(recording: Recording, step: int) -> float | None:
    """How well the corpus is compressed after `step` merges; None without counts."""
    length = recording.corpus_length(step)
    return recording.corpus_bytes / length if length else None


def value_at(recording: Recording, series: Series, step: int) -> float | None:
    """None where the series has no value: at step 0 for pair counts, anywhere in a recording without counts."""
    if not recording.has_counts or not series.first_step <= step <= len(recording):
        return None
    return curve(recording, series, [step])[0]


def curve(recording: Recording, series: Series, steps: Iterable[int]) -> list[float]:
    """The values at `steps`, each of which the series must have."""
    if series is Series.PAIR_COUNT:
        return [recording[step - 1].count for step in steps]
    return [recording.corpus_length(step) for step in steps]


def with_peaks(counts: NDArray[np.int64], steps: Sequence[int]) -> list[int]:
    """The steps, and between each two the step of the highest count: merges of another text have few here and there.

    The count at step 1 is `counts[0]`.
    """
    between = (part for part in pairwise(steps) if part[1] - part[0] > 1 and part[0] >= 0)
    return sorted({*steps, *(low + 1 + int(counts[low:high].argmax()) for low, high in between)})


def sampled_steps(first: int, last: int, max_points: int, logarithmic: bool = False) -> list[int]:
    """At most `max_points` steps from `first` to `last`, both included, evenly spaced on a plain or a log axis.

    >>> sampled_steps(0, 100, 5)
    [0, 25, 50, 75, 100]
    >>> sampled_steps(1, 10_000, 5, logarithmic=True)
    [1, 10, 100, 1000, 10000]
    """
    if last - first < max_points:
        return list(range(first, last + 1))
    if not logarithmic:
        return [first + (last - first) * i // (max_points - 1) for i in range(max_points)]
    if first < 1:  # a log axis has no place for step 0
        return [first, *sampled_steps(1, last, max_points - 1, logarithmic)]
    ratio = last / first
    return sorted({round(first * ratio ** (i / (max_points - 1))) for i in range(max_points)})
