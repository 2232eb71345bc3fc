"""From the bytes of words to token ids, with a cache of words seen before, and to the ranks of their boundaries."""

from typing import NamedTuple

import numpy as np

from core.kernels.characters import character_kinds
from core.kernels.compiled import inlined, kernel, prefetch
from core.kernels.encoding import (
    EMPTY,
    LANES,
    SHORT,
    Merges,
    Short,
    Symbols,
    Words64,
    add_listed,
    add_pairs,
    hashed,
    merge_long,
    merge_short,
    padded,
    write_ids,
    write_short_ids,
)
from core.kernels.scanning import scan
from core.kernels.spelling import spell
from core.kernels.word_cache import (
    CACHED_BYTES,
    TAKEN_IDS,
    WordCache,
    holds,
    key_of_word,
    new_cache,
    remember,
    slot_of,
    take,
)
from core.packed_words import PADDING, Bytes, Numbers
from core.spelling_tables import SpellingTables

BATCH_WORDS = 512
"""The slots of so many words are asked for before they are looked at."""
UNLIMITED = 2**62


class Batch(NamedTuple):
    """Words that are looked up together, with their keys and slots; `ends_of_ids` is the place behind those of each."""

    starts: Numbers
    ends: Numbers
    keys: Words64
    slots: Numbers
    ends_of_ids: Numbers


class Scratch(NamedTuple):
    """Room for one word, see encoding.py, and for a batch."""

    tokens: Symbols
    removed: Symbols
    short: Short
    heap: Numbers
    state: Numbers
    batch: Batch


class Wholes(NamedTuple):
    """Words that are a token as they stand: word i is `data[offsets[i]:offsets[i + 1]]`, and the token `ids[i]`.

    `slots` is an open hash table of their numbers, -1 where none is; of length 0 if there are none at all.
    """

    slots: Symbols
    data: Bytes
    offsets: Numbers
    ids: Symbols


class Rules(NamedTuple):
    """How words become ids: those that are a token as they stand do so, the others are merged; merges with a number of
    `limit` or more do not exist yet.

    `is_plain` if every byte is a symbol, `spelling.inner`, wherever it stands, and there are no others.
    """

    spelling: SpellingTables
    is_plain: bool
    merges: Merges
    limit: int
    token_ids: Symbols
    wholes: Wholes


def new_wholes(data: Bytes, offsets: Numbers, ids: Symbols) -> Wholes:
    """Of words that are all different."""
    count = len(ids)
    wholes = Wholes(np.full(2 << count.bit_length() if count else 0, -1, np.int32), data, offsets, ids)
    if count:
        add_wholes(wholes)
    return wholes


@kernel
def add_wholes(wholes: Wholes) -> None:
    for i in range(len(wholes.ids)):
        low, high = key_of_word(wholes.data, wholes.offsets[i], wholes.offsets[i + 1] - wholes.offsets[i])
        place = hashed(low ^ high, len(wholes.slots))
        while wholes.slots[place] >= 0:
            place = (place + 1) & (len(wholes.slots) - 1)
        wholes.slots[place] = i


@kernel
def whole_id(wholes: Wholes, data: Bytes, start: int, size: int, low: np.uint64, high: np.uint64) -> int:
    """The token that a word is as it stands; -1 if it is none."""
    place = hashed(low ^ high, len(wholes.slots))
    while wholes.slots[place] >= 0:
        i = wholes.slots[place]
        first = wholes.offsets[i]
        if wholes.offsets[i + 1] - first == size:
            same = 0
            while same < size and wholes.data[first + same] == data[start + same]:
                same += 1
            if same == size:
                return wholes.ids[i]
        place = (place + 1) & (len(wholes.slots) - 1)
    return -1


@kernel
def find_whole(wholes: Wholes, data: Bytes, start: int, end: int) -> int:
    """The same of a word whose key is not known."""
    if len(wholes.slots) == 0:
        return -1
    low, high = key_of_word(data, start, end - start)
    return whole_id(wholes, data, start, end - start, low, high)


