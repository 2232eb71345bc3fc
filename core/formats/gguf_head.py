"""The metadata at the beginning of a GGUF file; what lies behind it, the tensors, may be gigabytes and is not read.

Source: the description of the format in the repository of ggml.
"""

import stat
import struct
from collections.abc import Generator
from enum import IntEnum
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from core.errors import FormatError
from core.progress import Progress

MAGIC = b"GGUF"
VERSIONS = (2, 3)
BLOCK_BYTES = 1 << 20
MAX_HEAD_BYTES = 1 << 28
MAX_ITEMS = 1 << 22
"""Texts in one array, and keys; 256,000 tokens and their merges are usual."""
MAX_KEY_BYTES = 1 << 16
ITEMS_PER_SLICE = 1 << 12
WANTED = ("tokenizer.", "general.architecture")


class Kind(IntEnum):
    """What a value is."""

    UINT8 = 0
    INT8 = 1
    UINT16 = 2
    INT16 = 3
    UINT32 = 4
    INT32 = 5
    FLOAT32 = 6
    BOOL = 7
    TEXT = 8
    ARRAY = 9
    UINT64 = 10
    INT64 = 11
    FLOAT64 = 12


_NUMBERS = {
    Kind.UINT8: "u1", Kind.INT8: "i1", Kind.UINT16: "<u2", Kind.INT16: "<i2", Kind.UINT32: "<u4", Kind.INT32: "<i4",
    Kind.FLOAT32: "<f4", Kind.BOOL: "?", Kind.UINT64: "<u8", Kind.INT64: "<i8", Kind.FLOAT64: "<f8",
}  # fmt: skip


def is_gguf(path: Path) -> bool:
    """Whether it is a file that begins as these do; what cannot be read is none."""
    try:
        if not path.is_file():  # to open a pipe might never end
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def metadata(path: Path) -> Generator[Progress, None, dict[str, Any]]:
    """What the file says of its tokenizer, by key: numbers, bytes for texts, arrays of numbers and lists of bytes.

    Raises FormatError, in the user's words, for what is no such file.
    """
    head = _Head(path)
    try:
        found = yield from _metadata(head)
    finally:
        head.close()
    return found


def _metadata(head: "_Head") -> Generator[Progress, None, dict[str, Any]]:
    if head.take(4) != MAGIC:
        head.fail("it does not begin with GGUF")
    version = head.number("<I")
    if version not in VERSIONS:
        is_swapped = int.from_bytes(version.to_bytes(4, "little"), "big") in VERSIONS
        known = "big-endian files are not read" if is_swapped else f"version {version:,} is not read, only 2 and 3"
        raise FormatError(f"{head.name}: {known}.")
    head.number("<Q")  # tensors
    count = head.number("<Q")
    if count > MAX_ITEMS:
        head.fail(f"{count:,} keys cannot be")
    found = dict[str, Any]()
    for number in range(count):
        key = head.key()
        value = yield from _value(head, head.kind(), key.startswith(WANTED))
        if key in found:
            head.fail(f"the key {key!r} stands there twice")
        if key.startswith(WANTED):
            found[key] = value
        if number % ITEMS_PER_SLICE == 0:
            yield Progress(number, count)
    return found


def _value(head: "_Head", kind: Kind, is_wanted: bool) -> Generator[Progress, None, Any]:
    if kind is Kind.TEXT:
        return head.take(head.number("<Q"))
    if kind is not Kind.ARRAY:
        (value,) = np.frombuffer(head.take(np.dtype(_NUMBERS[kind]).itemsize), _NUMBERS[kind])
        return value.item()
    inner, count = head.kind(), head.number("<Q")
    if inner is Kind.ARRAY:
        head.fail("arrays of arrays are not read")
    if inner is not Kind.TEXT:
        size = np.dtype(_NUMBERS[inner]).itemsize
        return np.frombuffer(head.take(count * size), _NUMBERS[inner]) if is_wanted else head.skip(count * size)
    if count > MAX_ITEMS:
        head.fail(f"{count:,} texts in one array are too many")
    texts = list[bytes]()
    for number in range(count):
        text = head.take(head.number("<Q"))
        if is_wanted:
            texts.append(text)
        if number % ITEMS_PER_SLICE == 0:
            yield Progress(number, count)
    return texts


class _Head:
    """Reads on from the beginning of a file, block by block, and never more than is there."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):  # to open a pipe might never end
                raise FormatError(f"{path.name} is no file, where one was expected.")
            self._file = path.open("rb")
        except OSError as error:
            raise FormatError(f"{path.name} could not be read: {error.strerror or error}.") from None
        self._size = status.st_size
        self._data = bytearray()
        self._place = 0

    def close(self) -> None:
        self._file.close()

    def take(self, size: int) -> bytes:
        """The next so many bytes."""
        self._read_on(size)
        self._place += size
        return bytes(self._data[self._place - size : self._place])

    def skip(self, size: int) -> None:
        self._read_on(size)
        self._place += size

    def number(self, format: str) -> int:
        value: int = struct.unpack(format, self.take(struct.calcsize(format)))[0]
        return value

    def kind(self) -> Kind:
        number = self.number("<I")
        if number not in tuple(Kind):
            self.fail(f"there is no type of values {number:,}")
        return Kind(number)

    def key(self) -> str:
        size = self.number("<Q")
        if size > MAX_KEY_BYTES:
            self.fail(f"a key of {size:,} bytes cannot be")
        try:
            return self.take(size).decode()
        except UnicodeDecodeError:
            self.fail("a key is not UTF-8")

    def fail(self, what: str) -> NoReturn:
        raise FormatError(f"{self.name}, byte {self._place:,}: {what}.")

    def _read_on(self, size: int) -> None:
        end = self._place + size
        if end > self._size:
            self.fail(f"it should go on for {size:,} bytes, and {self._size - self._place:,} are left")
        if end > MAX_HEAD_BYTES:
            self.fail(f"metadata of more than {MAX_HEAD_BYTES >> 20} MB cannot be")
        while len(self._data) < end:
            try:
                block = self._file.read(max(BLOCK_BYTES, end - len(self._data)))
            except OSError as error:
                raise FormatError(f"{self.name} could not be read: {error.strerror or error}.") from None
            if not block:
                self.fail("it has become shorter while it was read")
            self._data += block
