"""Where two encoders part, and the sentence that says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Base, Unknown
from core.encode_compare import Difference, compare
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.trainer import Score, TrainerConfig
from core.word_steps import WordSteps
from tests.core.runs import record_words
from tests.core.schemes import listed, rule_lists, rule_words, steps, trained, words

ENCODERS = st.sampled_from(Encoder)


def lowest(**options):
    """Merges: es, lo, low, est, rest, er, lower, lowest."""
    counts = {"es": 9, "rest": 5, "low": 6, "lower": 4, "lowest": 1}
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    return record_words(counts, TrainerConfig(Base.CHARACTERS, **options), pipeline=pipeline)


def compared(recording, word, first, second=Encoder.MERGE_RANK, step=None, dropout=None):
    step = len(recording) if step is None else step
    return compare(
        WordSteps(recording, word, step, encoder=first),
        WordSteps(recording, word, step, encoder=second, dropout=dropout),
    )


def test_the_same_result_is_no_difference():
    assert compared(lowest(), "lowest", Encoder.LONGEST_MATCH) is None
    assert compared(lowest(), "", Encoder.LONGEST_MATCH) is None


def test_a_merge_across_the_border_of_the_longest_match():
    assert compared(lowest(), "lowerest", Encoder.LONGEST_MATCH) == Difference(
        0,
        8,
        (0, 4),
        "Longest match takes ‘lower’ at once. Merge rank never makes it here, because a merge across its border comes "
        "first: rank 4: r + est → rest.",
    )


def test_the_two_may_be_given_in_either_order():
    one, other = (
        compared(lowest(), "lowerest", *pair)
        for pair in ((Encoder.MERGE_RANK, Encoder.LONGEST_MATCH), (Encoder.LONGEST_MATCH, Encoder.MERGE_RANK))
    )

    assert (one.message, one.rows) == (other.message, other.rows[::-1])


def test_all_places_at_once_takes_what_one_at_a_time_needs():
    difference = compared(listed([("ab", "a"), ("a", "b")]), "ababx", Encoder.MERGE_RANK, Encoder.ALL_AT_ONCE)

    assert (difference.start, difference.end, difference.rows) == (0, 4, (1, 1))
    assert difference.message == (
        "Merge rank makes ‘aba’ (rank 0: ab + a → aba). All places at once never makes it here, because a merge across "
        "its border comes first: rank 1: a + b → ab."
    )


def test_a_rule_that_had_its_turn():
    assert compared(listed([("ab", "c"), ("a", "b")]), "abc", Encoder.LIST_ORDER).message == (
        "Merge rank makes ‘abc’ (rank 0: ab + c → abc). List order stops at ‘ab’ and ‘c’: rank 0, which would join "
        "them, had its turn before they stood there."
    )


def test_neighbours_that_no_merge_joins():
    assert compared(listed([("ab", "c"), ("b", "c"), ("a", "b")]), "abc", Encoder.TOKEN_RANK).message == (
        "Token rank makes ‘abc’ (rank 0: a + bc → abc). Merge rank stops at ‘a’ and ‘bc’: no merge joins these two."
    )


def test_neighbours_that_spell_no_token():
    assert compared(listed([("bc", "a")]), "abca", Encoder.LONGEST_MATCH, Encoder.TOKEN_RANK) == Difference(
        1,
        4,
        (1, 0),
        "Longest match takes ‘bca’ at once. Token rank stops at ‘b’ and ‘c’: they spell no token made up to this step.",
    )


def test_a_word_that_wordpiece_knows_nothing_of():
    recording = lowest(score=Score.WORDPIECE, special_tokens=("?",), unknown_token="?", unknown=Unknown.TOKEN)

    assert compared(recording, "low!", Encoder.LONGEST_MATCH).message == (
        "Longest match makes the whole word unknown, because one of its characters is in no token. Merge rank keeps "
        "the tokens that it knows."
    )


@pytest.mark.parametrize(
    ("seed", "row", "message"),
    [
        (0, 0, "left out rank 0: e + s → es on the way."),
        (1, 1, "left out rank 1: l + o → lo on the way."),
        (4, 0, "stops at ‘l’ and ‘o’: dropout left out the merge that joins them."),
    ],
)
def test_what_dropout_left_out(seed, row, message):
    difference = compared(lowest(), "lowest", Encoder.MERGE_RANK, dropout=Dropout(0.4, seed))

    assert (difference.start, difference.end, difference.rows) == (0, 6, (4, row))
    assert difference.message == (
        f"Merge rank makes ‘lowest’ (rank 7: low + est → lowest). Merge rank with dropout {message}"
    )


@given(trained() | rule_lists.map(listed), words | rule_words, steps, ENCODERS, ENCODERS)
def test_there_is_a_difference_just_where_the_results_differ(recording, word, step, first, second):
    step = min(step, len(recording))
    one, other = (WordSteps(recording, word, step, encoder=encoder) for encoder in (first, second))
    difference = compare(one, other)

    assert (difference is None) == (one.result == other.result)
    if difference:
        cut = [
            [piece for piece in steps.result if difference.start <= piece.start < difference.end]
            for steps in (one, other)
        ]
        assert cut[0] != cut[1]
        assert all(pieces[0].start == difference.start and pieces[-1].end == difference.end for pieces in cut)
        before = [[piece for piece in steps.result if piece.end <= difference.start] for steps in (one, other)]
        assert before[0] == before[1]
        assert difference.message.count(". ") == 1
        for row, steps in zip(difference.rows, (one, other), strict=True):
            assert row is None or 0 <= row < steps.row_count
