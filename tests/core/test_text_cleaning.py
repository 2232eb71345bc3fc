"""HTML's characters, ftfy and Python's lower case: what the libraries make of a text, and where it came from."""

import html
import importlib.util
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alignment import Alignment
from core.errors import ConfigError
from core.normalizer import Normalizer
from core.normalizer_steps import lines
from core.text_cleaning import MAX_DIFF_CHARS, Ftfy, FtfyText, HtmlUnescape, PythonLowercase
from tests.core.hard_texts import any_text

needs_ftfy = pytest.mark.skipif(importlib.util.find_spec("ftfy") is None, reason="the package ftfy is not installed")
references = st.sampled_from(
    [
        *("&amp;", "&amp", "&AMP", "&notit;", "&Eacute;", "&bne;", "&NewLine;", "&nosuch;", "&", "amp;", "#", ";"),
        *("&#39;", "&#x27", "&#10;", "&#0;", "&#x80;", "&#xD800;", "&#x110000;", "&#11;", "&#", "&#x", "9", "<", " "),
        "&#" + "0" * 50 + "65",
    ]
)
broken = st.sampled_from(
    [
        *("Ã©", "â€™", "Ã\xa0", "ï»¿", "“", "ﬁ", "Ａ", "\u3000", "\x00", "\x1b[31m", "\x85", "\u2028", "\r\n", "\n"),
        *("e\u0301", "\u1100\u1161", "\ud83d", "\ude00", "İ", "Σ", "&rdquo;", "&amp;", "<b>", "a", " "),
    ]
)


def mixed(parts):
    return st.lists(parts | any_text, max_size=8).map("".join)


def assert_places_fit(alignment: Alignment, text: str) -> None:
    spans = list(zip(alignment.starts, alignment.ends, strict=True))
    assert len(spans) == len(alignment.text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one == other or one[1] <= other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "starts", "ends", "expected"),
    [
        ("a&amp;b", [0, 1, 6], [1, 6, 7], "a&b"),
        ("&notit;", [0, 4, 5, 6], [4, 5, 6, 7], "¬it;"),
        ("&#39;x", [0, 5], [5, 6], "'x"),
        ("&#x1;x", [5], [6], "x"),
        ("&bne;", [0, 0], [5, 5], "=\u20e5"),
        ("&nosuch; & &", range(12), range(1, 13), "&nosuch; & &"),
        ("&amp;amp;", [0, 5, 6, 7, 8], [5, 6, 7, 8, 9], "&amp;"),
        ("&#10;", [0], [5], "\n"),
        ("&#" + "9" * 5000 + ";", [0], [5003], "\ufffd"),
        ("&#" + "0" * 5000 + "65;", [0], [5005], "A"),
        ("&#X" + "0" * 5000 + "41", [0], [5005], "A"),
        ("&#" + "0" * 5000, [0], [5002], "\ufffd"),
    ],
)
def test_characters_of_html(text, starts, ends, expected):
    assert HtmlUnescape().normalize(text) == expected
    assert HtmlUnescape().align(text) == Alignment(expected, starts, ends)


@settings(derandomize=True, max_examples=300)
@given(mixed(references))
def test_the_same_as_python_s_html_unescape(text):
    alignment = HtmlUnescape().align(text)
    assert alignment.text == HtmlUnescape().normalize(text) == html.unescape(text)
    assert_places_fit(alignment, text)
    for start, end in set(zip(alignment.starts, alignment.ends, strict=True)):
        made = "".join(char for char, at in zip(alignment.text, alignment.starts, strict=True) if at == start)
        assert made == html.unescape(text[start:end]) or made == text[start:end]


def test_twice_as_clip_does():
    twice = Normalizer.named("html_unescape", "html_unescape")
    assert twice.align("x&amp;lt;") == Alignment("x<", [0, 1], [1, 9])


