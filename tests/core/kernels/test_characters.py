import random
import sys

import numpy as np
import pytest
import regex

from core.kernels.characters import (
    LETTER,
    LOWER,
    NUMBER,
    OTHER,
    SIGN,
    SPACE,
    UPPER,
    WORD,
    character_kinds,
    kind_and_size,
)
from core.packed_words import PADDING

PATTERNS = {
    LETTER: r"\p{L}",
    NUMBER: r"\p{N}",
    SPACE: r"\s",
    OTHER: r"[^\s\p{L}\p{N}]",
    UPPER: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]",
    LOWER: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
    WORD: r"\w",
    SIGN: r"[^\s\w]",
}


@pytest.mark.parametrize(
    ("character", "kinds"),
    [
        ("a", LETTER | LOWER | WORD),
        ("A", LETTER | UPPER | WORD),
        ("ǅ", LETTER | UPPER | WORD),  # title case
        ("中", LETTER | UPPER | LOWER | WORD),
        ("ʰ", LETTER | UPPER | LOWER | WORD),  # a modifier
        ("7", NUMBER | WORD),
        ("½", NUMBER | SIGN),
        ("Ⅷ", NUMBER | WORD),
        ("\u0301", OTHER | UPPER | LOWER | WORD),
        ("_", OTHER | WORD),
        ("!", OTHER | SIGN),
        ("🙂", OTHER | SIGN),
        ("\ud83d", OTHER | SIGN),
        ("\x00", OTHER | SIGN),
        ("\n", SPACE),
        ("\x85", SPACE),
        ("\u3000", SPACE),
        ("\x1c", OTHER | SIGN),  # white space to str.split
        ("\u200b", OTHER | SIGN),
    ],
)
def test_kinds_of_a_character(character: str, kinds: int) -> None:
    assert character_kinds()[ord(character)] == kinds


@pytest.mark.parametrize("kind", PATTERNS)
def test_kinds_are_those_of_regex(kind: int) -> None:
    kinds = character_kinds() & kind
    borders = np.flatnonzero(np.diff(kinds[: sys.maxunicode + 1]))
    codes = {
        *range(0x3000),
        *borders.tolist(),
        *(borders + 1).tolist(),
        *random.Random(4).sample(range(0x110000), 2_000),
    }
    pattern = regex.compile(PATTERNS[kind])
    assert [code for code in codes if bool(pattern.fullmatch(chr(code))) != bool(kinds[code])] == []


@pytest.mark.parametrize(
    ("character", "size"),
    [("a", 1), ("\x7f", 1), ("\x80", 2), ("߿", 2), ("ࠀ", 3), ("\uffff", 3), ("𐀀", 4), ("\U0010ffff", 4)],
)
def test_characters_of_all_sizes(character: str, size: int) -> None:
    data = np.frombuffer(bytearray(b"x" + character.encode() + bytes(PADDING)), np.uint8)
    assert kind_and_size(data, 1, character_kinds()) == (character_kinds()[ord(character)], size)


def test_bytes_that_are_no_utf8_are_looked_up_inside_of_the_table() -> None:
    data = np.frombuffer(bytearray(b"\xff\xff\xff\xff"), np.uint8)
    assert kind_and_size(data, 0, character_kinds()) == (OTHER | SIGN, 4)
