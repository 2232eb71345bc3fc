"""Cutting a text by several patterns one after the other, as the pre-tokenizers of Hugging Face's tokenizers do.

Source: `Split`, `Sequence` and `NormalizedString::split` of that library.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from core import user_patterns
from core.errors import ConfigError


class Behavior(StrEnum):
    """What becomes of the matches of a pattern, with the library's names; what is between them is a piece each."""

    REMOVED = "Removed"
    ISOLATED = "Isolated"
    MERGED_WITH_PREVIOUS = "MergedWithPrevious"
    MERGED_WITH_NEXT = "MergedWithNext"
    CONTIGUOUS = "Contiguous"


class Piece(NamedTuple):
    """Characters `start` to `end` (half-open) of a text."""

    start: int
    end: int


@dataclass(frozen=True)
class Split:
    """One pattern of the `regex` module. With `invert` what it does not match is what the behavior is about."""

    pattern: str
    behavior: Behavior = Behavior.ISOLATED
    invert: bool = False

    @property
    def keeps_everything(self) -> bool:
        return self.behavior is not Behavior.REMOVED

    def to_json(self) -> dict[str, Any]:
        return {"pattern": self.pattern, "behavior": self.behavior, "invert": self.invert}

    @classmethod
    def from_json(cls, value: object) -> "Split":
        """Read what `to_json` wrote. Raises ConfigError for anything else, PatternError for a pattern of no use."""
        is_split = isinstance(value, dict) and value.keys() == {"pattern", "behavior", "invert"}
        if not is_split or not isinstance(value, dict):
            raise ConfigError(f"A split should have a pattern, a behavior and invert, but one is {value!r}.")
        pattern, behavior, invert = value["pattern"], value["behavior"], value["invert"]
        if not isinstance(pattern, str) or behavior not in tuple(Behavior) or not isinstance(invert, bool):
            raise ConfigError(f"A split should have a pattern, a behavior and invert, but one is {value!r}.")
        user_patterns.check(pattern, may_be_empty=True)
        return cls(pattern, Behavior(behavior), invert)

    def pieces(self, text: str, offset: int, allowance: user_patterns.Allowance) -> Iterator[Piece]:
        """The pieces of a text that begins at `offset`; none is empty. Raises as PreTokenizer.words does."""
        found = self._parts(text, offset, allowance)
        for start, end in _treated(found, self.behavior):
            if end > start:
                yield Piece(offset + start, offset + end)

    def _parts(self, text: str, offset: int, allowance: user_patterns.Allowance) -> Iterator[tuple[int, int, bool]]:
        """Matches and what is between them: start, end, and whether the behavior is about it."""
        behind = 0
        for batch in user_patterns.match_batches(self.pattern, text, "text", offset, allowance, may_be_empty=True):
            for match in batch:
                if match.start() > behind:
                    yield behind, match.start(), self.invert
                yield match.start(), match.end(), not self.invert
                behind = match.end()
        if behind < len(text):
            yield behind, len(text), self.invert


def split_text(splits: Sequence[Split], text: str) -> Iterator[Piece]:
    """The pieces of a text that are left when each pattern has cut what the one before has left."""
    found: Iterable[Piece] = [Piece(0, len(text))] if text else []
    for split in splits:
        found = _each_split(found, split, text)
    yield from found


def _each_split(found: Iterable[Piece], split: Split, text: str) -> Iterator[Piece]:
    for number, (start, end) in enumerate(found):
        if number % user_patterns.BATCH_MATCHES == 0:
            allowance = user_patterns.Allowance()
        yield from split.pieces(text[start:end], start, allowance)


def _treated(parts: Iterable[tuple[int, int, bool]], behavior: Behavior) -> Iterable[tuple[int, int]]:
    match behavior:
        case Behavior.REMOVED:
            return ((start, end) for start, end, is_match in parts if not is_match)
        case Behavior.ISOLATED:
            return ((start, end) for start, end, _ in parts)
        case Behavior.MERGED_WITH_PREVIOUS:
            return _merged_with_previous(parts)
        case Behavior.MERGED_WITH_NEXT:
            return _merged_with_next(parts)
        case Behavior.CONTIGUOUS:
            return _contiguous(parts)


def _merged_with_previous(parts: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """A match is the end of the piece before it; of matches in a row only the first has one."""
    pending: tuple[int, int] | None = None
    follows_match = False
    for start, end, is_match in parts:
        if is_match and not follows_match and pending:
            pending = pending[0], end
        else:
            if pending:
                yield pending
            pending = start, end
        follows_match = is_match
    if pending:
        yield pending


def _merged_with_next(parts: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """A match is the beginning of the piece behind it; of matches in a row only the last has one."""
    pending: int | None = None  # where a match began
    match_end = 0
    for start, end, is_match in parts:
        if is_match:
            if pending is not None:
                yield pending, match_end
            pending, match_end = start, end
        else:
            yield (start if pending is None else pending), end
            pending = None
    if pending is not None:
        yield pending, match_end


def _contiguous(parts: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """Matches in a row are one piece."""
    pending: tuple[int, int, bool] | None = None
    for start, end, is_match in parts:
        if pending and pending[2] is is_match:
            pending = pending[0], end, is_match
            continue
        if pending:
            yield pending[:2]
        pending = start, end, is_match
    if pending:
        yield pending[:2]
