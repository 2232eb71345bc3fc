from dataclasses import replace
from itertools import zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Marker
from core.branching import forbidding, pair_label
from core.compare_rules import Agreement, against, describe, first_difference, rule_name, with_rules_of
from core.progress import Progress
from core.trainer import Plan, Score, StopReason, TieBreak, TrainerConfig, build_alphabet
from tests.core.recount import KINDS, PLAIN_CORPORA
from tests.core.runs import counted_trainer, finish, record_words

CHARACTERS = TrainerConfig(base=Base.CHARACTERS)


def compared(words, a, b=None, plan=None, **changes):
    b = b or replace(a, **changes)
    return finish(first_difference(words, a, b, build_alphabet(words, a), plan))


def taken(result):
    return [pair_label(result.before, side.taken.pair) for side in result.sides]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    PLAIN_CORPORA,
    st.sampled_from(KINDS),
    st.sampled_from(TieBreak),
    st.sampled_from(TieBreak),
    st.sampled_from(Score),
    st.sampled_from(Score),
    st.sampled_from([None, 0, 3]),
    st.sampled_from([1, 3]),
)
def test_finds_what_two_whole_runs_show(words, kind, tie_a, tie_b, score_a, score_b, merges, rarest):
    base, marker = kind
    a = TrainerConfig(base=base, marker=marker, tie_break=tie_a, score=score_a, merges=merges, min_frequency=rarest)
    b = replace(a, tie_break=tie_b, score=score_b)
    runs = record_words(words, a), record_words(words, b)
    pairs = zip_longest(*([merge.pair for merge in run] for run in runs))
    rank = next((rank for rank, (one, other) in enumerate(pairs) if one != other), None)
    result = compared(words, a, b)
    if rank is None:
        assert result == Agreement(len(runs[0]), runs[0].stop_reason)
        return
    assert result.rank == rank
    for run, side in zip(runs, result.sides, strict=True):
        if rank == len(run):
            assert (side.taken, side.stop_reason) == (None, run.stop_reason)
            continue
        merge = run[rank]
        assert (side.taken.pair, side.taken.count, side.taken.score) == (merge.pair, merge.count, merge.score)
        assert (side.tied_total, side.stop_reason) == (merge.tied, None)
        plan = Plan(tuple(run)[:rank])
        trainer = counted_trainer(words, run.config, run.alphabet, plan)
        for _ in zip(range(rank), trainer.merges(), strict=False):
            pass
        assert [tied.pair for tied in side.tied] == trainer.tied_pairs(merge.pair)
        assert side.reason.endswith(".")


def test_two_tie_rules_part_at_the_first_tie_they_settle_differently():
    words = {"hug": 3, "pug": 2, "bat": 2}
    result = compared(words, CHARACTERS, tie_break=TieBreak.REVERSE_LEXICOGRAPHIC)
    assert describe(result).splitlines() == [
        "Both rules make the same 2 merges. They part at step 3:",
        "",
        "smallest ids: takes a + t, 2 times. On the left, id 0 is smaller than id 4.",
        "    Tied, in its order: a + t (2), b + a (2), p + ug (2).",
        "",
        "reverse alphabetical: takes p + ug, 2 times. "
        "On the left, “p” comes behind “a” in the order of characters, and the last one is taken.",
        "    Tied, in its order: p + ug (2), b + a (2), a + t (2).",
    ]


@pytest.mark.parametrize(
    ("words", "config", "other", "first", "second"),
    [
        (
            {"ba": 1, "ab": 1},
            CHARACTERS,
            {"tie_break": TieBreak.FIRST_SEEN},
            "On the left, id 0 is smaller than id 1.",
            "b + a stands earlier in the corpus than a + b.",
        ),
        (
            {"ba": 1, "bc": 1},
            CHARACTERS,
            {"tie_break": TieBreak.REVERSE_LEXICOGRAPHIC},
            "On the right, id 0 is smaller than id 2.",
            "On the right, “c” comes behind “a” in the order of characters, and the last one is taken.",
        ),
        (
            {" a": 1, "bc": 1},
            TrainerConfig(),
            {"tie_break": TieBreak.LEXICOGRAPHIC},
            "On the left, id 65 is smaller than id 220.",
            "On the left, “␣” comes before “b” in the order of characters.",
        ),
        (
            {" a": 1, "bc": 1},
            TrainerConfig(tie_break=TieBreak.BYTES),
            {"tie_break": TieBreak.IDS},
            "On the left, byte 20 (␣) comes before byte 62 (b).",
            "On the left, id 65 is smaller than id 220.",
        ),
    ],
)
def test_each_rule_says_why(words, config, other, first, second):
    result = compared(words, config, **other)
    assert [side.reason for side in result.sides] == [first, second]
    assert result.rank == 0


