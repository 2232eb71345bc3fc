"""Plays the recording: moves the step forward at a steady pace until the last merge."""

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from bpe_gui.session import Session

FRAME_MILLISECONDS = 33
WHOLE_SECONDS = 10


class Playback(QObject):
    """Signals:
    playing_changed(bool)
    """

    playing_changed = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._steps_per_second = 4.0
        self._owed_steps = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=FRAME_MILLISECONDS)
        self._timer.timeout.connect(self._advance)
        session.recording_replaced.connect(self.stop)

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    @property
    def steps_per_second(self) -> float:
        return self._steps_per_second or self._session.last_step / WHOLE_SECONDS

    def set_steps_per_second(self, rate: float) -> None:
        """0 plays a whole recording in WHOLE_SECONDS, however long it is."""
        self._steps_per_second = rate

    def play(self) -> None:
        """Play on from the current step; from the start when it stands at the end."""
        if self.is_playing or not self._session.last_step:
            return
        if self._session.step == self._session.last_step:
            self._session.go_to(0)
        self._owed_steps = 0.0
        self._clock.start()
        self._timer.start()
        self.playing_changed.emit(True)

    def stop(self) -> None:
        if self.is_playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def toggle(self) -> None:
        if self.is_playing:
            self.stop()
        else:
            self.play()

    def _advance(self) -> None:
        self._owed_steps += self._clock.restart() / 1000 * self.steps_per_second
        steps = int(self._owed_steps)
        self._owed_steps -= steps
        if steps:
            self._session.go_to(self._session.step + steps)
        if self._session.step == self._session.last_step:
            self.stop()
