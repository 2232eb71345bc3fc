"""Keeps words within a limit of memory: what counts them hands them over here when they are too many, and begins anew.

Beyond the limit they wait on the disk, or rare ones are dropped; what was dropped is told.
"""

from collections.abc import Generator
from typing import NamedTuple, Protocol

import numpy as np

from core.packed_words import PADDING, PackedWords
from core.packed_words_builder import PackedWordsBuilder, WordBatch
from core.progress import Progress
from core.spilled_words import SpilledWords
from core.text_encoding import counted
from core.word_limits import Beyond, WordLimits

PARTS_OF_MEMORY = 3
"""One of them is for the words being counted, whose table may double at once; handing them over takes as much again."""


class Counter(Protocol):
    """Counts words, whose order is that of first appearance since the last `clear`."""

    @property
    def memory_bytes(self) -> int: ...
    def resulting(self) -> Generator[None, None, PackedWords]: ...
    def clear(self) -> None: ...


class BoundedWords:
    """`close` it in any case."""

    def __init__(self, limits: WordLimits) -> None:
        self._limits = limits
        self._spilled = SpilledWords()
        self._kept = PackedWords.of({})  # where rare ones are dropped: those that are not
        self._rare = max(limits.min_count, 2)  # what occurs less often is dropped when memory runs out
        self._dropped = _Sum()
        self._left_out = _Sum()

    def close(self) -> None:
        self._spilled.close()

    @property
    def total(self) -> int:
        """Words taken over so far, each as often as it occurs."""
        return self._spilled.total + self._kept.total + self._dropped.occurrences

    @property
    def unique(self) -> int:
        """About so many of them differ."""
        return max(self._spilled.most_at_once, len(self._kept))

    def relieve(self, counter: Counter) -> Generator[Progress | None, None, None]:
        """Take its words over if they are too many. Raises CorpusError if the disk is full."""
        limit = self._limits.memory_bytes
        if limit is None or counter.memory_bytes <= limit // PARTS_OF_MEMORY:
            return
        words = yield from counter.resulting()
        counter.clear()
        if self._limits.beyond is Beyond.SPILL:
            yield from self._spilled.add(words)
        else:
            self._keep_frequent(words, limit // PARTS_OF_MEMORY)

    def result(self, counter: Counter) -> Generator[Progress | None, None, PackedWords]:
        """All words in the order in which they came first. Raises CorpusError if the disk is full."""
        words = yield from counter.resulting()
        counter.clear()
        if self._spilled:
            yield from self._spilled.add(words)
            words = yield from self._spilled.added_up(self._limits.min_count)
            self._left_out = _Sum(self._spilled.unique - len(words), self._spilled.total - words.total)
            return words
        words = _joined(self._kept, words)
        frequent = at_least(words, self._limits.min_count)
        self._left_out = _Sum.between(words, frequent)
        return frequent

    def notes(self) -> tuple[str, ...]:
        """What is missing in the words, for the user."""
        notes = []
        if self._dropped.words:
            notes.append(
                f"Memory for words ran out: {self._dropped} that had occurred fewer than {self._rare:,} times by then "
                "were dropped, so the counts of rare words are too low."
            )
        if self._left_out.words:
            notes.append(f"Left out: {self._left_out} that occur fewer than {self._limits.min_count:,} times.")
        return tuple(notes)

    def _keep_frequent(self, words: PackedWords, limit: int) -> None:
        """Drop rare words until what is left takes half of the limit, so that there is room for others."""
        words = _joined(self._kept, words)
        kept = at_least(words, self._rare)
        while kept.byte_count > limit // 2:
            self._rare += 1
            kept = at_least(kept, self._rare)
        self._dropped = self._dropped.plus(_Sum.between(words, kept))
        self._kept = kept


class _Sum(NamedTuple):
    """Different words, and how often they occur in all."""

    words: int = 0
    occurrences: int = 0

    @classmethod
    def between(cls, before: PackedWords, after: PackedWords) -> "_Sum":
        return cls(len(before) - len(after), before.total - after.total)

    def plus(self, other: "_Sum") -> "_Sum":
        return _Sum(self.words + other.words, self.occurrences + other.occurrences)

    def __str__(self) -> str:
        return f"{counted(self.words, 'word')} ({self.occurrences:,} in the text)"


def at_least(words: PackedWords, min_count: int) -> PackedWords:
    """Only those that occur so often."""
    if min_count <= 1 or not len(words):
        return words
    batch = WordBatch(words.data, np.diff(words.offsets), words.counts, words.counts)
    frequent = batch.taken(np.flatnonzero(words.counts >= min_count))
    return PackedWords(
        np.concatenate([frequent.data, np.zeros(PADDING, np.uint8)]), frequent.offsets(), frequent.counts
    )


def _joined(first: PackedWords, second: PackedWords) -> PackedWords:
    """The words of both, with their counts added up."""
    if not len(first):
        return second
    builder = PackedWordsBuilder("The corpus")
    builder.add_words(first)
    builder.add_words(second)
    return builder.build()
