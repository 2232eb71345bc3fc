"""The tally of a text for all steps at once, from the ranks at which the boundaries of its words go.

Importing this compiles loops or loads them from the cache, see kernel_loader.py.
"""

from collections.abc import Generator, Mapping
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from core.compiled_encoder import NEVER, Boundaries, CompiledEncoder
from core.measuring import Tally
from core.merge import UNKNOWN
from core.packed_words import Numbers, PackedWords
from core.progress import Progress
from core.recording import Recording
from core.word_places import WORDS_PER_SLICE, Words

Bools = NDArray[np.bool_]
_NOTHING = np.zeros(1, np.int64)


def packed_for_tally(word_counts: Mapping[str, int]) -> PackedWords | None:
    """None where a sum may not stay below 2^63; a word has a symbol for each byte, and one more, at most."""
    with suppress(OverflowError):
        words = PackedWords.of(word_counts)
        if np.dot(words.counts.astype(np.float64), np.diff(words.offsets) + 1.0) < 2.0**62:
            return words
    return None


def compiled_tally(recording: Recording, words: PackedWords) -> Generator[Progress, None, Tally]:
    """For a recording that a CompiledEncoder takes, and words of `packed_for_tally`; the progress is in words."""
    sums, done = _Sums(recording), 0
    for boundaries in CompiledEncoder(recording).boundaries(Words.of_packed(words)):
        last = done + len(boundaries.ends)
        sums.add(boundaries, words.counts[done:last])
        done = last
        yield Progress(done, len(words))
    byte_count, character_count = _sizes(words)
    base_counts = {place + UNKNOWN: count for place, count in enumerate(sums.symbols.tolist()) if count}
    return Tally(
        words.total,
        byte_count,
        character_count,
        sums.whole_words,
        base_counts,
        sums.applied.tolist(),
        sums.completed.tolist(),
    )


class _Sums:
    """All in whole numbers of 64 bits. `symbols` are by id - UNKNOWN."""

    def __init__(self, recording: Recording) -> None:
        self.symbols = np.zeros(max(recording.alphabet.tokens, default=0) - UNKNOWN + 1, np.int64)
        self.applied = np.zeros(len(recording), np.int64)
        self.completed = np.zeros(len(recording), np.int64)
        self.whole_words = 0

    def add(self, words: Boundaries, counts: Numbers) -> None:
        sizes = np.diff(words.ends, prepend=0)
        weights = np.repeat(counts, sizes)
        is_removed = words.ranks != NEVER
        np.add.at(self.symbols, words.symbols - UNKNOWN, weights)
        np.add.at(self.applied, words.ranks[is_removed], weights[is_removed])
        self.whole_words += int(counts[sizes == 1].sum())
        self._add_completed(words, counts, sizes, is_removed)

    def _add_completed(self, words: Boundaries, counts: Numbers, sizes: Numbers, is_removed: Bools) -> None:
        """A word becomes one token if only the boundary behind it stays; its last merge makes it so."""
        has_boundaries = sizes > 1
        if not has_boundaries.any():
            return
        starts = (words.ends - sizes)[has_boundaries]
        ends = words.ends[has_boundaries]
        removed_before: Numbers = np.cumsum(is_removed) - is_removed
        is_whole: Bools = removed_before[ends - 1] - removed_before[starts] == ends - 1 - starts
        # from one start to the next: words of one symbol in between have no rank
        latest = np.maximum.reduceat(np.where(is_removed, words.ranks, -1), starts)
        np.add.at(self.completed, latest[is_whole], counts[has_boundaries][is_whole])


def _sizes(words: PackedWords) -> tuple[int, int]:
    """(bytes, characters) of all words, each as often as it occurs."""
    byte_count = character_count = 0
    for first in range(0, len(words), WORDS_PER_SLICE):
        places = words.offsets[first : first + WORDS_PER_SLICE + 1]
        counts = words.counts[first : first + WORDS_PER_SLICE]
        is_lead = (words.data[places[0] : places[-1]] & 0xC0) != 0x80
        characters = np.concatenate([_NOTHING, np.cumsum(is_lead)])[places - places[0]]
        byte_count += int(np.dot(np.diff(places), counts))
        character_count += int(np.dot(np.diff(characters), counts))
    return byte_count, character_count
