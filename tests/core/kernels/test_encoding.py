"""The two ways to merge a word give the same tokens and ranks, however little is done at a time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.kernels.encoding import LANES, NEVER, SHORT, Short, merge_long, merge_short, pop, push, write_ids
from core.trainer import TrainerConfig
from tests.core.runs import record_words

RECORDING = record_words({"abab" * 8: 3, "aab" * 5: 4, "b" * 17: 2, "ba": 9}, TrainerConfig(merges=24))
A, B = (RECORDING.alphabet.id_of(letter) + 1 for letter in (b"a", b"b"))


def merged_short(numbers, limit, recording=RECORDING):
    merges, _ = recording.compiled_merges.up_to(len(recording))
    size = len(numbers)
    tokens, removed = np.full(size + LANES, A, np.int32), np.empty(size + LANES, np.int32)
    tokens[:size] = numbers
    short = Short(np.empty(SHORT, np.int32), np.empty(SHORT, np.int32))
    merge_short(tokens, size, short, removed, merges, limit)
    return written(tokens[:size], merges), removed[:size].tolist()


def merged_long(numbers, limit, budget):
    merges, _ = RECORDING.compiled_merges.up_to(24)
    tokens, removed = np.array(numbers, np.int32), np.empty(len(numbers), np.int32)
    heap, state = np.empty(2 * len(tokens), np.int64), np.zeros(3, np.int64)
    while not merge_long(tokens, len(tokens), heap, state, removed, merges, limit, budget):
        pass
    assert state[2] == np.count_nonzero(removed != NEVER)
    return written(tokens, merges), removed.tolist()


def written(tokens, merges):
    """Every number as its id would be."""
    ids = np.empty(len(tokens), np.int32)
    return ids[: write_ids(tokens, len(tokens), merges, np.arange(400, dtype=np.int32), ids, 0)].tolist()


@settings(max_examples=300)
@given(st.lists(st.sampled_from([A, B, A, B, 0]), min_size=1, max_size=SHORT), st.integers(0, 24), st.integers(1, 100))
def test_both_ways_give_the_same(numbers, step, budget):
    limit = RECORDING.compiled_merges.first + step

    assert merged_long(numbers, limit, budget) == merged_short(numbers, limit)


def test_the_leftmost_of_equals_goes_first():
    """The first merge here is b a; of three equal letters the first two are joined."""
    first = RECORDING.compiled_merges.first

    assert [RECORDING[0].left + 1, RECORDING[0].right + 1] == [B, A]
    assert merged_short([B, A, B, B, A], first + 1) == ([first, B, first], [0, NEVER, NEVER, 0, NEVER])
    twice = record_words({"aaaa": 1}, TrainerConfig(merges=1))
    assert merged_short([A, A, A], twice.compiled_merges.first + 1, twice)[1] == [0, NEVER, NEVER]


@given(st.lists(st.integers(0, 2**62), max_size=80))
def test_a_heap_gives_the_least_first(entries):
    heap, size = np.empty(len(entries), np.int64), 0
    for entry in entries:
        size = push(heap, size, entry)
    taken = []
    while size:
        taken.append(int(heap[0]))
        size = pop(heap, size)

    assert taken == sorted(entries)
