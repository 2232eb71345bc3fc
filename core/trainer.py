"""Exact BPE training in plain Python: a generator that yields one merge after another.

The corpus is one flat list of symbol ids, a separator between words. A token that spans several slots has its id in
its first and in its last slot, so its right neighbour starts at `place + length` and its left neighbour's id stands
in the slot before: there are no links to keep. Three facts keep a merge cheap and exact:

- A pair is born once, when the younger of its two tokens is made; afterwards its count only falls. So the list of its
  places is written once, in corpus order, and each place is checked when it is read.
- For the same reason an old heap entry is never too small: pop the top, and if its count has fallen since, put it
  back with the true one.
- Only the neighbours of the places that were replaced change their counts.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any

from core.alphabet import MARKER_TEXT, Alphabet, Base, ByteOrder, Marker, Token, byte_alphabet, character_alphabet
from core.errors import ConfigError
from core.merge import UNKNOWN, Merge, Pair
from core.progress import Progress

SEPARATOR = -2
GONE = -3
SYMBOLS_PER_PROGRESS = 50_000


class TieBreak(StrEnum):
    """Which pair is merged when several share the top count."""

    IDS = "ids"
    """Smallest left id, then smallest right id (Hugging Face)."""
    BYTES = "bytes"
    """The same with bytes ordered by value, whatever their ids (rustbpe)."""
    FIRST_SEEN = "first_seen"
    """Earliest place in the corpus as it stands at that step, words in order of first appearance (minbpe)."""
    LEXICOGRAPHIC = "lexicographic"
    """Smallest left, then right token as a string (textbooks)."""
    REVERSE_LEXICOGRAPHIC = "reverse_lexicographic"
    """Largest left, then right token as a string (subword-nmt)."""


class StopReason(StrEnum):
    """Why training ended; whichever comes first."""

    MERGES = "the number of merges was reached"
    VOCAB_SIZE = "the vocabulary size was reached"
    MIN_FREQUENCY = "the most frequent pair is rarer than the minimum frequency"
    NO_PAIR = "no pair is left"
    CANCELLED = "it was stopped"


@dataclass(frozen=True)
class TrainerConfig:
    """How words become merges. Without `merges` and `vocab_size` training goes on until no pair is left.

    `vocab_size` counts special tokens, base symbols and merges. `min_frequency` is inclusive: a pair that occurs
    exactly so often is still merged.
    """

    base: Base = Base.BYTES
    marker: Marker = Marker.NONE
    byte_order: ByteOrder = ByteOrder.STAND_IN
    tie_break: TieBreak = TieBreak.IDS
    merges: int | None = None
    vocab_size: int | None = None
    min_frequency: int = 1
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None
    initial_characters: str = ""
    complete_alphabet: bool = True
    marker_text: str = MARKER_TEXT

    def __post_init__(self) -> None:
        if problem := self.problem():
            raise ConfigError(problem)

    def with_merges(self, merges: int | None) -> "TrainerConfig":
        """The same, stopping after so many merges instead of at a vocabulary size; None: when no pair is left."""
        return replace(self, merges=merges, vocab_size=None)

    def merge_limit(self, base_tokens: int) -> int | None:
        """How many merges these options ask for at most, after so many special tokens and base symbols.

        None if training goes on until no pair is left.
        """
        limits = [] if self.merges is None else [self.merges]
        if self.vocab_size is not None:
            limits.append(max(self.vocab_size - base_tokens, 0))
        return min(limits, default=None)

    def learns_like(self, other: "TrainerConfig") -> bool:
        """Whether both make the same merges, however many each of them makes."""
        return self._endless() == other._endless()

    def _endless(self) -> "TrainerConfig":
        return replace(self, merges=None, vocab_size=None, min_frequency=1)

    def problem(self) -> str | None:
        """What makes these options impossible together, in the user's words; None if nothing does."""
        if self.base is Base.BYTES and self.marker is Marker.SUFFIX:
            return "A byte alphabet has no final letters: choose no marker, or one that is its own symbol."
        for name, value in (("number of merges", self.merges), ("vocabulary size", self.vocab_size)):
            if value is not None and value < 0:
                return f"The {name} must not be negative, but is {value:,}."
        if self.min_frequency < 1:
            return f"The minimum frequency must be at least 1, but is {self.min_frequency:,}."
        if self.marker is not Marker.NONE and not self.marker_text:
            return "The marker of a word's end needs a text, such as </w>."
        if "" in self.special_tokens:
            return "A special token must not be empty."
        if len(set(self.special_tokens)) < len(self.special_tokens):
            return "The same special token is listed twice."
        if self.unknown_token is not None and self.unknown_token not in self.special_tokens:
            return f"The unknown token {self.unknown_token!r} must be one of the special tokens."
        return None


