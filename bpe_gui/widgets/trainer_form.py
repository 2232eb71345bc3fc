"""The fields of the trainer's options: the everyday ones in sight, the others in sections that fold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets import trainer_choices as choices
from bpe_gui.widgets.fields import Choice, ChoiceField, Field, FlagField
from bpe_gui.widgets.number_fields import NumberField, ShareField
from bpe_gui.widgets.pairs_field import PairsField
from bpe_gui.widgets.section import Section, Tone
from bpe_gui.widgets.steps_field import StepsField
from bpe_gui.widgets.stop_field import StopField
from bpe_gui.widgets.text_fields import LineField, LinesField, PatternField
from core.options import MAX_NUMBER, Fault, Options
from core.pre_tokenizer import PUNCTUATION_HELP, PUNCTUATION_TITLE

HIDDEN_WITHOUT_EFFECT = ("pattern", "number_token", "replacements")
_USUAL = Options()


@dataclass(frozen=True)
class _Group:
    """Fields whose controls are aligned; `section` folds them, if they can be folded."""

    fields: tuple[Field, ...]
    section: Section | None = None

    def align(self) -> None:
        width = max(field.label_width for field in self.fields)
        control_width = max(field.control_width for field in self.fields)
        for field in self.fields:
            field.align_label(width, control_width)


class TrainerForm(QWidget):
    """Signals:
    chosen(option name, value): a person changed a field.
    normalizer_toggled(normalizer, is chosen), normalizer_moved(normalizer, places): changed the normalizers.
    section_toggled(Section): a person folded or unfolded it.
    """

    chosen = Signal(str, object)
    normalizer_toggled = Signal(str, bool)
    normalizer_moved = Signal(str, int)
    section_toggled = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._make_special_fields()
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(8, 4, 8, 8)
        self._rows.setSpacing(6)
        self._groups: list[_Group] = []
        self._add_everyday()
        self._add_sections()
        self._rows.addStretch(1)
        self._align_labels()

    def show_options(self, options: Options) -> None:
        unusable, faults = options.unusable(), options.faults()
        self._unknown_token.set_choices([Choice(text, text) for text in options.special_tokens])
        self._marker_text.set_placeholder(options.marker_used.text)
        for group in self._groups:
            for field in group.fields:
                self._show_field(field, options, unusable.get(field.name), faults.get(field.name))
            if group.section:
                group.section.show_summary(*_summary(group.fields, options, unusable, faults))
        self._normalizers.show_steps(options.listed_normalizers(), options.normalizers, options.unusable_normalizers())
        self._cut.rule_out(options.unusable_pre_tokenizers())
        self._marker.rule_out(options.unusable_markers())
        self._unknown.rule_out(options.unusable_unknowns())

    def open_sections(self, titles: Sequence[str]) -> None:
        """Unfold these and fold the others."""
        for section in self._sections():
            section.set_open(section.title in titles)

    def open_titles(self) -> tuple[str, ...]:
        return tuple(section.title for section in self._sections() if section.is_open)

    def _sections(self) -> list[Section]:
        return [group.section for group in self._groups if group.section]

    def _show_field(self, field: Field, options: Options, reason: str | None, fault: Fault | None) -> None:
        if field is not self._normalizers:
            field.show_value(options.used(field.name))
        field.show_reason(reason)
        field.show_fault(fault)
        if field.name in HIDDEN_WITHOUT_EFFECT:
            field.setVisible(reason is None)

    def _make_special_fields(self) -> None:
        """Those that show more than their values."""
        self._normalizers = StepsField(
            "normalizers",
            "Normalizers",
            "What happens to the text before it is cut into words, from top to bottom.",
            choices.NORMALIZERS,
            self._theme,
        )
        self._normalizers.toggled.connect(self.normalizer_toggled)
        self._normalizers.moved.connect(self.normalizer_moved)
        self._cut = ChoiceField(
            "pre_tokenizer", "Pre-tokenizer", "How the text becomes words; no merge crosses their ends.", choices.CUTS
        )
        self._marker = ChoiceField(
            "marker", "Marker", "Lets merges tell the start, middle and end of a word apart.", choices.MARKERS
        )
        self._marker_text = LineField("marker_text", "Marker text", "How the marker is written; empty: as usual.")
        self._unknown = ChoiceField(
            "unknown", "They become", "What becomes of characters that the alphabet lacks.", choices.UNKNOWNS
        )
        self._unknown_token = ChoiceField(
            "unknown_token", "Token", "The special token that stands for unknown characters.", ()
        )
        self._unknown_token.set_placeholder("Choose one")

    def _add_everyday(self) -> None:
        stop = StopField()
        self._rows.addWidget(stop)
        self._add_group([stop, stop.merges, stop.vocab_size])
        everyday = [
            self._cut,
            PatternField("pattern", "Pattern", "A regular expression; each match is a word.", self._theme),
            ChoiceField("base", "Base", "What merges start from.", choices.BASES),
            self._marker,
            ChoiceField("tie_break", "Tie rule", "Which of equally good pairs is merged.", choices.TIES),
        ]
        for field in everyday:
            self._rows.addWidget(field)
        self._add_group(everyday)

    def _add_sections(self) -> None:
        for title, tip, section_fields in (
            ("Normalize", "What happens to the text before it is cut into words.", self._normalize_fields()),
            ("Lines and digits", "What else cuts the text into words.", self._cut_fields()),
            ("Alphabet", "Which symbols there are before the first merge.", self._alphabet_fields()),
            ("Special tokens", "Tokens that no merge makes.", self._special_fields()),
            ("Unknown characters", "What becomes of characters that the alphabet lacks.", self._unknown_fields()),
            ("Score and limits", "Which pairs are merged, and which never.", self._merge_fields()),
            ("Rare words and memory", "What becomes of words where there are too many.", self._limit_fields()),
        ):
            section = Section(title, tip, self._theme)
            section.add(section_fields)
            section.toggled.connect(self._on_section_toggled)
            self._rows.addWidget(section)
            self._add_group(section_fields, section)

    def _normalize_fields(self) -> list[Field]:
        number = LineField("number_token", "Number token", "What every number becomes, such as <num>.")
        pairs = PairsField(
            "replacements",
            "Replacements",
            "Regular expressions and what their matches become, one after the other, line by line.",
            self._theme,
        )
        return [self._normalizers, number, pairs]

    def _cut_fields(self) -> list[Field]:
        return [
            ChoiceField("texts", "One text is", "What is normalized and cut as if there were no other.", choices.TEXTS),
            ChoiceField("digits", "Digits", "How digits are cut before the pre-tokenizer cuts.", choices.DIGITS),
            FlagField("punctuation", PUNCTUATION_TITLE, PUNCTUATION_HELP),
        ]

    def _alphabet_fields(self) -> list[Field]:
        return [
            ChoiceField("byte_order", "Byte order", "Which byte gets which id.", choices.BYTE_ORDERS),
            self._marker_text,
            FlagField(
                "complete_alphabet",
                "All characters in both forms",
                "Adds marked and plain forms that the text lacks, so that new words can hold any character anywhere. "
                "Hugging Face and subword-nmt do not.",
                "only the forms in the text",
            ),
            LineField(
                "initial_characters",
                "Add characters",
                "They are in the alphabet even if the text lacks them: Hugging Face's initial_alphabet.",
            ),
            ShareField(
                "coverage",
                "Coverage",
                "How much of the text its characters must cover; rarer ones are left out. SentencePiece: 99.95 %.",
            ),
            NumberField(
                "alphabet_limit",
                "At most",
                "So many characters, the most frequent ones: Hugging Face's limit_alphabet.",
                0,
                MAX_NUMBER,
                none_text="no limit",
            ),
        ]

    def _special_fields(self) -> list[Field]:
        special = LinesField("special_tokens", "Special tokens", "Tokens that no merge makes, one a line.")
        special.set_placeholder("one a line, such as\n<|endoftext|>")
        last = FlagField(
            "specials_last",
            "Give them the last ids",
            "They come behind all merges, as in GPT-2 and GPT-4, instead of before the alphabet.",
        )
        in_text = ChoiceField(
            "specials_in_text",
            "In the text",
            "What a special token is that stands in the training text.",
            choices.SPECIALS_IN_TEXT,
        )
        return [special, last, in_text]

    def _unknown_fields(self) -> list[Field]:
        return [self._unknown, self._unknown_token]

    def _merge_fields(self) -> list[Field]:
        stop_token = PatternField(
            "stop_token",
            "Stop at a token that matches",
            "A regular expression: training ends with the first token in which it is found.",
            self._theme,
            lines=1,
        )
        stop_token.set_placeholder("none")
        return [
            ChoiceField("score", "Best pair", "What makes one pair better than another.", choices.SCORES),
            NumberField(
                "min_frequency",
                "Min. frequency",
                "A pair that occurs less often than this is not merged. subword-nmt: 2.",
                1,
                MAX_NUMBER,
            ),
            NumberField(
                "longest_token",
                "Longest token",
                "In characters, or bytes where bytes are the base; no merge makes a longer one. SentencePiece: 16.",
                0,
                MAX_NUMBER,
                none_text="no limit",
            ),
            stop_token,
        ]

    def _limit_fields(self) -> list[Field]:
        return [
            NumberField(
                "min_word_count",
                "Min. word count",
                "Words that occur less often than this are left out, and no merge is learned from them.",
                1,
                MAX_NUMBER,
            ),
            NumberField(
                "word_memory_mb",
                "Memory in MB",
                "About so much for different words while they are counted; what training needs comes on top.",
                0,
                MAX_NUMBER,
                none_text="no limit",
            ),
            ChoiceField("beyond_memory", "Beyond it", "What becomes of words that do not fit.", choices.BEYOND),
        ]

    def _add_group(self, group_fields: Sequence[Field], section: Section | None = None) -> None:
        self._groups.append(_Group(tuple(group_fields), section))
        for field in group_fields:
            field.chosen.connect(self.chosen)

    def _on_section_toggled(self) -> None:
        section = self.sender()
        assert isinstance(section, Section)
        self.section_toggled.emit(section)

    def _align_labels(self) -> None:
        for group in self._groups:
            group.align()

    # Qt

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange, QEvent.Type.StyleChange):
            self._align_labels()


def _summary(
    group_fields: Sequence[Field], options: Options, unusable: Mapping[str, str], faults: Mapping[str, Fault]
) -> tuple[str, Tone]:
    """What is not as usual in these fields, or wrong."""
    for field in group_fields:
        if field.name in faults:
            return faults[field.name].message, Tone.DANGER
    if all(field.name in unusable for field in group_fields):
        return "no effect now", Tone.MUTED
    return ", ".join(_unusual(group_fields, options, unusable)), Tone.MUTED


def _unusual(group_fields: Sequence[Field], options: Options, unusable: Mapping[str, str]) -> list[str]:
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    return [
        field.summary(values[field.name])
        for field in group_fields
        if field.name not in unusable and values[field.name] != getattr(_USUAL, field.name)
    ]
