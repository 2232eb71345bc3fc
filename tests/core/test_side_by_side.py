"""Two encoders over the same phrase."""

import pytest

from core.alphabet import Base, Marker
from core.encode_steps import Phrase, encode_phrase
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.round_trip import RoundTrip
from core.side_by_side import (
    comparison_title,
    encoder_advice,
    encoder_name,
    side_by_side,
    usual_encoder,
    worst,
)
from core.trainer import Score, TrainerConfig
from tests.core.runs import record_words

COUNTS = {"es": 9, "rest": 5, "low": 6, "lower": 4, "lowest": 1}


@pytest.fixture
def recording() -> Recording:
    """Merges: es, lo, low, est, rest, er, lower, lowest."""
    return record_words(
        COUNTS, TrainerConfig(Base.CHARACTERS), pipeline=Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    )


@pytest.fixture
def wordpiece() -> Recording:
    return record_words(COUNTS, TrainerConfig(Base.CHARACTERS, Marker.CONTINUING, score=Score.WORDPIECE))


def pairs(recording: Recording, text: str):
    first = encode_phrase(recording, text, len(recording))
    return side_by_side(first, encode_phrase(recording, text, len(recording), Encoder.LONGEST_MATCH))


def test_every_word_stands_beside_itself(recording):
    found = pairs(recording, "low lowerest")
    assert [(pair.first.word, pair.second.word) for pair in found] == [("low", "low"), ("lowerest", "lowerest")]
    assert [pair.difference is None for pair in found] == [True, False]
    assert found[1].difference.message.startswith("Longest match takes ‘lower’ at once.")


def test_a_phrase_that_could_not_be_cut_has_no_pairs(recording):
    phrase = encode_phrase(recording, "low", len(recording))
    assert side_by_side(phrase, Phrase(problem="no")) == ()
    assert side_by_side(Phrase(problem="no"), phrase) == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("low", "the same in this word"),
        ("low low", "the same in all 2 words"),
        ("lowerest", "the word differs"),
        ("low lowerest low", "1 of 3 words differs"),
        ("lowerest low lowerest", "2 of 3 words differ"),
    ],
)
def test_how_many_words_differ(recording, text, title):
    assert comparison_title(pairs(recording, text)) == title


def test_encoders_are_named():
    assert encoder_name(Encoder.LONGEST_MATCH) == "Longest match"
    assert encoder_name(Encoder.MERGE_RANK, has_dropout=True) == "Merge rank with dropout"


def test_dropout_is_compared_with_none(recording):
    first = encode_phrase(recording, "lowest", len(recording), dropout=Dropout(1.0))
    (pair,) = side_by_side(first, encode_phrase(recording, "lowest", len(recording)))
    assert len(pair.first.result) == 6
    assert len(pair.second.result) == 1
    assert "dropout" in pair.difference.message


def test_users_of_wordpiece_expect_the_longest_match(recording, wordpiece):
    assert usual_encoder(recording) is Encoder.MERGE_RANK
    assert usual_encoder(wordpiece) is Encoder.LONGEST_MATCH
    assert "BERT" in encoder_advice(wordpiece, Encoder.MERGE_RANK)
    assert encoder_advice(wordpiece, Encoder.LONGEST_MATCH) == ""
    assert encoder_advice(recording, Encoder.TOKEN_RANK) == ""


def test_what_does_not_come_back_is_worst():
    good, bad = RoundTrip(True, "a", None, "yes"), RoundTrip(False, "b", 0, "no")
    assert worst([good, bad]) is bad
    assert worst([good, good]) is good
