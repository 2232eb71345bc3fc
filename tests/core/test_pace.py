import pytest

from core.pace import Pace, counting_text, duration
from core.progress import CountingProgress, Progress


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def told(pace, clock, *steps):
    for seconds, progress in steps:
        clock.now = seconds
        pace.add(progress)


def test_rate_and_time_left(clock):
    pace = Pace(clock)
    assert (pace.per_second, pace.seconds_left) == (None, None)
    told(pace, clock, (0, Progress(0, 1_000)), (0.4, Progress(10, 1_000)))
    assert (pace.per_second, pace.seconds_left) == (None, None)  # too early to tell
    told(pace, clock, (2, Progress(100, 1_000)))
    assert (pace.per_second, pace.seconds_left) == (50, 18)


def test_the_rate_is_that_of_the_last_seconds(clock):
    pace = Pace(clock)
    told(pace, clock, *((second, Progress(100 * second, 10_000)) for second in range(11)))
    told(pace, clock, *((10 + second, Progress(1_000 + 10 * second, 10_000)) for second in range(1, 11)))
    assert (pace.per_second, pace.seconds_left) == (10, 890)


@pytest.mark.parametrize("step", [Progress(10, 1_000), Progress(600, 900)])
def test_other_work_begins_anew(clock, step):
    pace = Pace(clock)
    told(pace, clock, (0, Progress(0, 1_000)), (1, Progress(500, 1_000)), (2, step))
    assert pace.per_second is None


def test_nothing_is_left_where_nothing_moves(clock):
    pace = Pace(clock)
    told(pace, clock, (0, Progress(5, 10)), (3, Progress(5, 10)))
    assert (pace.per_second, pace.seconds_left) == (0, None)
    assert counting_text(Progress(5_000_000, 10_000_000), pace, "B") == "5.0 of 10.0 MB"


def test_in_words(clock):
    pace = Pace(clock)
    step = CountingProgress(340_000_000, 1_000_000_000, 12_345_678, 262_325)
    assert counting_text(step, pace, "B") == "340.0 of 1,000.0 MB · 12,345,678 words, 262,325 different"
    told(pace, clock, (0, CountingProgress(100_000_000, 1_000_000_000, 0, 0)), (2, step))
    text = "340.0 of 1,000.0 MB · 12,345,678 words, 262,325 different · 120.0 MB/s · 6 s left"
    assert counting_text(step, pace, "B") == text
    assert counting_text(Progress(1, 4), Pace(clock), "") == "25%"
    assert counting_text(Progress(0, 0), Pace(clock), "") == "0%"


def test_durations():
    assert [duration(seconds) for seconds in (0, 59.4, 59.6, 3_599, 3_600, 86_399)] == [
        "0 s", "59 s", "1:00 min", "59:59 min", "1:00 h", "23:59 h",
    ]  # fmt: skip
