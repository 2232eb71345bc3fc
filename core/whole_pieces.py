"""Words that are tokens as they stand, for tools that look for these before they merge anything."""

from typing import TYPE_CHECKING

from core.utf8 import utf8

if TYPE_CHECKING:
    from core.recording import Recording


class WholePieces:
    """The tokens of a recording by their bytes, and the step from which on each is there. Of a complete recording.

    A token that no merge makes (Llama 3 has 588) is there as soon as all merges that make tokens of lower id apply, as
    if it had been made in the order of ids.
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


def _first_steps(recording: "Recording") -> list[tuple[int, int]]:
    """Every token by id, and the first step at which it is there."""
    steps = dict.fromkeys(recording.alphabet.tokens, 0)
    for merge in recording:
        steps.setdefault(merge.token_id, merge.rank + 1)
    latest, found = 0, list[tuple[int, int]]()
    for token_id in sorted({*steps, *recording.vocabulary}):
        latest = max(latest, steps.get(token_id, latest))
        found.append((token_id, steps.get(token_id, latest)))
    return found
