"""The pairs of the corpus with their counts, and which of them is merged next.

A count only falls once a pair is born, so with counts as scores an old heap entry is never too small: pop the top,
and if its score has fallen since, put it back with the true one. WordPiece's score can also rise, when the counts of
a pair's parts fall; such pairs get a new entry at once, so that here too no entry is too small.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any

from core.merge import Pair

ITEMS_CLEARED = 10_000

TieKey = Callable[[Pair], Any]


def clear_list(items: list[Any]) -> None:
    """As `items.clear()`, but other threads get their turns meanwhile."""
    while items:
        del items[-ITEMS_CLEARED:]


def clear_dict(items: dict[Any, Any]) -> None:
    while items:
        items.popitem()


class Candidates:
    """Pairs scored by their count. Those that `is_allowed` rules out are counted, but never chosen.

    `counts` is filled from outside before `start`; from then on `change` keeps it.
    """

    def __init__(self, tie_key: TieKey, is_allowed: Callable[[Pair], bool] | None = None) -> None:
        self.counts: dict[Pair, int] = {}
        self._tie_key = tie_key
        self._is_allowed = is_allowed
        self._scores: dict[Pair, int] = {} if is_allowed else self.counts  # of the pairs that may be chosen
        self._pairs_with_score: dict[int, int] = {}
        self._heap: list[tuple[int, Any, Pair]] = []

    def start(self) -> None:
        if self._is_allowed:
            self._scores = {pair: count for pair, count in self.counts.items() if self._is_allowed(pair)}
        self._start_heap()

    def best(self) -> Pair | None:
        """The pair to merge next; stale entries above it are refreshed or dropped."""
        heap, scores = self._heap, self._scores
        while heap:
            negative_score, key, pair = heap[0]
            score = scores.get(pair, 0)
            if score == 0:
                heappop(heap)
            elif score == -negative_score and self._is_fresh(key, pair):
                return pair
            else:
                heapreplace(heap, (-score, self._tie_key(pair), pair))
        return None

    def clear(self) -> None:
        """Give the memory back bit by bit."""
        clear_list(self._heap)
        clear_dict(self._scores)
        clear_dict(self.counts)

    def score_of(self, pair: Pair) -> float | None:
        """None where the count is the score."""
        return None

    def tied_with(self, pair: Pair) -> int:
        """How many pairs share its score, itself included; 0 for a pair that may not be chosen."""
        return self._pairs_with_score.get(self._scores.get(pair, 0), 0)

    def is_tied(self, pair: Pair, other: Pair) -> bool:
        """Whether both may be chosen and have the same score."""
        return self._scores.get(pair, 0) == self._scores.get(other, 0) > 0

    def tied_pairs(self, pair: Pair) -> list[Pair]:
        """All pairs that share its score, in the order in which they would be chosen."""
        score = self._scores.get(pair, 0)
        tied = (p for p, other in self._scores.items() if score and other == score)
        return sorted(tied, key=lambda p: (self._tie_key(p), p))

    def change(self, changes: Mapping[Pair, int], merged: Pair, token_id: int, applied: int) -> None:
        """Take in that `merged` has become `token_id` so often; `changes` are those of the other pairs' counts."""
        self._set_count(merged, 0)
        for pair, change in changes.items():
            count = self.counts.get(pair, 0) + change
            self._set_count(pair, count)
            if count and token_id in pair:
                self._push(pair)

    def _is_fresh(self, key: Any, pair: Pair) -> bool:
        """Whether the key of an entry is still right when its score is.

        A pair may have lost its first place, but only along with some of its count, so here the score alone tells.
        """
        return True

    def _start_heap(self) -> None:
        for score in self._scores.values():
            self._pairs_with_score[score] = self._pairs_with_score.get(score, 0) + 1
        self._heap = [(-score, self._tie_key(pair), pair) for pair, score in self._scores.items()]
        heapify(self._heap)

    def _push(self, pair: Pair) -> None:
        if score := self._scores.get(pair, 0):
            heappush(self._heap, (-score, self._tie_key(pair), pair))

    def _set_count(self, pair: Pair, count: int) -> None:
        if self._is_allowed is None:
            self._set_score(pair, count)
            return
        if count:
            self.counts[pair] = count
        else:
            self.counts.pop(pair, None)
        if self._is_allowed(pair):
            self._set_score(pair, count)

    def _set_score(self, pair: Pair, score: int) -> None:
        histogram, old = self._pairs_with_score, self._scores.get(pair, 0)
        if old:
            histogram[old] -= 1
            if not histogram[old]:
                del histogram[old]
        if score:
            self._scores[pair] = score
            histogram[score] = histogram.get(score, 0) + 1
        else:
            self._scores.pop(pair, None)


class WordPieceCandidates(Candidates):
    """Pairs scored by count / (count of left * count of right); rarer ones than `min_frequency` are passed over.

    A score is kept as a whole number, the quotient times a power of two so large that two scores are equal only if
    the fractions are.
    """

    def __init__(
        self,
        tie_key: TieKey,
        token_counts: Mapping[int, int],
        min_frequency: int = 1,
        is_allowed: Callable[[Pair], bool] | None = None,
    ) -> None:
        super().__init__(tie_key, lambda pair: is_allowed is None or is_allowed(pair))
        self._token_counts = token_counts  # the trainer's own, which change with every merge
        self._min_frequency = min_frequency
        self._pairs_of: defaultdict[int, set[Pair]] = defaultdict(set)
        self._shift = 0

    def start(self) -> None:
        # two different fractions with divisors of at most total ** 2 differ by total ** -4 or more
        self._shift = 4 * sum(self._token_counts.values()).bit_length() + 1
        for pair in self.counts:
            self._note(pair)
            if score := self._current_score(pair):
                self._scores[pair] = score
        self._start_heap()

    def score_of(self, pair: Pair) -> float | None:
        count = self.counts.get(pair, 0)
        return count / (self._token_counts[pair[0]] * self._token_counts[pair[1]]) if count else 0.0

    def change(self, changes: Mapping[Pair, int], merged: Pair, token_id: int, applied: int) -> None:
        for pair, change in (*changes.items(), (merged, -self.counts.get(merged, 0))):
            count = self.counts.get(pair, 0) + change
            if count:
                self.counts[pair] = count
                self._note(pair)
            else:
                self.counts.pop(pair, None)
        self._rescore({*changes, merged, *self._pairs_of[merged[0]], *self._pairs_of[merged[1]]})

    def _is_fresh(self, key: Any, pair: Pair) -> bool:
        return bool(key == self._tie_key(pair))  # counts of a pair and its parts can fall so that the score stays

    def _rescore(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            old, new = self._scores.get(pair, 0), self._current_score(pair)
            if pair not in self.counts:
                for token_id in pair:
                    self._pairs_of[token_id].discard(pair)
            if old != new:
                self._set_score(pair, new)
                if new > old:
                    self._push(pair)

    def _note(self, pair: Pair) -> None:
        for token_id in pair:
            self._pairs_of[token_id].add(pair)

    def _current_score(self, pair: Pair) -> int:
        count = self.counts.get(pair, 0)
        assert self._is_allowed
        if count < self._min_frequency or not self._is_allowed(pair):
            return 0
        return (count << self._shift) // (self._token_counts[pair[0]] * self._token_counts[pair[1]])
