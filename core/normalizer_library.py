"""The normalizers of Hugging Face's tokenizers that are not ours already, for tokenizers that come from there.

They do what the library does, with its older Unicode: `normalizers::StripAccents`, `BertNormalizer` and so on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import regex

from core import user_patterns
from core.alignment import Alignment
from core.normalizer_steps import WHITE_SPACE, Lowercase, Step
from core.text_cleaning import FtfyText, PythonLowercase
from core.unicode_forms import Nfd


class _WholeText(Step):
    """A step that sees more than a line."""

    needs_whole_text = True
    loss = "What it changed is gone."

    def changes(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Stretches of the text and what takes their place."""
        raise NotImplementedError

    def normalize(self, text: str) -> str:
        parts, place = list[str](), 0
        for start, end, new in self.changes(text):
            parts += (text[place:start], new)
            place = end
        return "".join((*parts, text[place:])) if parts else text

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, self.changes(text))


@dataclass(frozen=True)
class ReplaceAnywhere(_WholeText):
    """What the pattern matches, also across line ends, becomes the new text as it stands."""

    pattern: str
    new: str

    name = "replace_anywhere"
    title = "Replace (Hugging Face)"
    help = "What a pattern matches becomes another text, also across line ends."

    def __post_init__(self) -> None:
        user_patterns.check(self.pattern, may_be_empty=True)

    def changes(self, text: str) -> Iterator[tuple[int, int, str]]:
        for batch in user_patterns.match_batches(self.pattern, text, may_be_empty=True):
            for match in batch:
                yield *match.span(), self.new

    def to_json(self) -> Any:
        return {"name": self.name, "pattern": self.pattern, "new": self.new}


@dataclass(frozen=True)
class ReplaceText(Step):
    """A text becomes another one wherever it stands."""

    old: str
    new: str

    name = "replace_text"
    title = "Replace text (Hugging Face)"
    help = "A text becomes another one wherever it stands."
    loss = "The replaced text is gone."

    @property
    def needs_whole_text(self) -> bool:
        return "\n" in self.old + self.new

    def normalize(self, text: str) -> str:
        return text.replace(self.old, self.new) if self.old else text

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, self._changes(text))

    def _changes(self, text: str) -> Iterator[tuple[int, int, str]]:
        place = text.find(self.old) if self.old else -1
        while place >= 0:
            yield place, place + len(self.old), self.new
            place = text.find(self.old, place + len(self.old))

    def to_json(self) -> Any:
        return {"name": self.name, "old": self.old, "new": self.new}


@dataclass(frozen=True)
class Prepend(Step):
    """Something is put before every text that is not empty; with `unless_there` not before one that begins with it.

    `first_only`: of the stretches between special tokens only before one at the very start.
    """

    text: str
    unless_there: bool = False
    first_only: bool = False
    at_start: bool = True

    name = "prepend"
    title = "Prepend (Hugging Face)"
    help = "A text, such as a space, is put before every text."
    loss = "Only whether the text began with it is gone."
    is_lossless = True

    def normalize(self, text: str) -> str:
        return self._prefix(text) + text

    def align(self, text: str) -> Alignment:
        alignment, size = Alignment.identity(text), len(self._prefix(text))
        if not size:
            return alignment
        return Alignment(self.text + text, [0] * size + [*alignment.starts], [1] * size + [*alignment.ends])

    def inside(self) -> Step:
        return replace(self, at_start=False)

    def behind_special(self) -> Step:
        return replace(self, at_start=False) if self.first_only else self

    def _prefix(self, text: str) -> str:
        is_there = self.unless_there and text.startswith(self.text)
        return self.text if self.at_start and text and not is_there else ""

    def to_json(self) -> Any:
        settings = ("text", "unless_there", "first_only")
        return {"name": self.name, **{setting: getattr(self, setting) for setting in settings}}


@dataclass(frozen=True)
class StripEnds(_WholeText):
    """Leaves out white space at the start and the end of the whole text."""

    left: bool = True
    right: bool = True

    name = "strip_ends"
    title = "Strip (Hugging Face)"
    help = "White space at both ends of the text is left out."

    def changes(self, text: str) -> Iterator[tuple[int, int, str]]:
        start = len(text) - len(text.lstrip(WHITE_SPACE)) if self.left else 0
        end = len(text.rstrip(WHITE_SPACE)) if self.right else len(text)
        if start:
            yield 0, start, ""
        if max(start, end) < len(text):
            yield max(start, end), len(text), ""

    def to_json(self) -> Any:
        return {"name": self.name, "left": self.left, "right": self.right}


class _Characters(Step):
    """Characters that are left out or become another text, whatever stands around them."""

    loss = "What it changed is gone."
    table: ClassVar[tuple[tuple["regex.Pattern[str]", str], ...]]

    def normalize(self, text: str) -> str:
        for pattern, new in self.table:
            text = pattern.sub(new, text)
        return text

    def align(self, text: str) -> Alignment:
        alignment = Alignment.identity(text)
        for pattern, new in self.table:
            changes = ((*match.span(), new) for match in pattern.finditer(alignment.text))
            alignment = alignment.then(Alignment.of_changes(alignment.text, changes))
        return alignment


def _set(table: str) -> str:
    """The inside of a set of the characters that a table lists in hexadecimal."""
    ranges = (part.split("-") for part in table.split())
    return "".join("-".join(rf"\U{int(code, 16):08X}" for code in range_) for range_ in ranges)


