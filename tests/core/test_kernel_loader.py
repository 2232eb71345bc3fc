"""With a module of two tiny kernels: compiling the real ones takes many seconds."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from core import kernel_loader
from core.errors import KernelError
from core.kernel_cache import cache_of
from core.kernel_loader import KernelLoader, State, Status

ROOT = Path(__file__).parents[2]
TINY = """
import numpy as np
from numba import njit

@njit(cache=True, nogil=True)
def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result

@njit(cache=True, nogil=True)
def double(numbers):
    for place in range(len(numbers)):
        numbers[place] *= 2

def warm_up():
    total(np.zeros(1, np.int64))
    double(np.zeros(1, np.int64))
"""
EMPTY = "def warm_up(): pass"
"""No kernel at all, which is soon compiled."""
ENDLESS = """
import os, time
from pathlib import Path

def warm_up():
    Path(__file__).with_name("pid").write_text(str(os.getpid()))
    time.sleep(60)
"""
LOAD = """
import sys
from pathlib import Path
from core.kernel_loader import KernelLoader
sources, name = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(sources))
KernelLoader(lambda: [name], sources).load(lambda status: print(status.state.name, flush=True))
"""
FULL_DISK = """
import errno, os, sys

def warm_up():
    if "core.kernels.compiling" in sys.orig_argv and os.environ["NUMBA_CACHE_DIR"].startswith({full!r}):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "cache")
