"""Every encoder against a slow one and against the tools it is named after; dropout; words of any length."""

import io
import json
import random
import string
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.encoders import Draws, Dropout, Piece, encode
from core.encoding_rules import ENCODER_HELPS, ENCODER_TITLES, Encoder
from core.errors import ConfigError
from core.merge import UNKNOWN, Merge
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer, WordHistory
from core.trainer import Score, TrainerConfig
from tests.core import reference_encoders
from tests.core.runs import record_words
from tests.core.schemes import BASE, listed, rule_lists, rule_words, steps, trained, words

VECTORS = Path(__file__).parent.parent / "data" / "vectors"
JOINING = [Encoder.MERGE_RANK, Encoder.TOKEN_RANK, Encoder.ALL_AT_ONCE, Encoder.LIST_ORDER]
SLOW = {
    Encoder.MERGE_RANK: reference_encoders.merge_rank,
    Encoder.TOKEN_RANK: reference_encoders.token_rank,
    Encoder.ALL_AT_ONCE: reference_encoders.all_at_once,
    Encoder.LIST_ORDER: reference_encoders.list_order,
    Encoder.LONGEST_MATCH: lambda word, merges: reference_encoders.longest_match(
        word, {*BASE, *(left + right for left, right in merges)}
    ),
}


def texts(recording, word, pieces):
    """Tokens as text; a character that no token covers as itself."""
    contents = recording.alphabet.contents_of(word)
    return [
        "".join(part.decode() for part in contents[piece.start : piece.end])
        if piece.token_id == UNKNOWN
        else recording.token(piece.token_id).content.decode()
        for piece in pieces
    ]


def encoded(recording, word, encoder, step=None):
    return texts(recording, word, Tokenizer(recording, step, encoder).pieces(word))


def test_every_encoder_has_a_title_and_a_line_of_help():
    assert set(ENCODER_TITLES) == set(ENCODER_HELPS) == set(Encoder)


@pytest.mark.parametrize("encoder", Encoder)
@settings(max_examples=100)
@given(merges=rule_lists, word=rule_words, step=st.integers(0, 10))
def test_merges_in_any_order_encode_as_the_slow_way_does(encoder, merges, word, step):
    assert encoded(listed(merges), word, encoder, step) == SLOW[encoder](word, merges[:step])


@settings(max_examples=150)
@given(rule_lists, rule_words, st.lists(st.integers(0, 10), max_size=4))
def test_the_history_of_a_word_under_merges_in_any_order(merges, word, looks):
    recording = listed(merges)
    history = WordHistory(recording, word)
    for step in [*looks, len(recording)]:
        assert texts(recording, word, history.pieces(step)) == SLOW[Encoder.MERGE_RANK](word, merges[:step])


def test_where_a_merge_applied_under_merges_out_of_order():
    recording = listed([("ab", "c"), ("a", "b"), ("abc", "x")])
    history = WordHistory(recording, "abcxab")

    assert not recording.is_monotone
    assert [history.applied_at(rank) for rank in range(3)] == [[], [0, 4], [2]]
    assert texts(recording, "abcxab", history.pieces(1)) == ["a", "b", "c", "x", "a", "b"]
    assert texts(recording, "abcxab", history.pieces(2)) == ["abc", "x", "ab"]


@settings(max_examples=200)
@given(trained(), words, steps)
def test_on_trained_merges_all_that_join_neighbours_agree(recording, word, step):
    by_rank = Tokenizer(recording, step).pieces(word)
    for encoder in JOINING[1:]:
        assert Tokenizer(recording, step, encoder).pieces(word) == by_rank, encoder


@settings(max_examples=150)
@given(trained(scores=(Score.FREQUENCY,)), words, steps)
def test_the_longest_match_is_the_longest_that_is_there(recording, word, step):
    """Against a search of the whole vocabulary for every place."""
    symbols = recording.alphabet.symbols_of(word)
    known = {}
    for token_id, token in recording.tokens_at(step):
        if token.content != b"<unk>":
            known[token.content, token.ends_word, token.continues, token.is_fallback] = token_id
    contents = recording.alphabet.contents_of(word)
    expected, start = [], 0
    while start < len(symbols):
        for end in range(len(symbols), start, -1):
            run = [recording.token(symbol) for symbol in symbols[start:end] if symbol != UNKNOWN]
            if len(run) < end - start or (end - start > 1 and any(token.is_fallback for token in run)):
                continue
            spelled = b"".join(contents[start:end]), run[-1].ends_word, run[0].continues, run[0].is_fallback
            if spelled in known:
                break
        else:
            end = start + 1
        expected.append(Piece(symbols[start] if end == start + 1 else known[spelled], start, end))
        start = end

    assert Tokenizer(recording, step, Encoder.LONGEST_MATCH).pieces(word) == expected


