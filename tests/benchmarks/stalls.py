"""The gaps between the calls of a timer that should fire every 2 ms: how long an event loop stands still."""

import statistics
import time

from PySide6.QtCore import QObject, Qt, QTimer

TICK_MILLISECONDS = 2


class Stalls(QObject):
    def __init__(self) -> None:
        super().__init__()
        self._gaps: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self, interval=TICK_MILLISECONDS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def report(self, phase: str) -> None:
        """Print the phase's gaps and begin the next one."""
        gaps = sorted(self._gaps) or [0.0]
        seconds = sum(self._gaps)
        p95, p99 = (gaps[min(int(len(gaps) * share), len(gaps) - 1)] for share in (0.95, 0.99))
        print(
            f"{phase:28} {seconds:7.2f} s   median {statistics.median(gaps) * 1000:6.1f} ms   "
            f"95 % {p95 * 1000:6.1f} ms   99 % {p99 * 1000:6.1f} ms   longest {gaps[-1] * 1000:6.1f} ms   "
            f"over 50 ms: {sum(gap > 0.05 for gap in gaps)}"
        )
        self._gaps.clear()
        self._last = time.perf_counter()

    def _tick(self) -> None:
        now = time.perf_counter()
        self._gaps.append(now - self._last)
        self._last = now
