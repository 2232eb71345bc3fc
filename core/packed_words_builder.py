"""Puts PackedWords together from batches of words, in which the same word may come several times.

A dictionary of ten million words takes more than a gigabyte; the arrays here take a fifth, and the time of sorting.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

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

    @classmethod
    def joined(cls, batches: "list[WordBatch]") -> "WordBatch":
        return cls(*map(np.concatenate, zip(*batches, strict=True)))

    def offsets(self) -> Numbers:
        offsets = np.zeros(len(self.lengths) + 1, np.int64)
        np.cumsum(self.lengths, out=offsets[1:])
        return offsets

    def taken(self, chosen: Numbers) -> "WordBatch":
        """Only the words with these indices, in that order."""
        sources, lengths = self.offsets()[chosen], self.lengths[chosen]
        taken = WordBatch(np.zeros(lengths.sum(), np.uint8), lengths, self.counts[chosen], self.places[chosen])
        targets = taken.offsets()
        for words in _stretches(targets):
            start, stop = targets[words.start], targets[words.stop]
            moves = np.repeat(sources[words] - targets[words], lengths[words])
            taken.data[start:stop] = self.data[np.arange(start, stop) + moves]
        return taken


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
        """All words in the order of their places; of equal places in the order they were added in.

        Raises CorpusError where the counts of a word add up to more than MAX_COUNT.
        """
        self._sum()
        if self._summed is None:
            return PackedWords(np.zeros(PADDING, np.uint8), np.zeros(1, np.int64), np.zeros(0, np.int64))
        words = self._summed
        if (words.places[1:] < words.places[:-1]).any():
            words = words.taken(np.argsort(words.places, kind="stable"))
        return PackedWords(np.concatenate([words.data, np.zeros(PADDING, np.uint8)]), words.offsets(), words.counts)

    def _sum(self) -> None:
        if not self._new:
            return
        words = WordBatch.joined([*([self._summed] if self._summed else []), *self._new])
        self._summed, self._new, self._new_words = None, [], 0  # before the work, which needs memory
        before = len(words.lengths)
        self._summed = self._each_once(words)
        self.repeated += before - len(self._summed.lengths)

    def _each_once(self, words: WordBatch) -> WordBatch:
        """Each word where it was added first, with its counts added up and its smallest place."""
        first = _first_of_equal_words(words)
        kept = np.flatnonzero(first == np.arange(len(first)))
        if len(kept) == len(first):
            return words
        places = words.places.copy()
        np.minimum.at(places, first, words.places)
        words = words._replace(counts=exact_sums(first, words.counts), places=places).taken(kept)
        self.check_sums(words)
        return words

    def check_sums(self, words: WordBatch) -> None:
        """Raises CorpusError for a count that is marked as too large, see `exact_sums`."""
        if len(too_large := np.flatnonzero(words.counts < 0)):
            word = words.taken(too_large[:1]).data.tobytes().decode(errors="replace")
            raise CorpusError(f"{self.name}: the counts of {quoted(word)} add up to more than {MAX_COUNT:,}.")


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


def _first_of_equal_words(words: WordBatch) -> Numbers:
    """For each word the index of the first that is equal to it."""
    hashes = _hashes(words)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    follows = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1  # its hash is that of the word before
    is_suspect = np.zeros(len(order), bool)
    is_suspect[follows] = is_suspect[follows - 1] = True
    offsets, first = words.offsets(), np.arange(len(order))
    seen, last_hash = dict[bytes, int](), None
    for index, hash_ in zip(order[is_suspect].tolist(), ordered[is_suspect].tolist(), strict=True):
        if hash_ != last_hash:
            seen.clear()
            last_hash = hash_
        word = words.data[offsets[index] : offsets[index + 1]].tobytes()  # hashes alone prove nothing
        first[index] = seen.setdefault(word, index)
    return first


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
