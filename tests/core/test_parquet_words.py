import contextlib
import importlib.util
import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import CorpusError, FormatError
from core.packed_words import PackedWords
from core.parquet_words import PIPELINE_KEY, _Table, counted_with, whole_of
from core.word_counts import load_word_counts, read_word_counts, write_word_counts
from tests.core.hard_texts import any_text

pa = pytest.importorskip("pyarrow", reason="Parquet is an extra, which needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="Parquet is an extra, which needs pyarrow")


def written(path, columns, **options):
    pq.write_table(pa.table(columns), path, **options)
    return path


def entries(path) -> list[tuple[str, int]]:
    counts = load_word_counts(path).given_counts
    assert isinstance(counts, PackedWords)
    return list(counts.items())


def message_on(path) -> str:
    with pytest.raises(CorpusError) as caught:
        load_word_counts(path)
    return str(caught.value)


def test_a_table_as_a_corpus(tmp_path):
    path = written(tmp_path / "words.parquet", {"word": ["low", "lower", "low"], "count": [5, 3_000_000_000, 2]})
    corpus = load_word_counts(path)
    assert list(corpus.given_counts.items()) == [("low", 7), ("lower", 3_000_000_000)]
    assert (corpus.text, corpus.name, corpus.path) == ("low\nlower\n", "words.parquet", path)
    assert (corpus.byte_count, len(corpus.sha256)) == (path.stat().st_size, 64)
    assert corpus.notes == (
        "Word counts: 2 words, 3,000,000,007 in all.",
        "The words are trained on as they are: neither normalizer nor pre-tokenizer changes them.",
        "1 row with a word that was listed before: the counts were added up.",
    )


def test_known_by_its_content(tmp_path):
    assert entries(written(tmp_path / "words.txt", {"word": ["low"], "count": [5]})) == [("low", 5)]


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary", "string_view", "dictionary"])
@pytest.mark.parametrize("number", ["int8", "int32", "int64", "uint8", "uint64"])
def test_types_of_columns(tmp_path, kind, number):
    word_type = pa.dictionary(pa.int8(), pa.string()) if kind == "dictionary" else getattr(pa, kind)()
    columns = {"word": pa.array(["b", "é", "b"]).cast(word_type), "count": pa.array([1, 2, 3], getattr(pa, number)())}
    assert entries(written(tmp_path / "words.parquet", columns)) == [("b", 4), ("é", 2)]


@pytest.mark.parametrize(
    "options",
    [
        {"use_dictionary": False, "column_encoding": {"word": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "column_encoding": {"word": "DELTA_LENGTH_BYTE_ARRAY"}},
        {"use_dictionary": False},
        {"row_group_size": 100},
        {"compression": "zstd", "data_page_version": "2.0"},
        {"compression": "none", "dictionary_pagesize_limit": 200},
    ],
)
def test_ways_to_write_it(tmp_path, options):
    words = [f"word{number % 700}" for number in range(2_000)]
    path = written(tmp_path / "words.parquet", {"word": words, "count": list(range(1, 2_001))}, **options)
    found = entries(path)
    assert found[:2] == [("word0", 1 + 701 + 1_401), ("word1", 2 + 702 + 1_402)]
    assert found[699] == ("word699", 700 + 1_400)
    assert len(found) == 700


def test_names_and_order_of_columns(tmp_path):
    columns = {"id": [9.5], "Frequency": [7], "TEXT": ["a"], "nested": [{"x": 1}]}
    assert entries(written(tmp_path / "words.parquet", columns)) == [("a", 7)]
    path = written(tmp_path / "other.parquet", {"token": ["a"], "n": [1]})
    assert message_on(path) == (
        "other.parquet has no column word, but token, n. "
        "Expected were the columns word (or text) and count (or freq, frequency)."
    )
    pq.write_table(pa.table([["a"], ["b"], [1]], ["word", "word", "count"]), path)
    assert message_on(path) == "other.parquet has 2 columns word, and one is expected."


def test_a_folder_of_parts(tmp_path):
    folder = tmp_path / "words"
    folder.mkdir()
    written(folder / "part-00001-x.snappy.parquet", {"word": ["c", "a"], "count": [1, 2], "first": [5, 9]})
    written(folder / "part-00000-x.snappy.parquet", {"word": ["b", "a"], "count": [3, 4], "first": [7, 8]})
    (folder / "_SUCCESS").touch()
    (folder / "._SUCCESS.crc").touch()
    assert entries(folder) == [("c", 1), ("b", 3), ("a", 6)]
    corpus = load_word_counts(folder)
    assert (corpus.name, corpus.path, corpus.text) == ("words", folder, "c\nb\na\n")
    assert whole_of(folder / "part-00001-x.snappy.parquet") == folder
    assert whole_of(folder) == folder
    assert whole_of(tmp_path / "words.parquet") == tmp_path / "words.parquet"
    written(folder / "part-00002.parquet", {"word": ["d"], "count": [1]})
    assert message_on(folder) == "part-00002.parquet: all parts of a table have a column first, or none has."
    (folder / "_temporary").mkdir()
    assert message_on(folder) == "words is not complete: the Spark job that writes it still runs, or has failed."


def test_a_folder_without_parts(tmp_path):
    assert message_on(tmp_path) == f"{tmp_path.name} is a folder without Parquet files; choose a list of word counts."


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": ["a", None], "count": [1, 2]}, "row 2: the word is missing (null)."),
        ({"word": ["a", "b", ""], "count": [1, 2, 3]}, "row 3: the word is empty."),
        ({"word": [b"a", b"\xc3"], "count": [1, 2]}, "row 2: the word is not UTF-8."),
        ({"word": [b"a\xc3", b"\xa9"], "count": [1, 2]}, "row 1: the word is not UTF-8."),
        ({"word": ["a", "b"], "count": [1, None]}, "row 2: the count is missing (null)."),
        ({"word": ["a", "b"], "count": [1, 0]},
         "row 2: the count is 0, and must be from 1 to 9,223,372,036,854,775,807."),
        ({"word": ["a", "b"], "count": [-7, 2]},
         "row 1: the count is -7, and must be from 1 to 9,223,372,036,854,775,807."),
        ({"word": ["a", "b"], "count": np.array([1, 2**63], np.uint64)},
         "row 2: the count is 9,223,372,036,854,775,808, and must be from 1 to 9,223,372,036,854,775,807."),
        ({"word": ["a"], "count": [1], "first": [-1]},
         "row 1: the first is -1, and must be from 0 to 9,223,372,036,854,775,807."),
        ({"word": ["a"], "count": [1], "first": pa.array([None], pa.int64())}, "row 1: the first is missing (null)."),
    ],
)  # fmt: skip
def test_wrong_rows(tmp_path, columns, message):
    assert message_on(written(tmp_path / "words.parquet", columns)) == f"words.parquet, {message}"


