"""Puts PackedWords together from batches of words, in which the same word may come several times.

Five million words of 10 bytes take 0.5 GB on the way and 0.13 GB in the end; as a dictionary of Python's 1.5 GB.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import CorpusError
from core.given_words import MAX_COUNT, quoted
from core.packed_words import PADDING, Bytes, Numbers, PackedWords

BYTES_AT_ONCE = 1 << 18
MIN_WORDS_TO_SUM = 1 << 20
"""So many new words, or as many as there are already, are waited for before equal ones are looked for."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_LOW = (1 << 32) - 1

Hashes = NDArray[np.uint64]


class WordBatch(NamedTuple):
    """Words one behind the other, each with its length in bytes, its count and the place where it came first."""

    data: Bytes
    lengths: Numbers
    counts: Numbers
    places: Numbers

    @classmethod
    def of(cls, words: Iterable[bytes], counts: Numbers, places: Numbers) -> "WordBatch":
        words = list(words)
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        return cls(np.frombuffer(b"".join(words), np.uint8), lengths, counts, places)

    def offsets(self) -> Numbers:
        offsets = np.zeros(len(self.lengths) + 1, np.int64)
        np.cumsum(self.lengths, out=offsets[1:])
        return offsets

    def taken(self, chosen: Numbers) -> "WordBatch":
        """Only the words with these indices, in that order."""
        data, _ = gathered(self.data, self.offsets()[chosen], self.lengths[chosen])
        return WordBatch(data, self.lengths[chosen], self.counts[chosen], self.places[chosen])


class PackedWordsBuilder:
    """`name` is that of what is read, for messages. `repeated` words were there before when they were added."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.repeated = 0
        self._summed: WordBatch | None = None
        self._new: list[WordBatch] = []
        self._new_words = 0
        self._words_added = 0

    def add(self, batch: WordBatch) -> None:
        """Counts are from 1 to MAX_COUNT, words are not empty. May raise CorpusError, as `build` does."""
        self._new.append(batch)
        self._new_words += len(batch.lengths)
        self._words_added += len(batch.lengths)
        if self._new_words > max(MIN_WORDS_TO_SUM, 0 if self._summed is None else len(self._summed.lengths)):
            self._sum()

    def add_words(self, counts: Mapping[str, int]) -> None:
        """Behind all words added so far."""
        words = PackedWords.of(counts)
        places = np.arange(len(words)) + self._words_added
        self.add(WordBatch(words.data[: words.offsets[-1]], np.diff(words.offsets), words.counts, places))

    def build(self) -> PackedWords:
        """All words, which the builder lets go, in the order of their places, and where these are equal as added.

        Raises CorpusError where the counts of a word add up to more than MAX_COUNT.
        """
        self._sum()
        words, self._summed = self._summed, None
        if words is None:
            return PackedWords(np.zeros(PADDING, np.uint8), np.zeros(1, np.int64), np.zeros(0, np.int64))
        order = np.argsort(words.places, kind="stable")
        starts, lengths, counts, data = words.offsets()[order], words.lengths[order], words.counts[order], words.data
        del words, order  # two thirds of the memory
        return PackedWords(*gathered(data, starts, lengths, PADDING), counts)

    def _sum(self) -> None:
        if not self._new:
            return
        fields = [list(field) for field in zip(*filter(None, [self._summed, *self._new]), strict=True)]
        self._summed, self._new, self._new_words = None, [], 0  # before the work, which needs memory
        words = WordBatch(*(_joined(field) for field in fields))
        before = len(words.lengths)
        self._summed = self._each_once(words)
        self.repeated += before - len(self._summed.lengths)

    def _each_once(self, words: WordBatch) -> WordBatch:
        """Each word where it was added first, with its counts added up and its smallest place."""
        repeats, firsts = _repeats(words)
        if not len(repeats):
            return words
        groups, places = np.arange(len(words.lengths)), words.places.copy()
        groups[repeats] = firsts
        np.minimum.at(places, firsts, words.places[repeats])
        kept = np.flatnonzero(groups == np.arange(len(groups)))
        words = words._replace(counts=exact_sums(groups, words.counts), places=places).taken(kept)
        self.check_sums(words)
        return words

    def check_sums(self, words: WordBatch) -> None:
        """Raises CorpusError for a count that is marked as too large, see `exact_sums`."""
        if len(too_large := np.flatnonzero(words.counts < 0)):
            word = words.taken(too_large[:1]).data.tobytes().decode(errors="replace")
            raise CorpusError(f"{self.name}: the counts of {quoted(word)} add up to more than {MAX_COUNT:,}.")


def gathered(data: Bytes, starts: Numbers, lengths: Numbers, padding: int = 0) -> tuple[Bytes, Numbers]:
    """Words from all over `data` one behind the other, and where each of them starts, and the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    gathered = np.zeros(offsets[-1] + padding, np.uint8)
    for words in _stretches(offsets):
        start, stop = offsets[words.start], offsets[words.stop]
        moves = np.repeat(starts[words] - offsets[words], lengths[words])
        gathered[start:stop] = data[np.arange(start, stop) + moves]
    return gathered, offsets


