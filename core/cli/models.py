"""Opens a tokenizer that was saved in some format, known by what the file or folder holds."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from core.errors import FormatError
from core.formats import FORMATS, Format
from core.formats.gpt2 import MERGES, VOCAB
from core.formats.huggingface import TOKENIZER
from core.formats.strict_json import read_bytes
from core.formats.tiktoken import SUFFIX as TIKTOKEN_SUFFIX
from core.formats.timeline import KIND as TIMELINE
from core.recording import Recording

READABLE = (
    f"a {TOKENIZER} or the folder it is in, a folder with {VOCAB} and {MERGES}, or a {TIKTOKEN_SUFFIX} file with the "
    ".json beside it"
)
_RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?\n")


class Model(NamedTuple):
    recording: Recording
    format: Format


def open_model(path: Path) -> Model:
    """Raises FormatError for what is no tokenizer or one that cannot be read."""
    format, place = located(path)
    return Model(format.load(place), format)


def located(path: Path) -> tuple[Format, Path]:
    """The format of a model, and where to load it from. Raises FormatError for what is no tokenizer."""
    if not path.exists():
        raise FormatError(f"{path}: there is no such file or folder. A model is {READABLE}.")
    name, place = _in_folder(path) if path.is_dir() else _of_file(path)
    return FORMATS[name], place


def _in_folder(folder: Path) -> tuple[str, Path]:
    found = list(_candidates(folder))
    if len(found) == 1:
        return found[0]
    if not found:
        raise FormatError(f"{folder}: there is no tokenizer in this folder. A model is {READABLE}.")
    names = ", ".join(_name(format, place) for format, place in found)
    raise FormatError(f"{folder}: there are {len(found)} tokenizers in this folder: {names}. Name one of them.")


def _candidates(folder: Path) -> Iterator[tuple[str, Path]]:
    if (folder / TOKENIZER).is_file():
        yield "huggingface", folder
    elif (folder / VOCAB).is_file() and (folder / MERGES).is_file():  # transformers writes them beside tokenizer.json
        yield "gpt2", folder
    for file in sorted(folder.glob(f"*{TIKTOKEN_SUFFIX}")):
        yield "tiktoken", file


def _name(format: str, place: Path) -> str:
    return {"huggingface": TOKENIZER, "gpt2": f"{VOCAB} with {MERGES}"}.get(format, place.name)


def _of_file(path: Path) -> tuple[str, Path]:
    data = read_bytes(path)
    if data.lstrip()[:1] == b"{":
        return _of_json(path, data)
    if _RANK_LINE.match(data):
        if path.suffix != TIKTOKEN_SUFFIX:
            raise FormatError(f"{path.name}: these are tiktoken ranks; let the name end in {TIKTOKEN_SUFFIX}.")
        return "tiktoken", path
    if path.name == MERGES and path.with_name(VOCAB).is_file():
        return "gpt2", path
    raise FormatError(f"{path.name}: this is no tokenizer that can be read. A model is {READABLE}.")


def _of_json(path: Path, data: bytes) -> tuple[str, Path]:
    if path.name == VOCAB and path.with_name(MERGES).is_file():
        return "gpt2", path
    ranks = path.with_suffix(TIKTOKEN_SUFFIX)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise FormatError(f"{path.name}: this begins like JSON, but is not.") from None
    if "model" in value:
        if path.suffix != ".json":
            raise FormatError(f"{path.name}: this is a {TOKENIZER}; let the name end in .json.")
        return "huggingface", path
    if value.get("format") == TIMELINE:
        raise FormatError(f"{path.name}: this timeline is a report, and no tokenizer can be read from it.")
    if ranks.is_file():
        return "tiktoken", ranks
    raise FormatError(f"{path.name}: this JSON is no tokenizer. A model is {READABLE}.")
