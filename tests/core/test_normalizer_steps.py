import json
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings

from core.alignment import Alignment
from core.errors import ConfigError, PatternError
from core.normalizer_steps import (
    WHITE_SPACE,
    CollapseWhitespace,
    Lowercase,
    Metaspace,
    Numbers,
    PrependMetaspace,
    Replace,
    Strip,
    StripAccents,
    lines,
    placed_lines,
)
from tests.core import hard_texts
from tests.core.hard_texts import any_text, hard_text

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
DIGITS = Replace(((r"\d+", "9"), ("9 9", "99")))


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        (Lowercase(), "ΟΔΟΣ Σ", "οδοσ σ"),  # no final sigma, as Hugging Face
        (Lowercase(), "İI", "i\u0307i"),
        (Lowercase(), "ẞß", "ßß"),
        (StripAccents(), "cafe\u0301 café", "cafe café"),
        (StripAccents(), "हि\u0947 a\u20dd", "ह a"),  # spacing and enclosing marks too
        (Strip(), "  a b\t\n\u3000c \r\n \n\r d", "a b\nc\r\n\n\rd"),
        (Strip(), "\u00a0\u2028\x85", ""),
        (Strip(), " \x1c a \x1f ", "\x1c a \x1f"),  # str.strip() would take these too
        (CollapseWhitespace(), "  a \t b\u3000\u00a0c  \n\n  d \r\n", " a b c \n\n d \r\n"),
        (CollapseWhitespace(), "a\u2028b\x85\vc\rd", "a b c\rd"),
        (Numbers(), "a1 2.50 ½² ٣٤ 一", "a<num> <num>.<num> <num> <num> 一"),
        (Numbers("0"), "123", "0"),
        (DIGITS, "12 345 6\n7 8", "99 9\n99"),
        (Replace((("(a)(b)", r"\2\1$1"),)), "abc", r"\2\1$1c"),  # the new text is no template
        (Replace((("^x", "y"), (r"$", "no"))[:1]), "xx\nxx", "yx\nyx"),  # every line is a text of its own
        (Replace(((r"(?<=a)b", "c"), (r"\n", " "))), "ab\nb", "ac b"),
        (Replace(((r"[\s\S]+", "x"),)), "a\nb\n\nc", "xxxx"),
        (Metaspace(), "a b  c", "▁a▁b▁▁c"),
        (Metaspace(), " a", "▁a"),
        (Metaspace(), "▁a", "▁a"),
        (Metaspace(), "", ""),
        (Metaspace(), "\na\u3000b", "▁\na\u3000b"),
        (Metaspace(at_start=False), "a b", "a▁b"),
        (PrependMetaspace(), " a", "▁▁a"),
        (PrependMetaspace(), "", ""),
        (PrependMetaspace(at_start=False), " a", "▁a"),
    ],
)
def test_expected_text(step, text, expected):
    assert step.normalize(text) == expected
    assert step.align(text).text == expected


@pytest.mark.parametrize(
    ("step", "theirs"), [(Lowercase(), "Lowercase"), (StripAccents(), "StripAccents"), (Strip(), "Strip")]
)
def test_reference_vectors(step, theirs):
    cases = json.loads((VECTORS / "63_hf_normalizers.json").read_text(encoding="utf-8"))["results"][theirs]
    if theirs == "Strip":  # theirs takes line ends at both ends of the text too
        cases = [case for case in cases if not regex.search(r"^\s*[\r\n]|[\r\n]\s*$", case[0])]
    assert len(cases) > 10
    assert [step.normalize(text) for text, _ in cases] == [expected for _, expected in cases]


