"""Token ids of whole texts by compiled loops: the plain tokenizer's, tiktoken's and Hugging Face's; and huge words."""

import random
from dataclasses import replace
from itertools import islice
from unittest.mock import patch

import numpy as np
import pytest
import tiktoken
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from core import kernel_loader
from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.encoders import Piece, encode
from core.formats import FORMATS
from core.kernels.encoding import SHORT
from core.merge import UNKNOWN
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, Digits, custom
from core.recording import Recording
from core.segmentation import GAP, prepare_now
from core.tokenizer import COMPILED_CHARS, COMPILED_SYMBOLS, Specials, SpecialTokenError, Tokenizer, WordHistory
from core.trainer import TrainerConfig
from tests.core.hard_texts import any_text
from tests.core.runs import finish, record, record_words, spelled

LESSON = (
    "The cat's 12,345 théâtres, the 日本 🙂🙂 …\r\n\n\tthe  end of İstanbul; don't THE ½ e\u0301 ü\u00a0a\u2028b   \n"
    "low lower lowest, newer newest; widely, wider, widest 中文文本 中文\n"
) * 3


@pytest.fixture(autouse=True, scope="module")
def _kernels():
    kernel_loader.load()


def plain_ids(tokenizer, text):
    """Of words that are too short for compiled loops."""
    return [token.token_id for token in tokenizer.encode(text) if token.token_id != UNKNOWN]


PIPELINES = {
    **{name: Pipeline(pre_tokenizer=pre_tokenizer) for name, pre_tokenizer in PRE_TOKENIZERS.items()},
    "own": Pipeline(pre_tokenizer=custom(r"\w\w?|\s")),
    "digits": Pipeline(pre_tokenizer=replace(PRE_TOKENIZERS["gpt2"], digits=Digits.THREES, punctuation=True)),
    "nfkc": Pipeline(Normalizer.named("nfkc", "lowercase"), PRE_TOKENIZERS["cl100k"]),
    "llama": Pipeline(Normalizer.named("metaspace"), PRE_TOKENIZERS["metaspace"]),
}


@pytest.mark.parametrize("name", PIPELINES)
@settings(max_examples=40, deadline=None)
@given(text=any_text, step=st.integers(0, 60), characters=st.sampled_from([1, 2, 7, 1_000]))
def test_texts_cut_in_any_way_become_the_same_ids(name, text, step, characters):
    tokenizer = Tokenizer(byte_recording(name), step)

    with patch("core.word_places.CHARS_PER_SLICE", characters):
        assert tokenizer.id_array(text).tolist() == plain_ids(tokenizer, text)


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(any_text | st.text("ab", min_size=200, max_size=900), max_size=4),
    step=st.integers(0, 60),
    size=st.integers(1, 300),
)
def test_texts_are_encoded_in_slices_of_any_size(parts, step, size):
    """A slice ends where its bytes or ids are many; words for which there is no room are merged on their own."""
    tokenizer, text = Tokenizer(byte_recording("gpt2"), step), " ".join(parts)

    with (
        patch("core.compiled_encoder.BYTES_PER_SLICE", size),
        patch("core.compiled_encoder.SYMBOLS_PER_SLICE", SHORT + 8),
        patch("core.compiled_encoder.SHORT_SYMBOLS", 1),
    ):
        assert tokenizer.id_array(text).tolist() == plain_ids(tokenizer, text)


RECORDINGS = {}


def byte_recording(name):
    if name not in RECORDINGS:
        RECORDINGS[name] = record(LESSON, TrainerConfig(merges=60), PIPELINES[name])
    return RECORDINGS[name]


TOKEN = {"special_tokens": ("<unk>",), "unknown_token": "<unk>"}


@pytest.mark.parametrize(
    ("unknown", "options", "shown"),
    [
        (Unknown.KEEP, {}, "lo w low er"),
        (Unknown.DROP, {}, "low low er"),
        (Unknown.TOKEN, TOKEN, "lo <unk> <unk> w <unk> low er <unk>"),
        (Unknown.FUSE, TOKEN, "lo <unk> w <unk> low er <unk>"),
        (
            Unknown.BYTES,
            {},
            "lo <0xE6> <0x97> <0xA5> <0xE6> <0x9C> <0xAC> w <0xE6> <0x97> <0xA5> low er <0xED> <0xA0> <0x80>",
        ),
    ],
)
def test_unknown_characters_become_the_unknown_token_or_bytes_or_nothing(unknown, options, shown):
    config = TrainerConfig(Base.CHARACTERS, merges=3, unknown=unknown, **options)
    recording = record("low lower low lower", config, PIPELINES["whitespace"])
    tokenizer = Tokenizer(recording)
    ids = tokenizer.id_array("lo日本w 日 lower\ud800")

    assert spelled(recording, ids.tolist()) == shown
    assert ids.tolist() == plain_ids(tokenizer, "lo日本w 日 lower\ud800")


