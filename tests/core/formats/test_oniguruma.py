"""Patterns as Oniguruma reads them: rewritten, they cut as Hugging Face's Split does, or are refused by name."""

import pytest
import regex
from hypothesis import given, settings

from core.errors import FormatError
from core.formats.oniguruma import from_oniguruma
from tests.core.formats.test_formats_patterns import HARD, oniguruma

KIMI = r"[\p{Han}]+|[\p{L}\p{M}&&[^\p{Han}]]+|[\w&&[1-9a]]| ?[^\s\p{L}\p{N}]+|\s+"
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"


@pytest.mark.parametrize("pattern", [BLOOM, KIMI, "[a[b-d[.]]z]+", r"[a-c[\p{L}]-]+|[\d[&]]", r"[\w&]+|[^\s\w]+"])
def test_sets_hold_what_they_hold_for_hugging_face(pattern):
    library = oniguruma(pattern)

    @settings(max_examples=100)
    @given(HARD)
    def cuts(text):
        assert [match[0] for match in regex.finditer(from_oniguruma(pattern), text)] == library(text)

    cuts()


def test_a_set_inside_a_set_is_part_of_it():
    assert regex.findall(from_oniguruma(BLOOM), "Well (now), 中文。|ok") == ["Well", "now", " 中文", "ok"]


def test_fractions_are_word_characters_outside_of_sets_only():
    assert regex.findall(from_oniguruma(r"\w+|[\w]+"), "a²b") == ["a²b"]
    assert regex.findall(from_oniguruma(r"[\w]+"), "a²b") == ["a", "b"]


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("[a[^b]]", "a negated set inside a set"),
        ("[^a&&[b]]", "a set of what two sets share"),
        ("(?i)[a-z&&[^b]]", "a set of what two sets share"),
        ("(?i)[a[b]]", "a set inside a set where case is ignored"),
        ("[[:alpha:]]", "a class by its POSIX name"),
    ],
)
def test_other_sets_are_refused(pattern, what):
    with pytest.raises(FormatError, match=what):
        from_oniguruma(pattern)
