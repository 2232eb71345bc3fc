"""Files that every machine of a cluster can read: on a common disk, or wherever pyarrow opens them by address."""

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from core.byte_stream import stream_of
from core.compressed import ENDINGS, OpenFile
from core.errors import CorpusError
from core.text_encoding import GUESS_BYTES, detect

MARK = b"\xef\xbb\xbf"


class CorpusFile(NamedTuple):
    """`address` is a whole path or, as `s3://bucket/book.txt`, that of a file elsewhere; `size` in bytes."""

    address: str
    size: int

    @property
    def name(self) -> str:
        return self.address.rpartition("/")[2]


def files_at(places: Iterable[str]) -> list[CorpusFile]:
    """Those that are named, in this order, and those in folders that are, in the order that folders.py has.

    Hidden ones are passed over. Raises CorpusError.
    """
    return [file for place in places for file in _files_at(place)]


def _files_at(place: str) -> list[CorpusFile]:
    from pyarrow.fs import FileSelector, FileType

    with _in_the_users_words(place):
        system, path = _located(place)
        info = system.get_file_info(path)
        inside = system.get_file_info(FileSelector(path, recursive=True)) if info.type == FileType.Directory else [info]
    prefix = place.partition("://")[0] + "://" if "://" in place else ""
    shown = [file for file in inside if file is info or not _is_hidden(file.path.removeprefix(path))]
    found = [CorpusFile(prefix + file.path, file.size) for file in shown if file.type == FileType.File]
    if not found:
        is_folder = info.type == FileType.Directory
        raise CorpusError(
            f"{place}: " + ("there is no file in this folder." if is_folder else "there is no such file.")
        )
    return sorted(found, key=lambda file: file.address.split("/"))


def _is_hidden(path: str) -> bool:
    return any(name.startswith(".") for name in path.split("/"))


def _located(place: str) -> tuple[Any, str]:
    """The file system, and the path in it."""
    from pyarrow.fs import FileSystem

    system, path = FileSystem.from_uri(place if "://" in place else str(Path(place).absolute()))
    return system, path


@contextmanager
def opened(file: CorpusFile) -> Iterator["File"]:
    with _in_the_users_words(file.name):
        system, path = _located(file.address)
        with system.open_input_file(path) as native, io.BufferedReader(native) as raw:
            yield File(file, raw)


class File:
    """Reads on from where it stands, at first at the beginning. Offsets are of what is unpacked."""

    def __init__(self, file: CorpusFile, raw: io.BufferedReader) -> None:
        self._name, self._raw = file.name, raw
        self._file = OpenFile(file.name, raw, file.size)
        self._stream, self._place = stream_of(self._file), 0

    def skip_mark(self) -> int:
        """Go behind a byte order mark at the beginning; returns the offset."""
        self._go_to(len(MARK) if self._stream.peek(len(MARK)).startswith(MARK) else 0)
        return self._place

    def skip_line(self, offset: int) -> int:
        """Go to the first line that starts at this offset, from 1 on, or behind it, or to the end; returns its offset.

        Raises CorpusError in a compressed file, whose middle cannot be read alone.
        """
        if self._file.compression:
            raise CorpusError(
                f"{self._name} is compressed ({self._file.compression.name}), which its name must tell: "
                f"expected was one of the endings {', '.join(ENDINGS)}."
            )
        self._go_to(offset - 1)
        self._place += len(self._stream.readline())
        return self._place

    def lines(self) -> Iterator[bytes]:
        """The rest of the file, which only "\\n" parts."""
        return iter(self._stream.readline, b"")

    def text(self, start: int, stop: int | None) -> str:
        """What stands between two offsets, without a byte order mark. Raises CorpusError unless it is UTF-8."""
        data = self._beginning() if start == 0 else b""
        self._go_to(start + len(data))
        data += self._stream.read(-1 if stop is None else max(stop - self._place, 0))
        data = data if stop is None else data[: stop - start]
        mark = len(MARK) if start == 0 and data.startswith(MARK) else 0
        try:
            return data[mark:].decode()
        except UnicodeDecodeError as error:
            place = start + mark + error.start + 1
            raise CorpusError(f"{self._name}: byte {place:,} is not UTF-8. {ONLY_UTF8}") from None

    def _beginning(self) -> bytes:
        """The first bytes, which tell the encoding."""
        data = self._stream.read(GUESS_BYTES)
        self._place += len(data)
        encoding = detect(data, self._name).encoding
        if encoding != "utf-8":
            raise CorpusError(f"{self._name} is in {encoding.upper()}. {ONLY_UTF8}")
        return data

    def _go_to(self, offset: int) -> None:
        """Forwards in a compressed file, anywhere in another."""
        if offset != self._place and self._file.compression:
            self._stream.read(offset - self._place)
        elif offset != self._place:
            self._raw.seek(offset)
            self._stream = stream_of(self._file)
        self._place = offset


ONLY_UTF8 = "On Spark a corpus must be UTF-8: convert it first, as with iconv -t UTF-8."


@contextmanager
def _in_the_users_words(name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise CorpusError(f"{name}: there is no such file.") from None
    except (OSError, ValueError) as error:  # of pyarrow: also for an address of a kind that it does not know
        raise CorpusError(
            f"{name} could not be read: {str(error).splitlines()[0] if str(error) else error!r}"
        ) from None