"""
MakeLoader = Callable[[], KernelLoader]
_names = (f"tiny_{number}" for number in count())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    """A folder with `sources` of the module `tiny`, and the `cache` of its kernels."""
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "sources").mkdir()
    (folder / "sources" / "tiny.py").write_text(TINY)
    environment = {"NUMBA_CACHE_DIR": str(folder / "cache"), kernel_loader.SWITCH: ""}
    with start_process(folder / "sources", "tiny", **environment) as process:
        out, errors = process.communicate(timeout=60)
    assert (out.split()[-2:], errors) == (["LOADING", "READY"], "")
    return folder


@pytest.fixture
def environment(tmp_path: Path, monkeypatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv(kernel_loader.SWITCH, raising=False)


@pytest.fixture
def load_again(compiled: Path, environment: None, tmp_path: Path, monkeypatch) -> Iterator[MakeLoader]:
    """Makes a loader of kernels that are compiled already, as of a new process."""
    shutil.copytree(compiled / "cache", tmp_path / "cache")
    with loaders(compiled / "sources", "tiny", monkeypatch) as make:
        yield make


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    return folder


@pytest.fixture
def make_loader(environment: None, sources: Path, monkeypatch) -> Iterator[Callable[[str], KernelLoader]]:
    """Makes a loader of one module with this source that was never compiled."""
    name = next(_names)
    with loaders(sources, name, monkeypatch) as make:

        def write_and_make(source: str) -> KernelLoader:
            (sources / f"{name}.py").write_text(source)
            return make()

        yield write_and_make


@contextmanager
def loaders(sources: Path, name: str, monkeypatch) -> Iterator[MakeLoader]:
    made: list[KernelLoader] = []
    monkeypatch.setenv("PYTHONPATH", str(sources))
    monkeypatch.syspath_prepend(str(sources))

    def make() -> KernelLoader:
        cache_of.cache_clear()
        sys.modules.pop(name, None)
        made.append(KernelLoader(lambda: [name], sources))
        return made[-1]

    yield make
    for loader in made:
        loader.cancel()
    sys.modules.pop(name, None)


def start_process(sources: Path, name: str, **variables: str) -> "subprocess.Popen[str]":
    variables["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(sources)])
    return subprocess.Popen(
        [sys.executable, "-c", LOAD, str(sources), name],
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def states(loader: KernelLoader) -> list[State]:
    """Through which it goes, repetitions left out."""
    seen: list[State] = []
    loader.load(lambda status: seen.append(status.state) if seen[-1:] != [status.state] else None)
    return seen


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def compiler_of(sources: Path) -> int:
    """The process that compiles ENDLESS, once it does."""
    pid_file = sources / "pid"
    wait_until(lambda: pid_file.exists() and pid_file.read_text() != "")
    return int(pid_file.read_text())


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_compiling_is_counted(make_loader) -> None:
    loader = make_loader(TINY)
    assert (loader.is_ready, loader.is_cached(), loader.status) == (False, False, Status())
    told: list[Status] = []
    loader.load(told.append)
    assert [(status.done, status.total) for status in told if status.total] == [(1, 2), (2, 2), (2, 2)]
    assert (loader.is_ready, loader.status) == (True, Status(State.READY))


def test_what_is_compiled_is_loaded(load_again) -> None:
    loader = load_again()
    assert loader.keeping_problem() == ""
    assert (loader.is_ready, loader.is_cached()) == (False, True)
    assert states(loader) == [State.LOADING, State.READY]
    assert loader.is_ready
    assert states(loader) == []
    total = sys.modules["tiny"].total
    assert total(np.arange(5)) == 10
    assert (sum(total.stats.cache_hits.values()), sum(total.stats.cache_misses.values())) == (1, 0)


def test_other_types_of_arguments_are_not_compiled_on_the_quiet(load_again) -> None:
    load_again().load()
    with pytest.raises(TypeError, match="No matching definition"):
        sys.modules["tiny"].total(np.zeros(1, np.float32))


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1_000])
def test_a_damaged_cache_is_compiled_anew(load_again, compiled: Path, damage: bytes) -> None:
    loader = load_again()
    cache = cache_of(compiled / "sources")
    paths = list(cache.folder.glob("*/*"))
    assert len(paths) == 4
    for path in paths:
        path.write_bytes(damage)
    assert states(loader) == [State.COMPILING, State.LOADING, State.READY]
    assert cache.is_whole()


def test_what_a_killed_process_left_is_thrown_away(load_again, compiled: Path) -> None:
    loader = load_again()
    cache = cache_of(compiled / "sources")
    cache.break_seal()
    for path in cache.folder.glob("*/*.nbi"):
        path.write_bytes(path.read_bytes()[:-20])
    assert states(loader)[-1] is State.READY
    assert cache.is_whole()


def test_without_a_folder_to_keep_them_they_are_compiled_for_this_run(make_loader, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    loader = make_loader(TINY)
    told: list[Status] = []
    assert not loader.is_cached()
    assert str(tmp_path / "cache") in loader.keeping_problem()
    loader.load(told.append)
    assert loader.is_ready
    of_compiling = {(status.reason, status.message) for status in told if status.state is State.COMPILING}
    assert of_compiling == {(loader.status.reason, loader.status.message)}
    assert [(status.done, status.total) for status in told if status.total] == [(1, 2), (2, 2), (2, 2)]
    assert loader.status.reason == "for this run only"
    assert "at every start" in loader.status.message
    assert str(tmp_path / "cache") in loader.status.message


def test_without_any_folder_to_write_to_there_are_none(make_loader, tmp_path: Path, monkeypatch) -> None:
    def fail(prefix: str) -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    (tmp_path / "cache").write_text("in the way")
    monkeypatch.setattr("tempfile.mkdtemp", fail)
    loader = make_loader(EMPTY)
    assert not loader.is_cached()
    assert "No usable temporary directory" in loader.keeping_problem()
    with pytest.raises(KernelError, match="No usable temporary directory"):
        loader.load()


def test_a_full_disk_means_another_folder_for_this_run(make_loader, tmp_path: Path) -> None:
    loader = make_loader(FULL_DISK.format(full=str(tmp_path / "cache")))
    loader.load()
    assert loader.status.reason == "for this run only"
    assert "No space left on device" in loader.status.message


def test_two_processes_at_once_both_get_them(make_loader, sources: Path) -> None:
    make_loader(TINY)
    name = next(sources.glob("*.py")).stem
    processes = [start_process(sources, name) for _ in range(2)]
    for process in processes:
        out, errors = process.communicate(timeout=60)
        assert (out.split()[-1:], errors) == (["READY"], "")
    assert cache_of(sources).is_whole()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for the process in /proc")
def test_the_compiler_ends_with_a_process_that_is_killed(make_loader, sources: Path) -> None:
    make_loader(ENDLESS)
    name = next(sources.glob("*.py")).stem
    with start_process(sources, name) as process:
        compiler = compiler_of(sources)
        assert is_running(compiler)
        process.kill()
        wait_until(lambda: not is_running(compiler))
    again = make_loader(EMPTY)
    again.load()
    assert again.is_ready


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for the process in /proc")
def test_cancelling_ends_the_compiler_at_once(make_loader, sources: Path) -> None:
    loader = make_loader(ENDLESS)
    loader.start_loading()
    loader.start_loading()  # once is enough
    compiler = compiler_of(sources)
    began = time.monotonic()
    loader.cancel()
    assert time.monotonic() - began < 1
    assert not is_running(compiler)
    assert loader.status == Status()
    assert "kernels" not in [thread.name for thread in threading.enumerate()]


def test_who_loads_too_waits_for_the_thread(make_loader) -> None:
    loader = make_loader(EMPTY)
    loader.start_loading()
    wait_until(lambda: loader.status.state is State.COMPILING)
    assert not loader.is_ready
    assert states(loader)[0] is State.COMPILING
    assert loader.is_ready


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise ImportError('no such luck')", "ImportError: no such luck"),
        ("import os\ndef warm_up(): os.abort()", "the compiler was ended by SIGABRT"),
        ("import os\ndef warm_up(): os._exit(7)", "the compiler ended with status 7"),
    ],
)
def test_why_nothing_could_be_compiled_is_said(make_loader, source: str, message: str) -> None:
    loader = make_loader(source)
    with pytest.raises(KernelError, match=message):
        loader.load()
    assert (loader.status.state, loader.status.reason) == (State.FAILED, "compiling failed")
    assert message in loader.status.message
    before = time.monotonic()
    with pytest.raises(KernelError, match=message):  # known by now
        loader.load()
    assert time.monotonic() - before < 0.1


def test_a_numba_that_cannot_be_imported_is_a_reason(make_loader, sources: Path) -> None:
    (sources / "numba.py").write_text("raise ImportError('libllvmlite.so: wrong ELF class')")
    loader = make_loader(TINY)
    loader.start_loading()
    wait_until(lambda: loader.status.state is State.FAILED)
    assert "wrong ELF class" in loader.status.message


def test_a_numba_that_broke_since_is_a_reason(load_again, monkeypatch) -> None:
    loader = load_again()
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(KernelError, match="could not be loaded: ModuleNotFoundError"):
        loader.load()
    assert loader.status.reason == "loading failed"
    assert not load_again().is_cached()  # so that the next start tries to compile


def test_a_python_that_cannot_be_started_is_a_reason(make_loader, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    with pytest.raises(KernelError, match="could not be compiled"):
        make_loader(EMPTY).load()


def test_the_switch_leaves_them_alone(load_again, monkeypatch) -> None:
    monkeypatch.setenv("BPE_GUI_COMPILED", "0")
    loader = load_again()
    assert not loader.is_cached()
    with pytest.raises(KernelError, match="BPE_GUI_COMPILED is 0"):
        loader.load()
    assert (loader.status.state, loader.status.reason) == (State.FAILED, "switched off")


def test_the_folder_one_is_in_may_have_a_core_of_its_own(make_loader, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("raise SystemExit('the wrong core')")
    monkeypatch.chdir(tmp_path)
    loader = make_loader(EMPTY)
    loader.load()
    assert loader.is_ready
