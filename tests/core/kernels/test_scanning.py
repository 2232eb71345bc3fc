"""The compiled scanners cut exactly as `regex` does."""

import json
import lzma
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import utf8
from core.corpus import load_corpus
from core.errors import CorpusError
from core.kernels.characters import character_kinds
from core.kernels.scanning import PATTERN_NUMBERS, last_safe_cut, scan, scan_lines
from core.packed_words import PADDING
from core.pre_tokenizer import PRE_TOKENIZERS
from tests.core.hard_texts import any_text

DATA = Path(__file__).parents[2] / "data"
NAMES = [name for name in PRE_TOKENIZERS if name != "llama3"]  # it is cl100k

# what the patterns ask for, and its neighbours: white space, apostrophes, digits, marks, cases, what folds to an s
DECISIVE = " \t\n\r\u00a0\u2028\u3000''’aAbdDlLmMrReEsSſtTvVéÉǅʰªß中▁!/_-1٣²Ⅷ\u0301\u0903\u20dd\u200d🙂\ud83d\udd00\x00"
decisive_text = st.lists(
    st.one_of(st.sampled_from(DECISIVE), st.sampled_from(["  ", "\r\n", " \n", "'ll", "'RE", "▁▁", "1234", "!\n/"])),
    max_size=20,
).map("".join)

ALPHABETS = [
    [*"abcdeABC019 .,!'\n_-", "the", " of", "  ", "\n\n", "'s", "'ll", "'re", "'VE", "12", "\r\n"],
    [*"aB1 !\n"],
    [*"'!'stvermld'STLL' x"],
    [*"  \t\n\r\v\fa1!", "\r\n", "    "],
    [*"word " * 12, "é", "’", "\u00a0", "中", "\u0301"],
    [*"\x00\x1c\x1f\x7f !/09:@AZ[`az{~\x80", "ÿ", "Ā"],
]


def padded(data: bytes, behind: bytes = bytes(PADDING)) -> np.ndarray:
    return np.frombuffer(bytearray(data + behind), np.uint8)


def scanned(
    name: str, text: str, room: int = 1_000, behind: bytes = bytes(PADDING), by_lines: bool = False
) -> list[str]:
    data = utf8(text)
    found = places(name, data, room, behind, LineScanner() if by_lines else scan)
    return [data[start:end].decode(errors="surrogatepass") for start, end in found]


def places(
    name: str, text: bytes, room: int, behind: bytes, scanner: Callable[..., int] = scan
) -> Iterator[tuple[int, int]]:
    data, stop, start = padded(text, behind), len(text), 0
    starts, ends = np.zeros((2, room), np.int64)
    while True:
        count = scanner(number(name), data, start, stop, character_kinds(), starts, ends, 0)
        yield from zip(starts[:count].tolist(), ends[:count].tolist(), strict=True)
        if count < room:
            return
        start = int(ends[-1])


class LineScanner:
    """Each call knows where the line ends in which the last one stopped."""

    def __init__(self) -> None:
        self._line_stop = 0

    def __call__(self, *arguments: Any) -> int:
        count, self._line_stop = scan_lines(*arguments, self._line_stop)
        return count


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "whitespace"])
def test_the_end_of_a_long_line_is_looked_for_once(name: str) -> None:
    data, starts, ends = padded("éé éé\n".encode()), np.zeros(2, np.int64), np.zeros(2, np.int64)
    assert scan_lines(number(name), data, 0, 10, character_kinds(), starts, ends, 0, 0) == (2, 10)
    assert ends.tolist() == [4, 9]
    assert scan_lines(number(name), data, 0, 10, character_kinds(), starts, ends, 0, 2) == (2, 10)
    assert ends.tolist() == [2, 4]  # the line ends where it was told to


def number(name: str) -> int:
    return PATTERN_NUMBERS[PRE_TOKENIZERS[name].pattern]


def cut(name: str, text: str) -> list[str]:
    return [match[0] for batch in PRE_TOKENIZERS[name].match_batches(text) for match in batch]


def cut_lines(name: str, text: str) -> list[str]:
    return [word for line in re.findall(r"[^\n]*\n|[^\n]+", text) for word in cut(name, line)]


def safe_cut(name: str, data: bytes, stop: int | None = None, start: int = 0) -> int:
    place = len(data) if stop is None else stop
    return int(last_safe_cut(number(name), padded(data), start, place, character_kinds()))


