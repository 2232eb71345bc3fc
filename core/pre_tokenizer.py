"""How a text is cut into words, the pieces no merge ever crosses. Every way is a pattern of the `regex` module."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import islice
from typing import NamedTuple

import regex

from core import user_patterns
from core.errors import ConfigError
from core.punctuation import PUNCTUATION
from core.splits import Split, split_text

BATCH_WORDS = user_patterns.BATCH_MATCHES

WHITESPACE = r"\S+"
WORDS = r"\w+|[^\s\w]+"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")
BEFORE_METASPACE = r"▁[^▁]*|[^▁]+"
BEFORE_METASPACES = r"▁+[^▁]*|[^▁]+"
LINES = r"(?:[^\r\n]+|\r(?!\n))+"
NONE = r"[\s\S]+"

_KEEP_EVERYTHING = frozenset({GPT2, CL100K, O200K, QWEN2, BEFORE_METASPACE, BEFORE_METASPACES, NONE})
_CUT_AT_LINE_STARTS = frozenset({GPT2, CL100K, QWEN2, WHITESPACE, WORDS, LINES})  # O200K takes "!\n/" for one word
_OURS = _KEEP_EVERYTHING | _CUT_AT_LINE_STARTS

_TITLES = {
    "whitespace": "At white space",
    "words": "Words and punctuation",
    "gpt2": "GPT-2",
    "cl100k": "GPT-4",
    "o200k": "GPT-4o",
    "llama3": "Llama 3",
    "qwen2": "Qwen 2 and 3",
    "metaspace": "Before each ▁",
    "metaspaces": "Before each run of ▁",
    "lines": "Whole lines",
    "none": "Not at all",
    "custom": "Own pattern",
    "splits": "Several patterns",
}
_HELPS = {
    "whitespace": "Cut at spaces and line ends, which are dropped; a comma stays with the word before it.",
    "words": "Cut at white space, which is dropped, and between letters or digits and punctuation.",
    "gpt2": "Letters, digits and punctuation apart; a space goes with the word after it, so that nothing is lost.",
    "cl100k": "Like GPT-2, with digits in groups of at most three and line ends kept together.",
    "o200k": "Like GPT-4, but “don't” and letters with marks stay whole; a capital behind a small letter cuts.",
    "llama3": "The same as GPT-4: digits in groups of at most three and line ends kept together.",
    "qwen2": "Like GPT-4, but every digit is a word of its own.",
    "metaspace": "Every ▁ begins a word; for texts whose spaces became ▁ by the normalizer metaspace.",
    "metaspaces": "Like “Before each ▁”, but several ▁ in a row stay together, so that they may be tokens.",
    "lines": "Every line is one word, so merges may cross spaces; only the line ends are dropped.",
    "none": "The whole text is one word, so merges may cross spaces and line ends.",
    "custom": "Every match of a regular expression is a word; text it does not match is left out.",
    "splits": "Several patterns cut one after the other, each what the one before has left.",
}


class Digits(StrEnum):
    r"""What is done with digits, all of \p{N}, before the pattern cuts."""

    TOGETHER = "together"
    SINGLE = "single"
    THREES = "threes"


DIGITS_TITLES = {
    Digits.TOGETHER: "As the pattern does",
    Digits.SINGLE: "One by one",
    Digits.THREES: "In threes",
}
DIGITS_HELPS = {
    Digits.TOGETHER: "Digits are cut as the pattern cuts them.",
    Digits.SINGLE: "Every digit is a word of its own.",
    Digits.THREES: "Digits in groups of at most three, counted from the left.",
}
PUNCTUATION_TITLE = "Punctuation apart"
PUNCTUATION_HELP = "Every punctuation mark is a word of its own."


class Word(NamedTuple):
    """A piece of text and its place, in characters of the text that was cut; `end` is not included."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class PreTokenizer:
    """A named way to cut text into words. `custom` checks a pattern of the user's before making one.

    `punctuation` and `digits` act first, on the whole text: every punctuation mark, then every digit or group of
    digits is a piece. The pattern cuts each piece on its own, as if nothing stood around it.

    `splits`, if there are any, cut in place of all that; `pattern` only shows them then.
    """

    name: str
    pattern: str
    digits: Digits = Digits.TOGETHER
    punctuation: bool = False
    splits: tuple[Split, ...] = ()

    @property
    def title(self) -> str:
        return _TITLES.get(self.name, self.name)

    @property
    def help(self) -> str:
        return _HELPS.get(self.name, _HELPS["custom"])

    @property
    def is_plain(self) -> bool:
        """Whether the pattern alone cuts the text."""
        return self.digits is Digits.TOGETHER and not self.punctuation and not self.splits

    @property
    def keeps_everything(self) -> bool:
        """Whether the words of every text, put together, are that text again."""
        if self.splits:
            return all(split.keeps_everything for split in self.splits)
        return self.pattern in _KEEP_EVERYTHING

    @property
    def cuts_at_line_starts(self) -> bool:
        """Whether a word always ends between a "\\n" and a character that is not white space."""
        return self.is_plain and self.pattern_cuts_at_line_starts

    @property
    def pattern_cuts_at_line_starts(self) -> bool:
        """The same, if digits and punctuation are cut apart too; then words before that place must be cut with it."""
        return self.pattern in _CUT_AT_LINE_STARTS

    def words(self, text: str) -> Iterator[Word]:
        """The words of `text` from left to right. Raises PatternError if a match is empty or takes too long."""
        for batch in self.word_batches(text):
            yield from batch

    def words_between(self, text: str, start: int, stop: int) -> Iterator[Word]:
        """Those of `words(text)` between two of its line starts (or its ends); needs `cuts_at_line_starts`.

        Cutting `text[start:stop]` is not the same: GPT-2 looks one character ahead, and ends "a \\nb" with
        " ", "\\n", "b" but "a \\n" with " \\n".
        """
        assert self.cuts_at_line_starts, f"{self.name} has no safe line starts"
        for match in user_patterns.compiled(self.pattern).finditer(text, start, stop + 1):
            if match.start() < stop:
                yield Word(match[0], *match.span())

    def gaps(self, text: str) -> Iterator[tuple[int, int]]:
        """The stretches (start, end) of `text` that are in no word, each as long as possible."""
        covered = 0
        for word in self.words(text):
            if word.start > covered:
                yield covered, word.start
            covered = word.end
        if covered < len(text):
            yield covered, len(text)

    def match_batches(self, text: str) -> Iterator[list["regex.Match[str]"]]:
        """The words as lists of up to BATCH_WORDS matches, for loops that must be fast; needs `is_plain`.

        Raises as `words` does.
        """
        assert self.is_plain, f"{self.name} cuts with more than its pattern"
        if self.pattern not in _OURS:
            return user_patterns.match_batches(self.pattern, text)
        matches = user_patterns.compiled(self.pattern).finditer(text)  # ours are never empty, never slow
        return iter(lambda: list(islice(matches, BATCH_WORDS)), [])

    def word_batches(self, text: str) -> Iterator[list[Word]]:
        """The words as lists of up to BATCH_WORDS. Raises as `words` does."""
        if self.splits:
            found = (Word(text[start:end], start, end) for start, end in split_text(self.splits, text))
            return iter(lambda: list(islice(found, BATCH_WORDS)), [])
        if self.is_plain:
            return ([Word(match[0], *match.span()) for match in batch] for batch in self.match_batches(text))
        words = self._words_of_pieces(text) if self.pattern in _OURS else self._guarded_words_of_pieces(text)
        return iter(lambda: list(islice(words, BATCH_WORDS)), [])

    def _words_of_pieces(self, text: str) -> Iterator[Word]:
        compiled = user_patterns.compiled(self.pattern)
        for piece in _pieces(self.digits, self.punctuation).finditer(text):
            for match in compiled.finditer(text, *piece.span()):  # ours look ahead, not back: the end counts
                yield Word(match[0], *match.span())

    def _guarded_words_of_pieces(self, text: str) -> Iterator[Word]:
        allowance = user_patterns.Allowance()
        for number, piece in enumerate(_pieces(self.digits, self.punctuation).finditer(text), 1):
            offset = piece.start()
            for batch in user_patterns.match_batches(self.pattern, piece[0], "text", offset, allowance):
                for match in batch:
                    yield Word(match[0], offset + match.start(), offset + match.end())
            if number % BATCH_WORDS == 0:
                allowance = user_patterns.Allowance()


