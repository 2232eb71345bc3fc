"""Adds up words that were counted elsewhere, in a dictionary."""

from collections.abc import Mapping

from core.packed_words import PackedWords

BYTES_PER_WORD = 180  # of a dictionary, its string and its number, measured with short words


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

    def result(self) -> PackedWords:
        return PackedWords.of(self._counts)

    def clear(self) -> None:
        self._counts, self._characters = {}, 0
