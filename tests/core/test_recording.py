"""What a recording says of any step, against the corpus encoded and counted anew."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, Marker, Token
from core.merge import Merge
from core.recording import Recording
from core.tokenizer import Tokenizer
from core.trainer import StopReason, TieBreak, TrainerConfig
from tests.core.runs import record_words, spelled
from tests.core.schemes import KINDS

words = st.lists(st.sampled_from(["a", "b", "ab", "aa", "</w>", "é", "🙂"]), max_size=8).map("".join)
corpora = st.dictionaries(words, st.sampled_from([1, 2, 3_000_000_000]), max_size=8)

LOW = {"low": 3, "lower": 1, "lowest": 1}


@pytest.fixture
def low():
    """l o 5, lo w 5, low </w> 3, low e 2, lowe r, lowe s, lower </w>, lowes t, lowest </w>; `</w>` has id 7."""
    config = TrainerConfig(Base.CHARACTERS, Marker.SYMBOL, tie_break=TieBreak.LEXICOGRAPHIC)
    return record_words(LOW, config)


@given(corpora, st.sampled_from(KINDS), st.sampled_from(TieBreak), st.integers(0, 40))
def test_the_counts_at_a_step_are_those_of_the_encoded_corpus(word_counts, kind, tie_break, step):
    recording = record_words(word_counts, TrainerConfig(*kind, tie_break=tie_break))
    step = min(step, len(recording))
    tokenizer = Tokenizer(recording, step)
    counted = Counter[int]()
    for word, count in word_counts.items():
        for piece in tokenizer.pieces(word):
            counted[piece.token_id] += count

    vocab = [token_id for token_id, _ in recording.tokens_at(step)]
    assert {i: recording.token_count(i, step) for i in vocab} == {i: counted[i] for i in vocab}
    assert recording.corpus_length(step) == counted.total()
    assert recording.vocab_size(step) == len(vocab) == len(set(vocab))


def test_lengths_and_counts_step_by_step(low):
    w, low_id = low.alphabet.id_of(b"w"), low[1].token_id

    assert [low.corpus_length(step) for step in range(10)] == [25, 20, 15, 12, 10, 9, 8, 7, 6, 5]
    assert [low.token_count(w, step) for step in range(4)] == [5, 5, 0, 0]
    assert [low.token_count(low_id, step) for step in range(6)] == [0, 0, 5, 2, 0, 0]


def test_the_vocabulary_grows_with_the_step(low):
    assert spelled(low, [i for i, _ in low.tokens_at(2)]) == "e l o r s t w </w> lo low"
    assert [low.vocab_size(step) for step in (0, 2, 9)] == [8, 10, 17]


def test_a_merged_token_knows_where_it_came_from(low):
    low_id = low[1].token_id

    assert low.parts_of(low_id) == (low[0].token_id, low.alphabet.id_of(b"w"))
    assert (low.rank_of_token(low_id), low.rank_of(low[1].pair)) == (1, 1)
    assert low.token(low_id) == Token(b"low")
    assert low.token(low[2].token_id) == Token(b"low", ends_word=True)


def test_a_base_symbol_came_from_nothing(low):
    assert (low.parts_of(0), low.rank_of_token(0), low.rank_of((0, 0))) == (None, None, None)
    with pytest.raises(KeyError):
        low.token(99)


def test_merges_are_read_by_rank_and_in_order(low):
    assert [merge.rank for merge in low] == list(range(9))
    assert low[8].rank == 8
    assert len(low) == 9


def test_only_the_next_merge_can_be_appended(low):
    with pytest.raises(ValueError, match="expected the merge of rank 9, got that of rank 10"):
        low.append(Merge(10, 0, 1, 17))
    with pytest.raises(ValueError, match="expected the merge of rank 9, got that of rank 0"):
        low.append(low[0])
    assert len(low) == 9


def test_a_stopped_run_is_a_prefix_of_the_whole(low):
    stopped = Recording(low.alphabet, low.config, base_counts=low.base_counts, stop_reason=StopReason.CANCELLED)
    stopped.extend(list(low)[:4])

    assert list(stopped) == list(low)[:4]
    assert [stopped.corpus_length(step) for step in range(5)] == [low.corpus_length(step) for step in range(5)]
    assert stopped.token_count(low[1].token_id, 4) == low.token_count(low[1].token_id, 4) == 0


def test_a_recording_without_counts():
    recording = Recording(Alphabet(Base.CHARACTERS, Marker.NONE, {4: Token(b"a"), 9: Token(b"b")}))
    recording.append(Merge(0, 4, 9, 2))

    assert not recording.has_counts
    assert recording.corpus_length(1) == 0
    assert recording.token_count(4, 1) == 0
    assert dict(recording.tokens_at(1)) == {4: Token(b"a"), 9: Token(b"b"), 2: Token(b"ab")}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, None),
        ({"merges": 0}, 0),
        ({"merges": 7}, 7),
        ({"vocab_size": 20}, 12),
        ({"vocab_size": 20, "merges": 30}, 12),
        ({"vocab_size": 20, "merges": 3}, 3),
        ({"vocab_size": 5}, 0),
    ],
)
def test_how_many_merges_are_wanted(low, options, wanted):
    assert Recording(low.alphabet, TrainerConfig(**options)).merges_wanted == wanted
