import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from core.errors import PatternError
from core.user_patterns import BATCH_MATCHES, Allowance, check, match_batches


def found(pattern: str, text: str) -> list[str]:
    return [match[0] for batch in match_batches(pattern, text) for match in batch]


@pytest.mark.parametrize(
    ("pattern", "position", "message"),
    [
        ("(a", 2, r"cannot be read at character 3: missing \)"),
        ("a|*b", 2, "cannot be read at character 3: nothing to repeat"),
        (r"\p{Foo}", 7, "unknown property"),
        ("a*", None, "matches nothing in an empty text, and a match needs at least one character"),
        (r"\b", None, "matches nothing in 'a'"),
        ("(?=a)", None, "matches nothing in 'a'"),
        ("", None, "matches nothing in an empty text"),
        ("(?r)a", None, "reads backwards"),
        ("(?R)", None, "takes too long"),
        ("(" * 3000 + "a" + ")" * 3000, None, "too many brackets"),
        ("a{99999999}", None, "repeats too much: written out it has more than 100,000 parts"),
        ("a{" + "9" * 5000 + ",}", None, "repeats too much"),
        ("a{1," + "9" * 5000 + "}", None, "a number with too many digits"),
        (r"(?:[a\]b]{1000}|(x\)){50}){100}c", None, "repeats too much"),
    ],
)
def test_refused(pattern, position, message):
    with pytest.raises(PatternError, match=message) as caught:
        check(pattern)
    assert caught.value.position == position


@pytest.mark.parametrize("pattern", ["a{1,99999999}", "(a{300}){300}", "a{300}|b{300}|c{300}", r"\({3}\{99999999\}"])
def test_repeats_that_are_no_trouble(pattern):
    check(pattern)


def test_possible_nested_set_is_no_warning():
    check("[[a]")
    assert found("[[a]", "a[b") == ["a", "["]


@given(st.text(st.sampled_from("ab1 -\n"), max_size=60))
def test_matched_as_finditer_does(text):
    pattern = r"(?<=b)a|(a)(b)|\d+"  # groups do not count, what stands before does
    assert found(pattern, text) == [match[0] for match in regex.finditer(pattern, text)]


def test_many_batches():
    text = "ab1" * (2 * BATCH_MATCHES)
    batches = list(match_batches(r"(?<=1|^)a|b", text))
    assert [len(batch) for batch in batches] == [BATCH_MATCHES] * 4
    assert found(r"(?<=1|^)a|b", text) == ["a", "b"] * (2 * BATCH_MATCHES)


def test_empty_match_that_only_the_text_shows():
    with pytest.raises(PatternError, match="matches nothing at character 3 of the text") as caught:
        found("(?=z)|a", "aaz")
    assert caught.value.position == 2
    with pytest.raises(PatternError, match="matches nothing at character 1,003 of the line") as caught:
        list(match_batches("(?=z)|a", "aaz", "line", offset=1_000))
    assert caught.value.position == 1_002


def test_explodes_on_the_text(monkeypatch):
    monkeypatch.setattr("core.user_patterns.TIMEOUT_SECONDS", 0.1)
    with pytest.raises(PatternError, match=r"takes too long on the text from character 2") as caught:
        found("x|(?:a+)+b", "x " + "a" * 5000)
    assert caught.value.position == 1


def test_an_allowance_is_used_up():
    allowance = Allowance(0.5)
    assert list(match_batches("(?:a+)+b", "a" * 300, allowance=allowance)) == []
    left = allowance.seconds
    assert left < 0.5
    list(match_batches("(?:a+)+b", "a" * 300, allowance=allowance))
    assert allowance.seconds < left
    with pytest.raises(PatternError, match="takes too long"):
        list(match_batches("(?:a+)+b", "a" * 3_000, allowance=Allowance(-1.0)))


@given(st.one_of(st.text(max_size=12), st.text(st.sampled_from(r"ab()[]{}*+?|\^$.-,1:=!<>rpLNwsK"), max_size=12)))
def test_any_pattern_works_or_is_refused(pattern):
    try:
        check(pattern)
        matches = [match for batch in match_batches(pattern, "a (b)\n1") for match in batch]
    except PatternError:
        return
    assert all(match.start() < match.end() for match in matches)
