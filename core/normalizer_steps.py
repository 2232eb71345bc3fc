"""The single changes that can be made to a text before it is split; normalizer.py puts them one after the other."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import regex

from core.alignment import Alignment
from core.alphabet import METASPACE_TEXT, has_half_characters
from core.errors import ConfigError, PatternError
from core.user_patterns import check, match_batches

NUMBER_TOKEN = "<num>"

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_LINE = regex.compile(r"[^\r\n]+")
_SPACES = regex.compile(r"[^\S\r\n]+")
_NUMBERS = regex.compile(r"\p{N}+")
_MARKS = regex.compile(r"\p{M}+")


class Step(ABC):
    """One change to the text. Steps work line by line: cutting the text after any "\\n" does not change the result,
    unless it `needs_whole_text`.

    `loss` says in a line what the changed text no longer tells; `is_lossless` is for a step that keeps all that counts.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    help: ClassVar[str]
    loss: ClassVar[str]
    is_lossless: ClassVar[bool] = False
    keeps_line_ends: ClassVar[bool] = True
    """Whether every "\\n" stays; steps behind one that takes them away see other lines than the text's."""

    @property
    def needs_whole_text(self) -> bool:
        """Whether what becomes of a line depends on the lines around it."""
        return False

    @abstractmethod
    def normalize(self, text: str) -> str: ...

    @abstractmethod
    def align(self, text: str) -> Alignment: ...

    def to_json(self) -> Any:
        return self.name

    def inside(self) -> "Step":
        """The same step for a part that is not the first of its text."""
        return self

    def behind_special(self) -> "Step":
        """The same step for a stretch of a text that begins behind a special token."""
        return self


@dataclass(frozen=True)
class Lowercase(Step):
    """Lower case, character by character as Hugging Face does it: `ΟΔΟΣ` becomes `οδοσ`, `İ` becomes two characters."""

    name = "lowercase"
    title = "Lower case"
    help = "Capital letters become small ones."
    loss = "Capital letters and small ones are no longer told apart."

    def normalize(self, text: str) -> str:
        if text.isascii():
            return text.lower()
        lowered = text.replace("Σ", "σ").lower()  # Σ is the only letter str.lower() treats by its place in the word
        return lowered.translate(_YOUNG_CAPITALS) if _YOUNG_CAPITAL.search(lowered) else lowered

    def align(self, text: str) -> Alignment:
        lowered = self.normalize(text)
        if len(lowered) == len(text):  # no character's lower case is shorter
            return Alignment.identity(lowered)
        return Alignment.of_changes(
            text, ((i, i + 1, low) for i, char in enumerate(text) if (low := self.normalize(char)) != char)
        )


_YOUNG_CAPITALS = {  # of Unicode 15 to 17, which Python's own tables may not know yet
    0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7CE: 0xA7CF, 0xA7D2: 0xA7D3, 0xA7D4: 0xA7D5, 0xA7DA: 0xA7DB,
    0xA7DC: 0x19B, **{code: code + 0x20 for code in range(0x10D50, 0x10D66)},
    **{code: code + 0x1B for code in range(0x16EA0, 0x16EB9)},
}  # fmt: skip
_YOUNG_CAPITAL = regex.compile(f"[{''.join(map(chr, _YOUNG_CAPITALS))}]")


@dataclass(frozen=True)
class StripAccents(Step):
    r"""Leaves out every mark, \p{M}, as Hugging Face's StripAccents does: spacing marks too, `हि` becomes `ह`.

    Only marks that came to Unicode after 2016 are not left out there.
    """

    name = "strip_accents"
    title = "Strip accents"
    help = "Accents and other marks are left out where they are characters of their own: after NFD or NFKD all of them."
    loss = "Accents and other marks are gone."

    def normalize(self, text: str) -> str:
        return text if text.isascii() else _MARKS.sub("", text)

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, ((*match.span(), "") for match in _MARKS.finditer(text)))


@dataclass(frozen=True)
class Strip(Step):
    """Leaves out white space at both ends of every line; "\\n", "\\r\\n" and "\\r" end lines and stay."""

    name = "strip"
    title = "Strip"
    help = "White space at both ends of every line is left out; the line ends stay."
    loss = "White space at both ends of lines is gone."

    def normalize(self, text: str) -> str:
        return _LINE.sub(lambda line: line[0].strip(WHITE_SPACE), text)

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, self._ends(text))

    def _ends(self, text: str) -> Iterator[tuple[int, int, str]]:
        for line in _LINE.finditer(text):
            start, end = line.span()
            inner = end - len(line[0].lstrip(WHITE_SPACE))
            if inner > start:
                yield start, inner, ""
            outer = start + len(line[0].rstrip(WHITE_SPACE))
            if inner < outer < end:
                yield outer, end, ""


@dataclass(frozen=True)
class CollapseWhitespace(Step):
    """Makes one space of every run of white space inside a line; "\\n", "\\r\\n" and "\\r" end lines and stay."""

    name = "collapse_whitespace"
    title = "Collapse white space"
    help = "Every run of spaces, tabs and other white space inside a line becomes one space; the line ends stay."
    loss = "Tabs, several spaces and special spaces are no longer told from one space."

    def normalize(self, text: str) -> str:
        return _SPACES.sub(" ", text)

    def align(self, text: str) -> Alignment:
        runs = (match for match in _SPACES.finditer(text) if match[0] != " ")
        return Alignment.of_changes(text, ((*match.span(), " ") for match in runs))