def test_reference_vectors_of_metaspace():
    results = json.loads((VECTORS / "63_hf_normalizers.json").read_text(encoding="utf-8"))["results"]
    for (text, prepended), (_, replaced) in zip(results["Prepend(_)"], results["Replace( ,_)"], strict=True):
        assert PrependMetaspace().normalize(text) == prepended.replace(" ", "▁")
        assert PrependMetaspace(at_start=False).normalize(text) == replaced


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        (Lowercase(), "AİB", Alignment("ai\u0307b", [0, 1, 1, 2], [1, 2, 2, 3])),
        (StripAccents(), "a\u0301\u0327bc\u0301", Alignment("abc", [0, 3, 4], [1, 4, 5])),
        (Strip(), " a \n b", Alignment("a\nb", [1, 3, 5], [2, 4, 6])),
        (CollapseWhitespace(), "a  \tb c", Alignment("a b c", [0, 1, 4, 5, 6], [1, 4, 5, 6, 7])),
        (Numbers("##"), "a12b", Alignment("a##b", [0, 1, 1, 3], [1, 3, 3, 4])),
        (DIGITS, "12 34\n5", Alignment("99\n9", [0, 0, 5, 6], [5, 5, 6, 7])),
        (Replace((("b+", ""),)), "abbc", Alignment("ac", [0, 3], [1, 4])),
        (Metaspace(), "a b", Alignment("▁a▁b", [0, 0, 1, 2], [1, 1, 2, 3])),
        (Metaspace(), " b", Alignment("▁b", range(2), range(1, 3))),
        (PrependMetaspace(), " b", Alignment("▁▁b", [0, 0, 1], [1, 1, 2])),
        (Metaspace(), "", Alignment("", range(0), range(0))),
    ],
)
def test_alignment(step, text, expected):
    assert step.align(text) == expected


@pytest.mark.parametrize("step", [Lowercase(), StripAccents(), Strip(), CollapseWhitespace(), Numbers(), DIGITS])
def test_a_text_that_stays_costs_no_list(step):
    assert step.align("abc de\n") == Alignment("abc de\n", range(7), range(1, 8))


def test_lowercase_is_per_character_for_every_character():
    young = 0
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        lowered = Lowercase().normalize(char)
        if lowered != char.lower():
            assert unicodedata.category(char) == "Cn"
            young += 1
    assert young <= 55


def test_lowercase_knows_capitals_that_python_may_not_know():
    assert (
        Lowercase().normalize("\u1c89\ua7cb\ua7da\ua7dc\U00010d65\U00016eb8")
        == "\u1c8a\u0264\ua7db\u019b\U00010d85\U00016ed3"
    )
    assert Lowercase().align("İ\ua7da").text == "i\u0307\ua7db"


@given(any_text)
def test_lowercase_is_per_character_in_context(text):
    assert Lowercase().normalize(text) == "".join(Lowercase().normalize(char) for char in text)


def test_white_space_is_what_the_patterns_take_for_it():
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert "".join(regex.findall(r"\s", every)) == WHITE_SPACE == hard_texts.WHITE_SPACE


def test_strip_accents_over_all_characters_as_tokenizers():
    normalizers = pytest.importorskip("tokenizers.normalizers", reason="the tokenizers package is not installed")
    theirs = normalizers.StripAccents()
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if 0xD800 <= code < 0xE000 or unicodedata.category(char) == "Cn":
            continue
        if unicodedata.ucd_3_2_0.category(char) != "Cn" and char not in "\u1cf2\u1cf3":  # their table is of Unicode 9
            assert StripAccents().normalize(char) == theirs.normalize_str(char), hex(code)


@settings(max_examples=300)
@given(hard_text)
def test_same_as_tokenizers(text):
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
    from tokenizers import normalizers as theirs

    llama = theirs.Sequence([theirs.Prepend("▁"), theirs.Replace(" ", "▁")])
    marks = [char for char in text if unicodedata.category(char).startswith("M")]
    for step, other in (
        (Lowercase(), theirs.Lowercase()),
        (Numbers(), theirs.Replace(tokenizers.Regex(r"\p{N}+"), "<num>")),
        (CollapseWhitespace(), theirs.Replace(tokenizers.Regex(r"[^\S\r\n]+"), " ")),
        (PrependMetaspace(), llama),
    ):
        assert step.normalize(text) == other.normalize_str(text), step.name
    if all(theirs.StripAccents().normalize_str(mark) == "" for mark in marks):
        assert StripAccents().normalize(text) == theirs.StripAccents().normalize_str(text)
    line = regex.sub(r"[\r\n]", "", text)
    assert Strip().normalize(line) == theirs.Strip().normalize_str(line)
    replacing = theirs.Sequence(
        [theirs.Replace(tokenizers.Regex(r"\s+"), " "), theirs.Replace(tokenizers.Regex("(?i:[aeo])+|▁"), r"\0x")]
    )
    pairs = ((r"\s+", " "), ("(?i:[aeo])+|▁", r"\0x"))
    assert Replace(pairs).normalize(line) == replacing.normalize_str(line)


