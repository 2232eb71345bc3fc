"""Dataclasses as JSON and back, by the types of their fields: a setting that is added later is kept at once."""

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from core.errors import BpeError, FormatError
from core.utf8 import HALF_CHARACTER

MAX_NUMBER = 2**96
MAX_SHOWN_CHARS = 60

Readers = Mapping[type, Callable[[Any], Any]]
"""How values of types that are no dataclasses are read; each may raise BpeError."""


def json_of(value: Any) -> Any:
    """What has a `to_json` says it itself; a dataclass becomes an object, a tuple or set a list."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value):
        return {field.name: json_of(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, frozenset):
        return sorted(map(json_of, value))
    if isinstance(value, tuple):
        return list(map(json_of, value))
    return value


def value_of(kind: Any, value: Any, place: str, readers: Readers | None = None) -> Any:
    """The value of a type that `json_of` wrote. Raises FormatError, which names the place, for anything else.

    A field that is missing has its default; numbers are never negative.
    """
    return _Reading(readers or {}).value(kind, value, place)


class _Reading:
    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def value(self, kind: Any, value: Any, place: str) -> Any:
        origin, inner = get_origin(kind), get_args(kind)
        if kind in self._readers:
            return self._own(self._readers[kind], value, place)
        if origin in (Union, types.UnionType):
            (other,) = (each for each in inner if each is not types.NoneType)
            return None if value is None else self.value(other, value, place)
        if origin is tuple:
            return self._tuple(inner, value, place)
        if origin is frozenset:
            return frozenset(self._tuple((*inner, ...), value, place))
        if is_dataclass(kind):
            return self._object(kind, value, place)
        if origin is dict:  # of a library's own settings, which whoever uses them checks
            return value if isinstance(value, dict) else _fail(place, "an object", value)
        return _plain(kind, value, place)

    def _own(self, read: Callable[[Any], Any], value: Any, place: str) -> Any:
        try:
            return read(value)
        except BpeError as error:
            raise FormatError(f"{place}: {error}") from None

    def _tuple(self, inner: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            _fail(place, "a list", value)
        if inner[-1] is ...:
            return tuple(self.value(inner[0], item, f"{place}[{i}]") for i, item in enumerate(value))
        if len(value) != len(inner):
            _fail(place, f"a list of {len(inner)}", value)
        return tuple(self.value(each, item, place) for each, item in zip(inner, value, strict=True))

    def _object(self, kind: Any, value: Any, place: str) -> Any:
        if not isinstance(value, dict):
            _fail(place, "an object", value)
        hints, known = _hints(kind), {field.name: field for field in fields(kind)}
        for key in value.keys() - known.keys():
            raise FormatError(f"{place}: there should be no {key!r}. A newer version of this program may know it.")
        for key, field in known.items():
            if key not in value and not _has_default(field):
                raise FormatError(f"{place}: {key!r} is missing.")
        given = {key: self.value(hints[key], item, f"{place}.{key}") for key, item in value.items()}
        return self._own(lambda given: kind(**given), given, place)


_hints = cache(get_type_hints)


def _has_default(field: "Field[Any]") -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _plain(kind: Any, value: Any, place: str) -> Any:
    if issubclass(kind, StrEnum):
        if value not in tuple(kind):
            _fail(place, f"one of {', '.join(kind)}", value)
        return kind(value)
    if kind is str:
        if not isinstance(value, str) or HALF_CHARACTER.search(value):
            _fail(place, "a text", value)
        return value
    if kind is bool:
        if not isinstance(value, bool):
            _fail(place, "true or false", value)
        return value
    if kind is int:
        if type(value) is not int or not 0 <= value < MAX_NUMBER:
            _fail(place, "a whole number from 0 on", value)
        return value
    assert kind is float, f"{place}: nobody has said how to read {kind}"
    if type(value) not in (int, float) or not 0 <= value < MAX_NUMBER or math.isnan(value):
        _fail(place, "a number", value)
    return float(value)


def _fail(place: str, expected: str, found: Any) -> NoReturn:
    shown = "a list" if isinstance(found, list) else "an object" if isinstance(found, dict) else repr(found)
    shown = shown if len(shown) <= MAX_SHOWN_CHARS else shown[: MAX_SHOWN_CHARS - 1] + "…"
    raise FormatError(f"{place}: expected {expected}, found {shown}.")