def test_every_pattern_of_ours_has_a_scanner() -> None:
    assert {PRE_TOKENIZERS[name].pattern for name in PRE_TOKENIZERS} == set(PATTERN_NUMBERS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gpt2", ["I", "'ll", " pay", " 1234", "!?", " ", " DON", "'", "T", "\r\n\n"]),
        ("cl100k", ["I", "'ll", " pay", " ", "123", "4", "!?", " ", " DON", "'T", "\r\n\n"]),
        ("qwen2", ["I", "'ll", " pay", " ", "1", "2", "3", "4", "!?", " ", " DON", "'T", "\r\n\n"]),
        ("o200k", ["I'll", " pay", " ", "123", "4", "!?", " ", " DON'T", "\r\n\n"]),
        ("words", ["I", "'", "ll", "pay", "1234", "!?", "DON", "'", "T"]),
        ("whitespace", ["I'll", "pay", "1234!?", "DON'T"]),
        ("metaspace", ["I'll pay 1234!?  DON'T\r\n\n"]),
        ("lines", ["I'll pay 1234!?  DON'T"]),
        ("none", ["I'll pay 1234!?  DON'T\r\n\n"]),
    ],
)
def test_words_of_each_pattern(name: str, words: list[str]) -> None:
    assert scanned(name, "I'll pay 1234!?  DON'T\r\n\n") == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("HelloWorld", ["Hello", "World"]),
        ("HTTPServer", ["HTTPServer"]),
        ("中文ABC", ["中文", "ABC"]),
        ("ABC中", ["ABC中"]),
        (" \u0301ABC", [" \u0301", "ABC"]),
        ("\u0301ABC", ["\u0301", "ABC"]),
        ("\u0301\u0301ABCd", ["\u0301\u0301ABCd"]),
        ("ſ'ſſ", ["ſ'ſ", "ſ"]),
        ("a!\n//\n b", ["a", "!\n//\n", " b"]),
    ],
)
def test_cases_and_marks_in_gpt_4o(text: str, words: list[str]) -> None:
    assert scanned("o200k", text) == words


@settings(max_examples=1_500)
@given(st.one_of(decisive_text, any_text), st.integers(1, 6))
def test_same_as_regex(text: str, room: int) -> None:
    for name in NAMES:
        assert scanned(name, text, room) == cut(name, text), name
        assert scanned(name, text, room, by_lines=True) == cut_lines(name, text), name


@settings(max_examples=500)
@given(st.randoms(use_true_random=False), st.sampled_from(ALPHABETS))
def test_same_as_regex_where_64_bytes_are_looked_at_at_once(random: Random, alphabet: list[str]) -> None:
    text = "".join(random.choices(alphabet, k=400))
    for name in NAMES:
        assert scanned(name, text) == cut(name, text), name
        assert scanned(name, text, by_lines=True) == cut_lines(name, text), name


def test_same_as_regex_on_all_short_texts() -> None:
    for letters in product("a'sS 1\n!中\u0301", repeat=4):
        text = "".join(letters)
        for name in ("gpt2", "cl100k", "o200k"):
            assert scanned(name, text) == cut(name, text), (name, text)
            assert scanned(name, text, by_lines=True) == cut_lines(name, text), (name, text)


def test_same_as_regex_beside_every_character_where_kinds_change() -> None:
    changes = np.flatnonzero(np.diff(character_kinds()[:0x110000])).tolist()
    codes = sorted({*range(0x600), *changes, *(code + 1 for code in changes)})
    text = "".join(f"a{chr(code)}a'{chr(code)}{chr(code)} {chr(code)}1\n" for code in codes)
    for name in NAMES:
        assert scanned(name, text) == cut(name, text), name


@given(decisive_text, st.sampled_from([b"s", b"a", b" ", b"\n", b"1", b"!", b"\x81", b"\xff"]))
def test_what_stands_behind_the_text_has_no_say(text: str, byte: bytes) -> None:
    for name in NAMES:
        assert scanned(name, text, behind=byte * PADDING) == cut(name, text), name


