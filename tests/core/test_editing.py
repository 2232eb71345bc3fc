import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpus import Corpus
from core.editing import (
    MAX_EDITABLE_LINE_CHARS,
    MAX_SHOWN_CHARS,
    MAX_SHOWN_LINE_CHARS,
    MAX_SHOWN_WORDS,
    Excerpt,
    as_shown,
    corpus_excerpt,
    edited,
    edited_name,
    excerpt,
)
from core.word_counts import load_word_counts, write_word_counts


@pytest.fixture
def list_of(tmp_path):
    """Makes the corpus that a file with these words and counts is."""

    def make(counts):
        write_word_counts(tmp_path / "words.txt", counts)
        return load_word_counts(tmp_path / "words.txt")

    return make


def test_a_text_is_shown_as_it_is():
    assert corpus_excerpt(Corpus.typed("low 5\nlower")) == Excerpt("low 5\nlower", True)


def test_a_list_is_shown_with_its_counts(list_of):
    assert corpus_excerpt(list_of({" low": 5, "春眠": 12})) == Excerpt(" low 5\n春眠 12", False)
    assert corpus_excerpt(list_of({"a\nb": 5})) == Excerpt('#word-counts json\n"a\\nb" 5', False)


def test_of_a_long_list_the_beginning_is_shown(list_of):
    many = corpus_excerpt(list_of({f"w{number}": 1 for number in range(10_000)}))
    assert many.remark == "Showing the first 5,000 of 10,000 words."
    assert many.shown.count("\n") == MAX_SHOWN_WORDS - 1
    long = corpus_excerpt(list_of({"a" * 30_000: 1, "b" * 15_000: 1, "c" * 30_000: 1}))
    assert long.remark == "Showing the first 2 of 3 words."
    assert max(map(len, long.shown.split("\n"))) == MAX_SHOWN_LINE_CHARS
    assert long.shown.replace("\n", "") == "a" * 30_000 + " 1" + "b" * 15_000 + " 1"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\nb"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\nb"),
        ("a\r\r\nb", "a\n\nb"),
        ("a\u2029b", "a\nb"),
        ("a\u2028b\0c\u00a0d", "a\u2028b\0c\u00a0d"),
    ],
)
def test_line_ends_are_shown_as_one_kind(text, shown):
    assert as_shown(text) == shown


@pytest.mark.parametrize(
    ("text", "after", "result"),
    [
        ("a\r\nb\rc\u2029d", "a\nb!\nc\nd", "a\r\nb!\rc\u2029d"),
        ("a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
        ("a\rb\r", "a\nb\nc\n", "a\rb\rc\r"),
        ("a\r\nb", "ab", "ab"),
        ("a\r\nb", "", ""),
        ("", "x\ny", "x\ny"),
        ("aaaa", "aaa", "aaa"),
        ("😀\r\n中", "😀\n中文", "😀\r\n中文"),
    ],
)
def test_an_edit_leaves_the_rest_as_it_was(text, after, result):
    assert edited(text, as_shown(text), after) == result


TEXTS = st.text(st.sampled_from("ab\r\n\u2029😀"), max_size=30)


@given(TEXTS, TEXTS)
def test_the_edited_text_is_shown_as_what_was_typed(text, after):
    after = as_shown(after)
    assert as_shown(edited(text, as_shown(text), after)) == after


@given(TEXTS)
def test_no_edit_changes_nothing(text):
    assert edited(text, as_shown(text), as_shown(text)) == text


def test_a_short_text_is_shown_whole():
    part = excerpt("low\nlower\n")
    assert (part.shown, part.editable, part.remark) == ("low\nlower\n", True, "")


def test_other_line_ends_are_mentioned():
    assert excerpt("a\r\nb\r\nc\rd").remark == "Line ends are kept as they are: 2 CR LF, 1 CR."


def test_the_beginning_of_a_large_text():
    part = excerpt("1234567\n" * 100_000)
    assert part.shown == ("1234567\n" * 100_000)[:MAX_SHOWN_CHARS]
    assert not part.editable
    assert part.remark.startswith("Showing the first 50,000 of 800,000 characters. All of it is used for training")


def test_a_long_line_is_broken_and_cannot_be_edited():
    part = excerpt("x" * (MAX_EDITABLE_LINE_CHARS + 1))
    assert not part.editable
    assert max(map(len, part.shown.split("\n"))) == MAX_SHOWN_LINE_CHARS
    assert part.shown.replace("\n", "") == "x" * (MAX_EDITABLE_LINE_CHARS + 1)
    assert part.remark == (
        "Showing all, with long lines broken. All of it is used for training; a line of 20,001 characters is too long "
        "to edit here."
    )


def test_a_large_text_with_long_lines_says_both():
    remark = excerpt("x" * 300_000).remark
    assert remark.startswith("Showing the first 50,000 of 300,000 characters, with long lines broken. All of it")


@pytest.mark.parametrize(
    ("name", "was_empty", "new"),
    [
        ("alice.txt", False, "alice.txt (edited)"),
        ("alice.txt (edited)", False, "alice.txt (edited)"),
        ("pasted text", True, "typed text"),
        ("typed text", False, "typed text"),
        ("your text", False, "your text"),
    ],
)
def test_edited_name(name, was_empty, new):
    assert edited_name(name, was_empty) == new
