"""Memory for large arrays, which is cheap to touch for the first time and to find one's way in."""

import mmap
from contextlib import suppress

import numpy as np

from core.packed_words import Bytes, Numbers

_CACHE_LINE_BYTES = 64
_HUGE_PAGE_BYTES = 1 << 21


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
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:  # no memory, as a rule: of that numpy says MemoryError
        return np.zeros(size, np.uint8)
    with suppress(OSError):  # a system without them
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8)
