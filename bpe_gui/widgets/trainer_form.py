"""The fields of the trainer's options, in groups: when to stop, what happens to the text, the alphabet, ties."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QLabel, QRadioButton, QVBoxLayout, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.fields import (
    Choice,
    ChoiceField,
    Field,
    FlagField,
    FlagsField,
    LineField,
    LinesField,
    NumberField,
    PatternField,
)
from core.alphabet import Base, ByteOrder, Marker
from core.options import MAX_NUMBER, Options, Stop
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer
from core.trainer import TieBreak

NORMALIZERS = (
    Choice("lowercase", "Lower case", "Capital letters become small ones."),
    Choice("nfc", "NFC", "One code for each accented letter; looks stay the same."),
    Choice("nfkc", "NFKC", "Also full-width and other look-alike forms become plain ones: Ａ is A, ﬁ is fi, ² is 2."),
)
NORMALIZER_HELP = (
    "NFC: one code for each accented letter.\nNFKC: also full-width and other look-alike forms become plain ones."
)
CUSTOM = PreTokenizer("custom", "")
CUTS = tuple(Choice(cut.name, cut.title, cut.help) for cut in (*PRE_TOKENIZERS.values(), CUSTOM))
BASES = (
    Choice(Base.BYTES, "Bytes", "256 symbols write every text; a Chinese character takes three of them."),
    Choice(Base.CHARACTERS, "Characters", "Every character of the text is a symbol; others are unknown later."),
)
BYTE_ORDERS = (
    Choice(ByteOrder.STAND_IN, "As in GPT-2", "“!” has id 0: GPT-2, Hugging Face, OpenAI."),
    Choice(ByteOrder.VALUE, "By value", "Byte 0 has id 0: minbpe, rustbpe."),
)
MARKERS = (
    Choice(Marker.NONE, "None", "Words have no mark at their end."),
    Choice(Marker.SYMBOL, "A symbol of its own", "“low” is l o w </w>: the textbooks, Sennrich et al. 2016."),
    Choice(Marker.SUFFIX, "On the last character", "“low” is l o w</w>: subword-nmt, Hugging Face's suffix."),
)
TIES = (
    Choice(TieBreak.IDS, "Smallest ids", "Smallest left id, then smallest right id: Hugging Face."),
    Choice(TieBreak.BYTES, "Smallest bytes", "As by ids, with bytes ordered by value: rustbpe."),
    Choice(TieBreak.FIRST_SEEN, "First in the text", "The pair that comes first in the text: minbpe, many textbooks."),
    Choice(TieBreak.LEXICOGRAPHIC, "Alphabetical", "Smallest left token as a string, then right: some textbooks."),
    Choice(TieBreak.REVERSE_LEXICOGRAPHIC, "Reverse alphabetical", "Largest left token, then right: subword-nmt."),
)
NO_UNKNOWN = Choice(None, "None", "A character that is not in the alphabet is left out.")


class TrainerForm(QWidget):
    """Signals:
    chosen(option name, value): a person changed a field.
    """

    chosen = Signal(str, object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pattern = PatternField("pattern", "Pattern", "A regular expression; each match is a word.", theme)
        self._marker = ChoiceField("marker", "Marker", "Lets merges tell the end of a word from its middle.", MARKERS)
        self._unknown = ChoiceField(
            "unknown_token", "Unknown token", "The special token that stands for unknown characters.", [NO_UNKNOWN]
        )
        self._stop = _StopField()
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(8, 0, 8, 8)
        self._rows.setSpacing(6)
        self._fields: list[Field] = []
        self._add_group("Stop", self._stop_fields())
        self._add_group("Text", self._text_fields())
        self._add_group("Alphabet", self._alphabet_fields())
        self._add_group("Ties", [ChoiceField("tie_break", "Tie rule", "Which of equally frequent pairs wins.", TIES)])
        self._rows.addStretch(1)
        self._align_labels()

    def show_options(self, options: Options) -> None:
        unusable = options.unusable()
        self._unknown.set_choices([NO_UNKNOWN, *(Choice(text, text) for text in options.special_tokens)])
        used = {"marker": options.marker_used, "unknown_token": options.unknown_token_used}
        for field in self._fields:
            field.show_value(used.get(field.name, getattr(options, field.name)))
            field.show_reason(unusable.get(field.name))
        self._marker.rule_out(options.unusable_markers())
        self._pattern.setVisible("pattern" not in unusable)
        self._show_pattern_error(options)

    def _show_pattern_error(self, options: Options) -> None:
        error = options.pattern_error()
        self._pattern.show_error(str(error) if error else None, error.position if error else None)

    def _text_fields(self) -> list[Field]:
        return [
            FlagsField(
                "normalizers",
                "Normalize",
                "What happens to the text before it is cut, in this order.",
                NORMALIZERS,
                NORMALIZER_HELP,
            ),
            ChoiceField(
                "pre_tokenizer", "Pre-tokenizer", "How the text becomes words; no merge crosses their ends.", CUTS
            ),
            self._pattern,
        ]

    def _alphabet_fields(self) -> list[Field]:
        special = LinesField(
            "special_tokens", "Special tokens", "Tokens that no merge makes, one a line; they get the first ids."
        )
        special.set_placeholder("one a line, such as\n<|endoftext|>")
        return [
            ChoiceField("base", "Base", "What merges start from.", BASES),
            ChoiceField("byte_order", "Byte order", "Which byte gets which id.", BYTE_ORDERS),
            self._marker,
            LineField("marker_text", "Marker text", "How the end-of-word marker is written."),
            FlagField(
                "complete_alphabet",
                "Every character also as a last one",
                "Adds final forms that the text lacks, so that new words can end in any character.",
            ),
            special,
            self._unknown,
        ]

    def _stop_fields(self) -> list[Field]:
        frequency = NumberField(
            "min_frequency", "Min. frequency", "A pair that occurs less often than this is not merged.", 1, MAX_NUMBER
        )
        return [self._stop, self._stop.merges, self._stop.vocab_size, frequency]

    def _add_group(self, title: str, fields: Sequence[Field]) -> None:
        heading = QLabel(title)
        heading.setProperty("role", "heading")
        heading.setContentsMargins(0, 8, 0, 0)
        self._rows.addWidget(heading)
        for field in fields:
            field.chosen.connect(self.chosen)
            self._fields.append(field)
            if field.parentWidget() is not self._stop:
                self._rows.addWidget(field)

    def _align_labels(self) -> None:
        width = max(field.label_width for field in self._fields)
        for field in self._fields:
            field.align_label(width)

    # Qt

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange, QEvent.Type.StyleChange):
            self._align_labels()


class _StopField(Field):
    """Three ways to end a run; the number of the first two stands beside them."""

    def __init__(self) -> None:
        super().__init__("stop", "Stop", "What ends the run.")
        self.merges = NumberField("merges", "Number of merges", "So many merges are made.", 0, MAX_NUMBER, False, self)
        self.vocab_size = NumberField(
            "vocab_size", "Vocabulary size", "Special tokens, alphabet and merges together.", 0, MAX_NUMBER, False, self
        )
        self._group = QButtonGroup(self)
        self._stops: dict[QRadioButton, Stop] = {}
        grid = QGridLayout()
        for row, (stop, title, number) in enumerate(
            (
                (Stop.MERGES, "After merges", self.merges),
                (Stop.VOCAB_SIZE, "At vocabulary size", self.vocab_size),
                (Stop.NO_PAIR, "When no pair is left", None),
            )
        ):
            button = QRadioButton(title)
            button.setAccessibleName(title)
            self._group.addButton(button)
            self._stops[button] = stop
            grid.addWidget(button, row, 0)
            if number is not None:
                grid.addWidget(number, row, 1)
        grid.setColumnStretch(1, 1)
        self._layout.addLayout(grid)
        self._group.buttonClicked.connect(self._choose)

    def show_value(self, value: Stop) -> None:
        for button, stop in self._stops.items():
            button.setChecked(stop is value)

    def _choose(self, button: QRadioButton) -> None:
        self.chosen.emit(self.name, self._stops[button])
