"""Training that begins with merges of an earlier recording: on with another text, or another turn at some merge.

Ids, pairs and ranks of the merges that are kept never change; their counts are those of the text at hand.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import merge as merge_sorted
from itertools import chain, islice

from core.added_tokens import AddedToken
from core.alphabet import Alphabet
from core.corpus import Corpus
from core.decoders import Decoder
from core.errors import ConfigError
from core.merge import Merge, Pair
from core.merge_table import text_condition
from core.progress import Progress
from core.recording import Recording
from core.trainer import Plan, Score, StopReason, TrainerConfig, build_alphabet
from core.trainer_config import extended_alphabet
from core.trainers import AnyTrainer, trainer_for
from core.vocab import token_label
from core.word_counts import corpus_words_counted

MERGES_PER_PROGRESS = 100
PAIRS_PER_SLICE = 1_000


@dataclass(frozen=True)
class Beginning:
    """What a run starts from, besides its words. `about` says how it came from an earlier one, "" if it did not.

    `added_tokens` are those that the earlier one looks for in texts, and `decoder` is how it makes texts of tokens.
    """

    alphabet: Alphabet
    config: TrainerConfig
    plan: Plan = field(default_factory=Plan)
    about: str = ""
    added_tokens: tuple[AddedToken, ...] = ()
    decoder: Decoder | None = None

    def hand_on(self, recording: Recording) -> None:
        """Let a new recording, which has no merge yet, keep what the earlier one does besides merging."""
        recording.added_tokens, recording.decoder = self.added_tokens, self.decoder


def branch_corpus(recording: Recording, at_hand: Corpus) -> Corpus:
    """The text that a branch is trained on: the recording's own, or the one at hand if it was read from a file."""
    return recording.corpus if recording.word_counts and recording.corpus else at_hand


def words_of(recording: Recording, corpus: Corpus) -> Generator[Progress, None, Mapping[str, int]]:
    """The words of `corpus` as the recording cuts them."""
    if recording.word_counts and corpus.is_that_of(recording.corpus):
        return recording.word_counts
    return (yield from corpus_words_counted(corpus, recording.pipeline)).counts


def fresh(words: Mapping[str, int], config: TrainerConfig) -> Beginning:
    """A run from the first merge on."""
    return Beginning(build_alphabet(words, config), config)


def going_on(recording: Recording, config: TrainerConfig) -> Beginning:
    """All merges of the recording and then more of the same text, as `config`, which learns like its own, asks for.

    A limit that the merges have reached holds no longer.
    """
    limit = config.merge_limit(len(recording.alphabet.tokens))
    if limit is not None and limit <= len(recording):
        config = with_stop_of(config, TrainerConfig(min_frequency=config.min_frequency, stop_token=config.stop_token))
    plan = _plan(recording, len(recording))
    return Beginning(recording.alphabet, config, plan, "", recording.added_tokens, recording.decoder)


def continuation(
    recording: Recording, step: int, words: Mapping[str, int], stop: TrainerConfig | None = None
) -> Beginning:
    """The first `step` merges stay, and `words` decide on those that follow; their new characters get ids behind the
    ones that are there. Everything is learned as the recording was; only where to stop is taken from `stop`.

    Raises ConfigError for merges out of order, which training could not have made.
    """
    if problem := order_problem(recording, step):
        raise ConfigError(problem)
    config = with_stop_of(recording.config, stop) if stop else recording.config
    plan = _plan(recording, step)
    first_id = max([*recording.alphabet.tokens, *(merge.token_id for merge in plan.given)], default=-1) + 1
    alphabet = extended_alphabet(recording.alphabet, words, config, first_id)
    added = tuple(token for token in recording.added_tokens if token.token_id in alphabet.tokens)
    return Beginning(alphabet, config, plan, f"Trained on from step {step:,}", added, recording.decoder)


def forbidding(recording: Recording, rank: int, words: Mapping[str, int]) -> Beginning:
    """The merges before this one stay, and its pair is never merged."""
    kept = continuation(recording, rank, words, as_far_as(recording, rank))
    pair = recording[rank].pair
    plan = Plan(kept.plan.given, kept.plan.forbidden | {pair})
    return replace(kept, plan=plan, about=f"Branch at step {rank + 1:,}: {pair_label(recording, pair)} forbidden")


def forcing(recording: Recording, rank: int, pair: Pair, words: Mapping[str, int]) -> Beginning:
    """The merges before this one stay, and `pair` is merged in its place: into the same id, if that is free still."""
    kept = continuation(recording, rank, words, as_far_as(recording, rank))
    token_id, taken_ids = recording[rank].token_id, kept.alphabet.tokens
    if token_id in taken_ids:  # by a character of another text
        token_id = max(taken_ids) + 1
    forced = Merge(rank, *pair, token_id)
    taken = pair_label(recording, recording[rank].pair)
    named = Recording(kept.alphabet, recording.config)  # which knows new characters too
    named.extend(kept.plan.given)
    wanted = pair_label(named, pair)
    about = f"Branch at step {rank + 1:,}: {wanted} in place of {taken}"
    return replace(kept, plan=Plan((*kept.plan.given, forced), kept.plan.forbidden), about=about)


def with_stop_of(config: TrainerConfig, stop: TrainerConfig) -> TrainerConfig:
    """The same with another one's stop rules. WordPiece's minimum frequency is none: it decides what is learned."""
    is_endless = stop.merges is None and stop.vocab_size is None
    return replace(
        config,
        merges=stop.merges,
        vocab_size=stop.vocab_size,
        min_frequency=config.min_frequency if config.score is Score.WORDPIECE else stop.min_frequency,
        stop_token=stop.stop_token,
        specials_last=config.specials_last and not is_endless,
    )