def lowest(**options):
    """Merges: es, lo, low, est, rest, er, lower, lowest."""
    counts = {"es": 9, "rest": 5, "low": 6, "lower": 4, "lowest": 1}
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    return record_words(counts, TrainerConfig(Base.CHARACTERS, **options), pipeline=pipeline)


@pytest.mark.parametrize(
    ("word", "by_rank", "longest"),
    [
        ("lowest", ["lowest"], ["lowest"]),
        ("lowerest", ["low", "e", "rest"], ["lower", "est"]),
        ("rerlower", ["r", "er", "lower"], ["r", "er", "lower"]),
    ],
)
def test_the_longest_match_may_differ_on_trained_merges(word, by_rank, longest):
    assert encoded(lowest(), word, Encoder.MERGE_RANK) == by_rank
    assert encoded(lowest(), word, Encoder.LONGEST_MATCH) == longest


def test_the_longest_match_knows_only_tokens_that_are_there_at_the_step():
    assert encoded(lowest(), "lowest", Encoder.LONGEST_MATCH, 8) == ["lowest"]
    assert encoded(lowest(), "lowest", Encoder.LONGEST_MATCH, 7) == ["low", "est"]
    assert encoded(lowest(), "lowest", Encoder.LONGEST_MATCH, 1) == ["l", "o", "w", "es", "t"]


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score.FREQUENCY, ["low", "?", "est"]),
        (Score.WORDPIECE, ["low?est"]),  # as BERT: of a word with an unknown character nothing is known
    ],
)
def test_a_longest_match_that_nothing_begins(score, expected):
    assert encoded(lowest(score=score), "low?est", Encoder.LONGEST_MATCH) == expected


def test_the_unknown_token_stands_for_a_whole_word_of_wordpiece():
    recording = lowest(score=Score.WORDPIECE, special_tokens=("[UNK]",), unknown_token="[UNK]", unknown=Unknown.TOKEN)

    assert Tokenizer(recording, encoder=Encoder.LONGEST_MATCH).encode("low?est") == [(0, 0, 7)]
    assert 0 not in Tokenizer(recording, encoder=Encoder.LONGEST_MATCH).ids("lowest")


def test_a_special_token_is_no_result_of_joining_or_matching_unless_it_is_one_letter():
    recording = record_words({"ab": 1}, TrainerConfig(Base.CHARACTERS, merges=0, special_tokens=("ab", "a")))

    assert [recording.token(i).content for i in (0, 1, 2)] == [b"ab", b"a", b"b"]
    for encoder in Encoder:
        assert [piece.token_id for piece in Tokenizer(recording, encoder=encoder).pieces("ab")] == [1, 2]


def test_a_merge_that_makes_a_special_token_makes_it_for_all():
    """As Hugging Face's trainer does it where a merge spells a special token."""
    tokens = {0: Token(b"ab", special=True), 1: Token(b"a"), 2: Token(b"b")}
    recording = Recording(Alphabet(Base.CHARACTERS, Marker.NONE, tokens))
    recording.append(Merge(0, 1, 2, 0))

    for encoder in Encoder:
        assert [piece.token_id for piece in Tokenizer(recording, encoder=encoder).pieces("aab")] == [1, 0]
        assert [piece.token_id for piece in Tokenizer(recording, 0, encoder).pieces("aab")] == [1, 1, 2]


# what other tools answer


def hugging_face_model(case):
    options = case["model_options"]
    suffix, prefix = options.get("end_of_word_suffix", "\0"), options.get("continuing_subword_prefix", "\0")
    unk = options.get("unk_token")

    def token(text):
        if options.get("byte_fallback") and text.startswith("<0x"):
            return Token(bytes.fromhex(text[3:5]), is_fallback=True)
        content = text.removesuffix(suffix).removeprefix(prefix)
        return Token(content.encode(), text.endswith(suffix), text == unk, text.startswith(prefix))

    vocab = case["vocab_in_id_order"]
    tokens = {i: token(text) for i, text in enumerate(vocab)}
    first = {i: t for i, t in tokens.items() if t.special or t.is_fallback or len(t.content.decode()) == 1}
    policy = (
        Unknown.BYTES if options.get("byte_fallback") else Unknown.FUSE if options.get("fuse_unk") else Unknown.TOKEN
    )
    policy = policy if unk else Unknown.DROP
    marker = Marker.SUFFIX if suffix != "\0" else Marker.CONTINUING if prefix != "\0" else Marker.NONE
    specials = () if unk is None else (unk,)
    config = TrainerConfig(Base.CHARACTERS, marker, special_tokens=specials, unknown_token=unk, unknown=policy)
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    recording = Recording(Alphabet(Base.CHARACTERS, marker, first, policy), config, pipeline, vocabulary=tokens)
    for rank, (left, right) in enumerate(case["merges"]):
        made = vocab.index(left + right.removeprefix(prefix))
        recording.append(Merge(rank, vocab.index(left), vocab.index(right), made))
    return recording


