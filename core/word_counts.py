"""Lists of words and counts, which many tools write and some train on: read as a corpus, written, and recognized.

Lines of `word count` are read here, tables by csv_words.py and parquet_words.py.
"""

import codecs
import hashlib
import json
import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

from core.alphabet import has_half_characters
from core.atomic import write_files
from core.compressed import open_unpacked
from core.corpus import Corpus
from core.csv_words import csv_chunks, looks_like_csv, read_csv_words
from core.errors import CorpusError
from core.files import in_the_users_words, read_bytes
from core.given_words import MAX_COUNT, count_of, notes_on, quoted, savable
from core.packed_words import PackedWords
from core.parquet_words import is_parquet, parquet_chunks, read_parquet_words
from core.pipeline import Pipeline, WordCounts
from core.progress import Progress, without_progress
from core.text_encoding import DetectedBy
from core.word_counting import count_corpus

HEADER = "#word-counts json"
"""As first line: every word below is a JSON string. No word can look like it, for it does not end in a number."""

LINES_PER_PROGRESS = 4_096  # about 5 ms of work
LINES_LOOKED_AT = 1_000
BYTES_LOOKED_AT = 1 << 16


def load_word_counts(path: str | Path) -> Corpus:
    """As read_word_counts, without the progress."""
    return without_progress(read_word_counts(path))


def read_word_counts(path: str | Path) -> Generator[Progress, None, Corpus]:
    """Read a list of words and how often each occurs; progress is in bytes. Raises CorpusError with the line or row.

    By what is in it, it is Parquet (a file, or a folder of them), CSV (the first row is a word and a count, or names
    them), or else lines such as "low 5". A word listed twice has the sum of its counts.
    """
    path = Path(path)
    if is_parquet(path):
        return (yield from read_parquet_words(path))
    if looks_like_csv(_beginning(path)):
        return (yield from read_csv_words(path))
    return (yield from _read_lines(path))


def _beginning(path: Path) -> str:
    """Enough to tell a table from a list of lines."""
    with in_the_users_words(path), open_unpacked(path) as file:
        return file.read(BYTES_LOOKED_AT).decode(errors="replace")


def _read_lines(path: Path) -> Generator[Progress, None, Corpus]:
    r"""The last space or tab of a line separates, so that "  a  5" is the word "  a ".

    Lines end in "\n" or "\r\n"; empty ones may stand at the end only.
    """
    digest = hashlib.sha256()
    data, _ = yield from read_bytes(path, digest)
    has_mark = data.startswith(codecs.BOM_UTF8)
    lines = _decoded(data, path.name).split("\n")
    while lines and lines[-1] in ("", "\r"):
        lines.pop()
    counts: dict[str, int] = {}
    repeated = 0
    for number, (word, count) in _entries(lines, path.name):
        repeated += word in counts
        counts[word] = counts.get(word, 0) + count
        if counts[word] > MAX_COUNT:
            raise _wrong(path.name, number, f"with it the counts of {quoted(word)} add up to more than {MAX_COUNT:,}")
        if number % LINES_PER_PROGRESS == 0:
            yield Progress(len(data), len(data))
    return Corpus(
        "".join(f"{word}\n" for word in counts),
        path.name,
        (path,),
        "utf-8",
        DetectedBy.BYTE_ORDER_MARK if has_mark else DetectedBy.VALID_UTF8,
        len(data),
        digest.hexdigest(),
        tuple(notes_on(len(counts), sum(counts.values()), repeated, "line", has_mark)),
        counts,
    )


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{name}, line {line:,}: byte {error.start + 1:,} of the file is not UTF-8. "
            "A list of word counts must be UTF-8 text; save it as that."
        ) from None


def _entries(lines: list[str], name: str) -> Iterator[tuple[int, tuple[str, int]]]:
    """The number of each line, its word and its count."""
    is_json = bool(lines) and lines[0].removesuffix("\r") == HEADER
    for number, line in enumerate(lines, 1):
        if is_json and number == 1:
            continue
        try:
            word, count = _entry(line.removesuffix("\r"))
            yield number, (_unescaped(word) if is_json else word, count)
        except ValueError as error:
            raise _wrong(name, number, str(error)) from None


