"""Writes large JSON line by line, so that a preview need not make all of it."""

import json
from collections.abc import Iterable

from core.formats.base import Lines

MAX_SHOWN_CHARS = 100


def text_of(value: object) -> str:
    """JSON on one line, readable letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def shown(value: object) -> str:
    """The same for a message: long values are cut."""
    text = text_of(value)
    return text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 1] + "…"


def opened(value: dict[str, object]) -> Lines:
    """The lines of an object that goes on: a comma in place of its closing brace."""
    lines = json.dumps(value, ensure_ascii=False, indent=2).split("\n")
    yield from (line + "\n" for line in lines[:-2])
    yield lines[-2] + ",\n"


def separated(items: Iterable[str]) -> Lines:
    """One item a line, a comma after each but the last."""
    last: str | None = None
    for item in items:
        if last is not None:
            yield last + ",\n"
        last = item
    if last is not None:
        yield last + "\n"
