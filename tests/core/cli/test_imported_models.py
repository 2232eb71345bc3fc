"""Models of other tools on the command line: what their files do not say, what is unusual, what is not applied."""

from dataclasses import replace

import pytest

from core.added_tokens import AddedToken
from core.encoding_rules import Encoder, EncodingRules
from core.errors import PatternWantedError
from core.formats import FORMATS
from core.formats.opening import open_model
from core.imported import Imported
from core.pre_tokenizer import PRE_TOKENIZERS
from tests.core.cli.commands import bpe, output
from tests.core.formats.readers import at_once

PARTS = ("the post-processor TemplateProcessing", "the padding")


@pytest.fixture
def said(models, monkeypatch):
    """What readers were told of the file; it does not say itself how texts are cut."""
    given = []
    recording = open_model(models / "bytes").recording

    def read(path, options):
        given.append(options)
        if options.pre_tokenizer is None:
            raise PatternWantedError(f"{path.name}: ranks do not say how texts are cut into words.")
        return recording

    monkeypatch.setitem(FORMATS, "tiktoken", replace(FORMATS["tiktoken"], read=at_once(read)))
    return given


@pytest.fixture
def imported(models, monkeypatch):
    """`bytes` as if some tool had written it whose ways are not ours."""
    recording = open_model(models / "bytes").recording
    facts = ("The merges are not in the order in which they were learned.", "3 ids below 300 stand for no token.")
    recording.imported = Imported("huggingface", "tokenizer.json", facts, PARTS)
    recording.rules = EncodingRules(Encoder.TOKEN_RANK, whole_pieces=True)
    recording.added_tokens = (AddedToken("<|end|>", 0, lstrip=True, rstrip=True), AddedToken("hm", 268, special=False))
    format = replace(FORMATS["huggingface"], read=at_once(lambda *_: recording), encoder=lambda r: r.rules.encoder)
    monkeypatch.setitem(FORMATS, "huggingface", format)
    return models / "bytes"


@pytest.mark.parametrize("command", ["encode", "decode", "show", "stats", "convert"])
def test_a_file_that_does_not_say_how_texts_are_cut(models, four, tmp_path, said, command):
    more = {"encode": ["low"], "decode": [260], "show": [], "stats": [four], "convert": [tmp_path / "m"]}[command]
    result = bpe(command, models / "ranks.tiktoken", *more)
    assert result.status == 2
    assert result.err == (
        "bpe: error: ranks.tiktoken: ranks do not say how texts are cut into words. Here that is --pattern: "
        f"{', '.join(PRE_TOKENIZERS).replace('_', '-')}, or a regular expression.\nTry: bpe {command} --help\n"
    )
    assert bpe(command, models / "ranks.tiktoken", *more, "--pattern", "gpt2", "--quiet").status == 0
    assert said[-1].pre_tokenizer == PRE_TOKENIZERS["gpt2"]


def test_a_regular_expression_and_special_tokens(models, said):
    specials = ["--special-token", "<|end|>=0", "--special-token", "a=b=7"]
    output("encode", models / "ranks.tiktoken", "low", "--pattern", r"\w+|\s", *specials)
    assert said[-1].pre_tokenizer.pattern == r"\w+|\s"
    assert said[-1].special_tokens == {"<|end|>": 0, "a=b": 7}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--pattern", "(", "--pattern: The pattern cannot be read at character 2"),
        ("--special-token", "<s>", "--special-token: expected a text, = and an id, such as"),
        ("--special-token", "=5", "--special-token: expected a text, = and an id, such as"),
        ("--special-token", "<s>=-1", "--special-token: expected a text, = and an id, such as"),
        ("--special-token", "<s>=9999999999", "--special-token: expected a text, = and an id, such as"),
    ],
)
def test_options_that_cannot_be(models, option, value, message):
    result = bpe("encode", models / "ranks.tiktoken", "low", option, value)
    assert result.status == 2
    assert result.err.startswith(f"bpe: error: {message}")


def test_what_is_unusual_is_shown(imported):
    lines = output("show", imported).splitlines()
    assert lines[:6] == [
        "format           Hugging Face tokenizer.json",
        "imported         The merges are not in the order in which they were learned.",
        "                 3 ids below 300 stand for no token.",
        "not applied      the post-processor TemplateProcessing",
        "                 the padding",
        "encoder          token-rank, after words that are a token as they stand",
    ]
    assert "special          0 <|end|> (lstrip, rstrip)" in lines
    assert "                 268 hm (not special)" in lines


def test_what_is_not_applied_is_said_where_texts_are_encoded(imported):
    result = bpe("encode", imported, "low", "--ids")
    assert (result.status, result.out) == (0, "260\n")
    assert result.err == (
        "bpe: note: tokenizer.json: not applied here: the post-processor TemplateProcessing and the padding.\n"
    )
    assert bpe("encode", imported, "low", "--quiet").err == ""


def test_what_is_not_applied_is_lost_in_another_format(imported, tmp_path):
    result = bpe("convert", imported, tmp_path / "x.tiktoken")
    assert "note: Of tokenizer.json this is not kept: the post-processor TemplateProcessing and the padding." in (
        result.err
    )


def test_an_ending_of_several_formats_asks(models, tmp_path):
    result = bpe("convert", models / "bytes", tmp_path / "x.model")
    assert result.status == 2
    assert "x.model: the ending .model does not tell the format; choose a --format: " in result.err
