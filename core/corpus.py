"""Reads a text from files or the clipboard; how it becomes words is pipeline.py's business."""

import hashlib
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from core.errors import CorpusError
from core.pipeline import Places, Texts
from core.progress import Progress, without_progress
from core.text_encoding import DetectedBy, chosen, counted, decode, detect

READ_BYTES = 1 << 20
MAX_FILES_NAMED = 3
MAX_NOTES = 8  # on several files; each costs a line of the window


@dataclass(frozen=True)
class Corpus:
    """A text and where it came from; `byte_count` and `sha256` (hex) are the files', or typed text's as UTF-8.

    A list of word counts has `given_counts` as well, which training uses as they are; `text` then shows its words.
    Where it came from several files, `files` are the places (start, end) of their texts in `text`.
    """

    text: str = field(repr=False)
    name: str
    paths: tuple[Path, ...]
    encoding: str
    detected_by: DetectedBy
    byte_count: int
    sha256: str
    notes: tuple[str, ...] = ()
    given_counts: Mapping[str, int] | None = field(default=None, repr=False, hash=False)
    files: Places = field(default=(), repr=False)

    @classmethod
    def typed(cls, text: str, name: str = "pasted text") -> "Corpus":
        """A corpus from text that is in no file; surrogates, as clipboards hand them over, are joined or replaced."""
        text, lost = _join_surrogates(text)
        data = text.encode()
        note = f"{counted(lost, 'lone surrogate')} became U+FFFD: half of a character, as some clipboards hand over."
        digest = hashlib.sha256(data).hexdigest()
        return cls(text, name, (), "utf-8", DetectedBy.TYPED, len(data), digest, (note,) if lost else ())

    @property
    def path(self) -> Path | None:
        """The one file it came from; None if there are none or several."""
        return self.paths[0] if len(self.paths) == 1 else None

    @cached_property
    def character_count(self) -> int:
        return len(self.text)

    @cached_property
    def line_count(self) -> int:
        """Lines ended by "\\n", and one more for a last line without it; 0 for no text."""
        return self.text.count("\n") + (bool(self.text) and not self.text.endswith("\n"))

    def text_count(self, texts: Texts) -> int:
        """How many texts it is; empty files are none."""
        if texts is Texts.FILES and self.files:
            return sum(start < end for start, end in self.files)
        return min(self.line_count, 1) if texts in (Texts.WHOLE, Texts.FILES) else self.line_count


def load_corpus(path: str | Path, encoding: str | None = None) -> Corpus:
    """As read_corpus, without the progress."""
    return without_progress(read_corpus(path, encoding))


def load_corpora(paths: Iterable[str | Path], encoding: str | None = None) -> Corpus:
    """As read_corpora, without the progress."""
    return without_progress(read_corpora(paths, encoding))


def read_corpus(path: str | Path, encoding: str | None = None) -> Generator[Progress, None, Corpus]:
    """Read a text file, yielding after every megabyte; line ends stay as they are. `encoding` None finds it out.

    Raises CorpusError if there is no such file, it is not text, or it is not in the encoding asked for.
    """
    return _read(Path(path), encoding, hashlib.sha256())


def read_corpora(paths: Iterable[str | Path], encoding: str | None = None) -> Generator[Progress, None, Corpus]:
    """Read text files, put together in this order with a line end between them, each from its own encoding.

    One file gives what read_corpus gives. Raises as read_corpus does.
    """
    files = tuple(map(Path, paths))
    if not files:
        raise CorpusError("There is no file to read; choose at least one text file.")
    sizes = [file_size(file) for file in files]  # of all at first: a missing one should not be found after a gigabyte
    digest, parts, done = hashlib.sha256(), list[Corpus](), 0
    for file, size in zip(files, sizes, strict=True):
        part = yield from _within(_read(file, encoding, digest), done, sum(sizes))
        parts.append(part)
        done += size
    return parts[0] if len(parts) == 1 else _put_together(parts, digest.hexdigest())


def _read(path: Path, encoding: str | None, digest: "hashlib._Hash") -> Generator[Progress, None, Corpus]:
    data = yield from read_bytes(path, digest)
    detection = chosen(encoding, data) if encoding else detect(data, path.name)
    text, detection, notes = yield from decode(data, detection, path.name)
    return Corpus(
        text, path.name, (path,), detection.encoding, detection.detected_by, len(data), digest.hexdigest(), notes
    )


