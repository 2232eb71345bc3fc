"""A progress bar that waits for the next painting of the window."""

from PySide6.QtWidgets import QProgressBar, QWidget


class ShareBar(QProgressBar):
    def __init__(self, parent: QWidget | None = None, textVisible: bool = False) -> None:
        super().__init__(parent, textVisible=textVisible)

    def show_share(self, done: int, total: int) -> None:
        """As setRange and setValue, which paint all that is out of date in the window there and then: 20 ms in the
        middle of what is being done. A `total` of 0 is unknown."""
        self.setUpdatesEnabled(False)
        self.setRange(0, total)
        self.setValue(done)
        self.setUpdatesEnabled(True)
