"""Reads files of any size as one stream of UTF-8, whatever their encodings and however they are compressed."""

import hashlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.compressed import OpenFile, open_unpacked
from core.errors import CorpusError
from core.files import Stamp, in_the_users_words, unpacked_note
from core.progress import Progress
from core.text_decoder import TextDecoder
from core.text_encoding import GUESS_BYTES, DetectedBy

BLOCK_BYTES = 1 << 20  # some 3 ms of work; to unpack bzip2, the slowest, 25


class Piece(NamedTuple):
    """Text of the file with this place among the files, or the line end that is put behind a file without one.

    `progress` is in bytes of all files as they lie on the disk.
    """

    data: bytes
    file: int
    progress: Progress
    is_added: bool = False


class FileRead(NamedTuple):
    """What is known of a file that was read; `byte_count` is that of its text, unpacked, before it became UTF-8."""

    name: str
    encoding: str
    detected_by: DetectedBy
    byte_count: int
    notes: tuple[str, ...]


class StreamRead(NamedTuple):
    """`sha256` (hex) is that of all files, unpacked, one behind the other; `unended` had no line end at their ends."""

    files: tuple[FileRead, ...]
    unended: tuple[str, ...]
    sha256: str

    @property
    def byte_count(self) -> int:
        return sum(file.byte_count for file in self.files)


@dataclass(frozen=True)
class TextFiles:
    """Files as they were when `of` found them; `encoding` None is found out for each."""

    paths: tuple[Path, ...]
    stamps: tuple[Stamp, ...]
    encoding: str | None = None

    @classmethod
    def of(cls, paths: Sequence[Path], encoding: str | None = None) -> "TextFiles":
        """Raises CorpusError if there is no such file or it is no plain file."""
        return cls(tuple(paths), tuple(Stamp.of(path) for path in paths), encoding)

    @property
    def disk_bytes(self) -> int:
        """What the files take as they are, packed or not."""
        return sum(stamp.size for stamp in self.stamps)

    def read(self, most_bytes: int | None = None, block_bytes: int = BLOCK_BYTES) -> Generator[Piece, None, StreamRead]:
        """Their texts in order, in pieces that end where a character does; ends behind `most_bytes` of text.

        Raises CorpusError as read_corpora does, and for a file that has changed.
        """
        reader = _Reader(self, most_bytes, block_bytes)
        yield from reader.pieces()
        return reader.result()


class _Reader:
    def __init__(self, files: TextFiles, most_bytes: int | None, block_bytes: int) -> None:
        self._files = files
        self._most_bytes = most_bytes
        self._block_bytes = block_bytes
        self._digest = hashlib.sha256()
        self._read = list[FileRead]()
        self._unended = list[str]()
        self._name_of_last = ""  # the last file with a text
        self._ends_line = True
        self._done = 0  # on the disk
        self._given = 0

    @property
    def _is_enough(self) -> bool:
        return self._most_bytes is not None and self._given >= self._most_bytes

    def result(self) -> StreamRead:
        return StreamRead(tuple(self._read), tuple(self._unended), self._digest.hexdigest())

    def pieces(self) -> Iterator[Piece]:
        for number, (path, stamp) in enumerate(zip(self._files.paths, self._files.stamps, strict=True)):
            if self._is_enough:
                return
            _check_unchanged(path, stamp)
            with in_the_users_words(path), open_unpacked(path) as file:
                yield from self._pieces_of(file, number)
            _check_unchanged(path, stamp)
            self._done += stamp.size

    def _pieces_of(self, file: OpenFile, number: int) -> Iterator[Piece]:
        beginning = _read_up_to(file, max(self._block_bytes, GUESS_BYTES))
        decoder = TextDecoder(file.name, beginning, self._files.encoding)
        is_begun = False
        for block, is_last in _blocks(file, beginning, decoder, self._block_bytes):
            self._digest.update(block)
            data = decoder.feed(block, is_last)
            progress = Progress(self._done + file.place, max(self._done + file.place, self._files.disk_bytes))
            if data and not is_begun:
                is_begun = True
                yield from self._line_end(number, progress)
                self._name_of_last = file.name
            if data:
                self._ends_line = data.endswith(b"\n")
            self._given += len(data)
            yield Piece(data, number, progress)
            if self._is_enough:
                break
        packed = (unpacked_note(file.compression.name),) if file.compression else ()
        self._read.append(FileRead(file.name, *decoder.detection[:2], decoder.byte_count, packed + decoder.notes()))

    def _line_end(self, number: int, progress: Progress) -> Iterator[Piece]:
        if not self._ends_line:
            self._unended.append(self._name_of_last)
            self._given += 1
            yield Piece(b"\n", number, progress, is_added=True)


def _blocks(file: OpenFile, beginning: bytes, decoder: TextDecoder, block_bytes: int) -> Iterator[tuple[bytes, bool]]:
    """The bytes of a file, and whether they are its last."""
    block, wanted = beginning, max(block_bytes, GUESS_BYTES)
    while True:
        is_last = len(block) < wanted
        if not is_last and decoder.wants_more(block):
            more = _read_up_to(file, GUESS_BYTES)
            is_last = len(more) < GUESS_BYTES
            block += more
        yield block, is_last
        if is_last:
            return
        block, wanted = _read_up_to(file, block_bytes), block_bytes


def _read_up_to(file: OpenFile, size: int) -> bytes:
    """So many bytes, fewer only at the end of the file."""
    block = file.read(size)
    while len(block) < size and (more := file.read(size - len(block))):
        block += more
    return block


def _check_unchanged(path: Path, stamp: Stamp) -> None:
    if Stamp.of(path) != stamp:
        raise CorpusError(f"{path.name} has changed since it was opened. Open it again, then train.")
