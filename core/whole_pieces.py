"""Words that are tokens as they stand, for tools that look for these before they merge anything."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.utf8 import utf8

if TYPE_CHECKING:
    from core.recording import Recording


class WholePieces:
    """The tokens of a recording by their bytes, and the step from which on each is there. Of a complete recording.

    Llama 3 has 588 tokens that no merge makes: only so can a text hold them.
    """

    def __init__(self, recording: "Recording") -> None:
        self._tokens: dict[bytes, tuple[int, int]] = {}
        for token_id, step in _first_steps(recording):
            token = recording.token(token_id)
            if not (token.special or token.is_fallback or token.ends_word or token.continues):
                self._tokens.setdefault(token.content, (token_id, step))

    def at(self, word: str, step: int) -> int | None:
        """The token that is spelled like the word and there after `step` merges."""
        token_id, first_step = self._tokens.get(utf8(word), (None, 0))
        return token_id if first_step <= step else None


def _first_steps(recording: "Recording") -> Iterator[tuple[int, int]]:
    """Every token by id, and the first step at which it is there."""
    steps = dict.fromkeys(recording.alphabet.tokens, 0) | dict(recording.orphans)
    for merge in recording:
        steps.setdefault(merge.token_id, merge.rank + 1)
    yield from sorted(steps.items())
