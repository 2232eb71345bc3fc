"""What is said of several files that are read as one text: a name for them, their encodings, and notes."""

from collections.abc import Sequence
from typing import Protocol

from core.text_encoding import DetectedBy, counted
from core.text_stream import StreamRead

MAX_FILES_NAMED = 3
MAX_NOTES = 8  # on several files; each costs a line of the window


class Part(Protocol):
    """What a Corpus of one file and a FileRead both have."""

    @property
    def name(self) -> str: ...
    @property
    def encoding(self) -> str: ...
    @property
    def detected_by(self) -> DetectedBy: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


def name_of(names: Sequence[str]) -> str:
    if len(names) == 1 or len(names) > MAX_FILES_NAMED:
        return listed(names)
    return f"{len(names)} files: {listed(names)}"


def encoding_of(parts: Sequence[Part]) -> tuple[str, DetectedBy]:
    encodings = ", ".join(dict.fromkeys(part.encoding for part in parts))
    return encodings, max((part.detected_by for part in parts), key=_LEAST_CERTAIN_LAST.index)


def stream_notes(read: StreamRead) -> tuple[str, ...]:
    """What the user should know of files that were read."""
    return read.files[0].notes if len(read.files) == 1 else notes_on(read.files, read.unended)


def notes_on(parts: Sequence[Part], unended: Sequence[str]) -> tuple[str, ...]:
    notes = [f"A line end was added after {listed(unended)}."] if unended else []
    are_mixed = len({part.encoding for part in parts}) > 1
    for part in parts:
        if are_mixed and part.encoding != "utf-8":
            notes.append(f"{part.name} is in {part.encoding.upper()} ({part.detected_by}).")
        notes += [f"{part.name}: {note}" for note in part.notes]
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = [f"Left out: {counted(len(notes) - MAX_NOTES, 'more note')} on the files."]
    return tuple(notes)


_LEAST_CERTAIN_LAST = (DetectedBy.CHOSEN, DetectedBy.VALID_UTF8, DetectedBy.BYTE_ORDER_MARK, DetectedBy.GUESSED)


def listed(names: Sequence[str]) -> str:
    """`a.txt, b.txt`, or `a.txt and 4 more`"""
    return ", ".join(names) if len(names) <= MAX_FILES_NAMED else f"{names[0]} and {len(names) - 1:,} more"
