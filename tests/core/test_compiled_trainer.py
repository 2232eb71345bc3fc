"""The compiled trainer against the plain one in every field, and against a full recount."""

import random
import time
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import kernel_loader
from core.alphabet import Base, Marker, Unknown
from core.errors import GivenUpError
from core.merge import Merge
from core.progress import without_progress
from core.trainer import Plan, StopReason, TieBreak, Trainer, TrainerConfig, build_alphabet
from core.trainers import can_be_compiled
from tests.core.test_trainer import KINDS, corpora, reference_for, runs

SCHEMES = [(kind, tie_break) for kind in KINDS for tie_break in TieBreak]
RANDOM_CORPORA = 5_500


@pytest.fixture(autouse=True, scope="module")
def _kernels():
    kernel_loader.load()


def counted(words, config, alphabet=None, plan=None):
    from core.compiled_trainer import CompiledTrainer

    trainer = CompiledTrainer(words, config, alphabet or build_alphabet(words, config), plan)
    without_progress(trainer.count_pairs())
    return trainer


def run(trainer):
    merges, run = [], trainer.merges()
    while True:
        try:
            merges.append(next(run))
        except StopIteration as stop:
            return merges, stop.value


def plain(words, config, alphabet=None, plan=None):
    trainer = Trainer(words, config, alphabet or build_alphabet(words, config), plan)
    without_progress(trainer.count_pairs())
    return trainer


def assert_same(words, config, alphabet=None, plan=None):
    """Merges, why it ended, and the corpus before and behind them."""
    one, other = plain(words, config, alphabet, plan), counted(words, config, alphabet, plan)
    assert other.size == one.size
    assert other.symbol_counts == one.symbol_counts
    assert other.token_count == one.token_count
    made = run(other)
    assert made == run(one)
    assert list(other.words()) == list(one.words())
    assert other.token_count == one.token_count
    assert other.vocab_size == one.vocab_size
    assert other.pair_counts() == one.pair_counts()
    return made[0]


def random_corpus(chance):
    """Small, with overlaps, ties and weights."""
    letters = chance.choice(["a", "ab", "ab", "abc", "aé日🙂", "ab</w>", "abcdefgh"])
    words = {}
    for _ in range(chance.randint(1, 9)):
        word = "".join(chance.choices(letters, k=chance.randint(1, chance.choice([3, 8, 20]))))
        words[word] = chance.choice([1, 1, 1, 2, 3, 5, 70_000, 5_000_000, 3_000_000_000])
    return words