def test_rows_are_counted_through_the_batches(tmp_path):
    words = [f"w{number}" for number in range(100_000)]
    words[70_000] = ""
    path = written(tmp_path / "words.parquet", {"word": words, "count": [1] * 100_000}, row_group_size=30_000)
    assert message_on(path) == "words.parquet, row 70,001: the word is empty."


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": ["a"], "count": [1.0]},
         "words.parquet: the column count is of the type double; expected were whole numbers, such as int64."),
        ({"word": ["a"], "count": ["1"]},
         "words.parquet: the column count is of the type string; expected were whole numbers, such as int64."),
        ({"word": [5], "count": [1]},
         "words.parquet: the column word is of the type int64; expected were strings, or binary in UTF-8."),
        ({"word": [["a"]], "count": [1]},
         "words.parquet: the column word is of the type list<element: string>; expected were strings, or binary in "
         "UTF-8."),
        ({"word": [{"count": "a"}], "count": [1]},
         "words.parquet: the column word is of the type struct<count: string>; expected were strings, or binary in "
         "UTF-8."),
    ],
)  # fmt: skip
def test_wrong_types(tmp_path, columns, message):
    assert message_on(written(tmp_path / "words.parquet", columns)) == message


@pytest.mark.parametrize("words", [["a", "a"], ["a", "b", "a"]])
def test_sums_that_are_too_large(tmp_path, words):
    path = written(tmp_path / "words.parquet", {"word": words, "count": [2**63 - 1] * len(words)})
    assert message_on(path) == 'words.parquet: the counts of "a" add up to more than 9,223,372,036,854,775,807.'


