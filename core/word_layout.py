"""Words are laid out as the compiled trainer works on them; core/kernels/layout.py says how they lie."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.alphabet import Alphabet
from core.kernels.layout import BLOCK, SEPARATOR, SUMS, WEIGHTS, Layout, lay_out, measure_classes
from core.packed_words import Numbers, PackedWords
from core.progress import Progress
from core.spelling_tables import BYTES, SpellingTables, Symbols, spelling_tables
from core.threads import part_count, together

BYTES_PER_SLICE = 1 << 20
BYTES_FOR_THREADS = 1 << 20
"""Of words, for each thread, which takes some 5 ms."""

SAMPLE_BYTES = 1 << 16
MOST_UNUSED = 1 / 16
"""Where unknown characters become bytes, there are as many slots as bytes; if more than a 16th of them would remain
unused, all words lie one behind the other."""


class Part:
    """Some of the words, which one thread lays out, in the slots from `slot` to `end`; the first one has no word."""

    def __init__(self, words: PackedWords, first: int, last: int, keeps_order: bool) -> None:
        self._words = words
        self._first, self._last = first, last
        self._keeps_order = keeps_order
        self._sizes = np.zeros((WEIGHTS, 2), np.int64)  # words and symbols of each class
        self.done = 0

    def measure(self, tables: SpellingTables) -> Iterator[None]:
        """What make_room needs."""
        words = self._words
        for start, end in pairwise(_word_slices(words.offsets, self._first, self._last)):
            measure_classes(
                words.data, words.offsets, words.counts, start, end, self._keeps_order, tables, self._sizes
            )  # fmt: skip
            yield

    def make_room(self, slot: int, slots_per_word: int) -> Numbers:
        """For slots from this one on, the first of a block; returns how many blocks each class needs."""
        needed = self._sizes[:, 0] * slots_per_word + self._sizes[:, 1]
        needed[0] += 1
        blocks = -(-needed // BLOCK)
        self._ends = slot + BLOCK * np.cumsum(blocks)
        self._starts = self._ends - BLOCK * blocks
        self._starts[0] += 1
        self._slots = self._starts.copy()
        self.slot, self.end = slot, int(self._ends[-1])
        return blocks

    def lay_out(self, tables: SpellingTables, layout: Layout, counts: Numbers, sums: Numbers) -> Iterator[None]:
        words = self._words
        layout.symbols[self.slot] = SEPARATOR
        for start, end in pairwise(_word_slices(words.offsets, self._first, self._last)):
            lay_out(
                words.data, words.offsets, words.counts, start, end, self._keeps_order, tables, layout,
                self._slots, counts, sums,
            )  # fmt: skip
            self.done = end - self._first
            yield
        used = np.flatnonzero(self._slots > self._starts)
        self.end = int(self._slots[used[-1]]) if len(used) else self.slot + 1
        for slot, end in zip(self._slots.tolist(), np.minimum(self._ends, self.end).tolist(), strict=True):
            layout.symbols[slot:end] = SEPARATOR

    def starts(self, symbols: Symbols) -> Numbers:
        """The slot at which each word begins."""
        counts = self._words.counts[self._first : self._last]
        classes = np.where((counts >= WEIGHTS) | self._keeps_order, 0, counts)
        starts = np.empty(len(counts), np.int64)
        for group, (slot, end) in enumerate(zip(self._starts.tolist(), self._slots.tolist(), strict=True)):
            if slot < end:
                ends = slot + np.flatnonzero(symbols[slot:end] == SEPARATOR)
                starts[classes == group] = np.append(slot, ends[:-1] + 1)
        return starts


@dataclass(frozen=True)
class WordLayout:
    """`counts` says how often each symbol occurs, and at 0 the unknown ones; `sums` are those of lay_out."""

    layout: Layout
    parts: Sequence[Part]
    counts: Numbers
    sums: Numbers

    @property
    def ranges(self) -> list[range]:
        """The slots of each part, but its last one."""
        return [range(part.slot + 1, part.end - 1) for part in self.parts]

    def starts(self) -> Numbers:
        """The slot at which each word begins."""
        return np.concatenate([part.starts(self.layout.symbols) for part in self.parts])


def lay_out_words(words: PackedWords, alphabet: Alphabet, keeps_order: bool) -> Generator[Progress, None, WordLayout]:
    """With `keeps_order`, a word's places are higher than those of the words before it."""
    tables = spelling_tables(alphabet)
    size, wastes_slots = int(words.offsets[-1]), _wastes_slots(words, tables)
    cuts = words.cuts(1 if wastes_slots else part_count(size, BYTES_FOR_THREADS))
    parts = [Part(words, first, last, keeps_order or wastes_slots) for first, last in pairwise(cuts)]
    for _ in together([part.measure(tables) for part in parts]):
        yield Progress(0, len(words))
    layout = _empty_layout(parts, 1 + (tables.marker != 0))
    counts = np.zeros((len(parts), len(alphabet.tokens) + 1), np.int64)
    sums = np.zeros((len(parts), SUMS), np.int64)
    for _ in together([part.lay_out(tables, layout, *own) for part, *own in zip(parts, counts, sums, strict=True)]):
        yield Progress(sum(part.done for part in parts), len(words))
    for part, after in pairwise(parts):
        layout.symbols[part.end : after.slot] = SEPARATOR
    layout = layout._replace(symbols=layout.symbols[: parts[-1].end])
    return WordLayout(layout, parts, counts.sum(axis=0), sums.sum(axis=0))


def _wastes_slots(words: PackedWords, tables: SpellingTables) -> bool:
    sample = words.data[: min(int(words.offsets[-1]), SAMPLE_BYTES)]
    has_bytes = not tables.is_bytes and tables.unknown == BYTES
    return has_bytes and int(np.count_nonzero(sample & 0x80)) > MOST_UNUSED * len(sample)


def _empty_layout(parts: Sequence[Part], slots_per_word: int) -> Layout:
    codes, blocks, heavy_blocks = list[Numbers](), 0, 0
    for part in parts:
        sizes = part.make_room(blocks * BLOCK, slots_per_word)
        heavy = -BLOCK * np.arange(heavy_blocks, heavy_blocks + sizes[0])
        codes += [heavy, np.repeat(np.arange(1, WEIGHTS), sizes[1:])]
        blocks, heavy_blocks = blocks + int(sizes.sum()), heavy_blocks + int(sizes[0])
    return Layout(np.empty(blocks * BLOCK, np.int32), np.concatenate(codes), np.empty(heavy_blocks * BLOCK, np.int64))


def _word_slices(offsets: Numbers, first: int, last: int) -> list[int]:
    """The words at which slices of about BYTES_PER_SLICE begin and end."""
    places = np.arange(int(offsets[first]) + BYTES_PER_SLICE, int(offsets[last]), BYTES_PER_SLICE)
    cuts = np.searchsorted(offsets[first : last + 1], places) + first
    return sorted({first, *cuts.tolist(), last})
