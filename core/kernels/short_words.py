"""A hash table for words of up to 7 bytes, which most are: such a word is a number, its bytes with its size above them.

Its slot is that key and the count. Slots half as large as those of long_words.py are in the nearest memory more often.
"""

from typing import NamedTuple

import numpy as np

from core.huge_pages import zeros
from core.kernels.compiled import kernel, load64, prefetch
from core.kernels.slots import AHEAD, Slots, capacity_for, home_of, room_in
from core.packed_words import Bytes, Numbers

SHORT_BYTES = 7

_FIRST_BYTES = np.array([*((1 << 8 * size) - 1 for size in range(8)), *[2**64 - 1] * 8], np.uint64)
"""By a word's size, up to 15: what of its first 8 bytes belongs to it."""


class ShortWords(NamedTuple):
    """Owned by who makes it; who adds words makes room for them before."""

    slots: Slots
    """Of shape (capacity, 2); the capacity is a power of two."""
    order: Numbers
    """The slots in the order in which they were filled; it has room for as many words as there may be."""
    places: Numbers
    """Where the word of each slot was met first."""
    unique: Numbers
    """One number: of words."""


def new_short_words(capacity: int) -> ShortWords:
    slots = zeros(2 * capacity).view(np.uint64).reshape(-1, 2)
    return ShortWords(slots, zeros(room_in(capacity)), zeros(capacity), np.zeros(1, np.int64))


def with_room(table: ShortWords, words: int) -> ShortWords:
    """The same words with room for so many more."""
    needed = table.unique[0] + words
    if needed <= len(table.order):
        return table
    larger = new_short_words(capacity_for(needed, 2 * len(table.slots)))
    move_short_words(table, larger)
    return larger


@kernel
def short_key(data: Bytes, start: int, size: int) -> int:
    """Of any size up to 15, though it tells only words of up to 7 bytes apart."""
    return (load64(data, start) & _FIRST_BYTES[size]) | np.uint64(size) << np.uint64(56)


@kernel
def add_short_words(keys: Slots, places: Numbers, count: int, base: int, table: ShortWords) -> None:
    """Count each of the words with these keys, which are met at `base` and `places` more."""
    slots = table.slots
    last = len(slots) - 1
    for i in range(count):
        prefetch(slots, 2 * home_of(keys[min(i + AHEAD, count - 1)], len(slots)))
        key = keys[i]
        slot = home_of(key, len(slots))
        while slots[slot, 0] != key:
            if slots[slot, 0] == 0:
                _insert(key, base + places[i], slot, table)
            else:
                slot = (slot + 1) & last
        slots[slot, 1] += np.uint64(1)


@kernel
def _insert(key: int, place: int, slot: int, table: ShortWords) -> None:
    table.slots[slot, 0] = key
    table.places[slot] = place
    table.order[table.unique[0]] = slot
    table.unique[0] += 1


@kernel
def _find(key: int, slots: Slots) -> int:
    """The slot of a word, or the empty one where it belongs."""
    last = len(slots) - 1
    slot = home_of(key, len(slots))
    while slots[slot, 0] != key and slots[slot, 0] != 0:
        slot = (slot + 1) & last
    return slot


@kernel
def take_short_words(other: ShortWords, first: int, last: int, table: ShortWords) -> int:
    """Add words of `other`, from number `first` to before `last`; returns how often these occur in all.

    A word that is in both was first at the earlier place.
    """
    total = np.int64(0)
    for i in range(first, last):
        _look_ahead(other, i, last, table)
        theirs = other.order[i]
        key, count, place = other.slots[theirs, 0], other.slots[theirs, 1], other.places[theirs]
        slot = _find(key, table.slots)
        if table.slots[slot, 0] == 0:
            _insert(key, place, slot, table)
        table.slots[slot, 1] += count
        table.places[slot] = min(table.places[slot], place)
        total += np.int64(count)
    return total


@kernel
def move_short_words(table: ShortWords, larger: ShortWords) -> None:
    """All to an empty one."""
    for i in range(table.unique[0]):
        _look_ahead(table, i, table.unique[0], larger)
        old = table.order[i]
        slot = _find(table.slots[old, 0], larger.slots)
        _insert(table.slots[old, 0], table.places[old], slot, larger)
        larger.slots[slot, 1] = table.slots[old, 1]


@kernel
def _look_ahead(table: ShortWords, i: int, last: int, other: ShortWords) -> None:
    """Ask for the slot of a later word of one table, and for its home in the other one."""
    later = table.order[min(i + 2 * AHEAD, last - 1)]
    prefetch(table.slots, 2 * later)
    prefetch(table.places, later)
    home = home_of(table.slots[table.order[min(i + AHEAD, last - 1)], 0], len(other.slots))
    prefetch(other.slots, 2 * home)
    prefetch(other.places, home)


def warm_up() -> None:
    table, none = new_short_words(2), np.zeros(0, np.int64)
    add_short_words(none.view(np.uint64), none, 0, 0, table)
    take_short_words(table, 0, 0, table)
    move_short_words(table, table)
