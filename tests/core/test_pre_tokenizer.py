import json
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import ConfigError, PatternError
from core.pre_tokenizer import BATCH_WORDS, PRE_TOKENIZERS, PreTokenizer, Word, custom, named

PROBES = Path(__file__).parents[1] / "data" / "probes.json"
SHARED = Path(__file__).parents[3] / "shared"  # more of the same data, beside some checkouts
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
WHITE_SPACE += "\u202f\u205f\u3000"

# `regex`, tokenizers and tiktoken know different Unicode versions and agree on what this Python has assigned
assigned = st.characters(exclude_categories=["Cn", "Cs", "Co"]).filter(lambda char: unicodedata.category(char) != "Cn")
hard_char = st.one_of(
    st.sampled_from(WHITE_SPACE + "\x1c\x1f'’sStTdDmMlLvVrReE019aé_.,!-²½①٣一中日हि\u0301\u200d\u200c\ufeffſK👩🏽"),
    assigned,
)
hard_text = st.lists(st.one_of(hard_char, st.sampled_from(["\r\n", "\n\n", "  ", "'ll", "'RE"]))).map("".join)

gpt2, cl100k, words, whitespace, lines = (
    PRE_TOKENIZERS[name] for name in ("gpt2", "cl100k", "words", "whitespace", "lines")
)
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
@given(text=st.one_of(hard_text, st.text()))
def test_words_and_gaps_make_up_the_text(pre_tokenizer, text):
    found = list(pre_tokenizer.words(text))
    assert all(text[word.start : word.end] == word.text for word in found)
    spans = sorted([(word.start, word.end) for word in found] + list(pre_tokenizer.gaps(text)))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(not text[start:end].strip(WHITE_SPACE) for start, end in pre_tokenizer.gaps(text))
    if pre_tokenizer.keeps_everything:
        assert "".join(word.text for word in found) == text


def test_which_keep_everything():
    assert [name for name, it in PRE_TOKENIZERS.items() if it.keeps_everything] == [
        *("gpt2", "cl100k", "o200k", "llama3", "qwen2", "metaspace", "none"),
    ]
    assert not custom(r"\S+|\s+ ").keeps_everything


@with_line_starts
@given(text=st.one_of(hard_text, st.text(st.sampled_from("ab1' .\r\n\t\u00a0\u2028"))))
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


@given(hard_text)
def test_same_as_tokenizers(text):
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
    from tokenizers import pre_tokenizers as theirs

    for ours, other in (
        (whitespace, theirs.WhitespaceSplit()),
        (words, theirs.Whitespace()),
        (gpt2, theirs.Split(tokenizers.Regex(gpt2.pattern), "isolated")),
        (cl100k, theirs.Split(tokenizers.Regex(cl100k.pattern), "isolated")),
        (lines, theirs.Split(tokenizers.Regex(lines.pattern), "removed", invert=True)),
    ):
        assert list(ours.words(text)) == [Word(piece, *span) for piece, span in other.pre_tokenize_str(text)]
    byte_level = theirs.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    assert [(word.start, word.end) for word in gpt2.words(text)] == [span for _, span in byte_level]


@given(hard_text)
def test_same_as_tiktoken(text):
    tiktoken = pytest.importorskip("tiktoken", reason="the tiktoken package is not installed")
    ranks = {bytes([byte]): byte for byte in range(256)}
    for ours in (gpt2, cl100k, words, whitespace, lines):
        # a token of its own for each word, so that the cuts show
        pieces = cut(ours, text)
        whole = {piece.encode(): 256 + i for i, piece in enumerate(dict.fromkeys(pieces)) if len(piece.encode()) > 1}
        encoding = tiktoken.Encoding("test", pat_str=ours.pattern, mergeable_ranks=ranks | whole, special_tokens={})
        assert [encoding.decode_single_token_bytes(i).decode() for i in encoding.encode_ordinary(text)] == pieces


@pytest.mark.parametrize(("name", "theirs"), [("gpt2", "gpt2_original"), ("cl100k", "cl100k_original")])
def test_reference_split_patterns(name, theirs):
    cases = _vector("61_split_patterns.json")["patterns"][theirs]["results"]
    assert [cut(PRE_TOKENIZERS[name], case["text"]) for case in cases] == [case["pieces"] for case in cases]


