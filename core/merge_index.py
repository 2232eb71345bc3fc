"""A recording's merges looked up as encoders need them: by pair at some step, and by what a token spells."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from core.alphabet import Token
from core.merge import UNKNOWN, Pair
from core.several_merges import SeveralMerges

if TYPE_CHECKING:
    from core.recording import Recording

ALWAYS = -1
"""In place of the rank of a merge, for base symbols: they are there at every step."""

_END, CONTINUING = "\u0101", "\u0102"


class Match(NamedTuple):
    """A token that a text begins with, `length` characters of its spelling long."""

    length: int
    token_id: int
    rank: int


@dataclass(frozen=True, slots=True)
class _Dictionary:
    """All spellings in order; `parents[i]` is the place of the longest other spelling that i begins with, or -1."""

    size: int  # merges taken in
    spellings: list[str]
    parents: list[int]
    tokens: dict[str, tuple[int, int]]  # (rank, id)
    longest: dict[str, int]  # by how spellings begin


def spelling(token: Token) -> str:
    """A character for each byte, and one for each marker, which no byte can be mistaken for."""
    before = CONTINUING if token.continues else ""
    return before + inner_spelling(token)


def inner_spelling(token: Token) -> str:
    """The same for a token that stands behind another one, inside a longer token."""
    text = token.content.decode("latin-1")
    return text + _END if token.ends_word else text


class MergeIndex:
    """Built when first asked for and brought up to date as the recording grows."""

    def __init__(self, recording: "Recording") -> None:
        self._recording = recording
        self._listings: dict[Pair, list[int]] = {}
        self._listed = 0
        self._again: Mapping[Pair, list[int]] | None = None
        self._spelled: dict[str, int] = {}
        self._spelled_merges = 0
        self._dictionary: _Dictionary | None = None
        self._several: SeveralMerges | None = None
        self._several_merges = 0
        self._growing = Lock()  # texts are encoded on threads of their own

    def last_rank(self, pair: Pair, step: int) -> int | None:
        """Rank of the last of the first `step` merges that joins `pair`: where it is listed twice the last counts."""
        ranks = self._ranks(pair)
        place = bisect_left(ranks, step)
        return ranks[place - 1] if place else None

    def next_rank(self, pair: Pair, rank: int) -> int | None:
        """Rank of the first merge behind `rank` that joins `pair`."""
        ranks = self._ranks(pair)
        place = bisect_right(ranks, rank)
        return ranks[place] if place < len(ranks) else None

    def rank_of_joined(self, pair: Pair) -> int | None:
        """Rank of the first merge whose token is spelled like these two in a row, whatever it is made of."""
        if UNKNOWN in pair:
            return None
        self._take_in_spellings()
        left, right = self._recording.token(pair[0]), self._recording.token(pair[1])
        if left.is_fallback or right.is_fallback or left.ends_word:
            return None
        return self._spelled.get(spelling(left + right))

    def ranks_making(self, token_id: int) -> tuple[int, ...]:
        """Ranks of all merges that make the token."""
        if self._recording.is_monotone:
            rank = self._recording.rank_of_token(token_id)
            return () if rank is None else (rank,)
        return self._by_token().making(token_id)

    @property
    def has_several_ways(self) -> bool:
        """Whether there is a token that more than one merge makes."""
        return not self._recording.is_monotone and self._by_token().are_there

    def _by_token(self) -> SeveralMerges:
        several = self._several
        if several is None or self._several_merges < len(self._recording):
            loaded, size = self._recording.loaded, len(self._recording)
            if loaded is not None:
                several = SeveralMerges(loaded.token_ids)
            else:
                several = SeveralMerges.of((merge.token_id for merge in islice(self._recording, size)), size)
            self._several, self._several_merges = several, size
        return several

    def matches(self, text: str, place: int, continues: bool = False) -> Iterator[Match]:
        """The tokens whose inner spelling `text` goes on with at `place`, longest first.

        `continues` asks for those marked as going on with a word.
        """
        known = self._up_to_date()
        before = CONTINUING if continues else ""
        longest = known.longest.get(before + text[place : place + 1], 0)
        wanted = before + text[place : place + longest]
        index = bisect_right(known.spellings, wanted) - 1
        while index >= 0:
            found = known.spellings[index]
            if wanted.startswith(found) and len(found) > len(before):
                rank, token_id = known.tokens[found]
                yield Match(len(found) - len(before), token_id, rank)
            index = known.parents[index]

    def _ranks(self, pair: Pair) -> list[int]:
        if self._recording.loaded is not None:
            rank = self._recording.rank_of(pair)
            return [] if rank is None else self._listed_again().get(pair, [rank])
        if self._listed < len(self._recording):
            with self._growing:
                while self._listed < len(self._recording):
                    self._listings.setdefault(self._recording[self._listed].pair, []).append(self._listed)
                    self._listed += 1
        return self._listings.get(pair, [])

    def _listed_again(self) -> Mapping[Pair, list[int]]:
        """Ranks of the pairs that are listed more than once; few or none."""
        if self._again is None and (loaded := self._recording.loaded) is not None:
            self._again = loaded.listed_again()
        return self._again or {}

    def _take_in_spellings(self) -> None:
        if self._spelled_merges < len(self._recording):
            with self._growing:
                while (rank := self._spelled_merges) < len(self._recording):
                    token = self._recording.token(self._recording[rank].token_id)
                    self._spelled.setdefault(spelling(token), rank)
                    self._spelled_merges += 1

    def _up_to_date(self) -> _Dictionary:
        known = self._dictionary
        if known is None or known.size < len(self._recording):
            known = self._dictionary = _dictionary(self._recording)
        return known


def _dictionary(recording: "Recording") -> _Dictionary:
    """Of the base symbols and of all tokens that merges make: 60 ms for 50,000."""
    size, tokens = len(recording), dict[str, tuple[int, int]]()
    for token_id, token in recording.alphabet.tokens.items():
        if recording.alphabet.is_in_words(token_id) and not token.is_fallback:
            tokens.setdefault(spelling(token), (ALWAYS, token_id))
    for rank in range(size):
        token_id = recording[rank].token_id
        tokens.setdefault(spelling(recording.token(token_id)), (rank, token_id))
    spellings = sorted(tokens)
    longest: dict[str, int] = {}
    for text in spellings:
        is_marked = text.startswith(CONTINUING)
        head = text[: 1 + is_marked]
        longest[head] = max(longest.get(head, 0), len(text) - is_marked)
    return _Dictionary(size, spellings, _parents(spellings), tokens, longest)


def _parents(spellings: list[str]) -> list[int]:
    parents, open_places = list[int](), list[int]()
    for place, text in enumerate(spellings):
        while open_places and not text.startswith(spellings[open_places[-1]]):
            open_places.pop()
        parents.append(open_places[-1] if open_places else -1)
        open_places.append(place)
    return parents
