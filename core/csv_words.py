"""Tables of words and counts as CSV (RFC 4180): `word,count` lines, with a header or without one."""

import codecs
import csv
import hashlib
import io
import re
from collections.abc import Generator, Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from core.byte_stream import stream_of
from core.compressed import OpenFile, open_unpacked
from core.corpus import Corpus
from core.errors import CorpusError
from core.files import file_size, in_the_users_words, unpacked_note
from core.given_words import MAX_COUNT, count_of, quoted, savable
from core.packed_words_builder import PackedWordsBuilder, WordBatch
from core.progress import Progress
from core.text_encoding import counted
from core.word_tables import COUNT_NAMES, FIRST_NAME, WORD_NAMES, Columns, table_corpus

HEADER = ("word", "count")
ROWS_PER_BATCH = 4_096
MAX_LINE_BYTES = 1 << 28
EXPECTED = "Expected was a word, a comma and how often the word occurs, such as low,5."


def looks_like_csv(beginning: str) -> bool:
    """Whether the first row is a header, or a word and a count.

    Lines such as `low 5` never are: what stands before their last digits is a space or tab, and here a comma.
    So `page 1,234` needs a header above it.
    """
    row = _first_row(beginning)
    if row is None:
        return False
    names = {name.strip().lower() for name in row}
    if not names.isdisjoint(WORD_NAMES) and not names.isdisjoint(COUNT_NAMES):
        return True
    if len(row) != 2 or not row[0] or not (row[1].isascii() and row[1].isdigit()):
        return False
    return not (len(row[1]) == 3 and re.search(r"[ \t][0-9]{1,3}$", row[0]))  # `low 1,000`: a mistake in a line


def _first_row(beginning: str) -> list[str] | None:
    try:
        return next(csv.reader(io.StringIO(beginning.removeprefix("\ufeff"), newline=""), strict=True), None)
    except csv.Error:
        return None


def read_csv_words(path: Path) -> Generator[Progress, None, Corpus]:
    """Read a UTF-8 table; progress is in bytes. Raises CorpusError with the line.

    A word listed twice has the sum of its counts. A column "first" orders the words, else the rows do.
    """
    size, builder = file_size(path), PackedWordsBuilder(path.name)
    csv.field_size_limit(MAX_LINE_BYTES)  # for the whole process, and larger than the usual one
    with in_the_users_words(path), open_unpacked(path) as file:
        lines = _Lines(file)
        rows = _entries(lines, path.name)
        while batch := list(islice(rows, ROWS_PER_BATCH)):
            words, counts, places = zip(*batch, strict=True)
            builder.add(WordBatch.of(words, np.array(counts, np.int64), np.array(places, np.int64)))
            yield Progress(file.place, max(size, file.place))
    notes = [unpacked_note(file.compression.name)] if file.compression else []
    return table_corpus(builder, path, lines.byte_count, lines.digest.hexdigest(), lines.has_mark, notes)


class _Lines(Iterator[str]):
    """The lines of a file with their ends, decoded; only "\\n" ends one."""

    def __init__(self, file: OpenFile) -> None:
        self.digest = hashlib.sha256()
        self.byte_count = 0
        self.has_mark = False
        self._name, self._number = file.name, 0
        self._file = stream_of(file)

    def __next__(self) -> str:
        line = self._file.readline(MAX_LINE_BYTES)
        if not line:
            raise StopIteration
        self._number += 1
        if len(line) == MAX_LINE_BYTES:
            raise CorpusError(f"{self._name}, line {self._number:,} has more than {MAX_LINE_BYTES:,} bytes.")
        start = self.byte_count
        self.digest.update(line)
        self.byte_count += len(line)
        if start == 0 and line.startswith(codecs.BOM_UTF8):
            self.has_mark = True
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"{self._name}, line {self._number:,}: byte {start + error.start + 1:,} of the file is not UTF-8. "
                "A table of word counts must be UTF-8 text; save it as that."
            ) from None
        return text.removeprefix("\ufeff") if start == 0 else text


def _entries(lines: _Lines, name: str) -> Iterator[tuple[bytes, int, int]]:
    """Each word with its count and its place: the number in the column "first", or that of the row."""
    reader = csv.reader(lines, strict=True)
    columns, width = Columns(0, 1, None), 2
    try:
        for number, row in enumerate(reader):
            if number == 0 and not (len(row) == 2 and row[1].isdigit()):
                columns, width = Columns.of(row, f"{name}, line 1"), len(row)
            elif row:
                yield _entry(row, columns, width, number)
            elif any(reader):
                raise ValueError("the line is empty, and not at the end of the file")
    except csv.Error as error:
        raise _wrong(name, reader.line_num, f"the quotes or line ends are not those of CSV ({error})") from None
    except ValueError as error:
        raise _wrong(name, reader.line_num, str(error)) from None


def _entry(row: list[str], columns: Columns, width: int, number: int) -> tuple[bytes, int, int]:
    if len(row) != width:
        raise ValueError(f"there are {counted(len(row), 'value')} and not {width}")
    if not (word := row[columns.word]):
        raise ValueError("the word is empty")
    return word.encode(), count_of(row[columns.count]), number if columns.first is None else _place(row[columns.first])


def _place(digits: str) -> int:
    if not re.fullmatch("[0-9]{1,19}", digits) or int(digits) > MAX_COUNT:
        raise ValueError(f"the place {quoted(digits)}, in the column {FIRST_NAME}, is not a number up to {MAX_COUNT:,}")
    return int(digits)


def _wrong(name: str, line: int, what: str) -> CorpusError:
    return CorpusError(f"{name}, line {line:,}: {what}. {EXPECTED}")


def csv_chunks(counts: Mapping[str, int]) -> Iterator[bytes]:
    """The bytes of a table with a header, made when asked for. Raises FormatError for what no file can hold."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)  # "\\r\\n" behind each row, as the RFC has it, so that every lone one is quoted
    writer.writerow(HEADER)
    rows = savable(counts)
    while buffer.tell():
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()
        writer.writerows(islice(rows, ROWS_PER_BATCH))
