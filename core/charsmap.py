"""SentencePiece's tables of characters and what takes their place: read from the bytes in its models, and applied.

The bytes (`precompiled_charsmap`) are a trie of the keys, a double array as the library Darts makes it, and the texts
that take their place, each ended by a NUL. Hugging Face's normalizer Precompiled has the same bytes.
"""

import re
from base64 import b64encode
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, groupby, islice
from typing import Any, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from core.alignment import Alignment
from core.errors import FormatError
from core.normalizer_steps import Step
from core.utf8 import whole_characters

MAX_NODES = 1 << 20
"""Of the trie; nmt_nfkc has 260,000."""
MAX_KEY_BYTES = 256
KEYS_PER_SLICE = 1 << 13
MAX_REPLACEMENT_CHARS = 1 << 24
"""Of all replacements together."""
GRAPHEME_BYTES = 6
"""From so many bytes on Hugging Face looks at the characters of a grapheme one by one."""

Units = NDArray[np.uint32]
Places = NDArray[np.int64]
Change = tuple[int, int, str]
"""Characters `start` to `end` (half-open) of a text become another text."""

_GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True)
class Charsmap:
    """What takes the place of which characters, read from `data`."""

    data: bytes = field(repr=False)
    table: Mapping[str, str] = field(repr=False, compare=False)

    @classmethod
    def of(cls, data: bytes) -> "Charsmap":
        """Read the bytes. Raises FormatError where they are no such table."""
        return _read(data)

    @classmethod
    def reading(cls, data: bytes) -> Generator[None, None, "Charsmap"]:
        """The same, bit by bit: nmt_nfkc takes 0.2 s."""
        table = dict[str, str]()
        for part in _parts(data):
            table.update(part)
            yield
        return cls(data, table)

    @cached_property
    def first(self) -> str:
        """The inside of a set, for `re`, of the characters that keys begin with."""
        return inside_set(self._lengths)

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        """Of the keys, by their first characters."""
        lengths = dict[str, set[int]]()
        for key in self.table:
            lengths.setdefault(key[0], set()).add(len(key))
        return {char: tuple(sorted(found)) for char, found in lengths.items()}

    @cached_property
    def crosses_lines(self) -> bool:
        """Whether a key goes on behind a "\\n"."""
        return any("\n" in key[:-1] for key in self.table)

    def longest(self, text: str, place: int) -> str | None:
        """The longest key that the text goes on with at `place`."""
        for length in reversed(self._lengths.get(text[place], ())):
            if (key := text[place : place + length]) in self.table:
                return key
        return None

    def shortest(self, text: str) -> str | None:
        """The shortest key that the text begins with."""
        for length in self._lengths.get(text[0], ()):
            if (key := text[:length]) in self.table:
                return key
        return None


@dataclass(frozen=True)
class Precompiled(Step):
    """Puts a text through a charsmap: at every place the longest key is replaced, as SentencePiece does it.

    `by_graphemes` does it as Hugging Face does: of each grapheme of less than 6 bytes all is replaced by what stands
    for the shortest key that it begins with; of what is longer or has none the characters are replaced one by one.
    """

    charsmap: Charsmap
    by_graphemes: bool = False

    name = "precompiled"
    title = "Table of characters"
    help = "SentencePiece's own table of characters, from the tokenizer's file: what each of them becomes."
    loss = "Which of the characters it was that become the same is gone."
    keeps_line_ends = False

    def normalize(self, text: str) -> str:
        text, parts, place = whole_characters(text), list[str](), 0
        for start, end, new in self._changes(text):
            parts += (text[place:start], new)
            place = end
        return "".join(parts) + text[place:] if parts else text

    def align(self, text: str) -> Alignment:
        text = whole_characters(text)
        return Alignment.of_changes(text, self._changes(text))

    @property
    def needs_whole_text(self) -> bool:
        return not self.by_graphemes and self.charsmap.crosses_lines

    def to_json(self) -> Any:
        data = b64encode(self.charsmap.data).decode()
        return {"name": self.name, "charsmap": data, "by_graphemes": self.by_graphemes}

    def _changes(self, text: str) -> Iterator[Change]:
        return grapheme_changes(self.charsmap, text) if self.by_graphemes else changes(self.charsmap, text)


def changes(charsmap: Charsmap, text: str) -> Iterator[Change]:
    """What SentencePiece replaces."""
    place, search = 0, _beginning(charsmap.first).search
    while match := search(text, place):
        place = match.start()
        key = charsmap.longest(text, place)
        if key is None:
            place += 1
            continue
        yield place, place + len(key), charsmap.table[key]
        place += len(key)


