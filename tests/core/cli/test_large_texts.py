"""`bpe` on texts that are packed, in folders, or too large to be kept in memory."""

import gzip
import json

import pytest

from core import word_counting
from tests.core.cli.commands import FOUR_WORDS, bpe, output

CHARACTERS = ("--base", "characters", "--pre-tokenizer", "whitespace", "--merges", 4)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts" / "below").mkdir(parents=True)
    (tmp_path / "texts" / "a.txt").write_text(FOUR_WORDS[:32])
    (tmp_path / "texts" / "below" / "b.txt.gz").write_bytes(gzip.compress(FOUR_WORDS[32:].encode()))
    (tmp_path / "texts" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return tmp_path / "texts"


@pytest.fixture
def large(monkeypatch):
    """Texts of more than some bytes are too large to be kept."""
    monkeypatch.setattr("core.corpus.read_corpora.__defaults__", (None, 20))


def merges(*arguments):
    lines = output("train", *arguments, *CHARACTERS, "--json-lines").splitlines()
    return ["{left} {right} {count}".format(**json.loads(line)) for line in lines]


FIRST = ["e s 9", "es t 9", "l o 7", "lo w 7"]


def test_a_folder_is_all_its_texts(folder):
    assert merges(folder) == FIRST
    said = bpe("train", folder, *CHARACTERS, "--json-lines").err
    assert "bpe: note: 1 file passed over, not text: picture.png.\n" in said
    assert "bpe: note: b.txt.gz: Unpacked from gzip.\n" in said


def test_a_large_text_is_trained_on_from_first_to_last(folder, large, tmp_path):
    assert merges(folder) == FIRST
    report = tmp_path / "timeline.json"
    said = bpe("train", folder, *CHARACTERS, "--out", report, "--format", "timeline-json").err
    corpus = json.loads(report.read_text())["corpus"]
    assert corpus["bytes"] == len(FOUR_WORDS)
    assert len(corpus["sha256"]) == 64
    assert said.count("Unpacked from gzip") == 1


def test_a_limit_of_memory_changes_nothing_that_is_learned(folder, large, monkeypatch):
    monkeypatch.setattr("core.word_limits.MEGABYTE", 100)
    spilled = []
    add = word_counting.BoundedWords.relieve
    monkeypatch.setattr(word_counting.BoundedWords, "relieve", lambda *a: spilled.append(1) or add(*a))
    assert merges(folder, "--memory-limit", 1) == FIRST
    assert spilled


def test_rare_words_can_be_left_out(folder):
    said = bpe("train", folder, *CHARACTERS, "--min-word-count", 6, "--json-lines")
    assert "bpe: note: Left out: 3 words (10 in the text) that occur fewer than 6 times.\n" in said.err
    assert json.loads(said.out.splitlines()[0])["count"] == 6


def test_what_lies_beyond_a_limit_needs_one(folder):
    result = bpe("train", folder, "--beyond-limit", "drop", "--json-lines")
    assert result.status == 2
    assert "error: --beyond-limit drop: Only with a limit of memory for words." in result.err


def test_limits_can_be_chosen_anew_when_training_goes_on(folder, models):
    arguments = ("--continue", models / "suffix", "--merges", 10, "--min-word-count", 3, "--json-lines")
    assert "Left out: 1 word (2 in the text)" in bpe("train", folder, *arguments).err


def test_measures_and_what_if_read_packed_texts(folder, models):
    plain, packed = folder / "plain.txt", folder / "below" / "b.txt.gz"
    plain.write_text(FOUR_WORDS[32:])
    measured = [json.loads(output("stats", models / "suffix", path, "--json")) for path in (plain, packed)]
    assert measured[0] | {"text": ""} == measured[1] | {"text": ""}


def test_a_damaged_archive_is_told(folder):
    (folder / "bad.gz").write_bytes(gzip.compress(FOUR_WORDS.encode())[:-5])
    result = bpe("train", folder / "bad.gz", *CHARACTERS, "--json-lines")
    assert result.status == 1
    assert "error: bad.gz is damaged and cannot be unpacked (gzip): it ends in the middle." in result.err


def test_standard_input_may_be_packed(models):
    packed = gzip.compress(b"lowest newest")
    assert output("encode", models / "suffix", "-", "--ids", stdin=packed) == output(
        "encode", models / "suffix", "lowest newest", "--ids"
    )
    result = bpe("encode", models / "suffix", "-", stdin=packed[:-3])
    assert (result.status, "standard input is damaged and cannot be unpacked (gzip)" in result.err) == (1, True)


def test_what_is_read_in_a_folder_is_not_written_over(folder):
    result = bpe("train", folder, *CHARACTERS, "--write-word-counts", folder / "below" / "b.txt.gz")
    assert result.status == 2
    assert "error: b.txt.gz is read and would be written over. Choose another name." in result.err
    assert bpe("train", folder, *CHARACTERS, "--write-word-counts", folder / "new.txt").status == 0
