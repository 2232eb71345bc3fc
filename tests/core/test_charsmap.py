import json
import struct
from base64 import b64encode
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.charsmap import Charsmap, Precompiled
from core.errors import ConfigError, FormatError
from core.formats.huggingface_normalizer import nmt_nfkc_charsmap
from core.normalizer import Normalizer
from core.progress import without_progress
from tests.core.hard_texts import any_text, hard_text

NMT_KEYS = 225_276


def unit(label: int, offset: int, has_leaf: bool = False) -> int:
    """A node of a double array, whose children are counted from its own place XOR `offset`."""
    return offset << 10 | has_leaf << 8 | label


def charsmap(units: dict[int, int], replacements: bytes, size: int = 256) -> bytes:
    array = [units.get(place, 0x80000000) for place in range(size)]
    return struct.pack(f"<I{size}I", 4 * size, *array) + replacements


# root -> "a" (value 0: "x") -> "b" (value 2: ""); the children of the root are counted from 1, those of "a" from 3
A, AB = 1 ^ ord("a"), 3 ^ ord("b")
SMALL = charsmap(
    {0: unit(0, 1), A: unit(ord("a"), A ^ 3, True), 3: 1 << 31, AB: unit(ord("b"), AB ^ 4, True), 4: 1 << 31 | 2},
    b"x\0\0",
)


def test_a_small_table() -> None:
    assert Charsmap.of(SMALL).table == {"a": "x", "ab": ""}
    assert Precompiled(Charsmap.of(SMALL)).normalize("aab b\ta") == "x b\tx"


def test_the_longest_key_counts_or_the_shortest_as_hugging_face_has_it() -> None:
    table = Charsmap(b"", {"e": "1", "e\u0301": "2", "\u0301": "3"})
    assert Precompiled(table).normalize("e\u0301 e") == "2 1"
    assert Precompiled(table, by_graphemes=True).normalize("e\u0301 e") == "1 1"  # the mark is lost
    assert Precompiled(table, by_graphemes=True).normalize("e\u0301\u0301\u0301") == "1333"  # 7 bytes


def test_places() -> None:
    alignment = Precompiled(Charsmap(b"", {"ﬁ": "fi", "ab": ""})).align("ﬁxabﬁ")
    assert alignment.text == "fixfi"
    assert (list(alignment.starts), list(alignment.ends)) == ([0, 0, 1, 4, 4], [1, 1, 2, 5, 5])


