"""Zip files as data from strangers: few entries of known names and sizes, read bit by bit, and written so that the same
content is always the same bytes."""

import io
import zipfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.errors import FormatError
from core.progress import Progress

MAX_DIRECTORY_BYTES = 1 << 16
MAX_UNPACKED_BYTES = 192 << 20
MAX_LINE_BYTES = 1 << 22
BLOCK_BYTES = 1 << 16
LEVEL = 2
"""Level 6 takes three times as long and saves two hundredths."""

_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_END_BYTES, _END_64_BYTES = 22, 20
_MADE = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip can hold, in place of now."""


@dataclass(frozen=True)
class StrictZip:
    """A zip file in memory, `name` for messages. Raises FormatError for what `limits`, bytes by name, do not allow."""

    data: bytes
    name: str
    limits: Mapping[str, int]

    def __post_init__(self) -> None:
        self._check_end()
        with self._in_the_users_words(), zipfile.ZipFile(io.BytesIO(self.data)) as file:
            entries = file.infolist()
        for number, entry in enumerate(entries):
            if entry.filename in (other.filename for other in entries[:number]):
                raise FormatError(f"{self.name}: {entry.filename} is in it twice.")
            self._check(entry)
        if sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
            raise FormatError(f"{self.name} would take more than {MAX_UNPACKED_BYTES >> 20} MB unpacked.")

    def _check_end(self) -> None:
        """Before anything is read by its directory: that could be of millions of entries."""
        end = self.data[-_END_BYTES:]
        if end[:4] != _END or end[-2:] != b"\0\0" or self.data[-_END_BYTES - _END_64_BYTES :][:4] == _END_64:
            raise FormatError(f"{self.name} is cut off or damaged: a zip file should end with its list of entries.")
        count, size = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
        if count > len(self.limits) or size > MAX_DIRECTORY_BYTES:
            raise FormatError(f"{self.name}: it has {count:,} entries; at most {len(self.limits)} are expected.")

    def _check(self, entry: zipfile.ZipInfo) -> None:
        limit = self.limits.get(entry.filename)
        if limit is None:
            raise FormatError(
                f"{self.name}: there should be no entry {entry.filename[:40]!r}. A newer version of this program may "
                "know it."
            )
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1:
            raise FormatError(f"{self.name}: {entry.filename} is packed in a way that is not read here, or encrypted.")
        if entry.file_size > limit:
            raise FormatError(
                f"{self.name}: {entry.filename} would take {entry.file_size / 1e6:,.0f} MB unpacked; at most "
                f"{limit / 1e6:,.0f} MB are read."
            )

    def __contains__(self, entry: str) -> bool:
        with zipfile.ZipFile(io.BytesIO(self.data)) as file:
            return entry in file.namelist()

    def read(self, entry: str) -> bytes:
        """All of an entry. Raises FormatError if it is missing or damaged."""
        return b"".join(self._blocks(entry))

    def lines(self, entry: str) -> Iterator[bytes]:
        """The lines of an entry, without their ends. Raises as `read` does, and for a line that is too long."""
        rest, number = b"", 0
        for block in self._blocks(entry):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                number += 1
                yield line
            if len(rest) > MAX_LINE_BYTES:
                raise FormatError(f"{self.name}, {entry}, line {number + 1:,}: it is too long.")
        if rest:
            yield rest

    def _blocks(self, entry: str) -> Iterator[bytes]:
        if entry not in self:
            raise FormatError(f"{self.name}: {entry} is missing in it.")
        with self._in_the_users_words(entry), zipfile.ZipFile(io.BytesIO(self.data)) as file, file.open(entry) as part:
            while block := part.read(BLOCK_BYTES):
                yield block

    def _in_the_users_words(self, entry: str = "") -> "_Damage":
        return _Damage(f"{self.name}: {entry or 'it'} is damaged.")


class _Damage:
    """Turns whatever zipfile raises into a FormatError."""

    def __init__(self, message: str) -> None:
        self._message = message

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None and issubclass(kind, Exception) and not issubclass(kind, FormatError):
            raise FormatError(self._message) from None


def zipped(entries: Mapping[str, Iterable[bytes]], limits: Mapping[str, int]) -> Generator[Progress, None, bytes]:
    """The bytes of a zip file with these entries, in this order; yields after each of their pieces.

    Raises FormatError where a StrictZip would.
    """
    buffer, done = io.BytesIO(), 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, allowZip64=False) as file:
        for name, pieces in entries.items():
            info = zipfile.ZipInfo(name, _MADE)
            info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            info._compresslevel = LEVEL  # type: ignore[attr-defined]  # ZipInfo.compress_level from Python 3.13 on
            with file.open(info, "w") as part:
                for piece in pieces:
                    part.write(piece)
                    done += len(piece)
                    yield Progress(done, done)
            if info.file_size > limits[name] or done > MAX_UNPACKED_BYTES:
                raise FormatError(
                    f"{name} would take {info.file_size / 1e6:,.0f} MB, which is too much to be read again."
                )
    return buffer.getvalue()
