"""Merging the base symbols of one word, lowest number first, leftmost among equals.

Every token has a number: 0 is a symbol that no merge takes, the other base symbols come next, and the merge of rank r
has the number `first + r`, as the token that it makes has. So the lower of two numbers is the merge that goes first,
and a step is a limit: numbers from there on do not exist yet. Only where several merges make one token its number is
that of the first of them, see `made_as`.

A word lies in an array with a slot for each base symbol. A token that spans several slots has its number in the first
of them, and both neighbours are found without links: a short word has the number of slots in the first and the last
one, a long word minus the token's number in the last one, as the length of every token is known. Other slots inside a
token hold nothing that is read, but for the first slots of tokens that were joined to the one before them: in a long
word they hold 0 or less.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels.compiled import inlined, kernel, least_of_16

Symbols = NDArray[np.int32]
Words64 = NDArray[np.uint64]
Numbers = NDArray[np.int64]

NEVER = 2**31 - 1
"""No merge: as a token's number, and as the rank of a boundary that stays."""
NUMBER_BITS = 21
POSITION_BITS = 42
SHORT = 256
"""Symbols of a word for which scanning all of it for its lowest pair is faster than a heap."""
LANES = 16
SHORT_BITS = 8
NUMBER_MASK = np.uint64((1 << NUMBER_BITS) - 1)
EMPTY = NUMBER_MASK
"""No merge, whatever the limit."""


class Short(NamedTuple):
    """Room for a word of up to SHORT symbols, see merge_short.

    `entries[i]` is what the token from slot i and the next one become, with i itself in the lowest bits, so that the
    least entry is the merge to make; NEVER if they become nothing. `spans` of the first and the last slot of a token
    say how many slots it has.
    """

    entries: Symbols
    spans: Symbols


class Merges(NamedTuple):
    """What pairs become.

    `dense[left * width + right]` is the number of a pair of base symbols below `width`; all other pairs stand in
    `table`, an open hash table of `left, right, number` in 21 bits each, EMPTY where none is. `lengths` are those of
    tokens, in symbols; `made_as` are the numbers of the tokens that merges make, by the numbers of the merges; `first`
    is the number of the first merge.
    """

    dense: Symbols
    table: Words64
    lengths: Symbols
    made_as: Symbols
    width: int
    first: int


@inlined
def hashed(key: np.uint64, size: int) -> int:
    return np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & (size - 1)


@inlined
def key_of(left: int, right: int) -> np.uint64:
    return (np.uint64(left) << np.uint64(NUMBER_BITS)) | np.uint64(right)


@kernel
def add_pairs(merges: Merges, lefts: Symbols, rights: Symbols, rank: int) -> None:
    """Take in the merges from `rank` on; the table must have room."""
    for i in range(len(lefts)):
        number = merges.first + rank + i
        merges.lengths[number] = merges.lengths[lefts[i]] + merges.lengths[rights[i]]
        merges.made_as[number] = number
        add_pair(merges, np.int64(lefts[i]), np.int64(rights[i]), number)


@kernel
def add_listed(merges: Merges, lefts: Symbols, rights: Symbols, numbers: Symbols) -> None:
    """Take in pairs in any order, each for the merge of a number; `made_as` and the lengths of base symbols are there.

    Of a pair that comes twice the last one counts.
    """
    merges.lengths[merges.first :] = 0
    goes_on = True
    while goes_on:  # twice for most lists
        goes_on = False
        for i in range(len(lefts)):
            made, left, right = merges.made_as[numbers[i]], merges.lengths[lefts[i]], merges.lengths[rights[i]]
            if merges.lengths[made] == 0 and left > 0 and right > 0:
                merges.lengths[made] = left + right
                goes_on = True
    for number in range(merges.first, len(merges.lengths)):
        merges.lengths[number] = merges.lengths[merges.made_as[number]]
    for i in range(len(lefts)):
        add_pair(merges, np.int64(lefts[i]), np.int64(rights[i]), np.int64(numbers[i]))


@inlined
def add_pair(merges: Merges, left: int, right: int, number: int) -> None:
    if left < merges.width and right < merges.width:
        merges.dense[left * merges.width + right] = number
        return
    key = key_of(left, right)
    place = hashed(key, len(merges.table))
    while (merges.table[place] != EMPTY) & (merges.table[place] >> np.uint64(NUMBER_BITS) != key):
        place = (place + 1) & (len(merges.table) - 1)
    merges.table[place] = (key << np.uint64(NUMBER_BITS)) | np.uint64(number)


@kernel
def joined(merges: Merges, left: int, right: int, limit: int) -> int:
    """The number of what two neighbours become, NEVER if nothing below `limit`."""
    if left < merges.width and right < merges.width:
        number = np.int64(merges.dense[left * merges.width + right])
        return number if number < limit else NEVER
    return found_joined(merges, left, right, limit)


@inlined
def found_joined(merges: Merges, left: int, right: int, limit: int) -> int:
    """The same of a pair that is not in the dense table."""
    key = key_of(left, right)
    place = hashed(key, len(merges.table))
    entry = merges.table[place]
    while (entry >> np.uint64(NUMBER_BITS) != key) & (entry != EMPTY):
        place = (place + 1) & (len(merges.table) - 1)
        entry = merges.table[place]
    number = np.int64(entry & NUMBER_MASK)
    return number if number < limit else NEVER


@kernel
def join(tokens: Symbols, removed: Symbols, start: int, middle: int, end: int, number: int, rank: int) -> None:
    """Two tokens, from `start` and from `middle`, become one that ends before `end`."""
    removed[middle - 1] = rank
    tokens[middle] = 0
    tokens[end - 1] = -number
    tokens[start] = number


