"""How tokens are spelled in other tools' files, and what makes two of them look the same there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

from core.alphabet import Base, Marker, Token, byte_stand_ins
from core.formats.base import Finding, Severity
from core.recording import Recording
from core.vocab import label

STAND_INS = byte_stand_ins()
BYTE_OF_STAND_IN = {char: value for value, char in STAND_INS.items()}
MARKERS = ("</w>", "</word>", "⟨/w⟩", "▁▁", "\ue000")
CONTINUING_MARKERS = ("##", "@@", "⟨+⟩", "\ue000")
FALLBACK = re.compile(rb"<0x[0-9A-F]{2}>")
LONGEST_FALLBACK = len("<0x00>")


def spelled(token: Token, base: Base, marker_text: str) -> str:
    """`Ġthe` for the bytes of ` the`, `low</w>` for an end of word, `##er` for a word gone on with, `<0xE4>` for a byte
    of an unknown character; a special token is its own text."""
    if base is Base.BYTES and not token.special:
        text = token.content.decode("latin-1").translate(STAND_INS)
        return text + marker_text if token.ends_word else text
    return token.text(marker_text).decode()


class Spelling(dict[int, str]):
    """The spelling of each token id, made when it is first asked for: a preview needs few."""

    def __init__(self, recording: Recording, marker_text: str) -> None:
        super().__init__()
        self._recording = recording
        self._marker_text = marker_text

    def __missing__(self, token_id: int) -> str:
        name = spelled(self._recording.token(token_id), self._recording.alphabet.base, self._marker_text)
        self[token_id] = name
        return name

    def vocabulary(self, step: int) -> Iterator[tuple[str, int]]:
        """Every token after `step` merges, by rising id."""
        return ((self[token_id], token_id) for token_id in ids_at(self._recording, step))

    def merges(self, step: int) -> Iterator[tuple[str, str]]:
        """The first `step` merges, by rank."""
        pairs = (self._recording[rank].pair for rank in range(step))
        return ((self[left], self[right]) for left, right in pairs)


def ids_at(recording: Recording, step: int) -> list[int]:
    """The ids of the vocabulary after `step` merges, rising."""
    return sorted(token_id for token_id, _ in recording.tokens_at(step))


def bytes_of(spelling: str) -> bytes | None:
    """The bytes that a spelling in GPT-2's stand-ins is read as; None if it is no such spelling."""
    values = [BYTE_OF_STAND_IN.get(char) for char in spelling]
    return None if None in values else bytes(value for value in values if value is not None)


@dataclass(frozen=True)
class Contents:
    """The bytes of all tokens at a step, gathered once a preflight: 32,000 of them take 5 to 10 ms."""

    base: list[bytes]
    merged: list[bytes]
    merged_tokens: list[Token]

    @classmethod
    def of(cls, recording: Recording, step: int) -> "Contents":
        base = [token.content for token in recording.alphabet.tokens.values() if not token.is_fallback]
        merged = [token for _, token in islice(recording.tokens_at(step), len(recording.alphabet.tokens), None)]
        return cls(base, [token.content for token in merged], merged)

    @cached_property
    def joined(self) -> bytes:
        """All of them in a row, a byte that is in no text before each."""
        return b"\xff" + b"\xff".join(chain(self.base, self.merged))

    def starting(self, start: bytes) -> bool:
        """Whether a merged token begins so."""
        return b"\xff" + start in self.joined and any(content.startswith(start) for content in self.merged)


def same_spelling(recording: Recording, contents: Contents, marker_text: str) -> Iterator[Finding]:
    """Refusals for tokens that cannot be told apart once they are written down with this text for the marker."""
    yield from _specials_like_tokens(recording, contents, marker_text)
    if recording.alphabet.marker is Marker.SUFFIX:
        yield from _literal_suffixes(recording, contents)
    if recording.alphabet.marker is Marker.CONTINUING:
        yield from _literal_prefixes(recording, contents)
    if recording.alphabet.fallback_ids:
        yield from _literal_bytes(contents)


