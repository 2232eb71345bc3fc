import pytest
from hypothesis import given, settings

from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.errors import ConfigError
from core.held_out import encoded, held_out, held_out_along, held_out_tally
from core.measures import Spread
from core.measuring import corpus_tally, measures_along, measures_at, occurrences
from core.merge import Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.recount import KINDS, PLAIN_CORPORA, assert_measures_are, recounted
from tests.core.runs import count, finish, record, record_words

CHARACTERS = TrainerConfig(Base.CHARACTERS)
WHITESPACE = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
HARD_TEXT = "Low lowest  löwe\u0301 \u0301x 中文中 👩\u200d🔬 ''s </w> ##a ▁▁ \r\n\ta\u00a0b\u2028 lower low"


@pytest.fixture
def low_low_lot():
    """Merges: l o 3, lo w 2, lo t 1."""
    return record("low low lot", CHARACTERS, WHITESPACE)


@pytest.mark.parametrize(("base", "marker"), KINDS)
def test_the_corpus_itself_measures_as_its_recording_says(base, marker):
    recording = record(HARD_TEXT * 3, TrainerConfig(base, marker))
    steps = range(len(recording) + 1)
    assert finish(held_out_tally(recording, recording.word_counts, 0)) == corpus_tally(recording)
    along = finish(held_out_along(recording, HARD_TEXT * 3, steps))
    assert along == finish(measures_along(recording, corpus_tally(recording), steps))
    assert finish(held_out(recording, HARD_TEXT * 3, 7)) == measures_at(recording, 7)


