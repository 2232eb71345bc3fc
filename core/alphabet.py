"""What stands before the first merge: special tokens and base symbols, their ids, and how a word is spelled in them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from core.character_counts import count_characters
from core.errors import ConfigError
from core.merge import UNKNOWN
from core.utf8 import HALF_CHARACTER
from core.utf8 import utf8 as utf8

MARKER_TEXT = "</w>"
CONTINUING_TEXT = "##"
METASPACE_TEXT = "▁"


class Base(StrEnum):
    """What a base symbol is."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class Marker(StrEnum):
    """How the start or end of a word is made visible to the merges."""

    NONE = "none"
    SYMBOL = "symbol"
    """`l o w </w>`: a symbol of its own behind the last character (Sennrich et al. 2016)."""
    SUFFIX = "suffix"
    """`l o w</w>`: part of the last character's symbol (subword-nmt 0.2, Hugging Face `end_of_word_suffix`)."""
    CONTINUING = "continuing"
    """`l ##o ##w`: every symbol but the first is marked (WordPiece, Hugging Face `continuing_subword_prefix`)."""
    METASPACE = "metaspace"
    """`▁ l o w`: spaces are characters U+2581 of the text itself, put there by the metaspace normalizer
    (SentencePiece, Llama 2); whether words are cut before them is the pre-tokenizer's business."""

    @property
    def text(self) -> str:
        """How it is usually written."""
        return {Marker.CONTINUING: CONTINUING_TEXT, Marker.METASPACE: METASPACE_TEXT}.get(self, MARKER_TEXT)

    @property
    def changes_symbols(self) -> bool:
        """Whether a letter has another symbol at another place of its word."""
        return self in (Marker.SUFFIX, Marker.CONTINUING)


class Unknown(StrEnum):
    """What becomes of a character that the alphabet lacks. It never takes part in a merge."""

    KEEP = "keep"
    """It stays as it is, without an id (subword-nmt)."""
    DROP = "drop"
    """It vanishes, and its neighbours become neighbours of each other (Hugging Face without `unk_token`)."""
    TOKEN = "token"
    """Each becomes the unknown token."""
    FUSE = "fuse"
    """A run of them becomes one unknown token (Hugging Face `fuse_unk`)."""
    BYTES = "bytes"
    """Its UTF-8 bytes become tokens such as `<0xE4>` (SentencePiece, Hugging Face `byte_fallback`)."""


class ByteOrder(StrEnum):
    """In which order the 256 bytes get their ids."""

    STAND_IN = "stand-in"
    """By the code point of GPT-2's printable stand-ins, `!` first (GPT-2, Hugging Face, OpenAI's rank files)."""
    VALUE = "value"
    """By byte value (minbpe, rustbpe, tiktoken's educational trainer)."""


@dataclass(frozen=True, slots=True)
class Token:
    """What a token id stands for: UTF-8 `content` (possibly part of a character) and its place in a word.

    A marker is one of the flags `ends_word` and `continues` (a word begun before), never text: the letters `</w>` in
    a corpus are ordinary content. `is_fallback`: a byte that stands for part of an unknown character.
    """

    content: bytes
    ends_word: bool = False
    special: bool = False
    continues: bool = False
    is_fallback: bool = False

    def __add__(self, other: "Token") -> "Token":
        return Token(self.content + other.content, other.ends_word, continues=self.continues)

    def text(self, marker_text: str = MARKER_TEXT) -> bytes:
        """The token as other tools spell it, marker included: what string tie rules compare and exporters write."""
        if self.is_fallback:
            return f"<0x{self.content[0]:02X}>".encode()
        before = marker_text.encode() if self.continues else b""
        return before + self.content + marker_text.encode() if self.ends_word else before + self.content


class Symbol(NamedTuple):
    """A base symbol of a word: it touches the characters `start` to `end` (half-open).

    Of the first of them `lead` UTF-8 bytes belong to symbols before, of the last one `trail` bytes to symbols after.
    A marker that is a symbol of its own touches nothing: `start == end`, behind its word.
    """

    token_id: int
    start: int
    end: int
    lead: int = 0
    trail: int = 0

    def content(self, word: str) -> bytes:
        """Its bytes of the word it was taken from."""
        data = utf8(word[self.start : self.end])
        return data[self.lead : len(data) - self.trail]


