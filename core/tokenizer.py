"""Encoding and decoding with the first k merges of a recording, and the history of a single word.

A word's whole history is one integer per boundary between neighbouring base symbols: the rank of the merge that
removed it, or NEVER. Its tokens after k merges are then the stretches between the boundaries with a rank of k or
more, and a stretch is the token made by the highest rank inside it. This holds because every merge is later than the
merges that made its parts, which is always so for what is trained here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

import regex

from core.alphabet import Base, Marker
from core.errors import BpeError
from core.merge import UNKNOWN
from core.recording import Recording

NEVER = 2**31 - 1
"""Rank of a boundary that no merge removes."""


class Specials(StrEnum):
    """What a special token's text means where it stands in a text to encode."""

    MATCH = "match"
    AS_TEXT = "as-text"


class Piece(NamedTuple):
    """A token inside one word: base symbols `start` to `end` (half-open) of the word."""

    token_id: int
    start: int
    end: int


class EncodedToken(NamedTuple):
    """A token of a text: `start` to `end` are the characters of the original text it touches (half-open).

    `token_id` is UNKNOWN for a character that the alphabet lacks when the recording has no unknown token.
    """

    token_id: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EncodeStep:
    """One merge inside a word: symbols `position` and `position + 1` of `before` become one.

    `ranks[i]` is the rank of the merge that could join symbols i and i + 1 of `before`, or None: the pair with the
    lowest one, leftmost among equals, wins; the others are its rivals.
    """

    rank: int
    position: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    ranks: tuple[int | None, ...]


class WordHistory:
    """The boundary ranks of one word under a recording that may still grow."""

    def __init__(self, recording: Recording, word: str) -> None:
        self.word = word
        self.symbols = recording.alphabet.symbols_of(word)
        self.boundary_ranks = [NEVER] * (len(self.symbols) - 1)
        self._recording = recording
        self._merges_seen = 0

    def pieces(self, step: int) -> list[Piece]:
        """The word's tokens after the first `step` merges."""
        self._extend(step)
        return self._pieces(step)

    def applied_at(self, rank: int) -> list[int]:
        """The boundaries that the merge of this rank removed; boundary i lies before base symbol i + 1."""
        self._extend(rank + 1)
        return [i for i, boundary_rank in enumerate(self.boundary_ranks) if boundary_rank == rank]

    def _pieces(self, step: int) -> list[Piece]:
        pieces, start, highest = list[Piece](), 0, -1
        if not self.symbols:
            return pieces
        for end, rank in enumerate([*self.boundary_ranks, NEVER], 1):
            if rank >= step:
                pieces.append(Piece(self._token_id(start, highest), start, end))
                start, highest = end, -1
            elif rank > highest:
                highest = rank
        return pieces

    def _token_id(self, start: int, highest_rank: int) -> int:
        return self.symbols[start] if highest_rank < 0 else self._recording[highest_rank].token_id

    def _extend(self, step: int) -> None:
        """Take in the merges made since the last look; those before have nothing left to join here."""
        if step > self._merges_seen:
            known = len(self._recording)
            current = self._pieces(self._merges_seen)
            for rank, index in merge_ranks(self._recording, [piece.token_id for piece in current], known):
                self.boundary_ranks[current[index].end - 1] = rank
            self._merges_seen = known


def merge_ranks(recording: Recording, symbols: list[int], step: int) -> Iterator[tuple[int, int]]:
    """Merge `symbols` by rank, leftmost first on equal ranks: yield (rank, boundary removed) in the order applied.

    Boundary i is the one behind the i-th of the symbols given. O(n log n): a linked list, and for each rank the places
    that wait for it. A pair that a merge makes possible has a higher rank, so a rank, once dealt with, never returns.
    """
    end = len(symbols)
    current = [*symbols, UNKNOWN]  # UNKNOWN, which no merge takes, also stands beyond both ends and where a token was
    following, preceding = list(range(1, end + 1)), list(range(-1, end))
    last = list(range(end))  # index of the last given symbol inside the token that starts here
    waiting, ranks = dict[int, list[int]](), list[int]()
    rank_of = recording.rank_of

    def rank_at(left: int) -> int | None:
        return rank_of((current[left], current[following[left]]))

    def await_rank(left: int) -> None:
        rank = rank_at(left)
        if rank is None or rank >= step:
            return
        if rank not in waiting:
            waiting[rank] = []
            heappush(ranks, rank)
        waiting[rank].append(left)

    for left in range(end):
        await_rank(left)
    while ranks:
        rank = heappop(ranks)
        for left in sorted(waiting.pop(rank)):
            if rank != rank_at(left):
                continue
            right = following[left]
            yield rank, last[left]
            current[left], current[right] = recording[rank].token_id, UNKNOWN
            last[left] = last[right]
            following[left] = following[right]
            preceding[following[right]] = left
            await_rank(preceding[left])
            await_rank(left)


