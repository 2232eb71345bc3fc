"""The compiled tally against the plain one, and sums beyond what a float holds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import held_out
from core.alphabet import Base
from core.compiled_tally import compiled_tally, packed_for_tally
from core.packed_words import PackedWords
from core.trainer import TrainerConfig
from tests.core.runs import finish, record_words
from tests.core.schemes import SCHEMES, trained, words


@pytest.mark.parametrize("scheme", SCHEMES, ids="-".join)
@settings(max_examples=10)
@given(data=st.data(), word_counts=st.dictionaries(words, st.integers(1, 2**40), max_size=8))
def test_it_is_the_plain_tally(scheme, data, word_counts):
    recording = data.draw(trained([scheme]))

    assert finish(compiled_tally(recording, PackedWords.of(word_counts))) == finish(
        held_out._plain_tally_of_all_steps(recording, word_counts)
    )


def test_large_counts_are_exact():
    recording = record_words({"ab": 1}, TrainerConfig(Base.CHARACTERS))
    tally = finish(compiled_tally(recording, PackedWords.of({"ab": 2**53 + 1, "abab": 1, "a": 2**53 + 1})))

    assert (tally.applied, tally.completed) == ([2**53 + 3], [2**53 + 1])
    assert tally.base_counts == {0: 2**54 + 4, 1: 2**53 + 3}
    assert (tally.whole_words, tally.word_count, tally.byte_count) == (2**53 + 1, 2**54 + 3, 3 * 2**53 + 7)


@pytest.mark.parametrize("word_counts", [{"a": 2**63}, {"abc": 2**61}, {"ab": 2**60, "ba": 2**60}])
def test_sums_that_may_overflow_are_left_to_plain_numbers(word_counts):
    assert packed_for_tally(word_counts) is None


def test_a_word_that_is_merged_on_its_own():
    recording = record_words({"aaaa": 1}, TrainerConfig(Base.CHARACTERS, merges=2))
    tally = finish(compiled_tally(recording, PackedWords.of({"a" * 9_001: 2, "aaaa": 3, "aa": 1})))

    assert tally.applied == [2 * 4_500 + 3 * 2 + 1, 2 * 2_250 + 3]
    assert tally.completed == [1, 3]
    assert tally.base_counts == {0: 2 * 9_001 + 14}