def _joined(arrays: list[Any]) -> Any:
    """One array of several, which are let go."""
    joined = np.concatenate(arrays)
    arrays.clear()
    return joined


def exact_sums(groups: Numbers, counts: Numbers) -> Numbers:
    """The sum of the counts of each group, at the index that is its number; -1 where it is more than MAX_COUNT."""
    high, low = np.zeros(len(groups), np.int64), np.zeros(len(groups), np.int64)
    np.add.at(high, groups, counts >> 32)
    np.add.at(low, groups, counts & _LOW)
    high += low >> 32
    return np.where(high >> 31 == 0, (high << 32) | (low & _LOW), -1)


def exact_total(counts: Numbers) -> int:
    """The sum of all counts, which may be more than 64 bits hold."""
    return (int((counts >> 32).sum()) << 32) + int((counts & _LOW).sum())


def _repeats(words: WordBatch) -> tuple[Numbers, Numbers]:
    """The indices of words that were there before, and for each of them that of the first equal one."""
    hashes, offsets = _hashes(words), words.offsets()
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    same = np.flatnonzero(hashes[1:] == hashes[:-1])
    suspects = np.union1d(same, same + 1)
    repeats, firsts = array("q"), array("q")
    seen, last_hash = dict[bytes, int](), None
    for index, hash_ in zip(order[suspects].tolist(), hashes[suspects].tolist(), strict=True):
        if hash_ != last_hash:
            seen.clear()
            last_hash = hash_
        word = words.data[offsets[index] : offsets[index + 1]].tobytes()  # hashes alone prove nothing
        if (first := seen.setdefault(word, index)) != index:
            repeats.append(index)
            firsts.append(first)
    return np.array(repeats, np.int64), np.array(firsts, np.int64)


def _hashes(words: WordBatch) -> Hashes:
    """For each word the sum of its bytes, each times a power of a large odd number, as 64 bits."""
    hashes: Hashes = np.zeros(len(words.lengths), np.uint64)
    powers: Hashes = np.zeros(0, np.uint64)
    offsets = words.offsets()
    for stretch in _stretches(offsets):
        start, stop = offsets[stretch.start], offsets[stretch.stop]
        starts, lengths = offsets[stretch] - start, words.lengths[stretch]
        if len(powers) < lengths.max():
            powers = np.full(lengths.max(), _FACTOR).cumprod(dtype=np.uint64)
        places_in_words = np.arange(stop - start) - np.repeat(starts, lengths)
        values = words.data[start:stop].astype(np.uint64) + np.uint64(1)
        hashes[stretch] = np.add.reduceat(values * powers[places_in_words], starts)
    return hashes


def _stretches(offsets: Numbers) -> Iterator[slice]:
    """Indices of words that take some BYTES_AT_ONCE together, stretch by stretch; the helping arrays stay small."""
    start, words = 0, len(offsets) - 1
    while start < words:
        stop = int(np.searchsorted(offsets, offsets[start] + BYTES_AT_ONCE, side="right")) - 1
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop
