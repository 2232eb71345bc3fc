"""Exact BPE training in plain Python: a generator that yields one merge after another. trainers.py has a faster one.

The corpus is one flat list of symbol ids, a separator between words. A token that spans several slots has its id in
its first and in its last slot, so its right neighbour starts at `place + length` and its left neighbour's id stands
in the slot before: there are no links to keep. Three facts keep a merge cheap and exact:

- A pair is born once, when the younger of its two tokens is made; afterwards its count only falls. So the list of its
  places is written once, in corpus order, and each place is checked when it is read.
- For the same reason the best pair can wait in a lazy heap: see candidates.py.
- Only the neighbours of the places that were replaced change their counts.
"""

from array import array
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import regex

from core.alphabet import Alphabet, Base, Token
from core.candidates import Candidates, WordPieceCandidates, clear_dict, clear_list
from core.merge import UNKNOWN, Merge, Pair
from core.progress import Progress
from core.tie_rules import tie_rule
from core.trainer_config import Score, StopReason, TieBreak, TrainerConfig, build_alphabet

__all__ = ["Plan", "Score", "StopReason", "TieBreak", "Trainer", "TrainerConfig", "build_alphabet"]

SEPARATOR = -2
GONE = -3
FIRST_INERT = -4
"""A byte that stands for part of an unknown character is laid out as FIRST_INERT - id: below 0 nothing joins."""
SYMBOLS_PER_PROGRESS = 50_000
MATCH_SECONDS = 0.25


@dataclass(frozen=True)
class Plan:
    """What a run is told besides its options: merges made before it begins to choose, and pairs it never merges.

    To train on from an earlier recording, give its merges. To take another turn at some step, give the merges before
    it and then forbid a pair, or give one more.
    """

    given: tuple[Merge, ...] = ()
    forbidden: frozenset[Pair] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.given or self.forbidden)


@dataclass(frozen=True)
class CorpusSize:
    """The words trained on, each as often as it occurs. `whole_words` are those of one base symbol."""

    words: int = 0
    whole_words: int = 0
    byte_count: int = 0
    characters: int = 0


def is_stop_token(token: Token, config: TrainerConfig) -> bool:
    """Whether the config asks to stop at this token; false where finding out takes too long."""
    text = token.text(config.marker_text).decode(errors="replace")
    try:
        return regex.search(config.stop_token, text, timeout=MATCH_SECONDS) is not None
    except TimeoutError:
        return False


