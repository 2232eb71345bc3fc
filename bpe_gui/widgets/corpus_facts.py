"""The numbers below the text of the corpus, its encoding, and what there is to know about how it was read."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.tips import plain_tip
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.pipeline import Texts
from core.text_encoding import ENCODINGS, DetectedBy
from core.word_facts import WordFacts

COLUMNS = 3
LAST_ROW = 2
ROWS_PER_FACT = 3  # the number, its name, a gap
NUMBERS: tuple[tuple[str, str, str, str], ...] = (
    ("bytes", "byte", "bytes", "Size of the files, or of typed text as UTF-8"),
    ("characters", "character", "characters", "Unicode code points, line ends included"),
    ("lines", "line", "lines", "Lines ended by a line feed, and a last one without it"),
    ("words", "word", "words", "Pieces that the pre-tokenizer cuts the text into; no merge crosses their ends"),
    ("unique", "unique word", "unique words", "Different words: training counts each of them once"),
    ("texts", "text", "texts", ""),
)
FILES = ("files", "file", "files", "")
TITLES = {name: (one, many) for name, one, many, _ in (*NUMBERS, FILES)}
TEXTS_TIPS = {
    Texts.WHOLE: "The whole corpus is one text",
    Texts.FILES: "Every file is a text of its own",
    Texts.LINES: "Every line is a text of its own, without its line end",
    Texts.LINES_WITH_ENDS: "Every line with its line end is a text of its own",
}
TEXTS_TIP_END = "A text is normalized and cut into words as if there were no other; the trainer's options say how."
LIST_TIPS = {
    "characters": "Characters of the words, one a line, as if each occurred once",
    "lines": "A list of word counts has a line for each word",
    "words": "The sum of all counts in the list",
    "unique": "Different words in the list: training counts each of them once",
    "texts": "A list of word counts has no texts: its words are trained on as they are",
}
PARTIAL_TIPS = {
    "bytes": "Size of the files on the disk, as they are",
    "characters": "Not known: only the beginning of the text is read",
    "lines": "Not known: only the beginning of the text is read",
    "words": "Training counts them: it reads the whole text",
    "unique": "Training counts them: it reads the whole text",
}
UNKNOWN = "–"
READ_AGAIN = "Read the file again in another encoding"
TIPS = {name: tip for name, _, _, tip in NUMBERS if tip}
ENCODING_TIP = "How bytes became text"
MAX_SAMPLES = 3
WAITING = "…"


class CorpusFacts(QWidget):
    """Signals:
    encoding_chosen(str or None): the file should be read again in this encoding; None is to find it out.
    """

    encoding_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._numbers: dict[str, QLabel] = {}
        self._names: dict[str, QLabel] = {}
        self._reading_notes: tuple[str, ...] = ()
        self._choice = self._encoding_choice()
        self._facts = self._grid()
        self._notes = _notes_label()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(self._facts)
        layout.addWidget(self._notes)
        theme.changed.connect(self._take_fonts)
        self._take_fonts()

    def show_corpus(self, corpus: Corpus) -> None:
        is_list = corpus.given_counts is not None
        self._show_number("bytes", corpus.byte_count)
        self._show_number("characters", None if corpus.is_partial else corpus.character_count)
        self._show_number("lines", None if corpus.is_partial else corpus.line_count)
        tips = TIPS | (LIST_TIPS if is_list else PARTIAL_TIPS if corpus.is_partial else {})
        for name, tip in tips.items():
            self._show_tip(name, tip)
        tip = f"{ENCODING_TIP}: {corpus.encoding.upper()}, {corpus.detected_by}" if corpus.text else ENCODING_TIP
        self._encoding.setToolTip(tip)
        self._show_files(corpus)
        self._reading_notes = corpus.notes
        self._show_notes()
        self.show_encoding(corpus)

    def show_texts(self, corpus: Corpus, texts: Texts) -> None:
        """How many texts training sees in the corpus."""
        if corpus.given_counts is not None:
            self._numbers["texts"].setText(UNKNOWN)
            self._names["texts"].setText(TITLES["texts"][1])
            return
        self._show_number("texts", corpus.text_count(texts))
        self._show_tip("texts", f"{TEXTS_TIPS[texts]}. {TEXTS_TIP_END}")

    def show_counting(self) -> None:
        self._numbers["words"].setText(WAITING)
        self._numbers["unique"].setText(WAITING)

    def show_words(self, words: WordFacts) -> None:
        self._show_number("words", words.total)
        self._numbers["words"].setToolTip(f"{words.total:,}: {self._names['words'].toolTip()}")
        self._show_number("unique", words.unique)
        self._show_notes(*words.notes, _unmatched(words))

    def show_uncounted(self) -> None:
        """Nobody counts the words before training does."""
        self._numbers["words"].setText(UNKNOWN)
        self._numbers["unique"].setText(UNKNOWN)
        self._show_notes()

    def show_failure(self, message: str) -> None:
        """The words could not be counted."""
        self._numbers["words"].setText(UNKNOWN)
        self._numbers["unique"].setText(UNKNOWN)
        self._show_notes(message)

    def _show_number(self, name: str, number: int | None) -> None:
        self._numbers[name].setText(UNKNOWN if number is None else short_number(number))
        one, many = TITLES[name]
        self._names[name].setText(one if number == 1 else many)

    def _show_tip(self, name: str, tip: str) -> None:
        self._numbers[name].setToolTip(tip)
        self._names[name].setToolTip(tip)

    def _show_files(self, corpus: Corpus) -> None:
        """Several files have a number in front of the encoding; one needs none."""
        several = len(corpus.paths) > 1
        source = CorpusSource.of(corpus)
        self._show_number("files", len(corpus.paths))
        self._show_tip("files", plain_tip(source.listing) if source else "")
        for number in (self._numbers, self._names):
            number["files"].setVisible(several)
        for offset, label in enumerate((self._encoding, self._encoding_name)):
            self._facts.removeWidget(label)
            row = LAST_ROW * ROWS_PER_FACT + offset
            self._facts.addWidget(label, row, int(several), 1, 1 if several else 2)
        self._encoding.setText(_encodings(corpus) if several else _encoding_title(corpus))
        is_plain = not several or corpus.detected_by is DetectedBy.VALID_UTF8
        self._encoding_name.setText("encoding" if is_plain else str(corpus.detected_by))

    def _show_notes(self, *more: str) -> None:
        notes = [*self._reading_notes, *filter(None, more)]
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))

    def show_encoding(self, corpus: Corpus) -> None:
        chosen = corpus.encoding if corpus.detected_by is DetectedBy.CHOSEN else None
        self._choice.setCurrentIndex(ENCODINGS.index(chosen) + 1 if chosen in ENCODINGS else 0)
        self._choice.setEnabled(bool(corpus.paths) and corpus.given_counts is None)
        self._choice.setToolTip(_choice_tip(corpus))

    def _choose(self, index: int) -> None:
        self.encoding_chosen.emit(ENCODINGS[index - 1] if index else None)

    def _grid(self) -> QGridLayout:
        """Each number above its name; the encoding and its choice in the last row."""
        grid = QGridLayout()
        grid.setVerticalSpacing(0)
        for place, (name, _, title, tip) in enumerate(NUMBERS):
            row, column = divmod(place, COLUMNS)
            self._numbers[name], self._names[name] = _add_fact(grid, row, column, title, tip)
            grid.setColumnStretch(column, 1)
        self._numbers["files"], self._names["files"] = _add_fact(grid, LAST_ROW, 0, "files", "")
        self._encoding, self._encoding_name = _add_fact(grid, LAST_ROW, 0, "encoding", ENCODING_TIP, ElidingLabel())
        grid.addWidget(self._choice, LAST_ROW * ROWS_PER_FACT, 2, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        return grid

    def _encoding_choice(self) -> QComboBox:
        choice = QComboBox()
        choice.addItem("Detect")
        choice.addItems([name.upper() for name in ENCODINGS])
        choice.setAccessibleName("Read the file again in this encoding")
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        choice.setMinimumContentsLength(5)
        choice.view().setMinimumWidth(choice.view().sizeHintForColumn(0) + 2 * choice.view().fontMetrics().height())
        choice.activated.connect(self._choose)
        return choice

    def _take_fonts(self) -> None:
        for number in self._numbers.values():
            number.setFont(self._theme.number_font())


def short_number(number: int) -> str:
    """In full up to ten digits; in millions or millions of millions where it would take more room than there is.

    >>> short_number(149_889_645_156)
    '149,890 M'
    """
    if number < 10**10:
        return f"{number:,}"
    return f"{number / 10**6:,.0f} M" if number < 10**13 else f"{number / 10**12:,.0f} T"


def _add_fact(
    grid: QGridLayout, row: int, column: int, title: str, tip: str, value: QLabel | None = None
) -> tuple[QLabel, QLabel]:
    """The labels of the value and of its title."""
    value, label = value or _selectable_label(UNKNOWN), QLabel(title)
    label.setProperty("role", "muted")
    value.setAccessibleName(title)
    for offset, widget in enumerate((value, label)):
        widget.setToolTip(tip)
        grid.addWidget(widget, row * ROWS_PER_FACT + offset, column)
    grid.setRowMinimumHeight(row * ROWS_PER_FACT + 2, 4)
    return value, label


def _selectable_label(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _choice_tip(corpus: Corpus) -> str:
    if corpus.given_counts is not None:
        return "A list of word counts is always UTF-8"
    if corpus.paths:
        return "Read the files again in another encoding" if len(corpus.paths) > 1 else READ_AGAIN
    return "Only a file that was not edited here can be read in another encoding"


def _encoding_title(corpus: Corpus) -> str:
    """`UTF-8`, and how it is known unless the text itself proves it: `CP1252 (guessed)`."""
    proves_itself = not corpus.text or corpus.detected_by is DetectedBy.VALID_UTF8
    return _encodings(corpus) if proves_itself else f"{_encodings(corpus)} ({corpus.detected_by})"


def _encodings(corpus: Corpus) -> str:
    return corpus.encoding.upper() if corpus.text else UNKNOWN


def _notes_label() -> QLabel:
    label = _selectable_label()
    label.setWordWrap(True)
    label.setProperty("role", "muted")
    label.setAccessibleName("Notes about the text")
    label.hide()
    return label


def _unmatched(words: WordFacts) -> str:
    if not words.unmatched:
        return ""
    are = "character is" if words.unmatched == 1 else "characters are"
    samples = ", ".join(f"{sample!r} at {place + 1:,}" for place, sample in words.unmatched_samples[:MAX_SAMPLES])
    return f"{words.unmatched:,} {are} matched by no word, e.g. {samples}."
