"""Words that are tokens as they stand, for tools that look for these before they merge anything."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core import kernel_loader
from core.alphabet import Base, Marker
from core.merge import UNKNOWN

if TYPE_CHECKING:
    from core.recording import Recording

MAX_PLAIN_MERGES = 20_000
"""Of a recording that is looked through in plain Python, which takes half a second."""


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

    def at(self, content: bytes, step: int) -> int | None:
        """The token of this content that is there after `step` merges."""
        token_id, first_step = self._tokens.get(content, (None, 0))
        return token_id if first_step <= step else None

    def up_to(self, step: int) -> dict[bytes, int]:
        """All of them, by their bytes."""
        return {content: token_id for content, (token_id, first_step) in self._tokens.items() if first_step <= step}


def merges_to_itself(recording: "Recording") -> bool:
    """Whether every token of a monotone recording is merged to itself where it is a word, and none has no merge.

    False where compiled loops are not ready and plain Python would take too long, or where words have markers.
    """
    if recording.orphans or recording.alphabet.marker not in (Marker.NONE, Marker.METASPACE):
        return False
    if len(recording) > MAX_PLAIN_MERGES and not kernel_loader.are_ready():
        return False
    if kernel_loader.are_ready():
        from core.compiled_encoder import unmerged_tokens

        return not unmerged_tokens(recording)
    tokens = recording.tokens_as_words(len(recording))
    return all(_merged(recording, content) == [token_id] for content, token_id in tokens.items() if content)


def merges_make_their_tokens(recording: "Recording") -> bool:
    """The same of the tokens alone that some merge makes: then merge ranks and token ranks give the same tokens."""
    if not recording.is_monotone or recording.alphabet.marker not in (Marker.NONE, Marker.METASPACE):
        return False
    made = {recording.token(merge.token_id).content: merge.token_id for merge in recording}
    if kernel_loader.are_ready():
        from core.compiled_encoder import unmerged_tokens

        return made.keys().isdisjoint(unmerged_tokens(recording))
    is_small = len(recording) <= MAX_PLAIN_MERGES
    return is_small and all(_merged(recording, content) == [token_id] for content, token_id in made.items())


def _merged(recording: "Recording", content: bytes) -> list[int]:
    from core.encoders import merge_ranks  # which imports this module

    inner, is_bytes = recording.alphabet.inner, recording.alphabet.base is Base.BYTES
    symbols = [inner.get(unit, UNKNOWN) for unit in (content if is_bytes else content.decode())]
    latest = dict[int, int]()
    for rank, boundary in merge_ranks(recording, symbols, len(recording)):
        latest[boundary] = rank
    if len(latest) < len(symbols) - 1:
        return symbols
    return [recording[max(latest.values())].token_id] if latest else symbols


def _first_steps(recording: "Recording") -> Iterator[tuple[int, int]]:
    """Every token by id, and the first step at which it is there."""
    steps = {token_id: rank + 1 for token_id, rank in recording.first_ranks.items()}
    yield from sorted({**steps, **recording.orphans, **dict.fromkeys(recording.alphabet.tokens, 0)}.items())