def new_scratch(symbols: int) -> Scratch:
    """For words of up to so many bytes."""
    slots = max(symbols, SHORT) + LANES + 2
    starts, ends, places, ends_of_ids = np.empty((4, BATCH_WORDS), np.int64)
    return Scratch(
        np.empty(slots, np.int32),
        np.empty(slots, np.int32),
        Short(np.empty(SHORT, np.int32), np.empty(SHORT, np.int32)),
        np.empty(2 * slots, np.int64),
        np.empty(3, np.int64),
        Batch(starts, ends, np.empty((BATCH_WORDS, 2), np.uint64), places, ends_of_ids),
    )


@kernel
def to_numbers(tokens: Symbols, start: int, end: int) -> None:
    """Symbols as `spell` writes them, UNKNOWN_SYMBOL as 0 and a byte of an unknown character as its token."""
    for i in range(start, end):
        tokens[i] = ~tokens[i] if tokens[i] < 0 else tokens[i]


@inlined
def spelled_word(data: Bytes, start: int, end: int, rules: Rules, tokens: Symbols) -> int:
    """Write the numbers of the word's symbols, and some more as merge_short wants it; returns how many they are."""
    size = end - start
    if rules.is_plain:
        for first in range(0, size, LANES):
            for i in range(first, first + LANES):
                tokens[i] = rules.spelling.inner[data[start + i]]
    else:
        size = spell(data, start, end, rules.spelling, tokens, 0)
        to_numbers(tokens, 0, size)
        for i in range(size, padded(size)):
            tokens[i] = 0
    return size


@inlined
def merged_word(data: Bytes, start: int, end: int, rules: Rules, scratch: Scratch) -> int:
    """Spell and merge one word in `scratch`; returns how many symbols it has."""
    tokens = scratch.tokens
    size = spelled_word(data, start, end, rules, tokens)
    if size <= SHORT:
        merge_short(tokens, size, scratch.short, scratch.removed, rules.merges, rules.limit)
    else:
        scratch.state[:] = 0
        merge_long(tokens, size, scratch.heap, scratch.state, scratch.removed, rules.merges, rules.limit, UNLIMITED)
    return size


@inlined
def most_bytes(scratch: Scratch) -> int:
    """Of a word that has room: it may have a symbol more, and LANES more are read."""
    return len(scratch.tokens) - LANES - 2


@kernel
def ask_for_slots(data: Bytes, count: int, batch: Batch, cache: WordCache, longest: int, room: int) -> int:
    """The keys of the words, and the slots where they would stand, which are asked for from memory.

    Returns how many come before a word of more than `longest` bytes, or one that may have more ids than there is room.
    """
    for i in range(count):
        start, size = batch.starts[i], batch.ends[i] - batch.starts[i]
        room -= size + 1
        if size > longest or room < TAKEN_IDS:
            return i
        low, high = key_of_word(data, start, size)
        slot = slot_of(cache, low, high)
        prefetch(cache.slots, slot)
        batch.keys[i, 0], batch.keys[i, 1], batch.slots[i] = low, high, slot
    return count


@kernel
def encode_batch(
    data: Bytes, count: int, rules: Rules, cache: WordCache, scratch: Scratch, ids: Symbols, place: int
) -> int:
    """Write the ids of the words that were asked for; returns the place behind them."""
    batch = scratch.batch
    for i in range(count):
        start, size = batch.starts[i], batch.ends[i] - batch.starts[i]
        low, high, slot = batch.keys[i, 0], batch.keys[i, 1], batch.slots[i]
        if holds(cache, slot, low, high, data, start, size):
            place = take(cache, slot, size, ids, place)
        elif holds(cache, slot ^ 4, low, high, data, start, size):
            place = take(cache, slot ^ 4, size, ids, place)
        else:
            whole = whole_id(rules.wholes, data, start, size, low, high) if len(rules.wholes.slots) else -1
            symbols = 0 if whole >= 0 else merged_word(data, start, start + size, rules, scratch)
            if whole >= 0:
                ids[place] = whole
                behind = place + 1
            elif symbols <= SHORT:
                behind = write_short_ids(scratch.tokens, symbols, scratch.short, rules.token_ids, ids, place)
            else:
                behind = write_ids(scratch.tokens, symbols, rules.merges, rules.token_ids, ids, place)
            if size < CACHED_BYTES:
                remember(cache, slot, low, high, data, start, size, ids, place, behind - place)
            place = behind
        batch.ends_of_ids[i] = place
    return place


