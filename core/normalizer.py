"""What is done to the text before it is split (lower case, Unicode normal forms), and where characters came from."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal, Protocol

from core.errors import ConfigError

Form = Literal["NFC", "NFKC"]


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


class Step(Protocol):
    """One change to the text. Steps work line by line: cutting the text after any "\\n" must not change the result."""

    @property
    def name(self) -> str: ...

    def normalize(self, text: str) -> str: ...

    def align(self, text: str) -> Alignment: ...


@dataclass(frozen=True)
class Lowercase:
    """Lower case, character by character as Hugging Face does it: `ΟΔΟΣ` becomes `οδοσ`, `İ` becomes two characters."""

    name = "lowercase"

    def normalize(self, text: str) -> str:
        return text.replace("Σ", "σ").lower()  # Σ is the only letter str.lower() treats by its place in the word

    def align(self, text: str) -> Alignment:
        lowered = self.normalize(text)
        if len(lowered) == len(text):  # no character's lower case is shorter
            return Alignment.identity(lowered)
        return _join((char.lower(), 1) for char in text)


@dataclass(frozen=True)
class Nfc:
    """Letters and their marks joined where Unicode has one character for both; looks stay the same."""

    name = "nfc"

    def normalize(self, text: str) -> str:
        return unicodedata.normalize("NFC", text)

    def align(self, text: str) -> Alignment:
        return _align_form("NFC", text)


@dataclass(frozen=True)
class Nfkc:
    """As NFC, and what is only another shape of a character becomes that one: `ﬁ` becomes `fi`, `²` becomes `2`."""

    name = "nfkc"

    def normalize(self, text: str) -> str:
        return unicodedata.normalize("NFKC", text)

    def align(self, text: str) -> Alignment:
        return _align_form("NFKC", text)


NORMALIZERS: dict[str, type[Step]] = {"lowercase": Lowercase, "nfc": Nfc, "nfkc": Nfkc}


@dataclass(frozen=True)
class Normalizer:
    """Steps applied one after the other; without steps the text stays as it is."""

    steps: tuple[Step, ...] = ()

    @classmethod
    def named(cls, *names: str) -> "Normalizer":
        """The steps of these names, in this order. Raises ConfigError for a name that is not in NORMALIZERS."""
        for name in names:
            if name not in NORMALIZERS:
                raise ConfigError(f"There is no normalizer named {name!r}. Known are: {', '.join(NORMALIZERS)}.")
        return cls(tuple(NORMALIZERS[name]() for name in names))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)

    def __bool__(self) -> bool:
        return bool(self.steps)

    def normalize(self, text: str) -> str:
        for step in self.steps:
            text = step.normalize(text)
        return text

    def align(self, text: str) -> Alignment:
        """The normalized text with the place in `text` every character came from."""
        alignment = Alignment.identity(text)
        for step in self.steps:
            alignment = alignment.then(step.align(alignment.text))
        return alignment


def _align_form(form: Form, text: str) -> Alignment:
    if unicodedata.is_normalized(form, text):
        return Alignment.identity(text)
    cuts = [0, *(i for i, char in enumerate(text) if i and _starts_afresh(form, char)), len(text)]
    return _join((unicodedata.normalize(form, text[start:end]), end - start) for start, end in pairwise(cuts))


def _join(pieces: Iterator[tuple[str, int]]) -> Alignment:
    """Align pieces, given as (normalized text, length of the original); a piece's characters share its whole span."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    for text, length in pieces:
        texts.append(text)
        starts += [start] * len(text)
        start += length
        ends += [start] * len(text)
    return Alignment("".join(texts), starts, ends)


@cache
def _starts_afresh(form: Form, char: str) -> bool:
    """Whether nothing before `char` can join with it or trade places with it under NFC or NFKC."""
    first = unicodedata.normalize("NFD" if form == "NFC" else "NFKD", char)[0]
    return not unicodedata.combining(first) and first not in _second_halves()


@cache
def _second_halves() -> frozenset[str]:
    """Characters that can join with the one before them: marks, and the later parts of Hangul and Indic syllables."""
    found = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}  # Hangul composes by arithmetic
    for code in range(0x20000):  # no character above the first two planes has a pair as its decomposition
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            found.add(chr(int(parts[1], 16)))
    return frozenset(found)