@settings(max_examples=300)
@given(hard_text)
def test_metaspace_is_as_tokenizers_places_and_all(text):
    theirs = pytest.importorskip("tokenizers.pre_tokenizers", reason="the tokenizers package is not installed")
    aligned = Metaspace().align(text)
    whole = [(aligned.text, (aligned.starts[0], aligned.ends[-1]))] if text else []
    assert whole == theirs.Metaspace(prepend_scheme="always", split=False).pre_tokenize_str(text)
    never = theirs.Metaspace(prepend_scheme="never", split=False).pre_tokenize_str(text)
    assert Metaspace(at_start=False).normalize(text) == "".join(piece for piece, _ in never)


@pytest.mark.parametrize(
    "step", [Lowercase(), StripAccents(), CollapseWhitespace(), Numbers(), Replace((("[aeo ]|1", "xy"),))]
)
@given(text=any_text)
def test_spans_normalize_alone(step, text):
    alignment = step.align(text)
    assert alignment.text == step.normalize(text)
    spans = sorted(set(zip(alignment.starts, alignment.ends, strict=True)))
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    for start, end in spans:
        made = "".join(char for char, at in zip(alignment.text, alignment.starts, strict=True) if at == start)
        assert made == step.normalize(text[start:end])


@given(any_text)
def test_strip_by_its_own_words(text):
    alignment = Strip().align(text)
    kept = "".join(text[start:end] for start, end in zip(alignment.starts, alignment.ends, strict=True))
    expected = "".join(part if part in "\r\n" else part.strip(WHITE_SPACE) for part in regex.split(r"([\r\n])", text))
    assert alignment.text == Strip().normalize(text) == kept == expected


def test_an_empty_number_token_is_refused():
    with pytest.raises(ConfigError, match="The text for numbers is empty; write what takes their place, such as <num>"):
        Numbers("")


def test_no_replacements_are_refused():
    with pytest.raises(ConfigError, match="There is nothing to replace"):
        Replace(())


@pytest.mark.parametrize(
    ("pattern", "position", "message"),
    [
        ("(a", 2, r"^Replacement 2: The pattern cannot be read at character 3: missing \)\.$"),
        ("a*", None, "^Replacement 2: The pattern matches nothing in an empty text, and a match needs at least one"),
        ("(?r)a", None, "^Replacement 2: The pattern reads backwards"),
        ("(?R)", None, "^Replacement 2: The pattern takes too long on"),
    ],
)
def test_patterns_that_cannot_be_used(pattern, position, message):
    with pytest.raises(PatternError, match=message) as caught:
        Replace((("a", "b"), (pattern, "c")))
    assert caught.value.position == position


def test_an_empty_match_that_only_the_text_shows():
    with pytest.raises(PatternError, match=r"^Replacement 1: The pattern matches nothing at character 2 of the line"):
        Replace((("(?=z)|a", "b"),)).normalize("a\naz")


def test_a_pattern_that_explodes_on_the_text(monkeypatch):
    monkeypatch.setattr("core.user_patterns.TIMEOUT_SECONDS", 0.1)
    with pytest.raises(PatternError, match=r"^Replacement 1: The pattern takes too long on the line from character 1"):
        Replace((("(?:a+)+b", "b"),)).align("x\n" + "a" * 5000)


@given(any_text)
def test_lines_end_at_line_feeds_only(text):
    assert "".join(lines(text)) == text
    assert all(line.find("\n") in (-1, len(line) - 1) and line for line in lines(text))
    assert [text[start : start + len(line)] for start, line in placed_lines(text)] == lines(text)
