from collections.abc import Iterator
from itertools import pairwise

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import ConfigError, PatternError
from core.pre_tokenizer import (
    BATCH_WORDS,
    DIGITS_HELPS,
    DIGITS_TITLES,
    PRE_TOKENIZERS,
    PUNCTUATION_HELP,
    PUNCTUATION_TITLE,
    Digits,
    PreTokenizer,
    Word,
    custom,
    named,
)
from core.punctuation import PUNCTUATION
from tests.core.hard_texts import WHITE_SPACE, any_text

gpt2, cl100k, o200k, words, whitespace, lines = (
    PRE_TOKENIZERS[name] for name in ("gpt2", "cl100k", "o200k", "words", "whitespace", "lines")
)
MODIFIERS = [(digits, punctuation) for digits in Digits for punctuation in (False, True)][1:]
every_builtin = pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS.values(), ids=PRE_TOKENIZERS)

with_line_starts = pytest.mark.parametrize(
    "pre_tokenizer", [it for it in PRE_TOKENIZERS.values() if it.cuts_at_line_starts], ids=lambda it: it.name
)


def cut(pre_tokenizer: PreTokenizer, text: str) -> list[str]:
    return [word.text for word in pre_tokenizer.words(text)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        (" leading and  double  spaces ", [" leading", " and", " ", " double", " ", " spaces", " "]),
        (
            "don't we'll I'M it’s 'tis",
            ["don", "'t", " we", "'ll", " I", "'", "M", " it", "’", "s", " '", "tis"],
        ),
        ("12 67890 3.14 ²½", ["12", " 67890", " 3", ".", "14", " ²½"]),
        ("line one\r\nline two\r\n\r\n", ["line", " one", "\r", "\n", "line", " two", "\r\n\r\n"]),
        ("a\n\n  b\n\n\nc \n", ["a", "\n\n ", " b", "\n\n", "\n", "c", " \n"]),
        ("10\u00a0000\u3000km\u2028next", ["10", "\u00a0", "000", "\u3000", "km", "\u2028", "next"]),
    ],
)
def test_gpt2(text, pieces):
    assert cut(gpt2, text) == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("don't I'M it’s rock'n'roll", ["don", "'t", " I", "'M", " it", "’s", " rock", "'n", "'roll"]),
        ("1234567 12", ["123", "456", "7", " ", "12"]),
        ("line one\r\nline two\r\n\r\n", ["line", " one", "\r\n", "line", " two", "\r\n\r\n"]),
        ("a\n\n  b\n\n\nc \n", ["a", "\n\n", " ", " b", "\n\n\n", "c", " \n"]),
        ("x\n    \n    ", ["x", "\n    \n", "    "]),
        ("a\n ", ["a", "\n", " "]),  # tiktoken 0.14's own rewrite keeps "\n " together
        ("snake_case /path", ["snake", "_case", " /", "path"]),
        ("x '\u017f K", ["x", " '", "\u017f", " K"]),
    ],
)
def test_cl100k(text, pieces):
    assert cut(cl100k, text) == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("don't I'M THEY'VE camelCase HTTPServer", ["don't", " I'M", " THEY'VE", " camel", "Case", " HTTPServer"]),
        ("1234567 12", ["123", "456", "7", " ", "12"]),
        ("हिन्दी e\u0301t", ["हिन्दी", " e\u0301t"]),
        ("a!\r\n/ b\n\n  c", ["a", "!\r\n/", " b", "\n\n", " ", " c"]),
        ("日本語ABC", ["日本語", "ABC"]),
    ],
)
def test_o200k(text, pieces):
    assert cut(o200k, text) == pieces


def test_llama3_is_cl100k_and_qwen2_takes_digits_one_by_one():
    text = "It's 12,345\r\n\n x"
    assert cut(PRE_TOKENIZERS["llama3"], text) == ["It", "'s", " ", "12", ",", "345", "\r\n\n", " x"]
    assert PRE_TOKENIZERS["llama3"].pattern == cl100k.pattern
    assert cut(PRE_TOKENIZERS["qwen2"], text) == ["It", "'s", " ", "1", "2", ",", "3", "4", "5", "\r\n\n", " x"]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("▁low▁lower", ["▁low", "▁lower"]),
        ("low▁▁lower▁", ["low", "▁", "▁lower", "▁"]),
        ("▁a b\n▁c", ["▁a b\n", "▁c"]),
        ("▁", ["▁"]),
    ],
)
def test_metaspace(text, pieces):
    assert cut(PRE_TOKENIZERS["metaspace"], text) == pieces


