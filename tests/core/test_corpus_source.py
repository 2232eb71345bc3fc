from pathlib import Path

import pytest

from core.corpus import Corpus, load_corpora, load_corpus
from core.corpus_source import CorpusSource, is_same_text, other_reading
from core.errors import CorpusError
from core.progress import without_progress
from core.word_counts import load_word_counts, write_word_counts

LIST = "low 5\nlower 2\n"


@pytest.fixture
def words(tmp_path):
    return written(tmp_path, "words.txt", LIST)


def written(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def test_a_text_in_no_file_has_no_source():
    assert CorpusSource.of(Corpus.typed("low 5")) is None


def test_what_was_read_can_be_read_again(tmp_path, words):
    one, two = written(tmp_path, "one.txt", "é", "cp1252"), written(tmp_path, "two.txt", "ü\n", "cp1252")
    corpora = load_corpus(one), load_corpus(one, "cp1252"), load_corpora([two, one], "CP1252"), load_word_counts(words)
    assert [CorpusSource.of(corpus) for corpus in corpora] == [
        CorpusSource((one,)),
        CorpusSource((one,), "cp1252"),
        CorpusSource((two, one), "cp1252"),
        CorpusSource((words,), is_word_counts=True),
    ]
    for corpus in corpora:
        source = CorpusSource.of(corpus)
        again = without_progress(CorpusSource.from_json(source.to_json()).read())
        assert again == corpus
        assert again.text == corpus.text


def test_files_of_chosen_encodings_that_differ_by_their_marks(tmp_path):
    little, big = tmp_path / "little.txt", tmp_path / "big.txt"
    little.write_bytes(b"\xff\xfea\0")
    big.write_bytes(b"\xfe\xff\0b")
    corpus = load_corpora([little, big], "utf-16")
    source = CorpusSource.of(corpus)
    assert source == CorpusSource((little, big))  # their marks tell
    assert without_progress(source.read()).text == corpus.text == "a\nb"


def test_relative_paths_become_absolute(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert CorpusSource.of(load_word_counts("words.txt")).paths == (words,)


def test_names():
    one = CorpusSource((Path("/texts/春.txt"),))
    three = CorpusSource((*one.paths, Path("b.txt"), Path("c.txt")))
    assert (one.name, three.name) == ("春.txt", "春.txt and 2 more")


def test_the_listing():
    paths = tuple(Path("/texts", f"{number}.txt") for number in range(22))
    assert CorpusSource(paths[:2], "koi8-r").listing.split("\n") == [*map(str, paths[:2]), "read as KOI8-R"]
    assert CorpusSource(paths[:1], is_word_counts=True).listing.split("\n")[1] == "read as a list of word counts"
    assert CorpusSource(paths).listing.split("\n") == [*map(str, paths[:20]), "and 2 more files"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (CorpusSource((Path("a"), Path("b")), is_word_counts=True), "read from one file, but 2 are given"),
        (CorpusSource((Path("a"),), "cp1252", is_word_counts=True), "always read as UTF-8"),
        (CorpusSource((Path("missing.txt"),), is_word_counts=True), "missing.txt: there is no such file"),
        (CorpusSource((Path(__file__), Path("missing.txt"))), "missing.txt: there is no such file"),
    ],
)
def test_what_cannot_be_read(source, message):
    with pytest.raises(CorpusError, match=message):
        without_progress(source.read())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/a/path.txt",
        "[" * 100_000,
        "[]",
        "{}",
        '{"files": [], "encoding": null, "word_counts": false}',
        '{"files": "a.txt", "encoding": null, "word_counts": false}',
        '{"files": [5], "encoding": null, "word_counts": false}',
        '{"files": ["a.txt", ""], "encoding": null, "word_counts": false}',
        '{"files": ["a.txt"], "encoding": 8, "word_counts": false}',
        '{"files": ["a.txt"], "encoding": null, "word_counts": "no"}',
        '{"files": ["a.txt"], "encoding": null}',
    ],
)
def test_json_that_names_no_files(text):
    with pytest.raises(CorpusError, match="does not say which files"):
        CorpusSource.from_json(text)


def test_names_that_are_not_unicode_survive():
    source = CorpusSource((Path('/\udcff "x".txt'),))
    assert CorpusSource.from_json(source.to_json()) == source
    source.to_json().encode()


def test_the_other_way_to_read_a_file(tmp_path, words):
    text, as_list = CorpusSource((words,)), CorpusSource((words,), is_word_counts=True)
    assert other_reading(load_corpus(words)) == as_list
    assert other_reading(load_word_counts(words)) == text
    assert other_reading(Corpus.typed(LIST)) is None
    assert other_reading(load_corpora([words, words])) is None
    assert other_reading(load_corpus(written(tmp_path, "text.txt", "low 5\nlower\n"))) is None


def test_the_beginning_tells_a_long_list(tmp_path):
    path = written(tmp_path, "long.txt", "low 5\n" * 100_000 + "no list after all\n")
    assert other_reading(load_corpus(path)) == CorpusSource((path,), is_word_counts=True)


def test_texts_that_training_reads_alike(tmp_path, words):
    as_text, as_list = load_corpus(words), load_word_counts(words)
    latin = written(tmp_path, "latin.txt", "é", "cp1252")
    assert is_same_text(as_text, Corpus.typed(LIST))
    assert is_same_text(as_list, load_word_counts(words))
    assert is_same_text(load_corpus(latin, "cp1252"), Corpus.typed("é"))
    assert not is_same_text(as_text, as_list)  # of the same bytes
    assert not is_same_text(load_corpus(latin, "cp1252"), load_corpus(latin, "cp1251"))
    assert not is_same_text(load_corpora([words, latin]), load_corpora([latin, words]))


def test_a_list_with_other_counts_is_another(tmp_path, words):
    before = load_word_counts(words)
    after = load_word_counts(written(tmp_path, "words.txt", LIST.replace("5", "6")))
    assert before.text == after.text
    assert not is_same_text(before, after)


def test_a_parquet_table_is_a_list_and_never_a_text(tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet is an extra, which needs pyarrow")
    path = tmp_path / "words.parquet"
    write_word_counts(path, {"low": 5, "lower": 2})
    for source in (CorpusSource((path,)), CorpusSource((path,), is_word_counts=True)):
        corpus = without_progress(source.read())
        assert corpus.given_counts == {"low": 5, "lower": 2}
        assert CorpusSource.of(corpus) == CorpusSource((path,), is_word_counts=True)
        assert other_reading(corpus) is None
    with pytest.raises(CorpusError, match="it is a Parquet table, which can only be read as word counts"):
        load_corpus(path)
