"""The pairs of the corpus are found and counted: before the first merge, and again when rarer ones may be merged too.

The generators yield after some milliseconds each, and nothing.
"""

from collections.abc import Generator, Iterator
from itertools import pairwise

import numpy as np

from core.kernels.layout import PLACE_MASK
from core.kernels.pairs import (
    BUCKET_SLOT,
    BUCKET_WORD,
    OTHERS,
    PLACES,
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

SLOTS_PER_SLICE = 1 << 19
FEW_SYMBOLS = 256
FEW_PLACES = 1 << 18
"""For so many base symbols, the most frequent ones, there is an array of all pairs: 1 MB. So many places of pairs with
others can be sorted without being missed."""

BUCKET_PLACES = 1 << 19
MOST_PASSES = 3
"""When pairs are counted, so many places are sorted at a time (6 MB), or more if that takes too many passes."""

PLACES_PER_TOUCH, PLACES_PER_PAGE = 1 << 20, 1 << 9
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


def track_first(state: MergeState, base_counts: Numbers, threshold: int) -> Generator[None, None, None]:
    """As track_all, before the first merge, in less time if few base symbols are frequent.

    `base_counts` says how often each symbol stands in the corpus.
    """
    ranks, symbols, rare_places = _ranks(base_counts, threshold)
    if rare_places <= FEW_PLACES:
        room = min(rare_places, len(state.layout.symbols))
        yield from _track_frequent(state, threshold, ranks, symbols, np.empty(room, np.int64))
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


def _track_frequent(
    state: MergeState, threshold: int, ranks: Symbols, symbols: Symbols, others: Numbers
) -> Generator[None, None, None]:
    """`others` has room for all places of pairs with symbols that are not frequent."""
    state.numbers[[THRESHOLD, OTHERS]] = threshold, 0
    weights, sizes = (np.zeros((len(symbols), len(symbols)), np.int64) for _ in range(2))
    for last in _slot_slices(state):
        count_neighbours(state.layout, state.numbers, last, ranks, weights, sizes, others)
        yield
    is_tracked = (weights >= threshold) & (sizes > 0)
    is_tracked[0], is_tracked[:, 0] = False, False
    others = others[: state.numbers[OTHERS]]
    state.forget_pairs(ROOM_FACTOR * (int(sizes.sum()) + len(others)))
    state.make_room(int(np.count_nonzero(is_tracked)) + len(others), int(sizes[is_tracked].sum()) + len(others))
    track_neighbours(state.pairs, state.limits, state.numbers, symbols, weights, sizes)
    sizes[0], sizes[:, 0] = -1, -1
    for first in range(0, int(state.numbers[PLACES]), PLACES_PER_TOUCH):
        state.places[first : first + PLACES_PER_TOUCH : PLACES_PER_PAGE] = 0
        yield
    for last in _slot_slices(state):
        list_neighbours(state.layout, state.numbers, last, ranks, state.places, sizes)
        yield
    _track_others(state, others)


def _track_others(state: MergeState, places: Numbers) -> None:
    slots = places & PLACE_MASK
    keys = state.layout.symbols[slots].astype(np.int64) << SYMBOL_BITS | state.layout.symbols[slots + 1]
    order = np.argsort(keys, kind="stable")
    track_sorted(state.layout, state.pairs, state.limits, state.numbers, state.places, keys[order], places[order])


def _slot_slices(state: MergeState) -> Iterator[int]:
    """The slots up to which to go, from the first word on."""
    last = len(state.layout.symbols) - 1
    state.numbers[[BUCKET_SLOT, BUCKET_WORD]] = 1, 0
    while (slot := int(state.numbers[BUCKET_SLOT])) < last:
        yield min(slot + SLOTS_PER_SLICE, last)


def _track_range(state: MergeState, low: int, high: int, lefts: Numbers) -> Generator[None, None, None]:
    """The pairs whose left symbol is in this range."""
    ends = np.zeros(high - low, np.int64)
    np.cumsum(lefts[low : high - 1], out=ends[1:])
    size = int(lefts[low:high].sum())
    bucket, rights = np.empty(size, np.int64), np.empty(size, np.int32)
    for last in _slot_slices(state):
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
