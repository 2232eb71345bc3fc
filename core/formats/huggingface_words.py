"""The pre-tokenizers of any tokenizer.json as ours: what cuts texts, what is put into them, and what is left out.

What pre-tokenizers put before a text or change in it, is a last step of the normalizer here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import regex

from core.alphabet import Base
from core.errors import BpeError
from core.formats.huggingface_normalizer import Json
from core.formats.oniguruma import from_oniguruma, known_pre_tokenizer
from core.normalizer import Step
from core.normalizer_library import Prepend, ReplaceText
from core.normalizer_steps import Metaspace
from core.pre_tokenizer import GPT2, PRE_TOKENIZERS, WORDS, Digits, PreTokenizer, by_splits, custom
from core.punctuation import PUNCTUATION
from core.splits import Behavior, Split

_SPACE, _NUMBER, _PUNCTUATION = r"\s", r"\p{N}", f"[{PUNCTUATION}]"
_ASCII_DIGITS = "[0-9]"


@dataclass
class Words:
    """What the pre-tokenizers come to. `steps` go behind those of the normalizer; `has_first` tells that they put
    something before the first text only."""

    splits: list[Split] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    base: Base = Base.CHARACTERS
    not_applied: list[str] = field(default_factory=list)

    @property
    def pre_tokenizer(self) -> PreTokenizer:
        """One of the known ones where there is one that cuts the same."""
        splits = list(self.splits)
        digits, punctuation = Digits.TOGETHER, False
        while len(splits) > 1 and splits[0] in _APART:
            if splits[0].pattern == _PUNCTUATION:
                punctuation = True
            elif digits is Digits.TOGETHER:
                digits = Digits.SINGLE if splits[0].pattern == _NUMBER else Digits.THREES
            else:
                break
            del splits[0]
        if len(splits) > 1:
            return by_splits(self.splits)
        known = _known(splits[0]) if splits else PRE_TOKENIZERS["none"]
        if known is None or (known.name == "custom" and len(self.splits) > 1):
            return by_splits(self.splits)
        return replace(known, digits=digits, punctuation=punctuation)


def read_words(steps: list[Json]) -> Words:
    words = Words()
    for step in steps:
        _read(words, step)
    return words


def _read(words: Words, step: Json) -> None:
    kind = step.get("type")
    try:
        if words.base is Base.BYTES:
            words.splits += _behind_bytes(words, step)
        elif kind == "ByteLevel":
            _read_byte_level(words, step)
        elif kind == "Metaspace":
            _read_metaspace(words, step)
        else:
            words.splits += _splits(step)
    except NotKnownError as error:
        words.not_applied.append(f"the pre-tokenizer {error}")
    except BpeError as error:
        words.not_applied.append(f"the pre-tokenizer {kind} ({error})")


class NotKnownError(Exception):
    """A component, or an option of it, that has no counterpart here; the message names it."""


def _read_byte_level(words: Words, step: Json) -> None:
    words.base = Base.BYTES
    if step.get("add_prefix_space", True):
        if words.splits:
            words.not_applied.append("the space that ByteLevel puts before every piece that another pre-tokenizer cut")
        else:
            words.steps.append(Prepend(" ", unless_there=True))
    if step.get("use_regex", True):
        words.splits.append(Split(GPT2))


def _read_metaspace(words: Words, step: Json) -> None:
    mark = step.get("replacement", "▁")
    if not isinstance(mark, str) or len(mark) != 1:
        raise NotKnownError("Metaspace with a replacement that is no character")
    scheme = step.get("prepend_scheme", "always" if step.get("add_prefix_space", True) else "never")
    if scheme not in ("always", "never", "first"):
        raise NotKnownError(f"Metaspace with prepend_scheme {scheme!r}")
    if words.splits and scheme != "never":
        words.not_applied.append(f"the {mark} that Metaspace puts before every piece that another pre-tokenizer cut")
        scheme = "never"
    if mark == "▁" and scheme == "always":
        words.steps.append(Metaspace())
    else:
        words.steps.append(ReplaceText(" ", mark))
        if scheme != "never":
            words.steps.append(Prepend(mark, unless_there=True, first_only=scheme == "first"))
    if step.get("split", True):
        words.splits.append(Split(regex.escape(mark), Behavior.MERGED_WITH_NEXT))


def _splits(step: Json) -> Iterator[Split]:
    match step.get("type"):
        case "Split":
            yield _split(step)
        case "Whitespace":
            yield Split(WORDS, Behavior.REMOVED, invert=True)
        case "WhitespaceSplit":
            yield Split(_SPACE, Behavior.REMOVED)
        case "BertPreTokenizer":
            yield Split(_SPACE, Behavior.REMOVED)
            yield Split(_PUNCTUATION)
        case "Punctuation":
            yield Split(_PUNCTUATION, _behavior(step.get("behavior", "Isolated")))
        case "Digits":
            yield Split(_NUMBER, Behavior.ISOLATED if step.get("individual_digits") else Behavior.CONTIGUOUS)
        case "CharDelimiterSplit":
            delimiter = step.get("delimiter")
            if not isinstance(delimiter, str) or len(delimiter) != 1:
                raise NotKnownError("CharDelimiterSplit without a character as its delimiter")
            yield Split(regex.escape(delimiter), Behavior.REMOVED)
        case "FixedLength" if type(length := step.get("length")) is int and 0 < length <= 10_000:
            yield Split(rf"[\s\S]{{1,{length}}}")
        case kind:
            raise NotKnownError(str(kind))


def _behavior(value: Any) -> Behavior:
    for behavior in Behavior:
        if value == behavior:
            return behavior
    raise NotKnownError(f"Split with the behavior {value!r}")


def _split(step: Json) -> Split:
    pattern, invert = step.get("pattern"), step.get("invert", False)
    behavior = _behavior(step.get("behavior"))
    if not isinstance(pattern, dict) or not isinstance(invert, bool):
        raise NotKnownError("Split without a pattern")
    if isinstance(text := pattern.get("String"), str):
        return Split(regex.escape(text) if text else r"(?!)", behavior, invert)
    if not isinstance(source := pattern.get("Regex"), str):
        raise NotKnownError("Split without a pattern")
    known = known_pre_tokenizer(source)
    split = Split(known.pattern if known else from_oniguruma(source), behavior, invert)
    by_splits([split])  # raises PatternError for a pattern of no use
    return split


def _behind_bytes(words: Words, step: Json) -> Iterator[Split]:
    """Behind ByteLevel a pattern sees GPT-2's stand-ins for bytes: what is ASCII only is the same there."""
    if step.get("type") == "Digits":
        words.not_applied.append("that the pre-tokenizer Digits, behind ByteLevel, cuts some characters in two")
        yield Split(_ASCII_DIGITS, Behavior.ISOLATED if step.get("individual_digits") else Behavior.CONTIGUOUS)
        return
    pattern = step.get("pattern")
    source = (pattern.get("Regex") or pattern.get("String")) if isinstance(pattern, dict) else None
    if step.get("type") != "Split" or not isinstance(source, str) or not _SAME_IN_BYTES.fullmatch(source):
        raise NotKnownError(f"{step.get('type')} behind ByteLevel")
    yield _split(step)


_SAME_IN_BYTES = regex.compile(r"(?:[A-Za-z0-9]|\[[A-Za-z0-9-]+\]|[+?])+")

_APART = (Split(_PUNCTUATION), Split(_NUMBER), Split(r"\p{N}{1,3}"))


def _known(split: Split) -> PreTokenizer | None:
    for name, known in _KNOWN.items():
        if split == known:
            return PRE_TOKENIZERS[name]
    for pre_tokenizer in PRE_TOKENIZERS.values():
        if split == Split(pre_tokenizer.pattern) and pre_tokenizer.keeps_everything:
            return pre_tokenizer
    if (split.behavior, split.invert) == (Behavior.REMOVED, True):
        try:
            return custom(split.pattern)
        except BpeError:  # it has empty matches
            return None
    return None


_KNOWN = {
    "whitespace": Split(_SPACE, Behavior.REMOVED),
    "words": Split(WORDS, Behavior.REMOVED, invert=True),
    "metaspace": Split("▁", Behavior.MERGED_WITH_NEXT),
}
