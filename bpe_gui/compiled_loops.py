"""Has the compiled loops of core made ready while the window is used, and tells how far that is."""

from PySide6.QtCore import QObject, QTimer, Signal

from core.kernel_loader import KernelLoader, State, Status

LOOK_MILLISECONDS = 100


class CompiledLoops(QObject):
    """Signals:
    status_changed(Status)
    ready
    """

    status_changed = Signal(object)
    ready = Signal()

    def __init__(self, loader: KernelLoader, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loader = loader
        self._status = Status()
        self._has_started = False
        self._timer = QTimer(self, interval=LOOK_MILLISECONDS)
        self._timer.timeout.connect(self._look)

    @property
    def status(self) -> Status:
        return self._status

    def start(self) -> None:
        """Load them, compiling first where that was never done; all of it behind the window's back."""
        self._has_started = True
        self._loader.start_loading()
        self._timer.start()

    def end(self) -> None:
        """Leave it, if it is not done."""
        self._timer.stop()
        if self._has_started:
            self._loader.cancel()

    def _look(self) -> None:
        status = self._loader.status
        if status.state in (State.READY, State.FAILED):
            self._timer.stop()
        if status != self._status:
            self._status = status
            self.status_changed.emit(status)
            if status.state is State.READY:
                self.ready.emit()
