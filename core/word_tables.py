"""Tables of words and counts, of which csv_words.py and parquet_words.py are two kinds: their columns and corpus."""

import hashlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.corpus import Corpus
from core.errors import CorpusError
from core.files import READ_BYTES, in_the_users_words
from core.given_words import notes_on
from core.packed_words import PackedWords
from core.packed_words_builder import PackedWordsBuilder, exact_total
from core.progress import Progress
from core.text_encoding import DetectedBy

MAX_SHOWN_WORDS = 100_000
"""`text` of the corpus ends there: of ten million words it would take as much memory as they do."""

WORD_NAMES = ("word", "text")
COUNT_NAMES = ("count", "freq", "frequency")
FIRST_NAME = "first"


@dataclass(frozen=True)
class Columns:
    """Where they stand among the columns of a table; `first` says where in a corpus each word came first."""

    word: int
    count: int
    first: int | None

    @classmethod
    def of(cls, names: Sequence[str], table: str) -> "Columns":
        """By their names, in capitals or not. Raises CorpusError if one is missing."""
        known = {name.strip().lower(): place for place, name in reversed(list(enumerate(names)))}
        word = next((known[name] for name in WORD_NAMES if name in known), None)
        count = next((known[name] for name in COUNT_NAMES if name in known), None)
        if word is None or count is None:
            raise CorpusError(
                f"{table} has no column {'word' if word is None else 'count'}, but {', '.join(names) or 'none'}. "
                f"Expected were the columns word (or {WORD_NAMES[1]}) and count (or {', '.join(COUNT_NAMES[1:])})."
            )
        return cls(word, count, known.get(FIRST_NAME))


def hashed(path: Path, digest: "hashlib._Hash", total: int) -> Generator[Progress, None, None]:
    """Add the bytes of a file to the digest."""
    with in_the_users_words(path), path.open("rb") as file:
        while chunk := file.read(READ_BYTES):
            digest.update(chunk)
            yield Progress(0, total)  # the bytes are read once more: only a chance to stop


def shown_words(words: PackedWords) -> str:
    """The `text` of a corpus of these: one a line."""
    return "".join(f"{word}\n" for word in islice(words, MAX_SHOWN_WORDS))


def table_corpus(
    builder: PackedWordsBuilder,
    path: Path,
    byte_count: int,
    sha256: str,
    has_mark: bool = False,
    notes: Sequence[str] = (),
) -> Corpus:
    """The corpus of a table that the builder has taken in."""
    words = builder.build()
    return Corpus(
        shown_words(words),
        path.name,
        (path,),
        "utf-8",
        DetectedBy.BYTE_ORDER_MARK if has_mark else DetectedBy.VALID_UTF8,
        byte_count,
        sha256,
        (*notes, *notes_on(len(words), exact_total(words.counts), builder.repeated, "row", has_mark)),
        words,
    )
