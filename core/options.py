"""The choices of a training run as a person makes them: some rule out others, all fit into JSON.

TrainerConfig and Pipeline are what comes of them; choices that do not count at the moment are remembered here.
"""

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from core.alphabet import Base, ByteOrder, Marker, Unknown, byte_marker_problem, has_half_characters
from core.errors import BpeError, ConfigError, PatternError
from core.normalizer import NUMBER_TOKEN, Normalizer
from core.normalizer_steps import Metaspace, Numbers, PrependMetaspace, Replace
from core.option_values import MAX_NUMBER, NORMALIZER_ORDER, OPTION_NAMES, Stop, read
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, WORDS, Digits, named
from core.special_tokens import Specials
from core.text_cleaning import Ftfy
from core.trainer_config import Score, TieBreak, TrainerConfig
from core.unicode_forms import NmtNfkc
from core.user_patterns import check
from core.word_limits import Beyond, WordLimits

__all__ = ["MAX_NUMBER", "NORMALIZER_ORDER", "Fault", "Options", "Stop"]


@dataclass(frozen=True)
class Fault:
    """What is wrong with the text in a field; `position` in its pattern and `row` in its list are counted from 0."""

    message: str
    position: int | None = None
    row: int | None = None


@dataclass(frozen=True)
class Options:
    """Every choice, whether it counts at the moment or not; `unusable` tells which do not.

    `marker_text` "" is the marker's usual text; `longest_token`, `alphabet_limit` and `word_memory_mb`
    0 and `stop_token` "" are none.
    """

    normalizers: tuple[str, ...] = ()
    number_token: str = NUMBER_TOKEN
    replacements: tuple[tuple[str, str], ...] = ()
    texts: Texts = Texts.WHOLE
    pre_tokenizer: str = "gpt2"
    pattern: str = WORDS
    digits: Digits = Digits.TOGETHER
    punctuation: bool = False
    base: Base = Base.BYTES
    byte_order: ByteOrder = ByteOrder.STAND_IN
    marker: Marker = Marker.NONE
    marker_text: str = ""
    complete_alphabet: bool = True
    initial_characters: str = ""
    coverage: float = 1.0
    alphabet_limit: int = 0
    special_tokens: tuple[str, ...] = ()
    specials_last: bool = False
    specials_in_text: Specials = Specials.AS_TEXT
    unknown: Unknown = Unknown.KEEP
    unknown_token: str | None = None
    score: Score = Score.FREQUENCY
    tie_break: TieBreak = TieBreak.IDS
    stop: Stop = Stop.MERGES
    merges: int = 1_000
    vocab_size: int = 2_000
    min_frequency: int = 1
    longest_token: int = 0
    stop_token: str = ""
    word_memory_mb: int = 0
    beyond_memory: Beyond = Beyond.SPILL
    min_word_count: int = 1

    @property
    def normalizers_used(self) -> tuple[str, ...]:
        """The steps in their order, with those that belong to the marker ▁ at the end, or left out without it."""
        names = tuple(name for name in self.normalizers if name not in _METASPACE_STEPS)
        if self.marker_used is not Marker.METASPACE:
            return names
        return (*names, PrependMetaspace.name if PrependMetaspace.name in self.normalizers else Metaspace.name)

    @property
    def marker_used(self) -> Marker:
        """The marker, but none where bytes rule the chosen one out."""
        return Marker.NONE if self.marker in self.unusable_markers() else self.marker

    @property
    def pre_tokenizer_used(self) -> str:
        """The pre-tokenizer; with the marker ▁, whose spaces are letters, only its own or none at all can cut."""
        is_metaspace = self.marker_used is Marker.METASPACE
        return "metaspace" if is_metaspace and self.pre_tokenizer != "none" else self.pre_tokenizer

    @property
    def unknown_used(self) -> Unknown:
        return Unknown.KEEP if self.base is Base.BYTES or self.unknown in self.unusable_unknowns() else self.unknown

    @property
    def unknown_token_used(self) -> str | None:
        """The unknown token; where none is chosen, a special token that looks like one."""
        if self.base is Base.BYTES or self.unknown_used not in (Unknown.TOKEN, Unknown.FUSE):
            return None
        if self.unknown_token in self.special_tokens:
            return self.unknown_token
        return next((token for token in self.special_tokens if "unk" in token.lower()), None)

    def used(self, name: str) -> Any:
        """What counts of the choice of this name, as far as the other choices replace it."""
        return getattr(self, f"{name}_used" if name in _REPLACED else name)

    def with_normalizer(self, name: str, is_chosen: bool) -> "Options":
        """The same with a normalizer more, at its usual place among those chosen, or with one less."""
        others = tuple(other for other in self.normalizers if other != name)
        if not is_chosen:
            return replace(self, normalizers=others)
        later = NORMALIZER_ORDER[NORMALIZER_ORDER.index(name) :]
        place = next((i for i, other in enumerate(others) if other in later), len(others))
        return replace(self, normalizers=(*others[:place], name, *others[place:]))

    def with_normalizer_moved(self, name: str, by: int) -> "Options":
        """The same with a normalizer so many places later (earlier if negative), as far as the ends allow."""
        others = [other for other in self.normalizers if other != name]
        others.insert(max(self.normalizers.index(name) + by, 0), name)
        return replace(self, normalizers=tuple(others))

    def listed_normalizers(self) -> tuple[str, ...]:
        """All that can be chosen, in the usual order but for those chosen, which share their places in their order."""
        chosen = iter([name for name in self.normalizers if name in NORMALIZER_ORDER])
        return tuple(next(chosen) if name in self.normalizers else name for name in NORMALIZER_ORDER)

    def unusable_normalizers(self) -> dict[str, str]:
        """Normalizers that cannot be chosen, and why."""
        reasons = _missing_libraries()
        if self.marker_used is not Marker.METASPACE:
            reasons |= dict.fromkeys(_METASPACE_STEPS, "Only with the marker ▁, which puts ▁ for spaces.")
        return reasons

    def unusable_markers(self) -> dict[Marker, str]:
        """Markers that the base rules out, and why."""
        if self.base is Base.CHARACTERS:
            return {}
        problems = ((marker, byte_marker_problem(marker)) for marker in Marker)
        return {marker: problem for marker, problem in problems if problem}

    def unusable_pre_tokenizers(self) -> dict[str, str]:
        """Pre-tokenizers that the marker rules out, and why."""
        if self.marker_used is Marker.METASPACE:
            reason = "With the marker ▁ spaces are letters: words are cut before each ▁, or not at all."
            return {name: reason for name in (*PRE_TOKENIZERS, "custom") if name not in ("metaspace", "none")}
        return {"metaspace": "Only with the marker ▁, which puts ▁ for spaces."}

    def unusable_unknowns(self) -> dict[Unknown, str]:
        """What unknown characters cannot become, and why."""
        if self.marker_used.changes_symbols:
            return {Unknown.BYTES: "Bytes have no final or continuing forms, which this marker needs."}
        return {}

    def unusable(self) -> dict[str, str]:
        """Fields that the other choices leave without effect, and why."""
        is_bytes, only_characters = self.base is Base.BYTES, "Only for an alphabet of characters."
        reasons = {
            "number_token": (Numbers.name not in self.normalizers, "Only with the normalizer for numbers."),
            "replacements": (Replace.name not in self.normalizers, "Only with the normalizer for replacements."),
            "pattern": (self.pre_tokenizer_used != "custom", "Only for words cut by your own pattern."),
            "byte_order": (not is_bytes, "Only for an alphabet of bytes."),
            "marker_text": (
                self.marker_used in (Marker.NONE, Marker.METASPACE),
                "The text of this marker is always ▁."
                if self.marker_used is Marker.METASPACE
                else "Only with a marker that is not part of the text.",
            ),
            "complete_alphabet": (
                not self.marker_used.changes_symbols,
                "Only with a marker on characters: elsewhere characters have one form.",
            ),
            "initial_characters": (is_bytes, only_characters),
            "coverage": (is_bytes, only_characters),
            "alphabet_limit": (is_bytes, only_characters),
            "specials_last": (not self.special_tokens, "Write a special token first."),
            "specials_in_text": (not self.special_tokens, "Write a special token first."),
            "unknown": (is_bytes, "Every text can be written in bytes, so nothing is unknown."),
            "unknown_token": self._unknown_token_reason(),
            "beyond_memory": (not self.word_memory_mb, "Only with a limit of memory for words."),
            "merges": (self.stop is not Stop.MERGES, "Only when a number of merges ends the run."),
            "vocab_size": (self.stop is not Stop.VOCAB_SIZE, "Only when a vocabulary size ends the run."),
        }
        return {name: reason for name, (is_unusable, reason) in reasons.items() if is_unusable}

    def _unknown_token_reason(self) -> tuple[bool, str]:
        if self.base is Base.BYTES:
            return True, "Every text can be written in bytes, so nothing is unknown."
        if self.unknown_used not in (Unknown.TOKEN, Unknown.FUSE):
            return True, "Only where unknown characters become the unknown token."
        return not self.special_tokens, "Write it among the special tokens first, such as <unk>."

    def pipeline(self) -> Pipeline:
        """Raises PatternError for a pattern of the user's that cannot be used, ConfigError for other choices."""
        name = self.pre_tokenizer_used
        if name == "metaspace" and self.marker_used is not Marker.METASPACE:
            raise ConfigError(
                "The pre-tokenizer “Before each ▁” finds no ▁ in the text: "
                + (
                    "choose another one for bytes."
                    if self.base is Base.BYTES
                    else "choose the marker ▁ too, or another."
                )
            )
        normalizer = Normalizer.named(
            *self.normalizers_used, number_token=self.number_token, replacements=self.replacements
        )
        pattern = self.pattern if name == "custom" else None
        pre_tokenizer = named(name, pattern, digits=self.digits, punctuation=self.punctuation)
        if not self.special_tokens or self.specials_in_text is Specials.AS_TEXT:
            return Pipeline(normalizer, pre_tokenizer, self.texts, limits=self._limits())
        specials = self.special_tokens, self.specials_in_text
        return Pipeline(normalizer, pre_tokenizer, self.texts, *specials, self._limits())

    def _limits(self) -> WordLimits:
        beyond = self.beyond_memory if self.word_memory_mb else Beyond.SPILL
        return WordLimits(self.word_memory_mb, beyond, self.min_word_count)

    def config(self) -> TrainerConfig:
        """Raises PatternError for a stop pattern that cannot be used, ConfigError for other choices."""
        if self.stop_token and (fault := _pattern_fault(self.stop_token)):
            raise PatternError(f"Stop pattern: {fault.message}", fault.position)
        return TrainerConfig(
            base=self.base,
            marker=self.marker_used,
            byte_order=self.byte_order,
            tie_break=self.tie_break,
            merges=self.merges if self.stop is Stop.MERGES else None,
            vocab_size=self.vocab_size if self.stop is Stop.VOCAB_SIZE else None,
            min_frequency=self.min_frequency,
            special_tokens=self.special_tokens,
            unknown_token=self.unknown_token_used,
            initial_characters="" if self.base is Base.BYTES else self.initial_characters,
            complete_alphabet=self.complete_alphabet,
            marker_text="" if self.marker_used in (Marker.NONE, Marker.METASPACE) else self.marker_text,
            score=self.score,
            longest_token=self.longest_token or None,
            stop_token=self.stop_token,
            coverage=self.coverage,
            alphabet_limit=self.alphabet_limit or None,
            specials_last=self.specials_last and bool(self.special_tokens),
            unknown=self.unknown_used,
        )

    def problem(self) -> str | None:
        """What keeps these choices from being used, in the user's words."""
        error = self.pattern_error() or self.config_error()
        return str(error) if error else None

    def pattern_error(self) -> PatternError | None:
        """What is wrong with the pattern that cuts words; its other field has its own."""
        try:
            named(self.pre_tokenizer_used, self.pattern if self.pre_tokenizer_used == "custom" else None)
        except PatternError as error:
            return error
        return None

    def config_error(self) -> BpeError | None:
        """What is wrong otherwise."""
        try:
            self.config()
            self.pipeline()
        except BpeError as error:
            return None if self.pattern_error() else error
        return None

    def faults(self) -> dict[str, Fault]:
        """What is wrong with single texts that count, by the names of their fields; `problem` tells the rest too."""
        unusable = self.unusable()
        found = {
            "pattern": self._pattern_fault(),
            "number_token": None if self.number_token else Fault("Write what takes the place of a number."),
            "replacements": self._replacements_fault(),
            "stop_token": _pattern_fault(self.stop_token) if self.stop_token else None,
        }
        return {name: fault for name, fault in found.items() if fault and name not in unusable}

    def _pattern_fault(self) -> Fault | None:
        error = self.pattern_error()
        return Fault(str(error), error.position) if error else None

    def _replacements_fault(self) -> Fault | None:
        if not self.replacements:
            return Fault("Write at least one pattern and its new text.")
        found = ((row, _pattern_fault(pattern)) for row, (pattern, _) in enumerate(self.replacements))
        return next((replace(fault, row=row) for row, fault in found if fault), None)

    def to_json(self) -> str:
        text = json.dumps(asdict(self), ensure_ascii=False)
        return json.dumps(asdict(self)) if has_half_characters(text) else text  # what is typed may be no UTF-8

    @classmethod
    def from_json(cls, text: str) -> "Options":
        """Read what `to_json` wrote; a field that is missing has its default.

        Raises ConfigError for anything else: not JSON, an unknown field, a value of the wrong kind.
        """
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise ConfigError("The training options are not valid JSON.") from None
        if not isinstance(values, dict):
            raise ConfigError("The training options are not a JSON object.")
        if values.get("unknown_token") and "unknown" not in values:  # as it was written before there was a choice
            values["unknown"] = Unknown.TOKEN
        return cls(**{name: read(name, value) for name, value in values.items()})


_METASPACE_STEPS = (Metaspace.name, PrependMetaspace.name)
_REPLACED = ("normalizers", "marker", "pre_tokenizer", "unknown", "unknown_token")


def _pattern_fault(pattern: str) -> Fault | None:
    try:
        check(pattern)
    except PatternError as error:
        return Fault(str(error), error.position)
    return None


def _missing_libraries() -> dict[str, str]:
    """Normalizers whose library is not installed, and what to install."""
    reasons = {}
    for step in (NmtNfkc, Ftfy):
        try:
            step()
        except ConfigError as error:
            reasons[step.name] = str(error)
    return reasons


assert {field.name for field in fields(Options)} == OPTION_NAMES
