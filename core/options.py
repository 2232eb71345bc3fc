"""The choices of a training run as a person makes them: some rule out others, some are presets, all fit into JSON.

TrainerConfig and Pipeline are what comes of them; choices that do not count at the moment are remembered here.
"""

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any

from core.alphabet import MARKER_TEXT, Alphabet, Base, ByteOrder, Marker, Unknown
from core.corpus import Pipeline, count_words
from core.errors import ConfigError, PatternError
from core.normalizer import NORMALIZERS, Normalizer
from core.pre_tokenizer import PRE_TOKENIZERS, WORDS, named
from core.progress import Progress
from core.trainer import TieBreak, TrainerConfig, build_alphabet
from core.word_facts import forget

MAX_NUMBER = 10_000_000
"""The largest number of merges, vocabulary size and minimum frequency that can be chosen."""


class Stop(StrEnum):
    """What ends a run, besides the minimum frequency."""

    MERGES = "merges"
    VOCAB_SIZE = "vocab_size"
    NO_PAIR = "no_pair"


@dataclass(frozen=True)
class Options:
    """Every choice, whether it counts at the moment or not; `unusable` tells which do not."""

    normalizers: tuple[str, ...] = ()
    pre_tokenizer: str = "gpt2"
    pattern: str = WORDS
    base: Base = Base.BYTES
    byte_order: ByteOrder = ByteOrder.STAND_IN
    marker: Marker = Marker.NONE
    marker_text: str = MARKER_TEXT
    complete_alphabet: bool = True
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None
    stop: Stop = Stop.MERGES
    merges: int = 1_000
    vocab_size: int = 2_000
    min_frequency: int = 1
    tie_break: TieBreak = TieBreak.IDS

    @property
    def marker_used(self) -> Marker:
        """The marker, but none where bytes rule the chosen one out."""
        return Marker.NONE if self.marker in self.unusable_markers() else self.marker

    @property
    def unknown_token_used(self) -> str | None:
        usable = self.base is Base.CHARACTERS and self.unknown_token in self.special_tokens
        return self.unknown_token if usable else None

    def unusable_markers(self) -> dict[Marker, str]:
        """Markers that the base rules out, and why."""
        if self.base is Base.CHARACTERS:
            return {}
        try:
            TrainerConfig(base=self.base, marker=Marker.SUFFIX)
        except ConfigError as error:
            return {Marker.SUFFIX: str(error)}
        return {}

    def unusable(self) -> dict[str, str]:
        """Fields that the other choices leave without effect, and why."""
        reasons = {
            "pattern": (self.pre_tokenizer != "custom", "Only for words cut by your own pattern."),
            "byte_order": (self.base is not Base.BYTES, "Only for an alphabet of bytes."),
            "marker_text": (self.marker_used is Marker.NONE, "Only with an end-of-word marker."),
            "complete_alphabet": (
                self.marker_used is not Marker.SUFFIX,
                "Only with a marker on the last character: elsewhere characters have one form.",
            ),
            "unknown_token": (
                self.base is Base.BYTES or not self.special_tokens,
                "Every text can be written in bytes, so nothing is unknown."
                if self.base is Base.BYTES
                else "Write a special token first, such as [UNK].",
            ),
            "merges": (self.stop is not Stop.MERGES, "Only when a number of merges ends the run."),
            "vocab_size": (self.stop is not Stop.VOCAB_SIZE, "Only when a vocabulary size ends the run."),
        }
        return {name: reason for name, (is_unusable, reason) in reasons.items() if is_unusable}

    def pipeline(self) -> Pipeline:
        """Raises PatternError for a pattern of the user's that cannot be used."""
        pattern = self.pattern if self.pre_tokenizer == "custom" else None
        return Pipeline(Normalizer.named(*self.normalizers), named(self.pre_tokenizer, pattern))

    def config(self) -> TrainerConfig:
        """Raises ConfigError for choices that are impossible together."""
        if self.marker_used is not Marker.NONE and not self.marker_text:
            raise ConfigError(f"The end-of-word marker needs at least one character, such as {MARKER_TEXT}.")
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
            unknown=Unknown.KEEP if self.unknown_token_used is None else Unknown.TOKEN,
            complete_alphabet=self.complete_alphabet,
            marker_text=self.marker_text,
        )

    def pattern_error(self) -> PatternError | None:
        try:
            self.pipeline()
        except PatternError as error:
            return error
        return None

    def config_error(self) -> ConfigError | None:
        try:
            self.config()
        except ConfigError as error:
            return error
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
        return cls(**{name: _read(name, value) for name, value in values.items()})


