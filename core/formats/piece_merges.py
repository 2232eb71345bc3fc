"""The merges of a vocabulary of characters whose tokens have scores: SentencePiece's, and those of GGUF files.

Each piece, cut by the pieces of higher score, falls into the two parts that it was made of. Where it does not, any two
pieces that spell it make a merge: the library joins all neighbours that spell a piece.
"""

from collections.abc import Generator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from core.progress import Progress

PIECES_PER_SLICE = 1 << 9

Scored = tuple[float, int, str]
"""Score, id and text of a piece."""
IdMerge = tuple[int, int, int]


class PieceMerges:
    """The merges in the order of scores; `tied` are the ranks of those whose score is that of the one before."""

    def __init__(self, pieces: Sequence[Scored]) -> None:
        self._ids = {text: token_id for _, token_id, text in pieces}
        self._pieces = sorted(
            ((score, token_id, text) for score, token_id, text in pieces if len(text) > 1),
            key=lambda piece: (-piece[0], len(piece[2]), piece[1]),
        )
        self._made: dict[tuple[int, int], tuple[float, int]] = {}
        """By the pair that makes it: minus the score of a piece, and its id."""
        self.merges: list[IdMerge] = []
        self.tied: set[int] = set()
        self.is_natural: list[bool] = []
        """Of each merge, whether the piece falls into these parts by itself."""

    def find(self) -> Generator[Progress, None, None]:
        last: float | None = None
        for number, (score, token_id, text) in enumerate(self._pieces):
            parts = self._natural_parts(score, text)
            is_natural = parts is not None
            if parts := parts or self._any_parts(text):
                self.is_natural.append(is_natural)
                if score == last:
                    self.tied.add(len(self.merges))
                last = score
                self.merges.append((*parts, token_id))
                self._made[parts] = (-score, token_id)
            if number % PIECES_PER_SLICE == 0:
                yield Progress(number, len(self._pieces))

    def _natural_parts(self, score: float, text: str) -> tuple[int, int] | None:
        symbols = [self._ids.get(char, -1) for char in text]
        parts = cut(symbols, self._made, -score)
        if len(parts) == 2 and -1 not in parts:
            return parts[0], parts[1]
        return None

    def _any_parts(self, text: str) -> tuple[int, int] | None:
        for place in range(1, len(text)):
            left, right = self._ids.get(text[:place]), self._ids.get(text[place:])
            if left is not None and right is not None:
                return left, right
        return None


def cut(symbols: Sequence[int], made: Mapping[tuple[int, int], tuple[float, int]], limit: float) -> list[int]:
    """The tokens that symbols become by the pairs in `made`, which have their order with them, below `limit`."""
    current, end = list(symbols), len(symbols)
    waiting = [(found[0], left, found[1]) for left, pair in enumerate(pairwise(symbols)) if (found := made.get(pair))]
    heapify(waiting)
    following, preceding = list(range(1, end + 1)), list(range(-1, end - 1))
    while waiting and waiting[0][0] < limit:
        order, left, token_id = heappop(waiting)
        right = following[left]
        if current[left] < 0 or right >= end or made.get((current[left], current[right])) != (order, token_id):
            continue
        current[left], current[right] = token_id, -2
        following[left] = after = following[right]
        if after < end:
            preceding[after] = left
            if found := made.get((token_id, current[after])):
                heappush(waiting, (found[0], left, found[1]))
        if (before := preceding[left]) >= 0 and (found := made.get((current[before], token_id))):
            heappush(waiting, (found[0], before, found[1]))
    return [token_id for token_id in current if token_id != -2]
