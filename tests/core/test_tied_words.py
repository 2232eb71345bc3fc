"""Compiled loops on merges of which some are equal: the same ids as in plain Python and in SentencePiece."""

import random
from pathlib import Path

import pytest

from core import kernel_loader
from core.compiled_encoder import can_encode
from core.encoding_rules import Encoder
from core.formats.sentencepiece import FORMAT
from core.formats.sentencepiece_model import Piece, Treatment
from core.recording import Recording
from core.tied_words import TiedWords
from core.tokenizer import Tokenizer
from core.word_places import Words
from tests.core.formats.piece_models import HEAD, model, processor, scored

RUNS = [Piece("▁" * size, -1_000.0) for size in (2, 3, 4, 6, 8)]
DATA = model(
    [*HEAD, *scored("ab", "▁a", "abc"), *RUNS, *scored("▁", "a", "b", "c", first=-2_000)],
    Treatment("identity", remove_extra_whitespaces=False),
)


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    kernel_loader.load()


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    (tmp_path / "m.model").write_bytes(DATA)
    return FORMAT.load(tmp_path / "m.model")


def test_ids(recording: Recording) -> None:
    tokenizer, theirs, chance = Tokenizer(recording), processor(DATA), random.Random(4)
    assert tokenizer.compiled
    for _ in range(300):
        text = "".join(chance.choices(["a", "b", "c", " ", "  ", "     ", "x", "é", "\n"], k=40))
        assert tokenizer.id_array(text).tolist() == theirs.encode(text), text
        assert [token.token_id for token in Tokenizer(recording).tokens(text)] == theirs.encode(text)
    long = "ab" + " " * 3_001 + "abc a"
    assert tokenizer.id_array(long).tolist() == theirs.encode(long)


def test_part_of_the_merges(recording: Recording) -> None:
    for step in range(len(recording) + 1):
        tokenizer = Tokenizer(recording, step)
        for text in ("a      b     ab", " " * 11, "abc"):
            assert tokenizer.id_array(text).tolist() == [token.token_id for token in tokenizer.tokens(text)]


def test_which_words_are_encoded_one_by_one(recording: Recording) -> None:
    tied = TiedWords(recording, len(recording))
    assert tied.among(Words.of(["▁a", "▁▁b", "ab", "▁▁▁"])) == [1, 3]
    assert tied.among(Words.of(["a▁", "▁b", "c"])) == [0, 1]  # nothing stands between them
    assert tied.among(Words.of([])) == []
    assert tied.holds("▁▁")
    assert not tied.holds("▁a▁")


def test_other_encoders_know_no_equals(recording: Recording) -> None:
    assert can_encode(recording, Encoder.MERGE_RANK)
    tokenizer = Tokenizer(recording, encoder=Encoder.MERGE_RANK)
    for text in ("a      b     ab", " " * 11):
        assert tokenizer.id_array(text).tolist() == [token.token_id for token in tokenizer.tokens(text)]