CASES = [
    case
    for case in json.loads((VECTORS / "50_hf_encode_cases.json").read_text(encoding="utf-8"))["cases"]
    if not case["model_options"].get("ignore_merges")  # which no recording says
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["title"])
def test_hand_written_merges_encode_as_in_hugging_face(case):
    tokenizer = Tokenizer(hugging_face_model(case))
    for encoding in case["encodings"]:
        assert tokenizer.ids(encoding["text"], Specials.AS_TEXT) == encoding["ids"], encoding["text"]
        if tokenizer.recording.alphabet.unknown is not Unknown.DROP:  # theirs end too early behind one that vanished
            tokens = tokenizer.encode(encoding["text"], Specials.AS_TEXT)
            assert [[token.start, token.end] for token in tokens] == encoding["offsets"]


ROWS = json.loads((VECTORS / "51_engines_compared.json").read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['text']} {row['merges']}")
def test_one_list_of_merges_under_the_encoders_of_three_tools(row):
    recording = listed(row["merges"])

    assert encoded(recording, row["text"], Encoder.MERGE_RANK) == row["hf"]
    assert encoded(recording, row["text"], Encoder.TOKEN_RANK) == row["tiktoken"]
    if row["text"].endswith("x"):  # else the last letter is another one there, with </w>
        assert encoded(recording, row["text"], Encoder.ALL_AT_ONCE) == row["subword_nmt"]


@settings(max_examples=100)
@given(merges=rule_lists, word=rule_words)
def test_merge_rank_is_hugging_faces_way(merges, word):
    tokenizers = pytest.importorskip("tokenizers")
    recording = listed(merges)
    vocab = {token.content.decode(): i for i, token in {**recording.alphabet.tokens, **recording.vocabulary}.items()}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [*map(tuple, merges)]))

    assert Tokenizer(recording).ids(word) == theirs.encode(word).ids


@settings(max_examples=100)
@given(merges=rule_lists.filter(bool), word=rule_words)
def test_all_at_once_is_subword_nmts_way(merges, word):
    apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")
    codes = "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in merges)
    theirs = apply_bpe.BPE(io.StringIO(codes), separator="")

    assert encoded(listed(merges), word + "x", Encoder.ALL_AT_ONCE) == theirs.segment_tokens([word + "x"])


@settings(max_examples=100)
@given(merges=rule_lists, word=rule_words)
def test_token_rank_is_tiktokens_way(merges, word):
    tiktoken = pytest.importorskip("tiktoken")
    made = dict.fromkeys(left + right for left, right in merges)
    ranks = {bytes([i]): i for i in range(256)} | {text.encode(): 256 + i for i, text in enumerate(made)}
    theirs = tiktoken.Encoding("theirs", pat_str="(?s).+", mergeable_ranks=ranks, special_tokens={})
    parts = [theirs.decode([i]) for i in theirs.encode(word + "xx")]  # a whole word would be looked up first

    assert encoded(listed(merges), word + "xx", Encoder.TOKEN_RANK) == parts


bert_words = st.text("abcé日🙂\u0301", min_size=1, max_size=8)  # no ##, which would be the mark of a token there


@settings(max_examples=100)
@given(st.dictionaries(bert_words, st.integers(1, 3), min_size=1, max_size=8), bert_words)
def test_the_longest_match_is_berts_way(corpus, word):
    tokenizers = pytest.importorskip("tokenizers")
    config = TrainerConfig(
        Base.CHARACTERS,
        Marker.CONTINUING,
        score=Score.WORDPIECE,
        special_tokens=("[UNK]",),
        unknown_token="[UNK]",
        unknown=Unknown.TOKEN,
        complete_alphabet=False,
    )
    recording = record_words(corpus, config, pipeline=Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"]))
    vocab = {token.text("##").decode(): i for i, token in recording.tokens_at(len(recording))}
    theirs = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=99))
    encoding = theirs.encode(word)
    tokens = Tokenizer(recording, encoder=Encoder.LONGEST_MATCH).encode(word)

    assert [token.token_id for token in tokens] == encoding.ids
    assert [(token.start, token.end) for token in tokens] == encoding.offsets


# dropout


