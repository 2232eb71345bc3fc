"""Large tables as lines of JSON: each line is an object with some thousand rows, a list for every column."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any, NamedTuple

from core.errors import FormatError
from core.formats.json_values import MAX_NUMBER
from core.formats.strict_json import parsed
from core.formats.strict_zip import MAX_LINE_BYTES

ROWS_PER_LINE = 2_048
CHARS_PER_LINE = 1 << 16
"""Some 5 ms of work each."""

NUMBERS: frozenset[type] = frozenset({int})
TEXTS: frozenset[type] = frozenset({str})
SCORES: frozenset[type] = frozenset({int, float, type(None)})


class Column(NamedTuple):
    """`kinds` are the types of its values. A column that `may_lack` has `default` in every row then."""

    name: str
    kinds: frozenset[type] = NUMBERS
    may_lack: bool = False
    default: Any = None
    lowest: int = 0


Row = Sequence[Any]


def lines_of(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    """The lines of a table; a text should not be longer than a line may be, see strict_zip.py."""
    source = iter(rows)
    while part := list(islice(source, ROWS_PER_LINE)):
        yield from _lines_of(columns, part)


def _lines_of(columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[bytes]:
    """One, or more where texts are long."""
    cells = list(zip(*rows, strict=True))
    chars = sum(sum(map(len, cells[place])) for place, column in enumerate(columns) if column.kinds is TEXTS)
    if chars > CHARS_PER_LINE and len(rows) > 1:
        middle = len(rows) // 2
        yield from _lines_of(columns, rows[:middle])
        yield from _lines_of(columns, rows[middle:])
    else:
        yield _line_of(columns, cells)


def _line_of(columns: Sequence[Column], cells: Sequence[Sequence[Any]]) -> bytes:
    said = {
        column.name: values
        for column, values in zip(columns, cells, strict=True)
        if not column.may_lack or values.count(column.default) < len(values)
    }
    try:
        line = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a character, which a word of typed text may hold
        line = json.dumps(said, separators=(",", ":")).encode()
    if len(line) > MAX_LINE_BYTES:
        raise FormatError("A token is too long to be saved in a recording.")
    return line + b"\n"


def read_tables(
    columns: Sequence[Column], lines: Iterable[bytes], place: str, most_rows: int
) -> Iterator[tuple[list[Any], ...]]:
    """The columns of each line. Raises FormatError, with the line, for what `lines_of` would not have written."""
    known, rows = {column.name for column in columns}, 0
    for number, line in enumerate(lines, 1):
        where = f"{place}, line {number:,}"
        said = parsed(line, where)
        if not isinstance(said, dict):
            raise FormatError(f"{where}: an object was expected, with lists of numbers or texts.")
        if unknown := said.keys() - known:
            raise FormatError(f"{where}: there should be no {min(unknown)!r}. A newer version may know it.")
        read = _cells(columns, said, where)
        rows += len(read[0])
        if rows > most_rows:
            raise FormatError(f"{where}: it has more than {most_rows:,} rows, which is not read here.")
        yield read


def _cells(columns: Sequence[Column], said: Mapping[str, Any], where: str) -> tuple[list[Any], ...]:
    size = _size(columns[0], said, where)
    return tuple(
        _checked(column, said[column.name], size, where) if column.name in said else _default(column, size, where)
        for column in columns
    )


def _size(first: Column, said: Mapping[str, Any], where: str) -> int:
    values = said.get(first.name)
    if not isinstance(values, list):
        raise FormatError(f"{where}, {first.name}: a list was expected.")
    return len(values)


def _default(column: Column, size: int, where: str) -> list[Any]:
    if not column.may_lack:
        raise FormatError(f"{where}: {column.name!r} is missing.")
    return list(repeat(column.default, size))


def _checked(column: Column, values: Any, size: int, where: str) -> list[Any]:
    if not isinstance(values, list) or len(values) != size:
        raise FormatError(f"{where}, {column.name}: a list of {size:,} was expected, as long as the others.")
    kinds = set(map(type, values))
    if not kinds <= column.kinds:
        found = _unexpected(column, values)
        raise FormatError(f"{where}, {column.name}: expected {_NAMES[column.kinds]}, found {found}.")
    if column.kinds is not TEXTS and values:
        numbers = values if column.kinds is NUMBERS else [value for value in values if value is not None]
        if numbers and not (column.lowest <= min(numbers) and max(numbers) < MAX_NUMBER):
            raise FormatError(f"{where}, {column.name}: a number is below {column.lowest} or too large.")
    return values


_NAMES = {NUMBERS: "whole numbers", TEXTS: "texts", SCORES: "numbers or null"}


def _unexpected(column: Column, values: Sequence[Any]) -> str:
    found = repr(next(value for value in values if type(value) not in column.kinds))
    return found if len(found) <= 40 else found[:39] + "…"
