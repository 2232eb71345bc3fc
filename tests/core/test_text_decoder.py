"""A text decoded block by block is what text_encoding.decode makes of all of it at once."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import CorpusError
from core.progress import without_progress
from core.text_decoder import TextDecoder
from core.text_encoding import ENCODINGS, GUESS_BYTES, chosen, decode, detect

NASTY = sorted((Path(__file__).parents[1] / "data" / "nasty").iterdir())


def in_blocks(data, size, encoding=None):
    decoder, place, text = TextDecoder("a.txt", data[:GUESS_BYTES], encoding), 0, b""
    while True:
        block = data[place : place + size]
        if decoder.wants_more(block):
            block = data[place : place + size + GUESS_BYTES]
        place += len(block)
        text += decoder.feed(block, is_last=place >= len(data))
        if place >= len(data):
            assert decoder.byte_count == len(data)
            return text.decode(), decoder.detection, decoder.notes()


def whole(data, encoding=None):
    detection = chosen(encoding, data) if encoding else detect(data, "a.txt")
    return without_progress(decode(data, detection, "a.txt"))


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except CorpusError as error:
        return str(error)


@pytest.mark.parametrize("path", NASTY, ids=lambda path: path.name)
def test_nasty_files_in_blocks_of_any_size(path):
    data = path.read_bytes()
    expected = outcome(whole, data)
    for size in (*range(1, 40), 100, 1_000, len(data) + 1):
        assert outcome(in_blocks, data, size) == expected, size


@pytest.mark.parametrize("encoding", [*ENCODINGS, "utf-7"])
def test_nasty_files_in_a_chosen_encoding(encoding):
    for path in NASTY:
        data = path.read_bytes()
        expected = outcome(whole, data, encoding)
        for size in (1, 2, 3, 1_000):
            assert outcome(in_blocks, data, size, encoding) == expected, (path.name, size)


def test_half_a_character_in_blocks():
    data = b"low\nlower +2D0- new"
    for size in range(1, len(data) + 1):
        with pytest.raises(CorpusError, match=r"^a\.txt, line 2: read as UTF-7 it holds half a character"):
            in_blocks(data, size, "utf-7")


PIECES = st.sampled_from(
    [
        *(b"plain text\n", "größer\n".encode(), "größer\n".encode("cp1252"), "日本語".encode("cp932")),
        *("日本語".encode(), b"\xff", b"\xe2\x82", b"\0", b"\r\n", "\U0001f600".encode(), "ж".encode("koi8-r")),
        *(b"\xed\xa0\x80", b"\xc3"),
    ]
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.lists(PIECES, max_size=30).map(b"".join), st.integers(1, 50))
def test_mixed_bytes_in_blocks(data, size):
    assert outcome(in_blocks, data, size) == outcome(whole, data)


def test_what_is_broken_later_does_not_change_the_encoding():
    data = "größer\n".encode() + b"plain\n" * 12_000 + "größer, länger\n".encode("cp1252") * 100
    text, detection, notes = in_blocks(data, 50)
    assert (detection.encoding, text.count("\ufffd")) == ("utf-8", 300)
    assert "the first at byte 72,012 (line 12,002)." in notes[0]
    assert (text, detection, notes) == whole(data)


def test_a_guess_looks_at_what_follows_the_first_byte_that_is_not_ascii():
    data = b"plain\n" * 20_000 + "Привет, мир! Это длинный текст на русском языке.\n".encode("koi8-r") * 100
    text, detection, _ = in_blocks(data, 120_010)  # the first block ends 10 bytes behind it
    assert detection.encoding == "koi8-r"
    assert text == data.decode("koi8-r")


def test_broken_characters_are_counted_over_all_blocks():
    data = b"good\n" * 100 + b"bad \xff\xff\n" * 3 + "日本\n".encode() * 400
    text, detection, notes = in_blocks(data, 7)
    assert (text.count("\ufffd"), detection.encoding) == (6, "utf-8")
    assert notes == ("6 broken characters, not valid UTF-8, are shown as U+FFFD, the first at byte 505 (line 101).",)
