"""Measures of the corpus trained on, against the corpus encoded and counted anew."""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.errors import ConfigError
from core.held_out import held_out_tally
from core.measures import MEASURES, Spread
from core.measuring import SpreadHistory, corpus_tally, measures_along, measures_at, occurrences, sums_at, types_at
from core.merge import Merge
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import Score, TrainerConfig
from tests.core.recount import CORPORA, KINDS, PLAIN_CORPORA, assert_measures_are, encoded, recounted
from tests.core.runs import count, finish, record_words

TEXTS = Path(__file__).parents[1] / "data" / "text"


@pytest.fixture
def low_low_lot():
    """Merges: l o 3, lo w 2, lo t 1."""
    return record_words({"low": 2, "lot": 1}, TrainerConfig(Base.CHARACTERS))


def ten_steps(recording):
    last = len(recording)
    return sorted({0, last, *random.Random(last).choices(range(last + 1), k=8)})


@pytest.mark.parametrize(("base", "marker"), KINDS)
@settings(max_examples=40)
@given(word_counts=CORPORA, alpha=st.sampled_from([1, 2, 2.5]))
def test_measures_are_those_of_the_corpus_encoded_anew(base, marker, word_counts, alpha):
    if base is Base.CHARACTERS:
        word_counts = {word: count for word, count in word_counts.items() if "\ud800" not in word}
    recording = record_words(word_counts, TrainerConfig(base, marker, special_tokens=("<s>", "</w>")))
    steps = ten_steps(recording)
    along = finish(measures_along(recording, corpus_tally(recording), steps, alpha))
    for step, measures in zip(steps, along, strict=True):
        assert measures.step == step
        assert_measures_are(measures, recounted(recording, word_counts, step, alpha))


@pytest.mark.parametrize("unknown", list(Unknown))
@settings(max_examples=40)
@given(word_counts=PLAIN_CORPORA)
def test_measures_with_characters_that_the_alphabet_lacks(unknown, word_counts):
    config = TrainerConfig(
        Base.CHARACTERS, special_tokens=("<unk>",), unknown_token="<unk>", alphabet_limit=3, unknown=unknown
    )
    recording = record_words(word_counts, config)
    for step in ten_steps(recording):
        assert_measures_are(measures_at(recording, step), recounted(recording, word_counts, step, 2.5))


@pytest.mark.parametrize("text", ["alice_50k.txt", "udhr_cmn_hans.txt"])
@pytest.mark.parametrize(("base", "marker"), KINDS)
def test_sums_are_those_of_a_real_text_encoded_anew(base, marker, text):
    words = count((TEXTS / text).read_bytes().decode(), Pipeline(pre_tokenizer=PRE_TOKENIZERS["words"]))
    recording = record_words(words, TrainerConfig(base, marker, merges=80))
    for step in random.Random(text).sample(range(1, len(recording)), 10):
        counts = Counter()
        for word, times in words.items():
            for token_id in encoded(recording, word, step):
                counts[token_id] += times
        assert recording.corpus_length(step) == counts.total()
        assert {i: recording.token_count(i, step) for i, _ in recording.tokens_at(step)} == {
            i: counts[i] for i, _ in recording.tokens_at(step)
        }


@settings(max_examples=40)
@given(word_counts=PLAIN_CORPORA, score=st.sampled_from(Score), alpha=st.sampled_from([0, 1, 2.5, 10]))
def test_the_pass_over_the_merges_gives_what_counting_one_step_gives(word_counts, score, alpha):
    recording = record_words(word_counts, TrainerConfig(Base.CHARACTERS, score=score))
    along = finish(measures_along(recording, corpus_tally(recording), range(len(recording) + 1), alpha))
    assert along == [measures_at(recording, step, alpha) for step in range(len(recording) + 1)]


