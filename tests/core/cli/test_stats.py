"""`bpe stats`: measures of a text."""

import json

import pytest

from core import record
from core.cli.stats import measure_lines
from core.corpus import Corpus
from core.measuring import measures_at
from core.pipeline import Pipeline
from core.trainer import TrainerConfig
from tests.core.cli.commands import bpe, output

TEXT = "low newest <|end|>"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_a_table_for_reading(models, text):
    lines = output("stats", models / "bytes", text).splitlines()
    assert lines[:9] == [
        "                       text.txt",
        "Words                         5  words",
        "Bytes                        18  bytes in words",
        "Characters                   18  characters in words",
        "Tokens                       11  tokens",  # low, a space, newest, a space and 7 of the special token's text
        "Vocabulary size             269  tokens",
        "Compression ratio          1.45  UTF-8 bits per id bit",
        "Bytes per token            1.64  bytes",
        "Characters per token       1.64  characters",
    ]
    assert lines[-1].startswith("Rényi efficiency")


def test_json(models, text):
    found = json.loads(output("stats", models / "bytes", text, "--json", "--step", 0))
    assert (found["text"], found["step"], found["token_count"], found["fertility"]) == ("text.txt", 0, 18, 3.6)


def test_csv(models, text):
    lines = output("stats", models / "bytes", text, "--csv").splitlines()
    assert lines[:2] == ["name,value,unit", "token_count,11,tokens"]


def test_standard_input_and_word_counts(models, tmp_path):
    (tmp_path / "list").write_text("low 5\nnewest 2\n")
    listed = json.loads(output("stats", models / "bytes", tmp_path / "list", "--word-counts", "--json"))
    typed = json.loads(output("stats", models / "bytes", "-", "--json", stdin=b"low"))
    assert (listed["token_count"], listed["word_count"]) == (7, 7)
    assert (typed["text"], typed["token_count"]) == ("standard input", 1)


def test_curves(models, text):
    lines = output("stats", models / "bytes", text, "--table", "curves").splitlines()
    assert [line.split(",")[:2] for line in (lines[0], lines[1], lines[-1])] == [
        ["step", "token_count"], ["0", "18"], ["12", "11"],
    ]  # fmt: skip
    assert len(lines) == 14
    few = output("stats", models / "bytes", text, "--table", "curves", "--points", 3).splitlines()
    assert [line.split(",")[0] for line in few] == ["step", "0", "6", "12"]


def test_tables(models, text):
    frequencies = output("stats", models / "bytes", text, "--table", "frequencies").splitlines()
    assert frequencies[:3] == ["rank,occurrences,token_id,token,hex", "1,2,92,|,7c", "2,2,221,␣,20"]
    lengths = output("stats", models / "bytes", text, "--table", "lengths-in-bytes").splitlines()
    assert lengths[:2] == ["length,types,occurrences", "1,256,9"]


def test_another_order_of_the_entropy(models, text):
    shannon, usual = (
        json.loads(output("stats", models / "bytes", text, "--json", *alpha)) for alpha in (("--alpha", 1), ())
    )
    assert shannon["renyi_efficiency"] > usual["renyi_efficiency"]


def test_what_does_not_go_together(models, text):
    assert bpe("stats", models / "bytes", text, "--points", 3).err.startswith(
        "bpe: error: --points is for --table curves."
    )


def test_a_text_beside_the_one_trained_on():
    corpus = Corpus.typed("low low lower")
    recording = record(corpus, Pipeline(), TrainerConfig(merges=2))
    columns = [("new.txt", measures_at(recording, 0)), ("text trained on", measures_at(recording, 2))]
    assert list(measure_lines(columns))[:5] == [
        "                       new.txt  text trained on",
        "Words                        3                3  words",
        "Bytes                       13               13  bytes in words",
        "Characters                  13               13  characters in words",
        "Tokens                      13                7  tokens",
    ]