class Tokenizer:
    """The first `step` merges of a recording at work. It remembers the words it has seen."""

    def __init__(self, recording: Recording, step: int | None = None) -> None:
        self.recording = recording
        self.step = len(recording) if step is None else step
        self._piece_cache: dict[str, list[Piece]] = {}

    def pieces(self, word: str) -> list[Piece]:
        """The tokens of one pre-token."""
        if word not in self._piece_cache:
            self._piece_cache[word] = WordHistory(self.recording, word).pieces(self.step)
        return self._piece_cache[word]

    def encode(self, text: str, specials: Specials = Specials.MATCH) -> list[EncodedToken]:
        """Tokens of `text` with the original characters they touch; UNKNOWN ids are kept, see `ids`."""
        tokens = list[EncodedToken]()
        for start, end, special_id in self.stretches(text, specials):
            if special_id is not None:
                tokens.append(EncodedToken(special_id, start, end))
            else:
                tokens.extend(self._encode_plain(text[start:end], start))
        return tokens

    def ids(self, text: str, specials: Specials = Specials.MATCH) -> list[int]:
        """Token ids of `text`. A character the alphabet lacks becomes the unknown token, or is left out without one."""
        return [token.token_id for token in self.encode(text, specials) if token.token_id != UNKNOWN]

    def steps(self, word: str) -> Iterator[EncodeStep]:
        """How one pre-token is merged, one merge a step."""
        symbols = tuple(self.recording.alphabet.symbols_of(word))
        while True:
            ranks = tuple(self._rank(pair) for pair in pairwise(symbols))
            possible = [rank for rank in ranks if rank is not None]
            if not possible:
                return
            rank = min(possible)
            position = ranks.index(rank)
            after = (*symbols[:position], self.recording[rank].token_id, *symbols[position + 2 :])
            yield EncodeStep(rank, position, symbols, after, ranks)
            symbols = after

    def decode(self, ids: Iterable[int]) -> str:
        """Text of token ids; bytes that are not UTF-8 become U+FFFD. Raises BpeError for an id no token has.

        A marker becomes a space, except at the very end; where the pre-tokenizer keeps white space it becomes nothing.
        Without a marker, where the pre-tokenizer drops white space, tokens are joined by spaces, as Hugging Face does
        when a tokenizer has no decoder.
        """
        word_end = b"" if self.recording.pipeline.pre_tokenizer.keeps_everything else b" "
        contents, ends_word = [], False
        for token_id in ids:
            try:
                token = self.recording.token(token_id)
            except KeyError:
                raise BpeError(f"No token has the id {token_id}.") from None
            ends_word = token.ends_word
            contents.append(token.content + word_end if ends_word else token.content)
        joiner = b" " if self.joins_with_spaces else b""
        data = joiner.join(contents)
        if ends_word:  # a space that ends the last token's own text is text and stays
            data = data.removesuffix(word_end)
        return data.decode(errors="replace")

    @property
    def joins_with_spaces(self) -> bool:
        return (
            self.recording.alphabet.base is Base.CHARACTERS
            and self.recording.alphabet.marker is Marker.NONE
            and self.recording.pipeline.pre_tokenizer.name in ("whitespace", "words")
        )

    def _rank(self, pair: tuple[int, int]) -> int | None:
        rank = self.recording.rank_of(pair)
        return rank if rank is not None and rank < self.step else None

    def stretches(self, text: str, specials: Specials = Specials.MATCH) -> Iterator[tuple[int, int, int | None]]:
        """Plain stretches and special tokens of a text; where special tokens overlap the leftmost longest wins."""
        special_ids = self.recording.alphabet.special_ids
        start = 0
        if special_ids and specials is Specials.MATCH:
            alternatives = "|".join(regex.escape(s) for s in sorted(special_ids, key=len, reverse=True))
            for match in regex.finditer(alternatives, text):
                if match.start() > start:
                    yield start, match.start(), None
                yield match.start(), match.end(), special_ids[match.group()]
                start = match.end()
        if start < len(text):
            yield start, len(text), None

    def _encode_plain(self, text: str, offset: int) -> Iterator[EncodedToken]:
        pipeline, alphabet = self.recording.pipeline, self.recording.alphabet
        unknown_id = self.recording.unknown_id
        aligned = pipeline.normalizer.align(text)
        for word in pipeline.pre_tokenizer.words(aligned.text):
            symbols = alphabet.spell(word.text)
            for piece in self.pieces(word.text):
                first, last = symbols[piece.start], symbols[piece.end - 1]
                start = word.start + min(first.start, len(word.text) - 1)  # a lone marker touches the last character
                end = word.start + last.end - 1
                token_id = unknown_id if piece.token_id == UNKNOWN else piece.token_id
                yield EncodedToken(token_id, offset + aligned.starts[start], offset + aligned.ends[end])