def order_problem(recording: Recording, step: int) -> str | None:
    """Why the first `step` merges cannot be made one after the other, in the user's words; None if they can."""
    rank = first_out_of_order(recording, step)
    return None if rank is None else out_of_order(rank)


def out_of_order(rank: int) -> str:
    """What is said of merges whose first one out of order has this rank."""
    return (
        f"Training can go on from the first {rank:,} merges at most: the one of rank {rank:,} is "
        "out of order. It needs a token that is made later, or makes one that is there already."
    )


def first_out_of_order(recording: Recording, step: int) -> int | None:
    """The rank of the first one among the first `step` merges that cannot be made when it is its turn."""
    if recording.is_monotone:
        return None
    known, pairs = set(recording.alphabet.tokens), set[Pair]()
    for merge in islice(recording, step):
        if merge.token_id in known or merge.pair in pairs or not known.issuperset(merge.pair):
            return merge.rank
        known.add(merge.token_id)
        pairs.add(merge.pair)
    return None


def pair_label(recording: Recording, pair: Pair) -> str:
    """`e + s`"""
    return f"{token_label(recording, pair[0])} + {token_label(recording, pair[1])}"


def _plan(recording: Recording, step: int) -> Plan:
    given = tuple(islice(recording, step))
    known = {*recording.alphabet.tokens, *(merge.token_id for merge in given)}
    # an id above may soon stand for another token
    return Plan(given, frozenset(pair for pair in recording.plan.forbidden if known.issuperset(pair)))


def as_far_as(recording: Recording, rank: int) -> TrainerConfig:
    """Stop rules that let a branch at `rank` be compared with the recording: its own, or as many merges."""
    limit, is_over = recording.merges_wanted, recording.stop_reason not in (None, StopReason.CANCELLED)
    if (limit is None and is_over) or (limit is not None and limit > rank):
        return recording.config
    return replace(recording.config, merges=max(len(recording), rank + 1), vocab_size=None)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that could be merged; `score` is WordPiece's, None where the count is the score."""

    pair: Pair
    count: int
    score: float | None = None


@dataclass(frozen=True)
class Turn:
    """What there was to choose from at one step, best first; `before` holds the merges made until then."""

    before: Recording
    taken: Pair
    candidates: tuple[Candidate, ...]


def turn_at(recording: Recording, rank: int, corpus: Corpus) -> Generator[Progress, None, Turn]:
    """All pairs of `corpus` once the merges before `rank` are made; those that the recording forbids are left out."""
    words = yield from words_of(recording, corpus)
    kept = continuation(recording, rank, words)
    trainer = trainer_for(words, kept.config, kept.alphabet, kept.plan)
    try:
        yield from trainer.count_pairs()
        before = Recording.of(trainer, kept.config, recording.pipeline)
        yield from replayed(before, trainer.merges(), rank)
        return Turn(before, recording[rank].pair, (yield from _candidates(trainer)))
    finally:
        trainer.clear()


def _candidates(trainer: AnyTrainer) -> Generator[Progress, None, tuple[Candidate, ...]]:
    turn, forbidden = trainer.next_turn(), trainer.plan.forbidden
    first = {} if isinstance(turn, StopReason) else dict.fromkeys(trainer.tied_pairs(turn))
    others = (item for item in trainer.counted_pairs() if item[0] not in first and item[0] not in forbidden)
    counted = chain(((pair, trainer.count_of(pair)) for pair in first), others)
    return (yield from _best_first(Candidate(pair, count, trainer.score_of(pair)) for pair, count in counted))


def replayed(
    recording: Recording, merges: Generator[Merge, None, StopReason], count: int
) -> Generator[Progress, None, None]:
    """Let the recording take in the first `count` merges; progress is in merges."""
    for merge in islice(merges, count):
        recording.append(merge)
        if len(recording) % MERGES_PER_PROGRESS == 0:
            yield Progress(len(recording), count)


def _best_first(candidates: Iterator[Candidate]) -> Generator[Progress, None, tuple[Candidate, ...]]:
    """Sorted slice by slice and merged: sorting a million at once would hold everything else up."""
    slices = list[list[Candidate]]()
    while part := sorted(islice(candidates, PAIRS_PER_SLICE), key=_badness):
        slices.append(part)
        yield Progress(0, 1)
    in_order = list[Candidate]()
    for candidate in merge_sorted(*slices, key=_badness):
        in_order.append(candidate)
        if len(in_order) % PAIRS_PER_SLICE == 0:
            yield Progress(0, 1)
    return tuple(in_order)


def _badness(candidate: Candidate) -> float:
    return -(candidate.count if candidate.score is None else candidate.score)


def candidates_with(turn: Turn, text: str) -> Generator[None, None, tuple[Candidate, ...]]:
    """Those whose merged token contains `text`, as the filter of the merges finds it."""
    is_found = text_condition(text)
    found = list[Candidate]()
    for n, candidate in enumerate(turn.candidates):
        if is_found(_merged_text(turn.before, candidate.pair)):
            found.append(candidate)
        if n % PAIRS_PER_SLICE == 0:
            yield
    return tuple(found)


def _merged_text(recording: Recording, pair: Pair) -> bytes:
    merged = recording.token(pair[0]) + recording.token(pair[1])
    return merged.text(recording.config.marker_text)
