"""How long the tokens are, and how often each occurs: lists behind the measures, for drawing.

Both start from the number of times each token occurs, see measuring.py.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple

from core.alphabet import Token
from core.measuring import Tally, corpus_tally, occurrences, types_at
from core.merge import UNKNOWN
from core.progress import Progress
from core.recording import Recording
from core.statistics import sampled_steps

_CONTINUING_BYTES = bytes(range(0x80, 0xC0))


class LengthUnit(StrEnum):
    """What the length of a token is counted in. A marker has no length."""

    BYTES = "bytes"
    """Of UTF-8."""
    CHARACTERS = "characters"
    """Code points that begin in the token: of three tokens that share a character the first one has it."""

    def of(self, token: Token) -> int:
        if self is LengthUnit.BYTES:
            return len(token.content)
        return len(token.content.translate(None, _CONTINUING_BYTES))


class LengthCount(NamedTuple):
    """How many tokens of the vocabulary have this length, and how often they occur in the text."""

    length: int
    types: int
    occurrences: int


class TokenFrequency(NamedTuple):
    token_id: int
    occurrences: int


def length_histogram(recording: Recording, step: int, counts: Mapping[int, int], unit: LengthUnit) -> list[LengthCount]:
    """The lengths there are, ascending. Special tokens and unknown ones have none.

    Length times occurrences adds up to the size of the text, but for its unknown characters.
    """
    types, occurring = Counter[int](), Counter[int]()
    for token_id, token in types_at(recording, step):
        length = unit.of(token)
        types[length] += 1
        occurring[length] += counts.get(token_id, 0)
    return [LengthCount(length, types[length], occurring[length]) for length in sorted(types)]


def mean_length(tokens_by_length: Mapping[int, int]) -> float | None:
    """None where there are no tokens."""
    tokens = sum(tokens_by_length.values())
    return sum(length * count for length, count in tokens_by_length.items()) / tokens if tokens else None


def rank_frequency(counts: Mapping[int, int]) -> list[TokenFrequency]:
    """The tokens that occur, most frequent first, equal ones by id: on two log axes nearly a line (Zipf 1949)."""
    known = sorted(TokenFrequency(*item) for item in counts.items() if item[1] and item[0] != UNKNOWN)
    known.sort(key=itemgetter(1), reverse=True)  # keeps equal ones in place, and numbers sort faster than tuples
    return known


@dataclass(frozen=True)
class Distributions:
    """Of a text at one step. `ranks`, from 1, are those of `frequencies`: many are thinned, evenly on a log axis."""

    step: int
    lengths: Mapping[LengthUnit, Sequence[LengthCount]]
    ranks: Sequence[int]
    frequencies: Sequence[TokenFrequency]


def distributions(
    recording: Recording, tally: Tally | None, step: int, max_points: int
) -> Generator[Progress, None, Distributions]:
    """Of the text that was tallied, or of the corpus. 100,000 merges take 0.15 s."""
    counts = occurrences(recording, corpus_tally(recording) if tally is None else tally, step)
    lengths = dict[LengthUnit, Sequence[LengthCount]]()
    for done, unit in enumerate(LengthUnit):
        yield Progress(done, len(LengthUnit) + 1)
        lengths[unit] = length_histogram(recording, step, counts, unit)
    yield Progress(len(LengthUnit), len(LengthUnit) + 1)
    frequencies = rank_frequency(counts)
    ranks = sampled_steps(1, len(frequencies), max_points, logarithmic=True)
    return Distributions(step, lengths, ranks, [frequencies[rank - 1] for rank in ranks])