def test_measures_of_a_small_corpus_step_by_step(low_low_lot):
    along = finish(measures_along(low_low_lot, corpus_tally(low_low_lot), range(4), alpha=2))
    assert [at.token_count for at in along] == [9, 6, 4, 3]
    assert [at.vocab_size for at in along] == [4, 5, 6, 7]
    assert [at.compression_ratio for at in along] == [4.0, 4.0, 6.0, 8.0]
    assert [at.bytes_per_token for at in along] == [1.0, 1.5, 2.25, 3.0]
    assert [at.fertility for at in along] == pytest.approx([3.0, 2.0, 1.333333333, 1.0])
    assert [at.whole_words for at in along] == [0, 0, 2, 3]
    assert [(at.spread.type_count, at.spread.used, at.spread.once) for at in along] == [
        (4, 4, 1),  # l 3, o 3, w 2, t
        (5, 3, 1),  # lo 3, w 2, t
        (6, 3, 2),  # low 2, lo, t
        (7, 2, 1),  # low 2, lot
    ]
    # -log2 of 23/81, 14/36, 6/16, 5/9 over log2 of the vocabulary size
    assert [at.renyi_efficiency for at in along] == pytest.approx([0.908144, 0.586827, 0.547411, 0.302063], abs=1e-6)


def test_tokens_by_how_often_they_occur(low_low_lot):
    l, o, t, w, lo, low, lot = range(7)  # noqa: E741  # the letter is its name
    tally = corpus_tally(low_low_lot)
    assert occurrences(low_low_lot, tally, 0) == {l: 3, o: 3, t: 1, w: 2}
    assert occurrences(low_low_lot, tally, 2) == {l: 0, o: 0, t: 1, w: 0, lo: 1, low: 2}
    assert occurrences(low_low_lot, tally, 3) == {l: 0, o: 0, t: 0, w: 0, lo: 0, low: 2, lot: 1}


def test_one_unknown_character_in_three_tokens():
    config = TrainerConfig(Base.CHARACTERS, alphabet_limit=1)
    measures = measures_at(record_words({"aaa?": 1, "?": 1}, config), 1)  # aa a ?, ?
    assert measures.unknown_rate == 0.5
    assert measures.whole_word_share == 0.5
    assert measures.spread.entropy == pytest.approx(1.375499, abs=1e-6)  # of aa, a and twice the unknown token


def test_special_tokens_count_in_the_vocabulary_but_cannot_be_used():
    config = TrainerConfig(Base.CHARACTERS, special_tokens=("<s>", "<pad>"))
    measures = measures_at(record_words({"ab": 1}, config), 0)
    assert measures.vocab_size == 4
    assert measures.spread == Spread(2, 2, 2, 1.0)


def test_a_special_token_that_is_a_letter_is_a_base_symbol_too():
    config = TrainerConfig(Base.CHARACTERS, special_tokens=("z", "<s>", "q"))
    recording = record_words({"zab": 1}, config)
    assert [token.content for _, token in types_at(recording, 0)] == [b"z", b"q", b"a", b"b"]
    assert measures_at(recording, 0).used_share == 0.75


def test_bytes_that_stand_for_unknown_characters_belong_to_the_vocabulary():
    config = TrainerConfig(Base.CHARACTERS, alphabet_limit=1, unknown=Unknown.BYTES)
    measures = measures_at(record_words({"aa": 1, "é": 1}, config), 0)
    assert measures.spread.type_count == 257
    assert measures.spread.used == 3
    assert measures.unknown_rate == 0.0


def test_sums_are_there_without_a_pass_over_the_merges(low_low_lot):
    for step in range(4):
        sums, measures = sums_at(low_low_lot, step), measures_at(low_low_lot, step)
        assert sums.spread is None
        assert [m.value(sums) for m in MEASURES if not m.needs_spread] == [
            m.value(measures) for m in MEASURES if not m.needs_spread
        ]


def test_a_recording_without_counts_measures_like_an_empty_text():
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, {0: Token(b"a"), 1: Token(b"b")})
    recording = Recording(alphabet)
    recording.append(Merge(0, 0, 1, 2))
    measures = measures_at(recording, 1)
    assert (measures.vocab_size, measures.token_count, measures.bytes_per_token, measures.never_share) == (
        *(3, 0, None, None),
    )


