"""Words and their counts from UTF-8 bytes in compiled loops: the words of pipeline.py's count_words, in their order.

The kernels must be ready or are waited for: see kernel_loader.py, which is asked by whoever has another way.
"""

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from core.alphabet import utf8
from core.byte_texts import Chunk, Stretch, stretches
from core.huge_pages import zeros
from core.packed_words import PADDING, Bytes, Numbers, PackedWords
from core.pipeline import Pipeline, Places, Texts
from core.progress import Progress, without_progress
from core.threads import processor_count

FIRST_CAPACITY = 1 << 12
FIRST_CAPACITY_OF_THREADS = 1 << 17  # of a table that is one huge page, which is quickly made
WORDS_PER_SLICE = 1 << 14
WAIT_SECONDS = 0.05
SIZE_FOR_THREADS = 1 << 21
"""A shorter corpus is counted in the caller's thread."""
PIECE_CHARS = 1 << 19  # 1 ms to encode

Result = TypeVar("Result")


def can_count(pipeline: Pipeline) -> bool:
    """Whether there is a compiled loop for it: the text stays as it is, and one of our patterns alone cuts it."""
    pre_tokenizer = pipeline.pre_tokenizer
    is_ours = pre_tokenizer.keeps_everything or pre_tokenizer.cuts_at_line_starts
    return is_ours and pre_tokenizer.is_plain and not pipeline.normalizer


