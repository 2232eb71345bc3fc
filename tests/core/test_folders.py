import gzip
from pathlib import Path

import pytest

from core.corpus import load_corpora, load_corpus
from core.corpus_source import CorpusSource
from core.errors import CorpusError
from core.folders import text_files
from core.progress import without_progress


@pytest.fixture
def folder(tmp_path) -> Path:
    contents = {
        "b.txt": b"b\n",
        "a/z.txt": b"z\n",
        "a/y/x.md": b"x\n",
        "a.txt.gz": gzip.compress(b"a\n"),
        ".hidden": b"no\n",
        ".git/config": b"no\n",
        "picture.png": b"\x89PNG\r\n\x1a\n",
        "packed.gz": gzip.compress(b"PK\x03\x04\x14\0"),
        "broken.gz": gzip.compress(b"words\n" * 1_000)[:30],
        "random.bin": bytes(range(256)) * 10,
        "latin.txt": "größer und länger\n".encode("cp1252"),
    }
    for name, data in contents.items():
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_bytes(data)
    return tmp_path / "texts"


def found(*paths, **settings):
    return without_progress(text_files(paths, **settings))


def test_all_text_files_below_a_folder_in_order(folder):
    files, notes = found(folder)
    assert [str(file.relative_to(folder)) for file in files] == [
        "a/y/x.md", "a/z.txt", "a.txt.gz", "b.txt", "latin.txt",
    ]  # fmt: skip
    assert notes == ("4 files passed over, not text: broken.gz, packed.gz, picture.png and 1 more.",)


def test_a_file_that_is_named_itself_stays(folder):
    named = folder / "picture.png"
    assert found(named, folder / "a", named).files == (named, folder / "a/y/x.md", folder / "a/z.txt", named)
    with pytest.raises(CorpusError, match=r"^picture\.png looks like a binary file"):
        load_corpora([folder, named])


def test_a_chosen_encoding_makes_every_file_a_text(folder):
    assert len(found(folder, encoding="cp437").files) == 9


def test_a_folder_as_corpus(folder):
    corpus = load_corpus(folder)
    assert corpus.text == "x\nz\na\nb\ngrößer und länger\n"
    assert corpus.files == ((0, 2), (2, 4), (4, 6), (6, 8), (8, 26))
    assert corpus.name == "texts: 5 files"
    assert corpus.notes[0].startswith("4 files passed over, not text: ")
    assert CorpusSource.of(corpus) == CorpusSource((folder,))
    assert CorpusSource.of(load_corpora([folder / "a", folder / "b.txt"])).paths == (folder / "a", folder / "b.txt")


def test_a_folder_without_texts(tmp_path):
    (tmp_path / "empty" / "below").mkdir(parents=True)
    with pytest.raises(CorpusError, match=r"^There is no text file in the folder empty\.$"):
        found(tmp_path / "empty")


def test_links_that_lead_in_a_circle_are_not_followed(folder):
    (folder / "a" / "up").symlink_to(folder)
    (folder / "link.txt").symlink_to(folder / "b.txt")
    names = [file.name for file in found(folder).files]
    assert names == ["x.md", "z.txt", "a.txt.gz", "b.txt", "latin.txt", "link.txt"]
