"""Ids of base symbols and special tokens, and how words are spelled in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import kernel_loader
from core.alphabet import (
    Alphabet,
    Base,
    ByteOrder,
    Marker,
    Token,
    byte_alphabet,
    byte_stand_ins,
    character_alphabet,
    utf8,
)
from core.corpus import Corpus
from core.encoding_rules import Encoder
from core.errors import ConfigError
from core.merge import UNKNOWN
from core.packed_words import PackedWords
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import record
from core.tokenizer import Specials, Tokenizer
from core.trainer_config import TrainerConfig, build_alphabet

WORDS = ["low", "wé"]  # characters by code point: l o w é


def contents(alphabet: Alphabet) -> list[str]:
    return [token.text().decode() for token in alphabet.tokens.values()]


def test_the_stand_ins_of_the_bytes():
    stand_ins = byte_stand_ins()

    assert sorted(stand_ins) == list(range(256))
    assert list(stand_ins.values()) == sorted(stand_ins.values())
    assert "".join(stand_ins.values())[:94] == "".join(map(chr, range(33, 127)))
    assert {byte: stand_ins[byte] for byte in (0, 9, 10, 32, 127, 160, 173)} == {
        0: "Ā", 9: "ĉ", 10: "Ċ", 32: "Ġ", 127: "ġ", 160: "ł", 173: "Ń",
    }  # fmt: skip
    assert [stand_ins[byte] for byte in (161, 172, 174, 255)] == ["¡", "¬", "®", "ÿ"]


@pytest.mark.parametrize(
    ("order", "ids"),
    [(ByteOrder.STAND_IN, {b"!": 0, b"a": 64, b" ": 220, b"\n": 198}), (ByteOrder.VALUE, {b"a": 97, b" ": 32})],
)
def test_the_ids_of_bytes(order, ids):
    alphabet = byte_alphabet(order=order)

    assert {content: alphabet.id_of(content) for content in ids} == ids
    assert list(alphabet.tokens) == list(range(256))


def test_special_tokens_come_first_and_the_marker_last():
    alphabet = byte_alphabet(Marker.SYMBOL, ByteOrder.VALUE, ["<s>", "</s>"])

    assert alphabet.special_ids == {"<s>": 0, "</s>": 1}
    assert alphabet.tokens[0] == Token(b"<s>", special=True)
    assert alphabet.id_of(b"\0") == 2
    assert alphabet.tokens[258] == Token(b"", ends_word=True)
    assert len(alphabet.tokens) == 259


def test_characters_by_code_point_then_final_forms_then_the_marker():
    assert contents(character_alphabet(WORDS)) == ["l", "o", "w", "é"]
    assert contents(character_alphabet(WORDS, Marker.SYMBOL)) == ["l", "o", "w", "é", "</w>"]
    assert contents(character_alphabet(WORDS, Marker.SUFFIX)) == ["l", "o", "w", "é", "w</w>", "é</w>"]
    assert contents(character_alphabet(WORDS, Marker.SUFFIX, complete=True)) == [
        "l", "o", "w", "é", "l</w>", "o</w>", "w</w>", "é</w>",
    ]  # fmt: skip
    assert contents(character_alphabet(["🙂", "\uffff"])) == ["\uffff", "🙂"]


def test_initial_characters_are_there_whether_they_occur_or_not():
    assert contents(character_alphabet(["b"], initial_characters="ab")) == ["a", "b"]
    assert contents(character_alphabet([], Marker.SUFFIX, initial_characters="a", complete=True)) == ["a", "a</w>"]
    assert contents(character_alphabet([])) == []


def test_a_special_token_spelled_like_a_character_takes_its_place():
    alphabet = character_alphabet(WORDS, Marker.SUFFIX, ["w", "<s>"])

    assert contents(alphabet) == ["w", "<s>", "l", "o", "é", "w</w>", "é</w>"]
    assert alphabet.symbols_of("wow") == [0, 3, 5]
    assert alphabet.special_ids == {"w": 0, "<s>": 1}


def test_a_special_token_spelled_like_a_byte_takes_its_place():
    alphabet = byte_alphabet(order=ByteOrder.VALUE, special_tokens=["b"])

    assert len(alphabet.tokens) == 256
    assert alphabet.symbols_of("abc") == [98, 0, 99]


@pytest.mark.parametrize(("base", "expected"), [(Base.BYTES, ([97, 98], 257, 259)), (Base.CHARACTERS, ([0, 1], 3, 5))])
def test_a_last_special_token_spelled_like_a_base_symbol_leaves_it_to_the_words(base, expected):
    config = TrainerConfig(
        base, byte_order=ByteOrder.VALUE, special_tokens=("a", "b"), specials_last=True, merges=1, longest_token=2
    )
    recording = record(Corpus.typed("ab ab"), Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]), config)
    symbols, special, end = expected
    assert recording.alphabet.special_ids == {"a": special, "b": special + 1}
    assert recording.alphabet.symbols_of("ab") == symbols
    assert [i for i in recording.alphabet.tokens if not recording.alphabet.is_in_words(i)] == [special, special + 1]
    assert recording.vocab_size(1) == end
    for encoder in Encoder:
        before = Tokenizer(recording, 0, encoder)
        assert before.ids("ab", Specials.AS_TEXT) == symbols
        assert before.ids("ab") == [special, special + 1]
        assert Tokenizer(recording, 1, encoder).ids("ab", Specials.AS_TEXT) == [special - 1]


def test_a_special_token_spelled_like_the_marker_is_not_the_marker():
    alphabet = character_alphabet(["a"], Marker.SYMBOL, ["</w>"])

    assert contents(alphabet) == ["</w>", "a", "</w>"]
    assert alphabet.symbols_of("a") == [1, 2]


@pytest.mark.parametrize("make", [byte_alphabet, lambda **options: character_alphabet(["a"], **options)])
def test_a_special_token_must_not_be_empty(make):
    with pytest.raises(ConfigError, match=r"^A special token must not be empty\.$"):
        make(special_tokens=["<s>", ""])


def test_bytes_have_no_final_form():
    with pytest.raises(ConfigError, match="A byte alphabet has no final or continuing letters"):
        byte_alphabet(Marker.SUFFIX)


@pytest.mark.parametrize(
    ("marker", "symbols"),
    [(Marker.NONE, ["l", "o", "w"]), (Marker.SYMBOL, ["l", "o", "w", "</w>"]), (Marker.SUFFIX, ["l", "o", "w</w>"])],
)
def test_how_a_word_is_spelled(marker, symbols):
    alphabet = character_alphabet(WORDS, marker)

    assert [alphabet.tokens[i].text().decode() for i in alphabet.symbols_of("low")] == symbols


def test_unknown_characters_and_final_forms():
    alphabet = character_alphabet(WORDS, Marker.SUFFIX)

    assert alphabet.symbols_of("x?w") == [UNKNOWN, UNKNOWN, 4]
    assert alphabet.symbols_of("wl") == [2, UNKNOWN]
    assert alphabet.id_of(b"x") == UNKNOWN
    assert Alphabet(Base.BYTES, Marker.NONE, {0: Token(b"a")}).symbols_of("ab") == [0, UNKNOWN]


@pytest.mark.parametrize("marker", Marker)
def test_the_empty_word_has_no_symbol_but_a_marker_of_its_own(marker):
    alphabet = character_alphabet(["a"], marker)

    assert alphabet.symbols_of("") == ([1] if marker is Marker.SYMBOL else [])
    assert alphabet.contents_of("") == ([b""] if marker is Marker.SYMBOL else [])


@given(st.text(), st.sampled_from(Marker))
def test_every_symbol_of_a_word_has_its_content(word, marker):
    alphabet = character_alphabet([word], marker)
    symbols, spelled = alphabet.symbols_of(word), alphabet.contents_of(word)

    assert [alphabet.tokens[i].content for i in symbols] == spelled
    assert b"".join(spelled) == word.encode()


@given(st.text(), st.sampled_from([Marker.NONE, Marker.SYMBOL]), st.sampled_from(ByteOrder))
def test_every_byte_of_a_word_has_its_content(word, marker, order):
    alphabet = byte_alphabet(marker, order)

    assert [alphabet.tokens[i].content for i in alphabet.symbols_of(word)] == alphabet.contents_of(word)
    assert b"".join(alphabet.contents_of(word)) == word.encode()


def test_adding_tokens_keeps_the_end_of_the_last():
    assert Token(b"lo") + Token(b"w", ends_word=True) == Token(b"low", ends_word=True)
    assert Token(b"a", special=True) + Token(b"b", special=True) == Token(b"ab")


def test_the_letters_of_the_marker_are_no_marker():
    literal, marked = Token(b"e</w>"), Token(b"e", ends_word=True)

    assert literal != marked
    assert literal.text() == marked.text() == b"e</w>"
    assert marked.text("_") == b"e_"


def test_half_a_surrogate_pair_has_three_bytes():
    assert utf8("a\ud83d") == b"a\xed\xa0\xbd"
    assert utf8("é🙂") == "é🙂".encode()


HALF = " holds half a character (the lone surrogate U+D83D), which no file can hold; leave it out."


@pytest.mark.parametrize("marker", [Marker.NONE, Marker.SUFFIX, Marker.CONTINUING, Marker.SYMBOL])
@pytest.mark.parametrize("words", [{"low\ud83d": 3, "low": 9}, {"\ud83d\ude00": 1}])
@pytest.mark.parametrize(("made", "loops"), [(dict, "plain"), (PackedWords.of, "plain"), (PackedWords.of, "compiled")])
def test_half_a_surrogate_pair_is_no_character_of_an_alphabet(marker, words, made, loops):
    if loops == "compiled":
        kernel_loader.load()
    config = TrainerConfig(base=Base.CHARACTERS, marker=marker, alphabet_limit=3)
    with pytest.raises(ConfigError) as caught:
        build_alphabet(made(words), config)
    assert str(caught.value) == "The text to train on" + HALF


def test_half_a_surrogate_pair_is_no_initial_character_or_special_token():
    with pytest.raises(ConfigError) as initial:
        character_alphabet({"a": 1}, initial_characters="b\ud83d")
    with pytest.raises(ConfigError) as special:
        byte_alphabet(special_tokens=["<s>", "\ud83d"])
    assert str(initial.value) == "The list of initial characters" + HALF
    assert str(special.value) == "A special token" + HALF


def test_bytes_can_have_a_form_for_the_end_of_a_word() -> None:
    forms = [Token(bytes([value]), ends_word=ends) for ends in (False, True) for value in range(256)]
    alphabet = Alphabet(Base.BYTES, Marker.SUFFIX, dict(enumerate(forms)))
    assert alphabet.symbols_of("aé") == [ord("a"), 0xC3, 256 + 0xA9]
    assert alphabet.symbols_of("a") == [256 + ord("a")]
    assert alphabet.symbols_of("") == []
    assert [symbol[1:] for symbol in alphabet.spell("aé")] == [(0, 1, 0, 0), (1, 2, 0, 1), (1, 2, 1, 0)]
