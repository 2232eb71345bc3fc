"""Which pair is merged next: the one with the greatest count, and among equals the first by the tie rule.

Counts only fall, so a heap entry is never too small: take the top one, and if its count has fallen since, put it back
with the true one. Only pairs whose count is in the band just below the greatest one stand in the heap; when it is
empty, it is filled with the next band.
"""

from typing import NamedTuple

import numpy as np

from core.kernels.compiled import kernel
from core.kernels.layout import Layout, Places
from core.kernels.pairs import BAND, HEAP_SIZE, PAIRS, SYMBOL_BITS, SYMBOL_MASK, THRESHOLD, WORK, Pairs
from core.packed_words import Bytes, Numbers

BY_ORDER, BY_PLACE, BY_STRING, BY_STRING_REVERSED, BY_LENGTH = range(5)
BAND_SHIFT = 3
"""The band reaches down to 7/8 of the greatest count."""


class Tokens(NamedTuple):
    """What is known of each symbol: the slots it spans and, for the tie rule, its `order` or its text.

    The text of symbol s is text[text_start[s]:text_start[s + 1]], of which the first `lead[s]` bytes are a marker that
    vanishes inside a longer token. `ids` are the token ids. `rule` is one of BY_...
    """

    length: Numbers
    ids: Numbers
    order: Numbers
    text_start: Numbers
    text: Bytes
    lead: Numbers
    rule: int


class Heap(NamedTuple):
    """An entry is a pair, its count when it was entered, and what its tie rule compares first, smallest first."""

    pair: Numbers
    counts: Numbers
    key: Numbers


@kernel
def best_pair(layout: Layout, tokens: Tokens, pairs: Pairs, places: Places, heap: Heap, state: Numbers) -> int:
    """The pair to merge next, or -1 if no pair that is tracked and allowed reaches the threshold."""
    while state[HEAP_SIZE] > 0 or _fill(layout, tokens, pairs, places, heap, state):
        pair = heap.pair[0]
        count = pairs.counts[pair]
        if count == heap.counts[0]:
            return pair
        state[WORK] += 1
        if count < state[BAND]:
            _remove_top(heap, tokens, pairs, state)
        else:
            _sink(heap, tokens, pairs, 0, state[HEAP_SIZE], pair, count, _key(layout, tokens, pairs, places, pair))
    return -1


@kernel
def push(layout: Layout, tokens: Tokens, pairs: Pairs, places: Places, heap: Heap, state: Numbers, pair: int) -> None:
    """Enter a new pair, unless its count is below the band or it may not be merged."""
    count = pairs.counts[pair]
    if count < state[BAND] or not pairs.allowed[pair]:
        return
    place, key = state[HEAP_SIZE], _key(layout, tokens, pairs, places, pair)
    while place > 0:
        parent = (place - 1) >> 1
        if not _is_before(tokens, pairs, pair, count, key, heap.pair[parent], heap.counts[parent], heap.key[parent]):
            break
        _move(heap, parent, place)
        place = parent
    _set(heap, place, pair, count, key)
    state[HEAP_SIZE] += 1


