"""The measures of the corpus at any step of the session's recording. The counting is core.measuring's."""

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.measures import ALPHA, MAX_ALPHA, Measures
from core.measuring import SpreadHistory, sums_at

SLICE_MILLISECONDS = 6
MERGES_PER_LOOK = 50
"""Half a millisecond of work between two looks at the clock."""


class CorpusMeasures(QObject):
    """Those that are sums are always there; those that need the count of every token come in slices after `count_soon`.

    Signals:
    counted: all measures of all steps are there, or those of another recording or order of the entropy will come.
    """

    counted = Signal()

    def __init__(self, session: Session, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._history: SpreadHistory | None = None
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._count_a_slice)
        session.recording_replaced.connect(self._start_over)
        settings.changed.connect(self._on_setting_changed)

    @property
    def alpha(self) -> float:
        """The order of the Rényi entropy that the user chose."""
        alpha = self._settings.number(Settings.RENYI_ALPHA)
        return alpha if 0 <= alpha <= MAX_ALPHA else ALPHA  # the file was edited by hand

    @property
    def has_counts(self) -> bool:
        """Whether there is a corpus to measure."""
        return self._session.recording.has_counts

    @property
    def is_complete(self) -> bool:
        """Whether all measures of all steps are there."""
        return self._history is not None and self._history.is_complete

    def at(self, step: int) -> Measures:
        """Without the spread where that is not counted yet."""
        spread = self._history.at(step) if self._history else None
        return sums_at(self._session.recording, step, spread)

    def count_soon(self) -> None:
        """Let the count of every token come up to the last step; costs nothing where it is there."""
        if not self.has_counts or self.is_complete or self._slices.isActive():
            return
        if self._history is None:
            recording = self._session.recording
            self._history = SpreadHistory(recording, recording.base_counts, self.alpha)
        self._slices.start()
        self._count_a_slice()

    def _count_a_slice(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        history = self._history
        while history and not history.is_complete and clock.elapsed() < SLICE_MILLISECONDS:
            history.advance(MERGES_PER_LOOK)
        if history is None or history.is_complete:
            self._slices.stop()
            self.counted.emit()

    def _start_over(self) -> None:
        self._slices.stop()
        self._history = None

    def _on_setting_changed(self, key: str) -> None:
        if key == Settings.RENYI_ALPHA:
            self._start_over()
            self.counted.emit()