@dataclass(frozen=True)
class Preset:
    """A well-known tokenizer's choices; where to stop and the special tokens are left to the user."""

    title: str
    options: Options

    def applied_to(self, options: Options) -> Options:
        return replace(options, **{name: getattr(self.options, name) for name in _PRESET_FIELDS})

    def is_in(self, options: Options) -> bool:
        """Whether these choices train as the preset does."""
        wanted = self.applied_to(options)
        ignored = options.unusable()
        return all(getattr(wanted, name) == getattr(options, name) for name in _PRESET_FIELDS if name not in ignored)


_PRESET_FIELDS = (
    "normalizers", "pre_tokenizer", "pattern", "base", "byte_order", "marker", "marker_text", "complete_alphabet",
    "unknown_token", "tie_break",
)  # fmt: skip

PRESETS: tuple[Preset, ...] = (
    Preset("GPT-2 (bytes)", Options()),
    Preset("GPT-4 (bytes)", Options(pre_tokenizer="cl100k")),
    Preset(
        f"Textbook (characters, {MARKER_TEXT})",
        Options(pre_tokenizer="whitespace", base=Base.CHARACTERS, marker=Marker.SYMBOL, tie_break=TieBreak.FIRST_SEEN),
    ),
    Preset(
        f"subword-nmt (characters, t{MARKER_TEXT})",
        Options(
            pre_tokenizer="whitespace",
            base=Base.CHARACTERS,
            marker=Marker.SUFFIX,
            complete_alphabet=False,
            tie_break=TieBreak.REVERSE_LEXICOGRAPHIC,
        ),
    ),
)


def preset_of(options: Options) -> Preset | None:
    return next((preset for preset in PRESETS if preset.is_in(options)), None)


def count_alphabet(text: str, pipeline: Pipeline, config: TrainerConfig) -> Generator[Progress, None, Alphabet]:
    """The alphabet that training on `text` starts from; needs the whole text only where its characters count."""
    if config.base is Base.BYTES:
        return build_alphabet({}, config)
    words = yield from count_words(text, pipeline)
    alphabet = build_alphabet(words.counts, config)
    forget(words.counts)
    return alphabet


def room_problem(vocab_size: int | None, alphabet: Alphabet) -> str | None:
    """Says so if a vocabulary of this size is full before the first merge."""
    if vocab_size is None or vocab_size > (size := len(alphabet.tokens)):
        return None
    are = "is" if size == 1 else "are"
    return (
        f"There {are} {_count(size, 'token')} before the first merge: {_listed(_kinds(alphabet))}. A vocabulary of "
        f"{vocab_size:,} leaves no room for merges; choose at least {size + 1:,}."
    )


def _kinds(alphabet: Alphabet) -> dict[str, int]:
    kinds = {"special token": 0, alphabet.base.removesuffix("s"): 0, "final character": 0, "end-of-word marker": 0}
    for token in alphabet.tokens.values():
        if token.special:
            kinds["special token"] += 1
        elif token.ends_word:
            kinds["final character" if token.content else "end-of-word marker"] += 1
        else:
            kinds[alphabet.base.removesuffix("s")] += 1
    return kinds


def _listed(kinds: Mapping[str, int]) -> str:
    parts = [_count(number, one) for one, number in kinds.items() if number]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


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
    "pre_tokenizer": _read_pre_tokenizer,
    "pattern": _read_string,
    "base": Base,
    "byte_order": ByteOrder,
    "marker": Marker,
    "marker_text": _read_string,
    "complete_alphabet": _read_flag,
    "special_tokens": _read_strings,
    "unknown_token": _read_unknown_token,
    "stop": Stop,
    "merges": _read_number,
    "vocab_size": _read_number,
    "min_frequency": _read_min_frequency,
    "tie_break": TieBreak,
}
assert set(_READERS) == {field.name for field in fields(Options)}
