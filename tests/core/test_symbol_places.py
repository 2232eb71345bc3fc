"""The characters that symbols touch, in arrays, against those that the alphabet says one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, Marker, Token, Unknown, character_alphabet
from core.symbol_places import SymbolPlaces, utf8_sizes
from tests.core.schemes import SCHEMES, trained, words


@pytest.mark.parametrize("scheme", SCHEMES, ids="-".join)
@settings(max_examples=10)
@given(data=st.data(), word=words)
def test_they_are_those_of_the_alphabet(scheme, data, word):
    alphabet = data.draw(trained([scheme])).alphabet
    starts, ends = SymbolPlaces(alphabet).of(word)

    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [(s.start, s.end) for s in alphabet.spell(word)]


def places(alphabet, word):
    starts, ends = SymbolPlaces(alphabet).of(word)
    return starts.tolist(), ends.tolist()


def test_unknown_characters():
    assert places(character_alphabet(["ab"], unknown=Unknown.DROP), "a??b?") == ([0, 3], [1, 4])
    assert places(character_alphabet(["ab"], unknown=Unknown.FUSE), "a??b?") == ([0, 1, 3, 4], [1, 3, 4, 5])
    assert places(character_alphabet(["ab"], unknown=Unknown.BYTES), "aéb") == ([0, 1, 1, 2], [1, 2, 2, 3])
    assert places(character_alphabet(["ab"], Marker.SYMBOL), "a?") == ([0, 1, 2], [1, 2, 2])


def test_a_character_with_a_byte_that_has_no_token_stays_whole():
    tokens = {0: Token(b"a"), 1: Token(b"\xc3", is_fallback=True), 2: Token(b"?", is_fallback=True)}
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, tokens, Unknown.BYTES)

    assert places(alphabet, "aé?é") == ([0, 1, 2, 3], [1, 2, 3, 4])


def test_bytes_of_each_character():
    assert utf8_sizes("aé日🙂\ud800").tolist() == [1, 2, 3, 4, 3]
    assert np.array_equal(utf8_sizes(""), [])
