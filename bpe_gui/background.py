"""Runs any generator of core on a thread of its own: long work that reports progress and can be cancelled."""

import sys
from collections.abc import Callable, Generator
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal

from core.errors import BpeError
from core.progress import Progress

PROGRESS_SECONDS = 0.03
"""Between two reports: the window takes all that have come before it does anything else, and hundreds hold it up."""


class Job(QThread):
    """One piece of work: a function that returns a generator of progress values, whose return value is the result.

    Give it a parent, connect, `start`. Exactly one of done, failed and cancelled is emitted, then it deletes itself.

    Signals:
    progressed(value): of core's Progress, if it comes fast, not every one, but the last.
    done(result), failed(message), cancelled
    """

    progressed = Signal(object)
    done = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, work: Callable[[], Generator[Any, None, Any]], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self.finished.connect(self.deleteLater)

    def cancel(self) -> None:
        """Stop at the next progress value."""
        self.requestInterruption()

    def _result(self) -> Any:
        work, told, untold = self._work(), -PROGRESS_SECONDS, list[Progress]()
        while True:
            try:
                value = next(work)
            except StopIteration as stop:
                self._tell(untold)
                return stop.value
            if self.isInterruptionRequested():
                return _CANCELLED
            if not isinstance(value, Progress):
                self._tell(untold)
                self.progressed.emit(value)
                untold = []
            elif (now := monotonic()) - told >= PROGRESS_SECONDS:
                self.progressed.emit(value)
                told, untold = now, []
            else:
                untold = [value]

    def _tell(self, values: list[Progress]) -> None:
        for value in values:
            self.progressed.emit(value)

    # Qt

    def run(self) -> None:
        try:
            result = self._result()
        except BpeError as error:
            self.failed.emit(str(error))
        except MemoryError:
            self.failed.emit("There is not enough memory for this.")
        except Exception as error:  # whoever waits must not wait for ever
            sys.excepthook(type(error), error, error.__traceback__)
            self.failed.emit(f"A fault in this program ended the work: {error!r}")
        else:
            if result is _CANCELLED:
                self.cancelled.emit()
            else:
                self.done.emit(result)


_CANCELLED = object()
