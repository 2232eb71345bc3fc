"""How fast long work goes and when it will be done, from what it has told of itself."""

import time
from collections import deque
from collections.abc import Callable

from core.progress import CountingProgress, Progress

MEASURED_SECONDS = 5.0
SETTLED_SECONDS = 0.5  # before that a rate says nothing


class Pace:
    """`add` every progress; the rate is that of the last seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, Progress]] = deque()

    def add(self, progress: Progress) -> None:
        """One that stands before the last begins anew: it is other work."""
        now = self._clock()
        if self._seen and (progress.done < self._seen[-1][1].done or progress.total != self._seen[-1][1].total):
            self._seen.clear()
        while len(self._seen) > 1 and self._seen[1][0] <= now - MEASURED_SECONDS:
            self._seen.popleft()
        self._seen.append((now, progress))

    @property
    def per_second(self) -> float | None:
        """None until it can be told."""
        if not self._seen:
            return None
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        return (last.done - first.done) / (end - start) if end - start >= SETTLED_SECONDS else None

    @property
    def seconds_left(self) -> float | None:
        """None until it can be told."""
        rate = self.per_second
        if not rate:
            return None
        _, last = self._seen[-1]
        return max(last.total - last.done, 0) / rate


def counting_text(progress: Progress, pace: Pace, unit: str) -> str:
    """`340.0 of 1,000.0 MB · 12,345,678 words, 262,325 different · 120.5 MB/s · 8 s left`.

    `unit` of what is done: "B", or "" where the share is all that says something: `34% · ...`
    """
    share = f"{progress.done / progress.total if progress.total else 0:.0%}"
    parts = [f"{progress.done / 1_000_000:,.1f} of {progress.total / 1_000_000:,.1f} M{unit}" if unit else share]
    if isinstance(progress, CountingProgress):
        parts.append(f"{progress.words:,} words, {progress.unique:,} different")
    if unit and (rate := pace.per_second):
        parts.append(f"{rate / 1_000_000:,.1f} M{unit}/s")
    if (left := pace.seconds_left) is not None:
        parts.append(f"{duration(left)} left")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """
    >>> duration(8.2), duration(80), duration(8000)
    ('8 s', '1:20 min', '2:13 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"