class Trainer:
    """The state of one run: `count_pairs` first, then `merges`; both can be abandoned at any point."""

    def __init__(
        self, word_counts: Mapping[str, int], config: TrainerConfig, alphabet: Alphabet, plan: Plan | None = None
    ) -> None:
        self.alphabet = alphabet
        self.word_counts = word_counts
        self.plan = plan or Plan()
        self.token_count = 0  # corpus length in tokens
        self.symbol_counts: dict[int, int] = {}  # how often each base symbol occurs, before the first merge
        self.size = CorpusSize()
        self._config = config
        self._tokens = dict(alphabet.tokens)
        self._token_counts: dict[int, int] = {}
        self._next_id = self._first_free_id()
        self._rank = 0  # of the next merge
        self._has_found_token = False
        self._symbols = [SEPARATOR]
        self._weights = [0]
        self._lengths = dict.fromkeys(self._tokens, 1)  # slots a token spans
        # arrays, which the garbage collector need not search: on 7 MB of Chinese a third less time than with lists
        self._places: defaultdict[Pair, array[int]] = defaultdict(partial(array, "q"))
        self._first_place: dict[Pair, int] = {}  # index into _places; kept for FIRST_SEEN only
        self._content_lengths: dict[int, int] = {}
        self._candidates = self._new_candidates()
        self._counts = self._candidates.counts

    @property
    def vocab_size(self) -> int:
        return len(self._tokens)

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands in the corpus now."""
        return self._counts.get(pair, 0)

    def pair_counts(self) -> dict[Pair, int]:
        """The count of every pair of the corpus as it stands now."""
        return dict(self._counts)

    def counted_pairs(self) -> Iterator[tuple[Pair, int]]:
        """The same one after the other, in no order."""
        return iter(self._counts.items())

    def words(self) -> Iterator[tuple[int, ...]]:
        """The token ids of each word as they stand now, in the order of the word counts."""
        place = 1
        while place < len(self._symbols):
            word = []
            while (symbol := self._symbols[place]) != SEPARATOR:
                token_id = FIRST_INERT - symbol if symbol <= FIRST_INERT else symbol
                word.append(token_id)
                place += self._lengths.get(token_id, 1)
            yield tuple(word)
            place += 1

    def clear(self) -> None:
        """Give the memory back bit by bit; nothing can be asked of the trainer any more.

        All at once, as when it is merely dropped, keeps other threads waiting: 0.5 s after 4 MB of Chinese.
        """
        lists: tuple[list[Any], ...] = self._symbols, self._weights
        dicts: tuple[dict[Any, Any], ...] = self._places, self._first_place
        for part in lists:
            clear_list(part)
        for table in dicts:
            clear_dict(table)
        self._candidates.clear()

    def give_up(self) -> None:
        """Asks, from any thread, not to begin with long work; here there is none between two merges."""

    def next_turn(self) -> Pair | StopReason:
        """The pair that is merged next, or why none is; asked for once the given merges are made."""
        if self._has_found_token:
            return StopReason.TOKEN_FOUND
        pair = self._candidates.best()
        reason = self._stop_before(pair)
        if reason is None:
            assert pair is not None
            return pair
        return reason

    def score_of(self, pair: Pair) -> float | None:
        """WordPiece's score of a pair now; None where the count is the score."""
        return self._candidates.score_of(pair)

    def is_tied(self, pair: Pair, other: Pair) -> bool:
        """Whether both may be chosen and have the same score now."""
        return self._candidates.is_tied(pair, other)

    def tied_pairs(self, pair: Pair) -> list[Pair]:
        """All pairs that share the score of `pair` now, in the order in which the tie rule takes them."""
        return self._candidates.tied_pairs(pair)

    def count_pairs(self) -> Generator[Progress, None, None]:
        """Lay the words out and count their pairs; progress is in unique words."""
        done, next_report = 0, SYMBOLS_PER_PROGRESS
        words = whole = byte_count = characters = 0
        for done, (word, weight) in enumerate(self.word_counts.items(), 1):
            start = len(self._symbols)
            self._lay_out(word, weight)
            words += weight
            whole += weight * (len(self._symbols) == start + 2)
            byte_count += weight * len(word.encode(errors="surrogatepass"))
            characters += weight * len(word)
            if len(self._symbols) > next_report:
                next_report = len(self._symbols) + SYMBOLS_PER_PROGRESS
                yield Progress(done, len(self.word_counts))
        self.size = CorpusSize(words, whole, byte_count, characters)
        self._token_counts.update(self.symbol_counts)
        self._candidates.start()
        yield Progress(done, len(self.word_counts))

    def merges(self, in_step: bool = False) -> Generator[Merge, None, StopReason]:
        """Yield merges until a stop rule of the config holds; the generator returns which one.

        `in_step` asks that no merge be made before its turn, which is never so here.
        """
        for merge in self.plan.given:
            yield self._merge(merge.pair, merge.token_id)
        while not isinstance(turn := self.next_turn(), StopReason):
            merge = self._merge(turn, self._free_id())
            self._has_found_token = bool(self._config.stop_token) and self._is_stop_token(merge.token_id)
            yield merge
        return turn

    def _stop_before(self, pair: Pair | None) -> StopReason | None:
        config = self._config
        if config.merges is not None and self._rank >= config.merges:
            return StopReason.MERGES
        if config.vocab_size is not None and self.vocab_size >= config.vocab_size:
            return StopReason.VOCAB_SIZE
        if pair is None:
            return self._why_none_is_left()
        return StopReason.MIN_FREQUENCY if self._counts[pair] < config.min_frequency else None

    def _why_none_is_left(self) -> StopReason:
        if not self._counts:
            return StopReason.NO_PAIR
        if any(self._is_allowed(pair) for pair in self._counts):
            return StopReason.MIN_FREQUENCY
        too_long = any(pair not in self.plan.forbidden for pair in self._counts)
        return StopReason.LONGEST_TOKEN if too_long else StopReason.FORBIDDEN

    def _is_stop_token(self, token_id: int) -> bool:
        return is_stop_token(self._tokens[token_id], self._config)

    def _new_candidates(self) -> Candidates:
        config = self._config
        is_restricted = config.longest_token is not None or self.plan.forbidden
        is_allowed = self._is_allowed if is_restricted else None
        tie_key = tie_rule(config.tie_break, self._tokens, self.alphabet, config.marker_text, self._first_live_place)
        if config.score is Score.WORDPIECE:
            return WordPieceCandidates(tie_key, self._token_counts, config.min_frequency, is_allowed)
        return Candidates(tie_key, is_allowed)

    def _is_allowed(self, pair: Pair) -> bool:
        longest = self._config.longest_token
        if longest is not None and self._content_length(pair[0]) + self._content_length(pair[1]) > longest:
            return False
        return pair not in self.plan.forbidden

    def _content_length(self, token_id: int) -> int:
        """In characters, in bytes for a byte base; a marker is nothing."""
        length = self._content_lengths.get(token_id)
        if length is None:
            content = self._tokens[token_id].content
            length = len(content) if self.alphabet.base is Base.BYTES else len(content.decode())
            self._content_lengths[token_id] = length
        return length

    def _lay_out(self, word: str, weight: int) -> None:
        symbols, counts, places = self._symbols, self._counts, self._places
        left = SEPARATOR
        for symbol in self.alphabet.symbols_of(word):
            self.symbol_counts[symbol] = self.symbol_counts.get(symbol, 0) + weight
            self.token_count += weight
            if not self.alphabet.can_join(symbol):
                symbol = FIRST_INERT - symbol if symbol != UNKNOWN else UNKNOWN
            elif left >= 0:
                pair = (left, symbol)
                counts[pair] = counts.get(pair, 0) + weight
                places[pair].append(len(symbols) - 1)
            symbols.append(symbol)
            self._weights.append(weight)
            left = symbol
        symbols.append(SEPARATOR)
        self._weights.append(0)

    def _merge(self, pair: Pair, token_id: int) -> Merge:
        count, tied = self._counts.get(pair, 0), self._candidates.tied_with(pair)
        score = self._candidates.score_of(pair)
        is_new = self._add_token(pair, token_id)
        applied, completed, changes = self._replace(pair, token_id)
        self.token_count -= applied
        for used, change in ((pair[0], -applied), (pair[1], -applied), (token_id, applied)):
            self._token_counts[used] = self._token_counts.get(used, 0) + change
        changes.pop(pair, None)  # in a run such as `aaaa` the pair is its own neighbour
        self._candidates.change(changes, pair, token_id, applied)
        self._first_place.pop(pair, None)
        for changed in changes:
            if changed not in self._counts:
                self._places.pop(changed, None)
                self._first_place.pop(changed, None)
        if not is_new:
            self._put_in_order(changes)
        self._rank += 1
        return Merge(self._rank - 1, *pair, token_id, count, applied, tied, completed, score)

    def _put_in_order(self, pairs: Mapping[Pair, int]) -> None:
        """A given merge may make a token that is there already: then places are not in corpus order by themselves."""
        for pair in pairs:
            if pair in self._places:
                self._places[pair] = array("q", sorted(self._places[pair]))
                self._first_place.pop(pair, None)

    def _first_free_id(self) -> int:
        taken = [i for i, token in self._tokens.items() if not (token.special and self._config.specials_last)]
        return max([*taken, *(merge.token_id for merge in self.plan.given)], default=-1) + 1

    def _free_id(self) -> int:
        while self._next_id in self._tokens:
            self._next_id += 1
        return self._next_id

    def _add_token(self, pair: Pair, token_id: int) -> bool:
        """Whether it was not there before."""
        left, right = pair
        is_new = token_id not in self._tokens
        if is_new:
            self._tokens[token_id] = self._tokens[left] + self._tokens[right]
        self._lengths[token_id] = self._lengths[left] + self._lengths[right]
        return is_new

    def _replace(self, pair: Pair, token_id: int) -> tuple[int, int, dict[Pair, int]]:
        """Replace `pair` by `token_id`, left to right.

        Returns the replacements made, how many of them made a whole word one token, and the change of each count.
        """
        (left, right), symbols, lengths, places = pair, self._symbols, self._lengths, self._places
        to_right, to_end = lengths[left], lengths[token_id]
        applied, completed, changes = 0, 0, defaultdict[Pair, int](int)
        for place in places.pop(pair, ()):
            if symbols[place] != left or symbols[place + to_right] != right:
                continue
            weight = self._weights[place]
            applied += weight
            before, after = symbols[place - 1], symbols[place + to_end]
            symbols[place + to_right] = GONE
            symbols[place] = symbols[place + to_end - 1] = token_id
            if before >= 0:
                changes[before, left] -= weight
                changes[before, token_id] += weight
                places[before, token_id].append(place - lengths[before])
            elif before == after == SEPARATOR:
                completed += weight
            if after >= 0:
                changes[right, after] -= weight
                changes[token_id, after] += weight
                places[token_id, after].append(place)
        return applied, completed, changes

    def _first_live_place(self, pair: Pair) -> int:
        places, left, right = self._places[pair], *pair
        index, to_right = self._first_place.get(pair, 0), self._lengths[left]
        while self._symbols[places[index]] != left or self._symbols[places[index] + to_right] != right:
            index += 1
        self._first_place[pair] = index
        return places[index]