@inlined
def merge_short(tokens: Symbols, size: int, short: Short, removed: Symbols, merges: Merges, limit: int) -> None:
    """A word of up to SHORT symbols. All of its pairs are looked through for the merge to make, LANES at once; up to
    some hundred that is faster than a heap.

    Loops here go on to a multiple of LANES, so that the processor need not guess where they end: 230 ns for an English
    word, not 320. So `tokens` has numbers of base symbols up to there, whichever they are, and room for one more;
    `removed` has room as well.
    """
    entries, spans = short.entries, short.spans
    begin(tokens, size, short, removed, merges, limit)
    while True:
        least = least_entry(entries, size)
        if least == NEVER:
            break
        start, made = least & (SHORT - 1), least >> SHORT_BITS
        middle = start + spans[start]
        end = middle + spans[middle]
        removed[middle - 1] = made - merges.first
        made = np.int64(merges.made_as[made])
        tokens[start] = made
        spans[start] = spans[end - 1] = end - start
        entries[start] = entries[middle] = NEVER
        if end < size:
            entries[start] = entry_of(found_joined(merges, made, tokens[end], limit), start)
        if start > 0:
            left = start - spans[start - 1]
            entries[left] = entry_of(found_joined(merges, tokens[left], made, limit), left)


@inlined
def begin(tokens: Symbols, size: int, short: Short, removed: Symbols, merges: Merges, limit: int) -> None:
    """What the pairs of base symbols become."""
    behind = padded(size)
    for i in range(behind):
        short.entries[i] = removed[i] = NEVER
        short.spans[i] = 1
    if merges.width == 0:
        for i in range(size - 1):
            short.entries[i] = entry_of(found_joined(merges, tokens[i], tokens[i + 1], limit), i)
        return
    tokens[behind] = 0
    for first in range(0, behind, LANES):
        for i in range(first, first + LANES):
            number = np.int64(merges.dense[tokens[i] * merges.width + tokens[i + 1]])
            short.entries[i] = (number << SHORT_BITS) | i if number < limit and i < size - 1 else NEVER


@inlined
def padded(size: int) -> int:
    return (size + LANES - 1) & -LANES


@inlined
def entry_of(number: int, start: int) -> int:
    return NEVER if number == NEVER else (number << SHORT_BITS) | start


@inlined
def least_entry(entries: Symbols, size: int) -> int:
    least = NEVER
    for first in range(0, size, LANES):
        least = min(least, least_of_16(entries, first))
    return least


@kernel
def push(heap: Numbers, size: int, entry: int) -> int:
    """Returns the new size."""
    place = size
    while place > 0 and heap[(place - 1) >> 1] > entry:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = entry
    return size + 1


@kernel
def pop(heap: Numbers, size: int) -> int:
    """Take the least entry out, which was `heap[0]`; returns the new size."""
    size -= 1
    entry, place = heap[size], 0
    while True:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if child >= size or heap[child] >= entry:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = entry
    return size


@kernel
def push_pair(heap: Numbers, waiting: int, tokens: Symbols, start: int, middle: int, merges: Merges, limit: int) -> int:
    """Let the two tokens from `start` and `middle` wait for their merge, if there is one."""
    number = joined(merges, tokens[start], tokens[middle], limit)
    return waiting if number == NEVER else push(heap, waiting, (number << POSITION_BITS) | start)


@kernel
def merge_long(
    tokens: Symbols, size: int, heap: Numbers, state: Numbers, removed: Symbols, merges: Merges, limit: int, budget: int
) -> bool:
    """A word of any length in O(n log n), with a heap of (number, slot) in which pairs that are gone are left.

    Begins with `state` all 0: slots looked at, entries in the heap, merges made. Stops after about `budget` slots or
    entries, and goes on from there when called again; returns whether it is done. The heap needs room for two entries a
    slot.
    """
    slots, waiting = state[0], state[1]
    while slots < size and budget > 0:
        removed[slots] = NEVER
        if slots + 1 < size:
            waiting = push_pair(heap, waiting, tokens, slots, slots + 1, merges, limit)
        slots += 1
        budget -= 1
    while waiting > 0 and budget > 0:
        budget -= 1
        made, start = heap[0] >> POSITION_BITS, heap[0] & ((1 << POSITION_BITS) - 1)
        waiting = pop(heap, waiting)
        if tokens[start] <= 0:
            continue
        middle = start + merges.lengths[tokens[start]]
        if middle >= size or joined(merges, tokens[start], tokens[middle], limit) != made:
            continue
        end = start + merges.lengths[made]
        join(tokens, removed, start, middle, end, np.int64(merges.made_as[made]), made - merges.first)
        state[2] += 1
        if end < size:
            waiting = push_pair(heap, waiting, tokens, start, end, merges, limit)
        if start > 0:
            left = start - merges.lengths[abs(tokens[start - 1])]
            waiting = push_pair(heap, waiting, tokens, left, start, merges, limit)
    state[0], state[1] = slots, waiting
    return slots == size and waiting == 0


@kernel
def write_ids(tokens: Symbols, size: int, merges: Merges, token_ids: Symbols, ids: Symbols, place: int) -> int:
    """The ids of a merged word; returns the place behind them."""
    start = 0
    while start < size:
        number = tokens[start]
        ids[place] = token_ids[number]
        place += 1
        start += merges.lengths[number]
    return place


@inlined
def write_short_ids(tokens: Symbols, size: int, short: Short, token_ids: Symbols, ids: Symbols, place: int) -> int:
    """The same behind merge_short, without a look at lengths that are far away."""
    start = 0
    while start < size:
        ids[place] = token_ids[tokens[start]]
        place += 1
        start += short.spans[start]
    return place
