from hypothesis import given
from hypothesis import strategies as st

from core import kernel_loader
from core.character_counts import count_characters
from core.packed_words import PackedWords

WORDS = {"low": 5, "lo🙂": 3_000_000_000, "é": 1, "": 7}


def test_counts_and_places():
    found = count_characters(WORDS)
    assert found.counts == {"l": 3_000_000_005, "o": 3_000_000_005, "w": 5, "🙂": 3_000_000_000, "é": 1}
    assert found.final - {""} == {"w", "🙂", "é"}
    assert found.later == {"o", "w", "🙂"}


@given(st.dictionaries(st.text(max_size=6), st.integers(1, 2**40), max_size=20))
def test_the_compiled_count_is_the_same(words):
    kernel_loader.load()
    plain, compiled = count_characters(words), count_characters(PackedWords.of(words))
    assert compiled.counts == plain.counts
    assert compiled.final == plain.final - {""}
    assert compiled.later == plain.later


def test_counts_of_more_than_63_bits_are_exact():
    kernel_loader.load()
    counts = count_characters(PackedWords.of({"aab": 2**62, "ba": 2**62})).counts
    assert counts == {"a": 3 * 2**62, "b": 2**63}
