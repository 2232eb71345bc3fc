"""What the hash tables of words have in common: rows of numbers as slots, which are empty if all are 0.

A word is looked for from its home on to the right (open addressing).
"""

import mmap
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from core.kernels.compiled import kernel, mix
from core.packed_words import Bytes, Numbers

Slots = NDArray[np.uint64]

AHEAD = 16
"""So many words before its turn a slot is asked for from memory."""
_MOST_TENTHS = 6
"""Of the slots; with more, words that are looked for are too far from their homes."""
_CACHE_LINE_BYTES = 64
_HUGE_PAGE_BYTES = 1 << 21

FIRST_BYTES = np.array([*((1 << 8 * size) - 1 for size in range(8)), *[2**64 - 1] * 8], np.uint64)
"""By a word's size, up to 15: what of its first 8 bytes belongs to it."""


def empty_slots(capacity: int, width: int) -> tuple[Slots, Numbers]:
    """Slots of shape (capacity, width), none across two cache lines, and room for the order in which they fill."""
    slots = zeros(capacity * width).view(np.uint64).reshape(capacity, width)
    return slots, zeros(capacity * _MOST_TENTHS // 10)


def zeros(count: int) -> Numbers:
    """Aligned to cache lines, which numpy does not do; and much memory in huge pages, where there are such.

    Each page costs some microseconds when it is touched first, and the processor remembers few of their addresses.
    """
    size = count * 8
    alignment = _CACHE_LINE_BYTES if size < _HUGE_PAGE_BYTES else _HUGE_PAGE_BYTES
    memory = np.zeros(size + alignment, np.uint8) if size < _HUGE_PAGE_BYTES else _huge_pages(size + alignment)
    start = -memory.ctypes.data % alignment
    return memory[start : start + size].view(np.int64)


def _huge_pages(size: int) -> Bytes:
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(size, np.uint8)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a system without them
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8)


def capacity_for(words: int, capacity: int) -> int:
    """The capacity, doubled until it has room for so many words."""
    while capacity * _MOST_TENTHS // 10 < words:
        capacity *= 2
    return capacity


@kernel
def home_of(key: int, tag: int, capacity: int) -> int:
    """Where a word with this key is looked for first."""
    hashed = mix(key ^ np.uint64(0x9E3779B97F4A7C15), tag ^ np.uint64(0xD6E8FEB86659FD93))
    return np.int64(hashed & np.uint64(capacity - 1))