def test_a_byte_that_never_ends_a_word_is_unknown_there():
    """As in CLIP's files, which have forms of bytes for the end of a word; this one lacks some of them."""
    tokens = [Token(b"<unk>", special=True), *(Token(bytes([value])) for value in range(256)), Token(b"w", True)]
    alphabet = Alphabet(Base.BYTES, Marker.SUFFIX, dict(enumerate(tokens)), Unknown.TOKEN)
    tokenizer = Tokenizer(Recording(alphabet, TrainerConfig(**TOKEN), PIPELINES["whitespace"]))

    assert tokenizer.id_array("low up").tolist() == [109, 112, 257, 118, 0]


def test_special_tokens_stand_where_they_are():
    config = TrainerConfig(special_tokens=("<|a|>", "<|a|><|b|>"), merges=2)
    tokenizer = Tokenizer(record("low low", config))

    assert tokenizer.id_array("<|a|>low<|a|><|b|> low").tolist() == [0, 259, 1, 222, 259]
    assert tokenizer.id_array("<|a|>", Specials.AS_TEXT).tolist() == tokenizer.ids("<|a|>", Specials.AS_TEXT)
    with pytest.raises(SpecialTokenError):
        tokenizer.id_array("low<|a|>", Specials.REFUSE)
    assert tokenizer.id_array("").dtype == np.int32


