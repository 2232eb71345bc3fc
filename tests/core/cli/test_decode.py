"""`bpe decode`: exactly the text, and nothing else."""

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.cli.commands import HARD, bpe, command, environment, output, spawn


@pytest.mark.parametrize("ids", [("260", "258"), ("260 258",), ("[260, 258]",), ("260,258",)])
def test_ids_in_all_the_ways_they_are_printed(models, ids):
    assert output("decode", models / "bytes", *ids) == "lowest"


def test_markers_become_spaces(models):
    assert output("decode", models / "suffix", "22 9 21 26") == "lowest low"


def test_special_tokens_and_parts_of_characters(models):
    assert output("decode", models / "bytes", "0 163") == "<|end|>\ufffd"


def test_lines(models):
    assert output("decode", models / "bytes", "-", "--lines", stdin=b"260 258\n\n263\n") == "lowest\n\nnewest\n"
    assert output("decode", models / "bytes", "-", stdin=b"260 258\n\n263\n") == "lowestnewest"


def test_no_lines_are_no_texts(models):
    assert output("encode", models / "bytes", "-", "--lines", "--ids") == ""
    assert output("decode", models / "bytes", "-", "--lines") == ""


def test_only_a_terminal_gets_a_line_end(models):
    pty = pytest.importorskip("pty")  # which Windows lacks
    shown = []
    for stdin in (None, b"260 258"):
        outer, inner = pty.openpty()
        ids = ["-"] if stdin else ["260", "258"]
        subprocess.run(
            command("decode", models / "bytes", *ids), input=stdin, stdout=inner, env=environment(), check=True
        )
        os.close(inner)
        shown.append(os.read(outer, 100))
        os.close(outer)
    assert shown == [b"lowest\r\n", b"lowest"]


@pytest.mark.parametrize("model", ["bytes", "ranks.tiktoken"])
def test_bytes_come_back_through_two_processes(models, model):
    locale = {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}
    ids = spawn("encode", models / model, "-", "--ids", stdin=HARD.encode(), **locale)
    assert ids.err == ""
    again = subprocess.run(
        command("decode", models / model, "-"),
        input=ids.out.encode(),
        capture_output=True,
        env=environment(**locale),
    )
    assert (again.stdout, again.stderr) == (HARD.encode(), b"")


@pytest.mark.parametrize("text", ["", "\n", "a\r\nb\rc\n\n", "\x00", HARD, " x \n", "\u2028\x85\x0b\x0c\x1c"])
def test_hard_texts_come_back(models, text):
    ids = output("encode", models / "bytes", "-", "--ids", stdin=text.encode())
    assert output("decode", models / "bytes", "-", stdin=ids.encode()) == text


@settings(max_examples=60)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back(models, text):
    ids = output("encode", models / "bytes", "-", "--ids", "--special", "as-text", stdin=text.encode())
    assert output("decode", models / "bytes", "-", stdin=ids.encode()) == text


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["999"], "No token has the id 999."),
        (["260", "x"], "Token id number 2 is 'x'; expected was a whole number."),
        (["-5"], "Token id number 1 is '-5'; expected was a whole number."),
        (["²"], "Token id number 1 is '²'; expected was a whole number."),
    ],
)
def test_wrong_ids(models, ids, message):
    assert bpe("decode", models / "bytes", *ids) == (1, "", f"bpe: error: {message}\n")


def test_a_wrong_id_in_a_line(models):
    result = bpe("decode", models / "bytes", "-", "--lines", stdin=b"260\n258 q\n")
    assert result == (
        1,
        "lowest"[:3] + "\n",
        "bpe: error: line 2: Token id number 2 is 'q'; expected was a whole number.\n",
    )
