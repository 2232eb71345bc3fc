"""Tokens that are looked for in a text before anything else is done with it, each with its own conditions.

Source: the added tokens of Hugging Face's tokenizers (`AddedVocabulary`), where every special token is one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

_WORD = regex.compile(r"\w")
_SPACE_BEFORE, _SPACE_BEHIND = regex.compile(r"(?r)\s*"), regex.compile(r"\s*")


@dataclass(frozen=True)
class AddedToken:
    """`special` ones may be taken as text if the user wants so; others never.

    `lstrip` and `rstrip` take in the white space before and behind it. A `single_word` has no letter, digit, mark or
    `_` beside it. `normalized` ones are looked for in the normalized text, the others before; they are normalized
    themselves for that, but not what is `as_spelled`, SentencePiece's user-defined pieces.
    """

    content: str
    token_id: int
    special: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    as_spelled: bool = False

    @property
    def is_plain(self) -> bool:
        return not (self.single_word or self.lstrip or self.rstrip or self.normalized)


class AddedMatch(NamedTuple):
    """The characters `start` to `end` (half-open) of a text are an added token."""

    start: int
    end: int
    token: AddedToken


class AddedTokens:
    """Finds some added tokens in texts: where they overlap, the leftmost longest."""

    def __init__(self, tokens: Sequence[AddedToken]) -> None:
        self._tokens = {token.content: token for token in tokens if token.content}
        longest_first = sorted(self._tokens, key=len, reverse=True)
        self._found = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def __bool__(self) -> bool:
        return self._found is not None

    def matches(self, text: str) -> Iterator[AddedMatch]:
        """In order; none overlaps another."""
        if self._found is None:
            return
        behind = 0
        for match in self._found.finditer(text):
            token, (start, end) = self._tokens[match[0]], match.span()
            if token.single_word and (_ends_with_word(text, start) or _WORD.match(text, end)):
                continue
            if token.lstrip:
                start = _space_before(text, start)
            if token.rstrip:
                end = _space_behind(text, end)
            yield AddedMatch(max(start, behind), end, token)
            behind = end


def _space_before(text: str, end: int) -> int:
    """Where the white space before a place begins."""
    match = _SPACE_BEFORE.match(text, 0, end)
    return match.start() if match else end


def _space_behind(text: str, start: int) -> int:
    """Where the white space behind a place ends."""
    match = _SPACE_BEHIND.match(text, start)
    return match.end() if match else start


def _ends_with_word(text: str, end: int) -> bool:
    return end > 0 and _WORD.match(text[end - 1]) is not None
