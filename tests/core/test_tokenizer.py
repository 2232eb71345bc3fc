"""Encoding at any step against a slow scan; the history of a word; decoding; special and unknown symbols."""

import random
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, Unknown
from core.merge import UNKNOWN, Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.recording import Recording
from core.tokenizer import NEVER, Specials, SpecialTokenError, Tokenizer, WordHistory
from core.trainer import TrainerConfig
from tests.core.reference_bpe import reference_encode
from tests.core.runs import record, record_words, spelled
from tests.core.schemes import KINDS, SCHEMES, steps, trained, words


def first_merges(recording, step):
    return [(*merge.pair, merge.token_id) for merge in list(recording)[:step]]


def encoded_slowly(recording, word, step):
    return reference_encode(recording.alphabet.symbols_of(word), first_merges(recording, step))


@pytest.mark.parametrize(
    "scheme", [scheme for scheme in SCHEMES if scheme[0] is Base.CHARACTERS or scheme[2] == "keep"]
)
@settings(max_examples=25)
@given(data=st.data(), word=words, step=steps)
def test_the_pieces_at_a_step_are_the_encoding_with_so_many_merges(scheme, data, word, step):
    recording = data.draw(trained([scheme]))
    pieces = WordHistory(recording, word).pieces(step)

    assert [piece.token_id for piece in pieces] == encoded_slowly(recording, word, step)
    assert Tokenizer(recording, step).pieces(word) == pieces
    symbols = recording.alphabet.contents_of(word)
    assert [(p.start, p.end) for p in pieces] == list(pairwise([0, *(p.end for p in pieces)]))
    assert sum(p.end - p.start for p in pieces) == len(symbols)
    for piece in pieces:
        if piece.token_id != UNKNOWN:
            assert recording.token(piece.token_id).content == b"".join(symbols[piece.start : piece.end])


@settings(max_examples=400)
@given(trained(), words, st.lists(st.tuples(st.integers(0, 4), steps), max_size=5))
def test_a_history_made_early_follows_the_recording(whole, word, looks):
    growing = Recording(whole.alphabet, whole.config)
    history = WordHistory(growing, word)
    merges = iter(whole)
    for appended, step in looks:
        growing.extend(islice(merges, appended))
        assert [piece.token_id for piece in history.pieces(step)] == encoded_slowly(growing, word, step)
    growing.extend(merges)

    assert history.pieces(len(whole)) == WordHistory(whole, word).pieces(len(whole))


@given(trained(), words, steps)
def test_the_steps_of_a_word_end_in_its_pieces(recording, word, step):
    tokenizer = Tokenizer(recording, step)
    symbols = tuple(recording.alphabet.symbols_of(word))
    for encode_step in tokenizer.steps(word):
        assert encode_step.before == symbols
        assert encode_step.ranks[encode_step.position] == encode_step.rank
        assert encode_step.rank == min(rank for rank in encode_step.ranks if rank is not None)
        assert len(encode_step.ranks) == len(symbols) - 1
        symbols = encode_step.after

    assert list(symbols) == [piece.token_id for piece in tokenizer.pieces(word)]


@given(trained(), words)
def test_each_merge_of_a_word_removes_one_boundary(recording, word):
    history = WordHistory(recording, word)
    made = [step.rank for step in Tokenizer(recording).steps(word)]

    assert {rank: len(history.applied_at(rank)) for rank in set(made)} == {rank: made.count(rank) for rank in made}
    assert sorted(rank for rank in history.boundary_ranks if rank != NEVER) == made


def test_the_boundary_ranks_of_a_word():
    recording = record_words({"low": 3, "lower": 1}, TrainerConfig(Base.CHARACTERS, Marker.SYMBOL))
    history = WordHistory(recording, "lowlow")

    assert spelled(recording, [merge.token_id for merge in recording]) == "lo low low</w> er lower lower</w>"
    assert [(spelled(recording, [p.token_id]), p.start, p.end) for p in history.pieces(2)] == [
        ("low", 0, 3),
        ("low", 3, 6),
        ("</w>", 6, 7),
    ]
    assert history.applied_at(0) == [0, 3]
    assert history.applied_at(2) == [5]
    assert history.boundary_ranks == [0, 1, NEVER, 0, 1, 2]


texts = st.text() | st.lists(
    st.sampled_from(["the", " ", "  ", "\n", "\r\n", "'s", "12345", "é", "e\u0301", "日本", "🙂", "\t", "…"])
).map("".join)


