"""Words that hold tokens whose merges are as good as others, which compiled loops cannot tell apart; see EncodingRules.

SentencePiece gives one score to all tokens of nothing but spaces, so in Mistral's and Llama's models these are words
behind several spaces.
"""

import re

import numpy as np
from numpy.typing import NDArray

from core.encoders import Piece, encode
from core.encoding_rules import Encoder
from core.recording import Recording
from core.word_places import Words

MAX_REMEMBERED_BYTES = 1_000_000

Ids = NDArray[np.int32]
Places = NDArray[np.int64]


class TiedWords:
    """Finds such words among others, and encodes them one by one."""

    def __init__(self, recording: Recording, step: int) -> None:
        self._recording, self._step = recording, step
        self._found = re.compile(b"|".join(map(re.escape, _shortest(_contents(recording, step)))) or b"(?!)")
        self._known = dict[bytes, Ids]()
        self._remembered = 0

    def among(self, words: Words) -> list[int]:
        """The indices of words that may hold such a token; of one across two words both are named."""
        if not len(words.starts):
            return []
        first = int(words.starts[0])
        data = words.data[first : int(words.ends[-1])].tobytes()
        spans = np.array([match.span() for match in self._found.finditer(data)], np.int64).reshape(-1, 2) + first
        starts = np.searchsorted(words.starts, spans[:, 0], side="right") - 1
        ends = np.searchsorted(words.starts, spans[:, 1], side="left") - 1
        found: list[int] = np.unique(np.concatenate([starts, ends])).tolist()
        return found

    def holds(self, word: str) -> bool:
        return self._found.search(word.encode(errors="surrogatepass")) is not None

    def pieces(self, word: str) -> list[Piece]:
        symbols = self._recording.alphabet.symbols_of(word)
        return encode(self._recording, symbols, self._step, Encoder.TOKEN_RANK)

    def ids(self, words: Words, index: int) -> Ids:
        """Those of one word."""
        data = words.data[int(words.starts[index]) : int(words.ends[index])].tobytes()
        ids = self._known.get(data)
        if ids is None:
            pieces = self.pieces(data.decode(errors="surrogatepass"))
            ids = np.array([piece.token_id for piece in pieces], np.int32)
            self._remembered += len(data)
            if self._remembered > MAX_REMEMBERED_BYTES:
                self._known.clear()
                self._remembered = len(data)
            self._known[data] = ids
        return ids


def _contents(recording: Recording, step: int) -> list[bytes]:
    """What the tokens spell whose merges are equal to others."""
    ranks = {rank for tied in recording.rules.tied for rank in (tied - 1, tied) if rank < step}
    return [recording.token(recording[rank].token_id).content for rank in ranks]


def _shortest(contents: list[bytes]) -> list[bytes]:
    """Those that hold no other of them."""
    kept = list[bytes]()
    for content in sorted(contents, key=len):
        if not any(shorter in content for shorter in kept):
            kept.append(content)
    return kept
