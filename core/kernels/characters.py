"""What kind of character stands at a place of UTF-8 bytes, as `regex` says it."""

from functools import cache

import numpy as np
import regex

from core.kernels.compiled import kernel
from core.packed_words import Bytes

LETTER = 1
NUMBER = 2
SPACE = 4
OTHER = 8
r"""Neither of the three above: `[^\s\p{L}\p{N}]`; marks too."""
UPPER = 16
r"""`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`"""
LOWER = 32
r"""`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`"""
WORD = 64
r"""`\w`"""
SIGN = 128
r"""`[^\s\w]`"""

CODE_POINTS = 0x110000
DECODABLE = 1 << 21
"""What four bytes can hold, so that bytes that are no UTF-8 are looked up inside of the table too."""


@cache
def character_kinds() -> Bytes:
    """For every code point the sum of the above that hold; made in some 40 ms."""
    every = np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    letter, number, space, word, mark, lower, capital, title = (
        _matched(pattern, every)
        for pattern in (r"\p{L}+", r"\p{N}+", r"\s+", r"\w+", r"\p{M}+", r"\p{Ll}+", r"\p{Lu}+", r"\p{Lt}+")
    )
    kinds = LETTER * letter + NUMBER * number + SPACE * space + WORD * word
    kinds[kinds & (LETTER | NUMBER | SPACE) == 0] |= OTHER
    kinds[kinds & (SPACE | WORD) == 0] |= SIGN
    kinds[(letter > lower) | (mark > 0)] |= UPPER
    kinds[(letter > capital + title) | (mark > 0)] |= LOWER
    table = np.full(DECODABLE, OTHER | SIGN, np.uint8)
    table[:CODE_POINTS] = kinds
    return table


def _matched(pattern: str, every: str) -> Bytes:
    """1 for every character that is in a match, 0 for the others."""
    matched = np.zeros(len(every), np.uint8)
    for match in regex.finditer(pattern, every):
        matched[match.start() : match.end()] = 1
    return matched


@kernel
def kind_and_size(data: Bytes, place: int, kinds: Bytes) -> tuple[np.int64, int]:
    """Of the character that begins at `place`: its kinds, and how many bytes it has."""
    first = np.int64(data[place])
    if first < 0x80:
        return np.int64(kinds[first]), 1
    if first < 0xE0:
        return np.int64(kinds[(first & 31) << 6 | np.int64(data[place + 1] & 63)]), 2
    last = np.int64(data[place + 1] & 63) << 6 | np.int64(data[place + 2] & 63)
    if first < 0xF0:
        return np.int64(kinds[(first & 15) << 12 | last]), 3
    return np.int64(kinds[(first & 7) << 18 | last << 6 | np.int64(data[place + 3] & 63)]), 4
