from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernels.characters import character_kinds
from core.kernels.long_words import VERY_LONG, VERY_LONG_BYTES
from core.kernels.scanning import PATTERN_NUMBERS
from core.kernels.word_table import (
    DONE,
    NO_ROOM,
    TOTAL,
    WordTable,
    copy_words,
    count_texts,
    enlarged,
    in_order,
    measure_words,
    new_batch,
    new_table,
    taking_in,
)
from core.packed_words import PADDING
from core.pre_tokenizer import NONE

WHOLE = PATTERN_NUMBERS[NONE]
MASK = 2**64 - 1


def counted(words: Sequence[bytes], capacity: int = 2, batch: int = 3, base: int = 0) -> WordTable:
    """Every word as a text of its own."""
    table, kinds = new_table(capacity), character_kinds()
    data = np.frombuffer(bytearray(b"".join(words) + bytes(PADDING)), np.uint8)
    places = np.cumsum([0, *map(len, words)])
    starts, ends = places[:-1].copy(), places[1:].copy()
    status, line_stop = NO_ROOM, 0
    while status != DONE:
        table = enlarged(table) if status == NO_ROOM else table
        status, line_stop = count_texts(
            WHOLE, False, data, starts, ends, base, kinds, table, new_batch(batch), line_stop
        )
    return table


def content(table: WordTable) -> list[tuple[bytes, int, int]]:
    """Word, count and first place, by the place."""
    order, places = in_order(table)
    offsets, counts = np.zeros(len(order) + 1, np.int64), np.zeros(len(order), np.int64)
    measure_words(table, order, offsets, counts)
    data = np.zeros(offsets[-1] + PADDING, np.uint8)
    copy_words(table, order, offsets, data)
    words = [data[start:end].tobytes() for start, end in pairwise(offsets)]
    return list(zip(words, counts.tolist(), places.tolist(), strict=True))


def merged(table: WordTable, other: WordTable) -> WordTable:
    *_, table = [table, *taking_in(other, table, 2)]
    return table


def test_counts_and_first_places() -> None:
    table = counted([b"low", b"er", b"low", b"l", b"low"], base=100)
    assert content(table) == [(b"low", 3, 100), (b"er", 1, 103), (b"l", 1, 108)]
    assert table.state[TOTAL] == 5


@pytest.mark.parametrize("size", [1, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 100])
def test_words_of_all_sizes_are_told_apart_at_every_byte(size: int) -> None:
    words = [b"x" * place + b"y" + b"x" * (size - place - 1) for place in range(size)]
    assert content(counted([*words, *words])) == [(word, 2, i * size) for i, word in enumerate(words)]


def test_zero_bytes_are_bytes() -> None:
    words = [bytes(size) for size in (1, 2, 7, 8, 9, 15, 16, 17, 32)]
    assert [(word, count) for word, count, _ in content(counted([*words, *reversed(words)]))] == [(w, 2) for w in words]


def test_long_words_with_the_same_hash_are_two_words() -> None:
    def beside(first: bytes) -> bytes:
        """Eight bytes that leave the same hash behind any first eight."""
        state = mixed(24 ^ int.from_bytes(first, "little"), 0xA0761D6478BD642F)
        return (state ^ 0x1234).to_bytes(8, "little")

    words = [first + beside(first) + b"the rest" for first in (b"one or a", b"notherrr", b"a third.")]
    table = counted([*words, *words, words[1]])
    assert len(set(table.long.words[:3, 0].tolist())) == 1
    assert [(word, count) for word, count, _ in content(table)] == [(words[0], 2), (words[1], 3), (words[2], 2)]
    assert [count for _, count, _ in content(merged(table, counted(words)))] == [3, 4, 3]


def mixed(one: int, other: int) -> int:
    product = one * other
    return (product & MASK) ^ (product >> 64)


def test_long_words_stand_once_in_memory() -> None:
    table = counted([b"a" * 20, b"b" * 30] * 50)
    assert (table.long.state[VERY_LONG], table.long.state[VERY_LONG_BYTES]) == (2, 50)


def test_a_word_larger_than_all_room() -> None:
    assert content(counted([b"a", b"b" * 100_000, b"b" * 100_000])) == [(b"a", 1, 0), (b"b" * 100_000, 2, 1)]


words = st.lists(
    st.one_of(st.binary(min_size=1, max_size=20), st.sampled_from([b"a", b"b" * 16, b"c" * 40])), max_size=60
)


@given(words, words, st.integers(1, 5))
def test_two_tables_taken_together_are_one(first: list[bytes], second: list[bytes], batch: int) -> None:
    size = sum(map(len, first))
    together = merged(counted(second, batch=batch, base=size), counted(first, batch=batch))
    assert sorted(content(together)) == sorted(content(counted(first + second, 64)))
    assert together.state[TOTAL] == len(first) + len(second)


@given(words)
def test_counts_are_right_while_the_table_grows(words: list[bytes]) -> None:
    expected: dict[bytes, int] = {}
    for word in words:
        expected[word] = expected.get(word, 0) + 1
    assert [(word, count) for word, count, _ in content(counted(words))] == list(expected.items())


def test_counts_are_64_bit() -> None:
    table = counted([b"low", b"x" * 20])
    table.short.slots[table.short.order[0], 1] = table.long.words[0, 2] = 3_000_000_000
    assert [count for _, count, _ in content(merged(counted([b"x" * 20]), table))] == [3_000_000_000, 3_000_000_001]
