"""How tokens are named: every byte can be seen, and no name moves or hides its neighbours."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Token
from core.recording import Recording
from core.trainer import TrainerConfig
from core.vocab import (
    TokenFacts,
    bytes_line,
    decoded_pieces,
    facts,
    hex_bytes,
    is_visible,
    label,
    step_title_parts,
    token_label,
)
from tests.core.runs import record_words


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"the", "the"),
        (b" the", "␣the"),
        (b"\n\n", "⏎⏎"),
        (b"\r\n\t", "␍⏎⇥"),
        (b"\0", "⟨00⟩"),
        (b"\x1b[0m", "⟨1B⟩[0m"),
        (b"\x7f", "⟨7F⟩"),
        (b"\xe4\xb8", "⟨E4 B8⟩"),
        (b"\xb8", "⟨B8⟩"),
        (b"a\xe4\xb8\xad\xe4", "a中⟨E4⟩"),
        (b"\xff", "⟨FF⟩"),
        (b"\xed\xa0\xbd", "⟨ED⟩⟨A0⟩⟨BD⟩"),
        ("\u202eabc".encode(), "⟨E2 80 AE⟩abc"),
        ("a\u200db".encode(), "a⟨E2 80 8D⟩b"),
        ("\u00a0".encode(), "⟨C2 A0⟩"),
        ("\u3000".encode(), "⟨E3 80 80⟩"),
        ("\u2028".encode(), "⟨E2 80 A8⟩"),
        ("\ufeff".encode(), "⟨EF BB BF⟩"),
        ("\ufffd".encode(), "\ufffd"),
        ("\ue000".encode(), "⟨EE 80 80⟩"),
        ("\u3164".encode(), "⟨E3 85 A4⟩"),
        ("❤\ufe0f".encode(), "❤⟨EF B8 8F⟩"),
        ("\u2800".encode(), "⟨E2 A0 80⟩"),
        ("🙂".encode(), "🙂"),
        (b"", ""),
    ],
)
def test_what_a_token_is_called(content, shown):
    assert label(Token(content)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u0301", "◌\u0301"),
        ("\u0301e\u0301", "◌\u0301e\u0301"),
        ("e\u0301\u0323", "e\u0301\u0323"),
        ("नि्", "नि्"),
        ("ि", "◌ि"),
        ("ก่", "ก่"),
        (" \u0301", "␣◌\u0301"),
        ("\u20dd", "◌\u20dd"),
    ],
)
def test_a_combining_mark_sits_on_its_letter_or_on_a_circle(text, shown):
    assert label(Token(text.encode())) == shown


def test_the_marker_stands_behind_the_content():
    assert label(Token(b"low", ends_word=True)) == "low</w>"
    assert label(Token(b" ", ends_word=True), "_") == "␣_"
    assert label(Token(b"", ends_word=True)) == "</w>"


@given(st.binary(max_size=12))
def test_a_label_is_one_visible_line(content):
    shown = label(Token(content))

    assert bool(shown) == bool(content)
    assert all(is_visible(character) for character in shown)
    assert not any(unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI") for c in shown)


@given(st.binary(max_size=12) | st.text(max_size=6).map(str.encode))
def test_pieces_of_bytes_are_all_of_them_in_order(content):
    pieces = list(decoded_pieces(content))

    assert b"".join(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces) == content
    assert all(len(piece) == 1 for piece in pieces if isinstance(piece, str))


def test_bytes_are_written_in_capitals():
    assert hex_bytes("中".encode()) == "E4 B8 AD"
    assert hex_bytes(b"") == ""


@pytest.fixture
def low():
    """l o 2, lo w 2, low </w> 1, ..."""
    config = TrainerConfig(Base.CHARACTERS, Marker.SYMBOL, special_tokens=("<s>",), marker_text="_")
    return record_words({"low": 1, "lo": 1}, config)


def test_the_facts_of_a_token(low):
    special, letter, merged = 0, low.alphabet.id_of(b"l"), low[0].token_id

    assert facts(low, special, 0) == TokenFacts(0, "<s>", "3C 73 3E", "special token", None, None, 0, 0)
    assert facts(low, letter, 0) == TokenFacts(letter, "l", "6C", "base symbol", None, None, 2, 0)
    assert facts(low, letter, 1).count == 0
    assert facts(low, merged, 1) == TokenFacts(merged, "lo", "6C 6F", "merged token", 0, ("l", "o"), 2)
    with pytest.raises(KeyError):
        facts(low, 99, 0)


def test_facts_without_counts(low):
    read = Recording(low.alphabet)

    assert facts(read, 1, 0).count is None


@pytest.mark.parametrize(
    ("hex_digits", "line"), [("43", "byte 43 (hex)"), ("E4 B8 AD", "bytes E4 B8 AD (hex)"), ("", "")]
)
def test_how_bytes_are_named(hex_digits, line):
    assert bytes_line(hex_digits) == line


@pytest.mark.parametrize(
    ("count", "line"), [(5_321, "5,321 times in the corpus"), (1, "1 time in the corpus"), (None, "")]
)
def test_how_counts_are_named(count, line):
    assert TokenFacts(9, "l", "6C", "base symbol", None, None, count).count_line == line


def test_labels_of_a_recording_use_its_marker(low):
    assert token_label(low, low.alphabet.id_of(b"", ends_word=True)) == "_"


def test_how_a_step_is_named(low):
    assert "".join(step_title_parts(low, 0)) == "step 0 of 4: base symbols, no merge yet"
    assert "".join(step_title_parts(low, 1)) == "step 1 of 4 (rank 0): l + o → lo, 2 times"
    assert step_title_parts(low, 1) == ("step 1 of 4 (rank 0): ", "l + o → lo", ", 2 times")
    read = Recording(low.alphabet)
    read.extend(low)
    assert "".join(step_title_parts(read, 1)) == "step 1 of 4 (rank 0): l + o → lo"


def test_what_a_text_spells_is_never_mistaken_for_a_sign():
    assert label(Token(b"e", ends_word=True)) == "e</w>"
    assert label(Token(b"e</w>")) == "e⟨3C⟩/w>"
    assert label(Token(b"</w>", ends_word=True)) == "⟨3C⟩/w></w>"
    assert label(Token(b"e</w>"), "") == "e</w>"
    assert label(Token("␣a".encode())) == "⟨E2 90 A3⟩a"
    assert label(Token("⟨E4⟩".encode())) == "⟨E2 9F A8⟩E4⟨E2 9F A9⟩"


def test_of_a_very_long_token_the_ends_are_shown() -> None:
    word = "中ab" * 4_096
    run = record_words({word: 1}, TrainerConfig(base=Base.CHARACTERS))
    longest = run[len(run) - 1].token_id
    assert run.token(longest).content == word.encode()
    shown = token_label(run, longest)
    assert shown == "中ab" * 40 + "…" + "中ab" * 40
    assert facts(run, longest, len(run)).label == shown
    assert hex_bytes(word.encode()).startswith("E4 B8 AD 61 62 E4")
    assert hex_bytes(word.encode()).endswith("AD 61 62")
    assert len(hex_bytes(word.encode())) < 400
