"""What is said of a token of a text: one line for the status line and screen readers, a few for the tooltip."""

import unicodedata
from html import escape

from core.merge import UNKNOWN
from core.segmentation import GAP, Segment, Segmenter
from core.vocab import TokenFacts, facts, hex_bytes

MAX_LABEL_CHARS = 60


def line(segmenter: Segmenter, segment: Segment, step: int) -> str:
    """`the  ·  id 262  ·  bytes 74 68 65 (hex)  ·  rank 5: th + e  ·  5,321 times in the corpus`"""
    return "  ·  ".join(_sentences(segmenter, segment, step))


def tooltip(segmenter: Segmenter, segment: Segment, step: int) -> str:
    """The same on several lines, as rich text that shows markup in a token as it is."""
    first, *others = (escape(sentence) for sentence in _sentences(segmenter, segment, step))
    return f"<p style='white-space:pre'><b>{first}</b><br>" + "<br>".join(others) + "</p>"


def _sentences(segmenter: Segmenter, segment: Segment, step: int) -> list[str]:
    if segment.token_id == GAP:
        return ["Not in any token", "the pre-tokenizer leaves this out"]
    if segment.token_id == UNKNOWN:
        return [_character(segmenter.text[segment.start]), "not in the alphabet: no token covers it"]
    token = facts(segmenter.recording, segment.token_id, step)
    known = [f"id {token.token_id:,}", token.bytes_line, _origin(token), token.count_line]
    return [_shortened(sentence) for sentence in (token.label, *known) if sentence] + _shared(segmenter, segment)


def _origin(token: TokenFacts) -> str:
    if token.rank is None or token.parts is None:
        return token.kind
    left, right = map(_shortened, token.parts)
    ways = f", one of {token.ways:,} ways" if token.ways > 1 else ""
    return f"rank {token.rank:,}: {left} + {right}{ways}"


def _shared(segmenter: Segmenter, segment: Segment) -> list[str]:
    """The characters that the token has a part of only, with all their bytes."""
    indexes = [segment.start] if segment.lead else []
    if segment.trail and segment.end - 1 not in indexes:
        indexes.append(segment.end - 1)
    return [f"part of {_character(segmenter.text[index])}" for index in indexes]


def _character(character: str) -> str:
    """`中 U+4E2D (E4 B8 AD)`; the name for what has no look of its own."""
    shown = character if unicodedata.category(character)[0] not in "CZM" else unicodedata.name(character, "")
    return f"{shown} U+{ord(character):04X} ({hex_bytes(character.encode())})".lstrip()


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_LABEL_CHARS else f"{text[: MAX_LABEL_CHARS - 1]}…"
