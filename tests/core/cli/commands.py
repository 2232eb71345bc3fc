"""Runs the command `bpe` in this process or in one of its own, for the tests in this folder."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from core.cli import main

ROOT = Path(__file__).parents[3]
FOUR_WORDS = "low\n" * 5 + "lower\n" * 2 + "newest\n" * 6 + "widest\n" * 3
HARD = (
    "\ufeffa\r\nb\rc\n\n\x00\x1f  \t\u00a0\u3000\u2028\u0085<|end|> I'm 1234 ½² naïve e\u0301 \u200d中文，日本語 हिन्दी "
    "😀👩‍👩‍👧‍👦🇩🇪 \U0010ffff\ue000\uffff </w> ##ing ▁ ⟨E4⟩ \r\n"
)


class Result(NamedTuple):
    status: int
    out: str
    err: str


def bpe(*arguments: object, stdin: bytes = b"") -> Result:
    """In this process; standard output is of a locale that knows ASCII only, and translates line ends."""
    streams = [io.BytesIO(stdin), io.BytesIO(), io.BytesIO()]
    out = io.TextIOWrapper(streams[1], encoding="ascii", newline="\r\n")
    err = io.TextIOWrapper(streams[2], encoding="utf-8")
    with patch.multiple(sys, stdin=io.TextIOWrapper(streams[0], encoding="ascii"), stdout=out, stderr=err):
        status = main(list(map(str, arguments)))
    out.flush()
    err.flush()
    return Result(status, streams[1].getvalue().decode(), streams[2].getvalue().decode())


def output(*arguments: object, stdin: bytes = b"") -> str:
    """Standard output of a command that must not fail."""
    result = bpe(*arguments, stdin=stdin)
    assert result.status == 0, result.err
    return result.out


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "core.cli", *map(str, arguments)]


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **variables}


def spawn(*arguments: object, stdin: bytes = b"", **variables: str) -> Result:
    """In a process of its own, with these environment variables."""
    done = subprocess.run(command(*arguments), input=stdin, capture_output=True, env=environment(**variables))
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
