"""Which files a corpus is read from, and how: enough to read it again, also after a restart."""

import json
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.corpus import Corpus, read_corpora
from core.errors import CorpusError
from core.parquet_words import is_parquet
from core.progress import Progress
from core.text_encoding import DetectedBy, counted
from core.word_counts import looks_like_word_counts, read_word_counts

LOOKED_AT_CHARS = 1 << 16
MAX_PATHS_LISTED = 20


@dataclass(frozen=True)
class CorpusSource:
    """Text files in their order, or folders with such, or one list of word counts.

    `encoding` None is found out for each file; a list is always UTF-8.
    """

    paths: tuple[Path, ...]
    encoding: str | None = None
    is_word_counts: bool = False

    @classmethod
    def of(cls, corpus: Corpus) -> "CorpusSource | None":
        """Where the corpus came from; None for a text that is in no file."""
        if not corpus.paths:
            return None
        is_chosen = corpus.detected_by is DetectedBy.CHOSEN and ", " not in corpus.encoding
        encoding = corpus.encoding if is_chosen else None
        return cls(corpus.asked_for or corpus.paths, encoding, corpus.given_counts is not None).absolute()

    def absolute(self) -> "CorpusSource":
        """The same files whatever folder the program is started in."""
        return replace(self, paths=tuple(path.absolute() for path in self.paths))

    @property
    def name(self) -> str:
        """`book.txt`, or `book.txt and 2 more`"""
        first, *more = (path.name for path in self.paths)
        return f"{first} and {len(more):,} more" if more else first

    @property
    def listing(self) -> str:
        """The whole paths, one a line, and how the files are read where somebody chose that."""
        lines = [str(path) for path in self.paths[:MAX_PATHS_LISTED]]
        if more := len(self.paths) - len(lines):
            lines.append(f"and {counted(more, 'more file')}")
        if self.is_word_counts:
            lines.append("read as a list of word counts")
        if self.encoding:
            lines.append(f"read as {self.encoding.upper()}")
        return "\n".join(lines)

    def read(self) -> Generator[Progress, None, Corpus]:
        """Progress is in bytes of all files. Raises CorpusError with the file's name.

        A Parquet file, which is never a text, is read as a list whether it is said to be one or not.
        """
        is_table = len(self.paths) == 1 and not self.paths[0].is_dir() and _is_parquet(self.paths[0])
        if not (self.is_word_counts or is_table):
            return (yield from read_corpora(self.paths, self.encoding))
        if len(self.paths) > 1:
            raise CorpusError(f"Word counts are read from one file, but {len(self.paths):,} are given; choose one.")
        if self.encoding not in (None, "utf-8"):
            raise CorpusError("A list of word counts is always read as UTF-8; leave the encoding out.")
        return (yield from read_word_counts(self.paths[0]))

    def to_json(self) -> str:
        files = [str(path) for path in self.paths]
        return json.dumps({"files": files, "encoding": self.encoding, "word_counts": self.is_word_counts})

    @classmethod
    def from_json(cls, text: str) -> "CorpusSource":
        """Raises CorpusError for anything that `to_json` does not write."""
        try:
            value = json.loads(text)
            files, encoding, is_word_counts = value["files"], value["encoding"], value["word_counts"]
            known = encoding is None or isinstance(encoding, str)
            if known and isinstance(is_word_counts, bool) and isinstance(files, list) and files and all(files):
                return cls(tuple(map(Path, files)), encoding, is_word_counts)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise CorpusError("This does not say which files to read: expected were files, encoding and word_counts.")


def other_reading(corpus: Corpus) -> CorpusSource | None:
    """How else its file could be read: a list, but for Parquet, as a text, and a text that looks like a list as one."""
    source = CorpusSource.of(corpus)
    if source is None or len(source.paths) > 1:
        return None
    if source.is_word_counts:
        return None if _is_parquet(source.paths[0]) else CorpusSource(source.paths)
    looks_like_a_list = looks_like_word_counts(corpus.text[:LOOKED_AT_CHARS])
    return CorpusSource(source.paths, is_word_counts=True) if looks_like_a_list else None


def _is_parquet(path: Path) -> bool:
    with suppress(CorpusError):  # of a file that is gone
        return is_parquet(path)
    return False


def is_same_text(one: Corpus, other: Corpus) -> bool:
    """Whether training reads the same in both: the bytes alone do not tell, which can be read in several ways."""
    if (one.given_counts is None) != (other.given_counts is None):
        return False
    if one.unread != other.unread:
        return False
    return one is other or (one.text == other.text and (one.given_counts is None or one.sha256 == other.sha256))
