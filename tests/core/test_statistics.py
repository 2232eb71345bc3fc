import numpy as np
import pytest

from core.alphabet import Base, Marker
from core.recording import Recording
from core.statistics import Series, bytes_per_token, curve, sampled_steps, value_at, with_peaks
from core.trainer import TrainerConfig, build_alphabet
from tests.core.runs import record

CHARACTERS = TrainerConfig(base=Base.CHARACTERS)


@pytest.fixture
def aaaa() -> Recording:
    """Merges: a a (3 times, 2 replaced), aa aa (once)."""
    return record("aaaa", CHARACTERS)


def test_bytes_are_those_of_the_words():
    recording = record("中文 text", TrainerConfig(Base.CHARACTERS, Marker.SYMBOL))
    assert bytes_per_token(recording, 0) == 11 / 9  # 中文 and _text in UTF-8; each with a marker, which has no bytes


def test_bytes_per_token_grow_with_the_step(aaaa):
    assert [bytes_per_token(aaaa, step) for step in (0, 1, 2)] == [1.0, 2.0, 4.0]


def test_there_are_no_bytes_per_token_without_counts():
    config = TrainerConfig()
    assert bytes_per_token(Recording(build_alphabet({}, config), config), 0) is None


def test_curves_are_exact(aaaa):
    assert curve(aaaa, Series.CORPUS_LENGTH, [0, 1, 2]) == [4, 2, 1]
    assert curve(aaaa, Series.PAIR_COUNT, [1, 2]) == [3, 1]


@pytest.mark.parametrize(
    ("series", "step", "value"),
    [
        (Series.CORPUS_LENGTH, 0, 4),
        (Series.PAIR_COUNT, 0, None),  # no merge was made
        (Series.PAIR_COUNT, 1, 3),
        (Series.PAIR_COUNT, 3, None),  # behind the end
    ],
)
def test_value_at_a_step(aaaa, series, step, value):
    assert value_at(aaaa, series, step) == value


def test_nothing_has_a_value_without_counts():
    config = TrainerConfig()
    assert value_at(Recording(build_alphabet({}, config), config), Series.CORPUS_LENGTH, 0) is None


@pytest.mark.parametrize(
    ("first", "last", "points", "logarithmic", "steps"),
    [
        (0, 3, 10, False, [0, 1, 2, 3]),
        (0, 100, 5, False, [0, 25, 50, 75, 100]),
        (0, 100, 3, True, [0, 1, 100]),
        (1, 10_000, 5, True, [1, 10, 100, 1_000, 10_000]),
        (1, 0, 5, False, []),
    ],
)
def test_sampled_steps(first, last, points, logarithmic, steps):
    assert sampled_steps(first, last, points, logarithmic) == steps


@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize("first", [0, 1, 37])
def test_sampled_steps_keep_both_ends_and_the_limit(first, logarithmic):
    steps = sampled_steps(first, 98_765, 500, logarithmic)
    assert (steps[0], steps[-1]) == (first, 98_765)
    assert len(steps) <= 500
    assert steps == sorted(set(steps))


def test_no_peak_between_sampled_steps_is_left_out():
    counts = np.zeros(100, np.int64)
    counts[[2, 49, 70]] = 5, 50, 7
    assert with_peaks(counts, [1, 34, 67, 100]) == [1, 3, 34, 50, 67, 71, 100]
    assert with_peaks(counts, [1, 2, 3]) == [1, 2, 3]
    assert with_peaks(counts, []) == []
