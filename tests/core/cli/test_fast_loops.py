import pytest

from core.cli import fast_loops
from core.cli.console import Console
from core.cli.fast_loops import COMPILE_BYTES, LOAD_BYTES, ensure_fast_loops
from core.errors import KernelError
from core.kernel_loader import State, Status
from tests.core.cli.commands import spawn


@pytest.fixture
def calls(monkeypatch):
    """What is asked of a loader that has nothing in its cache."""
    calls = []

    def load(progress=None):
        calls.append("load")
        if progress:
            progress(Status(State.COMPILING))
            progress(Status(State.COMPILING, done=3, total=4))

    monkeypatch.setattr(fast_loops, "load", load)
    monkeypatch.setattr(fast_loops, "start_loading", lambda: calls.append("start"))
    monkeypatch.setattr(fast_loops, "are_cached", lambda: False)
    monkeypatch.setattr(fast_loops, "are_ready", lambda: False)
    monkeypatch.setattr(fast_loops, "keeping_problem", lambda: "")
    monkeypatch.delenv("BPE_GUI_COMPILED", raising=False)
    return calls


@pytest.mark.parametrize(
    ("is_cached", "byte_count", "expected"),
    [
        (False, LOAD_BYTES - 1, []),
        (False, LOAD_BYTES, ["start"]),
        (False, COMPILE_BYTES - 1, ["start"]),
        (False, COMPILE_BYTES, ["load"]),
        (True, LOAD_BYTES - 1, []),
        (True, LOAD_BYTES, ["load"]),
        (True, COMPILE_BYTES, ["load"]),
    ],
)
def test_the_size_decides(calls, monkeypatch, capsys, is_cached, byte_count, expected):
    monkeypatch.setattr(fast_loops, "are_cached", lambda: is_cached)
    ensure_fast_loops(Console(), byte_count)
    assert calls == expected
    compiles = not is_cached and byte_count >= COMPILE_BYTES
    message = "bpe: note: compiling the fast loops for this machine, once: some 20 seconds.\n"
    assert capsys.readouterr().err == (message if compiles else "")


def test_what_cannot_be_kept_is_not_said_to_be_compiled_once(calls, monkeypatch, capsys):
    monkeypatch.setattr(fast_loops, "keeping_problem", lambda: "/cache: Read-only file system")
    ensure_fast_loops(Console(), COMPILE_BYTES)
    assert capsys.readouterr().err == (
        "bpe: note: compiling the fast loops for this run only, as they cannot be kept "
        "(/cache: Read-only file system): some 20 seconds.\n"
    )


def test_nothing_is_done_twice_or_when_switched_off(calls, monkeypatch):
    monkeypatch.setattr(fast_loops, "are_ready", lambda: True)
    ensure_fast_loops(Console(), COMPILE_BYTES)
    monkeypatch.setattr(fast_loops, "are_ready", lambda: False)
    monkeypatch.setenv("BPE_GUI_COMPILED", "0")
    ensure_fast_loops(Console(), COMPILE_BYTES)
    assert calls == []


def test_a_bar_shows_how_far_it_is(calls, capsys):
    ensure_fast_loops(Console(progress=True), COMPILE_BYTES)
    assert "compiling:" in capsys.readouterr().err


def test_without_them_plain_python_goes_on(calls, monkeypatch, capsys):
    def fail(progress=None):
        raise KernelError("There is no room.")

    monkeypatch.setattr(fast_loops, "load", fail)
    ensure_fast_loops(Console(), COMPILE_BYTES)
    assert capsys.readouterr().err.endswith("bpe: warning: There is no room. Going on in plain Python.\n")


def test_a_small_text_needs_no_cache_folder(four, tmp_path):
    done = spawn("train", four, "--merges", 3, "--out", tmp_path / "tok", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.status == 0
    assert not (tmp_path / "cache").exists()