def _entry(line: str) -> tuple[str, int]:
    place = max(line.rfind(" "), line.rfind("\t"))
    word, digits = line[: max(place, 0)], line[place + 1 :]
    if not line:
        raise ValueError("the line is empty, and not at the end of the file")
    if place < 0:
        raise ValueError(f"there is no space or tab in {quoted(line)}")
    if not digits:
        raise ValueError("nothing follows the last space or tab")
    if not word and digits.isascii() and digits.isdigit():
        raise ValueError(f"there is no word before the count {quoted(digits)}")
    return word, count_of(digits, f"{quoted(digits)} behind the last space or tab")


def _unescaped(word: str) -> str:
    try:
        text = json.loads(word) if word.startswith('"') else None
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise ValueError(f"{quoted(word)} is not a JSON string, which the first line says that every word is")
    if has_half_characters(text):
        raise ValueError(f"{word} holds half a character (a lone surrogate)")
    if not text:
        raise ValueError("the word is empty")
    return text


def _wrong(name: str, number: int, what: str) -> CorpusError:
    return CorpusError(
        f"{name}, line {number:,}: {what}. "
        'Expected was a word, a space or tab, and how often the word occurs, such as "low 5".'
    )


def corpus_words_counted(corpus: Corpus, pipeline: Pipeline) -> Generator[Progress, None, WordCounts]:
    """The words that training on `corpus` starts from; raises PatternError as count_words does.

    Given counts are used as they are: the pipeline, made for texts, has no say in words that another tool has cut.
    """
    if corpus.given_counts is None:
        return (yield from count_corpus(corpus, pipeline))
    given = corpus.given_counts
    counts = given if isinstance(given, PackedWords) else dict(given)  # the caller's own, who may empty it
    yield Progress(len(corpus.text), len(corpus.text))
    return WordCounts(counts, sum(counts.values()))


def write_word_counts(path: str | Path, counts: Mapping[str, int]) -> None:
    """Write what read_word_counts reads back as the same words, counts and order, or raise FormatError.

    The ending .parquet or .csv makes it a table, any other lines. Other tools read these too, unless a word holds a
    line end; some of them drop spaces at a word's start and end.
    """
    path = Path(path)
    write_files({path: _chunks(counts, path)})


def _chunks(counts: Mapping[str, int], path: Path) -> Iterator[bytes]:
    match path.suffix.lower():
        case ".parquet":
            return parquet_chunks(counts, path.name)
        case ".csv":
            return csv_chunks(counts)
        case _:
            return (line.encode() for line in word_count_lines(counts))


def word_count_lines(counts: Mapping[str, int]) -> Iterator[str]:
    """The lines of the file, made when asked for. Raises FormatError for a word or count that no file can hold."""
    is_json = _needs_json(counts)
    if is_json:
        yield HEADER + "\n"
    for word, count in savable(counts):
        yield f"{json.dumps(word, ensure_ascii=False) if is_json else word} {count}\n"


def _needs_json(counts: Mapping[str, int]) -> bool:
    """Whether lines of plain words would be read otherwise: here or, for a lone "\\r", in most other tools."""
    if next(iter(counts), "").startswith("\ufeff"):  # would pass for a byte order mark
        return True
    return any("\n" in word or "\r" in word for word in counts)


def looks_like_word_counts(text_beginning: str) -> bool:
    """Whether the first lines, up to 1,000, all end in a space or tab and digits; one that is cut off may differ.

    Or in a comma and digits, as those of a CSV table; its first line may name the columns.
    """
    lines = text_beginning.split("\n", LINES_LOOKED_AT)
    if len(lines) > 1:
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    if looks_like_csv(text_beginning):
        return all(map(_TABLE_ROW.fullmatch, lines[1:]))
    return bool(lines) and (lines[0] == HEADER or all(map(_WORD_COUNT.fullmatch, lines)))


_WORD_COUNT = re.compile(r"(?s).+[ \t][0-9]+")
_TABLE_ROW = re.compile(r"(?s).+,[0-9]+")
