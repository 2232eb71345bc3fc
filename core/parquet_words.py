"""Tables of words and counts as Parquet: one file, or a folder of part-*.parquet files as Spark writes it.

Needs pyarrow, which not everybody has: it is imported only where such a table is read or written.
"""

import hashlib
import io
import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from core.corpus import Corpus
from core.errors import BpeError, CorpusError, FormatError
from core.files import file_size, in_the_users_words
from core.given_words import MAX_COUNT, savable
from core.packed_words import Bytes, Numbers
from core.packed_words_builder import PackedWordsBuilder, WordBatch, exact_sums
from core.pipeline_json import described
from core.progress import Progress
from core.word_tables import FIRST_NAME, Columns, hashed, table_corpus

MAGIC = b"PAR1"
ENCRYPTED_MAGIC = b"PARE"
ROWS_PER_BATCH = 1 << 16
ROWS_PER_FRONT_CODED_BATCH = 256  # each may be a megabyte that stands in the file as two bytes
ROWS_PER_GROUP = 1 << 17
BUFFER_BYTES = 1 << 20
MAX_GROUP_BYTES = 2 << 30
"""Of a row group, unpacked: its pages are unpacked whole, and a file of some kB can hold a large one.

The columns' own sizes would tell more, but pyarrow 26 ends the process where these are damaged.
"""

INSTALL = "pip install 'pyarrow>=16'"
PIPELINE_KEY = "bpe_gui_pipeline"
"""Of the metadata of the column word: how the words were cut, as JSON."""
_SPARK_KEY = b"org.apache.spark.sql.parquet.row.metadata"


def is_parquet(path: Path) -> bool:
    """By its first bytes. A folder is taken for one, as no other list of words is a folder. Raises CorpusError."""
    if path.is_dir():
        return True
    file_size(path)  # a pipe would be waited for
    with in_the_users_words(path), path.open("rb") as file:
        return file.read(len(MAGIC)) in (MAGIC, ENCRYPTED_MAGIC)


def whole_of(path: Path) -> Path:
    """The folder where `path` is one of several parts that Spark wrote, which are one table."""
    return path.parent if path.name.startswith("part-") and _is_part(path) and not path.is_dir() else path


def _is_part(file: Path) -> bool:
    return file.suffix.lower() == ".parquet" and not file.name.startswith((".", "_"))


def table_files(path: Path) -> list[Path]:
    """The file, or those of a folder in the order of their names. Raises CorpusError if there is none."""
    if not path.is_dir():
        return [path]
    with in_the_users_words(path):
        inside = sorted(path.iterdir())
    files = [file for file in inside if _is_part(file)]
    if any(file.name == "_temporary" for file in inside):
        raise CorpusError(f"{path.name} is not complete: the Spark job that writes it still runs, or has failed.")
    if not files:
        raise CorpusError(f"{path.name} is a folder without Parquet files; choose a list of word counts.")
    return files


