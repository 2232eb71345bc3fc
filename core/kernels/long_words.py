"""A hash table for words of 8 bytes and more.

A slot is four numbers: two of key, the count, the first place. Words of up to 15 bytes are their own key, with the size
in its highest byte. A longer one has its hash there, and 255 and its number in the list of very long words, whose bytes
are compared.
"""

from typing import NamedTuple, TypeVar

import numpy as np

from core.kernels.compiled import kernel, load64, mix, prefetch, store64
from core.kernels.slots import AHEAD, Slots, capacity_for, empty_slots, home_of, zeros
from core.packed_words import PADDING, Bytes, Numbers

Array = TypeVar("Array", Bytes, Numbers)

KEY_BYTES = 15

# numbers of a table's state
UNIQUE, VERY_LONG, VERY_LONG_BYTES, STATE_SIZE = range(4)

_FEW_BYTES = np.array([(1 << 8 * size) - 1 for size in range(8)], np.uint64)
_SECOND_BYTES = np.array([0] * 8 + [(1 << 8 * size) - 1 for size in range(8)], np.uint64)
"""By a word's size, up to 15: what of its second 8 bytes belongs to it."""
_IS_VERY_LONG = np.uint64(255 << 56)
_NUMBER = np.uint64((1 << 56) - 1)


class LongWords(NamedTuple):
    """Owned by who makes it; who adds words makes room for them before."""

    slots: Slots
    """Of shape (capacity, 4); the capacity is a power of two."""
    order: Numbers
    """The slots in the order in which they were filled; it has room for as many words as there may be."""
    bounds: Numbers
    """Of shape (room, 2): where each very long word begins and ends in `bytes`."""
    bytes: Bytes
    state: Numbers


