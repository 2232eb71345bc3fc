"""How a text is cut into words, the pieces no merge ever crosses. Every way is a pattern of the `regex` module."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import regex

from core.errors import ConfigError, PatternError

BATCH_WORDS = 4_096  # about 2 ms of work
TIMEOUT_SECONDS = 3.0  # of processor time, for each batch
TRIAL_SECONDS = 0.25
SLOWEST_CHARS_PER_SECOND = 5_000_000  # a harmless search that finds nothing runs at 20 million and more

WHITESPACE = r"\S+"
WORDS = r"\w+|[^\s\w]+"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LINES = r"(?:[^\r\n]+|\r(?!\n))+"

_TITLES = {
    "whitespace": "At white space",
    "words": "Words and punctuation",
    "gpt2": "GPT-2",
    "cl100k": "GPT-4",
    "lines": "Whole lines",
    "custom": "Own pattern",
}
_HELPS = {
    "whitespace": "Cut at spaces and line ends, which are dropped; a comma stays with the word before it.",
    "words": "Cut at white space, which is dropped, and between letters or digits and punctuation.",
    "gpt2": "Letters, digits and punctuation apart; a space goes with the word after it, so that nothing is lost.",
    "cl100k": "Like GPT-2, with digits in groups of at most three and line ends kept together.",
    "lines": "Every line is one word, so merges may cross spaces; only the line ends are dropped.",
    "custom": "Every match of a regular expression is a word; text it does not match is left out.",
}


class Word(NamedTuple):
    """A piece of text and its place, in characters of the text that was cut; `end` is not included."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class PreTokenizer:
    """A named way to cut text into words. `custom` checks a pattern of the user's before making one."""

    name: str
    pattern: str

    @property
    def title(self) -> str:
        return _TITLES.get(self.name, self.name)

    @property
    def help(self) -> str:
        return _HELPS.get(self.name, _HELPS["custom"])

    @property
    def keeps_everything(self) -> bool:
        """Whether the words of every text, put together, are that text again."""
        return self.pattern in (GPT2, CL100K)

    @property
    def cuts_at_line_starts(self) -> bool:
        """Whether a word always ends between a "\\n" and a character that is not white space."""
        return self.pattern in (WHITESPACE, WORDS, GPT2, CL100K, LINES)

    def words(self, text: str) -> Iterator[Word]:
        """The words of `text` from left to right. Raises PatternError if a match is empty or takes too long."""
        for batch in self.match_batches(text):
            for match in batch:
                yield Word(match[0], *match.span())

    def words_between(self, text: str, start: int, stop: int) -> Iterator[Word]:
        """Those of `words(text)` between two of its line starts (or its ends); needs `cuts_at_line_starts`.

        Cutting `text[start:stop]` is not the same: GPT-2 looks one character ahead, and ends "a \\nb" with
        " ", "\\n", "b" but "a \\n" with " \\n".
        """
        assert self.cuts_at_line_starts, f"{self.name} has no safe line starts"
        for match in _compiled(self.pattern).finditer(text, start, stop + 1):
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
        """The words as lists of up to BATCH_WORDS matches, for loops that must be fast. Raises as `words` does."""
        if self.cuts_at_line_starts:  # one of ours: never empty, never slow
            matches = _compiled(self.pattern).finditer(text)
            return iter(lambda: list(islice(matches, BATCH_WORDS)), [])
        return self._guarded_batches(text)

    def _guarded_batches(self, text: str) -> Iterator[list["regex.Match[str]"]]:
        done = 0
        while batch := self._guarded_batch(text, done):
            yield batch
            done = batch[-1].end()

    def _guarded_batch(self, text: str, start: int) -> list["regex.Match[str]"]:
        seconds = TIMEOUT_SECONDS + (len(text) - start) / SLOWEST_CHARS_PER_SECOND
        batch: list[regex.Match[str]] = []
        try:
            for match in islice(_compiled(self.pattern).finditer(text, start, timeout=seconds), BATCH_WORDS):
                if match.start() >= match.end():
                    raise _empty_match(f"at character {match.start() + 1:,} of the text", match.start())
                batch.append(match)
        except TimeoutError:
            position = batch[-1].end() if batch else start
            raise _too_slow(f"the text from character {position + 1:,}", position) from None
        return batch


PRE_TOKENIZERS: dict[str, PreTokenizer] = {
    name: PreTokenizer(name, pattern)
    for name, pattern in (
        ("gpt2", GPT2),
        ("cl100k", CL100K),
        ("words", WORDS),
        ("whitespace", WHITESPACE),
        ("lines", LINES),
    )
}

_PROBES = ("", " ", "a", "1", ".", "\n", "\r\n", "é", "日", "It's 12,345 words!\r\n\n  (naïve) a_b")


def custom(pattern: str) -> PreTokenizer:
    """A pre-tokenizer of the user's own.

    Raises PatternError, with the place in the pattern where there is one, if it cannot be read or has an empty match
    in one of a few trial texts.
    """
    compiled = _compiled(pattern)
    if compiled.flags & regex.REVERSE:
        raise PatternError("The pattern reads backwards, (?r); words are taken from left to right.")
    for probe in _PROBES:
        try:
            if any(match.start() >= match.end() for match in compiled.finditer(probe, timeout=TRIAL_SECONDS)):
                raise _empty_match(f"in {probe!r}" if probe else "in an empty text")
        except TimeoutError:
            raise _too_slow(f"{probe!r}") from None
    return PreTokenizer("custom", pattern)


def named(name: str, pattern: str | None = None) -> PreTokenizer:
    """The pre-tokenizer of this name; "custom" needs its pattern.

    Raises ConfigError for an unknown name or a pattern that is not the name's own, PatternError as `custom` does.
    """
    if name == "custom" and pattern is not None:
        return custom(pattern)
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


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "possible nested set": today's meaning is the one we use
            return regex.compile(pattern)
    except regex.error as error:
        position: int | None = getattr(error, "pos", None)  # types-regex leaves out pos and msg
        place = "" if position is None else f" at character {position + 1}"
        raise PatternError(f"The pattern cannot be read{place}: {getattr(error, 'msg', error)}.", position) from None
    except RecursionError:
        raise PatternError("The pattern has too many brackets inside each other.") from None


def _empty_match(where: str, position: int | None = None) -> PatternError:
    return PatternError(
        f"The pattern matches nothing {where}, and a word needs at least one character. "
        "Use + instead of *, and no | without something on both sides.",
        position,
    )


def _too_slow(where: str, position: int | None = None) -> PatternError:
    return PatternError(
        f"The pattern takes too long on {where}. Repeats inside repeats, such as (a+)+, are the usual reason.", position
    )
