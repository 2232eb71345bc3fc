"""Reads files as bytes, unpacked where they are compressed; what goes wrong is said in the user's words."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.compressed import open_unpacked
from core.errors import CorpusError
from core.progress import Progress

if TYPE_CHECKING:
    from hashlib import _Hash

READ_BYTES = 1 << 20


class Stamp(NamedTuple):
    """What tells that a file has changed."""

    size: int
    modified_nanoseconds: int

    @classmethod
    def of(cls, path: Path) -> "Stamp":
        """Raises CorpusError as file_size does."""
        size = file_size(path)
        with in_the_users_words(path):
            return cls(size, path.stat().st_mtime_ns)


def read_bytes(
    path: Path, digest: "_Hash", most_bytes: int | None = None
) -> Generator[Progress, None, tuple[bytes, str]]:
    """What is in a file, and how it was packed, "" for a plain one; the bytes are added to the digest.

    Yields after every megabyte; once it has more than `most_bytes` it reads no further. Raises CorpusError.
    """
    chunks, size, total = list[bytes](), 0, file_size(path)
    with in_the_users_words(path), open_unpacked(path) as file:
        while (most_bytes is None or size <= most_bytes) and (chunk := file.read(READ_BYTES)):
            chunks.append(chunk)
            size += len(chunk)
            digest.update(chunk)
            yield Progress(file.place, max(file.place, total))
        return b"".join(chunks), file.compression.name if file.compression else ""


def unpacked_note(packed: str) -> str:
    """What the user should know of a file that was packed so."""
    return f"Unpacked from {packed}."


def file_size(path: Path) -> int:
    """In bytes. Raises CorpusError if there is no such file or it is no plain file."""
    with in_the_users_words(path):
        size = path.stat().st_size
        if path.is_dir():  # asked first: opening a folder is "permission denied" on Windows
            raise CorpusError(f"{path.name} is a folder; choose a text file in it.")
        if not path.is_file():
            raise CorpusError(f"{path.name} is a device or pipe, not a text file.")
        return size


@contextmanager
def in_the_users_words(path: Path) -> Iterator[None]:
    """What the system says of a file becomes a CorpusError."""
    try:
        yield
    except FileNotFoundError:
        raise CorpusError(f"{path.name}: there is no such file in {path.parent.absolute()}.") from None
    except PermissionError:
        raise CorpusError(f"{path.name} may not be read: permission denied.") from None
    except OSError as error:
        raise CorpusError(f"{path.name} could not be read: {error.strerror or error}.") from None
