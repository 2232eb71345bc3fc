"""Merges in whatever order as tables for compiled loops, for a single step: lists that training would not make.

Here a pair may be listed twice, several merges may make one token, a merge may come before those of its parts, and
neighbours may join by what they spell. Importing this compiles the loops, see kernel_loader.py.
"""

import numpy as np

from core.alphabet import Marker, Token
from core.compiled_merges import MAX_DENSE, Ids, columns_of, empty_merges, is_plain
from core.encoding_rules import Encoder
from core.kernels import encoding
from core.merge import UNKNOWN
from core.merge_index import CONTINUING, spelling
from core.recording import Recording
from core.spelling_tables import spelling_tables, symbol_ids

NONE = 0
"""The number of what no merge takes."""


class ListedMerges:
    """The first `step` merges of a recording, as an encoder ranks them: by merge or by token.

    `merges` are the tables, `limit` is behind the last number, and `token_ids[n]` is the id of the token of number n.
    """

    def __init__(self, recording: Recording, step: int, encoder: Encoder) -> None:
        self._recording = recording
        self._step = step
        base_ids = np.array(symbol_ids(recording.alphabet), np.int32)
        self.first = len(base_ids) + 1
        self.limit = self.first + step
        self.spelling = spelling_tables(recording.alphabet)
        self.is_plain = is_plain(self.spelling)
        self._columns = columns_of(recording, 0, step)
        self.token_ids = np.full(self.limit, UNKNOWN, np.int32)
        self.token_ids[1 : self.first] = base_ids
        self.token_ids[self.first :] = self._columns.token_ids
        self._numbers = self._numbers_of_ids()
        pairs = self._listed() if encoder is Encoder.MERGE_RANK else self._spelled()
        width = self.first if self.first <= MAX_DENSE else 0
        self.merges = empty_merges(self.first, step, width, len(pairs[0]))
        self.merges.made_as[self.first :] = self._numbers[self._columns.token_ids]
        encoding.add_listed(self.merges, *pairs)

    def _numbers_of_ids(self) -> Ids:
        """By id: of a base symbol, and of a token that the first merge makes that is listed for it."""
        highest = max(int(column.max(initial=0)) for column in (*self._columns, self.token_ids))
        numbers = np.full(highest + 1, NONE, np.int32)
        numbers[self._columns.token_ids[::-1]] = np.arange(self.limit - 1, self.first - 1, -1, dtype=np.int32)
        numbers[self.token_ids[1 : self.first]] = np.arange(1, self.first, dtype=np.int32)
        return numbers

    def _listed(self) -> tuple[Ids, Ids, Ids]:
        """The pairs as they are listed, but for those that need a token which no merge makes."""
        lefts, rights = self._numbers[self._columns.lefts], self._numbers[self._columns.rights]
        there = (lefts != NONE) & (rights != NONE)
        numbers = np.arange(self.first, self.limit, dtype=np.int32)
        return lefts[there], rights[there], numbers[there]

    def _spelled(self) -> tuple[Ids, Ids, Ids]:
        """All pairs that spell a token which a merge makes."""
        known = dict[str, int]()
        for number in range(1, self.limit):
            token = self._token(number)
            if number >= self.first or self._can_join(number, token):
                known.setdefault(spelling(token), number)
        found = list[tuple[int, int, int]]()
        inside = CONTINUING if self._recording.alphabet.marker is Marker.CONTINUING else ""
        for text, number in known.items():
            if number >= self.first:
                for place in range(1, len(text)):
                    left, right = known.get(text[:place]), known.get(inside + text[place:])
                    if left and right:
                        found.append((left, right, number))
        lefts, rights, numbers = np.array(found, np.int32).reshape(-1, 3).T.copy()
        return lefts, rights, numbers

    def _can_join(self, number: int, token: Token) -> bool:
        return not token.is_fallback and self._recording.alphabet.is_in_words(int(self.token_ids[number]))

    def _token(self, number: int) -> Token:
        return self._recording.token(int(self.token_ids[number]))
