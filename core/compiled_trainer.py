"""The trainer with compiled loops: the same merges as core/trainer.py, in every field, many times as fast.

It works in slices of some milliseconds and holds no interpreter lock meanwhile. Importing this compiles the loops or
loads them: core/trainers.py says when it is time.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice, repeat
from typing import Any, cast

import numpy as np

from core.alphabet import Alphabet, Token
from core.errors import GivenUpError
from core.kernels import layout as layouts
from core.kernels.candidate_heap import best_pair, first_place
from core.kernels.merging import (
    APPLIED,
    COLUMNS,
    COMPLETED,
    COUNT,
    LEFT,
    NEEDS_ROOM,
    NO_PAIR,
    RIGHT,
    TIED,
    TOO_RARE,
    make_given,
    make_merges,
)
from core.kernels.pairs import (
    PAIRS,
    SYMBOL_BITS,
    SYMBOL_COUNT,
    SYMBOL_MASK,
    THRESHOLD,
    find,
)
from core.merge import UNKNOWN, Merge, Pair
from core.merge_state import UNLIMITED, MergeState
from core.packed_words import Numbers, PackedWords
from core.pair_tracking import track_all, track_first
from core.progress import Progress
from core.spelling_tables import symbol_ids
from core.tie_rules import tie_rule
from core.trainer import CorpusSize, Plan, is_stop_token
from core.trainer_config import StopReason, TieBreak, TrainerConfig
from core.word_layout import WordLayout, lay_out_words

PAIRS_PER_SLICE = 1 << 14
FIRST_WORK, MOST_WORK = 1 << 10, 1 << 20
"""Places looked at in a slice: short at first, so that the first merges come at once, then some 5 ms."""

MERGES_PER_SLICE = 1 << 12
MERGES_NAMED = 1 << 20
SMALL_CORPUS = 1 << 20
MERGES_EXPECTED = 32_000
RARE_SHARE = 96
THRESHOLD_STEP = 8
"""Pairs rarer than a RARE_SHARE-th of the tokens for each merge expected are not tracked at first, then those rarer
than an eighth of that, and so on. In a small corpus all are tracked."""

_merge_of = cast(Callable[[type[Merge], Iterable[Any]], Merge], tuple.__new__)
"""In three quarters of the time that Merge._make takes."""


class CompiledTrainer:
    """As core.trainer.Trainer: `count_pairs` first, then `merges`; both can be abandoned at any point.

    It may be some merges ahead of those that `merges` has handed out, unless it was asked to keep in step.
    """

    def __init__(
        self, word_counts: Mapping[str, int], config: TrainerConfig, alphabet: Alphabet, plan: Plan | None = None
    ) -> None:
        self.alphabet = alphabet
        self.word_counts = word_counts
        self.plan = plan or Plan()
        self.token_count = 0
        self.symbol_counts: dict[int, int] = {}
        self.size = CorpusSize()
        self._config = config
        self._known_tokens = dict(alphabet.tokens)
        self._ids = symbol_ids(alphabet)  # of symbol 1 and so on
        self._known_symbols: dict[int, int] = {}
        self._merges_made = 0
        self._parts: list[Sequence[list[int]]] = []  # ids, lefts and rights of tokens that are not among the known ones
        self._end: StopReason | None = None
        self._is_given_up = False
        limit = config.merge_limit(len(alphabet.tokens)) or 0
        self._name_tokens(len(self.plan.given) + min(limit, MERGES_NAMED) + MERGES_PER_SLICE)

    # state of the corpus

    @property
    def vocab_size(self) -> int:
        return len(self.alphabet.tokens) + self._merges_made

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands in the corpus now."""
        index = self._index(pair)
        return 0 if index < 0 else int(self._state.pairs.counts[index])

    def pair_counts(self) -> dict[Pair, int]:
        """The count of every pair of the corpus as it stands now."""
        return dict(self.counted_pairs())

    def counted_pairs(self) -> Iterator[tuple[Pair, int]]:
        """The same one after the other, in no order."""
        self._track_all()
        ids = np.array([UNKNOWN, *self._ids])
        for first in range(0, int(self._state.numbers[PAIRS]), PAIRS_PER_SLICE):
            part = slice(first, min(first + PAIRS_PER_SLICE, int(self._state.numbers[PAIRS])))
            keys, counts = self._state.pairs.key[part], self._state.pairs.counts[part]
            left, right = ids[keys >> SYMBOL_BITS].tolist(), ids[keys & SYMBOL_MASK].tolist()
            for pair, times in zip(zip(left, right, strict=True), counts.tolist(), strict=True):
                if times:
                    yield pair, times

    def words(self) -> Iterator[tuple[int, ...]]:
        """The token ids of each word as they stand now, in the order of the word counts."""
        symbols, lengths = self._state.layout.symbols, self._state.tokens.length
        for slot in self._laid_out.starts().tolist():
            word = list[int]()
            while (symbol := int(symbols[slot])) != layouts.SEPARATOR:
                word.append(self._id(symbol))
                slot += int(lengths[symbol]) if symbol > 0 else 1
            yield tuple(word)

    def score_of(self, pair: Pair) -> float | None:
        """None: the count is the score."""
        return None

    def is_tied(self, pair: Pair, other: Pair) -> bool:
        """Whether both may be chosen and have the same count now."""
        one, two = self._index(pair), self._index(other)
        pairs = self._state.pairs
        are_allowed = min(one, two) >= 0 and bool(pairs.allowed[one] and pairs.allowed[two])
        return are_allowed and bool(pairs.counts[one] == pairs.counts[two] > 0)

    def tied_pairs(self, pair: Pair) -> list[Pair]:
        """All pairs that share the count of `pair` now, in the order in which the tie rule takes them."""
        index, pairs = self._index(pair), self._state.pairs
        if index < 0 or not pairs.allowed[index] or not pairs.counts[index]:
            return []
        used = slice(0, int(self._state.numbers[PAIRS]))
        tied = np.flatnonzero((pairs.counts[used] == pairs.counts[index]) & pairs.allowed[used])
        key = tie_rule(
            self._config.tie_break, self._tokens(), self.alphabet, self._config.marker_text, self._first_place
        )
        return sorted(map(self._pair, tied.tolist()), key=lambda pair: (key(pair), pair))

    def give_up(self) -> None:
        """Asks, from any thread, to leave long work: where pairs are counted anew GivenUpError is raised then."""
        self._is_given_up = True

    def next_turn(self) -> Pair | StopReason:
        """The pair that is merged next, or why none is; asked for once the given merges are made."""
        if self._end is not None:
            return self._end
        index = self._best()
        if reason := self._stop_before(index):
            return reason
        return self._pair(index)

    def clear(self) -> None:
        """Give the memory back."""
        self.__dict__.pop("_state", None)
        self.__dict__.pop("_laid_out", None)

    # counting

    def count_pairs(self) -> Generator[Progress, None, None]:
        """Lay the words out and count their pairs; progress is in unique words."""
        words = PackedWords.of(self.word_counts)
        keeps_order = self._config.tie_break is TieBreak.FIRST_SEEN
        self._laid_out = laid_out = yield from lay_out_words(words, self.alphabet, keeps_order)
        self._describe_corpus(laid_out)
        forbidden = [pair for pair in self.plan.forbidden if max(pair) <= SYMBOL_MASK >> 1]
        self._state = MergeState(laid_out.layout, self.alphabet, self._config, forbidden, self._ids)
        threshold, progress = 1 if self.plan.given else self._first_threshold(), Progress(len(words), len(words))
        for _ in track_first(self._state, laid_out.counts, threshold, laid_out.ranges):
            yield progress
        yield Progress(len(words), len(words))

    def _describe_corpus(self, laid_out: WordLayout) -> None:
        ids = [UNKNOWN, *symbol_ids(self.alphabet)]
        self.symbol_counts = {ids[i]: int(laid_out.counts[i]) for i in np.flatnonzero(laid_out.counts)}
        total, whole, byte_count, characters, self.token_count = map(int, laid_out.sums)
        self.size = CorpusSize(total, whole, byte_count, characters)

    def _first_threshold(self) -> int:
        if len(self._state.layout.symbols) <= SMALL_CORPUS:
            return 1
        merges = self._config.merge_limit(len(self.alphabet.tokens)) or MERGES_EXPECTED
        return max(self.token_count // (RARE_SHARE * merges), 1)

    def _track_all(self) -> None:
        if self._state.numbers[THRESHOLD] > 1:
            for _ in track_all(self._state, 1):
                pass

    # merging

    def merges(self, in_step: bool = False) -> Generator[Merge, None, StopReason]:
        """Yield merges until a stop rule of the config holds; the generator returns which one.

        `in_step`: make no merge before it is asked for.
        """
        in_step = in_step or bool(self._config.stop_token)
        work = FIRST_WORK
        while self._merges_made < len(self.plan.given):
            yield from self._given_slice(1 if in_step else MERGES_PER_SLICE, work)
            work = min(2 * work, MOST_WORK)
        while (limit := self._merges_allowed()) > 0 and self._end is None:
            merges = self._slice(1 if in_step else min(limit, MERGES_PER_SLICE), work)
            work = min(2 * work, MOST_WORK)
            for merge in merges:
                if self._config.stop_token and is_stop_token(self._tokens()[merge.token_id], self._config):
                    self._end = StopReason.TOKEN_FOUND
                yield merge
        turn = self.next_turn()
        assert isinstance(turn, StopReason)
        return turn

    def _merges_allowed(self) -> int:
        limits = [MERGES_PER_SLICE]
        if self._config.merges is not None:
            limits.append(self._config.merges - self._merges_made)
        if self._config.vocab_size is not None:
            limits.append(self._config.vocab_size - self.vocab_size)
        return min(limits)

    def _given_slice(self, most: int, work: int) -> list[Merge]:
        state, given = self._state, self.plan.given[self._merges_made :][:most]
        symbols = self._symbols()
        pairs = np.array([[symbols[merge.left], symbols[merge.right]] for merge in given], np.int64)
        rows = np.empty((len(given), COLUMNS), np.int64)
        end, made = make_given(
            state.layout, state.tokens, state.limits, state.pairs, state.places, state.heap, state.scratch,
            state.around, state.numbers, pairs, work, rows,
        )  # fmt: skip
        if end == NEEDS_ROOM:
            self._make_room_for_merge(*pairs[made].tolist())
        return self._handed_out(rows[:made])

    def _slice(self, most: int, work: int) -> list[Merge]:
        """At least one merge, unless room has to be made or pairs have to be counted before, or training ends."""
        state = self._state
        self._name_tokens(self._merges_made + most)
        rows = np.empty((most, COLUMNS), np.int64)
        end, made = make_merges(
            state.layout, state.tokens, state.limits, state.pairs, state.places, state.heap, state.scratch,
            state.around, state.numbers, min(self._config.min_frequency, UNLIMITED), work, rows,
        )  # fmt: skip
        merges = self._handed_out(rows[:made])
        if end == NEEDS_ROOM:
            key = int(state.pairs.key[self._best()])
            self._make_room_for_merge(key >> SYMBOL_BITS, key & SYMBOL_MASK)
        elif end == TOO_RARE or (end == NO_PAIR and self._best() < 0):
            self._end = self._stop_before(self._best())
        return merges

    def _best(self) -> int:
        """The pair to merge next, or -1; counts anew as long as too rare pairs may be the best ones."""
        state = self._state
        while True:
            index = best_pair(state.layout, state.tokens, state.pairs, state.places, state.heap, state.numbers)
            threshold = int(state.numbers[THRESHOLD])
            if index >= 0 or threshold == 1:
                return int(index)
            for _ in track_all(state, max(threshold // THRESHOLD_STEP, 1)):
                if self._is_given_up:
                    raise GivenUpError("Training was given up.")

    def _stop_before(self, index: int) -> StopReason | None:
        config = self._config
        if config.merges is not None and self._merges_made >= config.merges:
            return StopReason.MERGES
        if config.vocab_size is not None and self.vocab_size >= config.vocab_size:
            return StopReason.VOCAB_SIZE
        if index < 0:
            return self._why_none_is_left()
        return StopReason.MIN_FREQUENCY if self._state.pairs.counts[index] < config.min_frequency else None

    def _why_none_is_left(self) -> StopReason:
        left = [pair for pair, _ in self.counted_pairs()]
        if not left:
            return StopReason.NO_PAIR
        is_too_long = any(pair not in self.plan.forbidden for pair in left)
        return StopReason.LONGEST_TOKEN if is_too_long else StopReason.FORBIDDEN

    def _handed_out(self, rows: Numbers) -> list[Merge]:
        start, first_symbol = self._merges_made, len(self.alphabet.tokens)
        ids = self._state.tokens.ids
        left, right = ids[rows[:, LEFT]].tolist(), ids[rows[:, RIGHT]].tolist()
        token_ids = self._ids[first_symbol + start : first_symbol + start + len(rows)]
        facts = rows[:, [COUNT, APPLIED, TIED, COMPLETED]].T.tolist()
        self._parts.append((token_ids, left, right))
        self._merges_made += len(rows)
        self.token_count -= int(rows[:, APPLIED].sum())
        ranks = range(start, start + len(rows))
        fields = zip(ranks, left, right, token_ids, *facts, repeat(None))
        return list(map(_merge_of, repeat(Merge), fields))

    def _make_room_for_merge(self, left: int, right: int) -> None:
        """For all that merging these two symbols, which may never have met, may add."""
        state = self._state
        index = find(state.pairs, left, right)
        size = int(state.pairs.size[index]) if index >= 0 else 0
        state.make_room(2 * min(size, int(state.numbers[SYMBOL_COUNT]) + 1), 2 * size)
        state.make_room_around(size)
        state.make_room_for_text(left, right)

    # ids, symbols and pairs

    def _name_tokens(self, merges: int) -> None:
        """Choose the ids of as many merges: those of given ones are known, the others have what is free."""
        first = len(self.alphabet.tokens)
        if len(self._ids) >= first + merges:
            return
        given = [merge.token_id for merge in self.plan.given]
        ids = self._ids[:first] + given
        last = [i for i, token in self.alphabet.tokens.items() if token.special and self._config.specials_last]
        taken = {*self._ids[:first], *given}
        free = max(taken - set(last), default=-1) + 1
        wanted = max(merges, 2 * (len(self._ids) - first)) - len(given)
        unused = (token_id for token_id in count(free) if token_id not in taken)
        self._ids = ids = [*ids, *islice(unused, wanted)]
        if "_state" in self.__dict__:
            self._state.make_room_for_tokens(ids)

    def _symbols(self) -> Mapping[int, int]:
        """By token id."""
        if len(self._known_symbols) < len(self._ids):
            self._known_symbols = {token_id: symbol for symbol, token_id in enumerate(self._ids, 1)}
        return self._known_symbols

    def _tokens(self) -> Mapping[int, Token]:
        for token_id, left, right in chain.from_iterable(zip(*part, strict=True) for part in self._parts):
            self._known_tokens[token_id] = self._known_tokens[left] + self._known_tokens[right]
        self._parts.clear()
        return self._known_tokens

    def _id(self, symbol: int) -> int:
        if symbol > 0:
            return self._ids[symbol - 1]
        return UNKNOWN if symbol == -1 else self._ids[-symbol - 2]

    def _pair(self, index: int) -> Pair:
        key = int(self._state.pairs.key[index])
        return self._ids[(key >> SYMBOL_BITS) - 1], self._ids[(key & SYMBOL_MASK) - 1]

    def _index(self, pair: Pair) -> int:
        """Of a pair of token ids, -1 if it never stood in the corpus; afterwards all pairs are tracked."""
        self._track_all()
        left, right = (self._symbols().get(token_id, 0) for token_id in pair)
        return int(find(self._state.pairs, left, right)) if left and right else -1

    def _first_place(self, pair: Pair) -> int:
        state = self._state
        return int(first_place(state.layout, state.tokens, state.pairs, state.places, self._index(pair)))
