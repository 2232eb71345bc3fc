"""Collects Python's garbage on the window's thread, in small pieces, and never what a recording holds.

Left to itself the collector looks through every merge and word each time, 0.1 to 0.3 s with the interpreter locked, on
whatever thread happens to run; and a widget that it finds in a cycle must not be deleted on another thread.
"""

import gc

from PySide6.QtCore import QObject, QTimer

from bpe_gui.training import Training, TrainingState

YOUNG_MILLISECONDS = 200
OLD_MILLISECONDS = 60_000
YOUNG_OBJECTS = 2_000


class Garbage(QObject):
    """Takes over from the automatic collector until it is ended or deleted."""

    def __init__(self, training: Training, parent: QObject) -> None:
        super().__init__(parent)
        self._training = training
        self._young = QTimer(self, interval=YOUNG_MILLISECONDS)
        self._young.timeout.connect(self._collect_young)
        self._old = QTimer(self, interval=OLD_MILLISECONDS)
        self._old.timeout.connect(self._collect_old)
        training.state_changed.connect(self._on_state_changed)
        gc.disable()
        gc.freeze()  # what the window was built of stays anyway
        self._young.start()
        self._old.start()

    def end(self) -> None:
        """Let the automatic collector work again."""
        self._young.stop()
        self._old.stop()
        gc.unfreeze()
        gc.enable()

    def keep_what_is_there(self) -> None:
        """Never look through it again: modules of which most is never given back."""
        gc.freeze()

    def _collect_young(self) -> None:
        if gc.get_count()[0] > YOUNG_OBJECTS:
            gc.collect(1)

    def _collect_old(self) -> None:
        if not self._training.is_active:
            gc.collect()

    def _on_state_changed(self, state: TrainingState) -> None:
        if state is TrainingState.IDLE:
            gc.freeze()  # merges and words are no garbage, and go by reference count when they are replaced
