"""A corpus fills the counts of a recording that was read from a file."""

from collections import Counter
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.added_tokens import AddedToken
from core.alphabet import ByteOrder, Token, byte_alphabet
from core.attaching import ADDED_AS_TEXT, OUT_OF_ORDER, _encoded, attached
from core.corpus import Corpus
from core.encoding_rules import EncodingRules
from core.errors import ConfigError
from core.formats.opening import open_model
from core.imported import Imported
from core.merge import UNKNOWN, Merge
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.special_tokens import Specials
from core.tokenizer import Tokenizer
from core.trainer import CorpusSize, Score
from tests.core import schemes
from tests.core.formats.kinds import IMPORTED, KINDS, imported, kind, text
from tests.core.runs import finish


def stripped(recording: Recording) -> Recording:
    """As if it were read from a file without counts."""
    bare = replace(recording, corpus=None, word_counts={}, base_counts={}, size=CorpusSize())
    bare.extend(Merge(*merge[:4]) for merge in recording)
    return bare


@pytest.mark.parametrize("name", KINDS)
def test_the_text_that_it_was_trained_on_gives_all_counts_back(name):
    recording = kind(name)
    filled = finish(attached(stripped(recording), recording.corpus))
    assert list(filled) == list(recording)
    for field in fields(Recording):
        assert getattr(filled, field.name) == getattr(recording, field.name), field.name
    assert filled.token_count(recording[0].token_id, len(filled)) == recording.token_count(
        recording[0].token_id, len(recording)
    )


def test_what_is_a_text_can_be_chosen_and_how_words_are_cut_cannot():
    recording, corpus = kind("bytes gpt2"), Corpus.typed("one two\nthree")
    lines = finish(attached(stripped(recording), corpus, replace(recording.pipeline, texts=Texts.LINES)))
    assert lines.pipeline.texts is Texts.LINES
    assert lines.word_counts == {"one": 1, " two": 1, "three": 1}
    with pytest.raises(ConfigError, match=r"pre-tokenizer cl100k; .* but the tokenizer will cut texts with .*gpt2"):
        finish(attached(stripped(recording), corpus, Pipeline(pre_tokenizer=PRE_TOKENIZERS["cl100k"])))


@pytest.mark.parametrize("name", ["bytes gpt2", "characters dropped", "metaspace llama2", "wordpiece words"])
def test_word_by_word_gives_what_the_trainer_gives(name):
    recording = kind(name)
    counted = finish(_encoded(stripped(recording), recording.word_counts))
    assert counted.merges == [merge._replace(tied=0, score=None) for merge in recording]
    assert counted.base_counts == recording.base_counts
    assert counted.size == recording.size


@settings(max_examples=80)
@given(schemes.trained(scores=(Score.FREQUENCY,)))
def test_word_by_word_on_hard_words(recording):
    counted = finish(_encoded(stripped(recording), recording.word_counts))
    assert counted.merges == [merge._replace(tied=0) for merge in recording]
    assert counted.size == recording.size


def final_counts(filled: Recording) -> dict[int, int]:
    """The count of every token after all merges, from the merges' own numbers."""
    last = len(filled)
    found = {token_id: filled.token_count(token_id, last) for token_id, _ in filled.tokens_at(last)}
    if filled.token_count(UNKNOWN, last) and filled.unknown_id != UNKNOWN:
        found[filled.unknown_id] = found.get(filled.unknown_id, 0) + filled.token_count(UNKNOWN, last)
    return {token_id: count for token_id, count in found.items() if count}


TEXT = text("udhr_cmn_hans.txt")[:2_000] + text("alice_50k.txt")[:20_000] + " naïve 12345 🙂🙂🙂 aaaaaaa\n\n\n"


