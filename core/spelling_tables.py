"""An alphabet as compiled loops need it: tables from bytes or code points to symbols.

Inside such loops the tokens of an alphabet are the symbols 1, 2, ... in the order of their ids. A unit that takes part
in no merge is negative: UNKNOWN_SYMBOL for what the alphabet lacks, and -1 - s for a byte `<0x..>` with the symbol s.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.alphabet import Alphabet, Base, Marker, Unknown
from core.merge import UNKNOWN

Symbols = NDArray[np.int32]

UNKNOWN_SYMBOL = -1
KEEP, DROP, FUSE, BYTES = range(4)
_UNKNOWN_KINDS = {
    Unknown.KEEP: KEEP,
    Unknown.TOKEN: KEEP,
    Unknown.DROP: DROP,
    Unknown.FUSE: FUSE,
    Unknown.BYTES: BYTES,
}


class SpellingTables(NamedTuple):
    """`inner[u]` is the symbol of the byte or code point u, `marked[u]` that at the marked places of a word; both go on
    at least to 255.

    `fallback[b]` is the inert symbol of the byte b, UNKNOWN_SYMBOL if there is none; `marker` the symbol behind every
    word, 0 if there is none.
    """

    inner: Symbols
    marked: Symbols
    fallback: Symbols
    marker: int
    is_bytes: bool
    marks_last: bool
    marks_later: bool
    unknown: int


def symbol_ids(alphabet: Alphabet) -> list[int]:
    """The token ids in the order of their symbols: the first one is that of symbol 1."""
    return sorted(alphabet.tokens)


def spelling_tables(alphabet: Alphabet) -> SpellingTables:
    symbols = {token_id: symbol for symbol, token_id in enumerate(symbol_ids(alphabet), 1)}
    symbols[UNKNOWN] = UNKNOWN_SYMBOL
    marked = alphabet.inner
    if alphabet.marker is Marker.SUFFIX:
        marked = alphabet.final
    elif alphabet.marker is Marker.CONTINUING:
        marked = alphabet.continuing
    fallback = np.full(256, UNKNOWN_SYMBOL, np.int32)
    for value, token_id in alphabet.fallback_ids.items():
        fallback[value] = -1 - symbols[token_id]
    return SpellingTables(
        _table(alphabet.inner, symbols),
        _table(marked, symbols),
        fallback,
        symbols[alphabet.id_of(b"", ends_word=True)] if alphabet.marker is Marker.SYMBOL else 0,
        alphabet.base is Base.BYTES,
        alphabet.marker is Marker.SUFFIX,
        alphabet.marker is Marker.CONTINUING,
        _UNKNOWN_KINDS[alphabet.unknown],
    )


def _table(ids: dict[str | int, int], symbols: dict[int, int]) -> Symbols:
    """UNKNOWN_SYMBOL where the alphabet has nothing, and beyond its end."""
    units = {
        _unit(unit): symbols[token_id] for unit, token_id in ids.items() if not isinstance(unit, str) or len(unit) == 1
    }
    table = np.full(max([*units, 255]) + 1, UNKNOWN_SYMBOL, np.int32)
    for unit, symbol in units.items():
        table[unit] = symbol
    return table


def _unit(unit: str | int) -> int:
    return ord(unit) if isinstance(unit, str) else unit
