"""A hash table for words of 8 bytes and more.

The words stand one behind the other as they are first met, four numbers each: two of key, the count, the first place.
Words of up to 15 bytes are their own key, with the size in its highest byte. A longer one has its hash there, and 255
and its number in the list of very long words, whose bytes are compared. The slots of the table hold half of a word's
hash and its number plus 1: they take a quarter of the memory that words in slots would, most of which are empty.
"""

from typing import NamedTuple, TypeVar

import numpy as np

from core.huge_pages import zeros
from core.kernels.compiled import kernel, load64, mix, prefetch, store64
from core.kernels.slots import AHEAD, Slots, capacity_for, hash_of, room_in
from core.packed_words import PADDING, Bytes, Numbers

Array = TypeVar("Array", Bytes, Numbers, Slots)

KEY_BYTES = 15
FIRST_ROOM = 1 << 20
"""Words that there is room for in a large table: memory that is never touched costs nothing, growing does."""

# numbers of a table's state
UNIQUE, VERY_LONG, VERY_LONG_BYTES, STATE_SIZE = range(4)

_FEW_BYTES = np.array([(1 << 8 * size) - 1 for size in range(8)], np.uint64)
_SECOND_BYTES = np.array([0] * 8 + [(1 << 8 * size) - 1 for size in range(8)], np.uint64)
"""By a word's size, up to 15: what of its second 8 bytes belongs to it."""
_IS_VERY_LONG = np.uint64(255 << 56)
_NUMBER = np.uint64((1 << 56) - 1)
_LOW_HALF = np.uint64((1 << 32) - 1)
_HIGH_HALF = ~_LOW_HALF
_ONE = np.uint64(1)


class LongWords(NamedTuple):
    """Owned by who makes it; who adds words makes room for them before."""

    slots: Slots
    """Of shape (capacity,), which is a power of two."""
    words: Slots
    """Of shape (room, 4)."""
    bounds: Numbers
    """Of shape (room, 2): where each very long word begins and ends in `bytes`."""
    bytes: Bytes
    state: Numbers

    @property
    def memory_bytes(self) -> int:
        """What is in use."""
        unique, very_long, size = self.state.tolist()
        return self.slots.nbytes + 32 * unique + 16 * very_long + size