def grapheme_changes(charsmap: Charsmap, text: str) -> Iterator[Change]:
    """What Hugging Face replaces."""
    for match in _GRAPHEME.finditer(text):
        grapheme, start = match[0], match.start()
        is_short = len(grapheme.encode()) < GRAPHEME_BYTES
        if is_short and (key := charsmap.shortest(grapheme)) is not None:
            yield start, match.end(), charsmap.table[key]
            continue
        for place, char in enumerate(grapheme, start):
            if char in charsmap.table:
                yield place, place + 1, charsmap.table[char]


def inside_set(characters: Iterable[str]) -> str:
    """What stands between the brackets of a set of these characters, in patterns of `re`."""
    parts = list[str]()
    for _, run in groupby(enumerate(sorted(map(ord, characters))), lambda item: item[1] - item[0]):
        codes = [code for _, code in run]
        parts.append(rf"\U{codes[0]:08x}-\U{codes[-1]:08x}")
    return "".join(parts)


@lru_cache(maxsize=16)
def _beginning(first: str) -> "re.Pattern[str]":
    return re.compile(f"[{first}]" if first else r"(?!)")


@lru_cache(maxsize=16)
def _read(data: bytes) -> Charsmap:
    return Charsmap(data, dict(chain.from_iterable(_parts(data))))


def _parts(data: bytes) -> Iterator[list[tuple[str, str]]]:
    """Keys with what takes their place, some thousand at a time."""
    size = int.from_bytes(data[:4], "little")
    if len(data) < 4 or size % 4 or not 4 <= size <= len(data) - 4:
        raise _broken(f"the trie should have some bytes of the {len(data):,}, but it says {size:,}")
    keys = _keys(np.frombuffer(data, "<u4", size // 4, 4))
    replacements, texts, total = data[4 + size :], dict[int, str](), 0
    while found := list(islice(keys, KEYS_PER_SLICE)):
        part = list[tuple[str, str]]()
        for key, place in found:
            new = texts.get(place)
            if new is None:
                new = texts[place] = _replacement(replacements, place)
                total += len(new)
                if total > MAX_REPLACEMENT_CHARS:  # they may lie in each other
                    raise _broken("the texts that take the place of characters are too long")
            part.append((_text(key), new))
        yield part


def _text(key: bytes) -> str:
    try:
        return key.decode()
    except UnicodeDecodeError:
        raise _broken(f"the key {key!r} is not UTF-8") from None


def _keys(units: Units) -> Iterator[tuple[bytes, int]]:
    """The keys of a double array with their values. Parts of the trie may be there once for several keys."""
    trie, nodes = _Trie.of(units), 0
    bases, keys = trie.bases[:1], np.zeros((1, 0), np.uint8)
    for _ in range(MAX_KEY_BYTES):
        parents, places = trie.children(bases)
        nodes += len(places)
        if not len(places):
            return
        if nodes > MAX_NODES:
            break
        labels = (units[places] & 0xFF).astype(np.uint8)
        keys, bases = np.concatenate([keys[parents], labels[:, None]], axis=1), trie.bases[places]
        ends = np.flatnonzero(units[places] >> 8 & 1)
        if len(ends) and bases[ends].max() >= len(units):
            raise _broken("a key has its value outside of the trie")
        values = units[bases[ends]] & 0x7FFFFFFF
        yield from zip(map(bytes, keys[ends]), values.tolist(), strict=True)
    raise _broken("the trie goes in circles, or is too large")


class _Trie(NamedTuple):
    """For each unit of a double array the place from which the children of that node are counted; all nodes by the
    place from which they are counted."""

    bases: Places
    counted_from: Places
    nodes: Places

    @classmethod
    def of(cls, units: Units) -> "_Trie":
        places, wide = np.arange(len(units)), units.astype(np.int64)
        bases = places ^ ((wide >> 10) << ((wide & 1 << 9) >> 6))
        nodes = np.flatnonzero(units < 1 << 31)
        counted_from = nodes ^ (wide[nodes] & 0xFF)
        order = np.lexsort((nodes, counted_from))
        return cls(bases, counted_from[order], nodes[order])

    def children(self, bases: Places) -> tuple[Places, Places]:
        """The places of all children, and of which of the `bases` each is one."""
        first = np.searchsorted(self.counted_from, bases)
        counts = np.searchsorted(self.counted_from, bases, side="right") - first
        parents = np.repeat(np.arange(len(bases)), counts)
        behind = np.cumsum(counts) - counts
        return parents, self.nodes[np.arange(len(parents)) + (first - behind)[parents]]


def _replacement(texts: bytes, place: int) -> str:
    end = texts.find(0, place)
    if place >= len(texts) or end < 0:
        raise _broken(f"a text should stand at {place:,} of {len(texts):,} bytes, ended by a NUL")
    try:
        return texts[place:end].decode()
    except UnicodeDecodeError:
        raise _broken(f"the text at {place:,} is not UTF-8") from None


def _broken(what: str) -> FormatError:
    return FormatError(f"The table of characters (precompiled_charsmap) is broken: {what}.")
