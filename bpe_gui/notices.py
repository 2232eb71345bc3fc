"""What the window says by itself: a line in the status bar for what went well, a box for what did not."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMessageBox

from core.word_facts import WordFacts

MESSAGE_MILLISECONDS = 8_000


class Notices:
    """Of one window, in front of which the boxes stand."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window

    def error(self, title: str, message: str) -> None:
        """A box that leaves the rest of the program at work."""
        box = QMessageBox(QMessageBox.Icon.Warning, title, message, QMessageBox.StandardButton.Ok, self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowModality(Qt.WindowModality.WindowModal)
        box.show()

    def text_put_aside(self, bring_back: QAction) -> None:
        name = bring_back.text().replace("&", "")
        key = bring_back.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self._tell(f"Your text before this one is kept. To get it back: File > {name} ({key}).")

    def word_counts_saved(self, path: Path, words: WordFacts) -> None:
        self._tell(f"{words.unique:,} words and their counts are in {path.name}.")

    def recording_saved(self, path: Path) -> None:
        self._tell(f"The recording is in {path.name}.")

    def _tell(self, message: str) -> None:
        self._window.statusBar().showMessage(message, MESSAGE_MILLISECONDS)
