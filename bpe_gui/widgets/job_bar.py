"""One line about work on a thread: what it is, how far it has come, and the way to end it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from bpe_gui.held_out_text import PhaseProgress
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.share_bar import ShareBar

BAR_PARTS = 1_000


class JobBar(QWidget):
    """Hidden while nothing is done.

    Signals:
    cancel_wanted
    """

    cancel_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = ""
        self.text = ElidingLabel(parent=self)
        self.text.setProperty("role", "muted")
        self.text.setAccessibleName("What is being done")
        self.bar = ShareBar(self)
        self.bar.setAccessibleName("Progress")
        self.cancel = QToolButton(self, autoRaise=True)
        self.cancel.setText("Cancel")
        self.cancel.setToolTip("End this; nothing else changes")
        self.cancel.setAccessibleName("Cancel")
        self.cancel.clicked.connect(self.cancel_wanted)
        row = QHBoxLayout(self)
        row.addWidget(self.text, 2)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel)
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    def show_job(self, name: str | None) -> None:
        """Something has begun; None: it has ended."""
        self._name = name or ""
        self.text.setText(self._name)
        self.bar.show_share(0, 0)
        self.setVisible(name is not None)

    def show_progress(self, told: PhaseProgress) -> None:
        done, total = told.progress
        self.text.setText(f"{told.phase}: {self._name}")
        if total:
            self.bar.show_share(min(done * BAR_PARTS // total, BAR_PARTS), BAR_PARTS)
        else:
            self.bar.show_share(0, 0)

    def _take_on_theme(self) -> None:
        self.cancel.setIcon(self._theme.icon("x"))
