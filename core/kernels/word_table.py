"""Counts words, as UTF-8 bytes, and keeps where each was met first: in two tables, one for short words.

Words are taken in batches, small enough for the fastest cache: all are found, parted by their sizes without a branch
that the processor could only guess, and then counted.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.kernels.characters import character_kinds
from core.kernels.compiled import kernel, prefetch, store64
from core.kernels.long_words import (
    KEY_BYTES,
    UNIQUE,
    VERY_LONG,
    VERY_LONG_BYTES,
    LongWords,
    add_long_words,
    copy_long_word,
    long_size,
    new_long_words,
    take_long_words,
)
from core.kernels.long_words import with_room as long_with_room
from core.kernels.scanning import scan, scan_lines
from core.kernels.short_words import (
    SHORT_BYTES,
    ShortWords,
    add_short_words,
    new_short_words,
    short_key,
    take_short_words,
)
from core.kernels.short_words import with_room as short_with_room
from core.kernels.slots import AHEAD, Slots, room_in
from core.packed_words import PADDING, Bytes, Numbers

BATCH_WORDS = 1024
PAUSE_BYTES = 4 << 20
"""Some 10 ms of work."""

DONE, NO_ROOM, PAUSED = range(3)

# numbers of a table's state; the last four are what there was no room for
TOTAL, MORE_SHORT, MORE_LONG, MORE_VERY_LONG, MORE_BYTES, STATE_SIZE = range(6)


class WordTable(NamedTuple):
    """Owned by who makes it; a kernel that finds it too small says so."""

    short: ShortWords
    long: LongWords
    state: Numbers

    @property
    def unique(self) -> int:
        return int(self.short.unique[0] + self.long.state[UNIQUE])

    @property
    def memory_bytes(self) -> int:
        return sum(array.nbytes for array in self.short) + self.long.memory_bytes


class Batch(NamedTuple):
    """Words that are counted together; scratch that any table can use. A place is left free behind the last word."""

    starts: Numbers
    ends: Numbers
    short_keys: Slots
    short_places: Numbers
    long: Numbers
    """The long words' numbers among all."""
    long_keys: Slots


def new_table(capacity: int) -> WordTable:
    """`capacity`, a power of two, is how many slots there are at first for short words, and for long ones."""
    return WordTable(new_short_words(capacity), new_long_words(capacity), np.zeros(STATE_SIZE, np.int64))


def enlarged(table: WordTable) -> WordTable:
    """The same words with room for those which were not counted."""
    short = short_with_room(table.short, table.state[MORE_SHORT])
    long = long_with_room(table.long, *table.state[MORE_LONG : MORE_BYTES + 1])
    return WordTable(short, long, table.state)


def new_batch(words: int = BATCH_WORDS) -> Batch:
    starts, ends = np.zeros((2, words), np.int64)
    places, long = np.zeros((2, words + 1), np.int64)
    return Batch(starts, ends, np.zeros(words + 1, np.uint64), places, long, np.zeros((words, 3), np.uint64))


@kernel
def count_texts(
    pattern: int,
    by_lines: bool,
    data: Bytes,
    starts: Numbers,
    ends: Numbers,
    base: int,
    kinds: Bytes,
    table: WordTable,
    batch: Batch,
    line_stop: int,
) -> tuple[int, int]:
    """Count the words of every text `data[starts[i]:ends[i]]`; `base` is the place of `data[0]` in the corpus.

    With `by_lines` every line of these is a text of its own. Returns DONE; or NO_ROOM, if the table needs to be
    `enlarged`, or PAUSED behind some megabytes: then `starts` are moved behind what is counted, and the same call goes
    on from there, with the second number returned as `line_stop`, which is 0 at first.
    """
    text, budget = 0, PAUSE_BYTES
    while text < len(starts):
        if budget < 0:
            return PAUSED, line_stop
        found, last = 0, text
        while last < len(starts):
            if by_lines:
                found, line_stop = scan_lines(
                    pattern, data, starts[last], ends[last], kinds, batch.starts, batch.ends, found, line_stop
                )
            else:
                found = scan(pattern, data, starts[last], ends[last], kinds, batch.starts, batch.ends, found)
            if found == len(batch.starts):
                break
            last += 1
        if not _add(data, found, base, table, batch):
            return NO_ROOM, line_stop
        place = batch.ends[found - 1] if last < len(starts) else ends[-1]
        budget -= place - starts[text]
        _move_behind(starts, ends, text, place)
        text = last
    return DONE, line_stop


@kernel
def _move_behind(starts: Numbers, ends: Numbers, text: int, place: int) -> None:
    """Begin at `place`, with nothing left of the texts before it."""
    while text < len(starts) and starts[text] < place:
        starts[text] = min(place, ends[text])
        text += 1


