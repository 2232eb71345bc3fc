"""Says that the corpus's file can be read in another way, as text or as word counts, with a button that does it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from core.corpus import Corpus
from core.corpus_source import CorpusSource, other_reading

LIST_HINT = "A list of word counts; not edited here."
TEXT_HINT = "This looks like a list of word counts."


class ReadingHint(QWidget):
    """Signals:
    reading_chosen(CorpusSource): the file should be read in the other way.
    """

    reading_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._other: CorpusSource | None = None
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setProperty("role", "muted")
        self._button = QPushButton()
        self._button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._button.clicked.connect(self._choose)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_corpus(self, corpus: Corpus) -> None:
        self._other = other_reading(corpus)
        self.setVisible(self._other is not None)
        if self._other is not None and self._other.is_word_counts:
            self._say(TEXT_HINT, "Read as word &counts", "Take the number that ends a line as the count of its word")
        elif self._other is not None:
            self._say(LIST_HINT, "Read as te&xt", "Take the file as an ordinary text, which can be edited")

    def _say(self, hint: str, title: str, tip: str) -> None:
        self._text.setText(hint)
        self._button.setText(title)
        self._button.setToolTip(tip)
        self._button.setAccessibleName(title.replace("&", ""))
        self._button.setAccessibleDescription(f"{hint} {tip}.")

    def _choose(self) -> None:
        if self._other is not None:
            self.reading_chosen.emit(self._other)
