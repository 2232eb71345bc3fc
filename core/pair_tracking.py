"""The pairs of the corpus are found and counted: before the first merge, and again when rarer ones may be merged too.

The generators yield after some milliseconds each, and nothing.
"""

from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise

import numpy as np

from core.kernels.layout import Layout, Places
from core.kernels.pairs import (
    BUCKET_SLOT,
    OTHERS,
    PLACES,
    STATE,
    SYMBOL_BITS,
    SYMBOL_COUNT,
    THRESHOLD,
    count_lefts,
    count_neighbours,
    fill_buckets,
    list_neighbours,
    track,
    track_neighbours,
    track_sorted,
)
from core.merge_state import MergeState
from core.packed_words import Numbers
from core.spelling_tables import Symbols
from core.threads import together

SLOTS_PER_SLICE = 1 << 19
FEW_SYMBOLS = 256
FEW_PLACES = 1 << 18
"""For so many base symbols, the most frequent ones, there is an array of all pairs: 1 MB. So many places of pairs with
others can be sorted without being missed."""

BUCKET_PLACES = 1 << 19
MOST_PASSES = 3
"""When pairs are counted, so many places are sorted at a time (6 MB), or more if that takes too many passes."""

PLACES_PER_TOUCH, PLACES_PER_PAGE = 1 << 20, 1 << 10
"""The first place listed of each pair would take almost all pages of memory that the list needs, at one go: 0.2 s in a
virtual machine. So the pages are taken before, some at a time."""

ROOM_FACTOR = 3
"""Places of pairs to come are listed too. Memory that is never written to is never taken."""


def track_all(state: MergeState, threshold: int) -> Generator[None, None, None]:
    """Count all pairs anew and track those that are not rarer than the threshold."""
    state.numbers[THRESHOLD] = threshold
    lefts = np.zeros(int(state.numbers[SYMBOL_COUNT]), np.int64)
    slot, slots = 1, len(state.layout.symbols)
    while slot < slots:
        last = min(slot + SLOTS_PER_SLICE, slots)
        slot = count_lefts(state.layout.symbols, state.tokens.length, slot, last, lefts)
        yield
    state.forget_pairs(ROOM_FACTOR * int(lefts.sum()))
    for low, high in pairwise(_bucket_ranges(lefts)):
        yield from _track_range(state, low, high, lefts)
    yield


def track_first(
    state: MergeState, base_counts: Numbers, threshold: int, ranges: Sequence[range]
) -> Generator[None, None, None]:
    """As track_all, before the first merge, in less time if few base symbols are frequent.

    `base_counts` says how often each symbol stands in the corpus; for each of these ranges of slots there is a thread.
    """
    ranks, symbols, rare_places = _ranks(base_counts, threshold)
    if rare_places <= FEW_PLACES:
        parts = [_Neighbours(slots, len(symbols), min(rare_places, len(slots))) for slots in ranges]
        yield from _track_frequent(state, threshold, ranks, symbols, parts)
    else:
        yield from track_all(state, threshold)


def _ranks(base_counts: Numbers, threshold: int) -> tuple[Symbols, Symbols, int]:
    """Of each symbol as count_neighbours needs them; their symbols; and most places that the others may have."""
    frequent = np.argsort(-base_counts[1:], kind="stable")[:FEW_SYMBOLS].astype(np.int32) + 1
    ranks = np.where(base_counts >= threshold, len(frequent) + 1, 0).astype(np.int32)
    ranks[frequent] = np.arange(1, len(frequent) + 1)
    ranks[0] = 0
    rare = int(base_counts[ranks > len(frequent)].sum())
    return ranks, np.append(np.int32(0), frequent), 2 * rare


class _Neighbours:
    """The pairs in some of the slots; for `others`, with symbols that are not frequent, there is as much room."""

    def __init__(self, slots: range, symbols: int, room: int) -> None:
        self._slots = slots
        self._numbers = np.zeros(STATE, np.int64)
        self.weights, self.sizes = (np.zeros((symbols, symbols), np.int64) for _ in range(2))
        self._others = np.empty(room, np.uint32)

    @property
    def others(self) -> Places:
        return self._others[: self._numbers[OTHERS]]

    def count(self, layout: Layout, ranks: Symbols) -> Iterator[None]:
        for last in _slot_slices(self._numbers, self._slots):
            count_neighbours(layout, self._numbers, last, ranks, self.weights, self.sizes, self._others)
            yield

    def list_places(self, layout: Layout, ranks: Symbols, places: Places, ends: Numbers) -> Iterator[None]:
        for last in _slot_slices(self._numbers, self._slots):
            list_neighbours(layout, self._numbers, last, ranks, places, ends)
            yield


