"""Reads a large JSON file bit by bit: one call of json.loads on 27 MB would hold all other threads up for 0.3 s.

Where containers begin and end, and where commas stand between their items, is found on the bytes; then json.loads
reads some items at a time. What is allowed is strict_json.py's business, and so are errors: whatever is wrong with a
file is found again there, with its place.
"""

import json
import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.formats.strict_json import loads_strictly, object_of_text, text_of_bytes
from core.progress import Progress

SCAN_BYTES = 1 << 19
SLICE_BYTES = 1 << 16
MAX_DEPTH = 200

Places = NDArray[np.int64]
Reading = Generator[Progress, None, Any]

_QUOTE, _BACKSLASH, _COMMA = b'"\\,'
_OPENING, _CLOSING = b"[{", b"]}"


def read_object(data: bytes, name: str) -> Generator[Progress, None, dict[str, Any]]:
    """The JSON object that the bytes of the file `name` are. Raises FormatError as strict_json.read_object does.

    In a large list of small lists these are tuples, which the garbage collector soon leaves alone: going through
    400,000 lists takes it 0.1 s, each time.
    """
    structure = (yield from _structure(data)) if len(data) > SLICE_BYTES else None
    if structure is not None:
        try:
            value = yield from _Reader(data, structure).whole()
            if isinstance(value, dict):
                return value
        except (ValueError, RecursionError):  # UnicodeDecodeError and JSONDecodeError are ValueErrors
            pass
    return object_of_text(text_of_bytes(data, name), name)  # says what is wrong, and where


@dataclass(frozen=True)
class _Structure:
    """Brackets and commas outside strings, in order: where they stand, which they are, how deep each stands.

    A bracket has the depth of what it encloses, a comma that of its container. `partners` are, by the number of an
    opening bracket, those of closing ones.
    """

    places: Places
    kinds: NDArray[np.uint8]
    depths: NDArray[np.int16]


def _structure(data: bytes) -> Generator[Progress, None, _Structure | None]:
    """None if brackets or quotes do not match, or are nested too deeply."""
    values = np.frombuffer(data, np.uint8)
    places, kinds = list[Places](), list[NDArray[np.uint8]]()
    is_inside = is_escaped = False
    for start in range(0, len(data), SCAN_BYTES):
        part = values[start : start + SCAN_BYTES]
        found, is_inside, is_escaped = _outside_strings(part, is_inside, is_escaped)
        places.append(found + start)
        kinds.append(part[found])
        yield Progress(start, 3 * len(data))
    all_places, all_kinds = np.concatenate(places), np.concatenate(kinds)
    yield Progress(len(data), 3 * len(data))
    if is_inside or not len(all_kinds):
        return None
    opens, closes = _IS_OPENING[all_kinds], _IS_CLOSING[all_kinds]
    inner = np.cumsum(opens.astype(np.int8) - closes, dtype=np.int32)
    yield Progress(len(data), 3 * len(data))
    if inner[-1] or inner[:-1].min(initial=1) < 1 or inner.max() > MAX_DEPTH or not opens[0]:
        return None
    return _Structure(all_places, all_kinds, (inner + closes).astype(np.int16))


def _outside_strings(part: NDArray[np.uint8], is_inside: bool, is_escaped: bool) -> tuple[Places, bool, bool]:
    """Where brackets and commas stand outside strings, and how the part ends."""
    marks = np.flatnonzero(_IS_MARK[part])
    kinds = part[marks]
    escaped = _escaped(marks, kinds == _BACKSLASH, is_escaped)
    quotes = (kinds == _QUOTE) & ~escaped
    inside = (np.cumsum(quotes) + is_inside) & 1
    outside = _IS_STRUCTURE[kinds] & (inside == 0)
    ends_escaped = bool(len(marks) and kinds[-1] == _BACKSLASH and not escaped[-1] and marks[-1] == len(part) - 1)
    if not len(marks):
        return marks, is_inside, False
    return marks[outside], bool(inside[-1]), ends_escaped


def _escaped(marks: Places, are_backslashes: NDArray[np.bool_], first_is: bool) -> NDArray[np.bool_]:
    """Which marks stand behind a backslash that is not itself escaped."""
    escaped = np.zeros(len(marks), np.bool_)
    if first_is and len(marks) and marks[0] == 0:
        escaped[0] = True
    behind = np.flatnonzero(are_backslashes[:-1] & (np.diff(marks) == 1)) + 1
    for number in behind.tolist():
        escaped[number] = are_backslashes[number - 1] and not escaped[number - 1]
    return escaped


def _flags(characters: bytes) -> NDArray[np.bool_]:
    flags = np.zeros(256, np.bool_)
    flags[list(characters)] = True
    return flags


