"""The command itself: help, version, status, streams, and that it needs no window."""

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from core.cli.commands import COMMANDS
from tests.core.cli.commands import ROOT, bpe, command, environment, output, spawn

NO_QT = """
import ast
import sys

from core.cli import main

status = [main(arguments) for arguments in ast.literal_eval(sys.argv[1])]
window = {"PySide6", "shiboken6", "pyqtgraph", "qtawesome", "bpe_gui"}
print(status, sorted(window & {name.partition(".")[0] for name in sys.modules}))
"""


def test_help_lists_every_command():
    text = output("--help")
    assert text == output("-h")
    assert re.findall(r"^  ([a-z-]+)  +[a-z]", text, re.MULTILINE) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_examples_that_can_be_used(name):
    text = output(name, "--help")
    assert text.startswith(f"usage: bpe {name} ")
    examples = re.findall(rf"^  bpe ({name} .*)$", text, re.MULTILINE)
    assert len(examples) >= 3
    for example in examples:
        words = shlex.split(re.split(" [|<>] ", example)[0])
        COMMANDS[name].parse(words[1:])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_tells_its_default(name):
    parser = COMMANDS[name].parser()
    for action in parser._actions:
        if (
            action.option_strings
            and not action.required
            and action.dest not in ("help", "ids", "steps", "bpe_text", "out", "preset")
        ):
            assert "default" in action.help, action.option_strings


def test_version():
    try:
        number = version("bpe-gui")
    except PackageNotFoundError:
        number = "(development version)"
    assert output("--version") == f"bpe {number}\n"


def test_no_qt(four, tmp_path):
    model = str(tmp_path / "m")
    commands = [
        ["train", str(four), "--merges", "3", "--out", model, "--progress"],
        ["encode", model, "lowest", "--steps"],
        ["stats", model, str(four)],
        ["what-if", str(four), "--against", "bytes"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", NO_QT, repr(commands)], capture_output=True, text=True, env=environment()
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[0, 0, 0, 0] []"), done.stderr


def test_the_installed_command(four, tmp_path):
    script = Path(sys.executable).with_name("bpe")
    if not script.exists():
        pytest.skip("the project is not installed in this environment")
    done = subprocess.run([script, "train", four, "--merges", "1", "--json-lines"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)


def test_output_is_utf_8_whatever_the_locale(models):
    locale = {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert spawn("encode", models / "bytes", "low low", **locale) == (0, "low ␣ low\n", "")


def test_messages_are_readable_in_any_locale(models):
    result = spawn("train", "x", "--marker", "metaspace", LC_ALL="POSIX", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (result.status, result.err.count("Traceback")) == (2, 0)


@pytest.mark.parametrize("before", [[], [b"a", b"--ids"]])
def test_arguments_that_are_no_text(models, before):
    done = subprocess.run(
        [*map(os.fsencode, command("encode", models / "bytes")), *before, b"caf\xe9"],
        capture_output=True,
        env=environment(LC_ALL="C.UTF-8"),
    )
    assert done.returncode == 2
    assert done.stderr.startswith(rb"bpe: error: TEXT: 'caf\udce9' is not text in the terminal's encoding.")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text there")
def test_files_whose_names_are_no_text(models, tmp_path):
    text = tmp_path / os.fsdecode(b"caf\xe9.txt")
    text.write_text("low low")
    assert output("stats", models / "bytes", text).splitlines()[0].split() == ["caf\ufffd.txt"]
    assert json.loads(output("stats", models / "bytes", text, "--json"))["text"] == "caf\ufffd.txt"
    for format in ("tiktoken", "timeline-json"):
        out = tmp_path / os.fsdecode(b"\xe9.tiktoken" if format == "tiktoken" else b"\xe9.json")
        assert spawn("train", text, "--merges", 1, "--out", out, "--format", format).status == 0
        assert out.exists()


def test_a_closed_pipe_is_no_error(tmp_path, models):
    run = subprocess.Popen(
        command("show", models / "bytes", "--vocab"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    run.stdout.close()
    err = run.stderr.read()
    run.stderr.close()
    assert (run.wait(), err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_an_error(models):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("encode", models / "bytes", "low"), stdout=full, stderr=subprocess.PIPE, env=environment()
        )
    assert (done.returncode, done.stderr) == (1, b"bpe: error: standard output: No space left on device.\n")


@pytest.mark.skipif(os.name == "nt", reason="no such shell there")
@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("encode {model} - <&-", 1, "standard input is closed: there is nothing to read."),
        ("encode {model} low >&-", 1, "standard output: not writable."),
        ("--help >&-", 1, "standard output: not writable."),
        ("show {model} --merges >/dev/null 2>&-", 0, ""),
    ],
)
def test_streams_that_are_closed(models, line, status, message):
    words = f"{shlex.join(command())} {line.format(model=shlex.quote(str(models / 'bytes')))}"
    done = subprocess.run(["sh", "-c", words], stderr=subprocess.PIPE, env=environment(), text=True)
    assert (done.returncode, done.stderr) == (status, f"bpe: error: {message}\n" if message else "")


def test_python_m(four):
    assert ROOT.joinpath("core", "cli", "__main__.py").is_file()
    assert spawn("train", four, "--merges", 1, "--json-lines", "--quiet").out.count("\n") == 1


def test_ctrl_c_while_reading(models, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("core.cli.encode.read_stdin", stop)
    assert bpe("encode", models / "bytes", "-") == (130, "", "bpe: stopped\n")


def test_no_memory(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("core.cli.encode.open_at_step", fail)
    assert bpe("encode", "M", "x") == (1, "", "bpe: error: There is not enough memory for this.\n")