@dataclass(frozen=True)
class Numbers(Step):
    r"""One token for every run of \p{N}: digits of every script, and ½, ², Ⅷ and ①."""

    token: str = NUMBER_TOKEN

    name = "numbers"
    title = "Numbers as one token"
    help = "Every run of digits becomes the same text, such as <num>."
    loss = "Which number it was is gone."

    def __post_init__(self) -> None:
        if not self.token:
            raise ConfigError(f"The text for numbers is empty; write what takes their place, such as {NUMBER_TOKEN}.")
        if has_half_characters(self.token):
            raise ConfigError("The text for numbers holds half a character (a lone surrogate); leave it out.")

    def normalize(self, text: str) -> str:
        return _NUMBERS.sub(lambda _: self.token, text)

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, ((*match.span(), self.token) for match in _NUMBERS.finditer(text)))

    def to_json(self) -> Any:
        return {"name": self.name, "token": self.token}


@dataclass(frozen=True)
class Replace(Step):
    """Patterns and what takes the place of their matches, in order; the new text is taken as it stands, without groups.

    Every line, with its "\\n", goes through all of them on its own: no match goes over a line end.
    """

    replacements: tuple[tuple[str, str], ...]

    name = "replace"
    title = "Replace"
    help = "Your own patterns, one after the other, line by line: what they match becomes the text you write."
    loss = "What the patterns matched is gone."
    keeps_line_ends = False

    def __post_init__(self) -> None:
        if not self.replacements:
            raise ConfigError("There is nothing to replace; write at least one pattern and its new text.")
        for number, (pattern, new) in enumerate(self.replacements, 1):
            if has_half_characters(new):
                raise ConfigError(
                    f"Replacement {number}: the new text holds half a character (a lone surrogate); leave it out."
                )
            try:
                check(pattern)
            except PatternError as error:
                raise PatternError(f"Replacement {number}: {error}", error.position) from None

    def normalize(self, text: str) -> str:
        return "".join([self._normalize_line(line) for line in lines(text)])

    def align(self, text: str) -> Alignment:
        return Alignment.of_parts((start, self._align_line(line)) for start, line in placed_lines(text))

    def to_json(self) -> Any:
        return {"name": self.name, "replacements": [list(pair) for pair in self.replacements]}

    def _normalize_line(self, line: str) -> str:
        for number in range(len(self.replacements)):
            parts, place = list[str](), 0
            for start, end, new in self._changes(number, line):
                parts += (line[place:start], new)
                place = end
            line = "".join(parts) + line[place:]
        return line

    def _align_line(self, line: str) -> Alignment:
        alignment = Alignment.identity(line)
        for number in range(len(self.replacements)):
            changes = self._changes(number, alignment.text)
            alignment = alignment.then(Alignment.of_changes(alignment.text, changes))
        return alignment

    def _changes(self, number: int, line: str) -> Iterator[tuple[int, int, str]]:
        pattern, new = self.replacements[number]
        try:
            for batch in match_batches(pattern, line, "line"):
                for match in batch:
                    yield *match.span(), new
        except PatternError as error:
            raise PatternError(f"Replacement {number + 1}: {error}") from None


@dataclass(frozen=True)
class Metaspace(Step):
    """Every space becomes "▁", and the text begins with one: another is put before a text that does not.

    Like Hugging Face's Metaspace with prepend_scheme "always". With `at_start` False nothing is put before the text.
    """

    at_start: bool = True

    name = "metaspace"
    title = "Metaspace"
    help = "Every space becomes ▁, and one is put before a text that does not begin with a space."
    loss = "Only a space at the very start of the text, and a ▁ written in it, cannot be told from what is put there."
    is_lossless = True

    @property
    def first_spaces(self) -> float:
        """How many spaces at the start of a decoded text are not the text's own, at most."""
        return 1

    def normalize(self, text: str) -> str:
        return self._prefix(text) + text.replace(" ", METASPACE_TEXT)

    def align(self, text: str) -> Alignment:
        replaced = Alignment.identity(text.replace(" ", METASPACE_TEXT))
        if not self._prefix(text):
            return replaced
        return Alignment(METASPACE_TEXT + replaced.text, [0, *replaced.starts], [1, *replaced.ends])

    def inside(self) -> Step:
        return replace(self, at_start=False)

    def _prefix(self, text: str) -> str:
        return METASPACE_TEXT if self.at_start and text and text[0] not in (" ", METASPACE_TEXT) else ""


@dataclass(frozen=True)
class PrependMetaspace(Metaspace):
    """Every space becomes "▁", and one more is put before every text that is not empty.

    Like Hugging Face's Prepend and Replace in Llama 2's files, and SentencePiece's add_dummy_prefix.
    """

    name = "prepend_metaspace"
    title = "Metaspace, always one more"
    help = "Every space becomes ▁, and one more is put before every text, as in Llama 2 and SentencePiece."
    loss = "Only a ▁ written in the text cannot be told from a space."

    def _prefix(self, text: str) -> str:
        return METASPACE_TEXT if self.at_start and text else ""


def lines(text: str) -> list[str]:
    """The lines of a text with their "\\n", which alone ends lines here."""
    *ended, last = text.split("\n")
    found = [line + "\n" for line in ended]
    return [*found, last] if last else found


def placed_lines(text: str) -> Iterator[tuple[int, str]]:
    """As `lines`, each behind the place where it starts."""
    start = 0
    for line in lines(text):
        yield start, line
        start += len(line)