@pytest.mark.parametrize("part", range(10))
def test_thousands_of_small_corpora_are_merged_as_by_the_plain_trainer_and_a_full_recount(part):
    chance, with_merges = random.Random(part), 0
    for number in range(RANDOM_CORPORA // 10):
        kind, tie_break = SCHEMES[(number + part) % len(SCHEMES)]
        words = random_corpus(chance)
        config = TrainerConfig(
            *kind,
            tie_break=tie_break,
            longest_token=chance.choice([None, None, None, 2, 5]),
            min_frequency=chance.choice([1, 1, 2, 4]),
            merges=chance.choice([None, None, 3, 12]),
        )
        made = assert_same(words, config)
        wanted = [Merge(*merge) for merge in reference_for(words, config).merges()]
        assert made == wanted[: config.merges]
        with_merges += bool(made)
    assert with_merges > RANDOM_CORPORA // 12


@settings(max_examples=400)
@given(corpora, st.sampled_from(SCHEMES), st.none() | st.integers(1, 6), st.integers(1, 3), st.booleans())
def test_hard_unicode_is_merged_as_by_the_plain_trainer(words, scheme, longest, rarest, complete):
    (base, marker), tie_break = scheme
    config = TrainerConfig(
        base, marker, tie_break=tie_break, complete_alphabet=complete, longest_token=longest, min_frequency=rarest
    )
    assert_same(words, config)


@settings(max_examples=200)
@given(
    corpora,
    st.sampled_from([Marker.NONE, Marker.SYMBOL, Marker.SUFFIX, Marker.CONTINUING]),
    st.sampled_from(Unknown),
    st.integers(1, 3),
)
def test_characters_that_the_alphabet_lacks(words, marker, unknown, limit):
    if unknown is Unknown.BYTES and marker.changes_symbols:
        unknown = Unknown.DROP
    specials = ("<unk>",) if unknown in (Unknown.TOKEN, Unknown.FUSE) else ()
    config = TrainerConfig(
        Base.CHARACTERS,
        marker,
        alphabet_limit=limit,
        unknown=unknown,
        special_tokens=specials,
        unknown_token="<unk>" if specials else None,
    )
    assert_same(words, config)


@settings(max_examples=300)
@given(corpora, st.sampled_from(SCHEMES), st.integers(0, 6), st.integers(0, 4), st.integers(0, 2), runs)
def test_merges_that_are_given_and_pairs_that_are_forbidden(words, scheme, kept, number, other_text, extra):
    (base, marker), tie_break = scheme
    config = TrainerConfig(base, marker, tie_break=tie_break)
    alphabet = build_alphabet(words, config)
    made, _ = run(plain(words, config, alphabet))
    given = tuple(made[:kept])
    forbidden = frozenset(merge.pair for merge in made[kept : kept + number])
    if other_text and extra:
        words = {**words, extra: 2}
    assert_same(words, config, alphabet, Plan(given, forbidden))


@pytest.mark.parametrize("tie_break", [TieBreak.LEXICOGRAPHIC, TieBreak.SHORT_THEN_STRING])
def test_given_merges_that_never_met_have_room_for_their_long_texts(tie_break):
    """Each doubles a token's text, up to 1 MB, of which the words have nothing."""
    words, config = {"bcbc": 3}, TrainerConfig(base=Base.CHARACTERS, tie_break=tie_break, merges=22)
    alphabet = build_alphabet({"abc": 1}, config)
    lefts = [0, *range(3, 22)]  # "a" is 0

    assert_same(
        words, config, alphabet, Plan(tuple(Merge(rank, left, left, 3 + rank) for rank, left in enumerate(lefts)))
    )


@pytest.mark.parametrize("tie_break", TieBreak)
@pytest.mark.parametrize(("few_symbols", "few_places"), [(0, -1), (2, 2**62), (512, 0)])
def test_pairs_that_are_too_rare_at_first_are_counted_later(monkeypatch, tie_break, few_symbols, few_places):
    """Thresholds, bands, slices and arrays as small as they can be."""
    import core.compiled_trainer as module

    chance = random.Random(5)

    monkeypatch.setattr(module, "SMALL_CORPUS", 0)
    monkeypatch.setattr("core.pair_tracking.FEW_SYMBOLS", few_symbols)
    monkeypatch.setattr("core.pair_tracking.FEW_PLACES", few_places)
    monkeypatch.setattr(module, "MERGES_EXPECTED", 1)
    monkeypatch.setattr(module, "RARE_SHARE", 4)
    monkeypatch.setattr(module, "THRESHOLD_STEP", 2)
    monkeypatch.setattr("core.pair_tracking.BUCKET_PLACES", 16)
    monkeypatch.setattr("core.pair_tracking.MOST_PASSES", 1_000)
    monkeypatch.setattr("core.pair_tracking.SLOTS_PER_SLICE", 10)
    monkeypatch.setattr("core.word_layout.BYTES_PER_SLICE", 10)
    monkeypatch.setattr("core.word_layout.BYTES_FOR_THREADS", 10)
    monkeypatch.setattr(module, "MERGES_PER_SLICE", 3)
    monkeypatch.setattr("core.merge_state.FIRST_PAIRS", 1)
    monkeypatch.setattr("core.merge_state.TEXT_BYTES_PER_TOKEN", 0)
    for number in range(120):
        words = {**random_corpus(chance), **random_corpus(chance)}
        config = TrainerConfig(*KINDS[number % len(KINDS)], tie_break=tie_break)
        assert_same(words, config)


@given(corpora, st.sampled_from(SCHEMES), st.integers(0, 8))
def test_in_step_the_corpus_is_as_the_merges_handed_out_say(words, scheme, step):
    (base, marker), tie_break = scheme
    config = TrainerConfig(base, marker, tie_break=tie_break)
    one, other = plain(words, config), counted(words, config)
    for trainer, merges in ((one, one.merges()), (other, other.merges(in_step=True))):
        for _ in zip(range(step), merges, strict=False):
            pass
        assert trainer.pair_counts() == one.pair_counts()
    assert list(other.words()) == list(one.words())
    turn = one.next_turn()
    assert other.next_turn() == turn
    if not isinstance(turn, StopReason):
        assert other.tied_pairs(turn) == one.tied_pairs(turn)
        assert other.count_of(turn) == one.count_of(turn)
        for pair in one.pair_counts():
            assert other.is_tied(turn, pair) == one.is_tied(turn, pair)


def test_in_step_a_merge_takes_as_long_whatever_number_is_asked_for():
    """300 merges took 8 s of a million when the ids of all were looked through for each."""
    words = {f"{number:010b}": number for number in range(1, 1024)}
    trainer = counted(words, TrainerConfig(merges=1_000_000))
    start = time.perf_counter()
    assert len(list(islice(trainer.merges(in_step=True), 300))) == 300
    assert time.perf_counter() - start < 2


def test_why_training_ends():
    words = {"abab": 3, "ab": 2}
    for config, reason in (
        (TrainerConfig(merges=1), StopReason.MERGES),
        (TrainerConfig(vocab_size=257), StopReason.VOCAB_SIZE),
        (TrainerConfig(vocab_size=10), StopReason.VOCAB_SIZE),
        (TrainerConfig(min_frequency=100), StopReason.MIN_FREQUENCY),
        (TrainerConfig(longest_token=2), StopReason.LONGEST_TOKEN),
        (TrainerConfig(stop_token="ab"), StopReason.TOKEN_FOUND),
        (TrainerConfig(), StopReason.NO_PAIR),
    ):
        assert run(counted(words, config)) == run(plain(words, config))
        assert run(counted(words, config))[1] is reason
    forbidding_all = Plan(forbidden=frozenset({(64, 65), (65, 64)}))
    assert run(counted(words, TrainerConfig(), plan=forbidding_all)) == ([], StopReason.FORBIDDEN)


def test_limits_of_more_than_63_bits():
    words = {"abab": 3, "ab": 2}
    assert [merge.count for merge in assert_same(words, TrainerConfig(longest_token=2**63))] == [8, 3]
    assert assert_same(words, TrainerConfig(min_frequency=2**63)) == []


def test_special_tokens_behind_the_merges_leave_their_ids_free():
    config = TrainerConfig(special_tokens=("<s>", "</s>"), specials_last=True, merges=3)
    made = assert_same({"abababcab": 4, "cab": 1}, config)
    assert [merge.token_id for merge in made] == [256, 257, 258]


def test_weights_of_more_than_32_bits_are_exact():
    words = {"ab": 3_000_000_000, "abc": 3_000_000_001, "bc": 2**40}
    made = assert_same(words, TrainerConfig())
    assert [(merge.count, merge.applied) for merge in made] == [
        (1_102_511_627_777,) * 2,
        (3_000_000_001,) * 2,
        (3_000_000_000,) * 2,
    ]


def test_an_empty_corpus():
    for words in ({}, {"": 3}, {"a": 1}):
        assert assert_same(words, TrainerConfig()) == []


def test_which_runs_are_left_to_the_plain_trainer():
    words, config = {"ab": 1}, TrainerConfig()
    alphabet = build_alphabet(words, config)
    assert can_be_compiled(words, config, alphabet, Plan())
    assert not can_be_compiled({"ab": 2**62}, config, alphabet, Plan())
    assert not can_be_compiled({"ab": 2**70}, config, alphabet, Plan())
    assert not can_be_compiled({"ab": 0}, config, alphabet, Plan())
    out_of_order = Plan((Merge(0, 64, 65, 300), Merge(1, 64, 65, 301)))
    assert not can_be_compiled(words, config, alphabet, out_of_order)
    assert not can_be_compiled(words, config, alphabet, Plan((Merge(0, 64, 400, 300),)))
    high = replace(alphabet, tokens={**alphabet.tokens, 2**31: alphabet.tokens[0]})
    assert not can_be_compiled(words, config, high, Plan())


def test_a_million_equal_letters_are_doubled_twenty_times():
    made, reason = run(counted({"a" * 2**20: 1}, TrainerConfig()))
    assert [(merge.applied, merge.tied) for merge in made] == [(2**k, 1) for k in range(19, -1, -1)]
    assert [merge.count for merge in made] == [2**k - 1 for k in range(20, 0, -1)]
    assert reason is StopReason.NO_PAIR


@pytest.mark.parametrize("letters", ["a", "aab", "ab", "abcd"])
def test_pairs_of_thousands_of_places(letters):
    """They are replaced block by block; a run of equal letters may reach from one into the next."""
    chance = random.Random(letters)
    words = {"".join(chance.choices(letters, k=size)): weight for size, weight in [(2_500, 1), (1_500, 3), (257, 2)]}
    made = assert_same(words, TrainerConfig(merges=60))
    assert made[0].applied > 400


def test_counting_anew_can_be_left(monkeypatch):
    import core.compiled_trainer as module
    from core.kernels.pairs import THRESHOLD

    monkeypatch.setattr(module, "SMALL_CORPUS", 0)
    monkeypatch.setattr(module, "MERGES_EXPECTED", 1)
    monkeypatch.setattr(module, "RARE_SHARE", 4)
    monkeypatch.setattr(module, "THRESHOLD_STEP", 2)
    trainer = counted({"abcd": 9, "ef": 4, "gh": 1}, TrainerConfig())
    assert trainer._state.numbers[THRESHOLD] > 1
    merges = trainer.merges(in_step=True)
    next(merges)
    trainer.give_up()
    with pytest.raises(GivenUpError):
        list(merges)
