"""The compiled encoder against the plain one: every scheme, every step, hard and long words, a crowded cache."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, Marker, Token
from core.compiled_encoder import NEVER, CompiledEncoder, can_encode, can_follow
from core.encoders import Dropout, encode
from core.encoding_rules import Encoder
from core.kernels.word_cache import CACHED_BYTES, new_cache
from core.merge import Merge
from core.recording import Recording
from core.tokenizer import WordHistory
from core.trainer import TrainerConfig
from core.word_places import Words
from tests.core.runs import record_words
from tests.core.schemes import SCHEMES, listed, steps, trained, words

word_lists = st.lists(words, max_size=6)


def ids_of(encoder, listed_words):
    """The ids of each word."""
    encoded = encoder.words(Words.of(listed_words))
    return [part.tolist() for part in np.split(encoded.ids, encoded.ends[:-1])] if listed_words else []


def plain_ids(recording, word, step):
    symbols = recording.alphabet.symbols_of(word)
    return [piece.token_id for piece in encode(recording, symbols, step)]


def boundaries_of(encoder, listed_words):
    """(base symbols, ranks) of each word."""
    found = []
    for part in encoder.boundaries(Words.of(listed_words)):
        starts = [0, *part.ends.tolist()]
        found += [(part.symbols[a:b].tolist(), part.ranks[a:b].tolist()) for a, b in pairwise(starts)]
    return found


@pytest.mark.parametrize("scheme", SCHEMES, ids="-".join)
@settings(max_examples=15)
@given(data=st.data(), some_words=word_lists, step=steps)
def test_words_of_every_scheme_become_the_same_tokens(scheme, data, some_words, step):
    recording = data.draw(trained([scheme]))
    step = min(step, len(recording))
    encoder = CompiledEncoder(recording, step)

    assert ids_of(encoder, some_words) == [plain_ids(recording, word, step) for word in some_words]
    assert ids_of(encoder, some_words) == [plain_ids(recording, word, step) for word in some_words]  # from the cache


@pytest.mark.parametrize("scheme", SCHEMES, ids="-".join)
@settings(max_examples=10)
@given(data=st.data(), some_words=word_lists)
def test_boundaries_of_every_scheme_go_at_the_same_ranks(scheme, data, some_words):
    recording = data.draw(trained([scheme]))
    histories = [WordHistory(recording, word) for word in some_words]
    for history in histories:
        history.pieces(len(recording))

    assert boundaries_of(CompiledEncoder(recording), some_words) == [
        (history.symbols, [*history.boundary_ranks, NEVER] if history.symbols else []) for history in histories
    ]


@given(trained(), word_lists, steps)
def test_the_boundaries_tell_the_tokens_at_every_step(recording, some_words, step):
    encoder = CompiledEncoder(recording)
    symbols, found = 0, []
    for boundaries in encoder.boundaries(Words.of(some_words)):
        ids, ends = encoder.tokens_at(boundaries, step)
        found += zip(ids.tolist(), (symbols + ends).tolist(), strict=True)
        symbols += len(boundaries.symbols)

    expected, symbols = [], 0
    for word in some_words:
        pieces = WordHistory(recording, word).pieces(min(step, len(recording)))
        expected += [(piece.token_id, symbols + piece.end) for piece in pieces]
        symbols += pieces[-1].end if pieces else 0
    assert found == expected


def test_ranks_are_compiled_and_nothing_else():
    recording = record_words({"low": 3, "lower": 1}, TrainerConfig())

    assert can_encode(recording)
    assert can_encode(recording, Encoder.TOKEN_RANK)
    assert not can_encode(recording, Encoder.LONGEST_MATCH)
    assert not can_encode(recording, Encoder.MERGE_RANK, Dropout(0.1))
    assert can_encode(listed([("ab", "c"), ("a", "b")]))
    assert not can_follow(listed([("ab", "c"), ("a", "b")]))
    assert not can_encode(Recording(Alphabet(Base.BYTES, Marker.SYMBOL, {0: Token(b"a")})))
    assert not can_encode(Recording(Alphabet(Base.BYTES, Marker.NONE, {2**22: Token(b"a")})))


def test_tables_follow_a_recording_that_grows():
    whole = record_words({"low lower lowest": 3, "newer": 1}, TrainerConfig(merges=12))
    growing = Recording(whole.alphabet, whole.config)
    for merge in whole:
        growing.append(merge)
        encoder = CompiledEncoder(growing)
        assert ids_of(encoder, ["lower newest"]) == [plain_ids(whole, "lower newest", merge.rank + 1)]
    early = CompiledEncoder(growing, 3)
    assert ids_of(early, ["lower newest"]) == [plain_ids(whole, "lower newest", 3)]


def test_ids_may_have_holes():
    recording = record_words({"abab": 3}, TrainerConfig(Base.CHARACTERS, merges=1))
    left, right = recording[0].pair
    sparse = Recording(recording.alphabet, recording.config)
    sparse.append(Merge(0, left, right, 1_000_000))
    sparse.append(Merge(1, 1_000_000, 1_000_000, 70))

    assert ids_of(CompiledEncoder(sparse), ["ababab", "ba"]) == [[70, 1_000_000], [right, left]]


long_words = st.text("ab", min_size=1, max_size=300) | st.lists(
    st.sampled_from(["ab", "aab", "abab", "a" * 40, "b"]), min_size=1, max_size=80
).map("".join)
rules = {"ab" * 40 + "a" * 17: 5, "aab" * 9: 4, "b" * 30: 3, "abb": 9}


@pytest.mark.parametrize("marker", [Marker.NONE, Marker.SUFFIX])
@settings(max_examples=150)
@given(word=long_words, step=st.integers(0, 40))
def test_words_of_hundreds_of_overlapping_pairs(marker, word, step):
    recording = record_words(rules, TrainerConfig(Base.CHARACTERS, marker, merges=40))
    step = min(step, len(recording))

    assert ids_of(CompiledEncoder(recording, step), [word]) == [plain_ids(recording, word, step)]


@settings(max_examples=100)
@given(
    some_words=st.lists(words | st.text("ab", max_size=40) | st.sampled_from(["a" * 1_000, "b" * 1_020]), max_size=60)
)
def test_words_that_crowd_the_cache_are_never_mistaken(some_words):
    recording = record_words(rules | {"é日🙂": 2}, TrainerConfig(merges=30))
    crowded = CompiledEncoder(recording, cache=new_cache(2, CACHED_BYTES + 9, CACHED_BYTES + 1))
    expected = [plain_ids(recording, word, len(recording)) for word in some_words]

    assert ids_of(crowded, some_words * 2) == expected * 2


def test_encoding_a_huge_word_can_be_left_before_its_end_is_found():
    recording = record_words(rules, TrainerConfig(merges=30))
    parts = list(CompiledEncoder(recording).text_slices("ab" * 300_000))

    assert [len(ids) for ids, _ in parts[:4]] == [0] * 4  # looked for in 128 Ki and 384 Ki characters, found, spelled
    assert [share for _, share in parts[:3]] == [0, 0, 1]
    assert parts[-1][0].tolist() == plain_ids(recording, "ab" * 300_000, 30)