@pytest.mark.parametrize(("name", "theirs"), [("whitespace", "WhitespaceSplit"), ("words", "Whitespace")])
def test_reference_pre_tokenizers(name, theirs):
    for case in _vector("60_hf_pretokenizers.json")["results"][theirs]:
        expected = [Word(piece, start, end) for piece, (start, end) in case["pieces"]]
        assert list(PRE_TOKENIZERS[name].words(case["text"])) == expected


def _vector(name: str):
    return _load(SHARED / "vectors" / "reference" / name)


def _load(path: Path):
    if not path.exists():
        pytest.skip("the larger data set is not beside this checkout")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "theirs"), [("gpt2", "gpt2"), ("cl100k", "cl100k_llama3")])
def test_reference_probes(name, theirs):
    probes = {probe["id"]: probe["text"] for probe in json.loads(PROBES.read_text(encoding="utf-8"))["probes"]}
    expected = _load(SHARED / "data" / "probes" / "expected_pretok.json")["probes"]
    assert {case["id"] for case in expected} <= set(probes)
    for case in expected:
        assert cut(PRE_TOKENIZERS[name], probes[case["id"]]) == case[theirs], case["id"]


def test_batches_are_short():
    batches = list(whitespace.match_batches("ab " * (BATCH_WORDS + 1)))
    assert [len(batch) for batch in batches] == [BATCH_WORDS, 1]


@given(st.text(st.sampled_from("ab1 -\n"), max_size=60))
def test_custom_patterns_are_matched_as_finditer_does(text):
    pattern = r"(?<=b)a|(a)(b)|\d+"  # groups do not count, what stands before does
    assert cut(custom(pattern), text) == [match[0] for match in regex.finditer(pattern, text)]


def test_custom_pattern_over_many_batches():
    text = "ab1" * (2 * BATCH_WORDS)
    assert cut(custom(r"(?<=1|^)a|b"), text) == ["a", "b"] * (2 * BATCH_WORDS)


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
    ],
)
def test_custom_pattern_refused(pattern, position, message):
    with pytest.raises(PatternError, match=message) as caught:
        custom(pattern)
    assert caught.value.position == position


def test_custom_pattern_with_possible_nested_set_is_no_warning():
    assert cut(custom("[[a]"), "a[b") == ["a", "["]


def test_empty_match_that_only_the_text_shows():
    with pytest.raises(PatternError, match="matches nothing at character 3 of the text") as caught:
        list(custom("(?=z)|a").words("aaz"))
    assert caught.value.position == 2


def test_pattern_that_explodes_on_the_text(monkeypatch):
    monkeypatch.setattr("core.user_patterns.TIMEOUT_SECONDS", 0.1)
    text = "x " + "a" * 5000
    with pytest.raises(PatternError, match=r"takes too long on the text from character 2") as caught:
        list(custom("x|(?:a+)+b").words(text))
    assert caught.value.position == 1


@given(st.one_of(st.text(max_size=12), st.text(st.sampled_from(r"ab()[]{}*+?|\^$.-,1:=!<>rpLNwsK"), max_size=12)))
def test_any_pattern_works_or_is_refused(pattern):
    try:
        found = list(custom(pattern).words("a (b)\n1"))
    except PatternError:
        return
    assert all(word.start < word.end for word in found)


def test_named():
    assert named("gpt2") is PRE_TOKENIZERS["gpt2"]
    assert named("gpt2", PRE_TOKENIZERS["gpt2"].pattern) is PRE_TOKENIZERS["gpt2"]
    assert named("custom", "a+") == PreTokenizer("custom", "a+") == custom("a+")
    with pytest.raises(ConfigError, match=r"no pre-tokenizer 'gpt9'\. Known are: gpt2, cl100k"):
        named("gpt9")
    with pytest.raises(ConfigError, match="custom with a pattern"):
        named("custom")
    with pytest.raises(ConfigError, match="needs the name 'custom'"):
        named("gpt2", "a+")


@pytest.mark.parametrize("pre_tokenizer", [*PRE_TOKENIZERS.values(), custom("a")], ids=lambda it: it.name)
def test_everyone_has_words_for_people(pre_tokenizer):
    assert pre_tokenizer.title != pre_tokenizer.name
    assert pre_tokenizer.help.endswith(".")
    assert hash(pre_tokenizer) == hash(PreTokenizer(pre_tokenizer.name, pre_tokenizer.pattern))
