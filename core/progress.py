"""How far a piece of long work has come: what its generator yields."""

from typing import NamedTuple


class Progress(NamedTuple):
    """`done` of `total`: bytes while reading, characters while counting."""

    done: int
    total: int