def _touch(places: Places) -> Iterator[None]:
    for first in range(0, len(places), PLACES_PER_TOUCH):
        places[first : first + PLACES_PER_TOUCH : PLACES_PER_PAGE] = 0
        yield


def _track_frequent(
    state: MergeState, threshold: int, ranks: Symbols, symbols: Symbols, parts: Sequence[_Neighbours]
) -> Generator[None, None, None]:
    state.numbers[THRESHOLD] = threshold
    yield from together([part.count(state.layout, ranks) for part in parts])
    weights = np.sum([part.weights for part in parts], axis=0)
    sizes = np.sum([part.sizes for part in parts], axis=0)
    others = np.concatenate([part.others for part in parts])
    is_tracked = (weights >= threshold) & (sizes > 0)
    is_tracked[0], is_tracked[:, 0] = False, False
    state.forget_pairs(ROOM_FACTOR * (int(sizes.sum()) + len(others)))
    state.make_room(int(np.count_nonzero(is_tracked)) + len(others), int(sizes[is_tracked].sum()) + len(others))
    track_neighbours(state.pairs, state.limits, state.numbers, symbols, weights, sizes)
    sizes[0], sizes[:, 0] = -1, -1
    yield from together([_touch(part) for part in np.array_split(state.places[: state.numbers[PLACES]], len(parts))])
    yield from together(list(_listings(state, ranks, sizes, parts)))
    _track_others(state, others)


def _listings(
    state: MergeState, ranks: Symbols, starts: Numbers, parts: Sequence[_Neighbours]
) -> Iterator[Iterator[None]]:
    """What each thread does: the places in its slots stand behind those of the slots before."""
    for part in parts:
        yield part.list_places(state.layout, ranks, state.places, starts.copy())
        starts = np.where(starts >= 0, starts + part.sizes, -1)


def _track_others(state: MergeState, places: Places) -> None:
    symbols = state.layout.symbols
    keys = symbols[places].astype(np.int64) << SYMBOL_BITS | symbols[places + np.uint32(1)]
    order = np.argsort(keys, kind="stable")
    track_sorted(state.layout, state.pairs, state.limits, state.numbers, state.places, keys[order], places[order])


def _slot_slices(numbers: Numbers, slots: range) -> Iterator[int]:
    """The slots up to which to go, of these ones."""
    numbers[BUCKET_SLOT] = slots.start
    while (slot := int(numbers[BUCKET_SLOT])) < slots.stop:
        yield min(slot + SLOTS_PER_SLICE, slots.stop)


def _track_range(state: MergeState, low: int, high: int, lefts: Numbers) -> Generator[None, None, None]:
    """The pairs whose left symbol is in this range."""
    ends = np.zeros(high - low, np.int64)
    np.cumsum(lefts[low : high - 1], out=ends[1:])
    size = int(lefts[low:high].sum())
    bucket, rights = np.empty(size, np.uint32), np.empty(size, np.int32)
    for last in _slot_slices(state.numbers, range(1, len(state.layout.symbols) - 1)):
        fill_buckets(state.layout, state.tokens.length, state.numbers, last, low, high, ends, bucket, rights)
        yield
    symbol, start = low, 0
    while symbol < high:
        rest = ends[symbol - low :]
        symbol, start = track(
            state.layout, state.pairs, state.places, state.limits, state.scratch, state.numbers,
            symbol, high, rest, bucket, rights, start,
        )  # fmt: skip
        if symbol < high:
            size = int(ends[symbol - low]) - start
            state.make_room(min(size, int(state.numbers[SYMBOL_COUNT])), size)
        yield


def _bucket_ranges(lefts: Numbers) -> list[int]:
    """The symbols at which ranges begin and end that are sorted at a time; a frequent one may be a range of its own."""
    cuts, size = [1], 0
    most = max(BUCKET_PLACES, int(lefts.sum()) // MOST_PASSES)
    for symbol, places in enumerate(lefts[1:].tolist(), 1):
        if size + places > most and cuts[-1] < symbol:
            cuts.append(symbol)
            size = 0
        size += places
    return [*cuts, len(lefts)] if len(lefts) > 1 else []
