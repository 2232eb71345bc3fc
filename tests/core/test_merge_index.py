"""Merges looked up by pair at a step and by what a token spells, while the recording grows."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Token, Unknown
from core.merge import UNKNOWN, Merge
from core.merge_index import ALWAYS, Match, spelling
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.runs import record_words
from tests.core.schemes import listed

A, B, C, X = range(4)


def test_a_merge_listed_twice():
    index = listed([("a", "b"), ("b", "c"), ("a", "b")]).index

    assert [index.last_rank((A, B), step) for step in range(4)] == [None, 0, 0, 2]
    assert [index.next_rank((A, B), rank) for rank in (-1, 0, 1, 2)] == [0, 2, 2, None]
    assert index.last_rank((A, X), 3) is index.next_rank((A, X), -1) is None


def test_neighbours_that_spell_a_token():
    recording = listed([("ab", "c"), ("a", "b"), ("b", "c")])
    ids = {token.content: i for i, token in recording.vocabulary.items()}

    assert recording.index.rank_of_joined((ids[b"ab"], C)) == 0
    assert recording.index.rank_of_joined((A, ids[b"bc"])) == 0
    assert recording.index.rank_of_joined((A, X)) is None
    assert recording.index.rank_of_joined((A, UNKNOWN)) is None


def test_the_index_follows_the_recording():
    whole = listed([("a", "b"), ("ab", "c"), ("a", "b")])
    growing = Recording(whole.alphabet, whole.config, vocabulary=whole.vocabulary)
    index = growing.index
    for rank, matches in enumerate((["a"], ["ab", "a"], ["abc", "ab", "a"], ["abc", "ab", "a"])):
        assert [whole.token(match.token_id).content.decode() for match in index.matches("abcx", 0)] == matches
        assert index.last_rank((A, B), 99) == (None, 0, 0, 2)[rank]
        assert (index.rank_of_joined((whole[0].token_id, C)) is None) == (rank < 2)
        if rank < len(whole):
            growing.append(whole[rank])


def test_markers_are_no_part_of_the_text():
    assert spelling(Token(b"a</w>")) != spelling(Token(b"a", ends_word=True))
    assert spelling(Token(b"##a")) != spelling(Token(b"a", continues=True))
    assert spelling(Token(b"\xff\xfe")) == "\u00ff\u00fe"


def test_marked_tokens_match_behind_a_start_only():
    recording = record_words({"ab": 2, "xab": 2, "cab": 1}, TrainerConfig(Base.CHARACTERS, Marker.CONTINUING))
    spelled = {recording.token(merge.token_id).text("##").decode(): merge.token_id for merge in recording}
    found = {continues: list(recording.index.matches("abab", 0, continues)) for continues in (False, True)}

    assert {"ab", "##ab"} <= set(spelled)
    assert found[False][0].token_id == spelled["ab"]
    assert found[True][0].token_id == spelled["##ab"]
    assert [match.length for match in found[True]] == [2, 1]


def test_special_tokens_and_bytes_of_the_unknown_match_nothing():
    config = TrainerConfig(Base.CHARACTERS, special_tokens=("abc", "b"), unknown=Unknown.BYTES)
    recording = record_words({"abc": 1}, config)
    known = recording.alphabet

    assert [*recording.index.matches("abc", 0)][-1] == Match(1, known.id_of(b"a"), ALWAYS)
    assert [*recording.index.matches("b", 0)] == [Match(1, 1, ALWAYS)]  # a special token that doubles as a letter
    assert [*recording.index.matches("z", 0)] == []
    a_fallback = known.fallback_ids[ord("a")]
    assert recording.index.rank_of_joined((a_fallback, known.id_of(b"b"))) is None


@given(st.lists(st.text("ab", min_size=1, max_size=6), max_size=12), st.text("ab", max_size=12), st.integers(0, 5))
def test_matches_are_all_tokens_that_the_text_goes_on_with(tokens, text, place):
    tokens = list(dict.fromkeys(["a", "b", *tokens]))
    vocabulary = {10 + rank: Token(content.encode()) for rank, content in enumerate(tokens[2:])}
    recording = Recording(listed([]).alphabet, TrainerConfig(Base.CHARACTERS), vocabulary=vocabulary)
    recording.extend(Merge(rank, A, B, token_id) for rank, token_id in enumerate(vocabulary))
    expected = sorted((token for token in tokens if text[place:].startswith(token)), key=len, reverse=True)

    assert [text[place : place + match.length] for match in recording.index.matches(text, place)] == expected


@pytest.mark.parametrize("attempt", range(5))
def test_threads_may_share_an_index(attempt):
    rules = [("a", "b"), ("b", "c"), ("a", "b")] * 300
    recording = listed(rules)
    index = recording.index
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: (index.last_rank((A, B), 900), index.rank_of_joined((B, C))), range(8)))

    assert results == [(899, 1)] * 8
    assert [index.next_rank((A, B), rank) for rank in (-1, 0, 2, 3, 896)] == [0, 2, 3, 5, 897]