@pytest.fixture(scope="module", params=["gpt2", "cl100k"])
def byte_recording(request):
    text = "The cat's 12,345 théâtres, the 日本 🙂🙂 …\r\n\n\tthe  end\n" * 3
    return record(text, TrainerConfig(merges=60), Pipeline(pre_tokenizer=PRE_TOKENIZERS[request.param]))


@given(text=texts, step=st.integers(0, 60))
def test_bytes_decode_to_the_text_they_were_made_from(byte_recording, text, step):
    tokenizer = Tokenizer(byte_recording, step)
    tokens = tokenizer.encode(text)

    assert tokenizer.decode(token.token_id for token in tokens) == text
    assert tokenizer.ids(text) == [token.token_id for token in tokens]


@given(text=texts)
def test_the_tokens_of_a_text_touch_each_of_its_characters_in_order(byte_recording, text):
    reached = 0
    for token in Tokenizer(byte_recording).encode(text):
        content = byte_recording.token(token.token_id).content
        assert token.start in (reached, reached - 1)  # a character cut between two tokens belongs to both
        assert token.start < token.end
        assert content in text[token.start : token.end].encode()
        reached = token.end
    assert reached == len(text)


@pytest.mark.parametrize(
    ("names", "text", "expected"),
    [
        (["lowercase"], "İx Y", [("i", 0, 1), ("\u0307", 0, 1), ("x", 1, 2), ("y", 3, 4)]),
        (["nfc"], "e\u0301x", [("é", 0, 2), ("x", 2, 3)]),
        (["nfkc"], "a ﬁ", [("a", 0, 1), ("f", 2, 3), ("i", 2, 3)]),
    ],
)
def test_places_are_those_of_the_text_before_it_was_normalized(names, text, expected):
    pipeline = Pipeline(Normalizer.named(*names), PRE_TOKENIZERS["whitespace"])
    recording = record(text, TrainerConfig(Base.CHARACTERS, merges=0), pipeline)
    tokens = Tokenizer(recording).encode(text)

    assert [(recording.token(t.token_id).content.decode(), t.start, t.end) for t in tokens] == expected


def with_specials(*specials, marker=Marker.NONE, unknown=None):
    policy = Unknown.TOKEN if unknown else Unknown.KEEP
    config = TrainerConfig(Base.CHARACTERS, marker, special_tokens=specials, unknown_token=unknown, unknown=policy)
    return record("ab ab b", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))


def test_special_tokens_are_matched_or_taken_as_text():
    recording = with_specials("<s>", "<s><s>", "a")
    tokenizer = Tokenizer(recording)
    longest, single, letter = (recording.alphabet.special_ids[text] for text in ("<s><s>", "<s>", "a"))
    b = recording.alphabet.id_of(b"b")

    assert tokenizer.encode("b<s><s><s>b") == [(b, 0, 1), (longest, 1, 7), (single, 7, 10), (b, 10, 11)]
    assert tokenizer.ids("ab") == [letter, b]
    assert tokenizer.ids("ab", Specials.AS_TEXT) == [recording[0].token_id]
    assert tokenizer.encode("<s>", Specials.AS_TEXT) == [(UNKNOWN, 0, 1), (UNKNOWN, 1, 2), (UNKNOWN, 2, 3)]


def test_a_very_long_special_token_is_found_without_cubic_work():
    recording = record_words({"a": 1}, TrainerConfig(special_tokens=("x" * 20_000,)))
    assert Tokenizer(recording).ids("a" + "x" * 20_001) == [65, 0, 88]


def test_special_tokens_are_found_before_the_text_is_normalized():
    pipeline = Pipeline(Normalizer.named("lowercase"), PRE_TOKENIZERS["whitespace"])
    recording = record("ab", TrainerConfig(Base.CHARACTERS, special_tokens=("<S>",)), pipeline)

    assert Tokenizer(recording).encode("A<S>B") == [(1, 0, 1), (0, 1, 4), (2, 4, 5)]


def test_unknown_characters_are_kept_as_unknown_and_left_out_of_the_ids():
    tokenizer = Tokenizer(with_specials())
    ab = tokenizer.recording[0].token_id

    assert tokenizer.encode("ab?ab ??") == [(ab, 0, 2), (UNKNOWN, 2, 3), (ab, 3, 5), (UNKNOWN, 6, 7), (UNKNOWN, 7, 8)]
    assert tokenizer.ids("ab?ab ??") == [ab, ab]
    assert [piece.token_id for piece in tokenizer.pieces("?ab")] == [UNKNOWN, ab]
    assert [step.ranks for step in tokenizer.steps("?ab")] == [(None, 0)]