def has_half_characters(text: str) -> bool:
    """Whether there is half a surrogate pair in it: no file in UTF-8 can hold that."""
    return not text.isascii() and HALF_CHARACTER.search(text) is not None


def byte_stand_ins() -> dict[int, str]:
    """GPT-2's printable character for each byte, in id order (`!` to `~`, `¡` to `¬`, `®` to `ÿ`, then U+0100 on).

    Source: `bytes_to_unicode` in OpenAI's GPT-2 encoder.py.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (value for value in range(256) if value not in set(printable))
    stand_ins = {value: chr(value) for value in printable}
    stand_ins.update((value, chr(0x100 + n)) for n, value in enumerate(others))
    return stand_ins


@dataclass(frozen=True)
class Alphabet:
    """The tokens that need no merge, by id. Ids may have holes; a special token may double as a base symbol.

    `dropped` are the characters of the corpus that coverage or limit left out, with their counts.
    """

    base: Base
    marker: Marker
    tokens: Mapping[int, Token]
    unknown: Unknown = Unknown.KEEP
    dropped: Mapping[str, int] = field(default_factory=dict, compare=False)

    @cached_property
    def special_ids(self) -> dict[str, int]:
        """Text of each special token to its id."""
        return {token.content.decode(): i for i, token in self.tokens.items() if token.special}

    @cached_property
    def fallback_ids(self) -> dict[int, int]:
        """Byte value to the id of the token `<0x..>`."""
        return {token.content[0]: i for i, token in self.tokens.items() if token.is_fallback}

    @cached_property
    def _ids(self) -> dict[tuple[bytes, bool, bool], int]:
        spelled = [(t.special, i, t) for i, t in self.tokens.items() if not t.is_fallback]
        spelled.sort(key=lambda entry: not entry[0])  # where both are there, the base symbol is the one of words
        return {(t.content, t.ends_word, t.continues): i for _, i, t in spelled}

    @cached_property
    def inner(self) -> dict[str | int, int]:
        """Byte value or character to the id it has inside a word, before which nothing or something stands."""
        if self.base is Base.BYTES:
            return {value: self.id_of(bytes([value])) for value in range(256)}
        return self._characters(continues=False)

    @cached_property
    def continuing(self) -> dict[str | int, int]:
        """The same for a character that something stands before, where that has a form of its own."""
        return self._characters(continues=True)

    @cached_property
    def final(self) -> dict[str | int, int]:
        """The same at the end of a word, where the marker is part of the symbol; of bytes only CLIP has such forms."""
        if self.base is Base.BYTES:
            return {value: self.id_of(bytes([value]), ends_word=True) for value in range(256)}
        return {c.decode(): i for (c, ends, cont), i in self._ids.items() if c and ends and not cont}

    def _characters(self, continues: bool) -> dict[str | int, int]:
        return {c.decode(): i for (c, ends, cont), i in self._ids.items() if c and not ends and cont is continues}

    def id_of(self, content: bytes, ends_word: bool = False, continues: bool = False) -> int:
        """Id of a base symbol or special token; UNKNOWN if there is none."""
        return self._ids.get((content, ends_word, continues), UNKNOWN)

    def is_in_words(self, token_id: int) -> bool:
        """Whether words can be cut into it: a special token only if it takes the place of a base symbol."""
        token = self.tokens[token_id]
        unit = token.content if self.base is Base.BYTES else token.content.decode(errors="replace")
        return not token.special or (len(unit) == 1 and self.id_of(token.content) == token_id)

    def symbols_of(self, word: str) -> list[int]:
        """Ids of the base symbols of `word`, UNKNOWN for a character the alphabet lacks (see Unknown).

        `low` is `l o w` without a marker, `l o w </w>` with SYMBOL, `l o w</w>` with SUFFIX.
        """
        symbols = self._known_symbols(word)
        if UNKNOWN in symbols and self.unknown in _CHANGES_SPELLING:
            return [symbol.token_id for symbol in self.spell(word)]
        return symbols

    def spell(self, word: str) -> list[Symbol]:
        """The base symbols of `word` with the characters they stand for."""
        return list(self._with_unknown(word, self._one_each(word)))

    def contents_of(self, word: str) -> list[bytes]:
        """The UTF-8 bytes of each base symbol of `word`; empty for a marker that is a symbol of its own."""
        return [symbol.content(word) for symbol in self.spell(word)]

    def can_join(self, token_id: int) -> bool:
        """Whether a base symbol may be part of a pair: unknown characters, and bytes that stand for them, may not."""
        return token_id != UNKNOWN and not self.tokens[token_id].is_fallback

    def _known_symbols(self, word: str) -> list[int]:
        units: bytes | str = utf8(word) if self.base is Base.BYTES else word
        inner = self.inner
        symbols = [inner.get(unit, UNKNOWN) for unit in units]
        if self.marker is Marker.SYMBOL:
            symbols.append(self.id_of(b"", ends_word=True))
        elif self.marker is Marker.SUFFIX and symbols:
            symbols[-1] = self.final.get(units[-1], UNKNOWN)
        elif self.marker is Marker.CONTINUING:
            symbols[1:] = [self.continuing.get(character, UNKNOWN) for character in word[1:]]
        return symbols

    def _one_each(self, word: str) -> Iterator[Symbol]:
        """A symbol for every byte or character, whether known or not, and one for the marker."""
        ids = iter(self._known_symbols(word))
        for place, character in enumerate(word):
            size = len(utf8(character)) if self.base is Base.BYTES else 1
            for lead in range(size):
                yield Symbol(next(ids), place, place + 1, lead, size - 1 - lead)
        if self.marker is Marker.SYMBOL:
            yield Symbol(next(ids), len(word), len(word))

    def _with_unknown(self, word: str, symbols: Iterable[Symbol]) -> Iterator[Symbol]:
        run: Symbol | None = None
        for symbol in symbols:
            if symbol.token_id == UNKNOWN and self.unknown is Unknown.FUSE:
                run = Symbol(UNKNOWN, run.start if run else symbol.start, symbol.end)
                continue
            if run:
                yield run
                run = None
            if symbol.token_id != UNKNOWN or self.unknown in (Unknown.KEEP, Unknown.TOKEN):
                yield symbol
            elif self.unknown is Unknown.BYTES:
                yield from self._fallback(word, symbol)
        if run:
            yield run

    def _fallback(self, word: str, symbol: Symbol) -> Iterator[Symbol]:
        """All bytes of an unknown character, or the character itself if a byte is missing."""
        data = symbol.content(word)
        ids = [self.fallback_ids.get(value, UNKNOWN) for value in data]
        if UNKNOWN in ids:
            yield symbol
            return
        for lead, token_id in enumerate(ids):
            yield Symbol(token_id, symbol.start, symbol.end, lead, len(data) - 1 - lead)


_CHANGES_SPELLING = (Unknown.DROP, Unknown.FUSE, Unknown.BYTES)


def byte_alphabet(
    marker: Marker = Marker.NONE, order: ByteOrder = ByteOrder.STAND_IN, special_tokens: Iterable[str] = ()
) -> Alphabet:
    """Special tokens in the order given, the 256 bytes, then the marker if it is a symbol of its own.

    Raises ConfigError for a marker that is part of a letter's symbol: bytes have one form.
    """
    if problem := byte_marker_problem(marker):
        raise ConfigError(problem)
    values = byte_stand_ins() if order is ByteOrder.STAND_IN else range(256)
    return _numbered(Base.BYTES, marker, special_tokens, [Token(bytes([value])) for value in values])


def byte_marker_problem(marker: Marker) -> str | None:
    """Why a byte alphabet cannot have this marker, in the user's words; None if it can."""
    if marker is Marker.METASPACE:
        return "The marker ▁ is a character: with bytes, the space before a word does its work; choose no marker."
    if marker.changes_symbols:
        return "A byte alphabet has no final or continuing letters: choose no marker, or one that is its own symbol."
    return None


