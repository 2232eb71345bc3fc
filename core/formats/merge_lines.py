"""Files that list merges line by line, two tokens with a space between: recognizing and reading them.

GPT-2's merges.txt and the codes of subword-nmt share the header `#version: 0.2`; only what the lines hold tells them
apart.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

from core.alphabet import MARKER_TEXT
from core.errors import FormatError
from core.formats.spelling import BYTE_OF_STAND_IN, STAND_INS
from core.progress import Progress

VERSION_LINE = "#version"
BYTES_LOOKED_AT = 1 << 16
LINES_LOOKED_AT = 1_000
LINES_PER_SLICE = 20_000
"""Some 10 ms of work."""
MAX_LINES = 4_000_000
MAX_SHOWN_CHARS = 60
MAX_DIGITS = 18
_SPACE_SIGN = STAND_INS[0x20]
_FAIR_SHARE = 0.9


@dataclass(frozen=True)
class MergeLines:
    """The beginning of such a file. `columns` is 3 where a count stands behind each merge."""

    columns: int
    has_header: bool
    has_word_ends: bool
    """Some tokens end in `</w>`."""
    is_spelled_in_bytes: bool
    """All letters are GPT-2's stand-ins for bytes."""
    has_space_signs: bool
    """Among them is the one of the space, `Ġ`."""


def looked_at(data: bytes) -> MergeLines | None:
    """What a file begins with; None for one that lists no merges.

    Without a header a file must hold marks that texts do not have: `</w>`, or `Ġ`.
    """
    lines = data[:BYTES_LOOKED_AT].decode(errors="replace").split("\n")[: LINES_LOOKED_AT + 1]
    if len(lines) > 1:
        lines.pop()  # it may be cut off
    has_header = lines[0].startswith(VERSION_LINE)
    rows = [line.strip("\r ").split(" ") for line in lines[has_header:]]
    three = [row[:2] for row in rows if len(row) == 3 and row[2].isdecimal()]
    two = [row for row in rows if len(row) == 2]
    pairs = max(three, two, key=len)
    if len(pairs) < _FAIR_SHARE * len(rows) or not (pairs or has_header):
        return MergeLines(2, True, False, False, False) if has_header else None
    parts = {part for pair in pairs for part in pair}
    letters = set("".join(parts))
    found = MergeLines(
        3 if pairs is three else 2,
        has_header,
        any(part.endswith(MARKER_TEXT) for part in parts),
        letters <= BYTE_OF_STAND_IN.keys(),
        _SPACE_SIGN in letters,
    )
    return found if has_header or found.has_word_ends or _is_byte_level(found, pairs) else None


def _is_byte_level(found: MergeLines, pairs: list[list[str]]) -> bool:
    are_ranks = all(right.isdecimal() for _, right in pairs)
    return found.is_spelled_in_bytes and found.has_space_signs and not are_ranks


SpelledMerge = tuple[str, str]


class MergeList(NamedTuple):
    """The merges of a file by rank."""

    pairs: list[SpelledMerge]
    first_line: int
    """Number of the line of the first one, from 1."""

    def line(self, rank: int) -> int:
        return self.first_line + rank


def read_merge_lines(
    text: str, file: str, columns: int = 2, header: re.Pattern[str] | None = None, may_be_indented: bool = False
) -> Generator[Progress, None, MergeList]:
    r"""The merges of a file's text; a first line that matches `header` is none. Raises FormatError with the line.

    Lines end in "\n" or "\r\n". With `may_be_indented` spaces around a line and empty last lines do not count.
    """
    lines = (text.rstrip("\n") if may_be_indented else text.removesuffix("\n")).split("\n")
    if len(lines) > MAX_LINES:
        raise FormatError(f"{file} has {len(lines):,} lines, more than any tokenizer has merges.")
    first = 1 if header is not None and header.match(lines[0]) else 0
    pairs = list[SpelledMerge]()
    if lines[first:] in ([], [""]):
        return MergeList(pairs, first + 1)
    for start in range(first, len(lines), LINES_PER_SLICE):
        part = lines[start : start + LINES_PER_SLICE]
        if may_be_indented:
            part = [line.strip("\r ") for line in part]
        elif "\r" in text:
            part = [line.removesuffix("\r") for line in part]
        pairs += _pairs(part, start + 1, file, columns)
        yield Progress(len(pairs), len(lines))
    return MergeList(pairs, first + 1)


def _pairs(lines: list[str], number: int, file: str, columns: int) -> list[SpelledMerge]:
    found = [tuple(line.split(" ")) for line in lines]
    for place, parts in enumerate(found):
        if len(parts) != columns or "" in parts or (columns == 3 and not _is_count(parts[2])):
            expected = "two tokens" if columns == 2 else "two tokens and a count"
            between = "a space" if columns == 2 else "spaces"
            raise FormatError(
                f"{file}, line {number + place}: expected {expected} with {between} between, found "
                f"{shortened(lines[place])!r}."
            )
    return [(parts[0], parts[1]) for parts in found] if columns == 3 else found  # type: ignore[return-value]  # looked at


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def shortened(line: str) -> str:
    return line if len(line) <= MAX_SHOWN_CHARS else line[:MAX_SHOWN_CHARS] + "…"
