"""Which merges make a token, where several do: Llama 3 and gpt-oss list every way to put a token together."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MAX_ID = 2**31 - 1

Ids = NDArray[np.int32]


class SeveralMerges:
    """The ranks of a list of merges by the tokens that they make; 40 ms for 450,000 merges."""

    def __init__(self, token_ids: Ids) -> None:
        self._ranks = np.argsort(token_ids, kind="stable")
        self._token_ids = token_ids[self._ranks]
        self.are_there = bool((self._token_ids[1:] == self._token_ids[:-1]).any())

    @classmethod
    def of(cls, token_ids: Iterable[int], count: int) -> "SeveralMerges":
        return cls(np.fromiter(token_ids, np.int32, count))

    def making(self, token_id: int) -> tuple[int, ...]:
        """In their order."""
        if not 0 <= token_id < MAX_ID:
            return ()
        # as int32, or all ids become int64 first: 100 us for 450,000
        first, end = self._token_ids.searchsorted(np.array((token_id, token_id + 1), np.int32))
        return tuple(self._ranks[first:end].tolist())
