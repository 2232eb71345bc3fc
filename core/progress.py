"""How far a piece of long work has come: what its generator yields."""

from collections.abc import Generator
from typing import NamedTuple, TypeVar

Result = TypeVar("Result")


class Progress(NamedTuple):
    """`done` of `total`: bytes while reading, characters while counting."""

    done: int
    total: int


def without_progress(work: Generator[object, None, Result]) -> Result:
    """What the generator returns; what it yields is passed over."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result
