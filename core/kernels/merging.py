"""The merge loop: choose a pair, replace it at all its places, note what changes around them, and again.

Work is done once for each distinct neighbour of the places, not for each place: weights are summed by neighbour first,
and a pair is then looked up only once. What a merge does not need is not touched.
"""

from typing import NamedTuple

import numpy as np

from core.kernels.candidate_heap import BY_STRING, Heap, Tokens, best_pair, joined_byte, push
from core.kernels.compiled import kernel, prefetch
from core.kernels.layout import GONE, SEPARATOR, Layout, Places, weight
from core.kernels.pairs import (
    LEFT_COUNT,
    LEFT_WEIGHT,
    PAIRS,
    PLACES,
    RIGHT_COUNT,
    RIGHT_WEIGHT,
    SYMBOL_BITS,
    SYMBOL_COUNT,
    SYMBOL_MASK,
    THRESHOLD,
    WORK,
    Limits,
    Pairs,
    Scratch,
    add_pair,
    enter_all,
    fetch,
    find,
    release,
    set_count,
    tied_with,
)
from core.packed_words import Numbers
from core.spelling_tables import Symbols

SLICE_ENDED, NO_PAIR, TOO_RARE, NEEDS_ROOM = range(4)
LEFT, RIGHT, COUNT, APPLIED, TIED, COMPLETED, COLUMNS = range(7)
"""Columns of what is noted of a merge, and how many they are; the first two are symbols."""

PLACES_AHEAD = 128
"""With 24, large alphabets take a quarter more time."""

PLACES_PER_BLOCK = 256
PAIRS_AHEAD = 8
WORK_PER_MERGE = 64


class Around(NamedTuple):
    """The symbols before and behind each place of a merge; room for the longest list of places."""

    before: Symbols
    after: Symbols


@kernel
def make_merges(
    layout: Layout,
    tokens: Tokens,
    limits: Limits,
    pairs: Pairs,
    places: Places,
    heap: Heap,
    scratch: Scratch,
    around: Around,
    state: Numbers,
    min_frequency: int,
    work: int,
    rows: Numbers,
) -> tuple[int, int]:
    """Make merges until `rows`, of shape (merges, COLUMNS), are full or so much work is done; at least one.

    Work is in places looked at, some 5 ns each. Returns (why it ended, merges made). With NEEDS_ROOM some array is
    too small for the next merge; with NO_PAIR no tracked pair reaches the threshold.
    """
    made, state[WORK] = 0, 0
    while made < len(rows):
        pair = best_pair(layout, tokens, pairs, places, heap, state)
        if pair < 0:
            return NO_PAIR, made
        if pairs.counts[pair] < min_frequency:
            return TOO_RARE, made
        left, right = pairs.key[pair] >> SYMBOL_BITS, pairs.key[pair] & SYMBOL_MASK
        if not _has_room(tokens, pairs, places, around, state, pair, left, right):
            return NEEDS_ROOM, made
        merge(layout, tokens, limits, pairs, places, heap, scratch, around, state, pair, left, right, rows[made])
        made += 1
        if state[WORK] >= work:
            break
    return SLICE_ENDED, made


@kernel
def make_given(
    layout: Layout,
    tokens: Tokens,
    limits: Limits,
    pairs: Pairs,
    places: Places,
    heap: Heap,
    scratch: Scratch,
    around: Around,
    state: Numbers,
    given: Numbers,
    work: int,
    rows: Numbers,
) -> tuple[int, int]:
    """As make_merges, with pairs that are given, of shape (merges, 2) as symbols. All pairs must be tracked."""
    made, state[WORK] = 0, 0
    while made < len(rows):
        left, right = given[made]
        pair = find(pairs, left, right)
        if not _has_room(tokens, pairs, places, around, state, pair, left, right):
            return NEEDS_ROOM, made
        merge(layout, tokens, limits, pairs, places, heap, scratch, around, state, pair, left, right, rows[made])
        made += 1
        if state[WORK] >= work:
            break
    return SLICE_ENDED, made


