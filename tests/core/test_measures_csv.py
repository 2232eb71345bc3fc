import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, Marker, Token
from core.distributions import LengthCount, TokenFrequency, rank_frequency
from core.measures import MEASURES, Measures, Spread
from core.measures_csv import curves_csv, lengths_csv, rank_frequency_csv, scalars_csv
from core.measuring import corpus_tally, measures_along, occurrences
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.runs import finish, record_words


@pytest.fixture
def low_low_lot():
    """Merges: l o 3, lo w 2, lo t 1."""
    return record_words({"low": 2, "lot": 1}, TrainerConfig(Base.CHARACTERS))


def test_scalars():
    measures = Measures(2, 8, 3, 9, 9, 4, 0, 2, Spread(type_count=8, used=4, once=3, entropy=1.5))
    assert "".join(scalars_csv(measures)) == (
        "name,value,unit\n"
        "token_count,4,tokens\n"
        "vocab_size,8,tokens\n"
        "compression_ratio,6.0,UTF-8 bits per id bit\n"
        "bytes_per_token,2.25,bytes\n"
        "characters_per_token,2.25,characters\n"
        "fertility,1.3333333333333333,tokens per word\n"
        "whole_word_share,0.6666666666666666,share of words\n"
        "used_share,0.5,share of vocabulary\n"
        "once_share,0.375,share of vocabulary\n"
        "never_share,0.5,share of vocabulary\n"
        "unknown_rate,0.0,share of tokens\n"
        "renyi_efficiency,0.5,share of log2 of the vocabulary size\n"
    )


def test_curves(low_low_lot):
    along = finish(measures_along(low_low_lot, corpus_tally(low_low_lot), [0, 2]))
    columns = [measure for measure in MEASURES if measure.name in ("token_count", "bytes_per_token")]
    assert list(curves_csv(along, columns)) == ["step,token_count,bytes_per_token\n", "0,9,1.0\n", "2,4,2.25\n"]
    assert next(curves_csv([])) == f"step,{','.join(measure.name for measure in MEASURES)}\n"


def test_numbers_have_neither_exponents_nor_separators_and_no_value_is_an_empty_cell():
    rare = Measures(1_000_000, 2, 0, 10**22, 0, 3 * 10**16, 1, 0, Spread(2, 1, 1, 1e-9))
    columns = [m for m in MEASURES if m.name in ("token_count", "fertility", "unknown_rate", "renyi_efficiency")]
    assert list(curves_csv([rare], columns))[1] == (
        "1000000,30000000000000000,,0.000000000000000033333333333333335,0.000000001\n"
    )


def test_lengths():
    assert "".join(lengths_csv([LengthCount(1, 4, 0), LengthCount(12, 3, 4_000)])) == (
        "length,types,occurrences\n1,4,0\n12,3,4000\n"
    )


def test_tokens_by_frequency(low_low_lot):
    frequencies = rank_frequency(occurrences(low_low_lot, corpus_tally(low_low_lot), 2))
    assert "".join(rank_frequency_csv(low_low_lot, frequencies)) == (
        "rank,occurrences,token_id,token,hex\n1,2,5,low,6c6f77\n2,1,2,t,74\n3,1,4,lo,6c6f\n"
    )


def tokens(*contents):
    return Recording(Alphabet(Base.BYTES, Marker.NONE, dict(enumerate(map(Token, contents)))))


def test_labels_are_quoted_and_harmless():
    recording = tokens(b'"', b",", b"\r\n", b"=", b"\xe4\xb8", b" ")
    lines = list(rank_frequency_csv(recording, [TokenFrequency(i, 1) for i in range(6)]))
    assert lines[1:] == [
        '1,1,0,"""",22\n',
        '2,1,1,",",2c\n',
        "3,1,2,␍⏎,0d0a\n",
        "4,1,3,'=,3d\n",  # no spreadsheet takes it for a formula
        "5,1,4,⟨E4 B8⟩,e4b8\n",
        "6,1,5,␣,20\n",
    ]


@given(st.lists(st.binary(max_size=6), max_size=8))
def test_any_token_is_one_line_that_reads_back(contents):
    recording = tokens(*contents)
    text = "".join(rank_frequency_csv(recording, [TokenFrequency(i, 7) for i in range(len(contents))]))
    assert text.count("\n") == len(contents) + 1
    assert "\r" not in text
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert [bytes.fromhex(row["hex"]) for row in rows] == contents