_IS_OPENING, _IS_CLOSING = _flags(_OPENING), _flags(_CLOSING)
_IS_STRUCTURE = _flags(_OPENING + _CLOSING + b",")
_IS_MARK = _flags(_OPENING + _CLOSING + b',"\\')
_MAY_BE_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


class _Reader:
    def __init__(self, data: bytes, structure: _Structure) -> None:
        self._data = data
        self._structure = structure

    def whole(self) -> Reading:
        first, last = int(self._structure.places[0]), int(self._structure.places[-1])
        if self._data[:first].strip(_WHITE_SPACE) or self._data[last + 1 :].strip(_WHITE_SPACE):
            raise ValueError("something stands around the container")
        return (yield from self.value(0))

    def value(self, opening: int) -> Reading:
        """The container whose opening bracket has this number."""
        places, kinds, depths = self._structure.places, self._structure.kinds, self._structure.depths
        depth = depths[opening]
        closing = self._closing(opening)
        start, end = int(places[opening]), int(places[closing])
        if kinds[closing] != kinds[opening] + 2:
            raise ValueError("a bracket closes another kind of bracket")
        if end - start <= SLICE_BYTES:
            return self._loads(b"", start, end + 1, b"")
        is_object = kinds[opening] == _OPENING[1]
        own = np.arange(opening + 1, closing)
        commas = own[(kinds[opening + 1 : closing] == _COMMA) & (depths[opening + 1 : closing] == depth)]
        yield Progress(len(self._data) + start, 3 * len(self._data))
        return (yield from self._items(opening, closing, commas, is_object))

    def _items(self, opening: int, closing: int, commas: Places, is_object: bool) -> Reading:
        bounds = self._structure.places[np.concatenate(([opening], commas, [closing]))]
        numbers = np.concatenate(([opening], commas, [closing]))
        found: Any = {} if is_object else []
        place, last = 0, len(bounds) - 1
        while place < last:
            stop = int(np.searchsorted(bounds, bounds[place] + SLICE_BYTES, "right")) - 1
            if stop > place:
                part = self._loads(*self._wrapped(int(bounds[place]) + 1, int(bounds[stop]), is_object))
                if len(part) != stop - place and (part or last > 1):
                    raise ValueError("between two commas is nothing")
                place = stop
            else:
                part = yield from self._large_item(int(numbers[place]), int(numbers[place + 1]), is_object)
                place += 1
            _put(found, part)
            yield Progress(2 * len(self._data) + int(bounds[place]), 3 * len(self._data))
        return found

    @staticmethod
    def _wrapped(start: int, end: int, is_object: bool) -> tuple[bytes, int, int, bytes]:
        return (b"{", start, end, b"}") if is_object else (b"[", start, end, b"]")

    def _large_item(self, before: int, behind: int, is_object: bool) -> Reading:
        """One item, alone in its list or object, between two commas or brackets with these numbers."""
        places, kinds = self._structure.places, self._structure.kinds
        start, end = int(places[before]) + 1, int(places[behind])
        first = before + 1
        if first == behind or not _IS_OPENING[kinds[first]]:  # a long string
            return self._loads(*self._wrapped(start, end, is_object))
        value = yield from self.value(first)
        if self._closing(first) != behind - 1 or self._data[int(places[behind - 1]) + 1 : end].strip(_WHITE_SPACE):
            raise ValueError("something stands behind the container")
        head = self._data[start : int(places[first])]
        if not is_object:
            if head.strip(_WHITE_SPACE):
                raise ValueError("something stands before the container")
            return [value]
        (key,) = loads_strictly(f"{{{head.decode()}null}}")
        return {key: value}

    def _closing(self, opening: int) -> int:
        """The number of the bracket that closes this one."""
        depths, kinds = self._structure.depths, self._structure.kinds
        depth, block, start = depths[opening], 1 << 12, opening + 1
        while True:
            part = slice(start, start + block)
            found = np.flatnonzero((depths[part] == depth) & _IS_CLOSING[kinds[part]])
            if len(found):
                return start + int(found[0])
            start, block = start + block, block * 4

    def _loads(self, before: bytes, start: int, end: int, behind: bytes) -> Any:
        data = before + self._data[start:end] + behind
        value = loads_strictly(data.decode())
        if _MAY_BE_HALF.search(data):
            json.dumps(value, ensure_ascii=False).encode()
        return value


_WHITE_SPACE = b" \t\r\n"


def _put(found: Any, part: Any) -> None:
    if isinstance(found, list):
        found += [tuple(item) if type(item) is list else item for item in part]
        return
    size = len(found)
    found.update(part)
    if len(found) < size + len(part):
        raise ValueError("a key stands there twice")