@kernel
def _has_room(
    tokens: Tokens, pairs: Pairs, places: Places, around: Around, state: Numbers, pair: int, left: int, right: int
) -> bool:
    """A merge makes at most two new pairs and lists two places for each of its own places."""
    new = state[SYMBOL_COUNT]
    size = pairs.size[pair] if pair >= 0 else np.int64(0)
    if tokens.rule >= BY_STRING:
        text = tokens.text_start[left + 1] - tokens.text_start[left]
        text += tokens.text_start[right + 1] - tokens.text_start[right]
        if tokens.text_start[new] + text > tokens.text.size:
            return False
    new_pairs = 2 * min(size, new + 1)
    has_pairs = state[PAIRS] + new_pairs <= pairs.key.size and state[PLACES] + 2 * size <= places.size
    return has_pairs and size <= around.before.size and new + 1 < tokens.length.size


@kernel
def merge(
    layout: Layout,
    tokens: Tokens,
    limits: Limits,
    pairs: Pairs,
    places: Places,
    heap: Heap,
    scratch: Scratch,
    around: Around,
    state: Numbers,
    pair: int,
    left: int,
    right: int,
    row: Numbers,
) -> None:
    """Replace `left` and `right` by the next symbol, and note it in `row`; `pair` is -1 if they never met."""
    new = state[SYMBOL_COUNT]
    row[:] = 0
    row[LEFT], row[RIGHT] = left, right
    _add_token(tokens, limits, new, left, right)
    state[SYMBOL_COUNT] = new + 1
    state[WORK] += WORK_PER_MERGE
    if pair < 0 or pairs.counts[pair] == 0:
        return
    row[COUNT] = pairs.counts[pair]
    row[TIED] = tied_with(pairs, state, row[COUNT]) if pairs.allowed[pair] else 0
    start, size = pairs.start[pair], pairs.size[pair]
    state[WORK] += 2 * size
    kept, befores, afters = _replace_all(
        layout, tokens.length, places, start, size, left, right, new, scratch, around, row
    )
    set_count(pairs, pair, 0)
    first_new = state[PAIRS]
    _change_left(befores, left, right, new, pair, pairs, limits, scratch, state)
    _change_right(afters, right, new, pair, pairs, limits, scratch, state)
    if state[PAIRS] > first_new:
        _list_places(tokens.length, places, start, kept, scratch, around)
    release(state, start, size)
    for met in range(befores):
        scratch.sums[scratch.left_met[met], LEFT_COUNT] = scratch.sums[scratch.left_met[met], LEFT_WEIGHT] = 0
    for met in range(afters):
        scratch.sums[scratch.right_met[met], RIGHT_COUNT] = scratch.sums[scratch.right_met[met], RIGHT_WEIGHT] = 0
    for new_pair in range(first_new, state[PAIRS]):
        push(layout, tokens, pairs, places, heap, state, new_pair)


@kernel
def _add_token(tokens: Tokens, limits: Limits, new: int, left: int, right: int) -> None:
    tokens.length[new] = tokens.length[left] + tokens.length[right]
    limits.content[new] = limits.content[left] + limits.content[right]
    if tokens.rule >= BY_STRING:
        start = tokens.text_start[new]
        size = tokens.text_start[left + 1] - tokens.text_start[left]
        size += tokens.text_start[right + 1] - tokens.text_start[right] - tokens.lead[right]
        for i in range(size):
            tokens.text[start + i] = joined_byte(tokens, left, right, i)
        tokens.text_start[new + 1] = start + size
        tokens.lead[new] = tokens.lead[left]