def _within(reading: Generator[Progress, None, Corpus], done: int, total: int) -> Generator[Progress, None, Corpus]:
    """Progress of one file as that of all of them; `done` bytes are read already."""
    while True:
        try:
            step = next(reading)
        except StopIteration as stop:
            corpus: Corpus = stop.value
            return corpus
        yield Progress(done + step.done, max(total, done + step.total))


def _put_together(parts: Sequence[Corpus], sha256: str) -> Corpus:
    texts, unended, last = list[str](), list[str](), None
    files, end = list[tuple[int, int]](), 0
    for part in parts:
        if part.text and last is not None and not last.text.endswith("\n"):
            texts.append("\n")
            unended.append(last.name)
            end += 1
        texts.append(part.text)
        files.append((end, end := end + len(part.text)))
        last = part if part.text else last
    names = [part.name for part in parts]
    return Corpus(
        "".join(texts),
        _listed(names) if len(names) > MAX_FILES_NAMED else f"{len(names)} files: {_listed(names)}",
        tuple(path for part in parts for path in part.paths),
        ", ".join(dict.fromkeys(part.encoding for part in parts)),
        max((part.detected_by for part in parts), key=_LEAST_CERTAIN_LAST.index),
        sum(part.byte_count for part in parts),
        sha256,
        _notes_on(parts, unended),
        files=tuple(files),
    )


def _notes_on(parts: Sequence[Corpus], unended: Sequence[str]) -> tuple[str, ...]:
    notes = [f"A line end was added after {_listed(unended)}."] if unended else []
    are_mixed = len({part.encoding for part in parts}) > 1
    for part in parts:
        if are_mixed and part.encoding != "utf-8":
            notes.append(f"{part.name} is in {part.encoding.upper()} ({part.detected_by}).")
        notes += [f"{part.name}: {note}" for note in part.notes]
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = [f"Left out: {counted(len(notes) - MAX_NOTES, 'more note')} on the files."]
    return tuple(notes)


_LEAST_CERTAIN_LAST = (DetectedBy.CHOSEN, DetectedBy.VALID_UTF8, DetectedBy.BYTE_ORDER_MARK, DetectedBy.GUESSED)


def _listed(names: Sequence[str]) -> str:
    """`a.txt, b.txt`, or `a.txt and 4 more`"""
    return ", ".join(names) if len(names) <= MAX_FILES_NAMED else f"{names[0]} and {len(names) - 1:,} more"


def read_bytes(path: Path, digest: "hashlib._Hash") -> Generator[Progress, None, bytes]:
    """The bytes of a file, which are added to the digest; yields after every megabyte. Raises CorpusError."""
    chunks: list[bytes] = []
    done, total = 0, file_size(path)
    with _in_the_users_words(path), path.open("rb") as file:
        while chunk := file.read(READ_BYTES):
            chunks.append(chunk)
            digest.update(chunk)
            done += len(chunk)
            yield Progress(done, max(done, total))
    return b"".join(chunks)


def file_size(path: Path) -> int:
    """In bytes. Raises CorpusError if there is no such file or it is no plain file."""
    with _in_the_users_words(path):
        size = path.stat().st_size
        if path.is_dir():  # asked first: opening a folder is "permission denied" on Windows
            raise CorpusError(f"{path.name} is a folder; choose a text file in it.")
        if not path.is_file():
            raise CorpusError(f"{path.name} is a device or pipe, not a text file.")
        return size


@contextmanager
def _in_the_users_words(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise CorpusError(f"{path.name}: there is no such file in {path.parent.absolute()}.") from None
    except PermissionError:
        raise CorpusError(f"{path.name} may not be read: permission denied.") from None
    except OSError as error:
        raise CorpusError(f"{path.name} could not be read: {error.strerror or error}.") from None


def _join_surrogates(text: str) -> tuple[str, int]:
    """The text with pairs of surrogates joined to characters, lone ones as U+FFFD, and how many were lone."""
    if not re.search("[\ud800-\udfff]", text):
        return text, 0
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined, joined.count("\ufffd") - text.count("\ufffd")