def test_the_shortest_token_is_explained():
    result = compared({"xy": 3, "axy": 2, "bc": 2}, CHARACTERS, tie_break=TieBreak.SHORT_THEN_STRING)
    assert [side.reason for side in result.sides] == [
        "On the left, id 0 is smaller than id 1.",
        "b + c makes a shorter token than a + xy: 2 against 3 characters.",
    ]
    result = compared({"bc": 1, "ax": 1}, replace(CHARACTERS, tie_break=TieBreak.FIRST_SEEN),
                      tie_break=TieBreak.SHORT_THEN_STRING)  # fmt: skip
    assert result.sides[1].reason == (
        "a + x makes a token as long as b + c does, and one earlier in the order of characters."
    )


def test_what_is_the_same_to_a_rule_goes_by_ids():
    config = TrainerConfig(base=Base.CHARACTERS, marker=Marker.SUFFIX, tie_break=TieBreak.FIRST_SEEN)
    result = compared({"ba": 3, "bac": 1, "bad": 2}, config, tie_break=TieBreak.BYTES)
    assert taken(result) == ["b + a</w>", "b + a"]
    assert result.sides[1].reason == "Both pairs are the same to this rule, so the one with the smaller ids is taken."


def test_merged_tokens_come_behind_bytes():
    config = TrainerConfig(tie_break=TieBreak.LEXICOGRAPHIC)
    result = compared({"aab": 2, "aa": 1, "bc": 2}, config, tie_break=TieBreak.BYTES)
    assert taken(result) == ["aa + b", "b + c"]
    assert result.sides[1].reason == "On the left, byte 62 (b) comes before aa with id 256."


def test_two_scores():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    result = compared(words, CHARACTERS, score=Score.WORDPIECE)
    assert describe(result).splitlines() == [
        "The two rules part at step 1:",
        "",
        "most frequent pair, ties: smallest ids: takes u + g, 20 times. g + s stands in the corpus only 5 times.",
        "",
        "WordPiece score, ties: smallest ids: takes g + s, 5 times, score 0.05. "
        "The score of u + g is lower, 0.0278; it stands there 20 times.",
    ]


def test_wordpiece_passes_over_rare_pairs():
    words = {"ab": 1, "cd": 3, "ce": 3}
    result = compared(words, replace(CHARACTERS, min_frequency=2), score=Score.WORDPIECE)
    assert result == Agreement(2, StopReason.MIN_FREQUENCY)


def test_both_rules_may_make_the_same_merges():
    result = compared({"ab": 2, "bc": 1}, CHARACTERS, tie_break=TieBreak.FIRST_SEEN)
    assert result == Agreement(2, StopReason.NO_PAIR)
    assert describe(result) == "Both rules make the same 2 merges. Then training ends: no pair is left."
    assert describe(compared({}, CHARACTERS, tie_break=TieBreak.BYTES)) == (
        "Both rules make no merge. Then training ends: no pair is left."
    )


def test_a_branch_is_compared_as_a_branch():
    words = {"hug": 3, "pug": 2, "bat": 2}
    whole = record_words(words, CHARACTERS)
    beginning = forbidding(whole, 0, words)
    branch = record_words(words, beginning.config, beginning.alphabet, plan=beginning.plan)
    result = finish(against(branch, replace(CHARACTERS, tie_break=TieBreak.REVERSE_LEXICOGRAPHIC), len(branch)))
    assert result.rank == 2
    assert taken(result) == ["a + t", "p + u"]


def test_no_more_merges_are_compared_than_asked_for():
    whole = record_words({"hug": 3, "pug": 2, "bat": 2}, CHARACTERS)
    rules = replace(CHARACTERS, tie_break=TieBreak.REVERSE_LEXICOGRAPHIC)
    assert finish(against(whole, rules, 2)) == Agreement(2, StopReason.MERGES)


def test_progress_counts_merges_and_may_be_left_at_any_time():
    words = {"".join(chr(0x4E00 + n + i) for i in range(6)): n + 1 for n in range(60)}
    work = first_difference(words, CHARACTERS, CHARACTERS, build_alphabet(words, CHARACTERS))
    steps = [step for step in work if step.done]
    assert steps[:2] == [Progress(50, 0), Progress(100, 0)]
    work = first_difference(words, CHARACTERS, CHARACTERS, build_alphabet(words, CHARACTERS))
    next(work)
    work.close()


def test_training_with_the_other_rule_instead():
    words = {"hug": 3, "pug": 2, "bat": 2}
    whole = record_words(words, replace(CHARACTERS, merges=4))
    beginning = with_rules_of(whole, TrainerConfig(tie_break=TieBreak.REVERSE_LEXICOGRAPHIC, merges=99), words)
    assert beginning.about == "With another rule: reverse alphabetical"
    assert beginning.config == replace(CHARACTERS, merges=4, tie_break=TieBreak.REVERSE_LEXICOGRAPHIC)
    assert beginning.alphabet == whole.alphabet


def test_rules_have_names():
    assert rule_name(CHARACTERS) == "smallest ids"
    other = replace(CHARACTERS, score=Score.WORDPIECE, tie_break=TieBreak.FIRST_SEEN)
    assert rule_name(other, CHARACTERS) == "WordPiece score, ties: first in the text"
