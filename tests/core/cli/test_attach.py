"""`bpe attach`: the counts of a tokenizer on a text, and recordings on the command line."""

import csv

from core.formats.recording_file import load
from tests.core.cli.commands import bpe, output


def test_a_tokenizer_gets_the_counts_that_training_had(four, models, tmp_path):
    trained = tmp_path / "trained.bpe"
    output("train", four, "--merges", 12, "--special", "<|end|>", "--out", trained)
    said = bpe("attach", models / "ranks.tiktoken", "--pattern", "gpt2", four, "--out", tmp_path / "merges.csv").err
    assert said.startswith("bpe: 12 of 12 merges are made in 32 words.\n")
    with (tmp_path / "merges.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expected = load(trained).recording
    assert [int(row["count"]) for row in rows] == [merge.count for merge in expected]
    assert [int(row["tied"]) for row in rows] == [merge.tied for merge in expected]


def test_a_recording_goes_through_every_command(four, models, tmp_path):
    file = tmp_path / "a.bpe"
    said = bpe("attach", models / "suffix", four, "--out", file)
    assert said.err.startswith("bpe: 9 of 9 merges are made in 16 words.\n")
    assert "its 4 different words with their counts" in said.err
    assert output("encode", file, "lowest newest") == output("encode", models / "suffix", "lowest newest")
    again = tmp_path / "b.bpe"
    output("convert", file, again, "--step", 5)
    assert [merge.count for merge in load(again).recording] == [merge.count for merge in load(file).recording][:5]
    output("train", four, "--continue", file, "--merges", 11, "--out", tmp_path / "c.bpe")
    assert len(load(tmp_path / "c.bpe").recording) == 11


def test_the_text_stays(four, models):
    said = bpe("attach", models / "bytes", four, "--out", four, "--format", "recording").err
    assert said.startswith("bpe: error: four.txt is read and would be written over. Choose another name.")
