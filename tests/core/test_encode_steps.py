"""Rows of a word, against the plain way of merging it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker, Unknown
from core.encode_steps import (
    MAX_MERGE_ROWS,
    MAX_PHRASE_CHARS,
    Row,
    WordSteps,
    describe_piece,
    encode_phrase,
    phrase_title,
    row_title,
    spoken_row,
    why,
)
from core.merge import UNKNOWN
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.tokenizer import Piece, Tokenizer
from core.trainer import TrainerConfig
from tests.core.runs import record, record_words

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
CHARACTERS = TrainerConfig(base=Base.CHARACTERS)


def trained(text: str = TEXT, config: TrainerConfig = CHARACTERS, pre_tokenizer: str = "whitespace") -> Recording:
    return record(text, config, Pipeline(pre_tokenizer=PRE_TOKENIZERS[pre_tokenizer]))


def labels(word: WordSteps, index: int) -> list[str]:
    return [word.token_of(piece).content.decode() for piece in word.row(index).pieces]


def steps_as_rows(recording: Recording, word: str, step: int) -> list[tuple[tuple[int, ...], object, int | None]]:
    """The same from Tokenizer.steps, which merges a word the plain way."""
    steps = list(Tokenizer(recording, step).steps(word))
    rows = [(s.before, s.ranks, s.position) for s in steps]
    last = steps[-1].after if steps else tuple(recording.alphabet.symbols_of(word))
    return [*rows, (last, (None,) * (len(last) - 1), None)] if last else [((), (), None)]


def as_plain(row: Row) -> tuple[tuple[int, ...], object, int | None]:
    return tuple(piece.token_id for piece in row.pieces), row.ranks, row.winner


def test_lowest_is_merged_one_pair_a_row():
    recording = trained()
    word = WordSteps(recording, "lowest", len(recording))
    assert [labels(word, i) for i in range(word.row_count)] == [
        ["l", "o", "w", "e", "s", "t"],
        ["l", "o", "w", "es", "t"],
        ["l", "o", "w", "est"],
        ["lo", "w", "est"],
        ["low", "est"],
    ]
    assert [word.row(i).winner for i in range(5)] == [3, 3, 0, 0, None]
    assert [word.row(i).made for i in range(5)] == [None, 3, 3, 0, 0]
    assert row_title(word, 0) == "rank 0: e + s → es"
    assert row_title(word, 4) == "2 tokens"


def test_fewer_merges_at_an_earlier_step():
    recording = trained()
    assert labels(WordSteps(recording, "lowest", 1), 1) == ["l", "o", "w", "es", "t"]
    assert WordSteps(recording, "lowest", 0).row_count == 1


@given(st.text("lowernstid", min_size=0, max_size=14), st.integers(0, 20))
def test_rows_are_those_of_the_plain_way(word, step):
    recording = trained()
    rows = WordSteps(recording, word, step)
    assert [as_plain(rows.row(i)) for i in range(rows.row_count)] == steps_as_rows(recording, word, step)


@given(st.text(max_size=12))
def test_rows_of_any_text_in_bytes(word):
    recording = trained("中文字 中文 文字 😀😃 aaaa aaa", TrainerConfig(), "gpt2")
    rows = WordSteps(recording, word, len(recording))
    assert [as_plain(rows.row(i)) for i in range(rows.row_count)] == steps_as_rows(recording, word, len(recording))


def test_equal_ranks_go_leftmost_first():
    recording = trained("aaaa")
    word = WordSteps(recording, "aaaa", 1)
    assert [word.row(i).winner for i in range(3)] == [0, 1, None]
    assert why(word, 0) == (
        "Rank 0 is the lowest of 3 possible merges. It stands here 3 times: the leftmost goes first."
    )
    assert why(word, 1) == "Rank 0 is the only merge possible here."
    assert why(word, 2) == "No merge up to this step joins two of these neighbours."


def test_why_names_the_number_of_rivals():
    recording = trained()
    word = WordSteps(recording, "lowest", len(recording))
    assert why(word, 0).startswith("Rank 0 is the lowest of ")
    assert why(WordSteps(recording, "low", len(recording)), 2) == "The whole word is one token."


def test_row_in_words():
    recording = trained()
    word = WordSteps(recording, "lowest", len(recording))
    rivals = ", ".join(str(rank) for rank in word.row(0).rivals)
    assert spoken_row(word, 0) == f"rank 0: e plus s makes es, rivals {rivals}"
    assert spoken_row(word, 4) == "2 tokens: low, est"


def test_character_never_seen():
    recording = trained()
    word = WordSteps(recording, "l?w", len(recording))
    row = word.row(word.row_count - 1)
    assert [piece.token_id for piece in row.pieces].count(UNKNOWN) == 1
    assert labels(word, 0) == ["l", "?", "w"]
    assert len(word.ids()) == 2
    unknown = next(piece for piece in row.pieces if piece.token_id == UNKNOWN)
    assert "never seen in training: no token" in describe_piece(word, unknown, len(recording))
    assert word.id_of(unknown) is None


def test_character_never_seen_becomes_the_unknown_token():
    config = TrainerConfig(
        base=Base.CHARACTERS, special_tokens=("<unk>",), unknown_token="<unk>", unknown=Unknown.TOKEN
    )
    word = WordSteps(trained(config=config), "l?w", 3)
    assert 0 in word.ids()
    assert "becomes the unknown token 0" in describe_piece(word, Piece(UNKNOWN, 1, 2), 3)


def test_characters_never_seen_are_no_tokens():
    recording = trained()
    phrase = encode_phrase(recording, "lowest zow z", len(recording))
    assert [row_title(word, word.row_count - 1) for word in phrase.words] == [
        "2 tokens",
        "2 tokens, 1 unknown",
        "0 tokens, 1 unknown",
    ]
    assert why(phrase.words[2], 0) == "No token covers this character."
    assert phrase_title(phrase) == "4 tokens, 2 unknown characters left out"
    assert len(phrase.ids) == 4


def test_the_unknown_token_is_a_token():
    config = TrainerConfig(
        base=Base.CHARACTERS, special_tokens=("<unk>",), unknown_token="<unk>", unknown=Unknown.TOKEN
    )
    recording = trained(config=config)
    phrase = encode_phrase(recording, "zow", len(recording))
    assert row_title(phrase.words[0], phrase.words[0].row_count - 1) == "3 tokens"
    assert phrase_title(phrase) == "3 tokens"


@pytest.mark.parametrize("marker", [Marker.SYMBOL, Marker.SUFFIX])
def test_last_character_never_seen_keeps_its_marker(marker):
    recording = trained(config=TrainerConfig(base=Base.CHARACTERS, marker=marker))
    word = WordSteps(recording, "l?", 0)
    unknown = next(piece for piece in word.row(0).pieces if piece.token_id == UNKNOWN)
    assert word.token_of(unknown).ends_word is (marker is Marker.SUFFIX)
    assert word.token_of(unknown).content == b"?"


def test_bytes_of_a_character_merge_into_it():
    recording = trained("中中中", TrainerConfig(), "gpt2")
    word = WordSteps(recording, "中", len(recording))
    assert [len(word.row(i).pieces) for i in range(word.row_count)] == [3, 2, 1]
    assert word.token_of(word.row(2).pieces[0]).content == "中".encode()


def test_phrase_is_words_and_special_tokens():
    config = TrainerConfig(special_tokens=("<|end|>",))
    recording = trained("low low lower", config, "gpt2")
    phrase = encode_phrase(recording, "low<|end|> lower", len(recording))
    assert [word.word for word in phrase.words] == ["low", "<|end|>", " lower"]
    assert [word.is_special for word in phrase.words] == [False, True, False]
    assert list(phrase.ids) == Tokenizer(recording).ids("low<|end|> lower")
    assert row_title(phrase.words[1], 0) == "special token"


@given(st.text("low erst<|nd>中", max_size=20))
def test_ids_are_the_tokenizers(text):
    recording = trained("low lower 中中", TrainerConfig(special_tokens=("<|end|>",)), "gpt2")
    assert list(encode_phrase(recording, text, len(recording)).ids) == Tokenizer(recording).ids(text)


def test_phrase_too_long_is_cut_and_says_so():
    phrase = encode_phrase(trained(), "low " * 2_000, 4)
    assert phrase.characters_left_out == 8_000 - MAX_PHRASE_CHARS
    assert len(phrase.words) == MAX_PHRASE_CHARS // 4


def test_rows_of_a_long_word_are_capped_but_its_result_is_whole():
    recording = trained("ab" * 50)
    word = WordSteps(recording, "ab" * 2_000, len(recording))
    assert word.row_count == MAX_MERGE_ROWS + 1
    assert word.merges_left_out == word.merge_count - MAX_MERGE_ROWS > 0
    last = word.row(word.row_count - 1)
    assert (last.winner, last.made) == (None, None)
    assert [piece.token_id for piece in last.pieces] == word.ids()


def test_facts_of_a_token():
    recording = trained()
    word = WordSteps(recording, "est", len(recording))
    text = describe_piece(word, word.row(2).pieces[0], 2)
    assert text.splitlines() == [
        "est",
        f"id {recording[1].token_id}, merged token",
        "rank 1: es + t",
        "bytes 65 73 74 (hex)",
        "9 times in the corpus",
    ]


def test_facts_of_a_long_token_are_cut():
    recording = trained("ab" * 100)
    word = WordSteps(recording, "ab" * 100, len(recording))
    lines = describe_piece(word, word.row(word.row_count - 1).pieces[0], 1).splitlines()
    assert max(map(len, lines)) == 90
    assert lines[0].endswith("…")


def test_pasting_a_page_takes_no_time():
    recording = trained("ab" * 500 + " low lower " * 20, TrainerConfig(), "gpt2")
    start = time.perf_counter()
    phrase = encode_phrase(recording, "abcde" * (MAX_PHRASE_CHARS // 5), len(recording))
    phrase.words[0].row(3)
    assert time.perf_counter() - start < 1.0  # 0.02 s here; the bound only catches quadratic work


def test_an_added_token_is_called_one():
    recording = record_words({"low lower": 3}, TrainerConfig(merges=3, special_tokens=("<s>", "<think>")))
    ids = recording.alphabet.special_ids
    recording.added_tokens = (AddedToken("<s>", ids["<s>"]), AddedToken("<think>", ids["<think>"], special=False))
    special, added = encode_phrase(recording, "<s><think>", 3).words
    assert [row_title(word, 0) for word in (special, added)] == ["special token", "added token"]
    assert why(added, 0) == "Added tokens are never cut: each has an id of its own."