def test_a_token_made_by_two_merges_is_one_type():
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, {0: Token(b"a"), 1: Token(b"b"), 2: Token(b"c")})
    recording = Recording(alphabet, base_counts={0: 2, 1: 2, 2: 2})
    recording.extend(
        [Merge(0, 0, 1, 3, 1, 1), Merge(1, 1, 2, 4, 1, 1), Merge(2, 3, 2, 5, 1, 1), Merge(3, 0, 4, 5, 1, 1)]
    )
    assert measures_at(recording, 4).spread == Spread(6, 1, 0, 0.0)
    assert finish(measures_along(recording, corpus_tally(recording), [4])) == [measures_at(recording, 4)]


def test_a_long_pass_says_how_far_it_is(low_low_lot):
    recording = record_words({"ab" * 5_000: 1, "cd": 1}, TrainerConfig(Base.CHARACTERS, merges=2))
    assert list(measures_along(recording, corpus_tally(recording), [0, 1, 2])) == []
    letters = {i: Token(chr(0x4E00 + i).encode()) for i in range(4_001)}
    long = Recording(Alphabet(Base.CHARACTERS, Marker.NONE, letters))
    long.extend(Merge(i, i, i + 1, 4_001 + i) for i in range(4_000))
    progress = list(measures_along(long, corpus_tally(long), [4_000, 10]))
    assert progress == [(2_000, 4_000), (4_000, 4_000)]


def test_steps_come_once_and_in_order(low_low_lot):
    found = finish(measures_along(low_low_lot, corpus_tally(low_low_lot), [3, 0, 3]))
    assert [measures.step for measures in found] == [0, 3]
    assert finish(measures_along(low_low_lot, corpus_tally(low_low_lot), [])) == []


def test_an_impossible_order_is_refused(low_low_lot):
    with pytest.raises(ConfigError):
        measures_at(low_low_lot, 0, alpha=-1)
    with pytest.raises(ConfigError):
        next(measures_along(low_low_lot, corpus_tally(low_low_lot), [0], alpha=11))


@settings(max_examples=40)
@given(word_counts=PLAIN_CORPORA, alpha=st.sampled_from([0, 1, 2.5, 10]), size=st.integers(1, 5))
def test_a_history_that_grows_in_parts_has_the_spread_of_every_step(word_counts, alpha, size):
    recording = record_words(word_counts, TrainerConfig(Base.CHARACTERS))
    history = SpreadHistory(recording, recording.base_counts, alpha)
    while not history.is_complete:
        history.advance(size)
    assert history.last_step == len(recording)
    for step in range(len(recording) + 1):
        assert sums_at(recording, step, history.at(step)) == measures_at(recording, step, alpha)


def test_a_history_goes_on_when_the_recording_does(low_low_lot):
    grown = Recording(low_low_lot.alphabet, low_low_lot.config, base_counts=low_low_lot.base_counts)
    history = SpreadHistory(grown, grown.base_counts, alpha=2)
    assert history.is_complete
    assert history.at(1) is None
    grown.append(low_low_lot[0])
    assert not history.is_complete
    history.advance(100)
    assert history.at(1) == Spread(5, 3, 1, pytest.approx(1.362570), 2)  # 14/36 of lo 3, w 2, t
    assert history.at(-1) is None


def test_a_history_of_another_text_takes_that_text_s_numbers(low_low_lot):
    """A text `lot`: its merges are made in 1, 0 and 1 places."""
    tally = finish(held_out_tally(low_low_lot, {"lot": 1}, 3))
    history = SpreadHistory(low_low_lot, tally.base_counts, applied=tally.applied)
    history.advance(100)
    assert [history.at(step).used for step in range(4)] == [3, 2, 2, 1]


def test_a_history_refuses_an_order_that_cannot_be_computed(low_low_lot):
    with pytest.raises(ConfigError, match="must be from 0 to 10, but is 11"):
        SpreadHistory(low_low_lot, {}, alpha=11)
