"""The ids of words seen before, by the bytes of the word.

A slot has four numbers: two of key and two of content. A word stands in its slot by hash or in the one beside it. The
key of a short word is its bytes and its size, the content its ids and their count: `id, id`, `id, count`, two in a
number, the first one lowest. If they are more, or the word is longer, the content is `place in ids, place in texts` and
`0, count`. The key of a longer word is a hash and its size, and its bytes are compared.
"""

from typing import NamedTuple

import numpy as np

from core.kernels.compiled import inlined, kernel, load64, mix, store64
from core.kernels.encoding import Symbols, Words64
from core.packed_words import PADDING, Bytes, Numbers

KEYED_BYTES = 16
"""A word of fewer bytes is its own key."""
CACHED_BYTES = 1_024
"""Longer words seldom come again."""
INLINE_IDS = 3
"""So many ids of a keyed word stand in its slot."""
TAKEN_IDS = INLINE_IDS + 1
"""What is written at least, so that most words need no loop: the count, too, behind the ids."""
CACHE_LINE_BYTES = 64
_HALF = np.uint64(32)
_LOW = np.array([(1 << 8 * min(size, 8)) - 1 for size in range(KEYED_BYTES)], np.uint64)
_HIGH = np.array([(1 << 8 * max(size - 8, 0)) - 1 for size in range(KEYED_BYTES)], np.uint64)


class WordCache(NamedTuple):
    """`used` of texts and ids are filled; when one of them is full, all is forgotten."""

    slots: Words64
    texts: Bytes
    ids: Symbols
    used: Numbers


def new_cache(slots: int, text_bytes: int = 1 << 22, ids: int = 1 << 20) -> WordCache:
    """An empty one; `slots` is a power of two, at least 2. Memory is taken as words come in."""
    assert min(text_bytes, ids) > CACHED_BYTES, "a word must fit in"
    memory = np.zeros(32 * slots + CACHE_LINE_BYTES, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE_BYTES  # so that no slot crosses a cache line: numpy aligns to 16 bytes
    return WordCache(
        memory[start : start + 32 * slots].view(np.uint64),
        np.zeros(text_bytes + PADDING, np.uint8),
        np.zeros(ids, np.int32),
        np.zeros(2, np.int64),
    )


@inlined
def key_of_word(data: Bytes, start: int, size: int) -> tuple[np.uint64, np.uint64]:
    if size < KEYED_BYTES:
        high = np.uint64(size + 1) << np.uint64(56)
        return load64(data, start) & _LOW[size], (load64(data, start + 8) & _HIGH[size]) | high
    return hash_of(data, start, size), np.uint64(size + 1) << _HALF


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
    if load64(cache.slots, slot) != low or load64(cache.slots, slot + 1) != high:
        return False
    return size < KEYED_BYTES or is_same(data, start, cache.texts, load64(cache.slots, slot + 2) >> _HALF, size)


@inlined
def take(cache: WordCache, slot: int, size: int, ids: Symbols, place: int) -> int:
    """Write the ids of the word in `slot`; returns the place behind them. TAKEN_IDS are written at least."""
    content, more = load64(cache.slots, slot + 2), load64(cache.slots, slot + 3)
    count = np.int64(more >> _HALF)
    if size < KEYED_BYTES and count <= INLINE_IDS:
        store64(ids, place, content)
        store64(ids, place + 2, more)
    else:
        first = np.int64(content & np.uint64(0xFFFFFFFF))
        for i in range(count):
            ids[place + i] = cache.ids[first + i]
    return place + count


@inlined
def remember(
    cache: WordCache, slot: int, low: np.uint64, high: np.uint64, data: Bytes, start: int, size: int, ids: Symbols,
    place: int, count: int,
) -> None:  # fmt: skip
    """Put a new word in its slot, or in the other way if that is taken: the words that came first are frequent ones.

    There must be room for TAKEN_IDS from `place` on.
    """
    if cache.used[0] + size > len(cache.texts) - PADDING or cache.used[1] + count > len(cache.ids):
        cache.slots[:] = 0
        cache.used[:] = 0
    if cache.slots[slot + 1] != 0:
        slot ^= 4
    content, more = load64(ids, place), load64(ids, place + 2) & np.uint64(0xFFFFFFFF)
    if size >= KEYED_BYTES or count > INLINE_IDS:
        content, more = np.uint64(cache.used[0]) << _HALF | np.uint64(cache.used[1]), np.uint64(0)
        for i in range(count):
            cache.ids[cache.used[1] + i] = ids[place + i]
        cache.used[1] += count
    if size >= KEYED_BYTES:
        for done in range(0, size, 8):
            store64(cache.texts, cache.used[0] + done, load64(data, start + done))
        cache.used[0] += size
    cache.slots[slot], cache.slots[slot + 1] = low, high
    cache.slots[slot + 2], cache.slots[slot + 3] = content, more | np.uint64(count) << _HALF
