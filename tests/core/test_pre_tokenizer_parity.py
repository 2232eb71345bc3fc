"""The same words as tokenizers and tiktoken, by what they answered and, where they are installed, by asking them."""

import json
import sys
import unicodedata
from functools import cache
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from core.normalizer import Normalizer
from core.pre_tokenizer import PRE_TOKENIZERS, Digits, PreTokenizer, Word, custom, named
from tests.core.hard_texts import hard_text

DATA = Path(__file__).parents[1] / "data"
SPLIT = ["gpt2", "cl100k", "o200k", "llama3", "qwen2"]


def cut(pre_tokenizer: PreTokenizer, text: str) -> list[str]:
    return [word.text for word in pre_tokenizer.words(text)]


@cache
def vector(name: str):
    return json.loads((DATA / "vectors" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (named("whitespace"), "WhitespaceSplit"),
        (named("words"), "Whitespace"),
        (named("none", punctuation=True), "Punctuation(isolated)"),
        (named("none", digits="single"), "Digits(True)"),
        (named("words", digits="single"), "Sequence[Whitespace,Digits(True)]"),
        (named("whitespace", punctuation=True), "BertPreTokenizer"),
        (custom(r"\p{N}+|\P{N}+"), "Digits(False)"),
        (custom("[^_]+"), "CharDelimiterSplit(_)"),
        (custom("[^-]+"), "Split('-',removed)"),
        (custom("-|[^-]+"), "Split('-',isolated)"),
        (custom("-+|[^-]+"), "Split('-',contiguous)"),
        (custom("[^-]*-|[^-]+"), "Split('-',merged_with_previous)"),
        (custom("-?[^-]+|-"), "Split('-',merged_with_next)"),
    ],
)
def test_vectors_of_tokenizers(ours, theirs):
    cases = vector("60_hf_pretokenizers")["results"][theirs]
    assert len(cases) == 34
    for case in cases:
        assert list(ours.words(case["text"])) == [Word(piece, *span) for piece, span in case["pieces"]]


@pytest.mark.parametrize(
    ("name", "theirs"), [("gpt2", "ByteLevel(add_prefix_space=False)"), ("none", "ByteLevel(False,use_regex=False)")]
)
def test_vectors_of_byte_level(name, theirs):
    for case in vector("60_hf_pretokenizers")["results"][theirs]:
        spans = [(word.start, word.end) for word in named(name).words(case["text"])]
        assert spans == [tuple(span) for _, span in case["pieces"]]


@pytest.mark.parametrize(
    ("ours", "theirs"), [("metaspace", "Metaspace(always,split)"), ("none", "Metaspace(always,no split)")]
)
def test_vectors_of_metaspace(ours, theirs):
    for case in vector("60_hf_pretokenizers")["results"][theirs]:
        assert metaspace_words(ours, case["text"]) == [(piece, tuple(span)) for piece, span in case["pieces"]]


def metaspace_words(name: str, text: str) -> list[tuple[str, tuple[int, int]]]:
    """Words behind the normalizer metaspace, with their places in the text as it was."""
    aligned = Normalizer.named("metaspace").align(text)
    words = named(name).words(aligned.text)
    return [(word.text, (aligned.starts[word.start], aligned.ends[word.end - 1])) for word in words]


@pytest.mark.parametrize(
    ("name", "theirs", "ends_apart"),
    [
        ("gpt2", "gpt2_original", []),
        ("gpt2", "r50k_tiktoken_0.14", []),
        ("cl100k", "cl100k_original", []),
        ("cl100k", "cl100k_rustbpe", []),
        # tiktoken's own rewrite keeps white space at the end of the text together
        ("cl100k", "cl100k_tiktoken_0.14", ["a\n ", "a\n\n  ", "x\n    \n    "]),
        ("o200k", "o200k", []),
    ],
)
def test_vectors_of_tiktoken(name, theirs, ends_apart):
    results = vector("61_split_patterns")["patterns"][theirs]["results"]
    others = [case for case in results if cut(PRE_TOKENIZERS[name], case["text"]) != case["pieces"]]
    assert [case["text"] for case in others] == ends_apart
    for case in others:
        *before, first, second = cut(PRE_TOKENIZERS[name], case["text"])
        assert case["pieces"] == [*before, first + second]


@pytest.mark.parametrize("name", ["gpt2_original", "cl100k_original", "o200k"])
def test_the_patterns_are_those_of_the_vectors(name):
    theirs = vector("61_split_patterns")["patterns"][name]["pattern"]
    ours = PRE_TOKENIZERS[name.removesuffix("_original")].pattern
    assert ours == theirs.replace(r"[\p{L}]", r"\p{L}").replace(r"[\p{N}]", r"\p{N}")


