"""Slow, plain encoders to compare with; they share no code with core.

Symbols are strings: the merges are (left, right) in rank order, and what they make is their concatenation.
"""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

Rules = Sequence[tuple[str, str]]


def merge_rank(symbols: Sequence[str], merges: Rules) -> list[str]:
    """The last listing of a pair counts."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    return _one_by_one(symbols, lambda left, right: ranks.get((left, right)))


def token_rank(symbols: Sequence[str], merges: Rules) -> list[str]:
    ranks: dict[str, int] = {}
    for rank, (left, right) in enumerate(merges):
        ranks.setdefault(left + right, rank)
    return _one_by_one(symbols, lambda left, right: ranks.get(left + right))


def _one_by_one(symbols: Sequence[str], rank_of: Callable[[str, str], int | None]) -> list[str]:
    tokens = list(symbols)
    while places := [(rank, i) for i, pair in enumerate(pairwise(tokens)) if (rank := rank_of(*pair)) is not None]:
        _, place = min(places)
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
    return tokens


def all_at_once(symbols: Sequence[str], merges: Rules) -> list[str]:
    """The first listing of a pair counts."""
    tokens = list(symbols)
    while possible := [merges.index(pair) for pair in pairwise(tokens) if pair in merges]:
        tokens = _everywhere(tokens, *merges[min(possible)])
    return tokens


def list_order(symbols: Sequence[str], merges: Rules) -> list[str]:
    tokens = list(symbols)
    for left, right in merges:
        tokens = _everywhere(tokens, left, right)
    return tokens


def _everywhere(tokens: list[str], left: str, right: str) -> list[str]:
    result, i = list[str](), 0
    while i < len(tokens):
        width = 2 if tokens[i : i + 2] == [left, right] else 1
        result.append("".join(tokens[i : i + width]))
        i += width
    return result


def longest_match(symbols: Sequence[str], vocabulary: Collection[str]) -> list[str]:
    """A symbol that is not in the vocabulary stands alone."""
    result, i = list[str](), 0
    while i < len(symbols):
        ends = [end for end in range(len(symbols), i, -1) if "".join(symbols[i:end]) in vocabulary]
        end = ends[0] if ends else i + 1
        result.append("".join(symbols[i:end]))
        i = end
    return result