@kernel
def _fill(layout: Layout, tokens: Tokens, pairs: Pairs, places: Places, heap: Heap, state: Numbers) -> bool:
    """Enter the pairs of the next band; false if there are none."""
    greatest = 0
    for pair in range(state[PAIRS]):
        if pairs.counts[pair] > greatest and pairs.allowed[pair]:
            greatest = pairs.counts[pair]
    if greatest < state[THRESHOLD]:
        return False
    state[WORK] += state[PAIRS] >> 1
    state[BAND] = max(greatest - (greatest >> BAND_SHIFT), state[THRESHOLD])
    size = 0
    for pair in range(state[PAIRS]):
        if pairs.counts[pair] >= state[BAND] and pairs.allowed[pair]:
            _set(heap, size, pair, pairs.counts[pair], _key(layout, tokens, pairs, places, pair))
            size += 1
    state[HEAP_SIZE] = size
    for place in range(size // 2 - 1, -1, -1):
        _sink(heap, tokens, pairs, place, size, heap.pair[place], heap.counts[place], heap.key[place])
    return True


@kernel
def _key(layout: Layout, tokens: Tokens, pairs: Pairs, places: Places, pair: int) -> int:
    left, right = pairs.key[pair] >> SYMBOL_BITS, pairs.key[pair] & SYMBOL_MASK
    if tokens.rule == BY_ORDER:
        return tokens.order[left] << SYMBOL_BITS | tokens.order[right]
    if tokens.rule == BY_PLACE:
        return first_place(layout, tokens, pairs, places, pair)
    return _characters(tokens, left, right) if tokens.rule == BY_LENGTH else 0


@kernel
def first_place(layout: Layout, tokens: Tokens, pairs: Pairs, places: Places, pair: int) -> int:
    """The earliest slot where a pair, whose count must not be 0, stands now."""
    left, right = pairs.key[pair] >> SYMBOL_BITS, pairs.key[pair] & SYMBOL_MASK
    while True:
        place = np.int64(places[pairs.start[pair] + pairs.seen[pair]])
        if layout.symbols[place] == left and layout.symbols[place + tokens.length[left]] == right:
            return place
        pairs.seen[pair] += 1


@kernel
def _is_before(
    tokens: Tokens, pairs: Pairs, pair: int, count: int, key: int, other: int, other_count: int, other_key: int
) -> bool:
    if count != other_count:
        return count > other_count
    if key != other_key:
        return key < other_key
    left, right = pairs.key[pair] >> SYMBOL_BITS, pairs.key[pair] & SYMBOL_MASK
    other_left, other_right = pairs.key[other] >> SYMBOL_BITS, pairs.key[other] & SYMBOL_MASK
    order = _compare_texts(tokens, left, right, other_left, other_right) if tokens.rule >= BY_STRING else 0
    if order != 0:
        return order < 0
    # different tokens may look the same: a literal marker in the corpus
    if tokens.ids[left] != tokens.ids[other_left]:
        return tokens.ids[left] < tokens.ids[other_left]
    return tokens.ids[right] < tokens.ids[other_right]


@kernel
def _compare_texts(tokens: Tokens, left: int, right: int, other_left: int, other_right: int) -> int:
    """Negative, 0 or positive, as the first pair comes before, with or after the other one."""
    if tokens.rule == BY_LENGTH:
        return _compare_joined(tokens, left, right, other_left, other_right)
    order = _compare(tokens, left, other_left)
    if order == 0:
        order = _compare(tokens, right, other_right)
    return -order if tokens.rule == BY_STRING_REVERSED else order


@kernel
def _compare(tokens: Tokens, one: int, other: int) -> int:
    """The same for the texts of two symbols."""
    i, j = tokens.text_start[one], tokens.text_start[other]
    while i < tokens.text_start[one + 1] and j < tokens.text_start[other + 1]:
        if tokens.text[i] != tokens.text[j]:
            return np.int64(tokens.text[i]) - np.int64(tokens.text[j])
        i, j = i + 1, j + 1
    return (tokens.text_start[one + 1] - i) - (tokens.text_start[other + 1] - j)


@kernel
def _joined_size(tokens: Tokens, left: int, right: int) -> int:
    left_size = tokens.text_start[left + 1] - tokens.text_start[left]
    return left_size + tokens.text_start[right + 1] - tokens.text_start[right] - tokens.lead[right]


@kernel
def joined_byte(tokens: Tokens, left: int, right: int, index: int) -> int:
    """Of the text that the token of `left` and `right` has."""
    left_size = tokens.text_start[left + 1] - tokens.text_start[left]
    if index < left_size:
        return np.int64(tokens.text[tokens.text_start[left] + index])
    return np.int64(tokens.text[tokens.text_start[right] + tokens.lead[right] + index - left_size])


@kernel
def _compare_joined(tokens: Tokens, left: int, right: int, other_left: int, other_right: int) -> int:
    size, other_size = _joined_size(tokens, left, right), _joined_size(tokens, other_left, other_right)
    for i in range(min(size, other_size)):
        byte, other_byte = joined_byte(tokens, left, right, i), joined_byte(tokens, other_left, other_right, i)
        if byte != other_byte:
            return byte - other_byte
    return size - other_size


@kernel
def _characters(tokens: Tokens, left: int, right: int) -> int:
    """Characters of the joined text, where a byte that belongs to no whole character counts as one."""
    size, place, characters = _joined_size(tokens, left, right), 0, 0
    while place < size:
        place += max(_character_size(tokens, left, right, place, size), 1)
        characters += 1
    return characters


@kernel
def _character_size(tokens: Tokens, left: int, right: int, place: int, size: int) -> int:
    """Bytes of the character that begins at `place`, 0 if none does. Source: Unicode 16, table 3-7."""
    lead = joined_byte(tokens, left, right, place)
    if lead < 0x80:
        return 1
    needed = 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead < 0xF5 else 0
    if needed == 0 or place + needed > size:
        return 0
    low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
    high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
    for i in range(1, needed):
        byte = joined_byte(tokens, left, right, place + i)
        if not low <= byte <= high:
            return 0
        low, high = 0x80, 0xBF
    return needed


@kernel
def _set(heap: Heap, place: int, pair: int, count: int, key: int) -> None:
    heap.pair[place], heap.counts[place], heap.key[place] = pair, count, key


@kernel
def _move(heap: Heap, place: int, to: int) -> None:
    _set(heap, to, heap.pair[place], heap.counts[place], heap.key[place])


@kernel
def _remove_top(heap: Heap, tokens: Tokens, pairs: Pairs, state: Numbers) -> None:
    last = state[HEAP_SIZE] - 1
    state[HEAP_SIZE] = last
    if last > 0:
        _sink(heap, tokens, pairs, 0, last, heap.pair[last], heap.counts[last], heap.key[last])


@kernel
def _sink(heap: Heap, tokens: Tokens, pairs: Pairs, place: int, size: int, pair: int, count: int, key: int) -> None:
    """Put an entry in at `place` or, as far as better ones stand there, below it."""
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        after = child + 1
        if after < size and _is_before(
            tokens, pairs, heap.pair[after], heap.counts[after], heap.key[after],
            heap.pair[child], heap.counts[child], heap.key[child],
        ):  # fmt: skip
            child = after
        if not _is_before(tokens, pairs, heap.pair[child], heap.counts[child], heap.key[child], pair, count, key):
            break
        _move(heap, child, place)
        place = child
    _set(heap, place, pair, count, key)
