import pytest
from hypothesis import given, settings

from core.alphabet import Base, Marker, Token
from core.distributions import LengthUnit, distributions, length_histogram, mean_length, rank_frequency
from core.held_out import held_out_tally
from core.measuring import corpus_tally, occurrences
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.recount import KINDS, PLAIN_CORPORA
from tests.core.runs import finish, record_words


@pytest.fixture
def low_low_lot():
    """Merges: l o 3, lo w 2, lo t 1."""
    return record_words({"low": 2, "lot": 1}, TrainerConfig(Base.CHARACTERS))


def histogram(recording, step, unit):
    return length_histogram(recording, step, occurrences(recording, corpus_tally(recording), step), unit)


def test_lengths_of_a_small_vocabulary(low_low_lot):
    assert histogram(low_low_lot, 0, LengthUnit.BYTES) == [(1, 4, 9)]
    assert histogram(low_low_lot, 2, LengthUnit.BYTES) == [(1, 4, 1), (2, 1, 1), (3, 1, 2)]  # low 2, lo, t


def test_lengths_in_bytes_and_in_characters():
    recording = record_words({"é中": 2, "a": 1}, TrainerConfig(Base.CHARACTERS))
    assert histogram(recording, 1, LengthUnit.BYTES) == [(1, 1, 1), (2, 1, 0), (3, 1, 0), (5, 1, 2)]
    assert histogram(recording, 1, LengthUnit.CHARACTERS) == [(1, 3, 1), (2, 1, 2)]


@pytest.mark.parametrize(
    ("content", "size", "characters"),
    [
        (b"", 0, 0),  # a marker
        (b"ab", 2, 2),
        ("中".encode(), 3, 1),
        (b"\xe4", 1, 1),  # the first byte has the character
        (b"\xb8\xad", 2, 0),
        (b"\xb8\xada\xe4", 4, 2),
        (b"\x80\xbf", 2, 0),
        (b"\xc0\xff", 2, 2),
        ("e\u0301".encode(), 3, 2),
    ],
)
def test_a_character_belongs_to_the_token_that_it_begins_in(content, size, characters):
    assert LengthUnit.BYTES.of(Token(content)) == size
    assert LengthUnit.CHARACTERS.of(Token(content, ends_word=True)) == characters


def test_special_tokens_have_no_length_here():
    config = TrainerConfig(Base.CHARACTERS, Marker.SYMBOL, special_tokens=("<pad>", "a"))
    recording = record_words({"ab": 1}, config)
    assert histogram(recording, 0, LengthUnit.BYTES) == [(0, 1, 1), (1, 2, 2)]  # </w>; a, which is special too, and b


@pytest.mark.parametrize(("base", "marker"), KINDS)
@settings(max_examples=40)
@given(word_counts=PLAIN_CORPORA)
def test_lengths_add_up_to_the_text(base, marker, word_counts):
    recording = record_words(word_counts, TrainerConfig(base, marker))
    for step in (0, len(recording) // 2, len(recording)):
        for unit, size in (
            (LengthUnit.BYTES, sum(len(word.encode()) * count for word, count in word_counts.items())),
            (LengthUnit.CHARACTERS, sum(len(word) * count for word, count in word_counts.items())),
        ):
            rows = histogram(recording, step, unit)
            assert sum(row.length * row.occurrences for row in rows) == size
            assert sum(row.occurrences for row in rows) == recording.corpus_length(step)
            assert sum(row.types for row in rows) == recording.vocab_size(step)


def test_the_most_frequent_token_comes_first():
    assert rank_frequency({5: 1, 9: 7, 3: 1, 4: 0, -1: 3}) == [(9, 7), (3, 1), (5, 1)]  # -1 is unknown
    assert rank_frequency({}) == []


def test_distributions_of_the_corpus_and_of_another_text(low_low_lot):
    found = finish(distributions(low_low_lot, None, 2, max_points=10))
    assert found.lengths[LengthUnit.BYTES] == [(1, 4, 1), (2, 1, 1), (3, 1, 2)]  # low 2, lo, t
    assert found.lengths[LengthUnit.CHARACTERS] == [(1, 4, 1), (2, 1, 1), (3, 1, 2)]
    assert list(found.ranks) == [1, 2, 3]
    assert [frequency.occurrences for frequency in found.frequencies] == [2, 1, 1]
    tally = finish(held_out_tally(low_low_lot, {"lot": 4}, 2))
    other = finish(distributions(low_low_lot, tally, 2, max_points=10))
    assert other.lengths[LengthUnit.BYTES] == [(1, 4, 4), (2, 1, 4), (3, 1, 0)]  # lo 4, t 4


def test_a_long_list_of_frequencies_is_thinned():
    recording = record_words({chr(0x4E00 + n): n + 1 for n in range(500)}, TrainerConfig(Base.CHARACTERS))
    found = finish(distributions(recording, None, 0, max_points=20))
    assert len(found.ranks) == len(found.frequencies) <= 20
    assert (found.ranks[0], found.ranks[-1]) == (1, 500)
    assert [f.occurrences for f in found.frequencies] == [501 - rank for rank in found.ranks]
    assert finish(distributions(Recording(recording.alphabet), None, 0, max_points=20)).frequencies == []


def test_mean_length():
    assert mean_length({1: 3, 5: 1}) == 2.0
    assert mean_length({1: 0}) is None
