"""What the hash tables of words have in common: slots that are empty if they are 0, and memory for them.

A word is looked for from its home on to the right (open addressing).
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels.compiled import kernel, mix

Slots = NDArray[np.uint64]

AHEAD = 16
"""So many words before its turn a slot is asked for from memory."""
_MOST_TENTHS = 6
"""Of the slots; with more, words that are looked for are too far from their homes."""


@kernel
def room_in(capacity: int) -> int:
    """How many words so many slots may hold."""
    return capacity * _MOST_TENTHS // 10


def capacity_for(words: int, capacity: int) -> int:
    """The capacity, doubled until it has room for so many words."""
    while room_in(capacity) < words:
        capacity *= 2
    return capacity


@kernel
def hash_of(key: int, tag: int) -> int:
    return mix(key ^ np.uint64(0x9E3779B97F4A7C15), tag ^ np.uint64(0xD6E8FEB86659FD93))


@kernel
def home_of(key: int, capacity: int) -> int:
    """Where a word with this key is looked for first."""
    return np.int64(hash_of(key, np.uint64(0)) & np.uint64(capacity - 1))