_YOUNG_MARKS = (
    "5C8-5C9 7FD 897-89F 8CA-8D3 9FE AFA-AFF B53-B55 C04 C3C CF3 D00 D3B-D3C D81 EBA ECE 1715 180F 1ABF-1AF0 1CF7 "
    "1DF6-1DFA A82C A8FF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50 10F82-10F85 "
    "11070 11073-11074 110C2 11145-11146 111C9 111CE-111CF 11241 1133B 113B8-113C0 113C2 113C5 113C7-113CA "
    "113CC-113D0 113D2 113E1-113E2 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 "
    "119D1-119D7 119DA-119E0 119E4 11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11B60-11B67 "
    "11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11DF0 11EF3-11EF6 "
    "11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 11F5A 13440 13447-13455 1611E-1612F 16F4F 16F7F-16F87 16FE4 "
    "16FF0-16FF1 1CF00-1CF2D 1CF30-1CF46 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1E08F 1E130-1E136 "
    "1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 "
)
_YOUNG_NONSPACING = (
    "5C8-5C9 7FD 897-89F 8CA-8E1 9FE AFA-AFF B53-B55 C04 C3C D00 D3B-D3C D81 EBA ECE 180F 1885-1886 1ABF-1AF0 "
    "1DF6-1DFB A82C A8C5 A8FF A9BD 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50 "
    "10F82-10F85 11070 11073-11074 110C2 111C9 111CF 1123E 11241 1133B 113BB-113C0 113CE 113D0 113D2 113E1-113E2 "
    "11438-1143F 11442-11444 11446 1145E 1182F-11837 11839-1183A 1193B-1193C 1193E 11943 119D4-119D7 119DA-119DB "
    "119E0 11A01-11A0A 11A33-11A38 11A3B-11A3E 11A47 11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A99 11B60 "
    "11B62-11B64 11B66 11C30-11C36 11C38-11C3D 11C3F 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 11D31-11D36 "
    "11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91 11D95 11D97 11DF0 11EF3-11EF4 11F00-11F01 11F36-11F3A 11F40 "
    "11F42 11F5A 13440 13447-13455 1611E-16129 1612D-1612F 16F4F 16FE4 1CF00-1CF2D 1CF30-1CF46 1D127-1D128 "
    "1D25B-1D25C 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF "
    "1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1E944-1E94A "
)
_IDEOGRAPHS = "3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F"
_MARKS = regex.compile(rf"(?V1)[[\p{{M}}--[{_set(_YOUNG_MARKS)}]]{_set('1CF2-1CF3')}]")
_NONSPACING = regex.compile(rf"(?V1)[[\p{{Mn}}--[{_set(_YOUNG_NONSPACING)}]]{_set('1734 1171E')}]")
_LEFT_OUT = regex.compile(r"(?V1)[[\p{Cc}\p{Cf}\p{Co}\uFFFD]--[\t\n\r" + _set("890-891 8E2 110CD 13430-1343F") + "]]")
_SPACE = regex.compile(r"[\t\n\r\p{Zs}\p{Zl}\p{Zp}]")
_NMT_LEFT_OUT = regex.compile(f"[{_set('1-8 B E-1F 7F 8F 9F')}]")
_NMT_SPACES = regex.compile(f"[{_set('9-A C-D 1680 200B-200F 2028-2029 2581 FEFF FFFD')}]")


@dataclass(frozen=True)
class StripMarks(_Characters):
    """Leaves out marks, except those that are younger than Unicode 8."""

    table = ((_MARKS, ""),)

    name = "strip_marks"
    title = "Strip accents (Hugging Face)"
    help = "Accents and other marks are left out where they are characters of their own, except young ones."


@dataclass(frozen=True)
class Nmt(_Characters):
    """Control characters go, and white space of many kinds becomes a space, as in SentencePiece's `nmt` rules."""

    table = ((_NMT_LEFT_OUT, ""), (_NMT_SPACES, " "))
    needs_whole_text = True  # it takes line ends away

    name = "nmt"
    title = "Nmt (Hugging Face)"
    help = "Control characters are left out; line ends and other white space become spaces."


class _Clean(_Characters):
    table = ((_LEFT_OUT, ""), (_SPACE, " "))


class _Ideographs(Step):
    _found = regex.compile(f"[{_set(_IDEOGRAPHS)}]")

    def normalize(self, text: str) -> str:
        return self._found.sub(r" \g<0> ", text)

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, ((*match.span(), f" {match[0]} ") for match in self._found.finditer(text)))


class _Nonspacing(_Characters):
    table = ((_NONSPACING, ""),)


@dataclass(frozen=True)
class Bert(Step):
    """What BERT's tokenizer does first; each part of it can be left out."""

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool = True
    lowercase: bool = True

    name = "bert"
    title = "BERT (Hugging Face)"
    help = "Control characters, accents and capitals go, white space becomes spaces, and ideographs stand apart."
    loss = "Accents, capital letters and kinds of white space are gone."

    @property
    def needs_whole_text(self) -> bool:
        return self.clean_text

    @property
    def _steps(self) -> Iterator[Step]:
        if self.clean_text:
            yield _Clean()
        if self.handle_chinese_chars:
            yield _Ideographs()
        if self.strip_accents:
            yield Nfd()
            yield _Nonspacing()
        if self.lowercase:
            yield Lowercase()

    def normalize(self, text: str) -> str:
        for step in self._steps:
            text = step.normalize(text)
        return text

    def align(self, text: str) -> Alignment:
        alignment = Alignment.identity(text)
        for step in self._steps:
            alignment = alignment.then(step.align(alignment.text))
        return alignment

    def to_json(self) -> Any:
        parts = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
        return {"name": self.name, **{part: getattr(self, part) for part in parts}}


LIBRARY_STEPS: dict[str, type[Step]] = {
    step.name: step
    for step in (
        *(ReplaceAnywhere, ReplaceText, Prepend, StripEnds, StripMarks, Nmt, Bert),
        *(FtfyText, PythonLowercase),  # CLIP's
    )
}
"""By name, for settings that were saved; no menu offers them."""