def test_metaspaces_in_a_row():
    assert cut(PRE_TOKENIZERS["metaspaces"], "low▁▁lower▁ a") == ["low", "▁▁lower", "▁ a"]
    assert cut(PRE_TOKENIZERS["metaspaces"], "▁▁▁") == ["▁▁▁"]


def test_none_is_one_word():
    assert cut(PRE_TOKENIZERS["none"], "a b\r\n\x00 c") == ["a b\r\n\x00 c"]
    assert cut(PRE_TOKENIZERS["none"], "") == []
    assert list(PRE_TOKENIZERS["none"].words("ab \n" * 500_000)) == [Word("ab \n" * 500_000, 0, 2_000_000)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("isn't slower.", ["isn", "'", "t", "slower", "."]),
        ("नमस्ते, e\u0301t\u200dé", ["नमस्ते", ",", "e\u0301t\u200dé"]),  # marks and joiners stay in the word
        ("snake_case ²½ a-b--c", ["snake_case", "²½", "a", "-", "b", "--", "c"]),
    ],
)
def test_words(text, pieces):
    assert cut(words, text) == pieces


def test_whitespace_is_unicode_white_space_and_nothing_else():
    for char in WHITE_SPACE:
        assert cut(whitespace, f"a{char}b") == ["a", "b"], ascii(char)
    for char in "\x1c\x1d\x1e\x1f\u180e\u200b\ufeff":  # str.split() cuts at the first four
        assert cut(whitespace, f"a{char}b") == [f"a{char}b"], ascii(char)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("one line\r\ntwo\n\n  three", ["one line", "two", "  three"]),
        ("old\rMac\u2028and\x85others\n", ["old\rMac\u2028and\x85others"]),
        ("a\r\r\n\r\n\rb\r", ["a\r", "\rb\r"]),
    ],
)
def test_lines(text, pieces):
    assert cut(lines, text) == pieces


@given(st.text(st.sampled_from("ab \r\n\u2028")))
def test_lines_against_a_plain_split(text):
    *ended, last = text.split("\n")
    expected = [line.removesuffix("\r") for line in ended] + [last]
    assert cut(lines, text) == [line for line in expected if line]


def test_places_of_words_and_gaps():
    assert list(whitespace.words(" ab  c")) == [Word("ab", 1, 3), Word("c", 5, 6)]
    assert list(whitespace.gaps(" ab  c\n")) == [(0, 1), (3, 5), (6, 7)]
    assert list(custom("[a-z]").gaps("ab1-c")) == [(2, 4)]
    assert list(gpt2.gaps("any text at\r\n all ")) == []
    assert list(whitespace.gaps("")) == []


@every_builtin
@given(text=any_text)
def test_words_and_gaps_make_up_the_text(pre_tokenizer, text):
    found = list(pre_tokenizer.words(text))
    assert all(text[word.start : word.end] == word.text for word in found)
    spans = sorted([(word.start, word.end) for word in found] + list(pre_tokenizer.gaps(text)))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(not text[start:end].strip(WHITE_SPACE) for start, end in pre_tokenizer.gaps(text))  # only that
    if pre_tokenizer.keeps_everything:
        assert "".join(word.text for word in found) == text


def test_which_keep_everything():
    assert [name for name, it in PRE_TOKENIZERS.items() if it.keeps_everything] == [
        *("gpt2", "cl100k", "o200k", "llama3", "qwen2", "metaspace", "metaspaces", "none"),
    ]
    assert named("gpt2", digits="single", punctuation=True).keeps_everything
    assert not named("words", digits="single").keeps_everything
    assert not custom(r"\S+|\s+ ").keeps_everything


def test_which_cut_at_line_starts():
    assert [name for name, it in PRE_TOKENIZERS.items() if it.cuts_at_line_starts] == [
        *("gpt2", "cl100k", "llama3", "qwen2", "words", "whitespace", "lines"),
    ]
    assert cut(o200k, "a!\n/b") == ["a", "!\n/", "b"]  # why it is not among them
    assert not custom(r"\S+ ").cuts_at_line_starts
    for digits, punctuation in MODIFIERS:
        assert not named("gpt2", digits=digits, punctuation=punctuation).cuts_at_line_starts


