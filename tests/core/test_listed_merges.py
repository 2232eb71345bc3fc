"""Compiled loops on lists that training would not make: the same ids as plain Python, by merge and by token rank."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import kernel_loader
from core.alphabet import Marker, Token, Unknown, byte_alphabet
from core.compiled_encoder import CompiledEncoder, can_follow
from core.encoders import encode
from core.encoding_rules import Encoder, EncodingRules
from core.imported import Imported
from core.merge import Merge
from core.recording import Recording
from core.tokenizer import COMPILED_CHARS, Tokenizer, WordHistory
from core.word_places import Words
from tests.core.schemes import SCHEMES, listed, rule_lists, steps, trained, words


@pytest.fixture(autouse=True)
def loops():
    kernel_loader.load()


RANKED = (Encoder.MERGE_RANK, Encoder.TOKEN_RANK)


def ids_of(encoder, listed_words):
    encoded = encoder.words(Words.of(listed_words))
    return [part.tolist() for part in np.split(encoded.ids, encoded.ends[:-1])]


def plain_ids(recording, word, step, encoder):
    symbols = recording.alphabet.symbols_of(word)
    whole = recording.whole_piece(word, step) if encoder is recording.rules.encoder else None
    return [piece.token_id for piece in encode(recording, symbols, step, encoder)] if whole is None else [whole]


@pytest.mark.parametrize("encoder", RANKED)
@pytest.mark.parametrize("whole_pieces", [False, True])
@settings(max_examples=150, derandomize=True)
@given(rules=rule_lists, some_words=st.lists(st.text("abcx", max_size=9), min_size=1, max_size=5), step=steps)
def test_lists_in_any_order(encoder, whole_pieces, rules, some_words, step):
    recording = listed(rules)
    recording.rules = EncodingRules(encoder, whole_pieces)
    step = min(step, len(recording))
    compiled = CompiledEncoder(recording, step)

    expected = [plain_ids(recording, word, step, encoder) for word in some_words]
    assert ids_of(compiled, some_words) == expected
    assert ids_of(compiled, some_words) == expected  # from the cache
    for word in filter(None, some_words):
        pieces = compiled.pieces(word)
        assert [piece.token_id for piece in pieces] == plain_ids(recording, word, step, encoder)
        assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]
        assert pieces[-1].end == len(recording.alphabet.symbols_of(word))


@pytest.mark.parametrize("marker", [Marker.SUFFIX, Marker.CONTINUING])
@settings(max_examples=40, derandomize=True)
@given(rules=rule_lists, some_words=st.lists(st.text("abcx", max_size=9), min_size=1, max_size=5))
def test_lists_with_markers(marker, rules, some_words):
    recording = listed(rules, marker, Unknown.TOKEN)
    expected = [plain_ids(recording, word, len(recording), Encoder.MERGE_RANK) for word in some_words]
    assert ids_of(CompiledEncoder(recording), some_words) == expected


@pytest.mark.parametrize("scheme", SCHEMES, ids="-".join)
@settings(max_examples=8, derandomize=True)
@given(data=st.data(), some_words=st.lists(words, min_size=1, max_size=5), step=steps)
def test_token_ranks_of_every_scheme(scheme, data, some_words, step):
    recording = data.draw(trained([scheme]))
    step = min(step, len(recording))
    compiled = CompiledEncoder(recording, step, encoder=Encoder.TOKEN_RANK)
    assert ids_of(compiled, some_words) == [plain_ids(recording, word, step, Encoder.TOKEN_RANK) for word in some_words]


BYTES = byte_alphabet()
A, B, C, D = (BYTES.id_of(letter) for letter in (b"a", b"b", b"c", b"d"))


def model(merges, tokens, **rules):
    vocabulary = {256 + i: Token(content) for i, content in enumerate(tokens)}
    recording = Recording(BYTES, vocabulary=vocabulary, rules=EncodingRules(**rules), imported=Imported("", ""))
    recording.extend(Merge(rank, *merge) for rank, merge in enumerate(merges))
    return recording


def test_a_long_word_and_a_long_token_taken_whole():
    token = b"ab" * 3_000
    recording = model([(A, B, 256)], [b"ab", token], whole_pieces=True)
    tokenizer = Tokenizer(recording)
    assert tokenizer.compiled is not None
    assert tokenizer.ids("ab" * 3_000) == [257]
    assert tokenizer.ids("ab" * 3_001) == [256] * 3_001
    assert tokenizer.pieces("ab" * 3_000)[0][1:] == (0, 6_000)
    assert len("ab" * 3_000) > COMPILED_CHARS


def test_what_a_regular_model_is():
    """Every token becomes itself, so all ways to encode agree and words have histories."""
    merges = [(A, B, 256), (256, C, 257)]
    regular = model(merges, [b"ab", b"abc"], encoder=Encoder.TOKEN_RANK, whole_pieces=True)
    assert regular.is_regular
    assert regular.has_histories
    assert can_follow(regular)
    assert WordHistory(regular, "abcd").pieces(2)[0].token_id == 257


@pytest.mark.parametrize(
    ("merges", "tokens"),
    [
        ([(B, C, 256), (A, B, 257), (257, C, 258)], [b"bc", b"ab", b"abc"]),  # abc becomes a bc
        ([(A, B, 256)], [b"ab", b"abc"]),  # abc has no merge
    ],
)
def test_what_is_not_regular(merges, tokens):
    recording = model(merges, tokens, whole_pieces=True)
    assert recording.is_monotone
    assert not recording.is_regular
    assert not recording.has_histories
    whole = max(recording.vocabulary)
    assert [piece.token_id for piece in WordHistory(recording, "abc").pieces(len(merges))] == [whole]
    assert WordHistory(recording, "abc").applied_at(len(merges) - 1) == []
    assert Tokenizer(recording).ids("abc\n" * 1_000) == Tokenizer(recording).ids("abc\n") * 1_000
    recording.rules = replace(recording.rules, whole_pieces=False)
    assert recording.has_histories
