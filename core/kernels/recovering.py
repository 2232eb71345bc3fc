"""Finds the merges that a vocabulary was made by: each token, cut by the merges before its own, falls into two parts.

The tokens come in the order of merges. Where one does not fall into two parts it was not made by a merge, and later
tokens are cut as if it was not there.
"""

import numpy as np

from core.kernels.compiled import kernel
from core.kernels.encoding import (
    EMPTY,
    NEVER,
    SHORT,
    Merges,
    Symbols,
    add_pairs,
    merge_long,
    merge_short,
    padded,
)
from core.kernels.word_encoding import UNLIMITED, Scratch, new_scratch
from core.packed_words import PADDING, Bytes, Numbers


@kernel
def recover(
    data: Bytes,
    offsets: Numbers,
    first: int,
    last: int,
    symbols: Symbols,
    merges: Merges,
    scratch: Scratch,
    lefts: Symbols,
    rights: Symbols,
    parts: Symbols,
) -> None:
    """Tokens `first` to before `last`: their two parts' numbers, and how many parts there are.

    Token i, `data[offsets[i]:offsets[i + 1]]`, gets the number `merges.first + i`; `symbols` has those of the bytes.
    """
    for i in range(first, last):
        start, size = offsets[i], offsets[i + 1] - offsets[i]
        for place in range(size):
            scratch.tokens[place] = symbols[data[start + place]]
        for place in range(size, padded(size)):
            scratch.tokens[place] = 0
        limit = merges.first + i
        parts[i] = _merged(size, merges, limit, scratch, lefts, rights, i)
        merges.lengths[limit] = size
        if parts[i] == 2:
            add_pairs(merges, lefts[i : i + 1], rights[i : i + 1], i)


@kernel
def _merged(
    size: int, merges: Merges, limit: int, scratch: Scratch, lefts: Symbols, rights: Symbols, token: int
) -> int:
    """How many parts are left of a spelled token; the first and the last one are its left and right."""
    tokens = scratch.tokens
    if size <= SHORT:
        merge_short(tokens, size, scratch.short, scratch.removed, merges, limit)
    else:
        scratch.state[:] = 0
        merge_long(tokens, size, scratch.heap, scratch.state, scratch.removed, merges, limit, UNLIMITED)
    place, count = 0, 0
    while place < size:
        if count == 0:
            lefts[token] = tokens[place]
        rights[token] = tokens[place]
        place += merges.lengths[tokens[place]]
        count += 1
    return count


def warm_up() -> None:
    none, symbols = np.zeros(0, np.int64), np.zeros(1, np.int32)
    merges = Merges(np.full(1, NEVER, np.int32), np.full(2, EMPTY), np.ones(2, np.int32), np.ones(2, np.int32), 1, 1)
    recover(np.zeros(PADDING, np.uint8), none, 0, 0, symbols, merges, new_scratch(1), symbols, symbols, symbols)
