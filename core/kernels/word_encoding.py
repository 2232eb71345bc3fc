"""From the bytes of words to token ids, with a cache of words seen before, and to the ranks of their boundaries."""

from typing import NamedTuple

import numpy as np

from core.kernels.compiled import inlined, kernel, load64, mix, prefetch
from core.kernels.encoding import SHORT, Merges, Symbols, Words64, add_pairs, merge_long, merge_short, write_ids
from core.kernels.spelling import spell
from core.packed_words import Bytes, Numbers
from core.spelling_tables import SpellingTables

KEYED_BYTES = 16
"""A word of fewer bytes is its own key."""
CACHED_BYTES = 1_024
"""Longer words seldom come again."""
INLINE_IDS = 3
"""So many ids of a keyed word stand in its slot."""
ASKED_WORDS = 256
"""The slots of so many words are asked for before they are looked at."""
CACHE_LINE_BYTES = 64
UNLIMITED = 2**62
_LOW = np.array([(1 << 8 * min(size, 8)) - 1 for size in range(KEYED_BYTES)], np.uint64)
_HIGH = np.array([(1 << 8 * max(size - 8, 0)) - 1 for size in range(KEYED_BYTES)], np.uint64)


class WordCache(NamedTuple):
    """Ids by word, in slots of four numbers: two of key and two of content. A word stands in its slot by hash or in
    the one beside it.

    The key of a short word is its bytes and its size, the content `count << 32 | id, id << 32 | id`, or
    `count << 32 | place in ids`. The key of a longer one is a hash and its size, the content `count << 32 | place in
    ids, place in texts`; its bytes are compared. `used` of texts and ids are filled; when one of them is full, all is
    forgotten.
    """

    slots: Words64
    texts: Bytes
    ids: Symbols
    used: Numbers


class Scratch(NamedTuple):
    """Room for one word of fewer symbols than `tokens` has slots, see encoding.py; and for keys of words to come."""

    tokens: Symbols
    removed: Symbols
    entries: Symbols
    heap: Numbers
    state: Numbers
    keys: Words64
    slots: Numbers