class ByteCounter:
    """Counts the words of one pattern in the texts it is handed; for one thread at a time."""

    def __init__(self, pattern: str, capacity: int = FIRST_CAPACITY) -> None:
        """`capacity`, a power of two, is how many words it has room for before it grows the first time."""
        from core.kernels import word_table
        from core.kernels.characters import character_kinds
        from core.kernels.scanning import PATTERN_NUMBERS

        self._kernels = word_table
        self._pattern = PATTERN_NUMBERS[pattern]
        self._kinds = character_kinds()
        self._batch = word_table.new_batch()
        self._capacity = capacity
        self.clear()

    def clear(self) -> None:
        self._table = self._kernels.new_table(self._capacity)

    @property
    def unique(self) -> int:
        return self._table.unique

    @property
    def total(self) -> int:
        return int(self._table.state[self._kernels.TOTAL])

    @property
    def memory_bytes(self) -> int:
        return self._table.memory_bytes

    def count(self, data: Bytes, start: int, stop: int, base: int = 0) -> None:
        """The words of the text `data[start:stop]`; `base` is where the corpus has `data[0]`.

        `data` may be written to, though it is not, and has PADDING bytes behind `stop`.
        """
        self.count_texts(data, np.array([start], np.int64), np.array([stop], np.int64), base)

    def count_texts(self, data: Bytes, starts: Numbers, ends: Numbers, base: int = 0, by_lines: bool = False) -> None:
        """As `count`, of every text from one of `starts` to its end, or every line of these; changes `starts`."""
        without_progress(self.counting_texts(data, starts, ends, base, by_lines))

    def counting_texts(
        self, data: Bytes, starts: Numbers, ends: Numbers, base: int = 0, by_lines: bool = False
    ) -> Generator[None, None, None]:
        """As count_texts, yielding after some milliseconds."""
        kernels, pattern, kinds, batch = self._kernels, self._pattern, self._kinds, self._batch
        status, line_stop = kernels.PAUSED, 0
        while status != kernels.DONE:
            status, line_stop = kernels.count_texts(
                pattern, by_lines, data, starts, ends, base, kinds, self._table, batch, line_stop
            )
            if status == kernels.NO_ROOM:
                self._table = kernels.enlarged(self._table)
            elif status == kernels.PAUSED:
                yield

    def take_in(self, other: "ByteCounter") -> None:
        """Count also what another one has; a word's first place is the first one in both."""
        without_progress(self.taking_in(other))

    def taking_in(self, other: "ByteCounter") -> Generator[None, None, None]:
        """As take_in, yielding after some milliseconds."""
        for table in self._kernels.taking_in(other._table, self._table, WORDS_PER_SLICE):
            self._table = table
            yield

    def result(self) -> PackedWords:
        """In order of first appearance."""
        return without_progress(self.resulting())

    def resulting(self) -> Generator[None, None, PackedWords]:
        """As result, yielding after some milliseconds."""
        return (yield from self._resulting())[0]

    def result_with_places(self) -> tuple[PackedWords, Numbers]:
        """The words in order of first appearance, and where that was: in bytes of the corpus."""
        return without_progress(self._resulting())

    def _resulting(self) -> Generator[None, None, tuple[PackedWords, Numbers]]:
        words, places = self._kernels.in_order(self._table)
        offsets, counts = zeros(len(words) + 1), zeros(len(words))
        slices = [slice(first, first + WORDS_PER_SLICE) for first in range(0, len(words), WORDS_PER_SLICE)]
        for part in slices:
            self._kernels.measure_words(self._table, words[part], offsets[part.start :], counts[part])
            yield
        data = zeros((offsets[-1] + PADDING) // 8 + 1).view(np.uint8)
        for part in slices:
            self._kernels.copy_words(self._table, words[part], offsets[part.start :], data)
            yield
        return PackedWords(data, offsets, counts), places


class CountingThreads:
    """Counts stretches in threads, each with a counter of its own; without threads at once, where it is called."""

    def __init__(self, pattern: str, threads: int) -> None:
        capacity = FIRST_CAPACITY_OF_THREADS if threads else FIRST_CAPACITY
        self._counters = [ByteCounter(pattern, capacity) for _ in range(max(threads, 1))]
        self._idle: SimpleQueue[ByteCounter] = SimpleQueue()
        for counter in self._counters:
            self._idle.put(counter)
        self._empty_bytes = sum(counter.memory_bytes for counter in self._counters)
        self._stretches: deque[Stretch] = deque()  # that nobody has begun to count
        self._pool = ThreadPoolExecutor(threads, "counting") if threads else None
        self._waiting: deque[Future[None]] = deque()
        self._is_closed = False

    @property
    def total(self) -> int:
        return sum(counter.total for counter in self._counters)

    @property
    def unique(self) -> int:
        """Of the thread that has most; all together may have more."""
        return max(counter.unique for counter in self._counters)

    @property
    def memory_bytes(self) -> int:
        """What the words take that there was no room for at first: no limit could make the rest less."""
        return sum(counter.memory_bytes for counter in self._counters) - self._empty_bytes

    def add(self, stretch: Stretch) -> None:
        """Returns when it is not far from being its turn, so that few stretches wait in memory."""
        without_progress(self.adding(stretch))

    def adding(self, stretch: Stretch) -> Generator[None, None, None]:
        """As add, yielding after some milliseconds."""
        self._stretches.append(stretch)
        if not self._pool:
            yield from self._counting_next()
            return
        self._waiting.append(self._pool.submit(self._count_next))
        if len(self._waiting) > 2 * len(self._counters):
            yield from self._waiting_for_next()

    def gather(self) -> ByteCounter:
        """All that was added, in one counter; the others are empty then. More may be added afterwards."""
        return without_progress(self.gathering())

    def gathering(self) -> Generator[None, None, ByteCounter]:
        """As gather, yielding after some milliseconds; it cannot be left and begun anew."""
        while self._waiting:
            yield from self._waiting_for_next()
            yield
        first, *others = self._counters
        for other in others:
            yield from first.taking_in(other)
            other.clear()
        return first

    def _waiting_for_next(self) -> Generator[None, None, None]:
        while not wait([self._waiting[0]], WAIT_SECONDS).done:
            yield
        self._waiting.popleft().result()

    def _count_next(self) -> None:
        for _ in self._counting_next():
            if self._is_closed:
                return

    def _counting_next(self) -> Generator[None, None, None]:
        """A counter must not go back in the corpus: it takes a word's place to be where it meets it first."""
        counter = self._idle.get()
        try:
            stretch = self._stretches.popleft()  # now, not before: another thread may use the counter meanwhile
            yield from counter.counting_texts(
                stretch.data, stretch.starts, stretch.ends, stretch.base, stretch.by_lines
            )
        finally:
            self._idle.put(counter)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """What is not counted yet is left."""
        self._is_closed = True
        if self._pool:
            self._pool.shutdown(cancel_futures=True)


def count_text(
    text: str, pipeline: Pipeline, files: Places = (), threads: int | None = None
) -> Generator[Progress, None, PackedWords]:
    """Count the words of a text, yielding after every megabyte or so; needs `can_count`.

    Progress and `files`, those of Corpus, are in characters. Closing it ends its threads; with 0 threads the caller's
    does all. Pipeline.check is the caller's business.
    """
    size = len(text)
    if threads is None:
        threads = thread_count() if size >= SIZE_FOR_THREADS else 0
    texts = files if files and pipeline.texts is Texts.FILES else ((0, size),)
    chunks = (Chunk(utf8(text[start:end]), end, ends_text) for start, end, ends_text in _pieces(texts))
    with CountingThreads(pipeline.pre_tokenizer.pattern, threads) as counting:
        for stretch in stretches(chunks, pipeline):
            yield from _at(Progress(stretch.place, size), counting.adding(stretch))
            yield Progress(stretch.place, size)
        counter = yield from _at(Progress(size, size), counting.gathering())
        return (yield from _at(Progress(size, size), counter.resulting()))


def thread_count() -> int:
    """How many are of use on this machine; 0 if one thread has it all."""
    processors = processor_count()
    return processors if processors > 1 else 0


def _at(place: Progress, work: Generator[None, None, Result]) -> Generator[Progress, None, Result]:
    """Work that the counting waits for."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        yield place


def _pieces(texts: Places) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each part of the texts, and whether it is the last one of its text."""
    for start, end in texts:
        for first in range(start, max(end, start + 1), PIECE_CHARS):
            last = min(first + PIECE_CHARS, end)
            yield first, last, last == end
