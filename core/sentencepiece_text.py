"""What SentencePiece does to a text before it looks for pieces: its table of characters, then its spaces."""

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

from core.alignment import Alignment
from core.alphabet import METASPACE_TEXT
from core.charsmap import Change, Charsmap
from core.normalizer_steps import Metaspace
from core.utf8 import whole_characters

_SPACES = re.compile(" {2,}")


@dataclass(frozen=True)
class SentencePieceText(Metaspace):
    """`Normalizer::Normalize` of the library. `kept` are texts, user-defined pieces, that the table does not touch.

    `dummy_prefix` puts a space before every text, or behind it `as_suffix`; `removes_extra_spaces` makes one space of
    several and leaves out those at both ends. Where the table makes a text of several spaces in a row, these stay.
    Without `escapes_spaces` spaces stay spaces.
    """

    charsmap: Charsmap | None = None
    dummy_prefix: bool = True
    removes_extra_spaces: bool = True
    as_suffix: bool = False
    escapes_spaces: bool = True
    kept: tuple[str, ...] = ()

    name = "sentencepiece"
    title = "SentencePiece"
    help = "SentencePiece's own table of characters and its way with spaces, as the tokenizer's file asks for them."
    loss = "Which characters and how many spaces it was that became the same is gone."
    is_lossless = False

    @property
    def keeps_line_ends(self) -> bool:  # type: ignore[override]
        return self.charsmap is None or "\n" not in self.charsmap.table

    @property
    def first_spaces(self) -> float:
        return inf if self.removes_extra_spaces else float(self.dummy_prefix)

    @property
    def needs_whole_text(self) -> bool:
        return bool(self.charsmap or self.kept or self.as_suffix)

    def normalize(self, text: str) -> str:
        text = whole_characters(text)
        if self.charsmap or self.kept:
            return self._aligned(text).text
        if self.removes_extra_spaces:
            text = text.lstrip(" ") if self.at_start else text
            text = _SPACES.sub(" ", text)
        return self._with_dummy(text.replace(" ", self._space)) if text else ""

    def align(self, text: str) -> Alignment:
        return self._aligned(whole_characters(text))

    def to_json(self) -> Any:
        charsmap = None if self.charsmap is None else b64encode(self.charsmap.data).decode()
        flags = {flag: getattr(self, flag) for flag in FLAGS}
        return {"name": self.name, "charsmap": charsmap, **flags, "kept": list(self.kept)}

    @property
    def _space(self) -> str:
        return METASPACE_TEXT if self.escapes_spaces else " "

    def _with_dummy(self, text: str) -> str:
        """What is nothing but spaces until now becomes nothing, if extra spaces go."""
        if self.dummy_prefix and not self.as_suffix and self.at_start:
            text = self._space + text
        if self.removes_extra_spaces:
            text = text.rstrip(self._space)
        return text + self._space if self.dummy_prefix and self.as_suffix else text

    def _aligned(self, text: str) -> Alignment:
        first = self._first(text) if self.at_start else 0
        if first == len(text):
            return Alignment.of_changes(text, [(0, len(text), "")] if text else [])
        inner = Alignment.of_changes(text, self._changes(text, first))
        whole = self._with_dummy(inner.text)
        starts, ends = list(inner.starts), list(inner.ends)
        if self.dummy_prefix and not self.as_suffix and self.at_start:
            starts, ends = [first, *starts], [first + 1, *ends]
        if self.dummy_prefix and self.as_suffix:
            kept = len(whole) - 1
            starts, ends = [*starts[:kept], len(text) - 1], [*ends[:kept], len(text)]
        return Alignment(whole, starts[: len(whole)], ends[: len(whole)])

    def _first(self, text: str) -> int:
        """Where the text begins behind spaces that are left out."""
        place = 0
        if self.removes_extra_spaces:
            for start, end, new in self._chunks(text):
                if start > place or new != " ":
                    break
                place = end
        return place

    def _changes(self, text: str, first: int) -> Iterator[Change]:
        if first:
            yield 0, first, ""
        is_behind_space, place = self.removes_extra_spaces and self.at_start, first
        for start, end, new in self._chunks(text, first):
            if start > place:
                is_behind_space = False
            if is_behind_space:
                new = new.lstrip(" ")
            if new:
                is_behind_space = self.removes_extra_spaces and new.endswith(" ")
            yield start, end, new.replace(" ", self._space)
            place = end

    def _chunks(self, text: str, place: int = 0) -> Iterator[Change]:
        """Kept texts, what the table changes, and single spaces."""
        search, table = self._interesting.search, self.charsmap
        while match := search(text, place):
            place, kept = match.start(), match["kept"]
            if kept:
                yield place, match.end(), kept
                place = match.end()
            elif table and (key := table.longest(text, place)) is not None:
                yield place, place + len(key), table.table[key]
                place += len(key)
            else:
                if text[place] == " ":
                    yield place, place + 1, " "
                place += 1

    @cached_property
    def _interesting(self) -> "re.Pattern[str]":
        kept = "|".join(map(re.escape, sorted(self.kept, key=len, reverse=True))) or "(?!)"
        return re.compile(f"(?P<kept>{kept})|[ {self.charsmap.first if self.charsmap else ''}]")

    def inside(self) -> "SentencePieceText":
        return replace(self, at_start=False)


FLAGS = ("dummy_prefix", "removes_extra_spaces", "as_suffix", "escapes_spaces")