@needs_ftfy
@pytest.mark.parametrize(
    ("text", "starts", "ends", "expected"),
    [
        ("it’s", [0, 1, 2, 3], [1, 2, 3, 4], "it's"),
        ("ﬁx\x00ＯＫ", [0, 0, 1, 3, 4], [1, 1, 2, 4, 5], "fixOK"),
        ("e\u0301a\r\nb", [0, 2, 3, 5], [2, 3, 5, 6], "éa\nb"),
        ("x\nlÃ©a “b”", [0, 1, 2, 3, 5, 6, 7, 8, 9], [1, 2, 3, 5, 6, 7, 8, 9, 10], 'x\nléa "b"'),
        ("x&quot;Ã©", [0, 1, 1], [1, 9, 9], 'x"é'),
        ("a\r", [0, 1], [1, 2], "a\n"),
        ("", range(0), range(0), ""),
    ],
)
def test_what_ftfy_repairs(text, starts, ends, expected):
    assert Ftfy().normalize(text) == expected
    assert Ftfy().align(text) == Alignment(expected, starts, ends)


@needs_ftfy
def test_a_long_line_of_which_nothing_but_the_ends_is_alike():
    text = "ab" + "Ã©Ã¨" * MAX_DIFF_CHARS + "cd"
    size = 4 * MAX_DIFF_CHARS
    starts = [0, 1, *[2] * (2 * MAX_DIFF_CHARS), size + 2, size + 3]
    ends = [1, 2, *[size + 2] * (2 * MAX_DIFF_CHARS), size + 3, size + 4]
    assert Ftfy().align(text) == Alignment("ab" + "éè" * MAX_DIFF_CHARS + "cd", starts, ends)


@needs_ftfy
def test_a_tag_tells_only_its_line_or_all_that_follows_that_the_text_is_html():
    text = "&rdquo;\n<b>&rdquo;\n&rdquo;\n"
    assert Ftfy().normalize(text) == '"\n<b>&rdquo;\n"\n'
    assert FtfyText().normalize(text) == '"\n<b>&rdquo;\n&rdquo;\n'
    assert FtfyText().align(text).text == FtfyText().normalize(text)
    assert (Ftfy().needs_whole_text, FtfyText().needs_whole_text) == (False, True)


@needs_ftfy
@settings(derandomize=True, max_examples=200, deadline=None)
@given(mixed(broken))
def test_the_same_as_ftfy(text):
    from ftfy import fix_text

    assert FtfyText().normalize(text) == fix_text(text)
    assert Ftfy().normalize(text) == "".join(map(fix_text, lines(text)))
    for step in (Ftfy(), FtfyText()):
        alignment = step.align(text)
        assert alignment.text == step.normalize(text)
        assert_places_fit(alignment, text)


def test_ftfy_without_its_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ftfy", None)
    for kind in (Ftfy, FtfyText):
        with pytest.raises(ConfigError, match=r"needs the Python package ftfy, .*pip install ftfy"):
            kind()
    with pytest.raises(ConfigError, match="needs the Python package ftfy"):
        Normalizer.from_json(["ftfy_text"])


@pytest.mark.parametrize(
    ("text", "starts", "ends", "expected"),
    [
        ("ΟΔΟΣ Σ ΣΑ", range(9), range(1, 10), "οδος σ σα"),
        ("AİΣ", [0, 1, 1, 2], [1, 2, 2, 3], "ai\u0307ς"),
        ("abc", range(3), range(1, 4), "abc"),
    ],
)
def test_lower_case_as_python(text, starts, ends, expected):
    assert PythonLowercase().align(text) == Alignment(expected, starts, ends)


@settings(derandomize=True)
@given(mixed(st.sampled_from(["Σ", "İ", "Α", "\u0301", ".", "ẞ", "a"])))
def test_lower_case_is_str_lower(text):
    alignment = PythonLowercase().align(text)
    assert alignment.text == PythonLowercase().normalize(text) == text.lower()
    assert_places_fit(alignment, text)
    assert text.lower() == "".join(map(str.lower, lines(text)))


@needs_ftfy
@pytest.mark.parametrize("kind", [HtmlUnescape, Ftfy, FtfyText, PythonLowercase])
def test_json_names_the_step(kind):
    normalizer = Normalizer((kind(),))
    assert normalizer.to_json() == [kind.name]
    assert Normalizer.from_json([kind.name]) == normalizer
