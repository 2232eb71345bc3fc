"""Encoding by rank in compiled loops: words to token ids, and to the ranks at which their boundaries go.

Importing this compiles the loops or loads them from the cache, see kernel_loader.py. Special tokens, and the places of
tokens in a text, are the tokenizer's business.
"""

from collections.abc import Generator, Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np

from core.compiled_merges import Ids, fits
from core.encoders import Dropout, Piece
from core.encoding_rules import Encoder
from core.kernels import encoding, word_encoding
from core.kernels.characters import character_kinds
from core.kernels.spelling import spell
from core.kernels.word_cache import WordCache, new_cache
from core.kernels.word_encoding import Rules, Wholes, new_wholes
from core.listed_merges import ListedMerges
from core.packed_words import PADDING, Numbers
from core.progress import without_progress
from core.recording import Recording
from core.tied_words import TiedWords
from core.word_places import WORDS_PER_SLICE, Stretch, Words, compiled_pattern, stretches_of, words_in, words_of

NEVER = encoding.NEVER
CACHE_SLOTS = 1 << 17
"""Of 32 bytes, for the different words of some 10 MB of English."""
SHORT_SYMBOLS = 4_096
"""Longer words are merged on their own, in slices."""
SYMBOLS_PER_SLICE = 1 << 18
SLICES_PER_ROOM = 4
BYTES_PER_SLICE = 1 << 19
MERGES_PER_SLICE = 50_000
"""Some 10 ms of work in the heap of a long word."""

Nothing = TypeVar("Nothing")
_NO_IDS = np.empty(0, np.int32)
_NO_ENDS = np.empty(0, np.int64)
_FIRST = np.zeros(1, np.int64)
_ONE = np.ones(1, np.int64)
_NO_WHOLES = new_wholes(np.zeros(PADDING, np.uint8), _FIRST, _NO_IDS)


class EncodedWords(NamedTuple):
    """The ids of some words that follow on each other; those of the i-th end at `ends[i]`."""

    ids: Ids
    ends: Numbers


class Boundaries(NamedTuple):
    """The base symbols of some words, as ids, and the rank of the merge that removes the boundary behind each of them.

    Those of the i-th word end at `ends[i]`; the last of its ranks is NEVER.
    """

    symbols: Ids
    ranks: Ids
    ends: Numbers


def can_encode(recording: Recording, encoder: Encoder = Encoder.MERGE_RANK, dropout: Dropout | None = None) -> bool:
    """Whether these loops do what the encoder does."""
    rules = recording.rules
    if encoder is Encoder.TOKEN_RANK and (rules.unused or (rules.tied and rules.whole_pieces)):
        return False
    return encoder in (Encoder.MERGE_RANK, Encoder.TOKEN_RANK) and not dropout and fits(recording)


def can_follow(recording: Recording) -> bool:
    """Whether the boundaries of a word tell what its model makes of it at all steps, and these loops find them."""
    return recording.has_histories and fits(recording)


