import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import kernel_loader
from core.alphabet import Base, Marker
from core.packed_words import PackedWords
from core.progress import without_progress
from core.trainer_config import TrainerConfig, build_alphabet

WORDS = {"ab": 1, "ba": 300, "a": 2, "aab": 1, "b": 2**40}


@pytest.fixture(scope="module", autouse=True)
def kernels():
    kernel_loader.load()


def laid_out(words: dict[str, int], keeps_order: bool = False, marker: Marker = Marker.NONE):
    from core.word_layout import lay_out_words

    alphabet = build_alphabet(words, TrainerConfig(Base.CHARACTERS, marker))
    return without_progress(lay_out_words(PackedWords.of(words), alphabet, keeps_order))


def found(laid, words: dict[str, int]) -> list[tuple[list[int], set[int]]]:
    """The symbols of each word, and the weights noted for its slots."""
    from core.kernels.layout import weight

    symbols, result = laid.layout.symbols.tolist(), []
    for start in laid.starts().tolist():
        assert symbols[start - 1] == 0
        end = symbols.index(0, start)
        result.append((symbols[start:end], {weight(laid.layout, slot) for slot in range(start, end)}))
    return result


EXPECTED = [([1, 2], {1}), ([2, 1], {300}), ([1], {2}), ([1, 1, 2], {1}), ([2], {2**40})]


def test_words_that_are_equally_rare_lie_together():
    laid = laid_out(WORDS)
    assert found(laid, WORDS) == EXPECTED
    assert laid.starts().tolist() == [256, 1, 512, 259, 4]


def test_words_of_many_bytes_a_character_lie_together_too():
    words = {"日本": 1, "ab": 300, "本": 1, "日": 2}
    laid = laid_out(words)
    assert found(laid, words) == [([3, 4], {1}), ([1, 2], {300}), ([4], {1}), ([3], {2})]
    assert laid.starts().tolist() == [256, 1, 259, 512]


def test_nothing_is_written_where_other_words_lie():
    """128 characters and as many separators fill a block."""
    words = {"日": 2} | {chr(0x4E00 + number): 1 for number in range(128)}
    laid = laid_out(words)
    assert found(laid, words) == [([129], {2})] + [([number], {1}) for number in range(1, 129)]
    assert laid.starts().tolist() == [512, *range(256, 512, 2)]


def test_words_in_their_order():
    laid = laid_out(WORDS, keeps_order=True)
    assert found(laid, WORDS) == EXPECTED
    assert laid.layout.symbols.tolist() == [0, 1, 2, 0, 2, 1, 0, 1, 0, 1, 1, 2, 0, 2, 0]


def test_each_thread_has_slots_of_its_own(monkeypatch):
    monkeypatch.setattr("core.word_layout.BYTES_FOR_THREADS", 4)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    laid = laid_out(WORDS)
    assert found(laid, WORDS) == EXPECTED
    assert len(laid.ranges) == 2
    assert laid.counts.tolist() == [0, 305, 302 + 2**40]


@given(
    st.dictionaries(st.text("abé\U0001f600", max_size=9), st.integers(1, 600), min_size=1, max_size=40), st.booleans()
)
def test_any_words(words, keeps_order):
    from unittest.mock import patch

    plain = found(laid_out(words, keeps_order), words)
    with patch("core.word_layout.BYTES_FOR_THREADS", 1):
        assert found(laid_out(words, keeps_order), words) == plain
    assert [len(symbols) for symbols, _ in plain] == [len(word) for word in words]
    assert [weights or {count} for (_, weights), count in zip(plain, words.values(), strict=True)] == [
        {count} for count in words.values()
    ]