def test_a_long_text_goes_through_compiled_loops():
    tokenizer = Tokenizer(byte_recording("gpt2"))
    text = "lower widest " * (COMPILED_CHARS // 10)
    ids = tokenizer.ids(text)

    assert ids == tokenizer.id_array(text).tolist() == plain_ids(tokenizer, text)
    assert type(ids[0]) is int


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
@settings(max_examples=150, deadline=None)
@given(text=any_text)
def test_tiktoken_gives_the_same_ids(name, text):
    assert Tokenizer(byte_recording(name)).id_array(text).tolist() == tiktoken_encoding(name).encode_ordinary(text)


ENCODINGS = {}


def tiktoken_encoding(name):
    if name not in ENCODINGS:
        recording = byte_recording(name)
        ranks = {token.content: token_id for token_id, token in recording.tokens_at(len(recording))}
        ENCODINGS[name] = tiktoken.Encoding(
            name, pat_str=PRE_TOKENIZERS[name].pattern, mergeable_ranks=ranks, special_tokens={}
        )
    return ENCODINGS[name]


@pytest.mark.parametrize("name", PIPELINES)
@settings(max_examples=20, deadline=None)
@given(text=any_text, step=st.integers(0, 60))
def test_the_tokens_of_a_shown_text_are_counted_as_they_are_shown(name, text, step):
    segmenter = prepare_now(byte_recording(name), text)
    shown = segmenter.segments(0, len(segmenter.text), step)

    assert finish(segmenter.count_tokens(step)) == sum(segment.token_id != GAP for segment in shown)


@pytest.mark.parametrize("unknown", [Unknown.KEEP, Unknown.DROP])
def test_unknown_characters_and_words_in_parts_are_counted_as_they_are_shown(unknown):
    config = TrainerConfig(Base.CHARACTERS, merges=3, unknown=unknown)
    recording = record("low lower low lower", config, PIPELINES["whitespace"])
    count = 6 if unknown is Unknown.KEEP else 2  # low ? ? lo ? w, or low low

    assert finish(prepare_now(recording, "low ?? lo?w").count_tokens(3)) == count
    assert finish(prepare_now(recording, "lo" * 2_049 + " low").count_tokens(3)) == 2_050


@pytest.fixture(scope="module")
def suffixed(tmp_path_factory):
    """A recording with </w>, unknown characters and a special token; and Hugging Face's tokenizer of it."""
    config = TrainerConfig(
        Base.CHARACTERS,
        Marker.SUFFIX,
        merges=30,
        unknown=Unknown.FUSE,
        special_tokens=("<unk>",),
        unknown_token="<unk>",
    )
    recording = record(LESSON, config, PIPELINES["words"])
    folder = tmp_path_factory.mktemp("suffixed")
    FORMATS["huggingface"].save(recording, len(recording), folder)
    return recording, tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


@settings(max_examples=150, deadline=None)
@given(text=any_text)
def test_hugging_face_gives_the_same_ids(suffixed, text):
    recording, theirs = suffixed

    assert Tokenizer(recording).id_array(text).tolist() == theirs.encode(text, add_special_tokens=False).ids


# one word that is the whole text

ONE_WORD = Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"])


def doubling(unit, merges):
    """Merges that double `unit`: the token of rank k is 2^(k + 1) of its letters."""
    return record_words({unit * 2**merges: 1}, TrainerConfig(merges=merges), pipeline=ONE_WORD)


def test_two_million_equal_letters():
    recording = doubling("a", 5)
    last = recording[4].token_id
    ids = Tokenizer(recording).id_array("a" * 2_000_003)

    assert np.bincount(ids)[last] == 62_500
    assert ids[-3:].tolist() == [last, recording[0].token_id, recording[0].left]


def test_ababab():
    recording = doubling("ab", 4)
    ids = Tokenizer(recording).id_array("ab" * 500_001)

    assert set(ids[:-1].tolist()) == {recording[3].token_id}
    assert (len(ids), ids[-1]) == (62_501, recording[0].token_id)


def test_a_million_spaces_end_in_pieces_too():
    recording = doubling(" ", 3)
    tokenizer = Tokenizer(recording)

    assert set(tokenizer.id_array(" " * 1_000_000).tolist()) == {recording[2].token_id}
    assert tokenizer.pieces(" " * 80_000)[-1] == Piece(recording[2].token_id, 79_992, 80_000)
    assert list(tokenizer.tokens(" " * 80_000))[-1] == (recording[2].token_id, 79_992, 80_000)


def test_a_random_line_is_encoded_as_it_is_in_python(monkeypatch):
    line = "".join(random.Random(5).choices("etaoin shrdlu日\U0001f642", k=30_000))
    recording = record(line[:3_000], TrainerConfig(merges=200), ONE_WORD)
    pieces, ids = Tokenizer(recording).pieces(line), Tokenizer(recording).id_array(line)
    monkeypatch.setattr(kernel_loader, "are_ready", lambda: False)

    assert Tokenizer(recording).pieces(line) == pieces
    assert Tokenizer(recording).ids(line) == ids.tolist()


def test_many_words_that_nothing_parts_safely_are_encoded_a_little_at_a_time():
    """GPT-2's pattern looks across everything but white space, so this is cut only where its words are."""
    tokenizer = Tokenizer(byte_recording("gpt2"))
    slices = list(tokenizer.id_slices("low,lower." * 200_000))

    assert max(len(part.ids) for part in slices) <= 1 << 18
    assert len([part for part in slices if len(part.ids)]) >= 4
    assert np.array_equal(np.concatenate([part.ids for part in slices]), tokenizer.ids("low,lower.") * 200_000)


def test_a_huge_word_is_encoded_a_little_at_a_time():
    """Whoever asks for slices can stop, or tell how far it is, long before a word is done."""
    slices = list(Tokenizer(doubling("a", 5)).id_slices("a" * 1_000_000))

    assert len(slices) > 20
    assert sum(len(part.ids) for part in slices) == 31_250
    assert slices[-1].done == 1_000_000


@pytest.mark.parametrize(
    ("unknown", "options"), [(Unknown.KEEP, {}), (Unknown.DROP, {}), (Unknown.FUSE, TOKEN), (Unknown.BYTES, {})]
)
@settings(max_examples=15, deadline=None)
@given(looks=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40)), max_size=4), seed=st.integers(0, 99))
def test_the_history_of_a_long_word_follows_the_recording(unknown, options, looks, seed):
    config = TrainerConfig(Base.CHARACTERS, merges=30, unknown=unknown, **options)
    whole = record_words({"abab" * 30: 2, "abc" * 9: 1}, config)
    word = "".join(random.Random(seed).choices(["ab", "abab", "abc", "a", "日"], k=300))
    growing, merges = Recording(whole.alphabet, whole.config), iter(whole)
    history = WordHistory(growing, word)
    for appended, step in [*looks, (40, 30)]:
        growing.extend(islice(merges, appended))
        assert history.pieces(step) == encode(growing, growing.alphabet.symbols_of(word), step)
    assert len(history.symbols) >= COMPILED_SYMBOLS


def test_words_are_forgotten_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr("core.tokenizer.MAX_REMEMBERED_CHARS", 20)
    tokenizer = Tokenizer(byte_recording("gpt2"))
    words = ["lower", "widest", "newest", "lower", "x" * 30, "low"]

    assert [tokenizer.pieces(word) for word in words] == [Tokenizer(byte_recording("gpt2")).pieces(w) for w in words]
    assert len(tokenizer._known_pieces._found) < 4
