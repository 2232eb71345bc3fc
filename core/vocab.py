"""How tokens are shown to a person: every byte visible, nothing mistaken for something else."""

import unicodedata
from collections.abc import Iterator

from core.alphabet import MARKER_TEXT, Token

SPACE, TAB, NEWLINE, CARRIAGE_RETURN = "␣", "⇥", "⏎", "␍"
_NAMED = {" ": SPACE, "\t": TAB, "\n": NEWLINE, "\r": CARRIAGE_RETURN}


def label(token: Token, marker_text: str = MARKER_TEXT) -> str:
    """One line that names the token: `␣the`, `⏎⏎`, `⟨E4 B8⟩`, `low</w>`.

    Control, format and other unseen characters and bytes that are not UTF-8 appear as hex between ⟨ and ⟩.
    """
    text = "".join(_shown(piece) for piece in decoded_pieces(token.content))
    return text + marker_text if token.ends_word else text


def decoded_pieces(content: bytes) -> Iterator[str | bytes]:
    """Cut bytes into characters, and runs of bytes that are not a whole UTF-8 character."""
    place = 0
    while place < len(content):
        try:
            yield from content[place:].decode()
            return
        except UnicodeDecodeError as error:
            yield from content[place : place + error.start].decode()
            yield content[place + error.start : place + error.end]
            place += error.end


def is_visible(character: str) -> bool:
    """False for what leaves no mark of its own, or moves its neighbours: spaces, controls, bidi and format signs."""
    return character == " " or unicodedata.category(character)[0] not in "CZ"


def hex_bytes(content: bytes) -> str:
    """`E4 B8 AD`"""
    return content.hex(" ").upper()


def _shown(piece: str | bytes) -> str:
    if isinstance(piece, bytes):
        return f"⟨{hex_bytes(piece)}⟩"
    if piece in _NAMED:
        return _NAMED[piece]
    if is_visible(piece):
        # a combining mark needs something to sit on
        return f"◌{piece}" if unicodedata.combining(piece) else piece
    return f"⟨{hex_bytes(piece.encode())}⟩"
