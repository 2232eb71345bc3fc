"""`bpe what-if`: where two rules part."""

from tests.core.cli.commands import bpe, output


def test_two_tie_rules(four):
    said = output("what-if", four, "--preset", "textbook", "--against", "ids")
    assert said.splitlines() == [
        "Both rules make the same 1 merge. They part at step 2:",
        "",
        "first in the text: takes es + t, 9 times. es + t stands earlier in the corpus than t + </w>.",
        "    Tied, in its order: es + t (9), t + </w> (9).",
        "",
        "smallest ids: takes t + </w>, 9 times. On the left, id 8 is smaller than id 11.",
        "    Tied, in its order: t + </w> (9), es + t (9).",
    ]


def test_two_scores(four):
    said = output("what-if", four, "--preset", "wordpiece", "--against", "frequency")
    assert said.startswith("The two rules part at step 1:")


def test_rules_that_agree(four):
    said = output("what-if", four, "--merges", 2, "--against", "first-seen")
    assert said == "Both rules make the same 2 merges. Then training ends: the number of merges was reached.\n"


def test_the_same_rule_twice(four):
    assert bpe("what-if", four, "--against", "ids").err.splitlines() == [
        "bpe: error: --against ids: that is the rule itself; choose another one.",
        "Try: bpe what-if --help",
    ]