PRE_TOKENIZERS: dict[str, PreTokenizer] = {
    name: PreTokenizer(name, pattern)
    for name, pattern in (
        ("gpt2", GPT2),
        ("cl100k", CL100K),
        ("o200k", O200K),
        ("llama3", CL100K),
        ("qwen2", QWEN2),
        ("words", WORDS),
        ("whitespace", WHITESPACE),
        ("metaspace", BEFORE_METASPACE),
        ("metaspaces", BEFORE_METASPACES),
        ("lines", LINES),
        ("none", NONE),
    )
}


def custom(pattern: str) -> PreTokenizer:
    """A pre-tokenizer of the user's own.

    Raises PatternError, with the place in the pattern where there is one, if it cannot be read or has an empty match
    in one of a few trial texts.
    """
    user_patterns.check(pattern)
    return PreTokenizer("custom", pattern)


def by_splits(splits: Sequence[Split]) -> PreTokenizer:
    """A pre-tokenizer that cuts by several patterns. Raises PatternError as `custom` does."""
    for split in splits:
        user_patterns.check(split.pattern, may_be_empty=True)
    return PreTokenizer("splits", " then ".join(split.pattern for split in splits), splits=tuple(splits))


def named(
    name: str, pattern: str | None = None, digits: str = Digits.TOGETHER, punctuation: bool = False
) -> PreTokenizer:
    """The pre-tokenizer of this name; "custom" needs its pattern. `digits` is a value of Digits.

    Raises ConfigError for an unknown name, a pattern that is not the name's own or an unknown way with digits,
    PatternError as `custom` does.
    """
    if digits not in tuple(Digits):
        raise ConfigError(f"Digits cannot be cut {digits!r}. Known are: {', '.join(Digits)}.")
    found = custom(pattern) if name == "custom" and pattern is not None else _known(name, pattern)
    if digits == Digits.TOGETHER and not punctuation:
        return found
    return replace(found, digits=Digits(digits), punctuation=punctuation)


def _known(name: str, pattern: str | None) -> PreTokenizer:
    known = PRE_TOKENIZERS.get(name)
    if known is None:
        raise ConfigError(
            f"There is no pre-tokenizer {name!r}. Known are: {', '.join(PRE_TOKENIZERS)}, and custom with a pattern."
        )
    if pattern not in (None, known.pattern):
        raise ConfigError(
            f"The pre-tokenizer {name!r} has a pattern of its own; a different one needs the name 'custom'."
        )
    return known


@cache
def _pieces(digits: Digits, punctuation: bool) -> "regex.Pattern[str]":
    """What the pattern cuts one by one: no character is both punctuation and a digit, so one search finds both."""
    apart = (PUNCTUATION if punctuation else "") + ("" if digits is Digits.TOGETHER else r"\p{N}")
    group = r"\p{N}{1,3}" if digits is Digits.THREES else r"\p{N}"
    # neither letters nor white space are ever apart; to ask that first is five times as fast
    return regex.compile(rf"(?V1)[^[^\p{{L}}\s]&&[{apart}]]+|{group}|[\s\S]")
