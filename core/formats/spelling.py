"""How tokens are spelled in other tools' files, and what makes two of them look the same there."""

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


def spelled(token: Token, base: Base, marker_text: str) -> str:
    """`Ġthe` for the bytes of ` the`, `low</w>` for an end of word; a special token is its own text."""
    if token.special:
        return token.content.decode()
    if base is Base.BYTES:
        return token.content.decode("latin-1").translate(STAND_INS)
    return token.content.decode() + marker_text if token.ends_word else token.content.decode()


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

    @classmethod
    def of(cls, recording: Recording, step: int) -> "Contents":
        base = [token.content for token in recording.alphabet.tokens.values()]
        merged = islice(recording.tokens_at(step), len(base), None)
        return cls(base, [token.content for _, token in merged])

    @cached_property
    def joined(self) -> bytes:
        """All of them in a row, a byte that is in no text between."""
        return b"\xff".join(chain(self.base, self.merged))

    def starting(self, start: bytes) -> bool:
        """Whether a merged token begins so."""
        return start in self.joined and any(content.startswith(start) for content in self.merged)


def same_spelling(recording: Recording, contents: Contents) -> Iterator[Finding]:
    """Refusals for tokens that cannot be told apart once they are written down."""
    yield from _specials_like_tokens(recording, contents)
    if recording.alphabet.marker is Marker.SUFFIX:
        yield from _literal_markers(recording, contents)


def _specials_like_tokens(recording: Recording, contents: Contents) -> Iterator[Finding]:
    base = recording.alphabet.base
    symbols = {token.content for token in recording.alphabet.tokens.values() if not token.special}
    for text in recording.alphabet.special_ids:
        content = bytes_of(text) if base is Base.BYTES else text.encode()
        if content is not None and (content in symbols or content in contents.merged):
            yield Finding(
                Severity.REFUSAL,
                f"The special token {text!r} would be spelled like the ordinary token {label(Token(content))!r}, "
                "and a file cannot hold both. Train with another special token.",
            )
        if base is Base.BYTES and len(text.encode()) == 1 and text not in BYTE_OF_STAND_IN:
            yield Finding(
                Severity.REFUSAL,
                f"The special token {text!r} is also the byte {text.encode().hex().upper()}, which files spell "
                f"{STAND_INS[ord(text)]!r}. Train with another special token.",
            )


def _literal_markers(recording: Recording, contents: Contents) -> Iterator[Finding]:
    """The text itself spells the marker. Even where no two tokens collide, decoders would make a space of it."""
    marker = recording.config.marker_text
    if marker.encode() in contents.joined:
        guilty = next(content for content in chain(contents.base, contents.merged) if marker.encode() in content)
        yield Finding(
            Severity.REFUSAL,
            f"The token {label(Token(guilty))!r} holds the letters {marker!r}, which also mark the end of a word: "
            f"a file could not tell them apart. Choose another marker text, such as {_free_marker(contents)!r}.",
        )


def _free_marker(contents: Contents) -> str:
    return next((marker for marker in MARKERS if marker.encode() not in contents.joined), "\U000f0000")
