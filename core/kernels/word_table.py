"""A hash table from words, as UTF-8 bytes, to how often and where first they were met.

A slot is four numbers: two of key, the count, the first place; all 0 where it is empty. Words of up to 15 bytes are
their own key, with the length in its highest byte. A longer one has its hash there, and 255 and its number in the list
of long words, whose bytes are compared. A slot is looked for from its home on to the right (open addressing).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels.characters import character_kinds
from core.kernels.compiled import kernel, load64, mix, prefetch, store64
from core.kernels.scanning import scan
from core.packed_words import PADDING, Bytes, Numbers

Slots = NDArray[np.uint64]

SHORT_BYTES = 15
SLOT_BYTES = 32
MOST_TENTHS = 6
"""Of the slots; with more, words that are looked for are too far from their homes."""
CACHE_LINE_BYTES = 64
AHEAD = 16
"""So many words before its turn a slot is asked for from memory."""
BATCH_WORDS = 512
"""So many words are found and their slots asked for before they are counted: both fit into the fastest cache."""

# numbers of a table's state
UNIQUE, LONG, LONG_BYTES, TOTAL, WANTED_BYTES, STATE_SIZE = range(6)

_FIRST = np.array([0, *((1 << 8 * size) - 1 for size in range(1, 8)), *[2**64 - 1] * 8], np.uint64)
"""By a word's length: what of 8 bytes belongs to it, and below what of the next 8."""
_SECOND = np.array([0] * 9 + [(1 << 8 * size) - 1 for size in range(1, 8)], np.uint64)
_IS_LONG = np.uint64(255 << 56)
_NUMBER = np.uint64((1 << 56) - 1)


class WordTable(NamedTuple):
    """Owned by who makes it; a kernel that finds it too small says so."""

    slots: Slots
    """Of shape (capacity, 4); the capacity is a power of two."""
    order: Numbers
    """The slots of the words in the order in which they were put in; it has room for as many as may be in the table."""
    long_places: Numbers
    """Of shape (room, 2): where each long word begins and ends in `long_bytes`."""
    long_bytes: Bytes
    state: Numbers


class Batch(NamedTuple):
    """Words that are looked up together; scratch that any table can use."""

    starts: Numbers
    ends: Numbers
    keys: Slots
    homes: Numbers


