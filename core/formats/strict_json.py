"""Reads JSON as data from strangers: no duplicate keys, no NaN, no lone surrogates, and errors that name the place."""

import json
import stat
from pathlib import Path
from typing import Any, NoReturn

from core.errors import FormatError

MAX_BYTES = 1 << 29


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises FormatError in the user's words."""
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):  # its end might never come
            raise FormatError(f"{path.name} is a device or pipe, where a file was expected.")
        if status.st_size > MAX_BYTES:
            raise FormatError(f"{path.name} is larger than {MAX_BYTES >> 20} MB, more than any tokenizer needs.")
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError(f"{path.name} is missing in {path.parent.absolute()}.") from None
    except IsADirectoryError:
        raise FormatError(f"{path.name} is a folder, where a file was expected.") from None
    except PermissionError:
        raise FormatError(f"{path.name} may not be read: permission denied.") from None
    except OSError as error:
        raise FormatError(f"{path.name} could not be read: {error.strerror or error}.") from None


def read_text(path: Path) -> str:
    """The content of a UTF-8 file, line ends untouched."""
    return text_of_bytes(read_bytes(path), path.name)


def text_of_bytes(data: bytes, name: str) -> str:
    """The text that the bytes of the file `name` are."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{name}, line {line}: it is not UTF-8 text.") from None
    if text.startswith("\ufeff"):
        raise FormatError(f"{name} begins with a byte order mark, which its readers do not accept.")
    return text


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises FormatError with line and column if it is not one."""
    return object_of_text(read_text(path), path.name)


def object_of_text(text: str, name: str) -> dict[str, Any]:
    """The JSON object that the text of the file `name` is."""
    value = parsed(text, name)
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise FormatError(f"{name} holds half a character (a lone surrogate).") from None
    except RecursionError:
        raise FormatError(f"{name} is nested too deeply to be a tokenizer.") from None
    if not isinstance(value, dict):
        raise FormatError(f"{name}: a JSON object was expected, with its keys between braces.")
    return value


def parsed(text: str | bytes, name: str) -> Any:
    """Any JSON value, perhaps with half characters in it. Raises FormatError, which begins with `name`."""
    try:
        return loads_strictly(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{name}, line {error.lineno}, column {error.colno}: {error.msg}; it is not JSON.") from None
    except UnicodeDecodeError:
        raise FormatError(f"{name} is not UTF-8 text.") from None
    except RecursionError:
        raise FormatError(f"{name} is nested too deeply to be a tokenizer.") from None
    except ValueError as error:
        raise FormatError(f"{name}: {error}") from None


def loads_strictly(text: str | bytes) -> Any:
    """A JSON value. Raises ValueError for a key that stands there twice, and for NaN and infinities."""
    return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)


def is_id(value: object) -> bool:
    """Whether a JSON value can be a token id; `true` is an int to Python and not to us."""
    return type(value) is int and 0 <= value < 2**31


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} stands there twice.")
            seen.add(key)
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")