def character_alphabet(
    words: Mapping[str, int] | Iterable[str],
    marker: Marker = Marker.NONE,
    special_tokens: Iterable[str] = (),
    initial_characters: str = "",
    complete: bool = False,
    coverage: float = 1.0,
    limit: int | None = None,
    unknown: Unknown = Unknown.KEEP,
) -> Alphabet:
    """Special tokens, bytes `<0x00>` to `<0xFF>` for a byte fallback, the characters of `words` by code point, then
    marked forms by code point, then the marker if it is a symbol of its own.

    Raises ConfigError if half a character is among them (a lone surrogate): no file could hold its token.

    `initial_characters` are added whether they occur or not. `complete` gives every character its marked form, so
    that a letter seen only inside words is known at a word's end too. `coverage` and `limit` as in
    `choose_characters`; what they leave out is in the alphabet's `dropped`.
    """
    counted = count_characters(words if isinstance(words, Mapping) else Counter(words))
    _check_whole("The text to train on", "".join(counted.counts))
    _check_whole("The list of initial characters", initial_characters)
    characters, dropped = _chosen(counted.counts, coverage, limit, initial_characters)
    symbols = [Token(bytes([value]), is_fallback=True) for value in range(256)] if unknown is Unknown.BYTES else []
    symbols += [Token(c.encode()) for c in sorted(characters)]
    if marker is Marker.SUFFIX:
        finals = characters if complete else characters & counted.final
        symbols += [Token(c.encode(), ends_word=True) for c in sorted(finals)]
    elif marker is Marker.CONTINUING:
        later = characters if complete else characters & counted.later
        symbols += [Token(c.encode(), continues=True) for c in sorted(later)]
    return _numbered(Base.CHARACTERS, marker, special_tokens, symbols, unknown, dropped)