class CompiledEncoder:
    """The first `step` merges of a recording at work on words. It remembers words, and belongs to one thread at a time.

    `encoder` is that of the recording's rules if None. A character that the alphabet lacks has the id UNKNOWN here.
    """

    def __init__(
        self,
        recording: Recording,
        step: int | None = None,
        cache: WordCache | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        encoder = encoder or recording.rules.encoder
        assert can_encode(recording, encoder), "this recording must be encoded in another way"
        step = len(recording) if step is None else step
        self._recording = recording
        self._rules = _rules(recording, step, encoder)
        self._follows = can_follow(recording)
        has_ties = encoder is Encoder.TOKEN_RANK and recording.rules.tied
        self._tied = TiedWords(recording, step) if has_ties else None
        self._longest_whole = int(np.diff(self._rules.wholes.offsets).max(initial=0))
        self._cache = cache or new_cache(CACHE_SLOTS)
        self._scratch = word_encoding.new_scratch(SHORT_SYMBOLS)
        self._room = _NO_IDS

    def ids(self, text: str) -> Ids:
        """The ids of a text in which nothing is a special token. Raises as PreTokenizer.words does."""
        return np.concatenate([_NO_IDS, *(ids for ids, _ in self.text_slices(text))])

    def text_slices(self, text: str) -> Iterator[tuple[Ids, float]]:
        """The same, some 10 ms of work at a time, with the share of the text that is done; some slices are empty, also
        in the middle of a long word."""
        pipeline = self._recording.pipeline
        if compiled_pattern(pipeline.pre_tokenizer) is not None:
            yield from self.word_slices(pipeline.normalizer.normalize(text) if pipeline.normalizer else text)
        else:
            yield from self._sliced(words_of(pipeline, text))

    def word_slices(self, normalized: str) -> Iterator[tuple[Ids, float]]:
        """The same of a text that is normalized already."""
        pre_tokenizer = self._recording.pipeline.pre_tokenizer
        pattern = compiled_pattern(pre_tokenizer)
        if pattern is None or self._tied:
            yield from self._sliced(words_in(pre_tokenizer, normalized))
            return
        for stretch in stretches_of(pattern, normalized):
            for ids in self._stretch_slices(pattern, stretch):
                yield ids, stretch.share

    def _sliced(self, found: Iterator[tuple[Words, float]]) -> Iterator[tuple[Ids, float]]:
        for words, share in found:
            if not len(words.starts):
                yield _NO_IDS, share
            for encoded in self.slices(words):
                yield encoded.ids, share

    def _stretch_slices(self, pattern: int, stretch: Stretch) -> Iterator[Ids]:
        data, stop, _ = stretch
        place = 0
        if not stop:
            yield _NO_IDS
        while place < stop:
            place, end, count = word_encoding.encode_text(
                pattern, data, place, min(place + BYTES_PER_SLICE, stop), stop, character_kinds(), self._rules,
                self._cache, self._scratch, self._free_room(),
            )  # fmt: skip
            yield self._filled(count)
            if end > place and not count:
                word = Words(data, np.array([place]), np.array([end]))
                yield from (encoded.ids for encoded in self._long_ids(word, 0))
                place = end

    def _free_room(self) -> Ids:
        """Where the ids of a slice can be written; what was written before stays as it is."""
        if len(self._room) < SYMBOLS_PER_SLICE:
            self._room = np.empty(SLICES_PER_ROOM * SYMBOLS_PER_SLICE, np.int32)
        return self._room[:SYMBOLS_PER_SLICE]

    def _filled(self, count: int) -> Ids:
        ids, self._room = self._room[:count], self._room[count:]
        return ids

    def pieces(self, word: str) -> list[Piece]:
        """The tokens of one word."""
        if self._tied and self._tied.holds(word):
            return self._tied.pieces(word)
        words = Words.of([word])
        if (whole := self._whole(words, 0)) is not None:
            return [Piece(whole, 0, len(self._spelled(words, 0)))]
        tokens = without_progress(self._long_word(words, 0, None)).tokens
        numbers, lengths = tokens.tolist(), self._rules.merges.lengths
        pieces, place = list[Piece](), 0
        while place < len(numbers):
            end = place + int(lengths[numbers[place]])
            pieces.append(Piece(int(self._rules.token_ids[numbers[place]]), place, end))
            place = end
        return pieces

    def token_count(self, words: Words) -> int:
        return sum(len(encoded.ids) for encoded in self.slices(words))

    def words(self, words: Words) -> EncodedWords:
        """The ids of words that are cut already."""
        return _joined(list(self.slices(words)))

    def slices(self, words: Words) -> Iterator[EncodedWords]:
        """The same, some 10 ms of work at a time; some slices are empty, also in the middle of a long word."""
        first = 0
        if tied := self._tied:
            for word in tied.among(words):
                yield from self._slices(words.slice(first, word))
                ids = tied.ids(words, word)
                yield EncodedWords(ids, np.array([len(ids)]))
                first = word + 1
        yield from self._slices(words.slice(first, len(words.starts)))

    def _slices(self, words: Words) -> Iterator[EncodedWords]:
        """The same of words in which no two merges are equal."""
        word = 0
        while word < len(words.starts):
            part = words.slice(word, word + WORDS_PER_SLICE)
            ends = np.empty(len(part.starts), np.int64)
            done = word_encoding.encode_words(*part, self._rules, self._cache, self._scratch, self._free_room(), ends)
            if done:
                yield EncodedWords(self._filled(int(ends[done - 1])), ends[:done])
            else:
                yield from self._long_ids(words, word)
            word += max(done, 1)

    def boundaries(self, words: Words) -> Iterator[Boundaries]:
        """The boundaries of words at all steps up to `step`, some 10 ms of work at a time; some slices are empty."""
        assert self._follows, "the words of this recording have no such history"
        base, ranks = np.empty((2, SYMBOLS_PER_SLICE), np.int32)
        places = np.empty(WORDS_PER_SLICE + 1, np.int64)
        word = 0
        while word < len(words.starts):
            part = words.slice(word, word + WORDS_PER_SLICE)
            done = word_encoding.rank_words(*part, self._rules, self._scratch, base, ranks, places)
            if done:
                size = places[done]
                symbols = self._rules.token_ids[base[:size]]
                yield Boundaries(symbols, ranks[:size].copy(), places[1 : done + 1].copy())
            else:
                yield from self._long_boundaries(words, word)
            word += max(done, 1)

    def boundary_ranks(self, word: str) -> list[int]:
        """Those between the base symbols of one word."""
        ranks: list[int] = np.concatenate([part.ranks for part in self.boundaries(Words.of([word]))]).tolist()
        return ranks[:-1]

    def tokens_at(self, boundaries: Boundaries, step: int) -> tuple[Ids, Numbers]:
        """The tokens after `step` merges, and where they end among the base symbols."""
        ends = np.flatnonzero(boundaries.ranks >= step) + 1
        if not len(ends):
            return _NO_IDS, _NO_ENDS
        starts = np.concatenate([_FIRST, ends[:-1]])
        made = np.where(boundaries.ranks >= step, -1, boundaries.ranks)
        latest = np.maximum.reduceat(made, starts)
        ids = boundaries.symbols[starts]
        is_made = latest >= 0
        ids[is_made] = self._rules.token_ids[self._rules.merges.first + latest[is_made]]
        return ids, ends

    def _long_ids(self, words: Words, index: int) -> Iterator[EncodedWords]:
        if (whole := self._whole(words, index)) is not None:
            yield EncodedWords(np.array([whole], np.int32), _ONE)
            return
        word = yield from self._long_word(words, index, EncodedWords(_NO_IDS, _NO_ENDS))
        ids = np.empty(len(word.tokens) - word.merges_made, np.int32)
        encoding.write_ids(word.tokens, len(word.tokens), self._rules.merges, self._rules.token_ids, ids, 0)
        yield EncodedWords(ids, np.array([len(ids)]))

    def _long_boundaries(self, words: Words, index: int) -> Iterator[Boundaries]:
        word = yield from self._long_word(words, index, Boundaries(_NO_IDS, _NO_IDS, _NO_ENDS))
        symbols = self._rules.token_ids[self._spelled(words, index)]
        yield Boundaries(symbols, word.removed, np.array([len(symbols)]))

    def _long_word(self, words: Words, index: int, nothing: Nothing) -> Generator[Nothing, None, "_LongWord"]:
        """Merge it, and yield `nothing` every now and then."""
        yield nothing
        tokens = self._spelled(words, index)
        removed, heap = np.empty(len(tokens), np.int32), np.empty(2 * len(tokens), np.int64)
        state = np.zeros(3, np.int64)
        while not encoding.merge_long(
            tokens, len(tokens), heap, state, removed, self._rules.merges, self._rules.limit, MERGES_PER_SLICE
        ):
            yield nothing
        return _LongWord(tokens, removed, int(state[2]))

    def _whole(self, words: Words, index: int) -> int | None:
        """The token that a word is as it stands, if the model looks for that and merges would not find it."""
        start, end = int(words.starts[index]), int(words.ends[index])
        if end - start > self._longest_whole:
            return None
        found = word_encoding.find_whole(self._rules.wholes, words.data, start, end)
        return None if found < 0 else int(found)

    def _spelled(self, words: Words, index: int) -> Ids:
        start, end = int(words.starts[index]), int(words.ends[index])
        numbers = np.empty(end - start + 1, np.int32)
        size = spell(words.data, start, end, self._rules.spelling, numbers, 0)
        word_encoding.to_numbers(numbers, 0, size)
        return numbers[:size]


class _LongWord(NamedTuple):
    """As merge_long leaves it."""

    tokens: Ids
    removed: Ids
    merges_made: int


def unmerged_tokens(recording: Recording) -> list[bytes]:
    """The tokens that the merges, which must be monotone, do not make of a word like them."""
    compiled, step = recording.compiled_merges, len(recording)
    merges, token_ids = compiled.up_to(step)
    rules = Rules(compiled.spelling, compiled.is_plain, merges, compiled.first + step, token_ids, _NO_WHOLES)
    return _unmerged(recording.tokens_as_words(step), rules)


def _rules(recording: Recording, step: int, encoder: Encoder) -> Rules:
    wholes = _NO_WHOLES
    if recording.has_histories and (encoder is Encoder.MERGE_RANK or recording.is_regular):
        compiled = recording.compiled_merges
        merges, token_ids = compiled.up_to(step)
        return Rules(compiled.spelling, compiled.is_plain, merges, compiled.first + step, token_ids, wholes)
    listed = ListedMerges(recording, step, encoder)
    rules = Rules(listed.spelling, listed.is_plain, listed.merges, listed.limit, listed.token_ids, wholes)
    if recording.rules.whole_pieces and encoder is recording.rules.encoder:
        rules = rules._replace(wholes=_wholes(recording, step, rules))
    return rules


def _wholes(recording: Recording, step: int, rules: Rules) -> Wholes:
    """The tokens that are there after `step` merges and that merges alone do not make of a word like them."""
    tokens = recording.tokens_as_words(step)
    packed = Words.of_bytes(exceptions := _unmerged(tokens, rules))
    offsets = np.concatenate([packed.starts, packed.ends[-1:]]) if exceptions else _FIRST
    return new_wholes(packed.data, offsets, np.array([tokens[content] for content in exceptions], np.int32))


def _unmerged(tokens: Mapping[bytes, int], rules: Rules) -> list[bytes]:
    """Those that the rules do not make of a word like them."""
    contents = [content for content in tokens if content]
    words = Words.of_bytes(contents)
    scratch, cache = word_encoding.new_scratch(max(words.longest, SHORT_SYMBOLS)), new_cache(CACHE_SLOTS)
    ids, exceptions, first = np.empty(words.longest + SYMBOLS_PER_SLICE, np.int32), list[bytes](), 0
    while first < len(contents):
        part = words.slice(first, first + WORDS_PER_SLICE)
        ends = np.empty(len(part.starts), np.int64)
        done = word_encoding.encode_words(*part, rules, cache, scratch, ids, ends)
        starts = np.concatenate([_FIRST, ends[: done - 1]])
        wanted = np.array([tokens[content] for content in contents[first : first + done]])
        is_one = (ends[:done] - starts == 1) & (ids[starts] == wanted)
        exceptions += [contents[first + i] for i in np.flatnonzero(~is_one).tolist()]
        first += done
    return exceptions


def _joined(slices: list[EncodedWords]) -> EncodedWords:
    starts = accumulate((len(part.ids) for part in slices), initial=0)
    ends = [part.ends + start for part, start in zip(slices, starts, strict=False)]
    return EncodedWords(np.concatenate([_NO_IDS, *(part.ids for part in slices)]), np.concatenate([_NO_ENDS, *ends]))
