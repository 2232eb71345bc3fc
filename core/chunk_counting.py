"""Counts the words of chunks, in any process, and puts the words that lie across two chunks together."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from core.chunks import Chunk
from core.packed_words import PackedWords
from core.pipeline import MAX_SAMPLES, Pipeline, Texts, count_texts, count_words
from core.progress import without_progress
from core.safe_cuts import first_and_last, safe_places, words_between


class ChunkCounts(NamedTuple):
    """The words of a chunk in order of first appearance, and what its pattern leaves out as in WordCounts.

    Of a part of a text these are the words between two safe places, the first and the last; the normalized text before
    and behind them is `head` and `tail`, and `ahead` is the character behind the head, "" if there is no such place.
    """

    words: PackedWords
    head: str = ""
    ahead: str = ""
    tail: str = ""
    unmatched: int = 0
    samples: tuple[tuple[int, str], ...] = ()
    normalized_chars: int = 0


def count_chunk(chunk: Chunk, pipeline: Pipeline) -> ChunkCounts:
    """Raises PatternError as count_words does."""
    if chunk.is_part:
        return _count_part(chunk, pipeline)
    if pipeline.makes_one_text(()) and pipeline.texts is Texts.WHOLE:
        words = without_progress(count_words(chunk.text, pipeline))
        return ChunkCounts(PackedWords.of(words.counts), unmatched=words.unmatched, samples=words.unmatched_samples)
    words, length = without_progress(count_texts(chunk.text, pipeline, chunk.number))
    return ChunkCounts(PackedWords.of(words.counts), "", "", "", words.unmatched, words.unmatched_samples, length)


def _count_part(chunk: Chunk, pipeline: Pipeline) -> ChunkCounts:
    text = pipeline.normalizer.normalize(chunk.text, at_start=chunk.is_first)
    places = safe_places(pipeline.pre_tokenizer)
    assert places
    found = first_and_last(places, text)
    if found is None:
        return ChunkCounts(PackedWords.of({}), head=text)
    first, last = found
    counts = Counter[str]()
    for words in words_between(pipeline.pre_tokenizer, text, first, last):
        counts.update(words)
    return ChunkCounts(PackedWords.of(counts), text[:first], text[first], text[last:])


class Joiner:
    """Takes the counts of chunks in their order; gives words with counts, also those across two chunks."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pre_tokenizer = pipeline.pre_tokenizer
        self._tail: list[str] = []  # of the text whose parts are taken now: from the last safe place on
        self._place = 0  # in the normalized corpus
        self.unmatched = 0
        self.samples: tuple[tuple[int, str], ...] = ()

    def add(self, chunk: Chunk, counts: ChunkCounts) -> Iterator[Mapping[str, int]]:
        if chunk.is_first:
            yield self.end()
        if counts.ahead:
            yield self._words_before(counts.head, counts.ahead)
            self._tail = [counts.tail]
        else:
            self._tail.append(counts.head)
        yield counts.words
        self.unmatched += counts.unmatched
        room = MAX_SAMPLES - len(self.samples)
        self.samples += tuple((self._place + place, text) for place, text in counts.samples[:room])
        self._place += counts.normalized_chars + chunk.gap

    def end(self) -> Counter[str]:
        """The words behind the last safe place of the text."""
        words = self._words_before("", "")
        self._tail = []
        return words

    def _words_before(self, head: str, ahead: str) -> Counter[str]:
        text, counts = "".join([*self._tail, head]), Counter[str]()
        for words in words_between(self._pre_tokenizer, text + ahead, 0, len(text)) if text else ():
            counts.update(words)
        return counts
