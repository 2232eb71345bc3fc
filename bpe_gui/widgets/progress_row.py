"""How far a piece of work has come, with a button that ends it; shown only while the work takes some time."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QToolButton, QWidget

from core.progress import Progress

PATIENCE_MILLISECONDS = 150  # a progress bar that only flashes up is worse than none


class ProgressRow(QWidget):
    """Signals:
    cancel_wanted
    """

    cancel_wanted = Signal()

    def __init__(self, name: str, cancel_name: str, cancel_tip: str, parent: QWidget | None = None) -> None:
        """`name` and `cancel_name` are for those who hear the window."""
        super().__init__(parent)
        self._bar = QProgressBar(textVisible=True)
        self._bar.setAccessibleName(name)
        self._bar.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._cancel = QToolButton()
        self._cancel.setText("Cancel")
        self._cancel.setToolTip(cancel_tip)
        self._cancel.setAccessibleName(cancel_name)
        self._cancel.clicked.connect(self.cancel_wanted)
        self._patience = QTimer(self, interval=PATIENCE_MILLISECONDS, singleShot=True)
        self._patience.timeout.connect(self.show)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._bar, 1)
        layout.addWidget(self._cancel)
        self.hide()

    def begin(self, text: str) -> None:
        self._bar.setRange(0, 0)
        self._bar.setFormat(text.replace("%", "%%"))
        self._patience.start()

    def show_progress(self, progress: Progress) -> None:
        self._bar.setRange(0, 1_000)
        self._bar.setValue(1_000 * progress.done // max(progress.total, 1))

    def end(self) -> None:
        self._patience.stop()
        self.hide()
