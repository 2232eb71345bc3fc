"""A file that may be compressed as a stream of Python's own kind, which knows lines."""

import io
from typing import Any

from core.compressed import OpenFile
from core.files import READ_BYTES


def stream_of(file: OpenFile) -> io.BufferedReader:
    return io.BufferedReader(_Raw(file), READ_BYTES)


class _Raw(io.RawIOBase):
    def __init__(self, file: OpenFile) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