def new_long_words(capacity: int) -> LongWords:
    return LongWords(
        *empty_slots(capacity, 4),
        zeros(capacity // 8 + 2).reshape(-1, 2),
        zeros(capacity // 4 + PADDING).view(np.uint8),
        np.zeros(STATE_SIZE, np.int64),
    )


def with_room(table: LongWords, words: int, very_long: int, size: int) -> LongWords:
    """The same words with room for so many more, and for so many very long ones of this size in all."""
    slots, order, bounds, data, state = table
    if (needed := state[UNIQUE] + words) > len(order):
        slots, order = empty_slots(capacity_for(needed, 2 * len(slots)), 4)
        move_long_words(table.slots, table.order, state[UNIQUE], slots, order)
    if (needed := state[VERY_LONG] + very_long) > len(bounds):
        bounds = _copied(bounds.reshape(-1), zeros(2 * max(4 * len(bounds), needed))).reshape(-1, 2)
    if (needed := state[VERY_LONG_BYTES] + size + PADDING) > len(data):
        data = _copied(data, zeros(max(4 * len(data), needed) // 8 + 1).view(np.uint8))
    return LongWords(slots, order, bounds, data, state)


def _copied(array: Array, larger: Array) -> Array:
    larger[: len(array)] = array
    return larger


@kernel
def add_long_words(
    data: Bytes, starts: Numbers, ends: Numbers, numbers: Numbers, count: int, base: int, keys: Slots, table: LongWords
) -> None:
    """Count the words with these numbers; `base` is the place of `data[0]`, `keys` of shape (count, 2) is scratch."""
    slots = table.slots
    for i in range(count):
        start, size = starts[numbers[i]], ends[numbers[i]] - starts[numbers[i]]
        if size <= KEY_BYTES:
            keys[i, 0] = load64(data, start)
            keys[i, 1] = (load64(data, start + 8) & _SECOND_BYTES[size]) | np.uint64(size) << np.uint64(56)
        else:
            keys[i, 0] = _hash(data, start, size)
            keys[i, 1] = _IS_VERY_LONG
        prefetch(slots, 4 * home_of(keys[i, 0], keys[i, 1], len(slots)))
    for i in range(count):
        key, tag = keys[i, 0], keys[i, 1]
        slot = home_of(key, tag, len(slots))
        if slots[slot, 0] != key or slots[slot, 1] != tag or tag == _IS_VERY_LONG:  # else it is at home, as most are
            start, end = starts[numbers[i]], ends[numbers[i]]
            slot = _find(data, start, end - start, key, tag, table)
            if slots[slot, 1] == 0:
                _insert(data, start, end - start, key, tag, base + start, slot, table)
        slots[slot, 2] += np.uint64(1)


@kernel
def _find(data: Bytes, start: int, size: int, key: int, tag: int, table: LongWords) -> int:
    """The slot of a word, or the empty one where it belongs."""
    slots = table.slots
    last = len(slots) - 1
    slot = home_of(key, tag, len(slots))
    while slots[slot, 1] != 0:
        if slots[slot, 0] == key:
            if slots[slot, 1] < _IS_VERY_LONG:
                if slots[slot, 1] == tag:
                    return slot
            elif tag == _IS_VERY_LONG:
                place, end = _bounds(table, slots[slot, 1])
                if end - place == size and _is_same(data, start, table.bytes, place, size):
                    return slot
        slot = (slot + 1) & last
    return slot


@kernel
def _insert(data: Bytes, start: int, size: int, key: int, tag: int, place: int, slot: int, table: LongWords) -> None:
    if tag == _IS_VERY_LONG:
        number, first = table.state[VERY_LONG], table.state[VERY_LONG_BYTES]
        copy(data, start, table.bytes, first, size)
        table.bounds[number, 0] = first
        table.bounds[number, 1] = first + size
        table.state[VERY_LONG] += 1
        table.state[VERY_LONG_BYTES] += size
        tag |= np.uint64(number)
    table.slots[slot, 0] = key
    table.slots[slot, 1] = tag
    table.slots[slot, 3] = place
    table.order[table.state[UNIQUE]] = slot
    table.state[UNIQUE] += 1


@kernel
def _hash(data: Bytes, start: int, size: int) -> int:
    hashed = np.uint64(size)
    place = start
    while place + 8 <= start + size:
        hashed = mix(hashed ^ load64(data, place), np.uint64(0xA0761D6478BD642F))
        place += 8
    rest = load64(data, place) & _FEW_BYTES[start + size - place]
    return mix(hashed ^ rest, np.uint64(0xE7037ED1A0B428DB))


@kernel
def _is_same(data: Bytes, start: int, other: Bytes, place: int, size: int) -> bool:
    done = 0
    while done + 8 <= size:
        if load64(data, start + done) != load64(other, place + done):
            return False
        done += 8
    return (load64(data, start + done) ^ load64(other, place + done)) & _FEW_BYTES[size - done] == 0


@kernel
def take_long_words(other: LongWords, first: int, last: int, table: LongWords) -> int:
    """Add words of `other`, from number `first` to before `last`; returns how often these occur in all.

    A word that is in both was first at the earlier place.
    """
    total = np.int64(0)
    for i in range(first, last):
        _look_ahead(other.slots, other.order, i, last, table.slots)
        theirs = other.order[i]
        key, tag, place = other.slots[theirs, 0], other.slots[theirs, 1], other.slots[theirs, 3]
        start, size = np.int64(0), np.int64(0)
        if tag >= _IS_VERY_LONG:
            start, end = _bounds(other, tag)
            size = end - start
            tag = _IS_VERY_LONG
        slot = _find(other.bytes, start, size, key, tag, table)
        if table.slots[slot, 1] == 0:
            _insert(other.bytes, start, size, key, tag, np.int64(place), slot, table)
        table.slots[slot, 2] += other.slots[theirs, 2]
        table.slots[slot, 3] = min(table.slots[slot, 3], place)
        total += np.int64(other.slots[theirs, 2])
    return total


@kernel
def move_long_words(slots: Slots, order: Numbers, count: int, larger: Slots, larger_order: Numbers) -> None:
    """All `count` words to empty slots."""
    last = len(larger) - 1
    for i in range(count):
        _look_ahead(slots, order, i, count, larger)
        old = order[i]
        slot = home_of(slots[old, 0], min(slots[old, 1], _IS_VERY_LONG), len(larger))
        while larger[slot, 1] != 0:
            slot = (slot + 1) & last
        larger_order[i] = slot
        for part in range(4):
            larger[slot, part] = slots[old, part]


@kernel
def _look_ahead(slots: Slots, order: Numbers, i: int, last: int, others: Slots) -> None:
    """Ask for the slot of a later word of one table, and for its home in the other one."""
    prefetch(slots, 4 * order[min(i + 2 * AHEAD, last - 1)])
    later = order[min(i + AHEAD, last - 1)]
    prefetch(others, 4 * home_of(slots[later, 0], min(slots[later, 1], _IS_VERY_LONG), len(others)))


@kernel
def long_size(table: LongWords, slot: int) -> int:
    """In bytes, of the word in a slot."""
    tag = table.slots[slot, 1]
    if tag < _IS_VERY_LONG:
        return np.int64(tag >> np.uint64(56))
    start, end = _bounds(table, tag)
    return end - start


@kernel
def copy_long_word(table: LongWords, slot: int, data: Bytes, place: int) -> None:
    """Its bytes, with up to 8 more behind them."""
    tag = table.slots[slot, 1]
    if tag < _IS_VERY_LONG:
        store64(data, place, table.slots[slot, 0])
        store64(data, place + 8, tag & _NUMBER)
        return
    start, end = _bounds(table, tag)
    copy(table.bytes, start, data, place, end - start)


@kernel
def copy(data: Bytes, start: int, other: Bytes, place: int, size: int) -> None:
    """Eight bytes at a time; up to 7 behind the last one are written too."""
    for done in range(0, size, 8):
        store64(other, place + done, load64(data, start + done))


@kernel
def _bounds(table: LongWords, tag: int) -> tuple[int, int]:
    number = np.int64(tag & _NUMBER)
    return table.bounds[number, 0], table.bounds[number, 1]


def warm_up() -> None:
    table, none = new_long_words(2), np.zeros(0, np.int64)
    add_long_words(table.bytes, none, none, none, 0, 0, table.slots, table)
    take_long_words(table, 0, 0, table)
    move_long_words(table.slots, none, 0, table.slots, none)