def _specials_like_tokens(recording: Recording, contents: Contents, marker: str) -> Iterator[Finding]:
    base, specials = recording.alphabet.base, recording.alphabet.special_ids
    if not specials:
        return
    symbols = [token for token in recording.alphabet.tokens.values() if not token.special]
    wanted = {content for text in specials for content in _contents_of(text, base, marker)}
    # few tokens are spelled at all: only those whose bytes a special token's text could be read as
    alike = {
        spelled(token, base, marker): token
        for token in chain(symbols, contents.merged_tokens)
        if token.content in wanted or token.is_fallback
    }
    for text in specials:
        if token := alike.get(text):
            yield Finding(Severity.REFUSAL, _same_text(text, token, base, token in symbols))
        if base is Base.BYTES and len(text.encode()) == 1 and text not in BYTE_OF_STAND_IN:
            yield Finding(
                Severity.REFUSAL,
                f"The special token {text!r} is also the byte {text.encode().hex().upper()}, which files spell "
                f"{STAND_INS[ord(text)]!r}. Train with another special token.",
            )


def _contents_of(text: str, base: Base, marker: str) -> set[bytes]:
    """The bytes of all tokens that could be spelled like this."""
    if base is Base.BYTES:
        content = bytes_of(text)
        return set() if content is None else {content}
    return {text.encode(), text.removeprefix(marker).removesuffix(marker).encode()}


def _same_text(text: str, token: Token, base: Base, is_base: bool) -> str:
    what = "a base symbol" if is_base else "a token that a merge makes"
    which = f", {label(token)!r}" if base is Base.BYTES else ""  # elsewhere it looks the same
    return (
        f"The special token {text!r} is spelled like {what}{which}, and a file has one id for both. "
        "Train with another special token."
    )


def _literal_suffixes(recording: Recording, contents: Contents) -> Iterator[Finding]:
    """The text itself spells the marker. Even where no two tokens collide, decoders would make a space of it."""
    marker = recording.config.marker_text.encode()
    is_literal = marker in contents.joined or _overlaps_itself(marker)
    guilty = (t for t in (_tokens(recording, contents) if is_literal else ()) if marker in _before_end(t, marker))
    for token in islice(guilty, 1):
        name = label(Token(token.content))
        yield Finding(
            Severity.REFUSAL,
            f"The token {name!r} holds the letters {marker.decode()!r}, which also mark the end of a word: a file "
            f"could not tell them apart. Choose another marker text, such as {_free_marker(contents)!r}."
            if marker in token.content
            else f"Behind the token {name!r} the marker {marker.decode()!r} could begin one letter sooner. Choose "
            f"another marker text, such as {_free_marker(contents)!r}.",
        )


def _overlaps_itself(marker: bytes) -> bool:
    """Whether it can begin inside itself, as in `@@@`."""
    return any(marker.startswith(marker[start:]) for start in range(1, len(marker)))


def _before_end(token: Token, marker: bytes) -> bytes:
    """The spelling, without its last byte where the marker ends it."""
    return (token.content + marker)[:-1] if token.ends_word else token.content


def _tokens(recording: Recording, contents: Contents) -> Iterator[Token]:
    return chain(recording.alphabet.tokens.values(), contents.merged_tokens)


def _literal_prefixes(recording: Recording, contents: Contents) -> Iterator[Finding]:
    marker = recording.config.marker_text
    if b"\xff" + marker.encode() not in contents.joined:
        return
    for token in _tokens(recording, contents):
        if not token.continues and token.content.startswith(marker.encode()):
            yield Finding(
                Severity.REFUSAL,
                f"The token {label(Token(token.content))!r} begins with the letters {marker!r}, which also mark a "
                "token inside a word: a file could not tell them apart. Choose another marker text, such as "
                f"{_free_marker(contents, CONTINUING_MARKERS)!r}.",
            )
            return


def _literal_bytes(contents: Contents) -> Iterator[Finding]:
    for content in contents.merged:
        if len(content) == LONGEST_FALLBACK and FALLBACK.fullmatch(content):
            yield Finding(
                Severity.REFUSAL,
                f"The token {content.decode()!r}, made of letters of the text, would be spelled like a byte of an "
                "unknown character. Train with another way for unknown characters, or leave such text out.",
            )
            return


def _free_marker(contents: Contents, markers: tuple[str, ...] = MARKERS) -> str:
    return next((marker for marker in markers if marker.encode() not in contents.joined), "\U000f0000")
