"""Words with their counts in three arrays: a tenth of the memory of a dictionary, and what compiled loops read."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.utf8 import utf8

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

PADDING = 64
"""Bytes behind the last word that a loop may read, but that belong to nothing."""
WORDS_PER_SLICE = 4_096


class PackedWords(Mapping[str, int]):
    """Unique words in a fixed order, as a mapping to their counts.

    Word i is `data[offsets[i]:offsets[i + 1]]` in UTF-8 (half a surrogate pair as three bytes), of shape (n + 1,)
    `offsets`, and occurs `counts[i]` times. The arrays are not to be changed. `data` has PADDING bytes more than
    `offsets[-1]`.
    """

    def __init__(self, data: Bytes, offsets: Numbers, counts: Numbers) -> None:
        assert len(data) >= offsets[-1] + PADDING
        assert data.flags.writeable  # to numba, an array that may not be written is of another type
        assert len(offsets) == len(counts) + 1
        self.data = data
        self.offsets = offsets
        self.counts = counts

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "PackedWords":
        """The same words in the same order; packed ones as they are. Raises OverflowError for a count over 2^63 - 1."""
        if isinstance(counts, PackedWords):
            return counts
        words = [utf8(word) for word in counts]
        return cls._of_bytes(words, np.fromiter(counts.values(), np.int64, len(words)))

    @classmethod
    def _of_bytes(cls, words: list[bytes], counts: Numbers) -> "PackedWords":
        offsets = np.zeros(len(words) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=offsets[1:])
        data = np.frombuffer(bytearray().join([*words, bytes(PADDING)]), np.uint8)
        return cls(data, offsets, counts)

    @property
    def total(self) -> int:
        """Words, each as often as it occurs."""
        return int(self.counts.sum())

    @property
    def byte_count(self) -> int:
        """Memory that the arrays take."""
        return int(self.data.nbytes + self.offsets.nbytes + self.counts.nbytes)

    def cuts(self, parts: int) -> list[int]:
        """The words at which as many parts of about the same size in bytes begin and end."""
        places = np.arange(1, parts) * int(self.offsets[-1]) // parts
        return [0, *np.searchsorted(self.offsets, places).tolist(), len(self)]

    def word(self, index: int) -> str:
        start, end = self.offsets[index : index + 2]
        return self.data[start:end].tobytes().decode(errors="surrogatepass")

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[str]:
        data = self.data.data
        for first in range(0, len(self), WORDS_PER_SLICE):
            places = self.offsets[first : first + WORDS_PER_SLICE + 1].tolist()
            for start, end in pairwise(places):
                yield str(data[start:end], "utf-8", "surrogatepass")

    def __getitem__(self, word: str) -> int:
        return int(self.counts[self._places[word]])

    def __contains__(self, word: object) -> bool:
        return word in self._places

    def items(self) -> Any:
        """(word, count) of each; iterating makes the words one after the other."""
        return _Items(self)

    def values(self) -> Any:
        return _Values(self)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Made only when a word is looked up."""
        return {word: place for place, word in enumerate(self)}


class _Values(Iterable[int]):
    def __init__(self, words: PackedWords) -> None:
        self._words = words

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[int]:
        counts = self._words.counts
        for first in range(0, len(counts), WORDS_PER_SLICE):
            yield from counts[first : first + WORDS_PER_SLICE].tolist()


class _Items(Iterable[tuple[str, int]]):
    def __init__(self, words: PackedWords) -> None:
        self._words = words

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return zip(self._words, self._words.values(), strict=True)