def new_cache(slots: int, text_bytes: int = 1 << 22, ids: int = 1 << 20) -> WordCache:
    """An empty one; `slots` is a power of two, at least 2. Memory is taken as words come in."""
    assert min(text_bytes - 8, ids) > CACHED_BYTES, "a word must fit in"
    memory = np.zeros(32 * slots + CACHE_LINE_BYTES, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE_BYTES  # so that no slot crosses a cache line: numpy aligns to 16 bytes
    return WordCache(
        memory[start : start + 32 * slots].view(np.uint64),
        np.zeros(text_bytes, np.uint8),
        np.zeros(ids, np.int32),
        np.zeros(2, np.int64),
    )


def new_scratch(symbols: int) -> Scratch:
    return Scratch(
        np.empty(symbols, np.int32),
        np.empty(symbols, np.int32),
        np.empty(SHORT, np.int32),
        np.empty(2 * symbols, np.int64),
        np.empty(3, np.int64),
        np.empty((ASKED_WORDS, 2), np.uint64),
        np.empty(ASKED_WORDS, np.int64),
    )


@inlined
def key_of_word(data: Bytes, start: int, size: int) -> tuple[np.uint64, np.uint64]:
    if size < KEYED_BYTES:
        high = np.uint64(size + 1) << np.uint64(56)
        return load64(data, start) & _LOW[size], (load64(data, start + 8) & _HIGH[size]) | high
    return hash_of(data, start, size), np.uint64(size + 1) << np.uint64(32)


@kernel
def hash_of(data: Bytes, start: int, size: int) -> np.uint64:
    """Of a word of 8 bytes or more: its last 8 bytes are taken in once more, so that no mask is needed."""
    found = np.uint64(size)
    for place in range(start, start + size - 8, 8):
        found = mix(found ^ load64(data, place), np.uint64(0xA0761D6478BD642F))
    return mix(found ^ load64(data, start + size - 8), np.uint64(0xE7037ED1A0B428DB))


@kernel
def is_same(data: Bytes, start: int, texts: Bytes, other: int, size: int) -> bool:
    """Whether two words of 8 bytes or more are equal."""
    for place in range(0, size - 8, 8):
        if load64(data, start + place) != load64(texts, other + place):
            return False
    return load64(data, start + size - 8) == load64(texts, other + size - 8)


@inlined
def slot_of(cache: WordCache, low: np.uint64, high: np.uint64) -> int:
    """Where the word would stand; the other way is `slot ^ 4`."""
    found = mix(low ^ np.uint64(0x9E3779B97F4A7C15), high ^ np.uint64(0xD6E8FEB86659FD93))
    return np.int64(found & np.uint64(len(cache.slots) - 1)) & ~3


@inlined
def holds(cache: WordCache, slot: int, low: np.uint64, high: np.uint64, data: Bytes, start: int, size: int) -> bool:
    if cache.slots[slot] != low or cache.slots[slot + 1] != high:
        return False
    return size < KEYED_BYTES or is_same(data, start, cache.texts, np.int64(cache.slots[slot + 3]), size)


@inlined
def take(cache: WordCache, slot: int, size: int, ids: Symbols, place: int) -> int:
    """Write the ids of the word in `slot`; returns the place behind them. Some ids behind them may be overwritten."""
    content = cache.slots[slot + 2]
    count = np.int64(content >> np.uint64(32))
    if size < KEYED_BYTES and count <= INLINE_IDS:
        more = cache.slots[slot + 3]
        ids[place] = np.int32(content)
        ids[place + 1] = np.int32(more >> np.uint64(32))
        ids[place + 2] = np.int32(more)
    else:
        first = np.int64(content & np.uint64(0xFFFFFFFF))
        for i in range(count):
            ids[place + i] = cache.ids[first + i]
    return place + count


@inlined
def as_bits(token_id: int) -> np.uint64:
    return np.uint64(np.uint32(token_id))


@kernel
def remember(
    cache: WordCache, low: np.uint64, high: np.uint64, data: Bytes, start: int, size: int, ids: Symbols, place: int,
    count: int,
) -> None:  # fmt: skip
    """Put a new word in its slot, or in the other way if that is taken: the words that came first are frequent ones."""
    if cache.used[0] + size + 8 > len(cache.texts) or cache.used[1] + count > len(cache.ids):
        cache.slots[:] = 0
        cache.used[:] = 0
    slot = slot_of(cache, low, high)
    if cache.slots[slot + 1] != 0:
        slot ^= 4
    cache.slots[slot], cache.slots[slot + 1] = low, high
    if size < KEYED_BYTES and count <= INLINE_IDS:
        second = as_bits(ids[place + 1]) if count > 1 else np.uint64(0)
        third = as_bits(ids[place + 2]) if count > 2 else np.uint64(0)
        first = as_bits(ids[place]) if count > 0 else np.uint64(0)
        cache.slots[slot + 2] = np.uint64(count) << np.uint64(32) | first
        cache.slots[slot + 3] = second << np.uint64(32) | third
        return
    cache.slots[slot + 2] = np.uint64(count) << np.uint64(32) | np.uint64(cache.used[1])
    for i in range(count):
        cache.ids[cache.used[1] + i] = ids[place + i]
    cache.used[1] += count
    if size >= KEYED_BYTES:
        cache.slots[slot + 3] = np.uint64(cache.used[0])
        for i in range(size):
            cache.texts[cache.used[0] + i] = data[start + i]
        cache.used[0] += size


@kernel
def to_numbers(tokens: Symbols, start: int, end: int) -> None:
    """Symbols as `spell` writes them, UNKNOWN_SYMBOL as 0 and a byte of an unknown character as its token."""
    for i in range(start, end):
        tokens[i] = ~tokens[i] if tokens[i] < 0 else tokens[i]


@kernel
def merged_word(
    data: Bytes, start: int, end: int, spelling: SpellingTables, merges: Merges, limit: int, scratch: Scratch
) -> int:
    """Spell and merge one word in `scratch`; returns how many symbols it has."""
    tokens = scratch.tokens
    size = spell(data, start, end, spelling, tokens, 0)
    to_numbers(tokens, 0, size)
    if size <= SHORT:
        merge_short(tokens, size, scratch.entries, scratch.removed, merges, limit)
    else:
        scratch.state[:] = 0
        merge_long(tokens, size, scratch.heap, scratch.state, scratch.removed, merges, limit, UNLIMITED)
    return size


@kernel
def ask_for_slots(
    data: Bytes, starts: Numbers, ends: Numbers, first: int, last: int, cache: WordCache, scratch: Scratch
) -> None:
    """The keys of the words, and the slots where they would stand, which are asked for from memory."""
    for word in range(first, last):
        low, high = key_of_word(data, starts[word], ends[word] - starts[word])
        slot = slot_of(cache, low, high)
        prefetch(cache.slots, slot)
        scratch.keys[word - first, 0], scratch.keys[word - first, 1] = low, high
        scratch.slots[word - first] = slot


@kernel
def encode_words(
    data: Bytes, starts: Numbers, ends: Numbers, spelling: SpellingTables, merges: Merges, limit: int,
    token_ids: Symbols, cache: WordCache, scratch: Scratch, ids: Symbols, places: Numbers,
) -> int:  # fmt: skip
    """Ids of the words, those of word i from `places[i]` to `places[i + 1]` of `ids`.

    Stops before a word that may not have room in `ids` or in `scratch`; returns which.
    """
    places[0] = 0
    place = places[0]
    for word in range(len(starts)):
        if word % ASKED_WORDS == 0:
            ask_for_slots(data, starts, ends, word, min(word + ASKED_WORDS, len(starts)), cache, scratch)
        start, end = starts[word], ends[word]
        size = end - start
        if size >= len(scratch.tokens) or place + size + INLINE_IDS > len(ids):
            return word
        low, high = scratch.keys[word % ASKED_WORDS, 0], scratch.keys[word % ASKED_WORDS, 1]
        slot = scratch.slots[word % ASKED_WORDS]
        if holds(cache, slot, low, high, data, start, size):
            place = take(cache, slot, size, ids, place)
        elif holds(cache, slot ^ 4, low, high, data, start, size):
            place = take(cache, slot ^ 4, size, ids, place)
        else:
            symbols = merged_word(data, start, end, spelling, merges, limit, scratch)
            behind = write_ids(scratch.tokens, symbols, merges, token_ids, ids, place)
            if size < CACHED_BYTES:
                remember(cache, low, high, data, start, size, ids, place, behind - place)
            place = behind
        places[word + 1] = place
    return len(starts)


@kernel
def rank_words(
    data: Bytes, starts: Numbers, ends: Numbers, spelling: SpellingTables, merges: Merges, limit: int, scratch: Scratch,
    symbols: Symbols, ranks: Symbols, places: Numbers,
) -> int:  # fmt: skip
    """From `places[i]` to `places[i + 1]` the base symbols of word i, and for each of them the rank of the merge that
    removes the boundary behind it; NEVER at the end of the word.

    Stops as `encode_words` does.
    """
    places[0] = 0
    place = places[0]
    for word in range(len(starts)):
        start, end = starts[word], ends[word]
        if end - start >= len(scratch.tokens) or place + end - start >= len(ranks):
            return word
        size = merged_word(data, start, end, spelling, merges, limit, scratch)
        to_numbers(symbols, place, spell(data, start, end, spelling, symbols, place))
        for i in range(size):
            ranks[place + i] = scratch.removed[i]
        place += size
        places[word + 1] = place
    return len(starts)


def warm_up() -> None:
    from core.alphabet import byte_alphabet
    from core.spelling_tables import spelling_tables

    merges = Merges(np.zeros(1, np.int32), np.zeros(2, np.uint64), np.ones(257, np.int32), 0, 257)
    add_pairs(merges, np.ones(1, np.int32), np.ones(1, np.int32), -1)
    scratch = new_scratch(2)
    data, ends, places, ids = np.zeros(64, np.uint8), np.ones(1, np.int64), np.zeros(2, np.int64), np.zeros(8, np.int32)
    words = data, ends[:0], ends[:0], spelling_tables(byte_alphabet()), merges, 0
    encode_words(*words, ids, new_cache(2), scratch, ids, places)
    rank_words(*words, scratch, ids, ids, places)
    merge_long(ids, 0, places, np.zeros(3, np.int64), ids, merges, 0, 0)  # words too long for encode_words call these
    to_numbers(ids, 0, 0)
