"""Opens files that may be compressed, told by their first bytes and not by their names, and reads what is in them."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from core.errors import CorpusError

Faults = tuple[type[Exception], ...]
Opened = tuple[Any, Faults]
"""A stream, and what it raises if its contents make no sense."""

ENDINGS = (".gz", ".xz", ".bz2", ".zst")
"""Usual ones; none of them is asked for."""


class Compression(NamedTuple):
    name: str
    magic: bytes
    open: Callable[[IO[bytes]], Opened]


def _open_zstandard(file: IO[bytes]) -> Opened:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:  # a Python that was built without it
        raise CorpusError(
            "Zstandard cannot be unpacked here: this Python has no module for it. Unpack it first."
        ) from None
    return zstd.ZstdFile(file), (zstd.ZstdError,)


def _open_xz(file: IO[bytes]) -> Opened:
    return lzma.LZMAFile(file), (lzma.LZMAError,)


def _open_bzip2(file: IO[bytes]) -> Opened:
    return bz2.BZ2File(file), ()


def _open_gzip(file: IO[bytes]) -> Opened:
    return gzip.GzipFile(fileobj=file), (zlib.error,)


_KINDS = (
    Compression("gzip", b"\x1f\x8b\x08", _open_gzip),
    Compression("xz", b"\xfd7zXZ\x00", _open_xz),
    Compression("bzip2", b"BZh", _open_bzip2),
    Compression("Zstandard", b"\x28\xb5\x2f\xfd", _open_zstandard),
)
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # what follows "BZh" and a digit: a block, or the end of an empty file
_MAGIC_BYTES = 16


def compression_of(beginning: bytes) -> Compression | None:
    """How a file is compressed that begins like this; None for a plain one."""
    for kind in _KINDS:
        if beginning.startswith(kind.magic):
            return kind if kind.name != "bzip2" or beginning[4:10] in _BZIP2_BLOCKS else None
    return None


class OpenFile:
    """A file as a stream of the bytes that were compressed, or of its own bytes."""

    def __init__(self, name: str, raw: io.BufferedReader, size: int) -> None:
        self.name = name
        self.size = size
        """In bytes, as it lies on the disk; 0 for what has none, such as a pipe."""
        self._raw = raw
        self.compression = compression_of(raw.peek(_MAGIC_BYTES))
        opened: Opened = self.compression.open(raw) if self.compression else (raw, ())
        self._stream, faults = opened
        self._faults: Faults = (EOFError, *faults)

    @property
    def place(self) -> int:
        """How many of its bytes on the disk are read."""
        return min(self._raw.tell(), self.size) if self._raw.seekable() else 0

    def read(self, size: int) -> bytes:
        """The next bytes, no more than `size`; none at the end. Raises CorpusError for a damaged archive."""
        try:
            return cast(bytes, self._stream.read(size))
        except self._faults as error:
            raise self._damaged(error) from None
        except OSError as error:
            if self.compression is None or error.errno is not None:  # not of gzip and bzip2 but of the disk
                raise
            raise self._damaged(error) from None

    def close(self) -> None:
        self._stream.close()

    def _damaged(self, error: Exception) -> CorpusError:
        assert self.compression
        ends_early = isinstance(error, EOFError)
        reason = "it ends in the middle" if ends_early else str(error).rstrip(".") or "its contents make no sense"
        return CorpusError(
            f"{self.name} is damaged and cannot be unpacked ({self.compression.name}): {reason}. Download or pack it "
            "again."
        )


@contextmanager
def open_unpacked(path: Path) -> Iterator[OpenFile]:
    """Raises OSError for a file that cannot be opened; what comes of reading it is said by OpenFile."""
    with path.open("rb") as raw:
        file = OpenFile(path.name, raw, path.stat().st_size)
        try:
            yield file
        finally:
            file.close()


def unpacked(data: bytes, name: str) -> bytes:
    """What is in data that may be compressed. Raises CorpusError, with the name, if it is damaged."""
    if compression_of(data) is None:
        return data
    return OpenFile(name, io.BufferedReader(io.BytesIO(data)), len(data)).read(-1)
