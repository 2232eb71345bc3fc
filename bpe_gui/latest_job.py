"""Work in the background of which only the newest request counts: a new one cancels the old and drops its results."""

from collections.abc import Callable, Generator
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from bpe_gui.background import Job


class LatestJob(QObject):
    """Runs one piece of work at a time; when it is destroyed, with its parent, it ends the work and waits for it.

    Signals:
    progressed(value), done(result), failed(message): of the latest work only; cancelled work says nothing.
    """

    progressed = Signal(object)
    done = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: Job | None = None

    @property
    def is_running(self) -> bool:
        return self._job is not None

    def start(self, work: Callable[[], Generator[Any, None, Any]]) -> None:
        self.cancel()
        job = _EndingJob(work, self)
        job.progressed.connect(self._on_progressed)
        job.done.connect(self._on_done)
        job.failed.connect(self._on_failed)
        self.destroyed.connect(job.end)
        self._job = job
        job.start()

    def cancel(self) -> bool:
        """Whether there was anything to cancel."""
        job, self._job = self._job, None
        if job is not None:
            job.cancel()
        return job is not None

    def finish(self) -> None:
        """Wait for the work that runs; nothing is said of its end."""
        job, self._job = self._job, None
        if job is not None:
            job.wait()

    @Slot(object)
    def _on_progressed(self, value: object) -> None:
        if self.sender() is self._job:
            self.progressed.emit(value)

    @Slot(object)
    def _on_done(self, result: object) -> None:
        if self.sender() is self._job:
            self._job = None
            self.done.emit(result)

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        if self.sender() is self._job:
            self._job = None
            self.failed.emit(message)


class _EndingJob(Job):
    @Slot()
    def end(self) -> None:
        """Stop and wait: a thread that outlives its owner would take the process down."""
        self.cancel()
        self.wait()
