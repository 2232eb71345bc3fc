"""Merges read at once into arrays are the same as merges appended one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Token, byte_alphabet
from core.loaded_merges import LoadedMerges, PackedTokens
from core.merge import Merge
from core.recording import Recording

ALPHABET = byte_alphabet(special_tokens=["<s>"])
A, B, C = (ALPHABET.id_of(letter) for letter in (b"a", b"b", b"c"))


def packed(tokens):
    ids = sorted(tokens)
    offsets = np.cumsum([0, *(len(tokens[token_id]) for token_id in ids)])
    return PackedTokens(np.array(ids, np.int32), b"".join(tokens[token_id] for token_id in ids), offsets)


def both(merges, vocabulary):
    merges = [Merge(rank, *merge) for rank, merge in enumerate(merges)]
    one_by_one = Recording(ALPHABET, vocabulary=vocabulary)
    one_by_one.extend(merges)
    columns = zip(*((m.left, m.right, m.token_id) for m in merges), strict=True)
    loaded = Recording(ALPHABET, vocabulary=packed({i: token.content for i, token in vocabulary.items()}))
    loaded.load(LoadedMerges(*(np.array(column, np.int32) for column in columns)))
    return one_by_one, loaded


VOCABULARY = {257 + i: Token(content) for i, content in enumerate([b"ab", b"abc", b"bc", b"aa", b"aab"])}
MERGES = st.sampled_from(
    [(A, B, 257), (257, C, 258), (A, 259, 258), (B, C, 259), (A, A, 260), (260, B, 261), (A, 257, 261)]
)


@settings(derandomize=True, max_examples=200)
@given(st.lists(MERGES, min_size=1, max_size=9))
def test_the_same_as_one_by_one(merges):
    one_by_one, loaded = both(merges, VOCABULARY)
    assert loaded.is_monotone == one_by_one.is_monotone
    assert list(loaded) == list(one_by_one)
    steps = range(len(merges) + 1)
    for about in ("vocab_size", "corpus_length", "words_kept_whole"):
        assert [getattr(loaded, about)(k) for k in steps] == [getattr(one_by_one, about)(k) for k in steps]
    assert [list(loaded.tokens_at(k)) for k in steps] == [list(one_by_one.tokens_at(k)) for k in steps]
    assert loaded.orphans == one_by_one.orphans
    for token_id in (A, *VOCABULARY):
        assert loaded.token(token_id) == one_by_one.token(token_id)
        assert loaded.rank_of_token(token_id) == one_by_one.rank_of_token(token_id)
        assert loaded.parts_of(token_id) == one_by_one.parts_of(token_id)
    for left, right, _ in merges:
        assert loaded.rank_of((left, right)) == one_by_one.rank_of((left, right))


@settings(derandomize=True, max_examples=50)
@given(st.lists(MERGES, min_size=1, max_size=6), st.lists(MERGES, min_size=1, max_size=3))
def test_it_can_grow(merges, more):
    one_by_one, loaded = both(merges, VOCABULARY)
    for rank, merge in enumerate(more, len(merges)):
        one_by_one.append(Merge(rank, *merge))
        loaded.append(Merge(rank, *merge))
    assert list(loaded) == list(one_by_one)
    assert loaded.is_monotone == one_by_one.is_monotone
    assert loaded.vocab_size(len(loaded)) == one_by_one.vocab_size(len(loaded))
    assert loaded.rank_of_token(more[-1][2]) == one_by_one.rank_of_token(more[-1][2])


def test_none_at_all():
    recording = Recording(ALPHABET)
    recording.load(LoadedMerges(*np.zeros((3, 0), np.int32)))
    assert len(recording) == 0
    assert recording.is_monotone
    assert recording.vocab_size(0) == 257


def test_packed_tokens():
    tokens = packed({7: b"ab", 3: b"", 9: b"\xff"})
    assert list(tokens) == [3, 7, 9]
    assert [tokens[i].content for i in tokens] == [b"", b"ab", b"\xff"]
    assert 7 in tokens
    assert 8 not in tokens
    assert tokens.get(10) is None
