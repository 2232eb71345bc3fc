"""Which characters each base symbol of a word touches, in arrays: for words of any length.

It is what Alphabet.spell says, which makes an object for each of them.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.alphabet import Alphabet, Base, Marker, Unknown, utf8
from core.merge import UNKNOWN
from core.packed_words import Numbers


class SymbolPlaces:
    """Of an alphabet; `of` says it of a word."""

    def __init__(self, alphabet: Alphabet) -> None:
        self._alphabet = alphabet

    def of(self, word: str) -> tuple[Numbers, Numbers]:
        """The character that each symbol starts with, and the one behind its last."""
        places = np.arange(len(word), dtype=np.int64)
        if self._alphabet.base is Base.BYTES:
            places = np.repeat(places, utf8_sizes(word))
        starts, ends = places, places + 1
        if self._alphabet.marker is Marker.SYMBOL:
            starts, ends = np.append(starts, len(word)), np.append(ends, len(word))
        if self._alphabet.unknown in (Unknown.KEEP, Unknown.TOKEN):
            return starts, ends
        is_known = np.fromiter(self._one_each.symbols_of(word), np.int64, len(starts)) != UNKNOWN
        if is_known.all():
            return starts, ends
        return self._with_unknown(word, starts, ends, is_known)

    @cached_property
    def _one_each(self) -> Alphabet:
        """The same, with a symbol for everything, known or not."""
        return replace(self._alphabet, unknown=Unknown.KEEP)

    def _with_unknown(
        self, word: str, starts: Numbers, ends: Numbers, is_known: NDArray[np.bool_]
    ) -> tuple[Numbers, Numbers]:
        if self._alphabet.unknown is Unknown.DROP:
            return starts[is_known], ends[is_known]
        if self._alphabet.unknown is Unknown.FUSE:
            begins = is_known | np.append(True, is_known[:-1])
            goes_on = np.append(begins[1:], True)
            return starts[begins], ends[goes_on]
        counts = np.where(is_known, 1, self._fallback_sizes(word, len(starts)))
        return np.repeat(starts, counts), np.repeat(ends, counts)

    def _fallback_sizes(self, word: str, count: int) -> Numbers:
        """For each symbol, how many bytes stand for it if it is unknown; it stays whole if one of them is missing."""
        sizes = np.ones(count, np.int64)
        if self._alphabet.base is Base.CHARACTERS:
            known = self._alphabet.fallback_ids
            of = {c: len(utf8(c)) if all(value in known for value in utf8(c)) else 1 for c in set(word)}
            sizes[: len(word)] = np.fromiter(map(of.__getitem__, word), np.int64, len(word))
        return sizes


def utf8_sizes(text: str) -> Numbers:
    """Bytes of each character; half a surrogate pair has three."""
    data = np.frombuffer(utf8(text), np.uint8)
    leads = np.flatnonzero((data & 0xC0) != 0x80)
    return np.diff(np.append(leads, len(data)))
