"""The ways from base symbols to tokens, by name. They agree on merges that were trained, and differ on imported lists.

An encoder joins two neighbours again and again, and which two is the question. Only the longest match does not:
it takes tokens from the left, as if they had no history.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import pairwise
from random import Random
from typing import NamedTuple

from core.encoding_rules import Encoder
from core.errors import ConfigError
from core.merge import UNKNOWN, Pair
from core.merge_index import inner_spelling
from core.recording import Recording
from core.trainer_config import Score


@dataclass(frozen=True)
class Dropout:
    """BPE dropout (Provilkov et al. 2020): each time, every possible merge is left out with a probability.

    Raises ConfigError for a probability below 0 or above 1. The same seed leaves out the same merges.
    """

    probability: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.probability <= 1:
            raise ConfigError(f"The dropout must be a probability from 0 to 1, such as 0.1, but is {self.probability}.")

    def draws(self, place: int = 0) -> "Draws":
        """The luck of the word that has so many words before it in its text."""
        return Draws(self.probability, Random(f"{self.seed} {place}"))


@dataclass
class Draws:
    """What dropout leaves out of one word; `left_out` are the boundaries where it did so since the last merge."""

    probability: float
    random: Random
    left_out: list[int] = field(default_factory=list)

    def leaves_out(self) -> bool:
        return self.random.random() < self.probability


class Piece(NamedTuple):
    """A token inside one word: base symbols `start` to `end` (half-open) of the word."""

    token_id: int
    start: int
    end: int


Join = tuple[int, int]
"""(rank of the merge, boundary it removes); boundary i is the one behind the i-th of the symbols given."""

RankOf = Callable[[Pair, int], int | None]
"""Rank of the merge that could join a pair, told which merge was made last (-1: none yet)."""


def encode(
    recording: Recording,
    symbols: list[int],
    step: int,
    encoder: Encoder = Encoder.MERGE_RANK,
    draws: Draws | None = None,
) -> list[Piece]:
    """The tokens that the base symbols of a word become under the first `step` merges."""
    if encoder is Encoder.LONGEST_MATCH:
        return longest_matches(recording, symbols, step)
    if encoder is Encoder.TOKEN_RANK and recording.rules.unused:
        return _used(recording, symbols, step)
    return pieces_of(recording, symbols, joins(recording, symbols, step, encoder, draws))


def joins(
    recording: Recording, symbols: list[int], step: int, encoder: Encoder, draws: Draws | None = None
) -> Iterator[Join]:
    """What an encoder that joins neighbours does to a word, in its order. Dropout is for merge ranks only."""
    rank_of = rank_rule(recording, step, encoder)
    if encoder is Encoder.TOKEN_RANK and not recording.rules.is_by_rank:
        return _one_by_one(recording, _Chain(symbols), rank_of, draws, recording.rules.first_of_equals)
    if encoder is Encoder.TOKEN_RANK and recording.is_regular:
        return merge_ranks(recording, symbols, step)
    if encoder is Encoder.TOKEN_RANK or draws or (encoder is Encoder.MERGE_RANK and not recording.is_monotone):
        return _one_by_one(recording, _Chain(symbols), rank_of, draws)
    if recording.is_monotone:  # the others agree then
        return merge_ranks(recording, symbols, step)
    return _batches(recording, _Chain(symbols), rank_of)


def rank_rule(recording: Recording, step: int, encoder: Encoder) -> RankOf:
    """How an encoder that joins neighbours ranks them under the first `step` merges.

    Of a merge listed twice the last one counts, as in Hugging Face and GPT-2; with all places at once the first one,
    as in subword-nmt; in list order both do.
    """
    rank_of = _ranks(recording, step, encoder)

    def rank(pair: Pair, done: int) -> int | None:
        found = rank_of(pair, done)
        return found if found is not None and found < step else None

    return rank


def _ranks(recording: Recording, step: int, encoder: Encoder) -> RankOf:
    """The same, but merges from `step` on may be among them."""
    assert encoder is not Encoder.LONGEST_MATCH, "the longest match joins nothing"
    index = recording.index
    if encoder is Encoder.TOKEN_RANK:
        joined = cache(index.rank_of_joined)
        return lambda pair, _: joined(pair)
    if recording.is_monotone:
        return lambda pair, _: recording.rank_of(pair)
    if encoder is Encoder.MERGE_RANK:
        return lambda pair, _: index.last_rank(pair, step)
    if encoder is Encoder.ALL_AT_ONCE:
        return lambda pair, _: index.next_rank(pair, -1)
    return index.next_rank


def pieces_of(recording: Recording, symbols: list[int], made: Iterator[Join]) -> list[Piece]:
    """The tokens that are there when all the merges are made."""
    latest = dict[int, tuple[int, int]]()  # by boundary: when it was removed, and by which merge
    for number, (rank, boundary) in enumerate(made):
        latest[boundary] = number, rank
    pieces, start, last = list[Piece](), 0, (-1, -1)
    for end in range(1, len(symbols) + 1):
        if end - 1 in latest:
            last = max(last, latest[end - 1])
            continue
        token_id = symbols[start] if last[0] < 0 else recording[last[1]].token_id
        pieces.append(Piece(token_id, start, end))
        start, last = end, (-1, -1)
    return pieces


class _Chain:
    """Tokens linked to their neighbours, each known by the place of its first symbol."""

    def __init__(self, symbols: list[int]) -> None:
        end = len(symbols)
        self.places = range(end)
        self._ids = [*symbols, UNKNOWN]  # UNKNOWN also stands beyond both ends and where a token was
        self._following, self._preceding = list(range(1, end + 1)), list(range(-1, end))
        self._last = list(range(end))

    def pair(self, left: int) -> Pair:
        """The token at `left` and the one behind it."""
        right = self._following[left] if self._ids[left] != UNKNOWN else -1
        return self._ids[left], self._ids[right]

    def boundary(self, left: int) -> int:
        """The one behind the token at `left`."""
        return self._last[left]

    def join(self, left: int, token_id: int) -> tuple[int, int]:
        """Make one of two tokens; returns the places whose pairs are new."""
        right = self._following[left]
        self._ids[left], self._ids[right] = token_id, UNKNOWN
        self._last[left] = self._last[right]
        self._following[left] = self._following[right]
        self._preceding[self._following[right]] = left
        return self._preceding[left], left


def _used(recording: Recording, symbols: list[int], step: int) -> list[Piece]:
    """By token rank, tokens that are not to be used in their parts again: in those two that came next to each other
    last, in all of the word, as in SentencePiece."""
    rank_of, parts = rank_rule(recording, step, Encoder.TOKEN_RANK), dict[int, Pair]()

    def note(pair: Pair) -> None:
        rank = rank_of(pair, -1)
        if rank is not None and (token_id := recording[rank].token_id) in recording.rules.unused:
            parts[token_id] = pair

    def noted(pair: Pair, done: int) -> int | None:
        if done >= 0:  # it is new
            note(pair)
        return rank_of(pair, done)

    def split(token_id: int, start: int, end: int) -> Iterator[Piece]:
        if token_id not in parts:
            yield Piece(token_id, start, end)
            return
        left, right = parts[token_id]
        middle = start + len(recording.token(left).content.decode())
        yield from split(left, start, middle)
        yield from split(right, middle, end)

    for pair in pairwise(symbols):
        note(pair)
    made = _one_by_one(recording, _Chain(symbols), noted, None, recording.rules.first_of_equals)
    pieces = pieces_of(recording, symbols, made)
    return [part for piece in pieces for part in split(*piece)]


def _one_by_one(
    recording: Recording, chain: _Chain, rank_of: RankOf, draws: Draws | None, counting: Callable[[int], int] = int
) -> Iterator[Join]:
    """The lowest rank, leftmost among equals; whatever that makes possible competes at once. What counts in place of a
    rank is the same for those that are equal."""
    found = ((rank, left) for left in chain.places if (rank := rank_of(chain.pair(left), -1)) is not None)
    waiting = [(counting(rank), left, rank) for rank, left in found]
    heapify(waiting)
    left_out = list[tuple[int, int, int]]()
    while waiting:
        _, left, rank = entry = heappop(waiting)
        if rank_of(chain.pair(left), -1) != rank:
            continue
        if draws and draws.leaves_out():
            left_out.append(entry)
            continue
        if draws:
            draws.left_out = [chain.boundary(place) for _, place, _ in left_out]
        yield rank, chain.boundary(left)
        for entry in left_out:
            heappush(waiting, entry)
        left_out.clear()
        for place in chain.join(left, recording[rank].token_id):
            if (new := rank_of(chain.pair(place), rank)) is not None:
                heappush(waiting, (counting(new), place, new))
    if draws:
        draws.left_out = [chain.boundary(place) for _, place, _ in left_out]


def _batches(recording: Recording, chain: _Chain, rank_of: RankOf) -> Iterator[Join]:
    """The lowest rank, at all its places from the left; then again, with what that made possible."""
    waiting, ranks = defaultdict[int, list[int]](list), list[int]()

    def wait(places: Iterable[int], done: int) -> None:
        for place in places:
            rank = rank_of(chain.pair(place), done)
            if rank is not None:
                if rank not in waiting:
                    heappush(ranks, rank)
                waiting[rank].append(place)

    wait(chain.places, -1)
    while ranks:
        rank = heappop(ranks)
        changed = list[int]()
        for left in sorted(set(waiting.pop(rank))):
            if chain.pair(left) == recording[rank].pair:
                yield rank, chain.boundary(left)
                changed += chain.join(left, recording[rank].token_id)
        wait(changed, rank)


def merge_ranks(recording: Recording, symbols: list[int], step: int) -> Iterator[Join]:
    """Merge `symbols` by rank, leftmost first on equal ranks: yield (rank, boundary removed) in the order applied.

    O(n log n): a linked list, and for each rank the places that wait for it. Where the merges are as trained, a pair
    that a merge makes possible has a higher rank, so a rank, once dealt with, never returns.
    """
    if not recording.is_monotone:
        yield from joins(recording, symbols, step, Encoder.MERGE_RANK)
        return
    end = len(symbols)
    current = [*symbols, UNKNOWN]  # UNKNOWN, which no merge takes, also stands beyond both ends and where a token was
    following, preceding = list(range(1, end + 1)), list(range(-1, end))
    last = list(range(end))  # index of the last given symbol inside the token that starts here
    waiting, ranks = dict[int, list[int]](), list[int]()
    rank_of = recording.rank_of

    def rank_at(left: int) -> int | None:
        return rank_of((current[left], current[following[left]]))

    def await_rank(left: int) -> None:
        rank = rank_at(left)
        if rank is None or rank >= step:
            return
        if rank not in waiting:
            waiting[rank] = []
            heappush(ranks, rank)
        waiting[rank].append(left)

    for left in range(end):
        await_rank(left)
    while ranks:
        rank = heappop(ranks)
        for left in sorted(waiting.pop(rank)):
            if rank != rank_at(left):
                continue
            right = following[left]
            yield rank, last[left]
            current[left], current[right] = recording[rank].token_id, UNKNOWN
            last[left] = last[right]
            following[left] = following[right]
            preceding[following[right]] = left
            await_rank(preceding[left])
            await_rank(left)


def longest_matches(recording: Recording, symbols: list[int], step: int) -> list[Piece]:
    """The longest token that is there at `step`, then the longest one behind it, and so on.

    A symbol that no token covers is a piece of its own. A recording with WordPiece's score knows no words in part, as
    BERT does: there the whole word is unknown.
    """
    if UNKNOWN in symbols and recording.config.score is Score.WORDPIECE:
        return [Piece(UNKNOWN, 0, len(symbols))]
    pieces, spelled = list[Piece](), SpelledSymbols(recording, symbols)
    start = 0
    while start < len(symbols):
        pieces.append(next(spelled.candidates(start, step), Piece(symbols[start], start, start + 1)))
        start = pieces[-1].end
    return pieces


class SpelledSymbols:
    """The base symbols of a word, spelled out to find tokens in them."""

    def __init__(self, recording: Recording, symbols: list[int]) -> None:
        self._recording = recording
        self._symbols = symbols
        self._starts = [0]
        texts = list[str]()
        for symbol in symbols:
            text = _GAP
            if symbol != UNKNOWN and not (token := recording.token(symbol)).is_fallback:
                text = inner_spelling(token)
            texts.append(text)
            self._starts.append(self._starts[-1] + len(text))
        self._text = "".join(texts)
        self._places = {start: place for place, start in enumerate(self._starts)}

    def candidates(self, start: int, step: int) -> Iterator[Piece]:
        """The tokens there at `step` that go on from symbol `start`, longest first."""
        if start >= len(self._symbols) or self._symbols[start] == UNKNOWN:
            return
        continues = self._recording.token(self._symbols[start]).continues
        first = self._starts[start]
        for length, token_id, rank in self._recording.index.matches(self._text, first, continues):
            end = self._places.get(first + length)
            if rank < step and end is not None:
                yield Piece(token_id, start, end)


_GAP = "\u0100"  # spells nothing that a token holds