def new_table(capacity: int) -> WordTable:
    """`capacity`, a power of two, is how many slots there are at first."""
    return WordTable(
        *_empty_slots(capacity),
        np.zeros((capacity // 16 + 1, 2), np.int64),
        np.zeros(capacity + PADDING, np.uint8),
        np.zeros(STATE_SIZE, np.int64),
    )


def enlarged(table: WordTable) -> WordTable:
    """The same words with room for at least that which was not found, or for twice as many."""
    slots, order, places, data, state = table
    if state[UNIQUE] >= len(order):
        slots, order = _empty_slots(2 * len(slots))
        move_words(table.slots, table.order, slots, order)
    if state[LONG] >= len(places):
        places = np.concatenate([places, np.zeros_like(places)])
    if (wanted := state[LONG_BYTES] + state[WANTED_BYTES] + PADDING) > len(data):
        data = np.concatenate([data, np.zeros(max(len(data), wanted - len(data)), np.uint8)])
    return WordTable(slots, order, places, data, state)


def new_batch(words: int = BATCH_WORDS) -> Batch:
    starts, ends, homes = np.zeros((3, words), np.int64)
    return Batch(starts, ends, np.zeros((words, 2), np.uint64), homes)


def _empty_slots(capacity: int) -> tuple[Slots, Numbers]:
    """No slot crosses a cache line; numpy aligns an array to 16 bytes."""
    memory = np.zeros(capacity * SLOT_BYTES + CACHE_LINE_BYTES, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE_BYTES
    slots = memory[start : start + capacity * SLOT_BYTES].view(np.uint64).reshape(capacity, 4)
    return slots, np.zeros(capacity * MOST_TENTHS // 10, np.int64)


@kernel
def count_texts(
    pattern: int, data: Bytes, starts: Numbers, ends: Numbers, base: int, kinds: Bytes, table: WordTable, batch: Batch
) -> bool:
    """Count the words of every text `data[starts[i]:ends[i]]`; `base` is the place of `data[0]` in the corpus.

    False if the table has no room for a word (see `is_full`): then `starts` are moved behind what is counted, and the
    same call goes on from there.
    """
    text = 0
    while text < len(starts):
        found, last = 0, text
        while last < len(starts):
            found = scan(pattern, data, starts[last], ends[last], kinds, batch.starts, batch.ends, found)
            if found == len(batch.starts):
                break
            last += 1
        _find_homes(data, found, table, batch)
        counted = _add(data, found, base, table, batch)
        table.state[TOTAL] += counted
        if counted < found:
            _move_behind(starts, ends, text, batch.starts[counted])
            return False
        _move_behind(starts, ends, text, batch.ends[found - 1] if last < len(starts) else ends[-1])
        text = last
    return True


@kernel
def _move_behind(starts: Numbers, ends: Numbers, text: int, place: int) -> None:
    """Begin at `place`, with nothing left of the texts before it."""
    while text < len(starts) and starts[text] < place:
        starts[text] = min(place, ends[text])
        text += 1


@kernel
def is_full(table: WordTable) -> bool:
    """Whether there may be no room for one more word, of WANTED_BYTES if it is a long one."""
    state = table.state
    return (
        state[UNIQUE] >= len(table.order)
        or state[LONG] >= len(table.long_places)
        or state[LONG_BYTES] + state[WANTED_BYTES] + PADDING > len(table.long_bytes)
    )


@kernel
def _find_homes(data: Bytes, count: int, table: WordTable, batch: Batch) -> None:
    """Each word's key and the place where its slot is looked for first, which is asked for from memory."""
    for i in range(count):
        start, size = batch.starts[i], batch.ends[i] - batch.starts[i]
        if size <= SHORT_BYTES:
            batch.keys[i, 0] = load64(data, start) & _FIRST[size]
            batch.keys[i, 1] = (load64(data, start + 8) & _SECOND[size]) | np.uint64(size) << np.uint64(56)
        else:
            batch.keys[i, 0] = _hash(data, start, size)
            batch.keys[i, 1] = _IS_LONG
        batch.homes[i] = _home(batch.keys[i, 0], batch.keys[i, 1], len(table.slots))
        prefetch(table.slots, 4 * batch.homes[i])


@kernel
def _add(data: Bytes, count: int, base: int, table: WordTable, batch: Batch) -> int:
    """Count each of the words; returns how many, which is less than `count` if there is no room for the next."""
    slots = table.slots
    for i in range(count):
        key, tag, slot = batch.keys[i, 0], batch.keys[i, 1], batch.homes[i]
        if slots[slot, 0] == key and slots[slot, 1] == tag and tag != _IS_LONG:  # most are at home
            slots[slot, 2] += np.uint64(1)
            continue
        start, size = batch.starts[i], batch.ends[i] - batch.starts[i]
        slot = _find(data, start, size, batch.keys[i, 0], batch.keys[i, 1], batch.homes[i], table)
        if slots[slot, 1] == 0:
            table.state[WANTED_BYTES] = size if size > SHORT_BYTES else 0
            if is_full(table):
                return i
            _insert(data, start, size, batch.keys[i, 0], batch.keys[i, 1], slot, table)
            slots[slot, 3] = base + start
        slots[slot, 2] += np.uint64(1)
    return count


@kernel
def _find(data: Bytes, start: int, size: int, key: int, tag: int, home: int, table: WordTable) -> int:
    """The slot of a word, or the empty one where it belongs."""
    slots = table.slots
    last = len(slots) - 1
    slot = home
    while slots[slot, 1] != 0:
        if slots[slot, 0] == key:
            if slots[slot, 1] < _IS_LONG:
                if slots[slot, 1] == tag:
                    return slot
            elif tag == _IS_LONG:
                place, end = _long_place(table, slots[slot, 1])
                if end - place == size and _is_same(data, start, table.long_bytes, place, size):
                    return slot
        slot = (slot + 1) & last
    return slot


@kernel
def _insert(data: Bytes, start: int, size: int, key: int, tag: int, slot: int, table: WordTable) -> None:
    if tag == _IS_LONG:
        number, place = table.state[LONG], table.state[LONG_BYTES]
        _copy(data, start, table.long_bytes, place, size)
        table.long_places[number, 0] = place
        table.long_places[number, 1] = place + size
        table.state[LONG] += 1
        table.state[LONG_BYTES] += size
        tag |= np.uint64(number)
    table.slots[slot, 0] = key
    table.slots[slot, 1] = tag
    table.order[table.state[UNIQUE]] = slot
    table.state[UNIQUE] += 1


@kernel
def _home(key: int, tag: int, capacity: int) -> int:
    if tag >= _IS_LONG:
        tag = _IS_LONG
    hashed = mix(key ^ np.uint64(0x9E3779B97F4A7C15), tag ^ np.uint64(0xD6E8FEB86659FD93))
    return np.int64(hashed & np.uint64(capacity - 1))


@kernel
def _hash(data: Bytes, start: int, size: int) -> int:
    hashed = np.uint64(size)
    place = start
    while place + 8 <= start + size:
        hashed = mix(hashed ^ load64(data, place), np.uint64(0xA0761D6478BD642F))
        place += 8
    rest = load64(data, place) & _FIRST[start + size - place]
    return mix(hashed ^ rest, np.uint64(0xE7037ED1A0B428DB))


@kernel
def _is_same(data: Bytes, start: int, other: Bytes, place: int, size: int) -> bool:
    done = 0
    while done + 8 <= size:
        if load64(data, start + done) != load64(other, place + done):
            return False
        done += 8
    return (load64(data, start + done) ^ load64(other, place + done)) & _FIRST[size - done] == 0


@kernel
def take_in(other: WordTable, first: int, last: int, table: WordTable) -> int:
    """Add the words of `other` from the one that was put in as number `first` on, and before `last`.

    A word that is in both was first at the earlier place. Returns where it has stopped: at a word that has no room (see
    `is_full`), or else at `last`.
    """
    for i in range(first, last):
        _look_ahead(other.slots, other.order, i, last, table.slots)
        theirs = other.order[i]
        key, tag = other.slots[theirs, 0], other.slots[theirs, 1]
        start, size = np.int64(0), np.int64(0)
        if tag >= _IS_LONG:
            start, end = _long_place(other, tag)
            size = end - start
            tag = _IS_LONG
        slot = _find(other.long_bytes, start, size, key, tag, _home(key, tag, len(table.slots)), table)
        if table.slots[slot, 1] == 0:
            table.state[WANTED_BYTES] = size
            if is_full(table):
                return i
            _insert(other.long_bytes, start, size, key, tag, slot, table)
            table.slots[slot, 3] = other.slots[theirs, 3]
        table.slots[slot, 2] += other.slots[theirs, 2]
        table.slots[slot, 3] = min(table.slots[slot, 3], other.slots[theirs, 3])
        table.state[TOTAL] += np.int64(other.slots[theirs, 2])
    return last


@kernel
def move_words(slots: Slots, order: Numbers, larger: Slots, larger_order: Numbers) -> None:
    """From a table that is full to an empty one."""
    last = len(larger) - 1
    for i in range(len(order)):
        _look_ahead(slots, order, i, len(order), larger)
        old = order[i]
        slot = _home(slots[old, 0], slots[old, 1], len(larger))
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
    prefetch(others, 4 * _home(slots[later, 0], slots[later, 1], len(others)))


@kernel
def measure_words(table: WordTable, order: Numbers, offsets: Numbers, counts: Numbers) -> None:
    """Where each of the words in these slots begins if they stand one behind the other, and its count."""
    for i in range(len(order)):
        slot = order[i]
        tag = table.slots[slot, 1]
        size = np.int64(tag >> np.uint64(56))
        if tag >= _IS_LONG:
            start, end = _long_place(table, tag)
            size = end - start
        offsets[i + 1] = offsets[i] + size
        counts[i] = np.int64(table.slots[slot, 2])


@kernel
def copy_words(table: WordTable, order: Numbers, offsets: Numbers, data: Bytes) -> None:
    """The bytes of the words in these slots, from left to right: more than these are written of each."""
    for i in range(len(order)):
        slot = order[i]
        tag = table.slots[slot, 1]
        if tag < _IS_LONG:
            store64(data, offsets[i], table.slots[slot, 0])
            store64(data, offsets[i] + 8, tag & _SECOND[tag >> np.uint64(56)])
            continue
        start, end = _long_place(table, tag)
        _copy(table.long_bytes, start, data, offsets[i], end - start)


@kernel
def _copy(data: Bytes, start: int, other: Bytes, place: int, size: int) -> None:
    """Eight bytes at a time; up to 7 behind the last one are written too."""
    for done in range(0, size, 8):
        store64(other, place + done, load64(data, start + done))


@kernel
def _long_place(table: WordTable, tag: int) -> tuple[int, int]:
    number = np.int64(tag & _NUMBER)
    return table.long_places[number, 0], table.long_places[number, 1]


def warm_up() -> None:
    data, numbers = np.zeros(PADDING, np.uint8), np.zeros(1, np.int64)
    table, none = new_table(2), numbers[:0].copy()
    count_texts(0, data, numbers, numbers, 0, character_kinds(), table, new_batch(1))
    take_in(table, 0, 0, table)
    move_words(table.slots, none, table.slots, none)
    measure_words(table, none, numbers, none)
    copy_words(table, none, numbers, data)