@kernel
def _replace_all(
    layout: Layout, lengths: Numbers, places: Places, start: int, size: int, left: int, right: int, new: int,
    scratch: Scratch, around: Around, row: Numbers,
) -> tuple[int, int, int]:  # fmt: skip
    """Replace the pair where it still stands, and look at what is around it there; only these places are kept.

    Returns how many they are, and how many different symbols there are before and behind. It goes block by block, so
    that what was read from far away once is still near when it is written, and when it is looked at.
    """
    length, behind_left = lengths[new], lengths[left]
    end = start + size
    for i in range(start, min(start + PLACES_AHEAD, end)):
        _fetch(layout.symbols, np.int64(places[i]), length)
    kept, looked, befores, afters, taken = start, start, 0, 0, np.int64(0)
    for first in range(start, end, PLACES_PER_BLOCK):
        last, found = min(first + PLACES_PER_BLOCK, end), kept
        kept, taken = _keep_standing(
            layout.symbols, places, first, last, end, kept, taken, left, right, behind_left, length
        )
        for i in range(found, kept):
            place = np.int64(places[i])
            layout.symbols[place + behind_left] = GONE
            layout.symbols[place] = layout.symbols[place + length - 1] = new
        # what is behind the last one may be replaced in the next block
        until = kept if last == end else max(kept - 1, looked)
        befores, afters = _look_around(
            layout, length, places, start, looked, until, befores, afters, scratch, around, row
        )
        looked = until
    return kept - start, befores, afters


@kernel
def _keep_standing(
    symbols: Symbols, places: Places, first: int, last: int, end: int, kept: int, taken: int, left: int, right: int,
    behind_left: int, length: int,
) -> tuple[int, int]:  # fmt: skip
    """Move the places from `first` to `last` where the pair still stands to `kept` and behind it.

    Of `aaaa`, the second `aa` does not, since it begins in the slot that is `taken` by the first one. Returns both as
    they are then. There are no branches: whether a pair still stands is as good as random.
    """
    for i in range(first, last):
        if i + PLACES_AHEAD < end:
            _fetch(symbols, np.int64(places[i + PLACES_AHEAD]), length)
        place = np.int64(places[i])
        stands = (symbols[place] == left) & (symbols[place + behind_left] == right) & (place != taken)
        taken = place + behind_left if stands else taken
        places[kept] = places[i]
        kept += np.int64(stands)
    return kept, taken


@kernel
def _fetch(symbols: Symbols, place: int, length: int) -> None:
    """Ask for the slots of a place and those around it, which may lie in two lines of the cache."""
    prefetch(symbols, place - 1)
    prefetch(symbols, place + length)


@kernel
def _look_around(
    layout: Layout, length: int, places: Places, start: int, first: int, last: int, befores: int, afters: int,
    scratch: Scratch, around: Around, row: Numbers,
) -> tuple[int, int]:  # fmt: skip
    """Sum the weights by neighbour; returns how many different ones there are by now before and behind."""
    applied, completed = 0, 0
    for i in range(first, last):
        place = np.int64(places[i])
        here = weight(layout, place)
        raw_before, raw_after = layout.symbols[place - 1], layout.symbols[place + length]
        before, after = np.int64(max(raw_before, SEPARATOR)), np.int64(max(raw_after, SEPARATOR))
        around.before[i - start], around.after[i - start] = before, after
        applied += here
        completed += here if (raw_before | raw_after) == SEPARATOR else 0
        scratch.left_met[befores] = before
        befores += np.int64(scratch.sums[before, LEFT_COUNT] == 0)
        scratch.sums[before, LEFT_COUNT] += 1
        scratch.sums[before, LEFT_WEIGHT] += here
        scratch.right_met[afters] = after
        afters += np.int64(scratch.sums[after, RIGHT_COUNT] == 0)
        scratch.sums[after, RIGHT_COUNT] += 1
        scratch.sums[after, RIGHT_WEIGHT] += here
    row[APPLIED] += applied
    row[COMPLETED] += completed
    return befores, afters


