"""The arrays that the compiled trainer works on, and how they grow. What they hold is said where kernels use them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.alphabet import Alphabet, Base, Token
from core.kernels.candidate_heap import BY_LENGTH, BY_ORDER, BY_PLACE, BY_STRING, BY_STRING_REVERSED, Heap, Tokens
from core.kernels.layout import Layout
from core.kernels.merging import Around
from core.kernels.pairs import (
    BAND,
    FREE,
    FREE_END,
    HEAP_SIZE,
    PAIRS,
    PLACES,
    SIDES,
    STATE,
    SYMBOL_COUNT,
    TIE_COUNTS,
    Limits,
    Pairs,
    Scratch,
    enter_all,
)
from core.packed_words import Numbers
from core.spelling_tables import Symbols, symbol_ids
from core.tie_rules import byte_first
from core.trainer_config import TieBreak, TrainerConfig

NO_BAND = 2**62
UNLIMITED = 2**62
"""More than any count or length; in loops, a limit above it stands for the same."""

FIRST_PAIRS = 1 << 17
"""Room for at most so many pairs, 10 MB, is there before any is found."""

TEXT_BYTES_PER_TOKEN = 16

_RULES = {
    TieBreak.IDS: BY_ORDER,
    TieBreak.BYTES: BY_ORDER,
    TieBreak.FIRST_SEEN: BY_PLACE,
    TieBreak.LEXICOGRAPHIC: BY_STRING,
    TieBreak.REVERSE_LEXICOGRAPHIC: BY_STRING_REVERSED,
    TieBreak.SHORT_THEN_STRING: BY_LENGTH,
}


class MergeState:
    """`layout` is the corpus; `ids` are the token ids of the symbols from 1 on, also of those still to be made."""

    def __init__(
        self,
        layout: Layout,
        alphabet: Alphabet,
        config: TrainerConfig,
        forbidden: Sequence[tuple[int, int]],
        ids: Sequence[int],
    ) -> None:
        self.layout = layout
        self._alphabet = alphabet
        self._config = config
        base = [alphabet.tokens[i] for i in symbol_ids(alphabet)]
        size = len(ids) + 2
        self.numbers = np.zeros(STATE, np.int64)
        self.numbers[SYMBOL_COUNT] = len(base) + 1
        self.tokens = self._first_tokens(base, size)
        self.limits = Limits(
            self.tokens.ids,
            _padded([0, *map(self._content_length, base)], size),
            np.sort(np.array([left << 32 | right for left, right in forbidden], np.int64)),
            min(config.longest_token or UNLIMITED, UNLIMITED),
        )
        self._name(ids)
        self.scratch = _scratch(size)
        self.forget_pairs()

    def forget_pairs(self, places: int = 0) -> None:
        """As before the first pair was tracked, with room for so many places; memory that is not used costs nothing."""
        self.numbers[[PAIRS, PLACES, FREE, FREE_END, HEAP_SIZE]] = 0
        self.numbers[BAND] = NO_BAND
        pairs = max(1, min(places, FIRST_PAIRS))
        self.pairs = _pairs(pairs)
        self.heap = Heap(*(np.empty(pairs, np.int64) for _ in range(3)))
        self.places = np.empty(places, np.uint32)
        self.around = Around(np.empty(0, np.int32), np.empty(0, np.int32))

    def make_room(self, pairs: int, places: int) -> None:
        """For so many more pairs than there are, and places of theirs."""
        if self._make_room_for_pairs(pairs):
            enter_all(self.pairs, int(self.numbers[PAIRS]))
        self._make_room_for_places(places)

    def _make_room_for_pairs(self, more: int) -> bool:
        """For so many more than there are; true if the table of pairs is a new one, which has to be filled."""
        needed = int(self.numbers[PAIRS]) + more
        size = len(self.pairs.key)
        if needed <= size:
            return False
        size = max(needed, size + size // 2)
        self.pairs = Pairs(
            _grown(self.pairs.key, size),
            _grown(self.pairs.counts, size),
            _grown(self.pairs.start, size),
            _grown(self.pairs.size, size),
            _grown(self.pairs.seen, size),
            _grown(self.pairs.allowed, size),
            _table(size),
            self.pairs.ties,
        )
        self.heap = Heap(_grown(self.heap.pair, size), _grown(self.heap.counts, size), _grown(self.heap.key, size))
        return True

    def _make_room_for_places(self, more: int) -> None:
        needed = int(self.numbers[PLACES]) + more
        if needed > len(self.places):
            self.places = _grown(self.places, max(needed, len(self.places) * 3 // 2))

    def make_room_around(self, size: int) -> None:
        if size > len(self.around.before):
            self.around = Around(np.empty(size, np.int32), np.empty(size, np.int32))

    def make_room_for_text(self, left: int, right: int) -> None:
        """Of the token that these two symbols become, where the tie rule needs it."""
        tokens = self.tokens
        if tokens.rule >= BY_STRING:
            sizes = np.diff(tokens.text_start)
            needed = int(tokens.text_start[self.numbers[SYMBOL_COUNT]] + sizes[left] + sizes[right])
            if needed > len(tokens.text):
                self.tokens = tokens._replace(text=_grown(tokens.text, max(needed, 2 * len(tokens.text))))

    def make_room_for_tokens(self, ids: Sequence[int]) -> None:
        """`ids` as above, longer than before."""
        size = len(ids) + 2
        tokens, limits = self.tokens, self.limits
        self.tokens = Tokens(
            _grown(tokens.length, size),
            _grown(tokens.ids, size),
            _grown(tokens.order, size),
            _grown(tokens.text_start, size + 1),
            tokens.text,
            _grown(tokens.lead, size),
            tokens.rule,
        )
        self.limits = limits._replace(ids=self.tokens.ids, content=_grown(limits.content, size))
        self._name(ids)
        self.scratch = _scratch(size)  # which is all 0 between uses

    def _name(self, ids: Sequence[int]) -> None:
        self.tokens.ids[1 : len(ids) + 1] = ids
        self.tokens.order[1 : len(ids) + 1] = (
            [byte_first(i, self._alphabet) for i in ids] if self._config.tie_break is TieBreak.BYTES else ids
        )

    def _first_tokens(self, base: Sequence[Token], size: int) -> Tokens:
        marker = self._config.marker_text
        texts = [b"", *(token.text(marker) for token in base)]
        starts = np.zeros(size + 1, np.int64)
        starts[1 : len(texts) + 1] = np.cumsum([len(text) for text in texts])
        joined = np.frombuffer(b"".join(texts), np.uint8)
        lead = len(marker.encode())
        return Tokens(
            _padded([0] + [1] * len(base), size),
            np.zeros(size, np.int64),
            np.zeros(size, np.int64),
            starts,
            _grown(joined, len(joined) + TEXT_BYTES_PER_TOKEN * size),
            _padded([0, *(lead * token.continues for token in base)], size),
            _RULES[self._config.tie_break],
        )

    def _content_length(self, token: Token) -> int:
        is_counted_in_bytes = self._alphabet.base is Base.BYTES or token.is_fallback
        return len(token.content) if is_counted_in_bytes else len(token.content.decode())


def _pairs(size: int) -> Pairs:
    key, counts, start, places, seen = (np.empty(size, np.int64) for _ in range(5))
    allowed = np.empty(size, np.bool_)
    return Pairs(key, counts, start, places, seen, allowed, _table(size), np.zeros(TIE_COUNTS, np.int64))


def _table(size: int) -> Symbols:
    """Of which at most half is ever used."""
    return np.zeros(1 << (2 * size - 1).bit_length(), np.int32)


def _scratch(size: int) -> Scratch:
    return Scratch(np.zeros((size, SIDES), np.int64), np.zeros(size, np.int32), np.zeros(size, np.int32))


def _padded(values: Sequence[int], size: int) -> Numbers:
    array = np.zeros(size, np.int64)
    array[: len(values)] = values
    return array


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    grown = np.empty(size, array.dtype)
    grown[: len(array)] = array
    return grown
