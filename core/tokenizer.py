"""Encoding and decoding with the first k merges of a recording, and the history of a single word.

A word's whole history is one integer per boundary between neighbouring base symbols: the rank of the merge that
removed it, or NEVER. Its tokens after k merges are then the stretches between the boundaries with a rank of k or
more, and a stretch is the token made by the highest rank inside it. This holds because every merge is later than the
merges that made its parts, which is always so for what is trained here; where it is not so, a word is encoded anew
for each step.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core import kernel_loader
from core.added_tokens import AddedTokens
from core.alignment import Alignment
from core.alphabet import Base, Marker, Unknown
from core.decoding import decode, joins_with_spaces
from core.encoders import Dropout, Piece, encode, joins, merge_ranks, rank_rule
from core.encoding_rules import ENCODER_TITLES, Encoder
from core.errors import ConfigError
from core.merge import UNKNOWN
from core.pre_tokenizer import Word
from core.recording import Recording
from core.special_tokens import Specials, SpecialTokenError
from core.symbol_places import SymbolPlaces

if TYPE_CHECKING:
    from core.compiled_encoder import CompiledEncoder

__all__ = [
    "NEVER", "Dropout", "EncodeStep", "EncodedToken", "Encoder", "Piece", "SpecialTokenError", "Specials",
    "Tokenizer", "WordHistory", "merge_ranks",
]  # fmt: skip

NEVER = 2**31 - 1
"""Rank of a boundary that no merge removes."""
COMPILED_CHARS = 2_000
"""A text, or a word, from which on the compiled loops are worth their preparation: 3 ms in plain Python."""
COMPILED_SYMBOLS = 256
"""The same for the history of a word: 1 ms in plain Python."""
MAX_REMEMBERED_CHARS = 1_000_000
"""Of words, some 150 MB."""

Ids = NDArray[np.int32]
Remembered = TypeVar("Remembered")


class EncodedToken(NamedTuple):
    """A token of a text: `start` to `end` are the characters of the original text it touches (half-open).

    `token_id` is UNKNOWN for a character that the alphabet lacks when the recording has no unknown token.
    """

    token_id: int
    start: int
    end: int


class TextStretch(NamedTuple):
    """Characters `start` to `end` of a text that are a special or added token, or that hold none.

    Where it took the normalized text to know, that of the stretch is `aligned`, with places from `offset` on.
    """

    start: int
    end: int
    token_id: int | None
    offset: int
    aligned: Alignment | None = None


@dataclass(frozen=True, slots=True)
class EncodeStep:
    """Symbols `position` to `position + width` of `before` become one, by the merge of this rank.

    `ranks[i]` is the rank of the merge that could join symbols i and i + 1 of `before`, or None: the pair with the
    lowest one, leftmost among equals, wins; the others are its rivals. The longest match takes any number of symbols,
    and ranks nothing.
    """

    rank: int | None
    position: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    ranks: tuple[int | None, ...]
    width: int = 2


class IdSlice(NamedTuple):
    """Token ids, roughly how many characters of the text are done with them, and how many symbols have no id."""

    ids: Ids
    done: int
    left_out: int = 0


class WordHistory:
    """What the merges by rank make of one word under a recording that may still grow.

    `boundary_ranks` tell it all where the recording is monotone, and nothing where it is not.
    """

    def __init__(self, recording: Recording, word: str) -> None:
        self.word = word
        self.symbols = recording.alphabet.symbols_of(word)
        self.boundary_ranks = [NEVER] * (len(self.symbols) - 1)
        self._recording = recording
        self._merges_seen = 0

    def pieces(self, step: int) -> list[Piece]:
        """The word's tokens after the first `step` merges."""
        if self._recording.has_histories:
            self._extend(step)
            return self._pieces(step)
        whole = self._recording.whole_piece(self.word, step)
        if whole is not None:
            return [Piece(whole, 0, len(self.symbols))]
        return encode(self._recording, self.symbols, step, self._recording.rules.encoder)

    def applied_at(self, rank: int) -> list[int]:
        """The boundaries that the merge of this rank removed; boundary i lies before base symbol i + 1."""
        if not self._recording.has_histories:
            if self._recording.whole_piece(self.word, rank + 1) is not None:
                return []  # taken as it stands
            made = joins(self._recording, self.symbols, rank + 1, self._recording.rules.encoder)
            return sorted(boundary for other, boundary in made if other == rank)
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
        """Take in the merges made since the last look."""
        if step > self._merges_seen:
            known = len(self._recording)
            if len(self.symbols) < COMPILED_SYMBOLS or not self._encode_compiled():
                self._join_further(known)
            self._merges_seen = known

    def _join_further(self, known: int) -> None:
        """The merges before have nothing left to join here."""
        current = self._pieces(self._merges_seen)
        for rank, index in merge_ranks(self._recording, [piece.token_id for piece in current], known):
            self.boundary_ranks[current[index].end - 1] = rank

    def _encode_compiled(self) -> bool:
        """Encode all of it anew where compiled loops do that."""
        if not kernel_loader.are_ready():
            return False
        from core.compiled_encoder import CompiledEncoder, can_follow

        if not can_follow(self._recording):
            return False
        self.boundary_ranks = CompiledEncoder(self._recording).boundary_ranks(self.word)
        return True


