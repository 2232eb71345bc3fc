import gzip
import hashlib
import os
from pathlib import Path

import pytest

from core.corpus import load_corpora, read_corpora
from core.errors import CorpusError
from core.file_notes import stream_notes
from core.progress import Progress, without_progress
from core.text_encoding import DetectedBy
from core.text_stream import Piece, StreamRead, TextFiles
from tests.core.runs import finish

NASTY = sorted(path for path in (Path(__file__).parents[1] / "data" / "nasty").iterdir() if path.suffix == ".txt")


def written(folder: Path, *texts: bytes) -> list[Path]:
    paths = [folder / f"{name}.txt" for name in "abcdefgh"[: len(texts)]]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    return paths


def read(files: TextFiles, **settings) -> tuple[list[Piece], StreamRead]:
    pieces, reading = [], files.read(**settings)
    while True:
        try:
            pieces.append(next(reading))
        except StopIteration as stop:
            return pieces, stop.value


@pytest.mark.parametrize("size", [1, 7, 1_000, 1 << 20])
def test_several_files_are_the_text_that_reading_them_gives(size):
    pieces, result = read(TextFiles.of(NASTY), block_bytes=size)
    corpus = load_corpora(NASTY)
    assert b"".join(piece.data for piece in pieces).decode(errors="surrogatepass") == corpus.text
    assert [file.name for file in result.files] == [path.name for path in NASTY]
    assert stream_notes(result) == corpus.notes
    assert (result.byte_count, result.sha256) == (corpus.byte_count, corpus.sha256)
    assert {piece.file for piece in pieces} == set(range(len(NASTY)))


def test_a_line_end_is_added_between_files(tmp_path):
    pieces, result = read(TextFiles.of(written(tmp_path, b"", b"one", b"", b"two\n", b"three", b"four")))
    assert [(piece.data, piece.file, piece.is_added) for piece in pieces] == [
        (b"", 0, False), (b"one", 1, False), (b"", 2, False), (b"\n", 3, True), (b"two\n", 3, False),
        (b"three", 4, False), (b"\n", 5, True), (b"four", 5, False),
    ]  # fmt: skip
    assert result.unended == ("b.txt", "e.txt")


def test_progress_is_in_bytes_on_the_disk(tmp_path):
    packed = gzip.compress(bytes(range(65, 91)) * 100_000)
    paths = written(tmp_path, b"x" * 1_000, packed, b"y" * 500)
    pieces, _ = read(TextFiles.of(paths))
    done = [piece.progress.done for piece in pieces]
    assert done == sorted(done)
    assert pieces[0].progress == Progress(1_000, 1_500 + len(packed))
    assert pieces[-1].progress == Progress(1_500 + len(packed), 1_500 + len(packed))


def test_each_file_has_its_own_encoding(tmp_path):
    paths = written(tmp_path, "größer".encode("utf-16"), "größer\n".encode(), b"gr\xf6\xdfer und l\xe4nger")
    _, result = read(TextFiles.of(paths))
    assert [(file.encoding, file.detected_by) for file in result.files] == [
        ("utf-16-le", DetectedBy.BYTE_ORDER_MARK), ("utf-8", DetectedBy.VALID_UTF8), ("cp1252", DetectedBy.GUESSED),
    ]  # fmt: skip
    with pytest.raises(CorpusError, match=r"^c\.txt is not UTF-8: byte 3 \(line 1\)"):
        read(TextFiles.of(paths[1:], "utf-8"))


@pytest.mark.parametrize("change", [b"longer than before\n", b"other\n"])
def test_a_file_that_has_changed_is_told(tmp_path, change):
    (path,) = written(tmp_path, b"words\n")
    files = TextFiles.of([path])
    read(files)
    before = path.stat()
    path.write_bytes(change)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000))
    with pytest.raises(CorpusError, match=r"^a\.txt has changed since it was opened\. Open it again, then train\.$"):
        read(files)


def test_a_file_that_grows_while_it_is_read_is_told(tmp_path):
    (path,) = written(tmp_path, b"words\n" * 100_000)
    reading = TextFiles.of([path]).read(block_bytes=1_000)
    next(reading)
    with path.open("ab") as file:
        file.write(b"more\n")
    with pytest.raises(CorpusError, match="has changed since it was opened"):
        finish(reading)


def test_a_file_that_has_gone_is_told(tmp_path):
    (path,) = written(tmp_path, b"words\n")
    files = TextFiles.of([path])
    path.unlink()
    with pytest.raises(CorpusError, match="there is no such file"):
        read(files)


# The beginning of what is large.


def partial_corpus(*paths, most_bytes=10, **settings):
    return without_progress(read_corpora(paths, most_bytes=most_bytes, **settings))


def test_of_large_files_the_beginning_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("core.corpus.SHOWN_BYTES", 100)
    first, second = written(tmp_path, b"low lower\n" * 200_000, b"newest\n")
    corpus = partial_corpus(first, second)
    assert corpus.is_partial
    assert corpus.text == "low lower\n" * 104_857  # the whole lines of a megabyte
    assert corpus.files == ((0, 1_048_570),)
    assert (corpus.name, corpus.paths) == ("2 files: a.txt, b.txt", (first, second))
    assert (corpus.byte_count, corpus.sha256, corpus.notes) == (2_000_007, "", ())


def test_archives_count_by_what_is_in_them(tmp_path):
    text = b"low lower\n" * 1_000
    (path,) = written(tmp_path, gzip.compress(text))
    assert path.stat().st_size < 200
    assert not partial_corpus(path, most_bytes=10_000).is_partial
    corpus = partial_corpus(path, most_bytes=9_999)
    assert (corpus.is_partial, corpus.text, corpus.byte_count) == (True, text.decode(), path.stat().st_size)


def test_files_that_are_large_together(tmp_path):
    paths = written(tmp_path, b"low\n", b"lower\n", b"newest\n")
    assert not partial_corpus(*paths, most_bytes=17).is_partial
    corpus = partial_corpus(*paths, most_bytes=16)
    assert (corpus.text, corpus.files) == ("low\nlower\nnewest\n", ((0, 4), (4, 10), (10, 17)))


def test_what_is_known_once_all_is_read(tmp_path):
    data = b"\xef\xbb\xbflow\0\n"
    (path,) = written(tmp_path, data)
    corpus = partial_corpus(path, most_bytes=1)
    _, result = read(corpus.unread)
    known = corpus.when_read(result)
    assert (known.byte_count, known.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert known.notes == ("A byte order mark at the start was removed.", "The text contains 1 NUL character.")
    assert known.is_partial
