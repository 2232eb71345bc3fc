"""Merges and tokens that were read from a file, in arrays: all of them at once, objects one by one."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, starmap
from typing import overload

import numpy as np
from numpy.typing import NDArray

from core.alphabet import Token
from core.merge import Merge, Pair

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

MAX_ID = 2**31 - 1
PAIRS_PER_SLICE = 1 << 14
"""Some 5 ms; other threads get their turn only between two of them."""


class LoadedMerges(Sequence[Merge]):
    """Merges without counts: that of rank i joins `lefts[i]` and `rights[i]` to `token_ids[i]`, all of shape (n,)."""

    def __init__(self, lefts: Ids, rights: Ids, token_ids: Ids) -> None:
        assert len(lefts) == len(rights) == len(token_ids)
        self.lefts = np.asarray(lefts, np.int32)
        self.rights = np.asarray(rights, np.int32)
        self.token_ids = np.asarray(token_ids, np.int32)

    @classmethod
    def of(cls, merges: Iterable[Merge]) -> "LoadedMerges":
        columns = np.array([(merge.left, merge.right, merge.token_id) for merge in merges], np.int32)
        return cls(*columns.reshape(-1, 3).T.copy())

    def __len__(self) -> int:
        return len(self.token_ids)

    @overload
    def __getitem__(self, place: int) -> Merge: ...
    @overload
    def __getitem__(self, place: slice) -> list[Merge]: ...
    def __getitem__(self, place: int | slice) -> Merge | list[Merge]:
        if isinstance(place, slice):
            return list(starmap(Merge, self._rows(place)))
        rank = range(len(self))[place]
        return Merge(rank, int(self.lefts[rank]), int(self.rights[rank]), int(self.token_ids[rank]))

    def __iter__(self) -> Iterator[Merge]:
        parts = (slice(first, first + PAIRS_PER_SLICE) for first in range(0, len(self), PAIRS_PER_SLICE))
        return chain.from_iterable(starmap(Merge, self._rows(part)) for part in parts)

    def rank_of(self, pair: Pair) -> int | None:
        """Of a pair that is there twice the last one. In 0.5 us, without a dictionary that would take 50 ms to fill."""
        left, right = pair
        if left < 0 or right < 0:
            return None
        keys, ranks = self._ordered
        key = (left << 32) | right
        place = bisect_right(keys, key) - 1
        return ranks[place] if place >= 0 and keys[place] == key else None

    @cached_property
    def _ordered(self) -> tuple[list[int], list[int]]:
        """All pairs as numbers in order, and their ranks."""
        pairs = self.pairs()
        order = np.argsort(pairs, kind="stable")
        return pairs[order].tolist(), order.tolist()

    def rank_of_token(self, token_id: int) -> int | None:
        """Of a token that is made twice the first one."""
        rank = self._first_ranks[token_id] if 0 <= token_id < len(self._first_ranks) else -1
        return None if rank < 0 else int(rank)

    @cached_property
    def _first_ranks(self) -> NDArray[np.int32]:
        """By token id the first merge that makes it, -1 if there is none."""
        first = np.full(int(self.token_ids.max(initial=-1)) + 1, -1, np.int32)
        first[self.token_ids[::-1]] = np.arange(len(self) - 1, -1, -1, dtype=np.int32)
        return first

    def ranks_of_pairs(self) -> dict[Pair, int]:
        """Of a pair that is there twice the last one."""
        ranks = dict[Pair, int]()
        for first in range(0, len(self), PAIRS_PER_SLICE):
            part = slice(first, first + PAIRS_PER_SLICE)
            pairs = zip(self.lefts[part].tolist(), self.rights[part].tolist(), strict=True)
            ranks.update(zip(pairs, range(len(self))[part], strict=True))
        return ranks

    def listed_again(self) -> dict[Pair, list[int]]:
        """The ranks of each pair that is there more than once."""
        pairs = self.lefts.astype(np.int64) << 32 | self.rights
        order = np.argsort(pairs, kind="stable")
        same = pairs[order[1:]] == pairs[order[:-1]]
        ranks = np.unique(np.concatenate([order[1:][same], order[:-1][same]]))
        again = dict[Pair, list[int]]()
        for rank in ranks.tolist():
            again.setdefault((int(self.lefts[rank]), int(self.rights[rank])), []).append(rank)
        return again

    def ranks_of_tokens(self) -> dict[int, int]:
        """Of a token that is made twice the first one."""
        ranks = range(len(self))
        return dict(zip(self.token_ids[::-1].tolist(), reversed(ranks), strict=True))

    def made_tokens(self, highest: int) -> bytes:
        """By id, up to `highest` at least, 1 for a token that a merge makes and 0 for others."""
        made = np.zeros(max(highest, int(self.token_ids.max(initial=0))) + 1, np.uint8)
        made[self.token_ids] = 1
        return made.tobytes()

    def orphans(self, ids: NDArray[np.int64]) -> dict[int, int]:
        """Of tokens by id those that no merge makes, in order, with the step from which on all tokens of lower id are
        made."""
        highest = int(max(ids.max(initial=0), self.token_ids.max(initial=0)))
        steps = np.zeros(highest + 1, np.int64)
        steps[: len(self._first_ranks)] = self._first_ranks + 1
        orphans = np.sort(ids[steps[ids] == 0])
        return dict(zip(orphans.tolist(), np.maximum.accumulate(steps)[orphans].tolist(), strict=True))

    def makes_new_tokens(self, base: Ids) -> NDArray[np.bool_]:
        """Of each merge whether it makes a token that is neither in the base nor made by a merge before."""
        is_new: NDArray[np.bool_] = self._first_ranks[self.token_ids] == np.arange(len(self), dtype=np.int32)
        return is_new & ~np.isin(self.token_ids, base)

    def is_monotone(self, base: Ids) -> bool:
        """Whether every merge makes a new token of tokens that are there already, and no pair is there twice."""
        if not len(self):
            return True
        highest = int(max(self.lefts.max(), self.rights.max(), self.token_ids.max(), base.max(initial=0)))
        there_after = np.full(highest + 1, len(self), np.int32)  # so many merges
        there_after[self.token_ids[::-1]] = np.arange(len(self), 0, -1, dtype=np.int32)
        there_after[base] = 0
        ranks = np.arange(len(self), dtype=np.int32)
        parts_are_there = (there_after[self.lefts] <= ranks) & (there_after[self.rights] <= ranks)
        if not parts_are_there.all() or (there_after[self.token_ids] != ranks + 1).any():
            return False
        return distinct(self.pairs()) == len(self)

    def pairs(self) -> NDArray[np.int64]:
        """The pair of each merge as one number."""
        return (self.lefts.astype(np.int64) << 32) | self.rights

    def _rows(self, place: slice) -> Iterator[tuple[int, int, int, int]]:
        ranks = range(len(self))[place]
        columns = (self.lefts[place].tolist(), self.rights[place].tolist(), self.token_ids[place].tolist())
        return zip(ranks, *columns, strict=True)


def distinct(numbers: NDArray[np.int64]) -> int:
    """How many different ones there are; `np.unique` takes ten times as long."""
    ordered = np.sort(numbers)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + (len(ordered) > 0)


class PackedTokens(Mapping[int, Token]):
    """Tokens without markers by id, in that order: `ids[i]` is `data[offsets[i]:offsets[i + 1]]`."""

    def __init__(self, ids: Ids, data: bytes, offsets: Offsets) -> None:
        assert len(offsets) == len(ids) + 1
        self.ids = np.asarray(ids, np.int32)
        self.data = data
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __contains__(self, token_id: object) -> bool:
        return isinstance(token_id, int) and self._place(token_id) is not None

    def __getitem__(self, token_id: int) -> Token:
        place = self._place(token_id)
        if place is None:
            raise KeyError(token_id)
        return Token(self.data[self.offsets[place] : self.offsets[place + 1]])

    def _place(self, token_id: int) -> int | None:
        # as an int32, or all ids become int64 first: 50 µs for 200,000
        place = int(self.ids.searchsorted(np.int32(token_id))) if token_id <= MAX_ID else len(self.ids)
        return place if place < len(self.ids) and self.ids[place] == token_id else None


class TokenTable(dict[int, Token]):
    """Tokens by id, those of `others` once they are asked for."""

    def __init__(self, base: Mapping[int, Token], others: Mapping[int, Token]) -> None:
        super().__init__(base)
        self._others = others

    def __missing__(self, token_id: int) -> Token:
        token = self[token_id] = self._others[token_id]
        return token