def new_long_words(capacity: int) -> LongWords:
    room = min(FIRST_ROOM, 8 * capacity)
    return LongWords(
        zeros(capacity).view(np.uint64),
        zeros(4 * room).view(np.uint64).reshape(-1, 4),
        zeros(room // 2 + 2).reshape(-1, 2),
        zeros(room + PADDING).view(np.uint8),
        np.zeros(STATE_SIZE, np.int64),
    )


def with_room(table: LongWords, words: int, very_long: int, size: int) -> LongWords:
    """The same words with room for so many more, and for so many very long ones of this size in all."""
    slots, entries, bounds, data, state = table
    if (needed := state[UNIQUE] + words) > len(entries):
        entries = _enlarged(entries.reshape(-1), 4 * needed).reshape(-1, 4)
    if needed > room_in(len(slots)):
        slots = zeros(capacity_for(needed, 2 * len(slots))).view(np.uint64)
        fill_slots(entries, state[UNIQUE], slots)
    if (needed := state[VERY_LONG] + very_long) > len(bounds):
        bounds = _enlarged(bounds.reshape(-1), 2 * needed).reshape(-1, 2)
    if (needed := state[VERY_LONG_BYTES] + size + PADDING) > len(data):
        data = _enlarged(data, needed)
    return LongWords(slots, entries, bounds, data, state)


def _enlarged(array: Array, needed: int) -> Array:
    larger = zeros(-(-max(4 * len(array), needed) * array.itemsize // 8)).view(array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def add_long_words(
    data: Bytes, starts: Numbers, ends: Numbers, numbers: Numbers, count: int, base: int, keys: Slots, table: LongWords
) -> None:
    """Count the words with these numbers; `base` is the place of `data[0]`, `keys` of shape (count, 3) is scratch.

    A slot is asked for from memory, then the word that is in it, then both are looked at.
    """
    slots, words = table.slots, table.words
    last = np.uint64(len(slots) - 1)
    for i in range(count):
        start, size = starts[numbers[i]], ends[numbers[i]] - starts[numbers[i]]
        if size <= KEY_BYTES:
            keys[i, 0] = load64(data, start)
            keys[i, 1] = (load64(data, start + 8) & _SECOND_BYTES[size]) | np.uint64(size) << np.uint64(56)
        else:
            keys[i, 0] = _hash(data, start, size)
            keys[i, 1] = _IS_VERY_LONG
        keys[i, 2] = hash_of(keys[i, 0], keys[i, 1])
        prefetch(slots, np.int64(keys[i, 2] & last))
    for i in range(count):
        prefetch(words, 4 * _number(slots[keys[i, 2] & last]))
    for i in range(count):
        word = _number(slots[keys[i, 2] & last])
        if word < 0 or words[word, 0] != keys[i, 0] or words[word, 1] != keys[i, 1] or keys[i, 1] == _IS_VERY_LONG:
            start, end = starts[numbers[i]], ends[numbers[i]]
            word = _find_or_insert(data, start, end - start, keys[i, 0], keys[i, 1], keys[i, 2], base + start, table)
        words[word, 2] += _ONE


@kernel
def _number(slot: int) -> int:
    """Of the word in a slot; -1 if there is none."""
    return np.int64(slot & _LOW_HALF) - 1


@kernel
def _find_or_insert(
    data: Bytes, start: int, size: int, key: int, tag: int, hashed: int, place: int, table: LongWords
) -> int:
    """The number of a word, which is put in with a count of 0 if it is not there."""
    slots, words = table.slots, table.words
    last = np.uint64(len(slots) - 1)
    slot = hashed & last
    while slots[slot] != 0:
        if (slots[slot] ^ hashed) & _HIGH_HALF == 0:
            word = _number(slots[slot])
            if words[word, 0] == key:
                if words[word, 1] == tag and tag != _IS_VERY_LONG:
                    return word
                if tag == _IS_VERY_LONG and words[word, 1] >= _IS_VERY_LONG:
                    first, end = _bounds(table, words[word, 1])
                    if end - first == size and _is_same(data, start, table.bytes, first, size):
                        return word
        slot = (slot + _ONE) & last
    word = table.state[UNIQUE]
    slots[slot] = (hashed & _HIGH_HALF) | np.uint64(word + 1)
    words[word, 0] = key
    words[word, 1] = tag if tag != _IS_VERY_LONG else tag | np.uint64(_keep(data, start, size, table))
    words[word, 3] = place
    table.state[UNIQUE] += 1
    return word


@kernel
def _keep(data: Bytes, start: int, size: int, table: LongWords) -> int:
    """Copy a very long word; returns its number among these."""
    number, first = table.state[VERY_LONG], table.state[VERY_LONG_BYTES]
    copy(data, start, table.bytes, first, size)
    table.bounds[number, 0] = first
    table.bounds[number, 1] = first + size
    table.state[VERY_LONG] += 1
    table.state[VERY_LONG_BYTES] += size
    return number


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
    words, total = table.words, np.int64(0)
    for i in range(first, last):
        _look_ahead(other.words, i, last, table)
        key, tag, place = other.words[i, 0], other.words[i, 1], other.words[i, 3]
        start, size = np.int64(0), np.int64(0)
        if tag >= _IS_VERY_LONG:
            start, end = _bounds(other, tag)
            size = end - start
            tag = _IS_VERY_LONG
        word = _find_or_insert(other.bytes, start, size, key, tag, hash_of(key, tag), np.int64(place), table)
        words[word, 2] += other.words[i, 2]
        words[word, 3] = min(words[word, 3], place)
        total += np.int64(other.words[i, 2])
    return total


@kernel
def _look_ahead(others: Slots, i: int, last: int, table: LongWords) -> None:
    """Ask for a later word's slot, and for the word in the slot of one that comes before."""
    mask = np.uint64(len(table.slots) - 1)
    later = min(i + 2 * AHEAD, last - 1)
    prefetch(table.slots, np.int64(hash_of(others[later, 0], min(others[later, 1], _IS_VERY_LONG)) & mask))
    later = min(i + AHEAD, last - 1)
    slot = table.slots[hash_of(others[later, 0], min(others[later, 1], _IS_VERY_LONG)) & mask]
    prefetch(table.words, 4 * _number(slot))


@kernel
def fill_slots(words: Slots, count: int, slots: Slots) -> None:
    """Put the first `count` words, all different, into empty slots."""
    last = np.uint64(len(slots) - 1)
    for i in range(count):
        later = min(i + AHEAD, count - 1)
        prefetch(slots, np.int64(hash_of(words[later, 0], min(words[later, 1], _IS_VERY_LONG)) & last))
        hashed = hash_of(words[i, 0], min(words[i, 1], _IS_VERY_LONG))
        slot = hashed & last
        while slots[slot] != 0:
            slot = (slot + _ONE) & last
        slots[slot] = (hashed & _HIGH_HALF) | np.uint64(i + 1)


@kernel
def long_size(table: LongWords, word: int) -> int:
    """In bytes, of the word with this number."""
    tag = table.words[word, 1]
    if tag < _IS_VERY_LONG:
        return np.int64(tag >> np.uint64(56))
    start, end = _bounds(table, tag)
    return end - start


@kernel
def copy_long_word(table: LongWords, word: int, data: Bytes, place: int) -> None:
    """Its bytes, with up to 8 more behind them."""
    tag = table.words[word, 1]
    if tag < _IS_VERY_LONG:
        store64(data, place, table.words[word, 0])
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
    add_long_words(table.bytes, none, none, none, 0, 0, table.words, table)
    take_long_words(table, 0, 0, table)
    fill_slots(table.words, 0, table.slots)
