"""How often each character occurs in a list of words, and at which places: what an alphabet is chosen from."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core import kernel_loader
from core.packed_words import PackedWords

CODE_POINTS = 0x110000
WORDS_PER_SLICE = 1 << 16
LARGEST_TOTAL = 2**62


class CharacterCounts(NamedTuple):
    """`final` are those that end a word, `later` those that something stands before in a word."""

    counts: dict[str, int]
    final: set[str]
    later: set[str]


def count_characters(words: Mapping[str, int]) -> CharacterCounts:
    """Each word counts as often as it occurs."""
    if isinstance(words, PackedWords) and kernel_loader.are_ready() and _fits(words):
        return _compiled(words)
    counts: Counter[str] = Counter()
    for word, weight in words.items():
        for character in word:
            counts[character] += weight
    return CharacterCounts(dict(counts), {word[-1:] for word in words}, {c for word in words for c in word[1:]})


def _fits(words: PackedWords) -> bool:
    """Whether no count can reach 64 bits."""
    longest = int(np.diff(words.offsets).max(initial=0))
    return float(words.counts.sum(dtype=np.float64)) * longest < LARGEST_TOTAL


def _compiled(words: PackedWords) -> CharacterCounts:
    from core.kernels.spelling import count_code_points

    counts = np.zeros(CODE_POINTS, np.int64)
    finals, laters = np.zeros(CODE_POINTS, np.uint8), np.zeros(CODE_POINTS, np.uint8)
    end = 0
    for first in range(0, len(words), WORDS_PER_SLICE):
        last = min(first + WORDS_PER_SLICE, len(words))
        above = count_code_points(words.data, words.offsets, words.counts, first, last, counts, finals, laters)
        end = max(end, above)
    counts = counts[:end]  # even to look at memory that nobody touched yet takes time
    found = np.flatnonzero(counts).tolist()
    return CharacterCounts(
        dict(zip(map(chr, found), counts[found].tolist(), strict=True)),
        set(map(chr, np.flatnonzero(finals[:end]).tolist())),
        set(map(chr, np.flatnonzero(laters[:end]).tolist())),
    )
