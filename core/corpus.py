"""Reads a text from files or the clipboard; how it becomes words is pipeline.py's business."""

import hashlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from core.errors import CorpusError
from core.file_notes import encoding_of, listed, name_of, notes_on, stream_notes
from core.files import read_bytes, unpacked_note
from core.folders import Found, text_files
from core.pipeline import Places, Texts
from core.progress import Progress, within, without_progress
from core.text_encoding import DetectedBy, chosen, counted, decode, detect
from core.text_stream import Piece, StreamRead, TextFiles
from core.utf8 import HALF_CHARACTER, whole_characters

MOST_BYTES_IN_MEMORY = 64 << 20
SHOWN_BYTES = 4 << 20  # of more than that


@dataclass(frozen=True)
class Corpus:
    """A text and where it came from; `byte_count` and `sha256` (hex) are the files', or typed text's as UTF-8.

    A list of word counts has `given_counts` as well, which training uses as they are; `text` then shows its words.
    Where it came from several files, `files` are the places (start, end) of their texts in `text`.

    Of files that are large the `text` is the beginning only, and `unread` are these files, which counting words reads
    from first to last. Until then `byte_count` is what they take on the disk, `sha256` is "" and there are no notes on
    them.
    `asked_for` are the paths that somebody chose where these are not the `paths`: folders.

    A corpus that `is_remembered` is known from a saved recording: its `text` is not there.
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
    unread: TextFiles | None = field(default=None, repr=False)
    asked_for: tuple[Path, ...] = ()
    is_remembered: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", whole_characters(self.name))  # that of a file may be no text

    @classmethod
    def typed(cls, text: str, name: str = "pasted text") -> "Corpus":
        """A corpus from text that is in no file; surrogates, as clipboards hand them over, are joined or replaced."""
        text, lost = _join_surrogates(text)
        data = text.encode()
        note = f"{counted(lost, 'lone surrogate')} became U+FFFD: half of a character, as some clipboards hand over."
        digest = hashlib.sha256(data).hexdigest()
        return cls(text, name, (), "utf-8", DetectedBy.TYPED, len(data), digest, (note,) if lost else ())

    @property
    def is_partial(self) -> bool:
        """Whether `text` is only the beginning, or nothing."""
        return self.unread is not None or self.is_remembered

    def is_that_of(self, other: "Corpus | None") -> bool:
        """Whether it is this very corpus, if perhaps from before or after it was read: see `when_read`.

        One that is remembered is known again by its content.
        """
        if other is None or other is self:
            return other is self
        if self.is_remembered or other.is_remembered:
            return bool(self.sha256) and self._content == other._content
        return self.unread is not None and self.unread is other.unread

    @property
    def _content(self) -> tuple[str, str, Places, bool]:
        """What makes the text, or the list of words."""
        return self.sha256, self.encoding, self.files, self.given_counts is not None

    def when_read(self, read: StreamRead) -> "Corpus":
        """The same with what is known once all its files were read; `unread` stays, for the next time."""
        encoding, detected_by = encoding_of(read.files)
        known = replace(self, encoding=encoding, detected_by=detected_by, sha256=read.sha256)
        return replace(known, byte_count=read.byte_count, notes=(*self.notes, *stream_notes(read)))

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

    def text_count(self, texts: Texts) -> int | None:
        """How many texts it is; empty files are none. None if nobody knows before all is read."""
        if self.is_partial:
            return 1 if texts is Texts.WHOLE or (len(self.paths) == 1 and texts is Texts.FILES) else None
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
    """As read_corpora, of a single file."""
    return read_corpora([path], encoding)


def read_corpora(
    paths: Iterable[str | Path], encoding: str | None = None, most_bytes: int = MOST_BYTES_IN_MEMORY
) -> Generator[Progress, None, Corpus]:
    """Read text files, put together in this order with a line end between them, each from its own encoding.

    A folder stands for all text files in it and below it: see folders.py.

    Yields after every megabyte. Line ends stay as they are, archives (gzip, xz, bzip2, Zstandard) are unpacked;
    `encoding` None finds it out. Of more than `most_bytes` of text only the beginning is kept: see Corpus.

    Raises CorpusError if there is no such file, it is not text, or it is not in the encoding asked for.
    """
    given = tuple(map(Path, paths))
    if not given:
        raise CorpusError("There is no file to read; choose at least one text file.")
    found = yield from text_files(given, encoding)
    unread = TextFiles.of(found.files, encoding)  # all of them first: a missing one is not found after a gigabyte
    corpus = (yield from _read_whole(unread, most_bytes)) if unread.disk_bytes <= most_bytes else None
    corpus = corpus or (yield from _read_beginning(unread))
    return corpus if found.files == given else _of_folders(corpus, given, found)


def _read_whole(files: TextFiles, most_bytes: int) -> Generator[Progress, None, Corpus | None]:
    """None if it is too much text: archives do not say how much is in them."""
    digest, parts, done, room = hashlib.sha256(), list[Corpus](), 0, most_bytes
    for file, stamp in zip(files.paths, files.stamps, strict=True):
        part = yield from within(_read(file, files.encoding, digest, room), Progress(done, files.disk_bytes))
        if part is None:
            return None
        parts.append(part)
        done += stamp.size
        room -= part.byte_count
    return parts[0] if len(parts) == 1 else _put_together(parts, digest.hexdigest())


def _read(
    path: Path, encoding: str | None, digest: "hashlib._Hash", most_bytes: int
) -> Generator[Progress, None, Corpus | None]:
    data, packed = yield from read_bytes(path, digest, most_bytes)
    if len(data) > most_bytes:
        return None
    detection = chosen(encoding, data) if encoding else detect(data, path.name)
    text, detection, notes = yield from decode(data, detection, path.name)
    notes = (unpacked_note(packed), *notes) if packed else notes
    return Corpus(
        text, path.name, (path,), detection.encoding, detection.detected_by, len(data), digest.hexdigest(), notes
    )


def _read_beginning(files: TextFiles) -> Generator[Progress, None, Corpus]:
    """Whole lines, if there are any, of up to SHOWN_BYTES and one block more."""
    pieces, reading, end = list[Piece](), files.read(SHOWN_BYTES), 0
    while True:
        try:
            pieces.append(next(reading))
        except StopIteration as stop:
            read: StreamRead = stop.value
            break
        end += len(pieces[-1].data)
        yield Progress(min(end, SHOWN_BYTES), SHOWN_BYTES)
    data = b"".join(piece.data for piece in pieces)
    text = data[: data.rfind(b"\n") + 1 or len(data)].decode(errors="surrogatepass")
    names = [path.name for path in files.paths]
    return Corpus(
        text,
        name_of(names),
        files.paths,
        *encoding_of(read.files),
        files.disk_bytes,
        "",
        files=tuple((min(start, len(text)), min(end, len(text))) for start, end in _places(pieces))
        if names[1:]
        else (),
        unread=files,
    )


def _places(pieces: Sequence[Piece]) -> Iterable[tuple[int, int]]:
    """Where the text of each file is in them, in characters."""
    places, end = dict[int, tuple[int, int]](), 0
    for piece in pieces:
        start, end = end, end + len(piece.data.decode(errors="surrogatepass"))
        if not piece.is_added:
            places[piece.file] = (places.get(piece.file, (start, end))[0], end)
    return places.values()


def _of_folders(corpus: Corpus, given: Sequence[Path], found: Found) -> Corpus:
    name = listed([path.name or str(path) for path in given])
    return replace(
        corpus,
        name=f"{name}: {counted(len(found.files), 'file')}",
        notes=(*found.notes, *corpus.notes),
        asked_for=tuple(given),
    )


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
    return Corpus(
        "".join(texts),
        name_of([part.name for part in parts]),
        tuple(path for part in parts for path in part.paths),
        *encoding_of(parts),
        sum(part.byte_count for part in parts),
        sha256,
        notes_on(parts, unended),
        files=tuple(files),
    )


def _join_surrogates(text: str) -> tuple[str, int]:
    """The text with pairs of surrogates joined to characters, lone ones as U+FFFD, and how many were lone."""
    if not HALF_CHARACTER.search(text):
        return text, 0
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined, joined.count("\ufffd") - text.count("\ufffd")
