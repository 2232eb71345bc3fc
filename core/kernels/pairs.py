"""The pairs that stand in the corpus: found by their symbols, with their counts and all their places.

A pair is born once, when the younger of its symbols is made, and its count only falls from then on. So the list of its
places is written once, in corpus order, and never grows; whether the pair still stands at a place is seen when the
list is read. For the same reason a pair born with a count below some threshold need not be tracked until the best
count has come down to the threshold: then all pairs are counted anew, with a lower one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels.compiled import kernel, prefetch
from core.kernels.layout import SEPARATOR, Layout, Places, weight
from core.packed_words import Numbers
from core.spelling_tables import Symbols

SYMBOL_BITS = 32
SYMBOL_MASK = (1 << SYMBOL_BITS) - 1
TIE_COUNTS = 1 << 16
"""How many pairs share a count is noted for the counts below; for others, which are few, it is counted when asked."""

(
    PAIRS,
    PLACES,
    FREE,
    FREE_END,
    THRESHOLD,
    SYMBOL_COUNT,
    BUCKET_SLOT,
    OTHERS,
    HEAP_SIZE,
    BAND,
    WORK,
    STATE,
) = range(12)
"""Places in the array of the run's numbers: pairs tracked, where the list of places ends, a part of it that is not
needed any more, the threshold, symbols there are (with 0), how far the buckets are filled, places of rare symbols,
entries in the heap, the least count of those, and work done."""


class Pairs(NamedTuple):
    """Pair i is left << SYMBOL_BITS | right in `key`; its places are `size[i]` from `start[i]` on in the place list.

    `seen[i]` places at the beginning of its list are known to be gone. `allowed[i]` says whether it may be merged.
    `table` holds 1 + i where a hash of its key leads to. `ties[c]` is the number of allowed pairs with the count c.
    """

    key: Numbers
    counts: Numbers
    start: Numbers
    size: Numbers
    seen: Numbers
    allowed: NDArray[np.bool_]
    table: Symbols
    ties: Numbers


class Limits(NamedTuple):
    """Which pairs may be merged: `ids` are the token ids of symbols, `forbidden` pairs of those, packed and sorted.

    `content` is the length of each symbol's token; those of a pair must not add up to more than `longest`.
    """

    ids: Numbers
    content: Numbers
    forbidden: Numbers
    longest: int


LEFT_WEIGHT, LEFT_COUNT, RIGHT_WEIGHT, RIGHT_COUNT, SIDES = range(5)


class Scratch(NamedTuple):
    """`sums`, of shape (symbols, SIDES), is all 0 between uses: of a symbol to the left or right of what is looked at,
    the weight and the number of its places there. The symbols met are noted, to set them to 0 again.
    """

    sums: Numbers
    left_met: Symbols
    right_met: Symbols


@kernel
def _home(key: int, table: Symbols) -> int:
    return np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & (table.size - 1)


@kernel
def find(pairs: Pairs, left: int, right: int) -> int:
    """The pair, or -1 if it is not tracked."""
    key = left << SYMBOL_BITS | right
    place = _home(key, pairs.table)
    while pairs.table[place] != 0:
        index = np.int64(pairs.table[place]) - 1
        if pairs.key[index] == key:
            return index
        place = (place + 1) & (pairs.table.size - 1)
    return -1


@kernel
def fetch(pairs: Pairs, left: int, right: int) -> None:
    """Ask for what `find` needs first."""
    prefetch(pairs.table, _home(left << SYMBOL_BITS | right, pairs.table))


@kernel
def enter(pairs: Pairs, index: int) -> None:
    """Make a pair findable."""
    place = _home(pairs.key[index], pairs.table)
    while pairs.table[place] != 0:
        place = (place + 1) & (pairs.table.size - 1)
    pairs.table[place] = index + 1


@kernel
def enter_all(pairs: Pairs, count: int) -> None:
    for index in range(count):
        enter(pairs, index)


@kernel
def is_allowed(left: int, right: int, limits: Limits) -> bool:
    if limits.content[left] + limits.content[right] > limits.longest:
        return False
    pair = limits.ids[left] << SYMBOL_BITS | limits.ids[right]
    place = np.searchsorted(limits.forbidden, pair)
    return place == limits.forbidden.size or limits.forbidden[place] != pair


@kernel
def add_pair(pairs: Pairs, state: Numbers, limits: Limits, left: int, right: int, count: int, size: int) -> int:
    """Track a pair, and reserve room for its places; returns where they begin."""
    index, start = state[PAIRS], _reserve(state, size)
    pairs.key[index] = left << SYMBOL_BITS | right
    pairs.counts[index] = count
    pairs.start[index] = start
    pairs.size[index] = size
    pairs.seen[index] = 0
    pairs.allowed[index] = is_allowed(left, right, limits)
    enter(pairs, index)
    if count < TIE_COUNTS and pairs.allowed[index]:
        pairs.ties[count] += 1
    state[PAIRS] = index + 1
    return start


@kernel
def _reserve(state: Numbers, size: int) -> int:
    start = state[FREE]
    if start + size <= state[FREE_END]:
        state[FREE] = start + size
        return start
    start = state[PLACES]
    state[PLACES] = start + size
    return start


@kernel
def release(state: Numbers, start: int, size: int) -> None:
    """Let new pairs use the list of one that is gone: memory that is written to for the first time is slow.

    Only the largest such part is remembered.
    """
    if size > state[FREE_END] - state[FREE]:
        state[FREE], state[FREE_END] = start, start + size


@kernel
def set_count(pairs: Pairs, index: int, count: int) -> None:
    if pairs.allowed[index]:
        if pairs.counts[index] < TIE_COUNTS:
            pairs.ties[pairs.counts[index]] -= 1
        if count < TIE_COUNTS:
            pairs.ties[count] += 1
    pairs.counts[index] = count


@kernel
def tied_with(pairs: Pairs, state: Numbers, count: int) -> int:
    """How many allowed pairs have this count, which must not be below the threshold."""
    if count < TIE_COUNTS:
        return pairs.ties[count] if count > 0 else 0
    tied = 0
    for index in range(state[PAIRS]):
        tied += pairs.counts[index] == count and pairs.allowed[index]
    return tied


@kernel
def count_neighbours(
    layout: Layout, state: Numbers, last: int, ranks: Symbols, weights: Numbers, sizes: Numbers, others: Places
) -> None:
    """Of base symbols, before the first merge: weight and number of places of each pair of frequent ones.

    `ranks` of symbols are 1, 2, ... for the frequent ones, which are the indices of `weights` and `sizes`; 0 for those
    not to be counted, and as many as there are frequent ones, and 1, for all others. The places of pairs with these
    are appended to `others`. Goes on up to slot `last`, from where it was.
    """
    here, rare, found = weight(layout, state[BUCKET_SLOT]), len(weights), state[OTHERS]
    left = np.int64(ranks[max(layout.symbols[state[BUCKET_SLOT]], SEPARATOR)])
    for slot in range(state[BUCKET_SLOT], last):
        right = np.int64(ranks[max(layout.symbols[slot + 1], SEPARATOR)])
        if layout.symbols[slot] == SEPARATOR:
            here = weight(layout, slot + 1)
        elif left < rare and right < rare:
            weights[left, right] += here  # where one of them is 0, nobody looks
            sizes[left, right] += 1
        elif left > 0 and right > 0:
            others[found] = slot
            found += 1
        left = right
    state[BUCKET_SLOT], state[OTHERS] = last, found


@kernel
def track_neighbours(
    pairs: Pairs, limits: Limits, state: Numbers, symbols: Symbols, weights: Numbers, sizes: Numbers
) -> None:
    """Track those pairs that are frequent enough; `sizes` is then where their places go to, -1 for the others.

    `symbols` are those of the ranks.
    """
    for left in range(1, len(sizes)):
        for right in range(1, len(sizes)):
            count, size = weights[left, right], sizes[left, right]
            sizes[left, right] = -1
            if size > 0 and count >= state[THRESHOLD]:
                sizes[left, right] = add_pair(pairs, state, limits, symbols[left], symbols[right], count, size)


@kernel
def list_neighbours(layout: Layout, state: Numbers, last: int, ranks: Symbols, places: Places, ends: Numbers) -> None:
    """List the places of the pairs tracked, up to slot `last`, from where it was; `ends` is -1 at rank 0."""
    rare = len(ends)
    left = np.int64(ranks[max(layout.symbols[state[BUCKET_SLOT]], SEPARATOR)])
    for slot in range(state[BUCKET_SLOT], last):
        right = np.int64(ranks[max(layout.symbols[slot + 1], SEPARATOR)])
        if left < rare and right < rare and ends[left, right] >= 0:
            places[ends[left, right]] = slot
            ends[left, right] += 1
        left = right
    state[BUCKET_SLOT] = last


@kernel
def track_sorted(
    layout: Layout, pairs: Pairs, limits: Limits, state: Numbers, places: Places, keys: Numbers, others: Places
) -> None:
    """Track the pairs `keys`, which are sorted, with their places `others`, if they are frequent enough."""
    first = 0
    while first < len(keys):
        last, count = first, 0
        while last < len(keys) and keys[last] == keys[first]:
            count += weight(layout, np.int64(others[last]))
            last += 1
        if count >= state[THRESHOLD]:
            left, right = keys[first] >> SYMBOL_BITS, keys[first] & SYMBOL_MASK
            start = add_pair(pairs, state, limits, left, right, count, last - first)
            for i in range(first, last):
                places[start + i - first] = others[i]
        first = last


@kernel
def count_lefts(symbols: Symbols, lengths: Numbers, first: int, last: int, lefts: Numbers) -> int:
    """How many pairs begin with each symbol, in the slots from `first` on; returns the first token behind `last`."""
    slot = first
    while slot < last:
        left = symbols[slot]
        if left <= SEPARATOR:
            slot += 1
            continue
        slot += lengths[left]
        if symbols[slot] > SEPARATOR:
            lefts[left] += 1
    return slot


@kernel
def fill_buckets(
    layout: Layout,
    lengths: Numbers,
    state: Numbers,
    last: int,
    low: int,
    high: int,
    ends: Numbers,
    bucket: Places,
    rights: Symbols,
) -> None:
    """Sort the places of pairs by their left symbol, for symbols from `low` to `high`; goes on up to slot `last`.

    `ends[s - low]` is where the next place of symbol s goes to, and its right symbol beside it.
    """
    slot = state[BUCKET_SLOT]
    while slot < last:
        left = np.int64(layout.symbols[slot])
        if left <= SEPARATOR:
            slot += 1
            continue
        place = slot
        slot += lengths[left]
        if low <= left < high and layout.symbols[slot] > SEPARATOR:
            bucket[ends[left - low]] = place
            rights[ends[left - low]] = layout.symbols[slot]
            ends[left - low] += 1
    state[BUCKET_SLOT] = slot


@kernel
def track(
    layout: Layout,
    pairs: Pairs,
    places: Places,
    limits: Limits,
    scratch: Scratch,
    state: Numbers,
    low: int,
    high: int,
    ends: Numbers,
    bucket: Places,
    rights: Symbols,
    start: int,
) -> tuple[int, int]:
    """Track the pairs in the buckets whose count reaches the threshold, with their places in corpus order.

    Returns (symbol, start of its bucket) to go on from where there is no room left; the symbol is `high` at the end.
    """
    for left in range(low, high):
        end = ends[left - low]
        if not _has_room(pairs, places, state, end - start):
            return left, start
        met = 0
        for i in range(start, end):
            right = rights[i]
            if scratch.sums[right, RIGHT_COUNT] == 0:
                scratch.right_met[met] = right
                met += 1
            scratch.sums[right, RIGHT_COUNT] += 1
            scratch.sums[right, RIGHT_WEIGHT] += weight(layout, np.int64(bucket[i]))
        _track_met(left, met, pairs, limits, scratch, state)
        for i in range(start, end):
            right = rights[i]
            if scratch.sums[right, RIGHT_COUNT] >= 0:
                places[scratch.sums[right, RIGHT_COUNT]] = bucket[i]
                scratch.sums[right, RIGHT_COUNT] += 1
        for i in range(met):
            scratch.sums[scratch.right_met[i], RIGHT_COUNT] = scratch.sums[scratch.right_met[i], RIGHT_WEIGHT] = 0
        start = end
    return high, start


@kernel
def _has_room(pairs: Pairs, places: Places, state: Numbers, size: int) -> bool:
    new_pairs = min(size, state[SYMBOL_COUNT])
    return state[PAIRS] + new_pairs <= pairs.key.size and state[PLACES] + size <= places.size


@kernel
def _track_met(left: int, met: int, pairs: Pairs, limits: Limits, scratch: Scratch, state: Numbers) -> None:
    """Afterwards `right_count` says where the next place of a pair goes to, -1 for those that are too rare."""
    for i in range(met):
        right = scratch.right_met[i]
        count, size = scratch.sums[right, RIGHT_WEIGHT], scratch.sums[right, RIGHT_COUNT]
        if count >= state[THRESHOLD]:
            scratch.sums[right, RIGHT_COUNT] = add_pair(pairs, state, limits, left, right, count, size)
        else:
            scratch.sums[right, RIGHT_COUNT] = -1
