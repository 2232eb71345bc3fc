"""`bpe convert`: the same tokenizer in another format."""

import json
from dataclasses import replace

import pytest

from core.errors import FormatError
from core.formats import EXPORTS, Finding, Severity
from core.formats.opening import open_model
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from tests.core.cli.commands import HARD, bpe, output
from tests.core.formats.readers import at_once


def test_from_format_to_format_and_back(models, tmp_path):
    ids = output("encode", models / "bytes", "-", "--ids", stdin=HARD.encode())
    steps = [(tmp_path / "one.tiktoken",), (tmp_path / "two", "--format", "gpt2"), (tmp_path / "three",)]
    before = models / "bytes"
    for out, *format in steps:
        assert output("convert", before, out, *format) == ""
        assert output("encode", out, "-", "--ids", stdin=HARD.encode()) == ids
        before = out
    first, last = (json.loads((folder / "tokenizer.json").read_text()) for folder in (models / "bytes", before))
    assert first == last


def test_what_is_lost_is_said(models, tmp_path):
    result = bpe("convert", models / "suffix", tmp_path / "m", "--format", "gpt2")
    assert result.status == 0
    assert "bpe: note: The two files cannot keep how the text is cut" in result.err


def test_what_a_format_cannot_hold_is_not_written(models, tmp_path):
    result = bpe("convert", models / "suffix", tmp_path / "x.tiktoken")
    assert result.status == 1
    assert result.err == (
        "bpe: error: The format tiktoken cannot hold this tokenizer. tiktoken knows only tokenizers whose base symbols "
        "are the 256 bytes. Train with bytes.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_first_merges_only(models, tmp_path):
    output("convert", models / "bytes", tmp_path / "m", "--step", 3)
    assert output("encode", tmp_path / "m", "lowest") == "lo w est\n"


@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.json", "merges.txt"])
def test_a_folder_can_be_named_by_its_main_file(models, tmp_path, name):
    output("convert", models / "bytes", tmp_path / name)
    assert (tmp_path / name).is_file()
    assert output("encode", tmp_path / name, "lowest", "--ids") == "260 258\n"


def test_a_file_that_gives_other_tokens_is_an_error(models, tmp_path, monkeypatch):
    format = EXPORTS["huggingface"]
    other = open_model(models / "suffix").recording
    monkeypatch.setitem(EXPORTS, "huggingface", replace(format, read=at_once(lambda *_: other)))
    result = bpe("convert", models / "ranks.tiktoken", tmp_path / "m", "--quiet")
    assert result.status == 1
    first, *others = result.err.splitlines()
    assert first.startswith("bpe: error: What was written gives other tokens: ")
    assert others[0] == "  ' ': 221, read back nothing"
    assert others[3:] == [
        "What was written has other merges: 12 here and 9 in the file.",
        "What was written has other vocabulary: 269 here and 29 in the file.",
        "What was written has other special tokens: 1 here and 0 in the file.",
    ]


def test_other_tokens_that_a_warning_foretells_are_no_failure(models, tmp_path, monkeypatch):
    other = open_model(models / "bytes").recording
    other.pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    warning = Finding(Severity.WARNING, "Ids may differ.")
    format = replace(EXPORTS["huggingface"], read=at_once(lambda *_: other), findings=lambda *_: [warning])
    monkeypatch.setitem(EXPORTS, "huggingface", format)
    result = bpe("convert", models / "ranks.tiktoken", tmp_path / "m")
    assert result.status == 0, result.err
    _, _, told, differing, *_ = result.err.splitlines()
    assert told == "bpe: warning: Ids may differ."
    assert differing.startswith("bpe: warning: What was written gives other tokens: ")


def test_a_file_that_cannot_be_read_back_is_an_error(models, tmp_path, monkeypatch):
    def fail(*_):
        raise FormatError("nonsense.")

    monkeypatch.setitem(EXPORTS, "huggingface", replace(EXPORTS["huggingface"], read=at_once(fail)))
    result = bpe("convert", models / "ranks.tiktoken", tmp_path / "m", "--quiet")
    assert (result.status, result.err) == (1, "bpe: error: What was written cannot be read back: nonsense.\n")


def test_a_model_may_be_replaced_by_its_first_steps(models, tmp_path):
    assert bpe("convert", models / "bytes", tmp_path / "m").status == 0
    assert bpe("convert", tmp_path / "m", tmp_path / "m", "--step", 3).status == 0
    assert "merges           3\n" in output("show", tmp_path / "m")
    assert bpe("convert", tmp_path / "m", tmp_path / "m", "--format", "gpt2").status == 0
