"""How far a piece of long work has come: what its generator yields."""

from collections.abc import Generator
from typing import NamedTuple, TypeVar

Result = TypeVar("Result")


class Progress(NamedTuple):
    """`done` of `total`: bytes while reading, characters while counting."""

    done: int
    total: int


class CountingProgress(Progress):
    """How far the counting of words is, and how many it has found."""

    words: int
    unique: int

    def __new__(cls, done: int, total: int, words: int, unique: int) -> "CountingProgress":
        progress = super().__new__(cls, done, total)
        progress.words, progress.unique = words, unique
        return progress


def without_progress(work: Generator[object, None, Result]) -> Result:
    """What the generator returns; what it yields is passed over."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result


def within(work: Generator[Progress, None, Result], place: Progress) -> Generator[Progress, None, Result]:
    """Work on one part of something: what it has done comes on top of what was done before, at `place`."""
    while True:
        try:
            step = next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        yield Progress(place.done + step.done, max(place.total, place.done + step.total))
