"""Special tokens in a text: where they stand, and what their text means there."""

import re
from collections.abc import Collection, Iterator
from enum import StrEnum

from core.errors import BpeError


class Specials(StrEnum):
    """What a special token's text means where it stands in a text to encode, or in a corpus."""

    MATCH = "match"
    """It is the special token (Hugging Face)."""
    AS_TEXT = "as-text"
    """It is text like any other (SentencePiece, subword-nmt; in a corpus Hugging Face too)."""
    REFUSE = "refuse"
    """It is a mistake (tiktoken)."""


class SpecialTokenError(BpeError):
    """A text holds the text of a special token; `position` is its place in characters."""

    def __init__(self, token: str, position: int, what: str = "text", remedy: str = "Encode") -> None:
        super().__init__(
            f"The {what} holds the special token {token!r} at character {position + 1:,}. {remedy} special tokens as "
            "tokens or as plain text, or take it out."
        )
        self.token = token
        self.position = position


def special_matches(text: str, specials: Collection[str]) -> Iterator[re.Match[str]]:
    """Where special tokens stand; where they overlap the leftmost longest wins."""
    if not specials:
        return iter(())
    alternatives = "|".join(re.escape(special) for special in sorted(specials, key=len, reverse=True))
    return re.finditer(alternatives, text)  # regex takes minutes to compile "x" * 6_000
