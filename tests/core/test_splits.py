"""Several patterns one after the other cut as Split and Sequence of Hugging Face's tokenizers do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from core.errors import ConfigError, PatternError
from core.pre_tokenizer import by_splits
from core.splits import Behavior, Split

PATTERNS = (r"\d", r"\s+", "a|b", r"\p{N}{1,3}", "[一-龥]+", r"\p{L}+|\p{N}+")
NAMES = {behavior: behavior.name.lower() for behavior in Behavior}
SPLITS = st.builds(Split, st.sampled_from(PATTERNS), st.sampled_from(Behavior), st.booleans())


def theirs(splits, text):
    steps = [pre_tokenizers.Split(Regex(s.pattern), NAMES[s.behavior], s.invert) for s in splits]
    return [(word, *span) for word, span in pre_tokenizers.Sequence(steps).pre_tokenize_str(text)]


def ours(splits, text):
    return [tuple(word) for word in by_splits(splits).words(text)]


@settings(derandomize=True, max_examples=400)
@given(st.lists(SPLITS, min_size=1, max_size=3), st.text("ab1 2\n中x é", max_size=12))
def test_the_same_as_the_library(splits, text):
    assert ours(splits, text) == theirs(splits, text)


def test_each_pattern_sees_its_piece_alone():
    splits = [Split("b"), Split("(?<=b)c")]
    assert [word for word, _, _ in ours(splits, "abc")] == ["a", "b", "c"]
    assert [word for word, _, _ in ours([Split("(?<=b)c")], "abc")] == ["ab", "c"]


def test_what_is_kept():
    assert by_splits([Split("a"), Split("b", Behavior.CONTIGUOUS)]).keeps_everything
    assert not by_splits([Split("a"), Split("b", Behavior.REMOVED)]).keeps_everything


def test_as_json_and_back():
    split = Split(r"\s", Behavior.MERGED_WITH_NEXT, invert=True)
    assert Split.from_json(split.to_json()) == split


@pytest.mark.parametrize(
    "value", [None, [], {}, {"pattern": "a", "behavior": "Gone", "invert": False}, {"pattern": "a", "behavior": 3}]
)
def test_not_a_split(value):
    with pytest.raises(ConfigError, match="A split should have a pattern, a behavior and invert"):
        Split.from_json(value)


def test_a_pattern_that_cannot_be_read():
    with pytest.raises(PatternError, match="The pattern cannot be read"):
        by_splits([Split("a"), Split("(")])


@settings(derandomize=True, max_examples=100)
@given(st.text("abc", max_size=8), st.sampled_from(Behavior), st.booleans())
def test_matches_of_nothing_are_as_in_the_library(text, behavior, invert):
    splits = [Split("b*", behavior, invert)]
    assert ours(splits, text) == theirs(splits, text)