@with_line_starts
@given(text=st.one_of(any_text, st.text(st.sampled_from("ab1' .\r\n\t\u00a0\u2028"))))
@example("a \nb")
@example("a\r\n\r\nb")
def test_cuts_at_line_starts(pre_tokenizer, text):
    assert pre_tokenizer.cuts_at_line_starts
    found = list(pre_tokenizer.words(text))
    cuts = [match.end() for match in regex.finditer(r"\n(?=\S)", text)]
    assert all(not word.start < cut < word.end for word in found for cut in cuts)
    borders = [0, *cuts, len(text)]
    between = [word for start, stop in pairwise(borders) for word in pre_tokenizer.words_between(text, start, stop)]
    assert between == found


def test_splitting_lines_apart_is_not_splitting_the_text():
    assert cut(gpt2, "a \nb") == ["a", " ", "\n", "b"]
    assert cut(gpt2, "a \n") + cut(gpt2, "b") == ["a", " \n", "b"]
    assert [word.text for word in gpt2.words_between("a \nb", 0, 3)] == ["a", " ", "\n"]


def test_batches_are_short():
    batches = list(whitespace.match_batches("ab " * (BATCH_WORDS + 1)))
    assert [len(batch) for batch in batches] == [BATCH_WORDS, 1]


def test_custom_patterns_are_matched_as_finditer_does():
    assert cut(custom(r"(?<=b)a|(a)(b)|\d+"), "ab-aba12") == ["ab", "ab", "a", "12"]  # groups do not count


@pytest.mark.parametrize(
    ("pre_tokenizer", "text", "pieces"),
    [
        (named("gpt2", digits="single"), "in 2024 a", ["in", " ", "2", "0", "2", "4", " a"]),
        (named("gpt2", digits="threes"), "1234567 ²½a", ["123", "456", "7", " ", "²½", "a"]),
        (named("gpt2", punctuation=True), "it's a-b", ["it", "'", "s", " a", "-", "b"]),
        (
            named("words", punctuation=True),
            "a_b -- $1+1 §a",
            [*("a", "_", "b", "-", "-", "$", "1", "+", "1", "§", "a")],
        ),
        (named("whitespace", digits="single", punctuation=True), "a1.5 b", ["a", "1", ".", "5", "b"]),
        (named("lines", digits="threes"), "a b12345\r\n c", ["a b", "123", "45", " c"]),
        (named("none", digits="single"), " a12\n", [" a", "1", "2", "\n"]),
        (named("none", punctuation=True), "a, b。c", ["a", ",", " b", "。", "c"]),
        (named("metaspace", digits="single"), "▁a1▁▁b", ["▁a", "1", "▁", "▁b"]),
        (named("gpt2", digits="single"), "a  1", ["a", "  ", "1"]),  # nothing is seen beyond a piece: no "  " apart
        (named("custom", r"(?<!1)a|(?<=\d)b|1", "single"), "1a1b", ["1", "a", "1"]),
        (named("custom", r"^[a-z]|[A-Z]$", punctuation=True), "ab-cD.E", ["a", "c", "D", "E"]),
    ],
)
def test_digits_and_punctuation_are_cut_first(pre_tokenizer, text, pieces):
    assert cut(pre_tokenizer, text) == pieces
    assert all(text[word.start : word.end] == word.text for word in pre_tokenizer.words(text))


def pieces_by_character(text: str, digits: Digits, punctuation: bool) -> Iterator[tuple[int, int]]:
    """Where the pieces are, one character after the other."""
    start, kind, length = 0, "", 0
    for place, char in enumerate(text):
        is_mark = punctuation and regex.fullmatch(f"[{PUNCTUATION}]", char)
        is_digit = digits is not Digits.TOGETHER and regex.fullmatch(r"\p{N}", char)
        now = "mark" if is_mark else "digit" if is_digit else "other"
        limit = {"mark": 1, "digit": 3 if digits is Digits.THREES else 1, "other": len(text)}[now]
        if place and (now != kind or length == limit):
            yield start, place
            start, length = place, 0
        kind, length = now, length + 1
    if text:
        yield start, len(text)


@pytest.mark.parametrize(
    "pre_tokenizer", [*PRE_TOKENIZERS.values(), custom(r"(?<=a)b|^.|\w+|[.1]$")], ids=lambda it: it.name
)
@settings(max_examples=60)
@given(text=any_text, modifiers=st.sampled_from(MODIFIERS))
def test_every_piece_is_cut_as_a_text_of_its_own(pre_tokenizer, text, modifiers):
    digits, punctuation = modifiers
    pattern = pre_tokenizer.pattern if pre_tokenizer.name == "custom" else None
    modified = named(pre_tokenizer.name, pattern, digits, punctuation)
    expected = [
        Word(word.text, start + word.start, start + word.end)
        for start, end in pieces_by_character(text, digits, punctuation)
        for word in pre_tokenizer.words(text[start:end])
    ]
    assert list(modified.words(text)) == expected


