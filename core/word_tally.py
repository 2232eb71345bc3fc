"""Adds up words that were counted elsewhere, in a dictionary."""

from collections.abc import Generator, Mapping

import numpy as np

from core.packed_words import PADDING, PackedWords
from core.utf8 import utf8

BYTES_PER_WORD = 180  # of a dictionary, its string and its number, measured with short words
WORDS_PER_SLICE = 1 << 14


class WordTally:
    """`memory_bytes` is about what it takes; the order of words is that of first appearance since `clear`."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._characters = 0
        self.total = 0

    @property
    def unique(self) -> int:
        return len(self._counts)

    @property
    def memory_bytes(self) -> int:
        return BYTES_PER_WORD * len(self._counts) + self._characters

    def add(self, words: Mapping[str, int]) -> None:
        counts = self._counts
        for word, count in words.items():
            if word in counts:
                counts[word] += count
            else:
                counts[word] = count
                self._characters += len(word)
            self.total += count

    def resulting(self) -> Generator[None, None, PackedWords]:
        """The words packed, yielding after some milliseconds."""
        words, data = list(self._counts), bytearray()
        offsets = np.zeros(len(words) + 1, np.int64)
        for first in range(0, len(words), WORDS_PER_SLICE):
            some = [utf8(word) for word in words[first : first + WORDS_PER_SLICE]]
            offsets[first + 1 : first + 1 + len(some)] = np.cumsum([*map(len, some)]) + len(data)
            data += b"".join(some)
            yield
        counts = np.fromiter(self._counts.values(), np.int64, len(words))
        return PackedWords(np.frombuffer(data + bytes(PADDING), np.uint8), offsets, counts)

    def clear(self) -> None:
        self._counts, self._characters = {}, 0
