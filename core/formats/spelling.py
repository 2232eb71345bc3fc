"""How tokens are spelled in other tools' files, and what makes two of them look the same there."""

from collections.abc import Iterable, Iterator, Mapping

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


def vocabulary(recording: Recording, step: int, marker_text: str) -> dict[int, str]:
    """Spelling of every token after `step` merges, by rising id."""
    base = recording.alphabet.base
    return {i: spelled(token, base, marker_text) for i, token in sorted(recording.tokens_at(step), key=_first)}


def merge_spellings(recording: Recording, step: int, names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    for rank in range(step):
        left, right = recording[rank].pair
        yield names[left], names[right]


def bytes_of(spelling: str) -> bytes | None:
    """The bytes that a spelling in GPT-2's stand-ins is read as; None if it is no such spelling."""
    values = [BYTE_OF_STAND_IN.get(char) for char in spelling]
    return None if None in values else bytes(value for value in values if value is not None)


def contents(recording: Recording, step: int) -> list[bytes]:
    """The bytes of every token that is not special."""
    return [token.content for _, token in recording.tokens_at(step) if not token.special]


def same_spelling(recording: Recording, step: int) -> Iterator[Finding]:
    """Refusals for tokens that cannot be told apart once they are written down."""
    yield from _specials_like_tokens(recording, step)
    if recording.alphabet.marker is Marker.SUFFIX:
        yield from _literal_markers(recording, step)


def _specials_like_tokens(recording: Recording, step: int) -> Iterator[Finding]:
    specials, base = recording.alphabet.special_ids, recording.alphabet.base
    taken = set(contents(recording, step)) if specials else set[bytes]()
    for text in specials:
        content = bytes_of(text) if base is Base.BYTES else text.encode()
        if content in taken:
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


def _literal_markers(recording: Recording, step: int) -> Iterator[Finding]:
    """The text itself spells the marker. Even where no two tokens collide, decoders would make a space of it."""
    marker = recording.config.marker_text
    if not marker:
        yield Finding(Severity.REFUSAL, "The marker text is empty, so that ends of words would be lost in the file.")
        return
    everything = [token.content for _, token in recording.tokens_at(step)]
    guilty = next((content for content in everything if marker.encode() in content), None)
    if guilty is not None:
        yield Finding(
            Severity.REFUSAL,
            f"The token {label(Token(guilty))!r} holds the letters {marker!r}, which also mark the end of a word: "
            f"a file could not tell them apart. Choose another marker text, such as {_free_marker(everything)!r}.",
        )


def _free_marker(everything: Iterable[bytes]) -> str:
    joined = b"\n".join(everything)
    return next((marker for marker in MARKERS if marker.encode() not in joined), "\U000f0000")


def _first(item: tuple[int, Token]) -> int:
    return item[0]