def choose_characters(
    words: Mapping[str, int], coverage: float = 1.0, limit: int | None = None, initial: str = ""
) -> tuple[set[str], dict[str, int]]:
    """The characters to keep, and those dropped with their counts, rarest last.

    The most frequent characters are kept, equally frequent ones by code point, until their share of the text reaches
    `coverage` (as SentencePiece's character_coverage) or `limit` characters are kept (as Hugging Face's
    limit_alphabet). `initial` ones come first and are always kept.

    >>> sorted(choose_characters({"aab": 3, "b?": 1}, limit=2)[0])
    ['a', 'b']
    """
    return _chosen(count_characters(words).counts, coverage, limit, initial)


def _chosen(
    counts: Mapping[str, int], coverage: float, limit: int | None, initial: str
) -> tuple[set[str], dict[str, int]]:
    kept, covered, total = set(initial), 0, sum(counts.values())
    dropped: dict[str, int] = {}
    for character, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        is_full = (limit is not None and len(kept) >= limit) or covered >= coverage * total
        if character in kept or not is_full:
            kept.add(character)
            covered += count
        else:
            dropped[character] = count
    return kept, dropped


def _check_whole(what: str, text: str) -> None:
    if half := HALF_CHARACTER.search(text):
        raise ConfigError(
            f"{what} holds half a character (the lone surrogate U+{ord(half[0]):04X}), "
            "which no file can hold; leave it out."
        )


def _numbered(
    base: Base,
    marker: Marker,
    special_tokens: Iterable[str],
    symbols: list[Token],
    unknown: Unknown = Unknown.KEEP,
    dropped: Mapping[str, int] | None = None,
) -> Alphabet:
    """Ids from 0. A special token that is spelled like a base symbol takes its place, as in Hugging Face's trainer."""
    special_tokens = tuple(special_tokens)
    _check_whole("A special token", "".join(special_tokens))
    tokens = {text: Token(text, special=True) for text in (s.encode() for s in special_tokens)}
    if b"" in tokens:
        raise ConfigError("A special token must not be empty.")
    everything = list(tokens.values())
    everything += [s for s in symbols if s.ends_word or s.continues or s.is_fallback or s.content not in tokens]
    if marker is Marker.SYMBOL:
        everything.append(Token(b"", ends_word=True))
    return Alphabet(base, marker, dict(enumerate(everything)), unknown, dropped or {})