def test_unknown_characters_become_the_unknown_token_one_by_one():
    tokenizer = Tokenizer(with_specials("<unk>", unknown="<unk>"))
    ab = tokenizer.recording[0].token_id

    assert tokenizer.encode("ab?? <unk>") == [(ab, 0, 2), (0, 2, 3), (0, 3, 4), (0, 5, 10)]
    assert tokenizer.ids("??") == [0, 0]


def test_a_letter_that_never_ended_a_word_is_unknown_there_unless_the_alphabet_is_complete():
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    seen, complete = (
        record("ab", TrainerConfig(Base.CHARACTERS, Marker.SUFFIX, complete_alphabet=complete), pipeline)
        for complete in (False, True)
    )

    assert Tokenizer(seen).ids("ba") == [seen.alphabet.id_of(b"b")]
    assert spelled(complete, Tokenizer(complete).ids("ba")) == "b a</w>"


def test_special_tokens_may_be_refused():
    tokenizer = Tokenizer(with_specials("<s>", "<s><s>"))

    assert tokenizer.ids("ab", Specials.REFUSE) == [tokenizer.recording[0].token_id]
    for function in (tokenizer.ids, tokenizer.encode):
        with pytest.raises(SpecialTokenError) as caught:
            function("b ab<s><s>b", Specials.REFUSE)
        assert (caught.value.token, caught.value.position) == ("<s><s>", 4)
        assert str(caught.value) == (
            "The text holds the special token '<s><s>' at character 5. Encode special tokens as tokens or as plain "
            "text, or take it out."
        )


def with_policy(unknown, *names, pre_tokenizer="whitespace", marker=Marker.NONE, text="ab ab b"):
    config = TrainerConfig(Base.CHARACTERS, marker, special_tokens=("<unk>",), unknown_token="<unk>", unknown=unknown)
    return record(text, config, Pipeline(Normalizer.named(*names), PRE_TOKENIZERS[pre_tokenizer]))


def places(recording, text):
    """Each token as text, or the number of its id without one, with the characters it touches."""
    tokens = Tokenizer(recording).encode(text)
    return [
        (token.token_id if token.token_id == UNKNOWN else recording.token(token.token_id).text().decode(), *token[1:])
        for token in tokens
    ]


@pytest.mark.parametrize(
    ("unknown", "expected"),
    [
        (Unknown.KEEP, [("a", 0, 1), (-1, 1, 2), (-1, 2, 3), ("b", 3, 4), (-1, 5, 6)]),
        (Unknown.DROP, [("ab", 0, 4)]),
        (Unknown.TOKEN, [("a", 0, 1), ("<unk>", 1, 2), ("<unk>", 2, 3), ("b", 3, 4), ("<unk>", 5, 6)]),
        (Unknown.FUSE, [("a", 0, 1), ("<unk>", 1, 3), ("b", 3, 4), ("<unk>", 5, 6)]),
        (
            Unknown.BYTES,
            [
                ("a", 0, 1),
                ("<0x21>", 1, 2),
                ("<0xC3>", 2, 3),
                ("<0xA9>", 2, 3),
                ("b", 3, 4),
                ("<0x21>", 5, 6),
            ],
        ),
    ],
)
def test_what_becomes_of_unknown_characters_and_where(unknown, expected):
    recording = with_policy(unknown)

    assert places(recording, "a!éb !") == expected
    assert len(Tokenizer(recording).ids("a!éb !")) == sum(label != -1 for label, _, _ in expected)


def test_a_fused_run_of_unknown_characters_covers_what_they_were_before_normalizing():
    recording = with_policy(Unknown.FUSE, "lowercase")

    assert places(recording, "AİXb") == [("a", 0, 1), ("<unk>", 1, 3), ("b", 3, 4)]  # İ becomes two characters


def test_the_metaspace_before_a_text_touches_its_first_character():
    recording = with_policy(
        Unknown.FUSE, "prepend_metaspace", pre_tokenizer="none", marker=Marker.METASPACE, text="cab ab b"
    )

    assert places(recording, "b ab") == [("▁", 0, 1), ("b", 0, 1), ("▁", 1, 2), ("ab", 2, 4)]
    assert places(recording, "ab") == [("▁", 0, 1), ("ab", 0, 2)]  # as Hugging Face
    assert places(recording, "") == []


