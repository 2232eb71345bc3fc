"""How far a piece of work has come, with a button that ends it; shown only while the work takes some time."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from bpe_gui.widgets.share_bar import ShareBar
from bpe_gui.widgets.tips import plain_tip
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
        self._text = ""
        self._bar = ShareBar(textVisible=True)
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
        self._bar.show_share(0, 0)
        self._text = text
        self._show_text()
        self._patience.start()

    def show_progress(self, progress: Progress) -> None:
        self._bar.show_share(1_000 * progress.done // max(progress.total, 1), 1_000)

    def end(self) -> None:
        self._patience.stop()
        self.hide()

    def _show_text(self) -> None:
        """Shortened to the width of the bar, which would wrap it."""
        width = self._bar.width() - self._bar.fontMetrics().averageCharWidth()
        text = self._bar.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideMiddle, width)
        self._bar.setFormat(text.replace("%", "%%"))
        self._bar.setToolTip(plain_tip(self._text))

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_text()
