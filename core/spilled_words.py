"""Keeps words with their counts on the disk until all are known, in files that the system removes by itself.

A word always goes to the same one of PARTS files. So in the end one file after the other can be added up, and only so
much must be in memory at a time.
"""

import errno
import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np

from core.errors import CorpusError
from core.packed_words import PADDING, Bytes, Numbers, PackedWords
from core.packed_words_builder import WordBatch, gathered
from core.progress import Progress

PARTS = 64
WORDS_PER_SLICE = 1 << 16  # some 20 ms of work
_DISK_FOLDER = Path("/var/tmp")  # /tmp may lie in memory


class SpilledWords:
    """`close` it and nothing is left; if the process is killed, nothing is left either."""

    def __init__(self) -> None:
        self._files: list[IO[bytes]] = []
        self._next_place = 0
        self.total = 0  # words, each as often as it occurs
        self.most_at_once = 0  # different words that were added together
        self.unique = 0  # known when they are added up

    def __bool__(self) -> bool:
        return bool(self._files)

    def add(self, words: PackedWords) -> Generator[Progress, None, None]:
        """These come behind all that were added before. Raises CorpusError if the disk is full."""
        with _in_the_users_words():
            self._files = self._files or [_new_file() for _ in range(PARTS)]
            for start in range(0, len(words), WORDS_PER_SLICE):
                stop = min(start + WORDS_PER_SLICE, len(words))
                self._write(words, start, stop)
                yield Progress(stop, len(words))
        self._next_place += len(words)
        self.total += words.total
        self.most_at_once = max(self.most_at_once, len(words))

    def added_up(self, min_count: int = 1) -> Generator[Progress, None, PackedWords]:
        """Each word once, in the order in which they came first; only those with such a count or more."""
        batches = list[WordBatch]()
        for number, file in enumerate(self._files, 1):
            with _in_the_users_words():
                batches.append((yield from self._added_up(file, min_count)))
                file.close()
            yield Progress(number, PARTS)
        words = WordBatch(*map(np.concatenate, zip(*batches, strict=True)))
        batches.clear()
        return (yield from _in_order(words))

    def close(self) -> None:
        for file in self._files:
            file.close()

    def _write(self, words: PackedWords, start: int, stop: int) -> None:
        offsets = words.offsets[start : stop + 1]
        parts = _parts(words.data, offsets)
        order = np.argsort(parts, kind="stable")
        bounds = np.searchsorted(parts[order], np.arange(PARTS + 1))
        lengths, counts = np.diff(offsets), words.counts[start:stop]
        for file, (first, last) in zip(self._files, pairwise(bounds), strict=True):
            chosen = order[first:last]
            places = chosen + (self._next_place + start)
            for column in (np.array([last - first]), lengths[chosen], counts[chosen], places):
                file.write(column.astype(np.int64).tobytes())
            file.write(b"".join([words.data[offsets[i] : offsets[i + 1]].tobytes() for i in chosen.tolist()]))

    def _added_up(self, file: IO[bytes], min_count: int) -> Generator[Progress, None, WordBatch]:
        counts, places = dict[bytes, int](), dict[bytes, int]()
        total = file.tell()
        file.seek(0)
        while size := file.read(8):
            rows = int.from_bytes(size, "little")
            lengths, added, at = (np.frombuffer(file.read(8 * rows), np.int64) for _ in range(3))
            data, offsets = file.read(int(lengths.sum())), [0, *np.cumsum(lengths).tolist()]
            for (start, end), count, place in zip(pairwise(offsets), added.tolist(), at.tolist(), strict=True):
                word = data[start:end]
                counts[word] = counts.get(word, 0) + count
                places.setdefault(word, place)
            yield Progress(0, total)
        self.unique += len(counts)
        kept = [word for word, count in counts.items() if count >= min_count]
        values = (np.fromiter((column[word] for word in kept), np.int64, len(kept)) for column in (counts, places))
        return WordBatch.of(kept, *values)


def _in_order(words: WordBatch) -> Generator[Progress, None, PackedWords]:
    """Of their places."""
    order = np.argsort(words.places, kind="stable")
    starts, end = words.offsets(), 0
    data = np.zeros(starts[-1] + PADDING, np.uint8)
    for first in range(0, len(order), WORDS_PER_SLICE):
        chosen = order[first : first + WORDS_PER_SLICE]
        part, _ = gathered(words.data, starts[chosen], words.lengths[chosen])
        data[end : end + len(part)] = part
        end += len(part)
        yield Progress(first, len(order))
    offsets = np.zeros(len(order) + 1, np.int64)
    np.cumsum(words.lengths[order], out=offsets[1:])
    return PackedWords(data, offsets, words.counts[order])


def _parts(data: Bytes, offsets: Numbers) -> Numbers:
    """The number of each word's file, by what stands in it."""
    starts, ends = offsets[:-1], offsets[1:]
    values = [ends - starts, *(data[places].astype(np.int64) for places in (starts, (starts + ends) // 2, ends - 1))]
    return np.asarray(sum(value * factor for value, factor in zip(values, (41, 37, 31, 29), strict=True)) % PARTS)


def _new_file() -> IO[bytes]:
    return tempfile.TemporaryFile(dir=_folder())  # open until `close`


def _folder() -> str:
    """On a disk if there is one, unless somebody says where."""
    if "TMPDIR" not in os.environ and os.access(_DISK_FOLDER, os.W_OK):
        return str(_DISK_FOLDER)
    return tempfile.gettempdir()


@contextmanager
def _in_the_users_words() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or str(error)
        raise CorpusError(
            f"Words beyond the memory limit could not be kept in {_folder()}: {reason}. Free some room, set TMPDIR to "
            "another folder, or raise the limit."
        ) from None
