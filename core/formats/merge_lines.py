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


class MergeLine(NamedTuple):
    left: str
    right: str
    number: int
    """Of its line in the file, from 1."""


def read_merge_lines(
    text: str, file: str, columns: int = 2, header: re.Pattern[str] | None = None, may_be_indented: bool = False
) -> Generator[Progress, None, list[MergeLine]]:
    r"""The merges of a file's text; a first line that matches `header` is none. Raises FormatError with the line.

    Lines end in "\n" or "\r\n". With `may_be_indented` spaces around a line and empty last lines do not count.
    """
    lines = (text.rstrip("\n") if may_be_indented else text.removesuffix("\n")).split("\n")
    if len(lines) > MAX_LINES:
        raise FormatError(f"{file} has {len(lines):,} lines, more than any tokenizer has merges.")
    first = 1 if header is not None and header.match(lines[0]) else 0
    if lines[first:] in ([], [""]):
        return []
    merges = list[MergeLine]()
    for start in range(first, len(lines), LINES_PER_SLICE):
        for number, line in enumerate(lines[start : start + LINES_PER_SLICE], start + 1):
            merges.append(_merge_line(line, number, file, columns, may_be_indented))
        yield Progress(len(merges), len(lines))
    return merges


def _merge_line(line: str, number: int, file: str, columns: int, may_be_indented: bool) -> MergeLine:
    parts = (line.strip("\r ") if may_be_indented else line.removesuffix("\r")).split(" ")
    count = "".join(parts[2:])
    is_count = columns == 2 or (count.isascii() and count.isdigit() and len(count) < MAX_DIGITS)
    if len(parts) != columns or not all(parts) or not is_count:
        expected = "two tokens with a space between" if columns == 2 else "two tokens and a count with spaces between"
        raise FormatError(f"{file}, line {number}: expected {expected}, found {shortened(line)!r}.")
    return MergeLine(parts[0], parts[1], number)


def shortened(line: str) -> str:
    return line if len(line) <= MAX_SHOWN_CHARS else line[:MAX_SHOWN_CHARS] + "…"