@kernel
def _change_left(
    befores: int, left: int, right: int, new: int, merged: int, pairs: Pairs, limits: Limits, scratch: Scratch,
    state: Numbers,
) -> None:  # fmt: skip
    """The pairs with what stands before the merged ones; afterwards `left_count` is where a new pair's places go to."""
    for met in range(min(befores, PAIRS_AHEAD)):
        fetch(pairs, np.int64(scratch.left_met[met]), left)
    for met in range(befores):
        if met + PAIRS_AHEAD < befores:
            fetch(pairs, np.int64(scratch.left_met[met + PAIRS_AHEAD]), left)
        before = np.int64(scratch.left_met[met])
        if before == SEPARATOR:
            scratch.sums[before, LEFT_COUNT] = -1
            continue
        was = right if before == new else before  # the one before was merged as well
        _lose(pairs, was, left, scratch.sums[before, LEFT_WEIGHT], merged)
        scratch.sums[before, LEFT_COUNT] = _gain(
            pairs, limits, state, before, new, scratch.sums[before, LEFT_WEIGHT], scratch.sums[before, LEFT_COUNT]
        )


@kernel
def _change_right(
    afters: int, right: int, new: int, merged: int, pairs: Pairs, limits: Limits, scratch: Scratch, state: Numbers
) -> None:
    """The same for what stands behind; where that is the new token too, it is done already."""
    for met in range(min(afters, PAIRS_AHEAD)):
        fetch(pairs, right, np.int64(scratch.right_met[met]))
    for met in range(afters):
        if met + PAIRS_AHEAD < afters:
            fetch(pairs, right, np.int64(scratch.right_met[met + PAIRS_AHEAD]))
        after = np.int64(scratch.right_met[met])
        if after in (SEPARATOR, new):
            scratch.sums[after, RIGHT_COUNT] = -1
            continue
        _lose(pairs, right, after, scratch.sums[after, RIGHT_WEIGHT], merged)
        scratch.sums[after, RIGHT_COUNT] = _gain(
            pairs, limits, state, new, after, scratch.sums[after, RIGHT_WEIGHT], scratch.sums[after, RIGHT_COUNT]
        )


@kernel
def _lose(pairs: Pairs, left: int, right: int, count: int, merged: int) -> None:
    pair = find(pairs, left, right)
    if pair >= 0 and pair != merged:  # in a run such as `aaaa` the pair is its own neighbour
        set_count(pairs, pair, pairs.counts[pair] - count)


@kernel
def _gain(pairs: Pairs, limits: Limits, state: Numbers, left: int, right: int, count: int, size: int) -> int:
    """Where the places of a new pair go to; -1 if it is too rare to be tracked."""
    if count < state[THRESHOLD]:
        return -1
    return add_pair(pairs, state, limits, left, right, count, size)


@kernel
def _list_places(lengths: Numbers, places: Places, start: int, kept: int, scratch: Scratch, around: Around) -> None:
    for i in range(kept):
        before, after = around.before[i], around.after[i]
        to = scratch.sums[before, LEFT_COUNT]
        if to >= 0:
            places[to] = np.int64(places[start + i]) - lengths[before]
            scratch.sums[before, LEFT_COUNT] = to + 1
        to = scratch.sums[after, RIGHT_COUNT]
        if to >= 0:
            places[to] = places[start + i]
            scratch.sums[after, RIGHT_COUNT] = to + 1


def warm_up() -> None:
    """A whole run, with merges that are given: of all kernels that the trainer calls."""
    from core.alphabet import byte_alphabet
    from core.compiled_trainer import CompiledTrainer
    from core.pair_tracking import track_all
    from core.trainer import Plan
    from core.trainer_config import TrainerConfig

    plan = Plan()
    for _ in range(2):
        trainer = CompiledTrainer({"abab": 2}, TrainerConfig(merges=3), byte_alphabet(), plan)
        for _ in trainer.count_pairs():
            pass
        made = tuple(trainer.merges())
        trainer.tied_pairs(made[0].pair)
        for _ in track_all(trainer._state, 1):
            pass
        enter_all(trainer._state.pairs, 0)
        plan = Plan(made[:1])
