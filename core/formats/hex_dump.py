"""Shows the beginning of a file that is no text: bytes in hex, and the characters among them beside these."""

from collections.abc import Iterator

from core.vocab import decoded_pieces, is_visible

ROW_BYTES = 16
UNSEEN = "·"


def hex_dump(data: bytes) -> Iterator[str]:
    """Lines such as `00000010  0A 03 E2 96 81 …  ··▁·`; a character stands in the row that its first byte is in."""
    shown = _characters(data)
    for start in range(0, len(data), ROW_BYTES):
        row = data[start : start + ROW_BYTES]
        text = "".join(shown[start : start + ROW_BYTES])
        yield f"{start:08X}  {row.hex(' ').upper():{3 * ROW_BYTES}} {text}\n"


def _characters(data: bytes) -> list[str]:
    """For each byte the character that begins there; "" where one goes on."""
    shown = list[str]()
    for piece in decoded_pieces(data):
        if isinstance(piece, bytes):
            shown += [UNSEEN] * len(piece)
        else:
            shown += [piece if is_visible(piece) else UNSEEN, *[""] * (len(piece.encode()) - 1)]
    return shown