@every_builtin
@given(text=any_text)
def test_batches_of_words_and_of_matches_are_the_same(pre_tokenizer, text):
    found = [word for batch in pre_tokenizer.word_batches(text) for word in batch]
    assert found == list(pre_tokenizer.words(text))
    assert found == [Word(m[0], *m.span()) for batch in pre_tokenizer.match_batches(text) for m in batch]


def test_batches_of_modified_words_are_short():
    for pre_tokenizer in (named("words", digits="single"), named("custom", r"\w", "single")):
        assert [len(batch) for batch in pre_tokenizer.word_batches("a1 " * BATCH_WORDS)] == [BATCH_WORDS] * 2
    assert list(named("none", punctuation=True).word_batches("")) == []


def test_match_batches_are_for_plain_ones():
    with pytest.raises(AssertionError, match="gpt2 cuts with more than its pattern"):
        named("gpt2", punctuation=True).match_batches("a")


def test_which_are_plain():
    assert all(it.is_plain for it in PRE_TOKENIZERS.values())
    assert not any(named("gpt2", None, *modifiers).is_plain for modifiers in MODIFIERS)


def test_errors_of_a_pattern_name_the_place_in_the_whole_text(monkeypatch):
    with pytest.raises(PatternError, match="matches nothing at character 5 of the text") as caught:
        list(named("custom", "(?=z)|a|1", "single").words("a1a1z"))
    assert caught.value.position == 4
    monkeypatch.setattr("core.user_patterns.TIMEOUT_SECONDS", 0.1)
    with pytest.raises(PatternError, match="takes too long on the text from character 3") as caught:
        list(named("custom", "x|(?:a+)+b", punctuation=True).words("x-" + "a" * 5000))
    assert caught.value.position == 2


def test_many_slow_pieces_share_one_allowance(monkeypatch):
    monkeypatch.setattr("core.user_patterns.TIMEOUT_SECONDS", 0.3)
    with pytest.raises(PatternError, match="takes too long"):
        list(named("custom", "(?:a+)+b", punctuation=True).words(("a" * 400 + "-") * 1000))


def test_named():
    assert named("gpt2") is PRE_TOKENIZERS["gpt2"]
    assert named("gpt2", PRE_TOKENIZERS["gpt2"].pattern) is PRE_TOKENIZERS["gpt2"]
    assert named("llama3").name == "llama3"
    assert named("custom", "a+") == PreTokenizer("custom", "a+") == custom("a+")
    assert named("custom", "a+", "threes", True) == PreTokenizer("custom", "a+", Digits.THREES, True)
    assert named("gpt2", digits=Digits.SINGLE) == PreTokenizer("gpt2", gpt2.pattern, Digits.SINGLE)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"name": "gpt9"}, r"no pre-tokenizer 'gpt9'\. Known are: gpt2, cl100k"),
        ({"name": "custom"}, "custom with a pattern"),
        ({"name": "gpt2", "pattern": "a+"}, "needs the name 'custom'"),
        ({"name": "gpt2", "digits": "twos"}, r"^Digits cannot be cut 'twos'\. Known are: together, single, threes\.$"),
    ],
)
def test_wrong_choices(choices, message):
    with pytest.raises(ConfigError, match=message):
        named(**choices)


@pytest.mark.parametrize("pre_tokenizer", [*PRE_TOKENIZERS.values(), custom("a")], ids=lambda it: it.name)
def test_everyone_has_words_for_people(pre_tokenizer):
    assert pre_tokenizer.title != pre_tokenizer.name
    assert pre_tokenizer.help.endswith(".")
    assert hash(pre_tokenizer) == hash(PreTokenizer(pre_tokenizer.name, pre_tokenizer.pattern))


def test_modifiers_have_words_for_people():
    assert DIGITS_TITLES.keys() == DIGITS_HELPS.keys() == set(Digits)
    assert all(text.endswith(".") for text in (*DIGITS_HELPS.values(), PUNCTUATION_HELP))
    assert not any(title.endswith(".") for title in (*DIGITS_TITLES.values(), PUNCTUATION_TITLE))
