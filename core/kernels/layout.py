"""The corpus that the trainer works on: the symbols of all unique words in one array, a 0 between words.

A token that spans several slots has its symbol in its first and in its last slot, so the next token starts at
`slot + length` and the one before ends in the slot before: there are no links to keep. Where a token begins is its
place. Words that are equally rare lie together in blocks of their own, so a place tells the weight of its word.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels.compiled import kernel
from core.kernels.spelling import spell, spell_plainly
from core.packed_words import Bytes, Numbers
from core.spelling_tables import BYTES as UNKNOWN_BYTES
from core.spelling_tables import SpellingTables, Symbols

Places = NDArray[np.uint32]

SEPARATOR = 0
GONE = -(2**31)
"""In a slot inside a token, where another token began before."""

BLOCK_BITS = 8
BLOCK = 1 << BLOCK_BITS
WEIGHTS = 1 << 8
"""Words of each weight below have blocks of their own; for all others the weight is noted for each slot."""

WORDS, WHOLE_WORDS, BYTES, CHARACTERS, TOKENS, SUMS = range(6)


class Layout(NamedTuple):
    """`blocks[b]` is the weight of the words in the slots from b * BLOCK on; or, if it is not positive, that of the
    slot i behind that one is heavy[i - blocks[b]].
    """

    symbols: Symbols
    blocks: Numbers
    heavy: Numbers


@kernel
def weight(layout: Layout, place: int) -> int:
    """Of the word that a place is in."""
    code = layout.blocks[place >> BLOCK_BITS]
    return code if code > 0 else layout.heavy[(place & (BLOCK - 1)) - code]


@kernel
def weight_class(count: int, keeps_order: bool) -> int:
    """0 for those whose weight is noted for each slot."""
    return 0 if count >= WEIGHTS or keeps_order else count


@kernel
def measure_classes(
    data: Bytes,
    offsets: Numbers,
    counts: Numbers,
    first: int,
    last: int,
    keeps_order: bool,
    tables: SpellingTables,
    classes: Numbers,
) -> None:
    """Add to `classes`, of shape (WEIGHTS, 2), how many words there are of each class, and symbols at most, but for the
    markers behind words.
    """
    has_bytes = tables.is_bytes or tables.unknown == UNKNOWN_BYTES
    for word in range(first, last):
        at, start, end = weight_class(counts[word], keeps_order), offsets[word], offsets[word + 1]
        classes[at, 0] += 1
        classes[at, 1] += end - start if has_bytes else _character_count(data, start, end)


@kernel
def lay_out(
    data: Bytes,
    offsets: Numbers,
    counts: Numbers,
    first: int,
    last: int,
    keeps_order: bool,
    tables: SpellingTables,
    layout: Layout,
    slots: Numbers,
    symbol_counts: Numbers,
    sums: Numbers,
) -> None:
    """Lay the words `first` to `last` out; those of class c go on at slots[c].

    Adds to `symbol_counts` how often each symbol occurs (at 0 the unknown ones), and to `sums` the words, those of one
    symbol, bytes, characters and symbols, each as often as it occurs.
    """
    symbols = layout.symbols
    words, whole, byte_count, all_characters, tokens = 0, 0, 0, 0, 0
    for word in range(first, last):
        count, start, end = counts[word], offsets[word], offsets[word + 1]
        group = weight_class(count, keeps_order)
        begin = slots[group]
        slot = spell_plainly(data, start, end, tables, symbols, begin)
        is_plain = slot > begin and not tables.is_bytes
        if slot == begin:
            slot = spell(data, start, end, tables, symbols, begin)
        for i in range(begin, slot):
            symbol = np.int64(symbols[i])
            symbol_counts[symbol if symbol > 0 else -1 - symbol] += count
        words += count
        whole += count if slot == begin + 1 else 0
        byte_count += count * (end - start)
        all_characters += count * (end - start if is_plain else _character_count(data, start, end))
        tokens += count * (slot - begin)
        symbols[slot] = SEPARATOR
        slots[group] = slot + 1
        if group == 0:
            _note_weight(layout, begin, slot, count)
    sums[WORDS] += words
    sums[WHOLE_WORDS] += whole
    sums[BYTES] += byte_count
    sums[CHARACTERS] += all_characters
    sums[TOKENS] += tokens


@kernel
def _note_weight(layout: Layout, begin: int, end: int, count: int) -> None:
    for slot in range(begin, end):
        layout.heavy[(slot & (BLOCK - 1)) - layout.blocks[slot >> BLOCK_BITS]] = count


@kernel
def _character_count(data: Bytes, start: int, end: int) -> int:
    characters = 0
    for i in range(start, end):
        characters += np.int64((data[i] & 0xC0) != 0x80)
    return characters


def warm_up() -> None:
    from core.alphabet import byte_alphabet
    from core.packed_words import PackedWords
    from core.progress import without_progress
    from core.word_layout import lay_out_words

    layout = without_progress(lay_out_words(PackedWords.of({"a": 1}), byte_alphabet(), False)).layout
    weight(layout, 1)
