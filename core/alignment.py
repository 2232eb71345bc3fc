"""Where the characters of a changed text came from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Alignment:
    """Normalized text; its character i was made from characters starts[i] to ends[i] (not included) of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def identity(cls, text: str) -> "Alignment":
        """`text` made character for character from a text of the same length."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    @classmethod
    def of_changes(cls, text: str, changes: Iterable[tuple[int, int, str]]) -> "Alignment":
        """`text` with stretches replaced, each given as (start, end, what takes its place), from left to right.

        All characters of a replacement share the whole stretch.
        """
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        place = 0
        for start, end, new in changes:
            parts += (text[place:start], new)
            starts += range(place, start)
            ends += range(place + 1, start + 1)
            starts += [start] * len(new)
            ends += [end] * len(new)
            place = end
        if not parts:
            return cls.identity(text)
        parts.append(text[place:])
        starts += range(place, len(text))
        ends += range(place + 1, len(text) + 1)
        return cls("".join(parts), starts, ends)

    @classmethod
    def of_parts(cls, parts: Iterable[tuple[int, "Alignment"]]) -> "Alignment":
        """All parts of a text put together again, each with the place in the text where its original starts."""
        found = list(parts)
        text = "".join([part.text for _, part in found])
        if all(isinstance(part.starts, range) for _, part in found):
            return cls.identity(text)
        starts = [offset + start for offset, part in found for start in part.starts]
        ends = [offset + end for offset, part in found for end in part.ends]
        return cls(text, starts, ends)

    def then(self, later: "Alignment") -> "Alignment":
        """This alignment followed by `later`, which starts from this one's text."""
        if isinstance(later.starts, range):  # ranges: every character came from the one in its place
            return Alignment(later.text, self.starts, self.ends)
        if isinstance(self.starts, range):
            return later
        starts = [self._start(start) for start in later.starts]
        ends = [
            self.ends[end - 1] if end > start else self._start(start)
            for start, end in zip(later.starts, later.ends, strict=True)
        ]
        return Alignment(later.text, starts, ends)

    def _start(self, index: int) -> int:
        if index < len(self.starts):
            return self.starts[index]
        return self.ends[-1] if self.ends else 0
