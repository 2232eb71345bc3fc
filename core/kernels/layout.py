"""The corpus that the trainer works on: the symbols of all unique words in one array, a 0 between words.

A token that spans several slots has its symbol in its first and in its last slot, so the next token starts at
`slot + length` and the one before ends in the slot before: there are no links to keep. Where a token begins is its
place; a place and the weight of its word are packed into one number, so that they are read together.
"""

from typing import NamedTuple

import numpy as np

from core.kernels.compiled import kernel
from core.kernels.spelling import spell, spell_plainly
from core.packed_words import PADDING, Bytes, Numbers
from core.spelling_tables import SpellingTables, Symbols

SEPARATOR = 0
GONE = -(2**31)
"""In a slot inside a token, where another token began before."""

WEIGHT_SHIFT = 40
PLACE_MASK = (1 << WEIGHT_SHIFT) - 1
HEAVY = 1 << 22
"""Weights from here on stand in a table of their own, and HEAVY + n is what is packed for the n-th of them."""

WORDS, WHOLE_WORDS, BYTES, CHARACTERS, TOKENS, SUMS = range(6)


class Layout(NamedTuple):
    """`codes[w]` is the packed weight of word w, `heavy` the weights that do not fit into it."""

    symbols: Symbols
    codes: Numbers
    heavy: Numbers


def weight_codes(counts: Numbers) -> tuple[Numbers, Numbers]:
    """`codes` and `heavy` of a Layout."""
    is_heavy = counts >= HEAVY
    if not is_heavy.any():
        return counts, counts[:0]
    codes = counts.copy()
    codes[is_heavy] = HEAVY + np.arange(np.count_nonzero(is_heavy))
    return codes, counts[is_heavy]


@kernel
def weight(packed: int, heavy: Numbers) -> int:
    """The weight of the word that a packed place is in."""
    code = packed >> WEIGHT_SHIFT
    return code if code < HEAVY else heavy[code - HEAVY]


@kernel
def lay_out(
    data: Bytes,
    offsets: Numbers,
    counts: Numbers,
    first: int,
    last: int,
    tables: SpellingTables,
    symbols: Symbols,
    slot: int,
    symbol_counts: Numbers,
    sums: Numbers,
) -> int:
    """Lay the words `first` to `last` out from `slot` on; returns the slot behind them.

    Adds to `symbol_counts` how often each symbol occurs (at 0 the unknown ones), and to `sums` the words, those of one
    symbol, bytes, characters and symbols, each as often as it occurs.
    """
    words, whole, byte_count, all_characters, tokens = 0, 0, 0, 0, 0
    for word in range(first, last):
        count, begin, start, end = counts[word], slot, offsets[word], offsets[word + 1]
        slot = spell_plainly(data, start, end, tables, symbols, begin)
        if slot == begin:
            slot = spell(data, start, end, tables, symbols, begin)
        for i in range(begin, slot):
            symbol = np.int64(symbols[i])
            symbol_counts[symbol if symbol > 0 else -1 - symbol] += count
        words += count
        whole += count if slot == begin + 1 else 0
        byte_count += count * (end - start)
        all_characters += count * _character_count(data, start, end)
        tokens += count * (slot - begin)
        symbols[slot] = SEPARATOR
        slot += 1
    sums[WORDS] += words
    sums[WHOLE_WORDS] += whole
    sums[BYTES] += byte_count
    sums[CHARACTERS] += all_characters
    sums[TOKENS] += tokens
    return slot


@kernel
def _character_count(data: Bytes, start: int, end: int) -> int:
    characters = 0
    for i in range(start, end):
        characters += np.int64((data[i] & 0xC0) != 0x80)
    return characters


def warm_up() -> None:
    from core.alphabet import byte_alphabet
    from core.spelling_tables import spelling_tables

    data, numbers = np.zeros(PADDING, np.uint8), np.zeros(SUMS, np.int64)
    tables = spelling_tables(byte_alphabet())
    symbols = np.zeros(2, np.int32)
    lay_out(data, np.zeros(2, np.int64), numbers, 0, 1, tables, symbols, 1, np.zeros(257, np.int64), numbers.copy())
    weight(0, numbers)
