import bz2
import gzip
import lzma
import os
import sys
from functools import partial
from pathlib import Path

import pytest

from core.compressed import compression_of, open_unpacked
from core.corpus import load_corpus
from core.errors import CorpusError
from core.word_counts import load_word_counts

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = "".join(f"line {number} of a text, größer 日本\n" for number in range(20_000)).encode()
WITH_CHECKSUM = {zstd.CompressionParameter.checksum_flag: 1}
PACKERS = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "Zstandard": partial(zstd.compress, options=WITH_CHECKSUM),
}


def written(folder: Path, data: bytes, name: str = "text.bin") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def unpacked(path: Path, size: int = 100_000) -> bytes:
    with open_unpacked(path) as file:
        return b"".join(iter(lambda: file.read(size), b""))


@pytest.mark.parametrize("kind", PACKERS)
def test_what_was_packed_is_read(tmp_path, kind):
    path = written(tmp_path, PACKERS[kind](TEXT))
    assert unpacked(path) == TEXT
    corpus = load_corpus(path)
    assert corpus.text == TEXT.decode()
    assert corpus.notes == (f"Unpacked from {kind}.",)
    assert corpus.byte_count == len(TEXT)
    assert corpus.sha256 == load_corpus(written(tmp_path, TEXT, "plain.txt")).sha256


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("text", [b"", b"a", b"low\n"])
def test_short_texts(tmp_path, kind, text):
    assert unpacked(written(tmp_path, PACKERS[kind](text))) == text


@pytest.mark.parametrize("kind", PACKERS)
def test_archives_one_behind_the_other_are_read_as_one(tmp_path, kind):
    pack = PACKERS[kind]
    assert unpacked(written(tmp_path, pack(b"one\n") + pack(b"") + pack(TEXT))) == b"one\n" + TEXT


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("share", [0.3, 0.9, 1])
def test_an_archive_that_is_cut_off_is_told(tmp_path, kind, share):
    packed = PACKERS[kind](TEXT)
    path = written(tmp_path, packed[: int(share * len(packed)) - 1])
    with pytest.raises(CorpusError, match=rf"^text\.bin is damaged and cannot be unpacked \({kind}\): it ends in "):
        load_corpus(path)


@pytest.mark.parametrize("kind", PACKERS)
def test_an_archive_with_a_wrong_byte_is_told(tmp_path, kind):
    packed = bytearray(PACKERS[kind](os.urandom(5_000)))
    packed[2_500] ^= 255
    with pytest.raises(CorpusError, match=rf"^text\.bin is damaged and cannot be unpacked \({kind}\): "):
        load_corpus(written(tmp_path, bytes(packed)))


@pytest.mark.parametrize("text", [b"BZh is how bzip2 begins\n", b"BZh91AY", b"(\xb5 is no text", b"BZ", b""])
def test_the_first_bytes_decide(text):
    assert compression_of(text) is None


def test_a_name_does_not_decide(tmp_path):
    assert unpacked(written(tmp_path, b"plain\n", "text.gz")) == b"plain\n"


def test_the_place_is_that_on_the_disk(tmp_path):
    with open_unpacked(written(tmp_path, gzip.compress(TEXT))) as file:
        assert (file.place, file.size) == (0, len(gzip.compress(TEXT)))
        while file.read(10_000):
            assert 0 < file.place <= file.size
        assert file.place == file.size


def test_a_bomb_is_read_piece_by_piece(tmp_path):
    path = written(tmp_path, zstd.compress(bytes(50_000_000)))
    assert path.stat().st_size < 10_000
    with open_unpacked(path) as file:
        assert len(file.read(1_000)) == 1_000


def test_a_list_of_word_counts_may_be_packed(tmp_path):
    path = written(tmp_path, gzip.compress(b"low 5\nlower 2\n"))
    assert load_word_counts(path).given_counts == {"low": 5, "lower": 2}


def test_a_python_without_zstandard_says_so(tmp_path, monkeypatch):
    for module in ("backports", "backports.zstd", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CorpusError, match=r"^Zstandard cannot be unpacked here: .* Unpack it first\.$"):
        load_corpus(written(tmp_path, zstd.compress(TEXT)))
    assert load_corpus(written(tmp_path, gzip.compress(TEXT))).text == TEXT.decode()