@kernel
def _add(data: Bytes, count: int, base: int, table: WordTable, batch: Batch) -> bool:
    """Count the words of a batch, or none of them if there may be no room for all."""
    short, long, very_long = 0, 0, 0
    for i in range(count):
        start, size = batch.starts[i], batch.ends[i] - batch.starts[i]
        batch.short_keys[short] = short_key(data, start, size & KEY_BYTES)  # a long word's is written over
        batch.short_places[short] = start
        batch.long[long] = i
        short += size <= SHORT_BYTES
        long += size > SHORT_BYTES
        very_long += size > KEY_BYTES
    very_long_bytes = batch.ends[count - 1] - batch.starts[0] if very_long else 0  # at most
    if not _has_room(table, short, long, very_long, very_long_bytes):
        return False
    add_short_words(batch.short_keys, batch.short_places, short, base, table.short)
    add_long_words(data, batch.starts, batch.ends, batch.long, long, base, batch.long_keys, table.long)
    table.state[TOTAL] += count
    return True


@kernel
def _has_room(table: WordTable, short: int, long: int, very_long: int, very_long_bytes: int) -> bool:
    """Whether there is for so many words, if none of them is known; else it is put down what there must be."""
    short_words, long_words = table.short, table.long
    if (
        short_words.unique[0] + short <= len(short_words.order)
        and long_words.state[UNIQUE] + long <= min(len(long_words.words), room_in(len(long_words.slots)))
        and long_words.state[VERY_LONG] + very_long <= len(long_words.bounds)
        and long_words.state[VERY_LONG_BYTES] + very_long_bytes + PADDING <= len(long_words.bytes)
    ):
        return True
    table.state[MORE_SHORT] = short
    table.state[MORE_LONG] = long
    table.state[MORE_VERY_LONG] = very_long
    table.state[MORE_BYTES] = very_long_bytes
    return False


def taking_in(other: WordTable, table: WordTable, words: int) -> Iterator[WordTable]:
    """Count also what another table has, some `words` at a time; gives the same table or a larger one after each.

    A word that is in both was first at the earlier place.
    """
    for first, last in _slices(int(other.short.unique[0]), words):
        table = table._replace(short=short_with_room(table.short, last - first))
        table.state[TOTAL] += take_short_words(other.short, first, last, table.short)
        yield table
    for first, last in _slices(int(other.long.state[UNIQUE]), words):
        very_long = other.long.state[VERY_LONG : VERY_LONG_BYTES + 1]
        table = table._replace(long=long_with_room(table.long, last - first, *very_long))
        table.state[TOTAL] += take_long_words(other.long, first, last, table.long)
        yield table


def _slices(count: int, size: int) -> Iterator[tuple[int, int]]:
    for first in range(0, count, size):
        yield first, min(first + size, count)


def in_order(table: WordTable) -> tuple[Numbers, Numbers]:
    """All words by their first places, and these: a long word is known by its number, a short one by ~slot."""
    short = table.short.order[: table.short.unique[0]]
    long = np.arange(table.long.state[UNIQUE])
    places = np.concatenate([table.short.places[short], table.long.words.view(np.int64)[: len(long), 3]])
    order = np.argsort(places, kind="stable")  # a few sorted runs, one of each thread: this way takes no time
    return np.concatenate([~short, long])[order], places[order]


@kernel
def measure_words(table: WordTable, words: Numbers, offsets: Numbers, counts: Numbers) -> None:
    """Where each of these words begins if they stand one behind the other, and its count."""
    short, long = table.short.slots, table.long.words
    for i in range(len(words)):
        _ask_for(table, words[min(i + AHEAD, len(words) - 1)])
        word = words[i]
        if word < 0:
            size, counts[i] = np.int64(short[~word, 0] >> np.uint64(56)), np.int64(short[~word, 1])
        else:
            size, counts[i] = long_size(table.long, word), np.int64(long[word, 2])
        offsets[i + 1] = offsets[i] + size


@kernel
def copy_words(table: WordTable, words: Numbers, offsets: Numbers, data: Bytes) -> None:
    """The bytes of these words, from left to right: more than these are written of each."""
    for i in range(len(words)):
        _ask_for(table, words[min(i + AHEAD, len(words) - 1)])
        word = words[i]
        if word < 0:
            store64(data, offsets[i], table.short.slots[~word, 0])
        else:
            copy_long_word(table.long, word, data, offsets[i])


@kernel
def _ask_for(table: WordTable, word: int) -> None:
    if word < 0:
        prefetch(table.short.slots, 2 * ~word)
    else:
        prefetch(table.long.words, 4 * word)


def warm_up() -> None:
    data, numbers = np.zeros(PADDING, np.uint8), np.zeros(1, np.int64)
    table, none = new_table(2), numbers[:0].copy()
    count_texts(0, False, data, numbers, numbers, 0, character_kinds(), table, new_batch(1), 0)
    measure_words(table, none, numbers, none)
    copy_words(table, none, numbers, data)