def test_every_stretch_between_special_tokens_is_a_text_of_its_own():
    recording = with_policy(
        Unknown.FUSE, "prepend_metaspace", pre_tokenizer="none", marker=Marker.METASPACE, text="cab ab b"
    )

    assert places(recording, "<unk> ab<unk>ab") == [
        ("<unk>", 0, 5),
        ("▁", 5, 6),
        ("▁", 5, 6),
        ("ab", 6, 8),
        ("<unk>", 8, 13),
        ("▁", 13, 14),
        ("ab", 13, 15),
    ]


def test_hugging_face_cuts_at_special_tokens_alike():
    tokenizers = pytest.importorskip("tokenizers")
    recording = with_policy(
        Unknown.FUSE, "prepend_metaspace", pre_tokenizer="none", marker=Marker.METASPACE, text="cab ab b"
    )
    vocab = {token.text().decode(): i for i, token in recording.tokens_at(len(recording))}
    merges = [tuple(recording.token(i).content.decode() for i in merge.pair) for merge in recording]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True))
    theirs.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.Prepend("▁"), tokenizers.normalizers.Replace(" ", "▁")]
    )
    theirs.add_special_tokens(["<unk>"])
    for text in ("<unk> ab<unk>ab", "ab  x!b", " <unk>", "<unk>", "", " ", "xb ab!!<unk>c"):
        encoding = theirs.encode(text)
        tokens = Tokenizer(recording).encode(text)
        assert [(token.token_id, (token.start, token.end)) for token in tokens] == [
            *zip(encoding.ids, encoding.offsets, strict=True)
        ]


def test_an_empty_text_or_word_has_no_tokens():
    for recording in (with_specials(), record("", TrainerConfig())):
        tokenizer = Tokenizer(recording)
        assert (tokenizer.encode(""), tokenizer.ids(""), tokenizer.decode([])) == ([], [], "")
        assert tokenizer.pieces("") == []
        assert list(tokenizer.steps("")) == []


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_surrogate_pair_is_no_error(kind):
    recording = record("ab ab", TrainerConfig(*kind), Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    tokenizer = Tokenizer(recording)
    tokens = tokenizer.encode("ab\ud83d")

    assert (tokens[0].start, tokens[-1].end) == (0, 3)
    assert len(recording.alphabet.contents_of("ab\ud83d")) == len(recording.alphabet.symbols_of("ab\ud83d"))
    assert tokenizer.decode(token.token_id for token in tokens if token.token_id != UNKNOWN).startswith("a")


def test_a_model_with_other_ids_than_its_ranks():
    """As read from a file: holes between the ids, special tokens last."""
    tokens = {7: Token(b"a"), 3: Token(b"b"), 90: Token(b"<s>", special=True)}
    recording = Recording(Alphabet(Base.CHARACTERS, Marker.NONE, tokens), pipeline=Pipeline(pre_tokenizer=custom(".+")))
    recording.extend([Merge(0, 7, 3, 50), Merge(1, 50, 50, 20)])

    assert Tokenizer(recording).encode("abab<s>a") == [(20, 0, 4), (90, 4, 7), (7, 7, 8)]
    assert Tokenizer(recording, 1).ids("abab") == [50, 50]
    assert Tokenizer(recording).decode([20, 90]) == "abab<s>"


@pytest.mark.parametrize("word", [" " * 1_000_000, "a" * 200_000, "ab" * 100_000, "ba" * 100_000])
def test_one_very_long_word_encodes_without_quadratic_work(word):
    recording = record_words({word[:512]: 1}, TrainerConfig(merges=60))
    tokens = Tokenizer(recording).encode(word)

    assert b"".join(recording.token(token.token_id).content for token in tokens) == word.encode()
    assert len(tokens) <= len(word) // 512 + 10


def test_random_texts_give_the_ids_of_tiktoken():
    tiktoken = pytest.importorskip("tiktoken")
    text = "the théâtre, 12 the 日本 🙂🙂 'tis the end\n" * 3
    recording = record(text, TrainerConfig(byte_order=ByteOrder.VALUE))
    ranks = {token.content: i for i, token in recording.tokens_at(len(recording))}
    theirs = tiktoken.Encoding(
        "theirs", pat_str=recording.pipeline.pre_tokenizer.pattern, mergeable_ranks=ranks, special_tokens={}
    )
    rng, ours = random.Random(0), Tokenizer(recording)
    for _ in range(300):
        probe = "".join(rng.choices(text, k=rng.randint(0, 40)))
        assert ours.ids(probe) == theirs.encode(probe)
