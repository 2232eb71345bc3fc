"""The formulas, on numbers small enough for paper, and on values published elsewhere."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ConfigError
from core.measures import (
    MAX_ALPHA,
    MEASURES,
    Measures,
    Spread,
    bits_per_id,
    check_alpha,
    entropy_of_sum,
    entropy_term,
    renyi_entropy,
)

# `low low lot` without a marker after l+o and lo+w: `low low lo t`, of the vocabulary l o t w lo low
LOW_LOW_LOT = Measures(
    step=2,
    vocab_size=6,
    word_count=3,
    byte_count=9,
    character_count=9,
    token_count=4,
    unknown_count=0,
    whole_words=2,
    spread=Spread(type_count=6, used=3, once=2, entropy=1.5, alpha=1),
)
EMPTY = Measures(0, 256, 0, 0, 0, 0, 0, 0, Spread(256, 0, 0, 0.0))


def test_formulas_on_a_small_text():
    assert LOW_LOW_LOT.compression_ratio == 6.0  # 72 bits of text, 4 ids of 3 bits
    assert LOW_LOW_LOT.bytes_per_token == 2.25
    assert LOW_LOW_LOT.characters_per_token == 2.25
    assert LOW_LOW_LOT.fertility == pytest.approx(1.333333333)
    assert LOW_LOW_LOT.whole_word_share == pytest.approx(0.666666667)
    assert LOW_LOW_LOT.used_share == 0.5
    assert LOW_LOW_LOT.once_share == pytest.approx(0.333333333)
    assert LOW_LOW_LOT.never_share == 0.5
    assert LOW_LOW_LOT.unknown_rate == 0.0
    assert LOW_LOW_LOT.renyi_efficiency == pytest.approx(0.580279214)  # 1.5 / log2 6


def test_an_empty_text_has_no_measures_but_its_counts():
    shown = {measure.name: measure.text(EMPTY) for measure in MEASURES}
    assert shown.pop("token_count") == "0"
    assert shown.pop("vocab_size") == "256"
    assert set(shown.values()) == {"–"}


def test_what_needs_the_spread_is_none_without_it():
    sums = Measures(2, 6, 3, 9, 9, 4, 0, 2)
    missing = [measure.name for measure in MEASURES if measure.value(sums) is None]
    assert missing == ["used_share", "once_share", "never_share", "renyi_efficiency"]
    assert missing == [measure.name for measure in MEASURES if measure.needs_spread]


def test_one_token_in_the_vocabulary_still_takes_a_bit():
    only = Measures(0, 1, 1, 4, 4, 4, 0, 0, Spread(1, 1, 0, 0.0))
    assert only.compression_ratio == 8.0
    assert only.renyi_efficiency is None


def test_ids_have_whole_bits():
    assert [bits_per_id(size) for size in (1, 2, 3, 4, 5, 255, 256, 257, 2**40, 2**40 + 1)] == [
        *(1, 1, 2, 2, 3, 8, 8, 9, 40, 41),
    ]


# counts of the tokens in two texts that the authors' tokenization-scorer 1.1.8 is tested with, and its values
PICKED, PICKLED = [3, 2, 1, 1], [3, 3, 2, 2, 1]


@pytest.mark.parametrize(
    ("counts", "alpha", "entropy"),
    [
        (PICKED, 2.5, 1.653012966845049),
        (PICKLED, 2.5, 2.1372977167241545),
        (PICKED, 1, 1.8423709931771088),
        (PICKLED, 1, 2.2312702546075758),
        (PICKED, 0, 2.0),
        (PICKED, 2, 1.7078192),  # -log2 (15 / 49)
        ([7], 2.5, 0.0),
        ([7], 1, 0.0),
        ([0, 7, 0], 0, 0.0),
        ([], 2.5, 0.0),
        ([2**62] * 8, MAX_ALPHA, 3.0),
        ([2**62] * 8, 1, 3.0),
    ],
)
def test_entropies(counts, alpha, entropy):
    assert renyi_entropy(counts, alpha) == pytest.approx(entropy, abs=1e-7)


def test_efficiencies_of_the_scorer():
    """It divides by the number of tokens that occur."""
    picked = Measures(0, 4, 4, 7, 7, 7, 0, 0, Spread(4, 4, 2, renyi_entropy(PICKED)))
    assert picked.renyi_efficiency == pytest.approx(0.8265064834225245, abs=1e-12)
    pickled = Measures(0, 5, 4, 11, 11, 11, 0, 0, Spread(5, 5, 1, renyi_entropy(PICKLED)))
    assert pickled.renyi_efficiency == pytest.approx(0.9204840242168808, abs=1e-12)


@given(st.lists(st.integers(1, 2**40), min_size=1, max_size=30), st.sampled_from([0, 0.5, 1, 1.5, 2, 2.5, 3, 7.25]))
def test_entropy_is_that_of_its_definition(counts, alpha):
    shares = [count / sum(counts) for count in counts]
    if alpha == 1:
        entropy = -math.fsum(share * math.log2(share) for share in shares)
    else:
        entropy = math.log2(math.fsum(share**alpha for share in shares)) / (1 - alpha)
    assert renyi_entropy(counts, alpha) == pytest.approx(entropy, abs=1e-9)
    assert 0 <= renyi_entropy(counts, alpha) <= math.log2(len(counts)) + 1e-9


@given(st.lists(st.integers(0, 2**62), max_size=30), st.sampled_from([0, 1, 2.5, MAX_ALPHA]))
def test_terms_of_the_entropy_are_taken_away_without_a_trace(counts, alpha):
    terms = sum(entropy_term(count, alpha) for count in counts)
    for big in (10**18, 3, 10**17 + 1):
        terms += entropy_term(big, alpha)
    for big in (10**17 + 1, 10**18, 3):
        terms -= entropy_term(big, alpha)
    assert entropy_of_sum(terms, sum(counts), alpha) == renyi_entropy(counts, alpha)


@pytest.mark.parametrize("alpha", [-0.5, 10.5, math.inf, math.nan])
def test_an_order_that_cannot_be_computed_is_refused(alpha):
    with pytest.raises(ConfigError, match="must be from 0 to 10, but is"):
        check_alpha(alpha)


def test_how_values_are_shown():
    shown = {measure.title: measure.text(LOW_LOW_LOT) for measure in MEASURES}
    assert shown == {
        "Tokens": "4",
        "Vocabulary size": "6",
        "Compression ratio": "6.00",
        "Bytes per token": "2.25",
        "Characters per token": "2.25",
        "Fertility": "1.33",
        "Words kept whole": "66.7%",
        "Vocabulary used": "50.0%",
        "Vocabulary used once": "33.3%",
        "Vocabulary never used": "50.0%",
        "Unknown tokens": "0.0%",
        "Rényi efficiency": "0.580",
    }


def test_every_measure_is_named_once_and_explained():
    assert len({measure.name for measure in MEASURES}) == len({measure.title for measure in MEASURES}) == len(MEASURES)
    assert all(measure.help.endswith(".") and measure.unit for measure in MEASURES)


def test_unknown_characters_without_an_id_leave_the_efficiency_at_one():
    spread = Spread(type_count=2, used=2, once=2, entropy=math.log2(3))  # `a b ?`, each once, of the vocabulary a b

    assert Measures(0, 2, 3, 3, 3, 3, 1, 3, spread).renyi_efficiency == pytest.approx(1.0)
