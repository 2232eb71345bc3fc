"""Progress and messages on standard error."""

import io
import sys

import pytest

from core.cli.console import Console, complain
from core.progress import Progress
from tests.core.cli.commands import bpe


def work(*done: int):
    for number in done:
        yield Progress(number, 10)
    return "result"


@pytest.mark.parametrize("progress", [True, False])
def test_work_gives_its_result(capsys, progress):
    assert Console(progress).follow(work(3, 3, 10), "counting") == "result"
    assert ("bpe: counting" in capsys.readouterr().err) is progress


def test_work_of_unknown_size(capsys):
    def endless():
        yield Progress(5, 0)
        return None

    assert Console(True).follow(endless(), "training twice") is None
    assert "bpe: training twice: 0it" in capsys.readouterr().err  # no share of nothing


def test_a_mistake_in_the_middle_of_work_ends_the_bar(capsys):
    def fail():
        yield Progress(1, 2)
        raise RuntimeError("a mistake of ours")

    with pytest.raises(RuntimeError, match="of ours"):
        Console(True).follow(fail(), "counting")
    assert capsys.readouterr().err.endswith("\r")


def test_messages_that_nobody_reads_stop_nothing(monkeypatch, four):
    class Closed(io.TextIOBase):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed())
    complain("unheard")


def test_quiet_leaves_errors(four, tmp_path):
    assert bpe("train", tmp_path / "none", "--json-lines", "--quiet").err.startswith(
        "bpe: error: none: there is no such"
    )