class Tokenizer:
    """The first `step` merges of a recording at work. It remembers the words it has seen, and belongs to one thread.

    Raises ConfigError for dropout with another encoder than the merge rank.
    """

    def __init__(
        self,
        recording: Recording,
        step: int | None = None,
        encoder: Encoder | None = None,
        dropout: Dropout | None = None,
    ) -> None:
        encoder = encoder or recording.rules.encoder
        check_dropout(encoder, dropout)
        self.recording = recording
        self.step = len(recording) if step is None else step
        self.encoder = encoder
        self.dropout = dropout if dropout and dropout.probability else None
        self._known_pieces = _Memory[list[Piece]]()
        self._known_places = _Memory[_Places]()
        self._symbol_places = SymbolPlaces(recording.alphabet)
        self._compiled: CompiledEncoder | None = None

    def pieces(self, word: str, place: int = 0) -> list[Piece]:
        """The tokens of one pre-token; dropout cuts it anew wherever it stands, `place` words into a text."""
        if self.dropout:
            symbols = self.recording.alphabet.symbols_of(word)
            return encode(self.recording, symbols, self.step, self.encoder, self.dropout.draws(place))
        pieces = self._known_pieces.get(word)
        if pieces is None:
            pieces = self._known_pieces.put(word, self._pieces(word))
        return pieces

    def _pieces(self, word: str) -> list[Piece]:
        symbols = self.recording.alphabet.symbols_of(word)
        whole = self.recording.whole_piece(word, self.step) if self.encoder is self.recording.rules.encoder else None
        if whole is not None:
            return [Piece(whole, 0, len(symbols))]
        if len(word) >= COMPILED_CHARS and (compiled := self.compiled):
            return compiled.pieces(word)
        return encode(self.recording, symbols, self.step, self.encoder)

    def encode(self, text: str, specials: Specials = Specials.MATCH) -> list[EncodedToken]:
        """Tokens of `text` with the original characters they touch; UNKNOWN ids are kept, see `ids`.

        Raises SpecialTokenError where special tokens are refused and there is one.
        """
        return list(self.tokens(text, specials))

    def tokens(self, text: str, specials: Specials = Specials.MATCH) -> Iterator[EncodedToken]:
        """The same one after the other, for a text whose tokens would fill the memory; refused before the first."""
        words_before = 0
        for stretch in list(self.stretches(text, specials)):
            if stretch.token_id is not None:
                yield EncodedToken(stretch.token_id, stretch.start, stretch.end)
                continue
            aligned, offset = stretch.aligned, stretch.offset
            if aligned is None:
                aligned = self.recording.pipeline.normalizer.align(text[stretch.start : stretch.end])
            for word in self.recording.pipeline.pre_tokenizer.words(aligned.text):
                yield from self._encode_word(word, words_before, aligned, offset)
                words_before += 1

    def ids(self, text: str, specials: Specials = Specials.MATCH) -> list[int]:
        """Token ids of `text`. A character the alphabet lacks becomes the unknown token, or is left out without one."""
        if len(text) >= COMPILED_CHARS and self.compiled:
            ids: list[int] = self.id_array(text, specials).tolist()
            return ids
        return [token.token_id for token in self.tokens(text, specials) if token.token_id != UNKNOWN]

    def id_array(self, text: str, specials: Specials = Specials.MATCH) -> Ids:
        """`ids` as an array. With compiled loops, 10 MB of English take 0.05 s; see kernel_loader.load."""
        if not self.compiled:
            return np.array(self.ids(text, specials), np.int32)
        return np.concatenate([np.empty(0, np.int32), *(part.ids for part in self.id_slices(text, specials))])

    def id_slices(self, text: str, specials: Specials = Specials.MATCH) -> Iterator["IdSlice"]:
        """`ids` some 10 ms of work at a time, some slices of none; refused before the first. Needs `compiled`."""
        compiled = self.compiled
        assert compiled, "nothing else makes slices"
        for stretch in list(self.stretches(text, specials)):
            start, end = stretch.start, stretch.end
            if stretch.token_id is not None:
                yield IdSlice(np.array([stretch.token_id], np.int32), end)
                continue
            aligned = stretch.aligned
            slices = compiled.text_slices(text[start:end]) if aligned is None else compiled.word_slices(aligned.text)
            for ids, share in slices:
                known = self._with_ids(ids)
                yield IdSlice(known, start + int(share * (end - start)), len(ids) - len(known))

    @cached_property
    def _is_complete(self) -> bool:
        """Whether every symbol of every text has an id."""
        alphabet = self.recording.alphabet
        if alphabet.marker is Marker.SUFFIX and UNKNOWN in alphabet.final.values():
            return False
        return alphabet.base is Base.BYTES and UNKNOWN not in alphabet.inner.values()

    @property
    def knows_everything(self) -> bool:
        """Whether every symbol of every text has an id, or vanishes before it could have one."""
        alphabet = self.recording.alphabet
        return self._is_complete or alphabet.unknown is Unknown.DROP or self.recording.unknown_id != UNKNOWN

    @property
    def compiled(self) -> "CompiledEncoder | None":
        """What does the work where the compiled loops are ready and do what this encoder does."""
        if self._compiled is None and kernel_loader.are_ready():
            from core.compiled_encoder import CompiledEncoder, can_encode

            if can_encode(self.recording, self.encoder, self.dropout):
                self._compiled = CompiledEncoder(self.recording, self.step, encoder=self.encoder)
        return self._compiled

    def steps(self, word: str) -> Iterator[EncodeStep]:
        """How one pre-token becomes its tokens, one merge or match a step."""
        symbols = self.recording.alphabet.symbols_of(word)
        if self.encoder is Encoder.LONGEST_MATCH:
            return self._matches(symbols)
        return self._joins(symbols)

    def decode(self, ids: Iterable[int]) -> str:
        """Text of token ids, see `decoding.decode`. Raises BpeError for an id no token has."""
        return decode(self.recording, ids)

    @property
    def joins_with_spaces(self) -> bool:
        return joins_with_spaces(self.recording)

    def stretches(self, text: str, specials: Specials = Specials.MATCH) -> Iterator["TextStretch"]:
        """Plain stretches and special tokens of a text; where special tokens overlap the leftmost longest wins."""
        found = self.recording.matched
        for start, end, token_id in _parted(text, 0, found.first, specials):
            if token_id is None and (found.then or (start and self._has_other_start)):
                yield from self._normalized_stretches(text[start:end], start, found.then, specials)
            else:
                yield TextStretch(start, end, token_id, start)

    def _normalized_stretches(
        self, text: str, offset: int, tokens: AddedTokens, specials: Specials
    ) -> Iterator["TextStretch"]:
        normalizer = self.recording.pipeline.normalizer
        aligned = (normalizer.behind_special() if offset else normalizer).align(text)
        for start, end, token_id in _parted(aligned.text, 0, tokens, specials):
            part = Alignment(aligned.text[start:end], aligned.starts[start:end], aligned.ends[start:end])
            yield TextStretch(offset + part.starts[0], offset + part.ends[-1], token_id, offset, part)

    @cached_property
    def _has_other_start(self) -> bool:
        """Whether only the start of a text gets something put before it, and no stretch behind a special token."""
        normalizer = self.recording.pipeline.normalizer
        return normalizer.behind_special() != normalizer

    def _encode_word(self, word: Word, place: int, aligned: Alignment, offset: int) -> Iterator[EncodedToken]:
        (starts, ends), unknown_id = self._places(word.text), self.recording.unknown_id
        for piece in self.pieces(word.text, place):
            start = word.start + min(starts[piece.start], len(word.text) - 1)  # a marker touches the last character
            end = word.start + ends[piece.end - 1] - 1
            token_id = unknown_id if piece.token_id == UNKNOWN else piece.token_id
            yield EncodedToken(token_id, offset + aligned.starts[start], offset + aligned.ends[end])

    def _places(self, word: str) -> "_Places":
        places = self._known_places.get(word)
        if places is None:
            starts, ends = self._symbol_places.of(word)
            places = self._known_places.put(word, (array("q", starts.tobytes()), array("q", ends.tobytes())))
        return places

    def _with_ids(self, ids: Ids) -> Ids:
        """With the unknown token, or without what has no id."""
        if self._is_complete:
            return ids
        is_unknown = ids == UNKNOWN
        if not is_unknown.any():
            return ids
        unknown_id = self.recording.unknown_id
        return ids[~is_unknown] if unknown_id == UNKNOWN else np.where(is_unknown, np.int32(unknown_id), ids)

    def _joins(self, symbols: list[int]) -> Iterator[EncodeStep]:
        rank_of, done = rank_rule(self.recording, self.step, self.encoder), -1
        draws = self.dropout.draws() if self.dropout else None
        made = joins(self.recording, symbols, self.step, self.encoder, draws)
        before, ends = tuple(symbols), list(range(1, len(symbols) + 1))
        for rank, boundary in made:
            position = ends.index(boundary + 1)
            after = (*before[:position], self.recording[rank].token_id, *before[position + 2 :])
            ranks = tuple(rank_of(pair, done - 1) for pair in pairwise(before))
            yield EncodeStep(rank, position, before, after, ranks)
            before, done = after, rank
            del ends[position]

    def _matches(self, symbols: list[int]) -> Iterator[EncodeStep]:
        before = tuple(symbols)
        for position, piece in enumerate(encode(self.recording, symbols, self.step, self.encoder)):
            width = piece.end - piece.start
            after = (*before[:position], piece.token_id, *before[position + width :])
            yield EncodeStep(None, position, before, after, (None,) * (len(before) - 1), width)
            before = after