def test_without_dropout_nothing_is_left_out():
    for seed in range(20):
        assert Tokenizer(lowest(), dropout=Dropout(0, seed)).ids("lowest rest") == Tokenizer(lowest()).ids(
            "lowest rest"
        )


def test_with_full_dropout_nothing_is_merged():
    tokenizer = Tokenizer(lowest(), dropout=Dropout(1, 5))

    assert texts(tokenizer.recording, "lowest", tokenizer.pieces("lowest")) == [*"lowest"]


def test_the_same_seed_leaves_out_the_same_merges():
    text = "lowest rest lower " * 20
    found = {tuple(Tokenizer(lowest(), dropout=Dropout(0.3, seed)).ids(text)) for seed in range(10)}

    assert len(found) == 10
    assert found == {tuple(Tokenizer(lowest(), dropout=Dropout(0.3, seed)).ids(text)) for seed in range(10)}


def test_every_occurrence_of_a_word_has_its_own_luck():
    tokenizer = Tokenizer(lowest(), dropout=Dropout(0.5))
    cuts = {tuple(tokenizer.pieces("lowest", place)) for place in range(50)}

    assert len(cuts) > 5
    lone = [token.token_id for token in tokenizer.encode("lowest")]
    assert lone == [piece.token_id for piece in tokenizer.pieces("lowest", 0)]


def test_a_merge_is_left_out_as_often_as_asked():
    recording = record_words({"ab": 1}, TrainerConfig(Base.CHARACTERS))
    left_out = sum(len(Tokenizer(recording, dropout=Dropout(0.3, seed)).pieces("ab")) == 2 for seed in range(2_000))

    assert 540 < left_out < 660  # three standard deviations around 600


@settings(max_examples=200)
@given(trained(), words, steps, st.sampled_from([0.1, 0.5, 0.9]), st.integers(0, 9))
def test_dropout_against_the_plain_way(recording, word, step, probability, seed):
    """Each time the possible merges are tried in order, and the first that luck does not leave out is made."""
    symbols, luck = recording.alphabet.symbols_of(word), random.Random(seed)
    expected = list(symbols)
    while True:
        ranks = ((recording.rank_of(pair), place) for place, pair in enumerate(pairwise(expected)))
        possible = sorted((rank, place) for rank, place in ranks if rank is not None and rank < step)
        taken = next((found for found in possible if luck.random() >= probability), None)
        if taken is None:
            break
        expected[taken[1] : taken[1] + 2] = [recording[taken[0]].token_id]
    pieces = encode(recording, symbols, step, Encoder.MERGE_RANK, Draws(probability, random.Random(seed)))

    assert [piece.token_id for piece in pieces] == expected


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_dropout_that_is_no_probability(probability):
    with pytest.raises(ConfigError, match=r"^The dropout must be a probability from 0 to 1, such as 0\.1, but is "):
        Dropout(probability)


@pytest.mark.parametrize("encoder", [encoder for encoder in Encoder if encoder is not Encoder.MERGE_RANK])
def test_dropout_is_for_merge_ranks_only(encoder):
    with pytest.raises(ConfigError, match=r"^Dropout is for the encoder 'Merge rank'"):
        Tokenizer(lowest(), encoder=encoder, dropout=Dropout(0.1))
    assert Tokenizer(lowest(), encoder=encoder, dropout=Dropout(0)).dropout is None


# words of any length


LONG = {
    "one letter": "a" * 200_000,
    "two letters": "ab" * 30_000,
    "anything": "".join(random.Random(1).choices(string.ascii_lowercase, k=60_000)),
    "half known": ("a" * 300 + "b") * 200,
}


@pytest.mark.parametrize("encoder", Encoder)
@pytest.mark.parametrize("word", LONG.values(), ids=LONG)
def test_no_encoder_works_quadratically(encoder, word):
    recording = record_words({"a" * 512: 2, "ab" * 200: 1, word[:5_000]: 1}, TrainerConfig(merges=400))
    start = time.perf_counter()
    pieces = Tokenizer(recording, encoder=encoder).pieces(word)

    assert time.perf_counter() - start < 20  # 1 s here; the bound only catches quadratic work
    assert b"".join(recording.token(piece.token_id).content for piece in pieces) == word.encode()


@pytest.mark.parametrize("encoder", Encoder)
def test_no_encoder_works_quadratically_under_merges_out_of_order(encoder):
    recording = listed([("aa", "ab"), ("ab", "c"), ("a", "b"), ("a", "a"), ("aa", "aa"), ("ab", "ab")])
    start = time.perf_counter()
    pieces = Tokenizer(recording, encoder=encoder).pieces("aaabcab" * 8_000)

    assert time.perf_counter() - start < 20  # under 1 s here
    assert sum(piece.end - piece.start for piece in pieces) == 56_000
