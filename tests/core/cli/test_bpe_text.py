"""`--bpe-text`: what subword-nmt's apply-bpe writes, and back."""

import pytest

from tests.core.cli.commands import bpe, output

CODES = "#version: 0.2\nl o\nlo w</w>\ne r</w>\n"


@pytest.fixture
def codes(tmp_path):
    path = tmp_path / "bpe.codes"
    path.write_text(CODES, encoding="utf-8")
    return path


def test_texts_get_a_line_each(codes):
    assert output("encode", codes, "low lower", "  newer ", "--bpe-text") == "low lo@@ w@@ er\n  n@@ e@@ w@@ er \n"


def test_standard_input_keeps_its_lines(codes):
    assert output("encode", codes, "-", "--bpe-text", stdin=b"low\r\n\nlower") == "low\r\n\nlo@@ w@@ er"
    assert output("encode", codes, "-", "--bpe-text", "--lines", stdin=b"low\nlower\n") == "low\nlo@@ w@@ er\n"


def test_another_mark(codes):
    assert output("encode", codes, "lower", "--bpe-text", "--separator", "￭") == "lo￭ w￭ er\n"
    assert output("decode", codes, "lo￭ w￭ er", "--bpe-text", "--separator", "￭") == "lower\n"


def test_back(codes):
    assert output("decode", codes, "lo@@ w@@ er x", "a@@", "--bpe-text") == "lower x\na\n"
    assert output("decode", codes, "-", "--bpe-text", stdin=b"lo@@ w@@ er\r\n") == "lower\r\n"


def test_tokens_that_the_vocabulary_lacks_fall_apart(codes, tmp_path):
    vocabulary = tmp_path / "words"
    vocabulary.write_text("lo@@ 9\nw 8\nlow 1\ner 3\n", encoding="utf-8")
    line = ["encode", codes, "low lower", "--bpe-text", "--vocabulary", vocabulary]
    assert output(*line) == "low lo@@ w@@ er\n"
    assert output(*line, "--vocabulary-threshold", 5) == "lo@@ w lo@@ w@@ e@@ r\n"


def test_dropout_and_a_step(codes):
    assert output("encode", codes, "low low", "--bpe-text", "--step", 1) == "lo@@ w lo@@ w\n"
    all_out = ["--encoder", "merge-rank", "--dropout", 1]
    assert output("encode", codes, "low", "--bpe-text", *all_out) == "l@@ o@@ w\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--separator", "_"], "--separator goes with --bpe-text"),
        (["--vocabulary", "x"], "--vocabulary goes with --bpe-text"),
        (["--bpe-text", "--separator", ""], "--separator must not be empty"),
        (["--bpe-text", "--vocabulary-threshold", "5"], "--vocabulary-threshold is about the --vocabulary"),
        (["--bpe-text", "--ids"], "not allowed with"),
    ],
)
def test_options_that_do_not_go_together(codes, options, message):
    code, written, said = bpe("encode", codes, "low", *options)
    assert (code, written) == (2, "")
    assert message in said


def test_a_tokenizer_of_bytes_writes_no_such_text(models):
    code, written, said = bpe("encode", models / "bytes", "low", "--bpe-text")
    assert (code, written) == (1, "")
    assert "Its tokens are bytes" in said


def test_a_vocabulary_that_is_none(codes, tmp_path):
    (tmp_path / "v").write_text("low\n", encoding="utf-8")
    said = bpe("encode", codes, "low", "--bpe-text", "--vocabulary", tmp_path / "v")[2]
    assert "v, line 1: expected a token, a space and a count" in said