@kernel
def encode_text(
    pattern: int, data: Bytes, start: int, pause: int, stop: int, kinds: Bytes, rules: Rules, cache: WordCache,
    scratch: Scratch, ids: Symbols,
) -> tuple[int, int, int]:  # fmt: skip
    """Write the ids of the words of the text `data[start:stop]`, or of those that begin before `pause` and some more.

    Returns where to go on, and the place behind the ids. Between them is the end of the word that begins there and may
    not have room in `ids` or in `scratch`; if there is none, it is where to go on.
    """
    batch, place = scratch.batch, 0
    while start < pause:
        count = scan(pattern, data, start, stop, kinds, batch.starts, batch.ends, 0)
        done = ask_for_slots(data, count, batch, cache, most_bytes(scratch), len(ids) - place)
        place = encode_batch(data, done, rules, cache, scratch, ids, place)
        if done < count:
            return batch.starts[done], batch.ends[done], place
        start = batch.ends[count - 1] if count == len(batch.starts) else stop
    return start, start, place


@kernel
def encode_words(
    data: Bytes, starts: Numbers, ends: Numbers, rules: Rules, cache: WordCache, scratch: Scratch, ids: Symbols,
    ends_of_ids: Numbers,
) -> int:  # fmt: skip
    """The same of words that are cut already, those of word i end at `ends_of_ids[i]`; returns how many are done."""
    batch, place = scratch.batch, 0
    for first in range(0, len(starts), BATCH_WORDS):
        count = min(BATCH_WORDS, len(starts) - first)
        for i in range(count):
            batch.starts[i], batch.ends[i] = starts[first + i], ends[first + i]
        done = ask_for_slots(data, count, batch, cache, most_bytes(scratch), len(ids) - place)
        place = encode_batch(data, done, rules, cache, scratch, ids, place)
        for i in range(done):
            ends_of_ids[first + i] = batch.ends_of_ids[i]
        if done < count:
            return first + done
    return len(starts)


@kernel
def rank_words(
    data: Bytes, starts: Numbers, ends: Numbers, rules: Rules, scratch: Scratch, symbols: Symbols, ranks: Symbols,
    places: Numbers,
) -> int:  # fmt: skip
    """From `places[i]` to `places[i + 1]` the base symbols of word i, and for each of them the rank of the merge that
    removes the boundary behind it; NEVER at the end of the word.

    Stops as `encode_words` does.
    """
    places[0] = 0
    place = places[0]
    for word in range(len(starts)):
        start, end = starts[word], ends[word]
        if end - start > most_bytes(scratch) or place + end - start >= len(ranks):
            return word
        size = merged_word(data, start, end, rules, scratch)
        to_numbers(symbols, place, spell(data, start, end, rules.spelling, symbols, place))
        for i in range(size):
            ranks[place + i] = scratch.removed[i]
        place += size
        places[word + 1] = place
    return len(starts)


def warm_up() -> None:
    from core.alphabet import byte_alphabet
    from core.spelling_tables import spelling_tables

    merges = Merges(np.zeros(1, np.int32), np.full(2, EMPTY), np.ones(257, np.int32), np.zeros(257, np.int32), 0, 257)
    add_pairs(merges, np.ones(1, np.int32), np.ones(1, np.int32), -1)
    scratch, cache = new_scratch(2), new_cache(2)
    data, ids = np.zeros(PADDING, np.uint8), np.zeros(8, np.int32)
    ends, places = np.ones(1, np.int64), np.zeros(2, np.int64)
    rules = Rules(spelling_tables(byte_alphabet()), True, merges, 0, ids, new_wholes(data, places, ids[:0]))
    add_wholes(rules.wholes)
    find_whole(rules.wholes, data, 0, 0)
    add_listed(merges, ids[:0], ids[:0], ids[:0])
    encode_words(data, ends[:0], ends[:0], rules, cache, scratch, ids, places)
    encode_text(0, data, 0, 0, 0, character_kinds(), rules, cache, scratch, ids)
    rank_words(data, ends[:0], ends[:0], rules, scratch, ids, ids, places)
    merge_long(ids, 0, places, np.zeros(3, np.int64), ids, merges, 0, 0)  # words too long for encode_words call these
    to_numbers(ids, 0, 0)