@pytest.mark.parametrize(
    ("name", "theirs"), [("gpt2", "gpt2"), ("llama3", "cl100k_llama3"), ("o200k", "o200k"), ("qwen2", "qwen")]
)
def test_probes(name, theirs):
    probes = {
        probe["id"]: probe["text"] for probe in json.loads((DATA / "probes.json").read_text(encoding="utf-8"))["probes"]
    }
    expected = json.loads((DATA / "expected_pretok.json").read_text(encoding="utf-8"))
    assert expected["patterns"][theirs] == [PRE_TOKENIZERS[name].pattern]
    assert len(expected["probes"]) == 64
    for case in expected["probes"]:
        assert cut(PRE_TOKENIZERS[name], probes[case["id"]]) == case[theirs], case["id"]


@pytest.mark.parametrize(
    ("pattern", "theirs"),
    [
        (r"\w", "Whitespace_word"),
        (r"\s", "Whitespace_separator"),
        (r"\s", "WhitespaceSplit_separator"),
        (r"\p{N}", "Digits"),
    ],
)
def test_classes_of_characters(pattern, theirs):
    """Ours hold theirs, and besides only what newer versions of Unicode have added."""
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    ranges = vector("62_hf_char_classes")[theirs]
    expected = {chr(code) for start, end in ranges for code in range(start, end + 1)}
    found = set(regex.findall(pattern, every))
    assert expected <= found
    if unicodedata.unidata_version < "15":  # Unicode 14: what it has not assigned is newer than their tables
        assert {unicodedata.category(char) for char in found - expected} <= {"Cn"}


@settings(max_examples=200)
@given(hard_text)
def test_same_as_tokenizers(text):
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
    from tokenizers import pre_tokenizers as theirs

    for name, other in [
        ("whitespace", theirs.WhitespaceSplit()),
        ("words", theirs.Whitespace()),
        ("lines", theirs.Split(tokenizers.Regex(named("lines").pattern), "removed", invert=True)),
        *((name, theirs.Split(tokenizers.Regex(named(name).pattern), "isolated")) for name in SPLIT),
    ]:
        assert list(named(name).words(text)) == [Word(piece, *span) for piece, span in other.pre_tokenize_str(text)]
    byte_level = theirs.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    assert [(word.start, word.end) for word in named("gpt2").words(text)] == [span for _, span in byte_level]
    metaspace = theirs.Metaspace(prepend_scheme="always", split=True).pre_tokenize_str(text)
    assert metaspace_words("metaspace", text) == metaspace


@settings(max_examples=400)
@given(hard_text, st.sampled_from([*SPLIT, "whitespace", "words", "none"]), st.sampled_from(Digits), st.booleans())
def test_same_as_sequences_of_tokenizers(text, name, digits, punctuation):
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
    from tokenizers import pre_tokenizers as theirs

    sequence = [theirs.Punctuation("isolated")] if punctuation else []
    if digits is Digits.SINGLE:
        sequence.append(theirs.Digits(individual_digits=True))
    elif digits is Digits.THREES:
        sequence.append(theirs.Split(tokenizers.Regex(r"\p{N}{1,3}"), "isolated"))
    pattern = named(name).pattern
    main = {"whitespace": theirs.WhitespaceSplit(), "words": theirs.Whitespace()}.get(name)
    sequence.append(main or theirs.Split(tokenizers.Regex(pattern), "isolated"))
    expected = [Word(piece, *span) for piece, span in theirs.Sequence(sequence).pre_tokenize_str(text)]
    assert list(named(name, digits=digits, punctuation=punctuation).words(text)) == expected


@given(hard_text)
def test_starcoder_s_own_sequence(text):
    theirs = pytest.importorskip("tokenizers.pre_tokenizers", reason="the tokenizers package is not installed")
    sequence = theirs.Sequence([theirs.Digits(individual_digits=True), theirs.ByteLevel(add_prefix_space=False)])
    spans = [span for _, span in sequence.pre_tokenize_str(text)]
    assert [(word.start, word.end) for word in named("gpt2", digits="single").words(text)] == spans


@given(hard_text)
def test_same_as_tiktoken(text):
    tiktoken = pytest.importorskip("tiktoken", reason="the tiktoken package is not installed")
    ranks = {bytes([byte]): byte for byte in range(256)}
    for name in [*SPLIT, "words", "whitespace", "lines", "metaspace", "none"]:
        # a token of its own for each word, so that the cuts show
        pieces = cut(named(name), text)
        whole = {piece.encode(): 256 + i for i, piece in enumerate(dict.fromkeys(pieces)) if len(piece.encode()) > 1}
        encoding = tiktoken.Encoding(
            "test", pat_str=named(name).pattern, mergeable_ranks=ranks | whole, special_tokens={}
        )
        assert [encoding.decode_single_token_bytes(i).decode() for i in encoding.encode_ordinary(text)] == pieces
