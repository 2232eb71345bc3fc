"""What stands before the first merge: special tokens and base symbols, their ids, and how a word is spelled in them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from core.errors import ConfigError
from core.merge import UNKNOWN

MARKER_TEXT = "</w>"


class Base(StrEnum):
    """What a base symbol is."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class Marker(StrEnum):
    """How the end of a word is made visible to the merges."""

    NONE = "none"
    SYMBOL = "symbol"
    """`l o w </w>`: a symbol of its own behind the last character (Sennrich et al. 2016)."""
    SUFFIX = "suffix"
    """`l o w</w>`: part of the last character's symbol (subword-nmt 0.2, Hugging Face `end_of_word_suffix`)."""


class ByteOrder(StrEnum):
    """In which order the 256 bytes get their ids."""

    STAND_IN = "stand-in"
    """By the code point of GPT-2's printable stand-ins, `!` first (GPT-2, Hugging Face, OpenAI's rank files)."""
    VALUE = "value"
    """By byte value (minbpe, rustbpe, tiktoken's educational trainer)."""


@dataclass(frozen=True, slots=True)
class Token:
    """What a token id stands for: UTF-8 `content` (possibly part of a character) and whether it closes its word.

    The end-of-word marker is the flag, never text: the letters `</w>` in a corpus are ordinary content.
    """

    content: bytes
    ends_word: bool = False
    special: bool = False

    def __add__(self, other: "Token") -> "Token":
        return Token(self.content + other.content, other.ends_word)

    def text(self, marker_text: str = MARKER_TEXT) -> bytes:
        """The token as other tools spell it, marker included: what string tie rules compare and exporters write."""
        return self.content + marker_text.encode() if self.ends_word else self.content


def utf8(text: str) -> bytes:
    """The bytes of `text`. Half a surrogate pair, which typed text may hold, is no error: three bytes stand for it."""
    return text.encode(errors="surrogatepass")


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
    """The tokens that need no merge, by id. Ids may have holes; a special token may double as a base symbol."""

    base: Base
    marker: Marker
    tokens: Mapping[int, Token]

    @cached_property
    def special_ids(self) -> dict[str, int]:
        """Text of each special token to its id."""
        return {token.content.decode(): i for i, token in self.tokens.items() if token.special}

    @cached_property
    def _ids(self) -> dict[tuple[bytes, bool], int]:
        return {(token.content, token.ends_word): i for i, token in self.tokens.items()}

    @cached_property
    def _inner(self) -> dict[str | int, int]:
        """Byte value or character to the id it has inside a word."""
        if self.base is Base.BYTES:
            return {value: self._ids.get((bytes([value]), False), UNKNOWN) for value in range(256)}
        return {content.decode(): i for (content, ends_word), i in self._ids.items() if content and not ends_word}

    def id_of(self, content: bytes, ends_word: bool = False) -> int:
        """Id of a base symbol or special token; UNKNOWN if there is none."""
        return self._ids.get((content, ends_word), UNKNOWN)

    def symbols_of(self, word: str) -> list[int]:
        """Ids of the base symbols of `word`, UNKNOWN for each character the alphabet lacks.

        `low` is `l o w` without a marker, `l o w </w>` with SYMBOL, `l o w</w>` with SUFFIX.
        """
        units: Iterable[str | int] = utf8(word) if self.base is Base.BYTES else word
        inner = self._inner
        symbols = [inner.get(unit, UNKNOWN) for unit in units]
        if self.marker is Marker.SYMBOL:
            symbols.append(self.id_of(b"", ends_word=True))
        elif self.marker is Marker.SUFFIX and symbols:
            symbols[-1] = self.id_of(utf8(word[-1]), ends_word=True)
        return symbols

    def contents_of(self, word: str) -> list[bytes]:
        """The UTF-8 bytes of each base symbol of `word`; empty for a marker that is a symbol of its own."""
        if self.base is Base.BYTES:
            contents = [bytes([value]) for value in utf8(word)]
        else:
            contents = [utf8(character) for character in word]
        return [*contents, b""] if self.marker is Marker.SYMBOL else contents


def byte_alphabet(
    marker: Marker = Marker.NONE, order: ByteOrder = ByteOrder.STAND_IN, special_tokens: Iterable[str] = ()
) -> Alphabet:
    """Special tokens in the order given, the 256 bytes, then the marker if it is a symbol of its own.

    Raises ConfigError for a marker that is part of the last symbol: bytes have no final form.
    """
    if marker is Marker.SUFFIX:
        raise ConfigError("A byte alphabet has no final letters: choose no marker, or one that is its own symbol.")
    values = byte_stand_ins() if order is ByteOrder.STAND_IN else range(256)
    return _numbered(Base.BYTES, marker, special_tokens, [Token(bytes([value])) for value in values])


def character_alphabet(
    words: Iterable[str],
    marker: Marker = Marker.NONE,
    special_tokens: Iterable[str] = (),
    initial_characters: str = "",
    complete: bool = False,
) -> Alphabet:
    """Special tokens, the characters of `words` by code point, then final forms by code point, then the marker.

    `initial_characters` are added whether they occur or not. `complete` gives every character its final form, so
    that a letter seen only inside words is known at a word's end too.
    """
    characters, finals = set(initial_characters), set[str]()
    for word in words:
        characters.update(word)
        finals.update(word[-1:])
    symbols = [Token(c.encode()) for c in sorted(characters)]
    if marker is Marker.SUFFIX:
        symbols += [Token(c.encode(), ends_word=True) for c in sorted(characters if complete else finals)]
    return _numbered(Base.CHARACTERS, marker, special_tokens, symbols)


def _numbered(base: Base, marker: Marker, special_tokens: Iterable[str], symbols: list[Token]) -> Alphabet:
    """Ids from 0. A special token that is spelled like a base symbol takes its place, as in Hugging Face's trainer."""
    tokens = {text: Token(text, special=True) for text in (s.encode() for s in special_tokens)}
    if b"" in tokens:
        raise ConfigError("A special token must not be empty.")
    everything = list(tokens.values())
    everything += [symbol for symbol in symbols if symbol.ends_word or symbol.content not in tokens]
    if marker is Marker.SYMBOL:
        everything.append(Token(b"", ends_word=True))
    return Alphabet(base, marker, dict(enumerate(everything)))