@pytest.mark.parametrize(
    ("name", "theirs"), [("gpt2", "gpt2"), ("cl100k", "cl100k_llama3"), ("o200k", "o200k"), ("qwen2", "qwen")]
)
def test_probes(name: str, theirs: str) -> None:
    probes = json.loads((DATA / "probes.json").read_text(encoding="utf-8"))["probes"]
    texts = {probe["id"]: probe["text"] for probe in probes}
    expected = json.loads((DATA / "expected_pretok.json").read_text(encoding="utf-8"))["probes"]
    assert len(expected) == 64
    for case in expected:
        assert scanned(name, texts[case["id"]]) == case[theirs], case["id"]


@pytest.mark.parametrize("path", sorted((DATA / "nasty").iterdir()), ids=lambda path: path.name)
def test_nasty_files(path: Path) -> None:
    check_file(path)


@pytest.mark.parametrize("name", ["alice_50k", "udhr_cmn_hans"])
def test_texts(name: str) -> None:
    check_file(DATA / "text" / f"{name}.txt")


@pytest.mark.parametrize("name", ["all_assigned_codepoints", "emoji_stream", "mul_udhr_all"])
def test_shared_texts(name: str, shared_dir: Path, tmp_path: Path) -> None:
    path = shared_dir / "data" / "corpora" / f"{name}.txt"
    check_file(path if path.exists() else unpacked(path.with_name(f"{name}.txt.xz"), tmp_path))


def test_shared_nasty_files(shared_dir: Path, tmp_path: Path) -> None:
    paths = sorted((shared_dir / "data" / "nasty").iterdir())
    assert len(paths) > 40
    for path in paths:
        check_file(unpacked(path, tmp_path) if path.suffix == ".xz" else path)


def unpacked(path: Path, folder: Path) -> Path:
    (folder / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
    return folder / path.stem


def check_file(path: Path) -> None:
    try:
        text = load_corpus(path).text
    except CorpusError:  # no text: its bytes as characters
        text = path.read_bytes().decode("latin-1")
    for name in NAMES:
        assert scanned(name, text) == cut(name, text), name


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("gpt2", "one two  three", "one two"),
        ("gpt2", "one.\ntwo", "one."),
        ("gpt2", "one \ntwo", "one"),
        ("gpt2", "中。\n文", "中。"),
        ("cl100k", "one.\ntwo", "one.\n"),
        ("cl100k", "one \n  two", "one"),
        ("cl100k", "one.\n two", None),
        ("o200k", "one.\n/two", None),
        ("o200k", "one.\ntwo", "one.\n"),
        ("qwen2", "one two\u3000", "one two"),
        ("words", "one,two three", "one,two"),
        ("whitespace", "one\u2028two", "one"),
        ("metaspace", "one▁two▁▁", "one▁two▁"),
        ("metaspace", "▁one two", None),
        ("metaspaces", "one▁two▁▁", "one▁two"),
        ("metaspaces", "▁▁one two", None),
        ("lines", "one\r\ntwo\r", "one\r\n"),
        ("lines", "one\r two", None),
        ("none", "one two\nthree", None),
        ("gpt2", "one", None),
        ("gpt2", "", None),
    ],
)
def test_last_place_to_cut_a_text(name: str, text: str, place: str | None) -> None:
    assert safe_cut(name, utf8(text)) == (-1 if place is None else len(utf8(place)))


def test_it_is_not_before_the_start() -> None:
    assert safe_cut("gpt2", b"one two three", start=3) == 7
    assert safe_cut("gpt2", b"one two three", stop=7, start=3) == -1


@pytest.mark.parametrize("name", NAMES)
def test_every_border_of_a_chunk_is_cut_before_where_both_sides_have_the_same_words(name: str) -> None:
    text = "It's  a\n\n \n/test. \r\n\t1234 中文。\n中 \u3000文!\n//'LL  é\u0301A▁b▁▁ c\r🙂 \ud83d!\r\n\r\nDon'T \n"
    check_cuts(name, text)


@settings(max_examples=150)
@given(decisive_text)
def test_cuts_are_safe(text: str) -> None:
    for name in NAMES:
        check_cuts(name, text)


def check_cuts(name: str, text: str) -> None:
    data, words = utf8(text), cut(name, text)
    for border in range(len(data) + 1):
        place = safe_cut(name, data, border)
        if place != -1:
            assert 0 < place < border or name == "none"
            one, other = (part.decode(errors="surrogatepass") for part in (data[:place], data[place:]))
            assert cut(name, one) + cut(name, other) == words