def read_parquet_words(path: Path) -> Generator[Progress, None, Corpus]:
    """Read a table with the columns word (strings or UTF-8) and count; progress is in bytes.

    A word listed twice has the sum of its counts. A column "first" orders the words, else the rows do. Raises
    CorpusError with file and row.
    """
    check_pyarrow(path.name, CorpusError)
    files, builder, digest = table_files(path), PackedWordsBuilder(path.name), hashlib.sha256()
    sizes = [file_size(file) for file in files]
    for file in files:
        yield from hashed(file, digest, sum(sizes))
    done, tables = 0, list[_Table]()
    for file, size in zip(files, sizes, strict=True):
        tables.append(table := _Table(file, sum(table.rows for table in tables)))
        if table.has_places != tables[0].has_places:
            raise CorpusError(f"{file.name}: all parts of a table have a column {FIRST_NAME}, or none has.")
        for rows_read in table.add_to(builder):
            yield Progress(done + size * rows_read // table.rows, sum(sizes))
        done += size
    return table_corpus(builder, path, done, digest.hexdigest(), notes=_notes(tables[0].pipeline))


def counted_with(path: Path) -> dict[str, Any] | None:
    """How the words of a list were cut, as counting_json has it; None where it does not say. Raises CorpusError."""
    if not is_parquet(path):
        return None
    check_pyarrow(path.name, CorpusError)
    return _Table(table_files(path)[0], 0).pipeline


class _Table:
    """One Parquet file; `first_row` is the number of rows in those before."""

    def __init__(self, path: Path, first_row: int) -> None:
        self.name = path.name
        self._path, self._first_row = path, first_row
        with in_the_users_words(path), path.open("rb") as raw:
            if raw.read(len(MAGIC)) == ENCRYPTED_MAGIC:
                raise CorpusError(f"{self.name} is encrypted; save the table without encryption.")
        with _pyarrow_in_the_users_words(path):
            file = _parquet(path)
            schema, self._metadata, self.rows = file.schema_arrow, file.metadata, file.metadata.num_rows
            file.close()
        columns = Columns.of(schema.names, self.name)
        self.has_places = columns.first is not None
        chosen = [place for place in (columns.word, columns.count, columns.first) if place is not None]
        self._names = [schema.names[place] for place in chosen]
        self._check_groups()
        for place, name in zip(chosen, self._names, strict=True):
            if schema.names.count(name) > 1:
                raise CorpusError(f"{self.name} has {schema.names.count(name)} columns {name}, and one is expected.")
            self._check_type(name, schema.types[place], is_word=place == columns.word)
        self.pipeline = _pipeline_in(schema.metadata or {})

    def add_to(self, builder: PackedWordsBuilder) -> Iterator[int]:
        """Yields the number of rows read, batch by batch."""
        done = 0
        with _pyarrow_in_the_users_words(self._path):
            for group in range(self._metadata.num_row_groups):
                for batch in self._batches(group):
                    builder.add(self._batch(batch, done, builder))
                    done += len(batch)
                    yield done

    def _batches(self, group: int) -> Iterator[Any]:
        """Of one row group, the words as a dictionary if that can be: so one that fills all rows takes memory once."""
        done = 0
        try:
            for batch in self._read(group, self._names[:1], ROWS_PER_BATCH):
                yield batch
                done += len(batch)
        except (OSError, NotImplementedError) as error:
            if "ot yet implemented" not in str(error):
                raise
            for batch in self._read(group, [], ROWS_PER_FRONT_CODED_BATCH):
                if done < len(batch):
                    yield batch.slice(done)
                done = max(done - len(batch), 0)

    def _read(self, group: int, dictionaries: Sequence[str], rows: int) -> Iterator[Any]:
        file = _parquet(self._path, self._metadata, dictionaries)
        try:
            yield from file.iter_batches(rows, row_groups=[group], columns=self._names, use_threads=False)
        finally:
            file.close()

    def _batch(self, batch: Any, done: int, builder: PackedWordsBuilder) -> WordBatch:
        """With each word of a dictionary once; `done` rows were read before."""
        words, counts, *places = (batch.column(name) for name in self._names)
        self._check_nulls(words, self._names[0], done)
        number = self._numbers(counts, self._names[1], 1, done)
        first = np.arange(done, done + len(batch)) + self._first_row
        place = self._numbers(places[0], FIRST_NAME, 0, done) if places else first
        rows = np.arange(len(batch))
        if hasattr(words, "dictionary"):
            used, rows, groups = np.unique(words.indices.to_numpy(), return_index=True, return_inverse=True)
            number = exact_sums(groups, number)[: len(used)]
            smallest = place[rows]
            np.minimum.at(smallest, groups, place)
            words, place = words.dictionary.take(_array(used)), smallest
        once = WordBatch(*self._bytes_of(words, rows + done), number, place)
        builder.check_sums(once)
        builder.repeated += len(batch) - len(words)
        return once if places else once.taken(np.argsort(place))

    def _bytes_of(self, words: Any, rows: Numbers) -> tuple[Bytes, Numbers]:
        """The words one behind the other, and their lengths. Raises CorpusError unless each is UTF-8 and not empty."""
        array = words.cast(_large_binary())
        _, offset_buffer, data_buffer = array.buffers()
        offsets = np.frombuffer(offset_buffer, np.int64)[array.offset : array.offset + len(array) + 1]
        data = np.frombuffer(data_buffer or b"", np.uint8)[offsets[0] : offsets[-1]].copy()
        lengths = np.diff(offsets)
        if len(empty := np.flatnonzero(lengths == 0)):
            raise self._wrong(rows[empty].min(), "the word is empty")
        starts = data[offsets[:-1] - offsets[0]]
        if (starts & 0xC0 == 0x80).any() or not _is_utf8(data):
            bad = [row for row, word in zip(rows.tolist(), array.to_pylist(), strict=True) if not _is_utf8(word)]
            raise self._wrong(min(bad), "the word is not UTF-8")
        return data, lengths

    def _numbers(self, array: Any, name: str, smallest: int, done: int) -> Numbers:
        self._check_nulls(array, name, done)
        numbers = array.to_numpy(zero_copy_only=False)
        if len(wrong := np.flatnonzero((numbers < smallest) | (numbers > MAX_COUNT))):
            limits = f"from {smallest} to {MAX_COUNT:,}"
            raise self._wrong(done + wrong[0], f"the {name} is {numbers[wrong[0]]:,}, and must be {limits}")
        return np.asarray(numbers, np.int64)

    def _check_nulls(self, array: Any, name: str, done: int) -> None:
        if array.null_count:
            nulls = array.is_null().to_numpy(zero_copy_only=False)
            raise self._wrong(done + np.flatnonzero(nulls)[0], f"the {name} is missing (null)")

    def _check_groups(self) -> None:
        groups = (self._metadata.row_group(group) for group in range(self._metadata.num_row_groups))
        if (size := max((group.total_byte_size for group in groups), default=0)) > MAX_GROUP_BYTES:
            raise CorpusError(
                f"{self.name}: one row group takes {size:,} bytes unpacked, and up to {MAX_GROUP_BYTES:,} can be read. "
                "Write the table with smaller row groups."
            )

    def _check_type(self, name: str, found: Any, is_word: bool) -> None:
        from pyarrow import types

        if is_word:
            value = found.value_type if types.is_dictionary(found) else found
            texts = (types.is_string, types.is_large_string, types.is_string_view)
            binaries = (types.is_binary, types.is_large_binary, types.is_binary_view)
            is_right, expected = any(is_kind(value) for is_kind in (*texts, *binaries)), "strings, or binary in UTF-8"
        else:
            is_right, expected = types.is_integer(found), "whole numbers, such as int64"
        if not is_right:
            raise CorpusError(f"{self.name}: the column {name} is of the type {found}; expected were {expected}.")

    def _wrong(self, row: int, what: str) -> CorpusError:
        return CorpusError(f"{self.name}, row {row + 1:,}: {what}.")


def _parquet(path: Path, metadata: Any = None, dictionaries: Sequence[str] = ()) -> Any:
    from pyarrow.parquet import ParquetFile

    return ParquetFile(
        path, metadata=metadata, read_dictionary=list(dictionaries), buffer_size=BUFFER_BYTES, pre_buffer=False
    )


def _array(numbers: Numbers) -> Any:
    import pyarrow

    return pyarrow.array(numbers)


def _large_binary() -> Any:
    import pyarrow

    return pyarrow.large_binary()


def _is_utf8(data: "Bytes | bytes") -> bool:
    try:
        bytes(data).decode()
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def _pyarrow_in_the_users_words(path: Path) -> Iterator[None]:
    from pyarrow import ArrowException

    try:
        yield
    except MemoryError:
        raise CorpusError(f"{path.name} could not be read: there is not enough memory for one of its parts.") from None
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CorpusError(f"{path.name} is not a Parquet file that can be read, or not a whole one: {reason}") from None


def check_pyarrow(what: str, error_class: type[BpeError]) -> None:
    """Raises such an error, with the way to install it, if it is missing."""
    if find_spec("pyarrow") is None:
        raise error_class(f"{what}: Parquet needs the package pyarrow, which is not installed: {INSTALL}")


def _pipeline_in(metadata: Mapping[bytes, bytes]) -> dict[str, Any] | None:
    """From the metadata of a file that the Spark job wrote; None for anything else, whatever stands there."""
    try:
        fields = json.loads(metadata.get(_SPARK_KEY, b"null"))["fields"]
        (text,) = (field["metadata"][PIPELINE_KEY] for field in fields if PIPELINE_KEY in field["metadata"])
        pipeline: dict[str, Any] = json.loads(text)
        described(pipeline)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return pipeline


def _notes(pipeline: Mapping[str, Any] | None) -> list[str]:
    return [] if pipeline is None else [f"Counted on Spark: {described(pipeline)}."]


def parquet_chunks(counts: Mapping[str, int], name: str) -> Iterator[bytes]:
    """The bytes of a file with the columns word and count, made when asked for.

    Raises FormatError for what no file can hold, and without pyarrow.
    """
    check_pyarrow(name, FormatError)
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    sink, rows = _Drain(), savable(counts)
    schema = pyarrow.schema([("word", pyarrow.large_string()), ("count", pyarrow.int64())])
    with ParquetWriter(pyarrow.PythonFile(sink, "w"), schema, store_schema=False, compression="zstd") as writer:
        while batch := list(islice(rows, ROWS_PER_GROUP)):
            words, numbers = zip(*batch, strict=True)
            writer.write_table(pyarrow.table({"word": words, "count": numbers}, schema=schema))
            yield sink.drained()
    yield sink.drained()


class _Drain(io.RawIOBase):
    """Takes what is written, until it is asked for."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._chunks.append(bytes(data))
        self._size += len(self._chunks[-1])
        return len(self._chunks[-1])

    def tell(self) -> int:
        return self._size

    def drained(self) -> bytes:
        data = b"".join(self._chunks)
        self._chunks.clear()
        return data
