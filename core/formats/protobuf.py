"""Protocol buffers by hand, as far as SentencePiece's models need them: fields read within their bounds, and written.

What a message holds is numbered fields, each a number, 4 or 8 bytes, or bytes with their length before them.
"""

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple, NoReturn

from core.errors import FormatError

MAX_NUMBER_BYTES = 10


class Wire(IntEnum):
    """How a field is written; groups, which no longer exist, are refused."""

    NUMBER = 0
    EIGHT_BYTES = 1
    BYTES = 2
    FOUR_BYTES = 5


class Field(NamedTuple):
    """A field of a message. `value` is a number, or the bytes; `raw` is all of it as it stands in the message."""

    number: int
    wire: Wire
    value: int | bytes
    raw: bytes


def fields(message: bytes, where: str) -> Iterator[Field]:
    """The fields in their order. Raises FormatError, which begins with `where`, at the first byte that is wrong."""
    place = 0
    while place < len(message):
        start = place
        key, place = _number(message, place, where)
        number, wire = key >> 3, key & 7
        if wire not in tuple(Wire) or not 0 < number < 1 << 29:
            _fail(where, start, f"expected the start of a field, found {message[start]:02X}")
        value: int | bytes
        if wire == Wire.NUMBER:
            value, place = _number(message, place, where)
        else:
            size, place = _size(message, place, Wire(wire), where)
            if size > len(message) - place:
                left = len(message) - place
                _fail(where, start, f"field {number} should have {size:,} bytes more, and {left:,} are left")
            value = message[place : place + size]
            place += size
        yield Field(number, Wire(wire), value, message[start:place])


def _size(message: bytes, place: int, wire: Wire, where: str) -> tuple[int, int]:
    if wire is Wire.BYTES:
        return _number(message, place, where)
    return (4 if wire is Wire.FOUR_BYTES else 8), place


def _number(message: bytes, place: int, where: str) -> tuple[int, int]:
    """A number of seven bits a byte, and the place behind it."""
    value = shift = 0
    for at in range(place, min(place + MAX_NUMBER_BYTES, len(message))):
        byte = message[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at + 1
        shift += 7
    _fail(where, place, "a number is cut off" if place + MAX_NUMBER_BYTES > len(message) else "a number has no end")


def _fail(where: str, place: int, what: str) -> NoReturn:
    raise FormatError(f"{where}, byte {place:,}: {what}.")


def number_of(field: Field, where: str) -> int:
    """A field that should be a number; negative ones are written as very large ones."""
    if not isinstance(field.value, int):
        raise FormatError(f"{where}: field {field.number} should be a number, but it is {len(field.value):,} bytes.")
    return field.value - (1 << 64) if field.value >> 63 else field.value


def bytes_of(field: Field, where: str) -> bytes:
    if field.wire is not Wire.BYTES or isinstance(field.value, int):
        raise FormatError(f"{where}: field {field.number} should be text or a message, but it is a number.")
    return field.value


def text_of(field: Field, where: str) -> str:
    try:
        return bytes_of(field, where).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{where}: field {field.number} is not UTF-8 text, {error.object[:40]!r}.") from None


def float_of(field: Field, where: str) -> float:
    if field.wire is not Wire.FOUR_BYTES or isinstance(field.value, int):
        raise FormatError(f"{where}: field {field.number} should be a number with a fraction, in 4 bytes.")
    value: float = struct.unpack("<f", field.value)[0]
    return value


def number_field(number: int, value: int) -> bytes:
    return _varint(number << 3 | Wire.NUMBER) + _varint(value % (1 << 64))


def float_field(number: int, value: float) -> bytes:
    return _varint(number << 3 | Wire.FOUR_BYTES) + struct.pack("<f", value)


def bytes_field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | Wire.BYTES) + _varint(len(value)) + value


def text_field(number: int, value: str) -> bytes:
    return bytes_field(number, value.encode())


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
