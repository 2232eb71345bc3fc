import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core.packed_words_builder as module
from core.errors import CorpusError
from core.packed_words_builder import PackedWordsBuilder, WordBatch, exact_total
from tests.core.hard_texts import hard_text

MAX_COUNT = 9_223_372_036_854_775_807


def batch(*entries: tuple[str, int, int]) -> WordBatch:
    words, counts, places = zip(*entries, strict=True)
    return WordBatch.of((w.encode() for w in words), np.array(counts, np.int64), np.array(places, np.int64))


def built(*batches: WordBatch) -> list[tuple[str, int]]:
    builder = PackedWordsBuilder("words")
    for one in batches:
        builder.add(one)
    return list(builder.build().items())


def test_words_are_put_in_the_order_of_their_places():
    one, two = batch(("low", 5, 7), ("é", 1, 2)), batch(("newest", 3_000_000_000, 4), ("low", 2, 1))
    assert built(one, two) == [("low", 7), ("é", 1), ("newest", 3_000_000_000)]
    assert built() == []


def test_the_order_they_came_in_decides_between_equal_places():
    assert built(batch(("b", 1, 0), ("a", 1, 0)), batch(("c", 1, 0), ("b", 1, 0))) == [("b", 2), ("a", 1), ("c", 1)]


def test_repeated_words_are_counted():
    builder = PackedWordsBuilder("words")
    builder.add(batch(("a", 1, 0), ("b", 1, 1), ("a", 1, 2), ("a", 1, 3)))
    builder.add_words({"c": 4, "b": 5})
    assert list(builder.build().items()) == [("a", 3), ("b", 6), ("c", 4)]
    assert builder.repeated == 3


def test_exact_sums_up_to_the_largest_count():
    assert built(batch(("a", MAX_COUNT - 1, 0), ("b", MAX_COUNT, 1), ("a", 1, 2))) == [
        ("a", MAX_COUNT),
        ("b", MAX_COUNT),
    ]
    with pytest.raises(CorpusError) as caught:
        built(batch(("b", 1, 0), ("a", MAX_COUNT, 0), ("a", 1, 2)))
    assert str(caught.value) == 'words: the counts of "a" add up to more than 9,223,372,036,854,775,807.'
    with pytest.raises(CorpusError):
        built(batch(*[("a", MAX_COUNT, place) for place in range(4)]))  # 64 bits would make it a positive number again
    assert exact_total(np.array([MAX_COUNT] * 3, np.int64)) == 27_670_116_110_564_327_421


def test_words_with_the_same_hash_stay_apart(monkeypatch):
    monkeypatch.setattr(module, "_hashes", lambda words: np.zeros(len(words.lengths), np.uint64))
    assert built(batch(("a", 1, 0), ("b", 2, 1), ("a", 3, 2), ("ab", 4, 3))) == [("a", 4), ("b", 2), ("ab", 4)]


@settings(max_examples=80)
@given(
    st.lists(
        st.lists(st.tuples(hard_text.filter(bool), st.integers(1, 2**40), st.integers(0, 9)), min_size=1), max_size=5
    ),
    st.sampled_from([1, 7, 1 << 18]),
    st.sampled_from([0, 3, 1 << 20]),
)
def test_the_same_as_a_dictionary(batches, bytes_at_once, words_to_sum):
    sums, places = dict[str, int](), dict[str, int]()
    for word, count, place in (entry for entries in batches for entry in entries):
        sums[word] = sums.get(word, 0) + count
        places[word] = min(places.get(word, place), place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BYTES_AT_ONCE", bytes_at_once)
        patch.setattr(module, "MIN_WORDS_TO_SUM", words_to_sum)
        assert built(*(batch(*entries) for entries in batches)) == sorted(sums.items(), key=lambda e: places[e[0]])


def test_the_order_is_not_lost_when_words_are_summed_early(monkeypatch):
    monkeypatch.setattr(module, "MIN_WORDS_TO_SUM", 2)
    numbers = [7, 3, 7, 1, 3, 9, 1, 1, 4, 7]
    entries = [(f"w{number}", 1, place) for place, number in enumerate(numbers)]
    assert built(*map(batch, entries)) == [("w7", 3), ("w3", 2), ("w1", 3), ("w9", 1), ("w4", 1)]
