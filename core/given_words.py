"""What lists of word counts have in common, whatever file holds them: their limits, notes and error messages."""

import json
import re
from collections.abc import Iterator, Mapping

from core.alphabet import has_half_characters
from core.errors import FormatError
from core.text_encoding import counted

MAX_COUNT = 2**63 - 1
MAX_QUOTED_CHARS = 40

AS_THEY_ARE = "The words are trained on as they are: neither normalizer nor pre-tokenizer changes them."


def quoted(text: str) -> str:
    """Short and in quotes, for messages."""
    short = text if len(text) <= MAX_QUOTED_CHARS else text[: MAX_QUOTED_CHARS - 1] + "…"
    return f'"{short}"' if short.isprintable() else json.dumps(short)


def count_of(digits: str, what: str = "") -> int:
    """Raises ValueError, in the user's words, unless it is a whole number from 1 to MAX_COUNT; `what` is its name."""
    if re.fullmatch("-[0-9]+", digits):
        raise ValueError(f"the count {quoted(digits)} is negative, and must be at least 1")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{what or f'the count {quoted(digits)}'} is not a whole number")
    digits = digits.lstrip("0")
    if len(digits) > 19 or (count := int(digits or "0")) > MAX_COUNT:
        raise ValueError(f"the count {quoted(digits)} is too large; the largest is {MAX_COUNT:,}")
    if count == 0:
        raise ValueError("the count is 0, and must be at least 1")
    return count


def notes_on(words: int, total: int, repeated: int, line: str, has_mark: bool = False) -> list[str]:
    notes = [f"Word counts: {counted(words, 'word')}, {total:,} in all.", AS_THEY_ARE]
    if has_mark:
        notes.append("A byte order mark at the start was removed.")
    if repeated:
        notes.append(f"{counted(repeated, line)} with a word that was listed before: the counts were added up.")
    return notes


def savable(counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The words with their counts. Raises FormatError for a word or count that no file can hold."""
    for word, count in counts.items():
        if not word:
            raise FormatError("A list of word counts cannot hold a word without characters.")
        if not 1 <= count <= MAX_COUNT:
            raise FormatError(f"The word {quoted(word)} has the count {count:,}; from 1 to {MAX_COUNT:,} can be saved.")
        if has_half_characters(word):
            raise FormatError(f"The word {word!r} holds half a character (a lone surrogate), which UTF-8 cannot hold.")
        yield word, count
