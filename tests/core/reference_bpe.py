"""A slow, plain BPE to compare with: every step counts the whole corpus anew, every encoding is a scan.

It shares no code with core, so that a mistake has to be made twice to go unseen.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

Symbol = tuple[bytes, bool, bool]  # UTF-8 content, whether it ends the word, whether it goes on with one


class ReferenceMerge(NamedTuple):
    rank: int
    left: int
    right: int
    token_id: int
    count: int
    applied: int
    tied: int
    completed: int = 0
    score: float | None = None


def spell(word: str, base: str, marker: str) -> list[Symbol]:
    """The base symbols of a word."""
    units = [bytes([byte]) for byte in word.encode()] if base == "bytes" else [c.encode() for c in word]
    symbols = [(unit, False, marker == "continuing" and place > 0) for place, unit in enumerate(units)]
    if marker == "symbol":
        symbols.append((b"", True, False))
    elif marker == "suffix" and symbols:
        symbols[-1] = (symbols[-1][0], True, False)
    return symbols


def start_symbols(words: Sequence[str], base: str, marker: str, byte_order: str, complete: bool) -> list[Symbol]:
    """The base symbols in id order, without special tokens."""
    if base == "bytes":
        values = list(range(256))
        if byte_order == "stand-in":
            printable = [v for v in values if 33 <= v <= 126 or 161 <= v <= 172 or 174 <= v <= 255]
            values = printable + [v for v in values if v not in printable]
        symbols = [(bytes([value]), False, False) for value in values]
    else:
        letters = sorted({letter for word in words for letter in word})
        symbols = [(letter.encode(), False, False) for letter in letters]
        if marker == "suffix":
            last = letters if complete else sorted({word[-1] for word in words if word})
            symbols += [(letter.encode(), True, False) for letter in last]
        if marker == "continuing":
            later = letters if complete else sorted({letter for word in words for letter in word[1:]})
            symbols += [(letter.encode(), False, True) for letter in later]
    return [*symbols, (b"", True, False)] if marker == "symbol" else symbols


@dataclass
class ReferenceTrainer:
    """Words as lists of ids, counted from the start for every merge."""

    words: list[list[int]]
    weights: list[int]
    symbols: list[Symbol]
    base: str
    tie_break: str
    marker_text: str = "</w>"
    score: str = "frequency"
    longest: int | None = None
    min_frequency: int = 1
    forbidden: Sequence[tuple[int, int]] = ()

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
        while scores := self.scores():
            top = max(scores.values())
            candidates = [pair for pair, score in scores.items() if score == top]
            yield self.merge(self._pick(candidates), rank, len(candidates))
            rank += 1

    def merge(self, pair: tuple[int, int], rank: int, tied: int = 1) -> ReferenceMerge:
        left, right = pair
        count, score = self.pair_counts()[pair], self.scores().get(pair)
        before, whole, token_id = self.length(), self.whole_words(), len(self.symbols)
        (a, _, continues), (b, final, _) = self.symbols[left], self.symbols[right]
        self.symbols.append((a + b, final, continues))
        self.words = [replace(word, left, right, token_id) for word in self.words]
        applied, completed = before - self.length(), self.whole_words() - whole
        shown = float(score) if self.score == "wordpiece" else None
        return ReferenceMerge(rank, left, right, token_id, count, applied, tied, completed, shown)

    def scores(self) -> dict[tuple[int, int], Fraction]:
        """Of the pairs that may be merged, in order of first appearance."""
        allowed = {pair: count for pair, count in self.pair_counts().items() if self._may_merge(pair, count)}
        if self.score == "frequency":
            return {pair: Fraction(count) for pair, count in allowed.items()}
        of = Counter[int]()
        for word, weight in zip(self.words, self.weights, strict=True):
            for token in word:
                of[token] += weight
        return {(a, b): Fraction(count, of[a] * of[b]) for (a, b), count in allowed.items()}

    def whole_words(self) -> int:
        return sum(weight for word, weight in zip(self.words, self.weights, strict=True) if len(word) == 1)

    def _may_merge(self, pair: tuple[int, int], count: int) -> bool:
        content = self.symbols[pair[0]][0] + self.symbols[pair[1]][0]
        length = len(content.decode()) if self.base == "characters" else len(content)
        is_short = self.longest is None or length <= self.longest
        return is_short and count >= self.min_frequency and pair not in self.forbidden

    def _pick(self, candidates: list[tuple[int, int]]) -> tuple[int, int]:
        if self.tie_break == "ids":
            return min(candidates)
        if self.tie_break == "bytes":
            return min(candidates, key=lambda pair: (self._byte_first(pair[0]), self._byte_first(pair[1]), pair))
        if self.tie_break == "first_seen":
            return candidates[0]
        if self.tie_break == "short_then_string":
            return min(candidates, key=lambda pair: (*self._length_and_bytes(pair), pair))
        spelled = {pair: (self._string(pair[0]), self._string(pair[1])) for pair in candidates}
        best = min(spelled.values()) if self.tie_break == "lexicographic" else max(spelled.values())
        return min(pair for pair in candidates if spelled[pair] == best)

    def _byte_first(self, token_id: int) -> int:
        content = self.symbols[token_id][0]
        return content[0] if len(content) == 1 and token_id < self.base_size else 256 + token_id

    def _string(self, token_id: int) -> str:
        content, final, continues = self.symbols[token_id]
        text = content.decode() if self.base == "characters" else content.decode("latin-1")
        return self.marker_text * continues + text + self.marker_text * final

    def _length_and_bytes(self, pair: tuple[int, int]) -> tuple[int, bytes]:
        (a, _, continues), (b, final, _) = self.symbols[pair[0]], self.symbols[pair[1]]
        marker = self.marker_text.encode()
        text = marker * continues + a + b + marker * final
        return len(text.decode("utf-8", "surrogateescape")), text  # bytes that are no character count as one each

    def __post_init__(self) -> None:
        self.base_size = len(self.symbols)


def reference_trainer(
    word_counts: Mapping[str, int],
    base: str = "characters",
    marker: str = "none",
    byte_order: str = "stand-in",
    tie_break: str = "ids",
    complete: bool = True,
    **options: Any,
) -> ReferenceTrainer:
    symbols = start_symbols(list(word_counts), base, marker, byte_order, complete)
    ids = {symbol: i for i, symbol in enumerate(symbols)}
    words = [[ids[symbol] for symbol in spell(word, base, marker)] for word in word_counts]
    return ReferenceTrainer(words, list(word_counts.values()), symbols, base, tie_break, **options)


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