def test_broken_files(tmp_path):
    whole = written(tmp_path / "whole.parquet", {"word": ["low", "lower"], "count": [5, 2]}).read_bytes()
    path = tmp_path / "words.parquet"
    for size in [4, 8, 100, len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:size])
        assert message_on(path).startswith("words.parquet is not a Parquet file that can be read, or not a whole one: ")
    path.write_bytes(b"PARE" + whole[4:-4] + b"PARE")
    assert message_on(path) == "words.parquet is encrypted; save the table without encryption."


def test_flipped_bytes_end_in_words_or_an_error(tmp_path):
    path = written(tmp_path / "words.parquet", {"word": ["low", "lower"] * 9, "count": [5, 2] * 9})
    whole, messages = path.read_bytes(), set()
    for place in range(4, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with contextlib.suppress(CorpusError):
            load_word_counts(path)
            continue
        messages.add(message_on(path))
    assert len(messages) > 20
    assert {message[:13] for message in messages} == {"words.parquet"}


def test_an_encrypted_column(tmp_path):
    pe = pytest.importorskip("pyarrow.parquet.encryption", reason="not every pyarrow can encrypt")

    class Keys(pe.KmsClient):
        def wrap_key(self, key_bytes, master_key_identifier):
            return key_bytes.hex()

        def unwrap_key(self, wrapped_key, master_key_identifier):
            return bytes.fromhex(wrapped_key)

    table, path = pa.table({"word": ["a"], "count": [1]}), tmp_path / "words.parquet"
    config = pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["word"]}, plaintext_footer=True)
    keys = pe.CryptoFactory(lambda connection: Keys()).file_encryption_properties(pe.KmsConnectionConfig(), config)
    with pq.ParquetWriter(path, table.schema, encryption_properties=keys) as writer:
        writer.write_table(table)
    assert message_on(path).startswith("words.parquet is not a Parquet file that can be read")


def test_a_small_file_of_many_large_words_takes_little_memory(tmp_path):
    """Three thousand rows of a megabyte each, which are one and the same word, in a file of 2 kB."""
    path, word = tmp_path / "words.parquet", "x" * 1_000_000
    column = pa.DictionaryArray.from_arrays(np.zeros(1_000, np.int32), [word])
    batch = pa.table({"word": column, "count": [1] * 1_000})
    with pq.ParquetWriter(path, batch.schema, compression="zstd") as writer:
        for _ in range(3):
            writer.write_table(batch)
    del batch, column
    before, most = pa.total_allocated_bytes(), 0
    for _ in read_word_counts(path):
        most = max(most, pa.total_allocated_bytes() - before)
    assert path.stat().st_size < 10_000
    assert most < 50_000_000
    assert entries(path) == [(word, 3_000)]


def test_a_row_group_that_is_too_large_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("core.parquet_words.MAX_GROUP_BYTES", 1_000)
    words = [f"word{number}" for number in range(1_000)]
    path = written(tmp_path / "words.parquet", {"word": words, "count": [1] * 1_000})
    beginning, end = message_on(path).split(" bytes unpacked, ")
    assert beginning.startswith("words.parquet: one row group takes ")
    assert end == "and up to 1,000 can be read. Write the table with smaller row groups."


def test_a_row_group_that_goes_on_front_coded(tmp_path, monkeypatch):
    """As parquet-mr writes it, once a dictionary is full: pyarrow finds out in the middle."""
    words = [f"word{number}" for number in range(5_000)]
    path = written(tmp_path / "words.parquet", {"word": words, "count": [1] * 5_000})
    read, batches = _Table._read, []

    def failing(table, group, dictionaries, rows):
        for batch in read(table, group, dictionaries, 1_000):
            batches.append(len(batch))
            if dictionaries and len(batches) == 3:
                raise OSError("Not yet implemented: DecodeArrow of DictAccumulator for DeltaByteArrayDecoder.")
            yield batch

    monkeypatch.setattr(_Table, "_read", failing)
    assert entries(path) == [(word, 1) for word in words]
    assert len(batches) == 3 + 5


