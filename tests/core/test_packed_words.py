import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.packed_words import PADDING, PackedWords

WORDS = {"low": 5, " 你好": 2, "🙂": 3_000_000_000, "\ud83d": 1, "": 4}


def test_they_are_a_mapping_in_the_order_given() -> None:
    packed = PackedWords.of(WORDS)
    assert list(packed.items()) == list(WORDS.items())
    assert dict(packed) == WORDS
    assert len(packed) == 5
    assert packed["🙂"] == 3_000_000_000
    assert "你好" not in packed
    assert packed.total == 3_000_000_012
    assert packed.word(1) == " 你好"


def test_their_bytes_are_utf8_one_behind_the_other() -> None:
    packed = PackedWords.of({"ab": 1, "é": 2})
    assert packed.data.tobytes() == b"ab\xc3\xa9" + bytes(PADDING)
    assert packed.offsets.tolist() == [0, 2, 4]
    assert packed.counts.dtype == np.int64


def test_packed_ones_are_not_packed_again() -> None:
    packed = PackedWords.of(WORDS)
    assert PackedWords.of(packed) is packed


@given(st.dictionaries(st.text(max_size=5), st.integers(1, 2**63 - 1), max_size=50))
def test_any_words_come_back(words: dict[str, int]) -> None:
    assert dict(PackedWords.of(words).items()) == words
