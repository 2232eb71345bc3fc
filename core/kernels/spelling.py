"""Words become base symbols: what Alphabet.symbols_of does, for many words at a time."""

import numpy as np

from core.kernels.compiled import kernel
from core.packed_words import PADDING, Bytes, Numbers
from core.spelling_tables import BYTES, FUSE, KEEP, UNKNOWN_SYMBOL, SpellingTables, Symbols


@kernel
def character_at(data: Bytes, place: int) -> tuple[int, int]:
    """(code point, bytes it takes); the bytes must be UTF-8, in which halves of surrogate pairs may stand."""
    lead = np.int64(data[place])
    if lead < 0x80:
        return lead, 1
    second = np.int64(data[place + 1]) & 0x3F
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | second, 2
    third = np.int64(data[place + 2]) & 0x3F
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | second << 6 | third, 3
    return (lead & 0x07) << 18 | second << 12 | third << 6 | (np.int64(data[place + 3]) & 0x3F), 4


@kernel
def spell(data: Bytes, start: int, end: int, tables: SpellingTables, symbols: Symbols, place: int) -> int:
    """Write the symbols of the word data[start:end] from `place` on; returns the place behind them.

    A word has at most one symbol for each of its characters, or of its bytes where these stand for unknown ones, and
    one for the marker. Nothing is written behind them.
    """
    at, is_in_run = start, False
    while at < end:
        unit, size = np.int64(data[at]), 1
        if unit >= 0x80 and not tables.is_bytes:
            unit, size = character_at(data, at)
        is_marked = (tables.marks_last and at + size == end) or (tables.marks_later and at > start)
        form = tables.marked if is_marked else tables.inner
        symbol = np.int64(form[unit]) if unit < form.size else np.int64(UNKNOWN_SYMBOL)
        if symbol != UNKNOWN_SYMBOL or tables.unknown == KEEP:
            symbols[place] = symbol
            place += 1
        elif tables.unknown == FUSE and not is_in_run:
            symbols[place] = UNKNOWN_SYMBOL
            place += 1
        elif tables.unknown == BYTES:
            place = _spell_bytes(data, at, size, tables.fallback, symbols, place)
        is_in_run = symbol == UNKNOWN_SYMBOL
        at += size
    if tables.marker > 0:
        symbols[place] = tables.marker
        place += 1
    return place


@kernel
def spell_plainly(data: Bytes, start: int, end: int, tables: SpellingTables, symbols: Symbols, place: int) -> int:
    """The same in less time, if all units of the word are single bytes with known symbols; else returns `place`."""
    form = tables.marked if tables.marks_later else tables.inner
    size, least = end - start, np.int32(1)
    if size == 0 or not (tables.is_bytes or _is_ascii(data, start, end)):
        return place
    for i in range(size):
        symbol = form[data[start + i]]
        symbols[place + i] = symbol
        least = min(least, symbol)
    if tables.marks_later:
        symbols[place] = tables.inner[data[start]]
        least = min(least, symbols[place])
    if tables.marks_last:
        symbols[place + size - 1] = tables.marked[data[end - 1]]
        least = min(least, symbols[place + size - 1])
    if least <= UNKNOWN_SYMBOL:
        return place
    if tables.marker > 0:
        symbols[place + size] = tables.marker
        size += 1
    return place + size


@kernel
def _is_ascii(data: Bytes, start: int, end: int) -> bool:
    bits = np.uint8(0)
    for i in range(start, end):
        bits |= data[i]
    return bits < 0x80


@kernel
def _spell_bytes(data: Bytes, at: int, size: int, fallback: Symbols, symbols: Symbols, place: int) -> int:
    """All bytes of an unknown character, or one unknown symbol if a byte is missing."""
    for i in range(size):
        symbols[place + i] = fallback[data[at + i]]
        if symbols[place + i] == UNKNOWN_SYMBOL:
            symbols[place] = UNKNOWN_SYMBOL
            return place + 1
    return place + size


@kernel
def spell_words(
    data: Bytes, offsets: Numbers, first: int, last: int, tables: SpellingTables, symbols: Symbols, starts: Numbers
) -> int:
    """The symbols of the words `first` to `last`, one behind the other; returns how many they are.

    Those of word i begin at starts[i - first]; starts[last - first] is where they end.
    """
    place = 0
    for word in range(first, last):
        starts[word - first] = place
        place = spell(data, offsets[word], offsets[word + 1], tables, symbols, place)
    starts[last - first] = place
    return place


@kernel
def count_code_points(
    data: Bytes, offsets: Numbers, counts: Numbers, first: int, last: int, totals: Numbers, finals: Bytes, laters: Bytes
) -> int:
    """Add to `totals` how often each code point occurs in the words; it is 1 in `finals` and `laters` if it ends a
    word and if something stands before it in one. Returns a number above all of them.
    """
    bits = np.int64(0)
    for word in range(first, last):
        at, end, count, point = offsets[word], offsets[word + 1], counts[word], np.int64(0)
        if at == end:
            continue
        point, size = character_at(data, at)
        totals[point] += count
        bits |= point
        at += size
        while at < end:
            point, size = np.int64(data[at]), 1
            if point >= 0x80:
                point, size = character_at(data, at)
            totals[point] += count
            laters[point] = 1
            bits |= point
            at += size
        finals[point] = 1
    return min(2 * bits + 1, totals.size)


def warm_up() -> None:
    from core.alphabet import byte_alphabet
    from core.spelling_tables import spelling_tables

    data = np.zeros(PADDING, np.uint8)
    offsets = np.zeros(2, np.int64)
    tables = spelling_tables(byte_alphabet())
    spell_words(data, offsets, 0, 1, tables, np.zeros(1, np.int32), np.zeros(2, np.int64))
    count_code_points(data, offsets, offsets, 0, 1, offsets, data, data)
