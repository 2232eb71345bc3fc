"""How tokens are shown to a person: every byte visible, nothing mistaken for something else."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from core.alphabet import MARKER_TEXT, Marker, Token
from core.merge import Merge
from core.recording import Recording

SPACE, TAB, NEWLINE, CARRIAGE_RETURN = "␣", "⇥", "⏎", "␍"
_UNSEEN = regex.compile(r"[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]")  # U+2800 is braille without a dot
_NAMED = {" ": SPACE, "\t": TAB, "\n": NEWLINE, "\r": CARRIAGE_RETURN}
_OWN_SIGNS = frozenset("␣⇥⏎␍⟨⟩◌")  # where a text holds one itself it is shown as hex

MAX_LABEL_BYTES = 400
MAX_WAYS = 5
MAX_HEX_BYTES = 100
"""Of a longer token the ends are shown: 25 merges of "aaaa..." make one of 32 million bytes."""


def label(token: Token, marker_text: str = MARKER_TEXT) -> str:
    """One line that names the token: `␣the`, `⏎⏎`, `⟨E4 B8⟩`, `low</w>`.

    Control, format and other unseen characters and bytes that are not UTF-8 appear as hex between ⟨ and ⟩. So does what
    could be mistaken for a sign of this function: letters `</w>` in the text are shown as `⟨3C⟩/w>`, unless there is no
    marker at all (`marker_text` "").
    """
    if token.is_fallback:
        return token.text().decode()
    if marker_text and marker_text.encode() in token.content:
        disguised = f"⟨{hex_bytes(marker_text[0].encode())}⟩{marker_text[1:]}"
        text = disguised.join(_label(part) for part in token.content.split(marker_text.encode()))
    else:
        text = _label(token.content)
    text = marker_text + text if token.continues else text
    return text + marker_text if token.ends_word else text


def _label(content: bytes) -> str:
    text, seat = "", False  # whether the last character is shown as itself
    for piece in decoded_pieces(content):
        shown = _shown(piece)
        # a combining mark needs something to sit on
        text += shown if seat or not _is_mark(shown) else f"◌{shown}"
        seat = shown == piece
    return text


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
    """False for what leaves no mark of its own, or moves its neighbours: spaces, controls, bidi signs, fillers."""
    return character == " " or not _UNSEEN.match(character)


def hex_bytes(content: bytes) -> str:
    """`E4 B8 AD`; of a long token the first and the last ones."""
    if len(content) > MAX_HEX_BYTES:
        return f"{hex_bytes(content[: MAX_HEX_BYTES // 2])} … {hex_bytes(content[-MAX_HEX_BYTES // 2 :])}"
    return content.hex(" ").upper()


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """What a person may want to know of one token at one step. Labels are those of `label`.

    `rank` and `parts` (labels of left and right) are None for a base symbol or special token; `count` is how often
    the token stands in the corpus at that step, None when the recording has no counts; `ways` is how many merges make
    it, of which `rank` is the first.
    """

    token_id: int
    label: str
    hex_bytes: str
    kind: str
    rank: int | None
    parts: tuple[str, str] | None
    count: int | None
    ways: int = 1

    @property
    def bytes_line(self) -> str:
        """`byte 43 (hex)` or `bytes E4 B8 AD (hex)`; nothing for an end-of-word marker that is a token of its own."""
        return bytes_line(self.hex_bytes)

    @property
    def count_line(self) -> str:
        """`12 times in the corpus`, or nothing when the recording has no counts."""
        return "" if self.count is None else f"{_times(self.count)} in the corpus"


def bytes_line(hex_digits: str) -> str:
    """What is said of bytes written by `hex_bytes`."""
    return f"{'bytes' if ' ' in hex_digits else 'byte'} {hex_digits} (hex)" if hex_digits else ""


def facts(recording: Recording, token_id: int, step: int) -> TokenFacts:
    """Raises KeyError for an id that no token has."""
    token = recording.token(token_id)
    rank, pair = recording.rank_of_token(token_id), recording.parts_of(token_id)
    is_base = token_id in recording.alphabet.tokens
    base_kind = "special token" if token.special else "base symbol" if is_base else "token that no merge makes"
    return TokenFacts(
        token_id,
        token_label(recording, token_id),
        hex_bytes(token.content),
        base_kind if rank is None else "merged token",
        rank,
        None if pair is None else (token_label(recording, pair[0]), token_label(recording, pair[1])),
        recording.token_count(token_id, step) if recording.has_counts else None,
        len(recording.index.ranks_making(token_id)),
    )


def ways_lines(recording: Recording, token_id: int) -> list[str]:
    """Every merge that makes the token, a line each, where more than one does: `rank 356: ␣ + ch → ␣ch`."""
    ranks = recording.index.ranks_making(token_id)
    if len(ranks) < 2:
        return []
    lines = [f"rank {rank:,}: {merge_text(recording, recording[rank])}" for rank in ranks[:MAX_WAYS]]
    more = len(ranks) - MAX_WAYS
    return [*lines, f"and {more:,} more ways"] if more > 0 else lines


def shown_marker(recording: Recording) -> str:
    """The text of the marker that labels of this recording show; "" without one. ▁ is a character like others."""
    has_marker = recording.alphabet.marker not in (Marker.NONE, Marker.METASPACE)
    return recording.config.marker_text if has_marker else ""


def token_label(recording: Recording, token_id: int) -> str:
    """`label` of a token of this recording; of a long token both ends, with `…` between them."""
    token, marker_text = recording.token(token_id), shown_marker(recording)
    if len(token.content) <= MAX_LABEL_BYTES:
        return label(token, marker_text)
    first, last = _ends(token.content, MAX_LABEL_BYTES // 2)
    start, end = Token(first, continues=token.continues), Token(last, token.ends_word)
    return f"{label(start, marker_text)}…{label(end, marker_text)}"


def _ends(content: bytes, size: int) -> tuple[bytes, bytes]:
    """The first and the last bytes, about `size` each; no character is cut."""
    stop, start = size, len(content) - size
    while _continues(content[stop]) and stop > size - 3:
        stop -= 1
    while _continues(content[start]) and start < len(content) - size + 3:
        start += 1
    return content[:stop], content[start:]


def _continues(byte: int) -> bool:
    """Whether it stands inside a UTF-8 character, not at its start."""
    return byte & 0xC0 == 0x80


def step_title_parts(recording: Recording, step: int) -> tuple[str, str, str]:
    """How a step is named everywhere: `step 1,234 of 32,000 (rank 1,233): `, `th + e → the`, `, 5,321 times`.

    The tokens in the middle may be shortened where there is little room.
    """
    title = f"step {step:,} of {len(recording):,}"
    if step == 0:
        return f"{title}: ", "base symbols, no merge yet", ""
    merge = recording[step - 1]
    times = f", {_times(merge.count)}" if recording.has_counts else ""
    return f"{title} (rank {merge.rank:,}): ", merge_text(recording, merge), times


def merge_text(recording: Recording, merge: Merge) -> str:
    """`th + e → the`"""
    left, right, made = (token_label(recording, i) for i in (merge.left, merge.right, merge.token_id))
    return f"{left} + {right} → {made}"


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count:,} times"


def _shown(piece: str | bytes) -> str:
    if isinstance(piece, bytes):
        return f"⟨{hex_bytes(piece)}⟩"
    if piece in _NAMED:
        return _NAMED[piece]
    return piece if is_visible(piece) and piece not in _OWN_SIGNS else f"⟨{hex_bytes(piece.encode())}⟩"


def _is_mark(shown: str) -> bool:
    return len(shown) == 1 and unicodedata.category(shown).startswith("M")