def build_alphabet(words: Mapping[str, int], config: TrainerConfig) -> Alphabet:
    """The special tokens and base symbols that training on `words` starts from."""
    if config.base is Base.BYTES:
        return byte_alphabet(config.marker, config.byte_order, config.special_tokens)
    return character_alphabet(
        words, config.marker, config.special_tokens, config.initial_characters, config.complete_alphabet
    )


def train(
    word_counts: Mapping[str, int], config: TrainerConfig, alphabet: Alphabet | None = None
) -> Generator[Merge, None, StopReason]:
    """Yield the merges of `word_counts` in rank order; the generator returns why it stopped.

    >>> [(m.left, m.right, m.count) for m in train({"aaaa": 1}, TrainerConfig(base=Base.CHARACTERS))]
    [(0, 0, 3), (1, 1, 1)]
    """
    trainer = Trainer(word_counts, config, alphabet or build_alphabet(word_counts, config))
    for _ in trainer.count_pairs():
        pass
    return (yield from trainer.merges())


class Trainer:
    """The state of one run: `count_pairs` first, then `merges`; both can be abandoned at any point."""

    def __init__(self, word_counts: Mapping[str, int], config: TrainerConfig, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.token_count = 0  # corpus length in tokens
        self.symbol_counts: dict[int, int] = {}  # how often each base symbol occurs, before the first merge
        self._word_counts = word_counts
        self._config = config
        self._tokens = dict(alphabet.tokens)
        self._next_id = max(self._tokens, default=-1) + 1
        self._symbols = [SEPARATOR]
        self._weights = [0]
        self._lengths = dict.fromkeys(self._tokens, 1)  # slots a token spans
        self._counts: dict[Pair, int] = {}
        # arrays, which the garbage collector need not search: on 7 MB of Chinese a third less time than with lists
        self._places: defaultdict[Pair, array[int]] = defaultdict(partial(array, "q"))
        self._pairs_with_count: dict[int, int] = {}
        self._heap: list[tuple[int, Any, Pair]] = []
        self._first_place: dict[Pair, int] = {}  # index into _places; kept for FIRST_SEEN only
        self._tie_key = self._tie_rule(config.tie_break)

    @property
    def vocab_size(self) -> int:
        return len(self._tokens)

    def pair_counts(self) -> dict[Pair, int]:
        """The count of every pair of the corpus as it stands now."""
        return dict(self._counts)

    def words(self) -> Iterator[tuple[int, ...]]:
        """The token ids of each word as they stand now, in the order of the word counts."""
        place = 1
        while place < len(self._symbols):
            word = []
            while (symbol := self._symbols[place]) != SEPARATOR:
                word.append(symbol)
                place += self._lengths[symbol]
            yield tuple(word)
            place += 1

    def count_pairs(self) -> Generator[Progress, None, None]:
        """Lay the words out and count their pairs; progress is in unique words."""
        done, next_report = 0, SYMBOLS_PER_PROGRESS
        for done, (word, weight) in enumerate(self._word_counts.items(), 1):
            self._lay_out(word, weight)
            if len(self._symbols) > next_report:
                next_report = len(self._symbols) + SYMBOLS_PER_PROGRESS
                yield Progress(done, len(self._word_counts))
        for count in self._counts.values():
            self._pairs_with_count[count] = self._pairs_with_count.get(count, 0) + 1
        self._heap = [(-count, self._tie_key(pair), pair) for pair, count in self._counts.items()]
        heapify(self._heap)
        yield Progress(done, len(self._word_counts))

    def merges(self) -> Generator[Merge, None, StopReason]:
        """Yield merges until a stop rule of the config holds; the generator returns which one."""
        config, rank = self._config, 0
        while True:
            if config.merges is not None and rank >= config.merges:
                return StopReason.MERGES
            if config.vocab_size is not None and self.vocab_size >= config.vocab_size:
                return StopReason.VOCAB_SIZE
            pair = self._most_frequent_pair()
            if pair is None:
                return StopReason.NO_PAIR
            if self._counts[pair] < config.min_frequency:
                return StopReason.MIN_FREQUENCY
            yield self._merge(pair, rank)
            rank += 1

    def _lay_out(self, word: str, weight: int) -> None:
        symbols, counts, places = self._symbols, self._counts, self._places
        left = SEPARATOR
        for symbol in self.alphabet.symbols_of(word):
            if symbol == UNKNOWN:  # as in Hugging Face's trainer, its neighbours become neighbours of each other
                continue
            if left != SEPARATOR:
                pair = (left, symbol)
                counts[pair] = counts.get(pair, 0) + weight
                places[pair].append(len(symbols) - 1)
            symbols.append(symbol)
            self._weights.append(weight)
            self._symbol_counts_add(symbol, weight)
            left = symbol
        symbols.append(SEPARATOR)
        self._weights.append(0)

    def _symbol_counts_add(self, symbol: int, weight: int) -> None:
        self.symbol_counts[symbol] = self.symbol_counts.get(symbol, 0) + weight
        self.token_count += weight

    def _most_frequent_pair(self) -> Pair | None:
        """The pair to merge next, left on top of the heap; stale entries above it are refreshed or dropped.

        A pair may have lost its first place too, but only along with some of its count, so the count alone tells.
        """
        heap, counts = self._heap, self._counts
        while heap:
            negative_count, _, pair = heap[0]
            count = counts.get(pair, 0)
            if count == 0:
                heappop(heap)
            elif count == -negative_count:
                return pair
            else:
                heapreplace(heap, (-count, self._tie_key(pair), pair))
        return None

    def _merge(self, pair: Pair, rank: int) -> Merge:
        count = self._counts[pair]
        tied = self._pairs_with_count[count]
        token_id = self._new_token(pair)
        applied, changes = self._replace(pair, token_id)
        self.token_count -= applied
        self._set_count(pair, 0)
        changes.pop(pair, None)  # in a run such as `aaaa` the pair is its own neighbour
        for changed, change in changes.items():
            new_count = self._counts.get(changed, 0) + change
            self._set_count(changed, new_count)
            if new_count and token_id in changed:
                heappush(self._heap, (-new_count, self._tie_key(changed), changed))
        return Merge(rank, *pair, token_id, count, applied, tied)

    def _new_token(self, pair: Pair) -> int:
        left, right = pair
        token_id = self._next_id
        self._next_id += 1
        self._tokens[token_id] = self._tokens[left] + self._tokens[right]
        self._lengths[token_id] = self._lengths[left] + self._lengths[right]
        return token_id

    def _replace(self, pair: Pair, token_id: int) -> tuple[int, dict[Pair, int]]:
        """Replace `pair` by `token_id`, left to right; returns the replacements made and the change of each count."""
        (left, right), symbols, lengths, places = pair, self._symbols, self._lengths, self._places
        to_right, to_end = lengths[left], lengths[token_id]
        applied, changes = 0, defaultdict[Pair, int](int)
        for place in places.pop(pair):
            if symbols[place] != left or symbols[place + to_right] != right:
                continue
            weight = self._weights[place]
            applied += weight
            before, after = symbols[place - 1], symbols[place + to_end]
            symbols[place + to_right] = GONE
            symbols[place] = symbols[place + to_end - 1] = token_id
            if before != SEPARATOR:
                changes[before, left] -= weight
                changes[before, token_id] += weight
                places[before, token_id].append(place - lengths[before])
            if after != SEPARATOR:
                changes[right, after] -= weight
                changes[token_id, after] += weight
                places[token_id, after].append(place)
        return applied, changes

    def _set_count(self, pair: Pair, count: int) -> None:
        histogram, old = self._pairs_with_count, self._counts.get(pair, 0)
        if old:
            histogram[old] -= 1
            if not histogram[old]:
                del histogram[old]
        if count:
            self._counts[pair] = count
            histogram[count] = histogram.get(count, 0) + 1
        else:
            self._counts.pop(pair, None)
            self._places.pop(pair, None)
            self._first_place.pop(pair, None)

    def _tie_rule(self, rule: TieBreak) -> Callable[[Pair], Any]:
        """A function from a pair to a key; the smallest key wins."""
        if rule is TieBreak.IDS:
            return lambda pair: pair
        if rule is TieBreak.FIRST_SEEN:
            return self._first_live_place
        key = {
            TieBreak.BYTES: self._byte_key,
            TieBreak.LEXICOGRAPHIC: self._string_key,
            TieBreak.REVERSE_LEXICOGRAPHIC: self._reversed_string_key,
        }[rule]
        keys: dict[int, Any] = {}

        def token_key(token_id: int) -> Any:
            if token_id not in keys:
                keys[token_id] = key(token_id)
            return keys[token_id]

        return lambda pair: (token_key(pair[0]), token_key(pair[1]))

    def _first_live_place(self, pair: Pair) -> int:
        places, left, right = self._places[pair], *pair
        index, to_right = self._first_place.get(pair, 0), self._lengths[left]
        while self._symbols[places[index]] != left or self._symbols[places[index] + to_right] != right:
            index += 1
        self._first_place[pair] = index
        return places[index]

    def _byte_key(self, token_id: int) -> int:
        token: Token = self._tokens[token_id]
        is_byte = token_id in self.alphabet.tokens and len(token.content) == 1
        return token.content[0] if is_byte else 256 + token_id

    def _string_key(self, token_id: int) -> bytes:
        # UTF-8 sorts as its code points do
        return self._tokens[token_id].text(self._config.marker_text)

    def _reversed_string_key(self, token_id: int) -> tuple[int, ...]:
        return *(-byte for byte in self._string_key(token_id)), 1  # the 1 puts a string behind its continuations