_Places = tuple["array[int]", "array[int]"]
"""The characters at which the base symbols of a word start and end."""


class _Memory(Generic[Remembered]):
    """What was found out about words; all of it is forgotten when they are too many."""

    def __init__(self) -> None:
        self._found = dict[str, Remembered]()
        self._characters = 0
        self.get = self._found.get

    def put(self, word: str, found: Remembered) -> Remembered:
        self._characters += len(word) + 1
        if self._characters > MAX_REMEMBERED_CHARS:
            self._found.clear()
            self._characters = 0
        else:
            self._found[word] = found
        return found


def _parted(text: str, offset: int, tokens: AddedTokens, specials: Specials) -> Iterator[tuple[int, int, int | None]]:
    """What stands between added tokens, and these; `offset` is where the text begins."""
    behind = 0
    for start, end, token in tokens.matches(text) if tokens else ():
        if token.special and specials is Specials.REFUSE:
            raise SpecialTokenError(token.content, offset + max(start, text.find(token.content, start)))
        if token.special and specials is Specials.AS_TEXT:
            continue
        if start > behind:
            yield offset + behind, offset + start, None
        yield offset + start, offset + end, token.token_id
        behind = end
    if behind < len(text):
        yield offset + behind, offset + len(text), None


def check_dropout(encoder: Encoder, dropout: Dropout | None) -> None:
    """Raises ConfigError where dropout goes with another encoder than the merge rank."""
    if dropout and dropout.probability and encoder is not Encoder.MERGE_RANK:
        raise ConfigError(
            f"Dropout is for the encoder {ENCODER_TITLES[Encoder.MERGE_RANK]!r}; {ENCODER_TITLES[encoder]!r} has none. "
            "Choose a dropout of 0 or the other encoder."
        )
