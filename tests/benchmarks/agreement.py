"""Whether two tools made the same merges or ids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    text: str
    is_good: bool


def of_merges(ours: Mapping[str, Any], tokens: Sequence[str]) -> Verdict:
    """Compares by the tokens that merges make. A tool may decide ties as it likes, and go its own way from there.

    >>> ours = {"tokens": ["ab", "cd", "abc"], "tied": [1, 2, 1]}
    >>> of_merges(ours, ["ab", "cd", "abc"])
    Verdict(text='the same', is_good=True)
    >>> of_merges(ours, ["ab", "bc", "abc"])
    Verdict(text='2 of 3 the same; 1 until a tie of 2', is_good=True)
    >>> of_merges(ours, ["ac", "cd", "abc"])
    Verdict(text='DIFFERENT from merge 1 on; 2 of 3 the same', is_good=False)
    >>> of_merges(ours, ["ab", "cd"])
    Verdict(text='the same, but only 2', is_good=False)
    """
    own, tied = ours["tokens"], ours["tied"]
    if own == tokens:
        return Verdict("the same", True)
    if sorted(own) == sorted(tokens):
        return Verdict("the same, ties in another order", True)
    place = first_difference(own, tokens)
    if place == len(tokens) < len(own):
        return Verdict(f"the same, but only {place:,}", False)
    common = f"{len(set(own) & set(tokens)):,} of {len(own):,} the same"
    if place < len(tied) and tied[place] > 1:
        return Verdict(f"{common}; {place:,} until a tie of {tied[place]:,}", True)
    return Verdict(f"DIFFERENT from merge {place + 1:,} on; {common}", False)


def of_ids(ours: Sequence[int], theirs: Sequence[int]) -> Verdict:
    """
    >>> of_ids([5, 6, 7], [5, 7])
    Verdict(text='DIFFERENT from token 2 on', is_good=False)
    """
    place = first_difference(ours, theirs)
    if place == len(ours) == len(theirs):
        return Verdict("the same", True)
    return Verdict(f"DIFFERENT from token {place + 1:,} on", False)


def first_difference(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Where they differ first; the length of the shorter one if it begins the other."""
    length = min(len(one), len(other))
    return next((i for i in range(length) if one[i] != other[i]), length)
