from core.packed_words import PackedWords
from core.progress import without_progress
from core.word_tally import WordTally


def test_words_are_added_up_in_the_order_of_their_first_appearance():
    tally = WordTally()
    tally.add({"b": 2, "a": 1})
    tally.add(PackedWords.of({"c": 3_000_000_000, "b": 1}))
    assert list(without_progress(tally.resulting()).items()) == [("b", 3), ("a", 1), ("c", 3_000_000_000)]
    assert (tally.unique, tally.total) == (3, 3_000_000_004)


def test_memory_grows_with_words_and_their_length():
    tally = WordTally()
    assert tally.memory_bytes == 0
    tally.add({"a": 5})
    one = tally.memory_bytes
    tally.add({"a": 5})
    assert tally.memory_bytes == one
    tally.add({"x" * 1_000: 1})
    assert tally.memory_bytes == 2 * one + 999


def test_cleared_it_begins_anew_but_for_the_total():
    tally = WordTally()
    tally.add({"a": 5})
    tally.clear()
    assert (tally.unique, tally.memory_bytes, dict(without_progress(tally.resulting()))) == (0, 0, {})
