"""The merges of a recording as tables for compiled loops.

Importing this compiles the loops or loads them from the cache, see kernel_loader.py.
"""

from itertools import islice
from operator import attrgetter
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.alphabet import Marker
from core.kernels import encoding
from core.merge import UNKNOWN, Merge
from core.recording import Recording
from core.spelling_tables import SpellingTables, spelling_tables, symbol_ids

MAX_IDS = 1 << 22
"""Ids are below this, and all tokens together, with two that stand for none, are at most half of it."""
MAX_DENSE = 512
"""Base symbols whose pairs are looked up in a square table, of a megabyte."""

Ids = NDArray[np.int32]


def fits(recording: Recording) -> bool:
    """Whether there are tables of this size, and of an alphabet that has the marker it asks for."""
    alphabet = recording.alphabet
    has_marker = alphabet.marker is not Marker.SYMBOL or alphabet.id_of(b"", ends_word=True) != UNKNOWN
    highest = max([*alphabet.tokens, recording[-1].token_id if len(recording) else 0])
    if loaded := recording.loaded:
        highest = max(highest, int(loaded.token_ids.max(initial=0)))
    return has_marker and highest < MAX_IDS and 2 * (len(alphabet.tokens) + len(recording) + 2) <= MAX_IDS


class CompiledMerges:
    """The merges of a recording in tables, which grow with it. Several encoders may use them at once.

    Tokens have numbers: 0 is an unknown character, then come the tokens of the alphabet by id, then those of the merges
    by rank.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._growing = Lock()
        self._base_ids = np.array(symbol_ids(recording.alphabet), np.int32)
        self.spelling = spelling_tables(recording.alphabet)
        self.is_plain = is_plain(self.spelling)
        self._count = self._room = 0
        self._make_room(0)

    @property
    def first(self) -> int:
        """The number of the first merge."""
        return len(self._base_ids) + 1

    def up_to(self, step: int) -> tuple[encoding.Merges, Ids]:
        """The tables with at least so many merges, and the id of every number."""
        with self._growing:
            if self._count < step:
                self._grow(len(self._recording))
            return self._merges, self._token_ids

    def _grow(self, count: int) -> None:
        if count > self._room:
            self._make_room(1 << (count - 1).bit_length())
        columns = columns_of(self._recording, self._count, count)
        self._name(self.first + self._count, columns.token_ids)
        lefts, rights = self._number_of_id[columns.lefts], self._number_of_id[columns.rights]
        encoding.add_pairs(self._merges, lefts, rights, self._count)
        self._count = count

    def _make_room(self, room: int) -> None:
        """Empty tables for so many merges."""
        width = self.first if self.first <= MAX_DENSE else 0
        self._merges = empty_merges(self.first, room, width)
        self._token_ids = np.full(self.first + room, UNKNOWN, np.int32)
        self._number_of_id = np.zeros(0, np.int32)
        self._name(1, self._base_ids)
        self._count, self._room = 0, room

    def _name(self, first: int, token_ids: Ids) -> None:
        """The tokens from number `first` on have these ids."""
        numbers = np.arange(first, first + len(token_ids), dtype=np.int32)
        self._token_ids[numbers] = token_ids
        highest = int(token_ids.max(initial=0))
        if highest >= len(self._number_of_id):
            more = np.zeros(2 * (highest + 1) - len(self._number_of_id), np.int32)
            self._number_of_id = np.concatenate([self._number_of_id, more])
        self._number_of_id[token_ids] = numbers


def empty_merges(first: int, room: int, width: int, pairs: int | None = None) -> encoding.Merges:
    """Tables for so many merges, the first of which has the number `first`, and so many pairs: as many if None.

    Pairs of numbers below `width` are looked up in a square.
    """
    size = 2 * room if pairs is None else 2 << pairs.bit_length()
    return encoding.Merges(
        np.full(width * width, encoding.NEVER, np.int32),
        np.full(max(size, 2), encoding.EMPTY),
        np.ones(first + room, np.int32),
        np.ones(first + room, np.int32),
        width,
        first,
    )


def is_plain(spelling: SpellingTables) -> bool:
    """Whether every byte is a symbol, wherever it stands, and there are no others."""
    has_marks = spelling.marker or spelling.marks_last or spelling.marks_later
    return spelling.is_bytes and not has_marks and len(spelling.inner) == 256 and bool((spelling.inner > 0).all())


class Columns(NamedTuple):
    """Some merges in a row."""

    lefts: Ids
    rights: Ids
    token_ids: Ids


def columns_of(recording: Recording, first: int, last: int) -> Columns:
    """The merges of ranks `first` to before `last`."""
    if loaded := recording.loaded:
        return Columns(*(column[first:last] for column in (loaded.lefts, loaded.rights, loaded.token_ids)))
    merges = list(islice(recording, first, last))
    return Columns(*(_column(name, merges) for name in ("left", "right", "token_id")))


def _column(name: str, merges: list[Merge]) -> Ids:
    return np.fromiter(map(attrgetter(name), merges), np.int32, len(merges))
