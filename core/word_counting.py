"""Counts the words of a corpus, in the way that is fastest for its size and pipeline; the result is always the same.

Compiled loops count the words of our own patterns. Where they cannot, a short text is counted here, and a longer one by
regular expressions in worker processes. Nobody knows where one text can be cut in two for a pattern of the user's own:
with such a pattern all of a text must be in memory, unless every line, or what stands between special tokens, is one.
"""

from collections import deque
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TypeVar

from core import kernel_loader
from core.bounded_words import BoundedWords
from core.byte_counting import SIZE_FOR_THREADS, CountingThreads, can_count, thread_count
from core.byte_texts import Chunk as ByteChunk
from core.byte_texts import checked, stretches
from core.chunk_counting import ChunkCounts, Joiner, count_chunk
from core.chunks import Chunk, Way, chunks_of, way_of
from core.corpus import Corpus
from core.corpus_pieces import CorpusPieces
from core.file_notes import stream_notes
from core.packed_words import PackedWords
from core.pipeline import Pipeline, Texts, WordCounts, count_words
from core.progress import CountingProgress, Progress
from core.text_stream import Piece
from core.word_tally import WordTally
from core.worker_pool import WorkerPool, worker_count

MIN_CHARS_FOR_WORKERS = 8 << 20  # starting them takes as long as to count 2 MB

Result = TypeVar("Result")
Counting = Generator[Progress, None, WordCounts]


def count_corpus(corpus: Corpus, pipeline: Pipeline) -> Counting:
    """The words of the whole corpus, of all its files if it is partial; progress is in bytes of files then.

    Raises PatternError and SpecialTokenError as count_words does, CorpusError if a file cannot be read or the disk is
    full.
    """
    if pipeline.texts is Texts.FILES and len(corpus.paths) < 2:
        pipeline = replace(pipeline, texts=Texts.WHOLE)
    if can_count(pipeline) and kernel_loader.are_ready():
        return _count_compiled(corpus, pipeline)
    is_one_chunk = way_of(pipeline) is Way.WHOLE_TEXTS and pipeline.texts is Texts.WHOLE
    if corpus.is_partial or (corpus.character_count >= MIN_CHARS_FOR_WORKERS and not is_one_chunk):
        return _count_in_processes(corpus, pipeline)
    return _count_here(corpus, pipeline)


def _count_here(corpus: Corpus, pipeline: Pipeline) -> Counting:
    words = yield from count_words(corpus.text, pipeline, corpus.files)
    if pipeline.limits.min_count <= 1:
        return words
    tally = WordTally()
    tally.add(words.counts)
    with closing(BoundedWords(pipeline.limits)) as kept:
        counts = yield from _at(Progress(len(corpus.text), len(corpus.text)), kept.result(tally))
    return replace(words, counts=counts, total=counts.total, notes=kept.notes())


def _count_compiled(corpus: Corpus, pipeline: Pipeline) -> Counting:
    pieces = CorpusPieces(corpus)
    size = corpus.unread.disk_bytes if corpus.unread else corpus.character_count
    threads = CountingThreads(pipeline.pre_tokenizer.pattern, thread_count() if size >= SIZE_FOR_THREADS else 0)
    with closing(BoundedWords(pipeline.limits)) as kept, threads:
        counter, progress = _Gathered(threads), CountingProgress(0, size, 0, 0)
        for stretch in stretches(checked(_byte_chunks(pieces, pipeline), pipeline), pipeline):
            yield from _at(progress, threads.adding(stretch))
            progress = CountingProgress(stretch.place, size, kept.total + threads.total, kept.unique + threads.unique)
            yield progress
            yield from _at(progress, kept.relieve(counter))
        counts = yield from _at(Progress(size, size), kept.result(counter))
    return _result(WordCounts(counts, counts.total), pieces, kept)


class _Gathered:
    """The words of all threads as those of one counter."""

    def __init__(self, threads: CountingThreads) -> None:
        self._threads = threads

    @property
    def memory_bytes(self) -> int:
        return self._threads.memory_bytes

    def resulting(self) -> Generator[None, None, PackedWords]:
        counter = yield from self._threads.gathering()
        return (yield from counter.resulting())

    def clear(self) -> None:
        self._threads.gather().clear()


def _byte_chunks(pieces: CorpusPieces, pipeline: Pipeline) -> Iterator[ByteChunk]:
    by_files = pipeline.texts is Texts.FILES
    last: Piece | None = None
    for piece in pieces.bytes():
        if by_files and piece.is_added:
            continue
        if last is not None:
            yield ByteChunk(last.data, last.progress.done, by_files and piece.file != last.file)
        last = piece
    if last is not None:
        yield ByteChunk(last.data, last.progress.done, ends_text=True)


def _count_in_processes(corpus: Corpus, pipeline: Pipeline) -> Counting:
    pieces, joiner, tally = CorpusPieces(corpus), Joiner(pipeline), WordTally()
    progress = CountingProgress(0, 1, 0, 0)
    with closing(BoundedWords(pipeline.limits)) as kept, closing(_counted_chunks(pieces, pipeline)) as counted:
        for done in counted:
            if done is not None:
                for words in joiner.add(*done):
                    tally.add(words)
                progress = CountingProgress(*done[0].progress, kept.total + tally.total, kept.unique + tally.unique)
                yield from _at(progress, kept.relieve(tally))
            yield progress
        tally.add(joiner.end())
        counts = yield from _at(progress, kept.result(tally))
    return _result(WordCounts(counts, counts.total, joiner.unmatched, joiner.samples), pieces, kept)


def _counted_chunks(
    pieces: CorpusPieces, pipeline: Pipeline
) -> Generator[tuple[Chunk, ChunkCounts] | None, None, None]:
    """Each chunk with its words in order, and None whenever there is none for a while."""
    sent = deque[Chunk]()
    with closing(WorkerPool(count_chunk, pipeline, count=worker_count())) as workers:
        for counts in workers.results(_remembered(chunks_of(pieces.texts(), pipeline), sent)):
            yield None if counts is None else (sent.popleft(), counts)


def _remembered(chunks: Iterator[Chunk], sent: deque[Chunk]) -> Iterator[Chunk]:
    for chunk in chunks:
        sent.append(chunk._replace(text=""))
        yield chunk


def _at(progress: Progress, work: Generator[object, None, Result]) -> Generator[Progress, None, Result]:
    """Work that the counting waits for."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        yield progress


def _result(words: WordCounts, pieces: CorpusPieces, kept: BoundedWords) -> WordCounts:
    notes = stream_notes(pieces.read) if pieces.read else ()
    return replace(words, read=pieces.read, notes=(*notes, *kept.notes()))