def test_progress_in_bytes(tmp_path):
    path = written(tmp_path / "words.parquet", {"word": [f"w{n}" for n in range(200_000)], "count": [1] * 200_000})
    size, progress = path.stat().st_size, list(read_word_counts(path))
    assert [step.done for step in progress] == sorted(step.done for step in progress)
    assert progress[-1] == (size, size)
    assert len(progress) >= 5


def test_the_text_shows_no_more_than_so_many_words(tmp_path, monkeypatch):
    monkeypatch.setattr("core.word_tables.MAX_SHOWN_WORDS", 2)
    corpus = load_word_counts(written(tmp_path / "words.parquet", {"word": ["a", "b", "c"], "count": [1, 2, 3]}))
    assert corpus.text == "a\nb\n"
    assert len(corpus.given_counts) == 3


@settings(max_examples=40)
@example({})
@given(st.dictionaries(any_text.filter(bool), st.integers(1, 2**63 - 1), max_size=6))
def test_what_was_written_is_read_back(tmp_path_factory, counts):
    path = tmp_path_factory.getbasetemp() / "saved.parquet"
    counts = {word: count for word, count in counts.items() if not any("\ud800" <= char <= "\udfff" for char in word)}
    write_word_counts(path, counts)
    assert entries(path) == list(counts.items())


def test_what_is_written_is_plain(tmp_path, monkeypatch):
    monkeypatch.setattr("core.parquet_words.ROWS_PER_GROUP", 2)
    write_word_counts(tmp_path / "saved.parquet", {"low": 5, "é": 3_000_000_000, "a": 1})
    table = pq.read_table(tmp_path / "saved.parquet")
    assert table.to_pydict() == {"word": ["low", "é", "a"], "count": [5, 3_000_000_000, 1]}
    assert [str(kind) for kind in table.schema.types] == ["string", "int64"]
    assert pq.read_metadata(tmp_path / "saved.parquet").num_row_groups == 2


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    (tmp_path / "saved.parquet").write_bytes(b"old")
    with pytest.raises(FormatError, match="has the count 0"):
        write_word_counts(tmp_path / "saved.parquet", {"a": 1, "b": 0})
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("saved.parquet", b"old")]


def test_without_pyarrow(tmp_path, monkeypatch):
    path = written(tmp_path / "words.parquet", {"word": ["a"], "count": [1]})
    monkeypatch.setattr("core.parquet_words.find_spec", lambda name: None)
    missing = "Parquet needs the package pyarrow, which is not installed: pip install 'pyarrow>=16'"
    assert message_on(path) == f"words.parquet: {missing}"
    with pytest.raises(FormatError) as caught:
        write_word_counts(tmp_path / "saved.parquet", {"a": 1})
    assert str(caught.value) == f"saved.parquet: {missing}"
    assert importlib.util.find_spec("pyarrow")


def test_how_spark_says_what_the_words_were_cut_with(tmp_path):
    path, table = tmp_path / "words.parquet", pa.table({"word": ["a"], "count": [1]})
    words = {"name": "custom", "pattern": "a+", "digits": "single", "punctuation": True}
    said = {"normalizer": ["nfc", {"name": "numbers", "token": "0"}], "pre_tokenizer": words, "texts": "lines"}

    def save(pipeline):
        field = {"name": "word", "metadata": {PIPELINE_KEY: json.dumps(pipeline)}}
        metadata = {"org.apache.spark.sql.parquet.row.metadata": json.dumps({"fields": [{"metadata": {}}, field]})}
        pq.write_table(table.replace_schema_metadata(metadata), path)

    save(said)
    assert counted_with(path) == said
    assert load_word_counts(path).notes[0] == (
        "Counted on Spark: normalizer nfc, numbers; pre-tokenizer custom, a+, digits single, punctuation apart; "
        "texts lines."
    )
    for nonsense in [{}, None, [], {**said, "pre_tokenizer": "gpt2"}]:
        save(nonsense)
        assert counted_with(path) is None
    pq.write_table(table, path)
    assert counted_with(path) is None
    (tmp_path / "words.txt").write_text("a 1\n")
    assert counted_with(tmp_path / "words.txt") is None
