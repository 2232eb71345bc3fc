"""Opens a tokenizer that was saved in some format, known by what the file or folder holds, never by its name."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

from core.errors import FormatError
from core.formats import FORMATS, Format
from core.formats.base import ReadOptions
from core.formats.gguf_head import MAGIC, is_gguf
from core.formats.strict_json import read_bytes
from core.formats.timeline import KIND as TIMELINE
from core.progress import Progress, without_progress
from core.recording import Recording
from core.word_counts import looks_like_word_counts

READABLE = f"A model is one of: {'; '.join(format.title for format in FORMATS.values() if format.read)}."

PEEKED = 1 << 20
"""Bytes at the beginning of a large file that tell what it is, for most formats."""
BEGINNING = 1 << 16
"""Bytes that are looked at to say what a file is that is no tokenizer."""


class OpenedModel(NamedTuple):
    recording: Recording
    format: Format


def opening(path: Path, options: ReadOptions | None = None) -> Generator[Progress, None, OpenedModel]:
    """Read a tokenizer, yielding while it works. Raises FormatError for what is none or cannot be read."""
    format, place = located(path)
    recording = yield from format.loading(place, options)
    return OpenedModel(recording, format)


def open_model(path: Path, options: ReadOptions | None = None) -> OpenedModel:
    """The same in one go."""
    return without_progress(opening(path, options))


def located(path: Path) -> tuple[Format, Path]:
    """The format of a model, and where to load it from. Raises FormatError for what is no tokenizer."""
    if not path.exists():
        raise FormatError(f"{path}: there is no such file or folder. {READABLE}")
    return _in_folder(path) if path.is_dir() else (recognized(_content(path), path), path)


def _content(path: Path) -> bytes:
    """All of a file, or its beginning where that tells enough: texts to train on may be large."""
    if is_gguf(path):
        return MAGIC
    if path.is_file() and path.stat().st_size > PEEKED:
        try:
            with path.open("rb") as file:
                beginning = file.read(PEEKED)
        except OSError:
            return read_bytes(path)  # which says why not
        if not _is_told_by_more(beginning):
            return beginning
    return read_bytes(path)


def _is_told_by_more(beginning: bytes) -> bool:
    """An archive has its contents at its end, and JSON any key anywhere, but for lines of JSON, which are texts."""
    is_json = beginning.lstrip().startswith(b"{")
    return beginning.startswith(b"PK") or (is_json and not _are_json_lines(beginning))


def _are_json_lines(data: bytes) -> bool:
    first, line_end, rest = data[:PEEKED].lstrip().partition(b"\n")
    is_line = line_end and first.startswith(b"{") and first.rstrip().endswith(b"}")
    return bool(is_line and rest.lstrip().startswith(b"{"))


def recognized(data: bytes, path: Path) -> Format:
    """The format of a file's content. Raises FormatError for what is no tokenizer."""
    if _are_json_lines(data):
        raise FormatError(f"{path.name}: these are lines of JSON, a text, and no tokenizer. {READABLE}")
    for format in FORMATS.values():
        if format.read and format.recognizes(data, path):
            return format
    if data.lstrip()[:1] == b"{":
        raise FormatError(f"{path.name}: {_about_json(data)}")
    if looks_like_word_counts(data[:BEGINNING].decode(errors="replace")):
        raise FormatError(
            f"{path.name}: this is a list of words and their counts, and no tokenizer. Open it as a text to train on; "
            "on the command line that is bpe train with --word-counts."
        )
    raise FormatError(f"{path.name}: this is no tokenizer that can be read. {READABLE}")


def _about_json(data: bytes) -> str:
    if json.dumps(TIMELINE).encode() in data[:BEGINNING]:
        return "this timeline is a report, and no tokenizer can be read from it."
    try:
        json.loads(data[:BEGINNING])
    except json.JSONDecodeError as error:
        if len(data) >= BEGINNING:
            return f"this is no tokenizer. {READABLE}"
        return f"this begins like JSON, but is not: line {error.lineno}, column {error.colno}: {error.msg}."
    except (ValueError, RecursionError):
        pass
    return f"this JSON is no tokenizer. {READABLE}"


def is_model(path: Path) -> bool:
    """Whether a file or folder looks like a tokenizer, so that it is not taken for a text."""
    try:
        located(path)
    except FormatError:
        return False
    return True


def _in_folder(folder: Path) -> tuple[Format, Path]:
    found = [(format, place) for format in FORMATS.values() if format.read for place in format.finds(folder)]
    if not found:
        raise FormatError(f"{folder}: there is no tokenizer in this folder. {READABLE}")
    if len(found) > 1:
        names = ", ".join(place.name if place != folder else format.title for format, place in found)
        raise FormatError(f"{folder}: there are {len(found)} tokenizers in this folder: {names}. Name one of them.")
    return found[0]
