"""The trainer against a full recount at every step, against Hugging Face's and rustbpe's, and at its limits."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.errors import ConfigError
from core.merge import Merge
from core.tokenizer import Tokenizer
from core.trainer import Plan, Score, StopReason, TieBreak, Trainer, TrainerConfig, build_alphabet
from core.trainer_config import extended_alphabet
from core.trainers import train
from tests.core.reference_bpe import ReferenceTrainer, reference_trainer, spell
from tests.core.runs import counted_trainer, finish, record_words

KINDS = [
    (base, marker)
    for base in Base
    for marker in Marker
    if base is Base.CHARACTERS or not (marker.changes_symbols or marker is Marker.METASPACE)
]
LETTERS = ["a", "b", "c", "</w>", "é", "e\u0301", "日", "本", "🙂", "\u200d", "\0", " ", "<", "\uffff", "\U0010ffff"]

kinds = st.sampled_from(KINDS)
runs = st.lists(st.sampled_from("ab"), max_size=14).map("".join)
hard_words = st.lists(st.sampled_from(LETTERS), max_size=8).map("".join)
weights = st.sampled_from([1, 1, 1, 2, 3]) | st.integers(1, 3_000_000_000)
corpora = st.dictionaries(runs | hard_words, weights, max_size=9)


def reference_for(words, config):
    return reference_trainer(
        words,
        config.base,
        config.marker,
        config.byte_order,
        config.tie_break,
        config.complete_alphabet,
        marker_text=config.marker_text,
        score=config.score,
        longest=config.longest_token,
        min_frequency=config.min_frequency,
    )


@pytest.mark.parametrize("score", Score)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=80)
@given(
    corpora,
    st.sampled_from(TieBreak),
    st.sampled_from(ByteOrder),
    st.booleans(),
    st.none() | st.integers(1, 6),
    st.integers(1, 3),
)
def test_every_merge_is_that_of_a_full_recount(kind, score, words, tie_break, byte_order, complete, longest, rarest):
    config = TrainerConfig(
        *kind,
        byte_order,
        tie_break,
        complete_alphabet=complete,
        score=score,
        longest_token=longest,
        min_frequency=rarest,
    )
    reference = reference_for(words, config)
    trainer = counted_trainer(words, config)
    symbols = [(token.content, token.ends_word, token.continues) for token in trainer.alphabet.tokens.values()]
    assert symbols == reference.symbols

    merges = list(trainer.merges())

    assert merges == [Merge(*merge) for merge in reference.merges()]
    assert [list(word) for word in trainer.words()] == reference.words


@settings(max_examples=500)
@given(corpora, kinds, st.sampled_from(TieBreak), st.integers(0, 12))
def test_counts_between_two_merges_are_those_of_a_full_recount(words, kind, tie_break, step):
    config = TrainerConfig(*kind, tie_break=tie_break)
    reference = reference_for(words, config)
    trainer = counted_trainer(words, config)
    for _ in zip(range(step), trainer.merges(in_step=True), strict=False):
        pass
    for _ in zip(range(step), reference.merges(), strict=False):
        pass

    assert trainer.pair_counts() == dict(reference.pair_counts())
    assert [list(word) for word in trainer.words()] == reference.words
    assert trainer.token_count == reference.length()
    assert trainer.vocab_size == len(reference.symbols)


@given(
    corpora,
    kinds,
    st.sampled_from(TieBreak),
    st.lists(st.sampled_from(["b", "a", "ab", "</w>", "<unk>", "日"]), unique=True, max_size=4).map(tuple),
)
def test_special_tokens_may_be_spelled_like_anything(words, kind, tie_break, specials):
    config = TrainerConfig(*kind, tie_break=tie_break, special_tokens=specials)
    trainer = counted_trainer(words, config)
    symbols = [(token.content, token.ends_word, token.continues) for token in trainer.alphabet.tokens.values()]
    ids = {symbol: i for i, symbol in enumerate(symbols)}
    spelled = [[ids[symbol] for symbol in spell(word, *kind)] for word in words]
    reference = ReferenceTrainer(
        spelled, list(words.values()), symbols, config.base, config.tie_break, config.marker_text
    )

    assert len(ids) == len(symbols)
    assert [token.content.decode() for token in list(trainer.alphabet.tokens.values())[: len(specials)]] == list(
        specials
    )
    assert list(trainer.merges()) == [Merge(*merge) for merge in reference.merges()]


CD = {"ab": 4, "cd": 3, "abcd": 2, "ef": 2, "gh": 1}  # a b 6, c d 5, ab cd 2 and e f 2, g h 1
CHARACTERS = {"base": Base.CHARACTERS}


@pytest.mark.parametrize(
    ("options", "merges", "reason"),
    [
        ({}, 5, StopReason.NO_PAIR),
        ({"merges": 0}, 0, StopReason.MERGES),
        ({"merges": 3}, 3, StopReason.MERGES),
        ({"merges": 5}, 5, StopReason.MERGES),
        ({"merges": 6}, 5, StopReason.NO_PAIR),
        ({"vocab_size": 0}, 0, StopReason.VOCAB_SIZE),
        ({"vocab_size": 8}, 0, StopReason.VOCAB_SIZE),
        ({"vocab_size": 9}, 1, StopReason.VOCAB_SIZE),
        ({"vocab_size": 9, "special_tokens": ("<s>",)}, 0, StopReason.VOCAB_SIZE),
        ({"vocab_size": 13}, 5, StopReason.VOCAB_SIZE),
        ({"vocab_size": 14}, 5, StopReason.NO_PAIR),
        ({"min_frequency": 2}, 4, StopReason.MIN_FREQUENCY),
        ({"min_frequency": 3}, 2, StopReason.MIN_FREQUENCY),
        ({"min_frequency": 6}, 1, StopReason.MIN_FREQUENCY),
        ({"min_frequency": 7}, 0, StopReason.MIN_FREQUENCY),
        ({"min_frequency": 2, "merges": 4}, 4, StopReason.MERGES),
        ({"min_frequency": 2, "merges": 3, "vocab_size": 11}, 3, StopReason.MERGES),
        ({"min_frequency": 2, "merges": 4, "vocab_size": 11}, 3, StopReason.VOCAB_SIZE),
    ],
)
def test_training_stops_at_whichever_limit_comes_first(options, merges, reason):
    trainer = counted_trainer(CD, TrainerConfig(**CHARACTERS, **options))
    generator = trainer.merges()

    assert len([next(generator) for _ in range(merges)]) == merges
    assert finish(generator) is reason


@pytest.mark.parametrize("words", [{}, {"a": 3}, {"a": 1, "b": 1}, {"": 2}])
@pytest.mark.parametrize("base", Base)
def test_a_corpus_without_pairs_is_no_error(words, base):
    recording = record_words(words, TrainerConfig(base=base))

    assert (len(recording), recording.stop_reason) == (0, StopReason.NO_PAIR)
    assert recording.corpus_length(0) == sum(len(word) * n for word, n in words.items())


def test_a_vocabulary_smaller_than_the_alphabet_keeps_the_alphabet():
    recording = record_words({"abc": 5}, TrainerConfig(base=Base.CHARACTERS, vocab_size=2))

    assert (recording.vocab_size(0), len(recording), recording.stop_reason) == (3, 0, StopReason.VOCAB_SIZE)


def test_counts_beyond_32_bits():
    words = {"ab": 3_000_000_000, "abc": 3_000_000_000}
    first, second = record_words(words, TrainerConfig(base=Base.CHARACTERS))

    assert (first.count, first.applied, second.count) == (6_000_000_000, 6_000_000_000, 3_000_000_000)


@pytest.mark.parametrize(
    ("unknown", "merges", "words", "counts"),
    [
        (Unknown.DROP, [Merge(0, 0, 1, 2, 3, 3, 1, 2), Merge(1, 2, 1, 3, 1, 1, 1, 1)], [(2,), (), (3,)], {0: 3, 1: 4}),
        (Unknown.KEEP, [Merge(0, 0, 1, 2, 1, 1, 1)], [(0, -1, 1), (-1, -1), (2, -1, 1)], {0: 3, 1: 4, -1: 5}),
        (Unknown.FUSE, [Merge(0, 0, 1, 2, 1, 1, 1)], [(0, -1, 1), (-1,), (2, -1, 1)], {0: 3, 1: 4, -1: 4}),
    ],
)
def test_characters_that_the_alphabet_lacks_join_with_nothing(unknown, merges, words, counts):
    config = TrainerConfig(base=Base.CHARACTERS, special_tokens=("<unk>",), unknown_token="<unk>", unknown=unknown)
    alphabet = replace(build_alphabet({"ab": 1}, TrainerConfig(base=Base.CHARACTERS)), unknown=unknown)
    trainer = counted_trainer({"a?b": 2, "??": 1, "ab?b": 1}, config, alphabet)

    assert list(trainer.merges()) == merges
    assert list(trainer.words()) == words
    assert trainer.symbol_counts == counts


def test_bytes_of_unknown_characters_join_with_nothing():
    config = TrainerConfig(base=Base.CHARACTERS, unknown=Unknown.BYTES, alphabet_limit=2)
    words = {"aabaab": 2, "é": 1, "aéa": 1}
    trainer = counted_trainer(words, config)
    fallback = trainer.alphabet.fallback_ids

    assert trainer.alphabet.dropped == {"é": 2}
    assert [merge.pair for merge in trainer.merges()] == [(256, 256), (258, 257), (259, 259)]
    assert list(trainer.words()) == [
        (260,),
        (fallback[0xC3], fallback[0xA9]),
        (256, fallback[0xC3], fallback[0xA9], 256),
    ]


def test_train_yields_merges_and_returns_the_reason():
    generator = train({"aaaa": 1}, TrainerConfig(base=Base.CHARACTERS))

    assert [next(generator), next(generator)] == [Merge(0, 0, 0, 1, 3, 2, 1), Merge(1, 1, 1, 2, 1, 1, 1, completed=1)]
    assert finish(generator) is StopReason.NO_PAIR


def test_counting_pairs_reports_its_progress_in_words():
    words = {f"{n:040}": 1 for n in range(3_000)}
    config = TrainerConfig()
    reports = list(Trainer(words, config, build_alphabet(words, config)).count_pairs())

    assert {report.total for report in reports} == {3_000}
    assert [report.done for report in reports] == sorted(report.done for report in reports)
    assert reports[-1].done == 3_000
    assert len(reports) > 2


def test_a_run_can_be_abandoned_between_two_merges():
    trainer = counted_trainer({"abab": 2}, TrainerConfig(base=Base.CHARACTERS))
    generator = trainer.merges(in_step=True)
    next(generator)
    generator.close()

    assert list(trainer.words()) == [(2, 2)]
    assert trainer.pair_counts() == {(2, 2): 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"base": Base.BYTES, "marker": Marker.SUFFIX},
            "A byte alphabet has no final or continuing letters: choose no marker, or one that is its own symbol.",
        ),
        ({"merges": -1}, "The number of merges must not be negative, but is -1."),
        ({"vocab_size": -1_000}, "The vocabulary size must not be negative, but is -1,000."),
        ({"min_frequency": 0}, "The minimum frequency must be at least 1, but is 0."),
        ({"special_tokens": ("<s>", "")}, "A special token must not be empty."),
        ({"special_tokens": ("<s>", "<s>")}, "The same special token is listed twice."),
        ({"unknown_token": "<unk>"}, "The unknown token '<unk>' must be one of the special tokens."),
        (
            {"base": Base.CHARACTERS, "unknown": Unknown.FUSE},
            "Which special token stands for unknown characters? Choose an unknown token, such as <unk>.",
        ),
        (
            {"base": Base.BYTES, "marker": Marker.METASPACE},
            "The marker ▁ is a character: with bytes, the space before a word does its work; choose no marker.",
        ),
        (
            {"base": Base.CHARACTERS, "marker": Marker.CONTINUING, "unknown": Unknown.BYTES},
            "Bytes of unknown characters have no final or continuing forms: choose another marker.",
        ),
        (
            {"special_tokens": ("<s>",), "specials_last": True},
            "Special tokens can only have the last ids if a number of merges or a vocabulary size ends the training: "
            "their ids are needed before it begins.",
        ),
        ({"longest_token": 0}, "The length of the longest token must be at least 1, but is 0."),
        ({"alphabet_limit": 0}, "The alphabet limit must be at least 1, but is 0."),
        ({"coverage": 0.0}, "The character coverage must be more than 0 and at most 1, such as 0.9995, but is 0.0."),
        ({"coverage": 1.5}, "The character coverage must be more than 0 and at most 1, such as 0.9995, but is 1.5."),
        ({"stop_token": "(a"}, "The pattern of tokens to stop at cannot be read: missing )."),
    ],
)
def test_options_that_cannot_be_met_are_refused_in_words(options, message):
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        TrainerConfig(**options)


@pytest.mark.parametrize(("marker_text", "pair"), [("!", (0, 2)), ("~", (0, 1))])
def test_the_text_of_the_marker_decides_string_ties(marker_text, pair):
    config = TrainerConfig(Base.CHARACTERS, Marker.SYMBOL, tie_break=TieBreak.LEXICOGRAPHIC, marker_text=marker_text)
    first = next(train({"ab": 1, "a": 1}, config))  # `a b`, `b !`, `a !` or `a b`, `b ~`, `a ~`

    assert (first.pair, first.tied) == (pair, 3)


@pytest.mark.parametrize("word", ["a" * 200_000, "ab" * 100_000, "".join(chr(97 + n % 7) for n in range(200_000))])
def test_one_very_long_word(word):
    recording = record_words({word: 1}, TrainerConfig(base=Base.CHARACTERS, merges=60))
    *_, last = Tokenizer(recording).pieces(word)

    assert last.end == len(word)
    assert len(Tokenizer(recording).pieces(word)) == recording.corpus_length(len(recording))


@settings(max_examples=300)
@given(corpora, kinds, st.sampled_from(TieBreak), st.sampled_from(Score), st.data())
def test_given_and_forbidden_merges_are_those_of_a_full_recount(words, kind, tie_break, score, data):
    config = TrainerConfig(*kind, tie_break=tie_break, score=score)
    reference, alphabet = reference_for(words, config), build_alphabet(words, config)
    given_merges = []
    for rank in range(data.draw(st.integers(0, 4), label="merges given")):
        if not (pairs := list(reference.pair_counts())):
            break
        pair = data.draw(st.sampled_from(pairs), label="given")
        tied = list(reference.scores().values()).count(reference.scores()[pair])
        given_merges.append(Merge(*reference.merge(pair, rank, tied)))
    if pairs := list(reference.pair_counts()):
        reference.forbidden = data.draw(st.lists(st.sampled_from(pairs), max_size=2), label="forbidden")
    learned = [Merge(merge.rank + len(given_merges), *merge[1:]) for merge in reference.merges()]

    trainer = counted_trainer(words, config, alphabet, Plan(tuple(given_merges), frozenset(reference.forbidden)))
    merges = list(trainer.merges())

    assert [merge._replace(tied=0) for merge in merges[: len(given_merges)]] == [
        merge._replace(tied=0) for merge in given_merges
    ]
    assert merges[len(given_merges) :] == learned


def test_forbidden_pairs_end_a_run_when_nothing_else_is_left():
    config = TrainerConfig(Base.CHARACTERS)
    trainer = counted_trainer({"ab": 3}, config, plan=Plan(forbidden=frozenset({(0, 1)})))

    assert finish(trainer.merges()) is StopReason.FORBIDDEN


def test_given_merges_keep_their_ids_and_count_on_the_new_corpus():
    config = TrainerConfig(Base.CHARACTERS, merges=3)
    old = record_words({"abab": 2, "cab": 1}, config)
    alphabet = extended_alphabet(old.alphabet, {"abcz": 3}, config, first_id=6)
    new = record_words({"abcz": 3}, replace(config, merges=5), alphabet, plan=Plan(given=tuple(old)))

    assert [(m.pair, m.token_id) for m in list(new)[:3]] == [(m.pair, m.token_id) for m in old]
    assert [(m.count, m.applied) for m in new] == [(3, 3), (0, 0), (0, 0), (3, 3), (3, 3)]
    assert [new.token(m.token_id).content for m in new] == [b"ab", b"abab", b"cab", b"cz", b"abcz"]
    assert {i: token.content for i, token in new.alphabet.tokens.items()} == {0: b"a", 1: b"b", 2: b"c", 6: b"z"}


@pytest.mark.parametrize(
    ("options", "reason", "merges"),
    [
        ({"longest_token": 2}, StopReason.LONGEST_TOKEN, 1),
        ({"stop_token": "^bab?$"}, StopReason.TOKEN_FOUND, 2),
        ({"min_frequency": 3}, StopReason.MIN_FREQUENCY, 1),
        ({"merges": 2}, StopReason.MERGES, 2),
        ({"vocab_size": 5, "min_frequency": 2}, StopReason.VOCAB_SIZE, 2),
        ({}, StopReason.NO_PAIR, 3),
        ({"score": Score.WORDPIECE, "min_frequency": 3}, StopReason.MIN_FREQUENCY, 1),
    ],
)
def test_whichever_stop_comes_first_is_named(options, reason, merges):
    recording = record_words({"bab": 1, "babc": 1, "ab": 1}, TrainerConfig(Base.CHARACTERS, **options))

    assert (recording.stop_reason, len(recording)) == (reason, merges)


def test_special_tokens_may_have_the_last_ids():
    config = TrainerConfig(
        Base.CHARACTERS, vocab_size=6, special_tokens=("<s>", "</s>"), specials_last=True, tie_break=TieBreak.IDS
    )
    recording = record_words({"ab": 1, "abab": 1}, config)  # a b, then ab ab

    assert recording.alphabet.special_ids == {"<s>": 4, "</s>": 5}
    assert [merge.token_id for merge in recording] == [2, 3]
    longer = record_words({"ab": 1, "abab": 1, "ababa": 1}, replace(config, vocab_size=9), recording.alphabet)
    assert [merge.token_id for merge in longer] == [2, 3, 6]  # ids that are taken are passed over
