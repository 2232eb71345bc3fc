"""Whether bytes are UTF-8, and what else is to be known of them before they are read as text, 64 bytes at once."""

import numpy as np

from core.kernels.compiled import bytes_between, kernel, ones, trailing_zeros
from core.packed_words import Bytes

WINDOW = 64


@kernel
def whole_characters(data: Bytes) -> int:
    """How many bytes, from the first on, are whole characters of UTF-8 (table 3-7 of the Unicode Standard)."""
    place, stop = 0, len(data)
    while place < stop:
        if place + WINDOW <= stop:
            high = bytes_between(data, place, 0x80, 0xFF)
            if high == 0:
                place += WINDOW
                continue
            place += trailing_zeros(high)
        while place < stop and data[place] >= 0x80:
            size = _size_of_character(data, place)
            if size == 0:
                return place
            place += size
        while place < stop and place + WINDOW > stop and data[place] < 0x80:
            place += 1
    return place


@kernel
def _size_of_character(data: Bytes, place: int) -> int:
    """Of one that is not ASCII; 0 if it is none, or cut off."""
    first, rest = data[place], len(data) - place - 1
    if rest < 1 or first < 0xC2 or first > 0xF4:
        return 0
    second = data[place + 1]
    if first < 0xE0:
        return 2 if _continues(second) else 0
    low = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
    high = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
    if second < low or second > high or rest < 2 or not _continues(data[place + 2]):
        return 0
    if first < 0xF0:
        return 3
    return 4 if rest > 2 and _continues(data[place + 3]) else 0


@kernel
def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80


@kernel
def line_ends_and_nuls(data: Bytes) -> tuple[int, int]:
    r"""How many bytes are "\n", and how many are 0."""
    line_ends, nuls = 0, 0
    whole = len(data) - len(data) % WINDOW
    for place in range(0, whole, WINDOW):
        line_ends += ones(bytes_between(data, place, 10, 10))
        nuls += ones(bytes_between(data, place, 0, 0))
    for place in range(whole, len(data)):
        line_ends += data[place] == 10
        nuls += data[place] == 0
    return line_ends, nuls


def warm_up() -> None:
    data = np.frombuffer(b"\n", np.uint8)  # which may not be written to: to numba, another type
    whole_characters(data)
    line_ends_and_nuls(data)
