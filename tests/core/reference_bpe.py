"""A slow, plain BPE to compare with: every step counts the whole corpus anew, every encoding is a scan.

It shares no code with core, so that a mistake has to be made twice to go unseen.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

Symbol = tuple[bytes, bool]  # UTF-8 content, whether it ends the word


class ReferenceMerge(NamedTuple):
    rank: int
    left: int
    right: int
    token_id: int
    count: int
    applied: int
    tied: int


def spell(word: str, base: str, marker: str) -> list[Symbol]:
    """The base symbols of a word."""
    units = [bytes([byte]) for byte in word.encode()] if base == "bytes" else [c.encode() for c in word]
    symbols = [(unit, False) for unit in units]
    if marker == "symbol":
        symbols.append((b"", True))
    elif marker == "suffix" and symbols:
        symbols[-1] = (symbols[-1][0], True)
    return symbols


def start_symbols(words: Sequence[str], base: str, marker: str, byte_order: str, complete: bool) -> list[Symbol]:
    """The base symbols in id order, without special tokens."""
    if base == "bytes":
        values = list(range(256))
        if byte_order == "stand-in":
            printable = [v for v in values if 33 <= v <= 126 or 161 <= v <= 172 or 174 <= v <= 255]
            values = printable + [v for v in values if v not in printable]
        symbols = [(bytes([value]), False) for value in values]
    else:
        letters = sorted({letter for word in words for letter in word})
        symbols = [(letter.encode(), False) for letter in letters]
        if marker == "suffix":
            last = letters if complete else sorted({word[-1] for word in words if word})
            symbols += [(letter.encode(), True) for letter in last]
    return [*symbols, (b"", True)] if marker == "symbol" else symbols


@dataclass
class ReferenceTrainer:
    """Words as lists of ids, counted from the start for every merge."""

    words: list[list[int]]
    weights: list[int]
    symbols: list[Symbol]
    base: str
    tie_break: str
    marker_text: str = "</w>"

    def pair_counts(self) -> Counter[tuple[int, int]]:
        """In order of first appearance."""
        counts: Counter[tuple[int, int]] = Counter()
        for word, weight in zip(self.words, self.weights, strict=True):
            for pair in pairwise(word):
                counts[pair] += weight
        return counts

    def length(self) -> int:
        return sum(len(word) * weight for word, weight in zip(self.words, self.weights, strict=True))

    def merges(self) -> Iterator[ReferenceMerge]:
        rank = 0
        while counts := self.pair_counts():
            top = max(counts.values())
            candidates = [pair for pair, count in counts.items() if count == top]
            left, right = self._pick(candidates)
            before, token_id = self.length(), len(self.symbols)
            (a, _), (b, final) = self.symbols[left], self.symbols[right]
            self.symbols.append((a + b, final))
            self.words = [replace(word, left, right, token_id) for word in self.words]
            yield ReferenceMerge(rank, left, right, token_id, top, before - self.length(), len(candidates))
            rank += 1

    def _pick(self, candidates: list[tuple[int, int]]) -> tuple[int, int]:
        if self.tie_break == "ids":
            return min(candidates)
        if self.tie_break == "bytes":
            return min(candidates, key=lambda pair: (self._byte_first(pair[0]), self._byte_first(pair[1]), pair))
        if self.tie_break == "first_seen":
            return candidates[0]
        spelled = {pair: (self._string(pair[0]), self._string(pair[1])) for pair in candidates}
        best = min(spelled.values()) if self.tie_break == "lexicographic" else max(spelled.values())
        return min(pair for pair in candidates if spelled[pair] == best)

    def _byte_first(self, token_id: int) -> int:
        content, _ = self.symbols[token_id]
        return content[0] if len(content) == 1 and token_id < self.base_size else 256 + token_id

    def _string(self, token_id: int) -> str:
        content, final = self.symbols[token_id]
        text = content.decode() if self.base == "characters" else content.decode("latin-1")
        return text + self.marker_text if final else text

    def __post_init__(self) -> None:
        self.base_size = len(self.symbols)


def reference_trainer(
    word_counts: Mapping[str, int],
    base: str = "characters",
    marker: str = "none",
    byte_order: str = "stand-in",
    tie_break: str = "ids",
    complete: bool = True,
) -> ReferenceTrainer:
    symbols = start_symbols(list(word_counts), base, marker, byte_order, complete)
    ids = {symbol: i for i, symbol in enumerate(symbols)}
    words = [[ids[symbol] for symbol in spell(word, base, marker)] for word in word_counts]
    return ReferenceTrainer(words, list(word_counts.values()), symbols, base, tie_break)


def replace(word: Sequence[int], left: int, right: int, token_id: int) -> list[int]:
    """`left` `right` becomes `token_id`, left to right, without overlap.

    >>> replace([1, 1, 1], 1, 1, 2)
    [2, 1]
    """
    result, i = list[int](), 0
    while i < len(word):
        if tuple(word[i : i + 2]) == (left, right):
            result.append(token_id)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return result


def reference_encode(symbols: Sequence[int], merges: Sequence[tuple[int, int, int]]) -> list[int]:
    """The lowest rank first, leftmost among equals, one place at a time; merges are (left, right, token id)."""
    tokens = list(symbols)
    ranks = {(left, right): (rank, token_id) for rank, (left, right, token_id) in enumerate(merges)}
    while True:
        places = [(*ranks[pair], place) for place, pair in enumerate(pairwise(tokens)) if pair in ranks]
        if not places:
            return tokens
        _, token_id, place = min(places, key=lambda found: (found[0], found[2]))
        tokens[place : place + 2] = [token_id]