@pytest.mark.parametrize(("base", "marker"), KINDS)
@settings(max_examples=40)
@given(trained=PLAIN_CORPORA, word_counts=PLAIN_CORPORA)
def test_measures_of_other_words_are_those_of_encoding_them_anew(base, marker, trained, word_counts):
    recording = record_words(trained, TrainerConfig(base, marker))
    tally = finish(held_out_tally(recording, word_counts, 0))
    steps = sorted({0, len(recording) // 3, len(recording)})
    for step, measures in zip(steps, finish(measures_along(recording, tally, steps)), strict=True):
        assert_measures_are(measures, recounted(recording, word_counts, step, 2.5))


@pytest.mark.parametrize("unknown", list(Unknown))
@settings(max_examples=40)
@given(word_counts=PLAIN_CORPORA)
def test_characters_that_the_alphabet_lacks(unknown, word_counts):
    config = TrainerConfig(Base.CHARACTERS, special_tokens=("<unk>",), unknown_token="<unk>", unknown=unknown)
    recording = record_words({"aab": 2, "ab": 1}, config)
    tally = finish(held_out_tally(recording, word_counts, 0))
    step = len(recording)
    assert_measures_are(
        finish(measures_along(recording, tally, [step]))[0], recounted(recording, word_counts, step, 2.5)
    )


def test_measures_of_a_small_text(low_low_lot):
    measures = finish(held_out(low_low_lot, "low  to\n?lo low", 2, alpha=1))  # low, t o, ? lo, low
    assert (measures.word_count, measures.byte_count, measures.token_count) == (4, 11, 6)
    assert measures.fertility == 1.5
    assert measures.whole_word_share == 0.5
    assert measures.unknown_rate == pytest.approx(0.166666667)
    assert measures.compression_ratio == pytest.approx(4.888888889)  # 88 bits of text, 6 ids of 3 bits
    # of l o t w lo low occur o t lo once and low twice; the unknown token is one more in the entropy, log2 6 - 1/3
    assert measures.spread == Spread(6, 4, 3, pytest.approx(2.251629167), alpha=1)


def test_a_curve_over_a_small_text(low_low_lot):
    along = finish(held_out_along(low_low_lot, "low to?", [0, 1, 2, 3]))
    assert [at.token_count for at in along] == [6, 5, 4, 4]
    assert [at.whole_words for at in along] == [0, 0, 1, 1]


def test_the_text_goes_through_the_pipeline():
    pipeline = Pipeline(Normalizer.named("lowercase"), PRE_TOKENIZERS["whitespace"])
    recording = record("low low lot", CHARACTERS, pipeline)
    measures = finish(held_out(recording, "LOW\tLot", 3))
    assert (measures.word_count, measures.token_count, measures.byte_count) == (2, 2, 6)


def test_special_tokens_in_the_text_are_text():
    config = TrainerConfig(Base.CHARACTERS, special_tokens=("<s>",))
    measures = finish(held_out(record("<s>", config, WHITESPACE), "<s>", 0))
    assert measures.token_count == 3
    assert measures.spread == Spread(3, 3, 3, pytest.approx(1.584962501))


def test_an_empty_text_has_no_measures(low_low_lot):
    measures = finish(held_out(low_low_lot, " \n", 1))
    assert (measures.token_count, measures.fertility, measures.never_share) == (0, None, None)
    assert finish(held_out_along(low_low_lot, "low", [])) == []


def test_a_token_made_by_two_merges_needs_the_step_asked_for():
    """b c, then a bc or ab c make abc."""
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, {i: Token(bytes([97 + i])) for i in range(3)})
    recording = Recording(alphabet, pipeline=WHITESPACE)
    recording.extend([Merge(0, 1, 2, 3), Merge(1, 0, 3, 4), Merge(2, 0, 1, 5), Merge(3, 5, 2, 4)])
    assert not recording.is_monotone
    before = finish(held_out(recording, "abc ab abc", 1))
    after = finish(held_out(recording, "abc ab abc", 4))
    assert (before.token_count, before.whole_words, before.vocab_size) == (6, 0, 4)
    assert (after.token_count, after.whole_words, after.vocab_size) == (3, 3, 6)
    assert after.spread == Spread(6, 2, 1, pytest.approx(0.818377, abs=1e-6))
    assert finish(held_out_along(recording, "abc ab abc", [4, 1])) == [before, after]
    tally = finish(held_out_tally(recording, {"abc": 2, "ab": 1}, 4))
    assert occurrences(recording, tally, 4) == {4: 2, 5: 1}


def test_merges_made_meanwhile_change_nothing(low_low_lot):
    growing = Recording(low_low_lot.alphabet, CHARACTERS, WHITESPACE)
    growing.append(low_low_lot[0])
    words = {"lot" * 2_000: 1, "low": 1, "lo": 1}
    tallying = held_out_tally(growing, words, 1)
    next(tallying)
    growing.append(low_low_lot[1])
    tally = finish(tallying)
    assert (tally.last_step, tally.applied) == (1, [2_002])
    assert finish(measures_along(growing, tally, [1]))[0].token_count == 4_003


def test_a_long_text_says_how_far_it_is(low_low_lot):
    words = {f"{'lot' * 1_000}{i}": 1 for i in range(6)}
    progress = list(held_out_tally(low_low_lot, words, 0))
    assert progress == [(2, 6), (4, 6), (6, 6)]
    text = "low " * 10_000
    assert list(held_out(low_low_lot, text, 0)) == [(16_383, 40_000), (32_767, 40_000), (39_999, 40_000)]


def test_an_impossible_order_is_refused(low_low_lot):
    with pytest.raises(ConfigError, match="α"):
        finish(held_out(low_low_lot, "low", 0, alpha=-1))


def test_words_are_counted_as_in_training():
    assert count("low low lot", WHITESPACE) == {"low": 2, "lot": 1}


def test_an_encoded_text_has_the_measures_of_every_step(low_low_lot):
    found = finish(encoded(low_low_lot, {"lot": 2, "old": 1}, 1, alpha=2))
    assert found.steps == range(4)
    assert [found.at(step) for step in range(4)] == finish(held_out_along(low_low_lot, "lot lot old", range(4), 2))
    assert found.at(4) is None
    assert found.at(-1) is None


def test_an_encoded_text_takes_another_order_of_the_entropy(low_low_lot):
    found = finish(encoded(low_low_lot, {"lot": 2, "old": 1}, 1, alpha=2))
    assert finish(found.with_alpha(1)).at(3) == finish(held_out(low_low_lot, "lot lot old", 3, 1))


def test_merges_out_of_order_are_encoded_for_one_step():
    """bc, abc, ab, and abc once more: from the fourth on it is made of ab and c."""
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, {i: Token(bytes([97 + i])) for i in range(3)})
    recording = Recording(alphabet, pipeline=WHITESPACE)
    recording.extend([Merge(0, 1, 2, 3), Merge(1, 0, 3, 4), Merge(2, 0, 1, 5), Merge(3, 5, 2, 4)])
    found = finish(encoded(recording, {"abc": 2, "ab": 1}, 1))
    assert found.at(1) == finish(held_out(recording, "abc ab abc", 1))
    assert found.at(1).token_count == 6
    assert (found.at(0), found.at(4)) == (None, None)
    assert finish(encoded(recording, {"abc": 2, "ab": 1}, 4)).at(4) == finish(held_out(recording, "abc ab abc", 4))