@pytest.mark.parametrize("name", IMPORTED)
def test_imported_tokenizers_count_what_they_encode(name):
    recording = imported(name)
    filled = finish(attached(recording, Corpus.typed(TEXT)))
    assert final_counts(filled) == Counter(Tokenizer(recording).ids(TEXT, Specials.AS_TEXT))
    assert [merge[:4] for merge in filled] == [merge[:4] for merge in recording]
    assert filled.has_counts
    assert (OUT_OF_ORDER in filled.imported.facts) is (name == "gpt_oss_300.tokenizer.json")


@pytest.mark.parametrize("folder", ["gpt2", "mistral_v1"])
def test_production_tokenizers_count_what_they_encode(folder, shared_dir):
    recording = open_model(shared_dir / "data" / "tokenizers" / folder).recording
    filled = finish(attached(recording, Corpus.typed(TEXT)))
    assert final_counts(filled) == Counter(Tokenizer(recording).ids(TEXT, Specials.AS_TEXT))


@pytest.mark.parametrize(("text", "is_said"), [("low\n\nlow", True), ("low\nlow", False)])
def test_added_tokens_that_are_counted_as_their_letters_are_said_to_be(text, is_said):
    """As Gemma's and GPT-NeoX's for line ends and spaces."""
    tokens = (AddedToken("\n\n", 256, special=False), AddedToken("low", 257))
    recording = Recording(
        byte_alphabet(), vocabulary={256: Token(b"\n\n")}, added_tokens=tokens, imported=Imported("huggingface", "x")
    )
    filled = finish(attached(recording, Corpus.typed(text)))
    assert (ADDED_AS_TEXT in filled.imported.facts) is is_said
    again = finish(attached(filled, Corpus.typed("low")))
    assert again.imported.facts == ()


def test_words_taken_whole_stand_for_themselves_from_the_start():
    """`abc`, which no merge makes, and `bcd`, whose merge the other merges get in the way of."""
    vocabulary = {300: Token(b"ab"), 301: Token(b"cd"), 302: Token(b"abc"), 303: Token(b"bc"), 304: Token(b"bcd")}
    alphabet = byte_alphabet(order=ByteOrder.VALUE)
    recording = Recording(alphabet, vocabulary=vocabulary, rules=EncodingRules(whole_pieces=True))
    a, b, c, d = b"abcd"
    for rank, merge in enumerate([(a, b, 300), (c, d, 301), (b, c, 303), (303, d, 304)]):
        recording.append(Merge(rank, *merge))
    filled = finish(attached(recording, Corpus.typed("abc,bcd,abcd,bc")))
    assert final_counts(filled) == {302: 1, 304: 1, 300: 1, 301: 1, 303: 1, ord(","): 3}
    assert [merge.applied for merge in filled] == [1, 1, 1, 0]
    assert filled.base_counts[302] == 1
    assert (filled.word_total, filled.whole_words, filled.words_kept_whole(4)) == (7, 5, 6)


@settings(max_examples=200)
@given(schemes.rule_lists, st.dictionaries(schemes.rule_words, st.integers(1, 3), max_size=4))
def test_merges_in_any_order_count_what_is_encoded(rules, words):
    recording = schemes.listed(rules)
    counted = finish(_encoded(recording, words))
    filled = replace(recording, base_counts=counted.base_counts, size=counted.size)
    filled.extend(counted.merges)
    expected, tokenizer = Counter[int](), Tokenizer(recording)
    for word, count in words.items():
        for piece in tokenizer.pieces(word):
            expected[piece.token_id] += count
    assert final_counts(filled) == {token_id: count for token_id, count in expected.items() if token_id != UNKNOWN}
    assert filled.corpus_length(len(filled)) == expected.total()
    assert all(merge.applied <= merge.count for merge in filled)


def test_training_does_not_go_on_from_what_it_has_not_made():
    recording = imported("cl100k_1200.tiktoken")
    filled = finish(attached(recording, Corpus.typed("low lower newest")))
    assert not filled.can_go_on(filled.corpus, filled.pipeline, filled.config)
