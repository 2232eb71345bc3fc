"""The choices of a training run as a person makes them: some rule out others, all fit into JSON.

TrainerConfig and Pipeline are what comes of them; choices that do not count at the moment are remembered here.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from core.alphabet import (
    Base,
    ByteOrder,
    Marker,
    Unknown,
    byte_marker_problem,
)
from core.corpus import Pipeline, Texts
from core.errors import BpeError, ConfigError, PatternError
from core.normalizer import NORMALIZERS, NUMBER_TOKEN, Normalizer
from core.pre_tokenizer import PRE_TOKENIZERS, WORDS, Digits, named
from core.trainer_config import Score, TieBreak, TrainerConfig

MAX_NUMBER = 10_000_000
"""The largest number of merges, vocabulary size and minimum frequency that can be chosen."""


class Stop(StrEnum):
    """What ends a run, besides the minimum frequency."""

    MERGES = "merges"
    VOCAB_SIZE = "vocab_size"
    NO_PAIR = "no_pair"


@dataclass(frozen=True)
class Options:
    """Every choice, whether it counts at the moment or not; `unusable` tells which do not.

    `marker_text` "" is the marker's usual text; `longest_token` and `alphabet_limit` 0 and `stop_token` "" are none.
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

    @property
    def marker_used(self) -> Marker:
        """The marker, but none where bytes rule the chosen one out."""
        return Marker.NONE if self.marker in self.unusable_markers() else self.marker

    @property
    def pre_tokenizer_used(self) -> str:
        """The pre-tokenizer; with the marker ▁, whose spaces are letters, only it or none at all can cut."""
        return "metaspace" if self.pre_tokenizer in self.unusable_pre_tokenizers() else self.pre_tokenizer

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
        return {}

    def unusable_unknowns(self) -> dict[Unknown, str]:
        """What unknown characters cannot become, and why."""
        if self.marker_used.changes_symbols:
            return {Unknown.BYTES: "Bytes have no final or continuing forms, which this marker needs."}
        return {}

    def unusable(self) -> dict[str, str]:
        """Fields that the other choices leave without effect, and why."""
        is_bytes, only_characters = self.base is Base.BYTES, "Only for an alphabet of characters."
        reasons = {
            "number_token": ("numbers" not in self.normalizers, "Only where numbers are replaced."),
            "replacements": ("replace" not in self.normalizers, "Only where your own replacements are chosen."),
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
            "unknown": (is_bytes, "Every text can be written in bytes, so nothing is unknown."),
            "unknown_token": (
                is_bytes or self.unknown_used not in (Unknown.TOKEN, Unknown.FUSE),
                "Every text can be written in bytes, so nothing is unknown."
                if is_bytes
                else "Only where unknown characters become the unknown token.",
            ),
            "merges": (self.stop is not Stop.MERGES, "Only when a number of merges ends the run."),
            "vocab_size": (self.stop is not Stop.VOCAB_SIZE, "Only when a vocabulary size ends the run."),
        }
        return {name: reason for name, (is_unusable, reason) in reasons.items() if is_unusable}

    def pipeline(self) -> Pipeline:
        """Raises PatternError for a pattern of the user's that cannot be used, ConfigError for other choices."""
        name, is_metaspace = self.pre_tokenizer_used, self.marker_used is Marker.METASPACE
        if name == "metaspace" and not is_metaspace:
            raise ConfigError(
                "The pre-tokenizer “Before each ▁” finds no ▁ in the text: choose the marker ▁ too, or another "
                "pre-tokenizer."
            )
        names = (*self.normalizers, "metaspace") if is_metaspace else self.normalizers
        normalizer = Normalizer.named(*names, number_token=self.number_token, replacements=self.replacements)
        pattern = self.pattern if name == "custom" else None
        pre_tokenizer = named(name, pattern, digits=self.digits, punctuation=self.punctuation)
        return Pipeline(normalizer, pre_tokenizer, self.texts)

    def config(self) -> TrainerConfig:
        """Raises ConfigError for choices that are impossible together."""
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
            initial_characters=self.initial_characters,
            complete_alphabet=self.complete_alphabet,
            marker_text="" if self.marker_used is Marker.METASPACE else self.marker_text,
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

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

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
        return cls(**{name: _read(name, value) for name, value in values.items()})


def _read(name: str, value: object) -> Any:
    if name not in _READERS:
        raise ConfigError(f"There is no training option named {name!r}.")
    try:
        return _READERS[name](value)
    except (ValueError, TypeError):
        raise ConfigError(f"The training option {name!r} cannot be {value!r}.") from None


def _known(names: Mapping[str, object], value: object) -> str:
    if not isinstance(value, str) or value not in names:
        raise ValueError
    return value


def _read_normalizers(value: object) -> tuple[str, ...]:
    return tuple(_known(NORMALIZERS, name) for name in _read_strings(value))


def _read_pre_tokenizer(value: object) -> str:
    return _known({**PRE_TOKENIZERS, "custom": None}, value)


def _read_string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _read_unknown_token(value: object) -> str | None:
    return None if value is None else _read_string(value)


def _read_strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_read_string(item) for item in value)


def _read_replacements(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list):
        raise TypeError
    pairs = [_read_strings(pair) for pair in value]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError
    return tuple((pair[0], pair[1]) for pair in pairs)


def _read_share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError
    if not 0 < value <= 1:
        raise ValueError
    return float(value)


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _read_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    if not 0 <= value <= MAX_NUMBER:
        raise ValueError
    return value


def _read_min_frequency(value: object) -> int:
    return _read_number(value) or _read_number(-1)


_READERS: dict[str, Callable[[Any], Any]] = {
    "normalizers": _read_normalizers,
    "number_token": _read_string,
    "replacements": _read_replacements,
    "texts": Texts,
    "pre_tokenizer": _read_pre_tokenizer,
    "pattern": _read_string,
    "digits": Digits,
    "punctuation": _read_flag,
    "base": Base,
    "byte_order": ByteOrder,
    "marker": Marker,
    "marker_text": _read_string,
    "complete_alphabet": _read_flag,
    "initial_characters": _read_string,
    "coverage": _read_share,
    "alphabet_limit": _read_number,
    "special_tokens": _read_strings,
    "specials_last": _read_flag,
    "unknown": Unknown,
    "unknown_token": _read_unknown_token,
    "score": Score,
    "tie_break": TieBreak,
    "stop": Stop,
    "merges": _read_number,
    "vocab_size": _read_number,
    "min_frequency": _read_min_frequency,
    "longest_token": _read_number,
    "stop_token": _read_string,
}
assert set(_READERS) == {field.name for field in fields(Options)}
