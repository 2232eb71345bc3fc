"""Readers for tests that want none of the program's own."""

from collections.abc import Callable
from pathlib import Path

from core.formats.base import Reading, ReadOptions
from core.progress import Progress
from core.recording import Recording


def at_once(read: Callable[[Path, ReadOptions], Recording]) -> Callable[[Path, ReadOptions], Reading]:
    """A reader that does all its work in one step."""

    def reading(path: Path, options: ReadOptions) -> Reading:
        yield Progress(0, 1)
        return read(path, options)

    return reading
