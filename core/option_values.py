"""The values that the options of a training run can have, and how they are read from JSON."""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Any

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.errors import ConfigError
from core.pipeline import Texts
from core.pre_tokenizer import PRE_TOKENIZERS, Digits
from core.special_tokens import Specials
from core.trainer_config import Score, TieBreak
from core.word_limits import Beyond

MAX_NUMBER = 10_000_000
"""The largest number of merges, vocabulary size and minimum frequency that can be chosen."""


NORMALIZER_ORDER = (
    *("ftfy", "html_unescape", "nmt_nfkc", "nfc", "nfkc", "nfd", "nfkd", "lowercase", "strip_accents"),
    *("replace", "numbers", "collapse_whitespace", "strip", "prepend_metaspace"),
)
"""The normalizers that can be chosen, in the usual order: broken text is mended first, NFKC makes capitals that lower
case must see, NFD sets the accents free that are to be stripped, and white space is tidied up last. The step metaspace
comes with its marker."""


class Stop(StrEnum):
    """What ends a run, besides the minimum frequency."""

    MERGES = "merges"
    VOCAB_SIZE = "vocab_size"
    NO_PAIR = "no_pair"


def read(name: str, value: object) -> Any:
    """The value of the option of this name, from JSON. Raises ConfigError for one that it cannot have."""
    if name not in _READERS:
        raise ConfigError(f"There is no training option named {name!r}.")
    try:
        return _READERS[name](value)
    except (ValueError, TypeError):
        raise ConfigError(f"The training option {name!r} cannot be {value!r}.") from None


def _known(names: Collection[str], value: object) -> str:
    if not isinstance(value, str) or value not in names:
        raise ValueError
    return value


def _read_normalizers(value: object) -> tuple[str, ...]:
    return tuple(_known(NORMALIZER_ORDER, name) for name in _read_strings(value))


def _read_pre_tokenizer(value: object) -> str:
    return _known((*PRE_TOKENIZERS, "custom"), value)


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


def _read_at_least_one(value: object) -> int:
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
    "specials_in_text": Specials,
    "unknown": Unknown,
    "unknown_token": _read_unknown_token,
    "score": Score,
    "tie_break": TieBreak,
    "stop": Stop,
    "merges": _read_number,
    "vocab_size": _read_number,
    "min_frequency": _read_at_least_one,
    "longest_token": _read_number,
    "stop_token": _read_string,
    "word_memory_mb": _read_number,
    "beyond_memory": Beyond,
    "min_word_count": _read_at_least_one,
}
OPTION_NAMES = frozenset(_READERS)