def test_half_characters_are_replaced() -> None:
    assert Precompiled(Charsmap(b"", {"b": "c"})).normalize("\ud800b") == "\ufffdc"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the trie should have some bytes of the 0, but it says 0"),
        (struct.pack("<I", 4096) + bytes(100), "the 104, but it says 4,096"),
        (struct.pack("<I", 0xFFFFFFFF) + bytes(100), "but it says 4,294,967,295"),
        (charsmap({0: unit(0, 1), A: unit(ord("a"), A ^ 1)}, b"x\0"), "goes in circles"),
        (charsmap({0: unit(0, 1), A: unit(ord("a"), A ^ 2, True), 2: 1 << 31 | 9}, b"x\0"), "at 9 of 2 bytes"),
        (charsmap({0: unit(0, 1), A: unit(ord("a"), A ^ 2, True), 2: 1 << 31}, b"x"), "ended by a NUL"),
        (charsmap({0: unit(0, 1), A: unit(ord("a"), A ^ 2, True), 2: 1 << 31}, b"\xff\0"), "is not UTF-8"),
        (charsmap({0: unit(0, 1), A: unit(ord("a"), 300, True)}, b"x\0"), "outside of the trie"),
        (charsmap({0: unit(0, 1), 0xE5: unit(0xE4, 0xE5 ^ 2, True), 2: 1 << 31}, b"x\0"), "is not UTF-8"),
    ],
)
def test_broken_tables_are_told_of(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Charsmap.of(data)


@settings(max_examples=100)
@given(st.data())
def test_changed_tables_end_in_our_error_or_a_table(data: st.DataObject) -> None:
    changed = bytearray(SMALL)
    for _ in range(data.draw(st.integers(1, 6))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        Precompiled(Charsmap.of(bytes(changed))).normalize("abcaab\n")
    except FormatError as error:
        assert str(error).startswith("The table of characters (precompiled_charsmap) is broken: ")  # noqa: PT017


def test_a_trie_in_circles_that_grows_is_left() -> None:
    every = {1 ^ char: unit(char, 1 ^ char ^ 1) for char in range(2, 255)}
    with pytest.raises(FormatError, match="in circles, or is too large"):
        Charsmap.of(charsmap({0: unit(0, 1), **every}, b"x\0"))


def test_texts_that_lie_in_each_other_are_not_all_read() -> None:
    places = {3 ^ char: unit(char, 3 ^ char ^ 256 + char, True) for char in range(4, 128)}
    values = {256 + char: 1 << 31 | char for char in range(4, 128)}
    with pytest.raises(FormatError, match="are too long"):
        Charsmap.of(charsmap({0: unit(0, 3), **places, **values}, b"x" * 1_000_000 + b"\0", 512))


def test_read_bit_by_bit() -> None:
    reading = Charsmap.reading(nmt_nfkc_charsmap())
    steps = sum(1 for _ in reading)
    assert steps >= NMT_KEYS // 10_000
    assert len(nmt_nfkc().table) == NMT_KEYS


def test_as_json() -> None:
    steps = Normalizer((Precompiled(Charsmap.of(SMALL), by_graphemes=True),))
    assert Normalizer.from_json(json.loads(json.dumps(steps.to_json()))) == steps
    for charsmap_text, flag in ((None, True), ("%", True), (b64encode(b"abc").decode(), True), ("", 1)):
        with pytest.raises(ConfigError):
            Normalizer.from_json([{"name": "precompiled", "charsmap": charsmap_text, "by_graphemes": flag}])
    with pytest.raises(ConfigError, match="a 'charsmap' and a 'by_graphemes' and nothing else"):
        Normalizer.from_json([{"name": "precompiled", "charsmap": ""}])


def test_a_key_across_lines_needs_the_whole_text() -> None:
    assert not Precompiled(Charsmap(b"", {"\n": " ", "a\n": "b"})).needs_whole_text
    assert Precompiled(Charsmap(b"", {"\nb": "c"})).needs_whole_text
    text = ("x" * 100 + "\nb") * 2_000
    from core.pipeline import Pipeline, count_words
    from core.pre_tokenizer import PRE_TOKENIZERS

    pipeline = Pipeline(Normalizer((Precompiled(Charsmap(b"", {"\nb": "c"})),)), PRE_TOKENIZERS["lines"])
    assert list(without_progress(count_words(text, pipeline)).counts) == [("x" * 100 + "c") * 2_000]


@cache
def nmt_nfkc() -> Charsmap:
    return Charsmap.of(nmt_nfkc_charsmap())


def test_every_character_as_sentencepiece_does() -> None:
    theirs = spaces_kept()
    step = Precompiled(nmt_nfkc())
    for first in range(0, 0x110000, 0x800):
        text = "x".join(chr(code) for code in range(first, first + 0x800) if not 0xD800 <= code < 0xE000)
        assert step.normalize(text) == theirs.Normalize(text), hex(first)


@settings(max_examples=300)
@given(hard_text | any_text)
def test_texts_and_places_as_sentencepiece_has_them(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    normalized, places = spaces_kept().Normalize(text, with_offsets=True)
    alignment = Precompiled(nmt_nfkc()).align(text)
    assert alignment.text == Precompiled(nmt_nfkc()).normalize(text) == normalized
    assert list(alignment.starts) == list(places[:-1])


@settings(max_examples=300)
@given(hard_text | any_text)
def test_graphemes_as_hugging_face_does(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert Precompiled(nmt_nfkc(), by_graphemes=True).normalize(text) == hugging_face().normalize_str(text)


@cache
def spaces_kept():  # type: ignore[no-untyped-def]  # the library has no types
    from sentencepiece import SentencePieceNormalizer

    return SentencePieceNormalizer(
        rule_name="nmt_nfkc", add_dummy_prefix=False, escape_whitespaces=False, remove_extra_whitespaces=False
    )


@cache
def hugging_face():  # type: ignore[no-untyped-def]
    from tokenizers.normalizers import Precompiled as Theirs

    return Theirs(nmt_nfkc_charsmap())
