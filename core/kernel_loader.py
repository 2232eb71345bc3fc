"""Gets the compiled loops ready without anybody waiting: compiled once by another process, then loaded from the cache.

Whoever wants to use a module of core/kernels asks `are_ready` first, which never blocks, or calls `load`, which does.
Numba is imported only here, and only then.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from importlib import import_module
from pathlib import Path

from core.errors import KernelError
from core.kernel_cache import KernelCache, cache_of, temporary_cache

SWITCH = "BPE_GUI_COMPILED"
"""Environment variable: 0 leaves the compiled loops alone, and everything runs in plain Python."""
ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "core" / "kernels"
WAIT_SECONDS = 0.1
CANCEL_SECONDS = 3.0
MESSAGE_CHARS = 300  # numba's can be pages


class State(Enum):
    ABSENT = auto()
    COMPILING = auto()
    LOADING = auto()
    READY = auto()
    FAILED = auto()


@dataclass(frozen=True)
class Status:
    """`done` and `total` count kernels while they are compiled, `total` is 0 as long as nobody knows.

    `reason` says in a few words why the state is FAILED, or that what is COMPILING or READY is for this run only;
    `message` says it whole.
    """

    state: State = State.ABSENT
    reason: str = ""
    message: str = ""
    done: int = 0
    total: int = 0


Progress = Callable[[Status], None]


class KernelLoader:
    """`modules` by their full names, each with a function `warm_up`; their sources are all in the folder `sources`."""

    def __init__(self, modules: Callable[[], Sequence[str]], sources: Path) -> None:
        self._modules = modules
        self._sources = sources
        self._status = Status()
        self._loading = threading.Lock()
        self._thread: threading.Thread | None = None
        self._compiler: subprocess.Popen[str] | None = None
        self._is_cancelled = False
        self._tell: Progress | None = None

    @property
    def status(self) -> Status:
        return self._status

    @property
    def is_ready(self) -> bool:
        return self._status.state is State.READY

    def is_cached(self) -> bool:
        """Whether loading will take less than a second, as far as can be told at a glance."""
        if self.is_ready or is_switched_off():
            return self.is_ready
        try:
            return cache_of(self._sources).is_complete()
        except OSError:
            return False

    def keeping_problem(self) -> str:
        """Why what is compiled would serve this run only; empty if it would be kept."""
        try:
            return cache_of(self._sources).problem
        except OSError as error:
            return str(error)

    def start_loading(self) -> None:
        """Load on a thread of its own, once; what is not done when Python ends is left."""
        if self._thread is None and self._status.state is State.ABSENT:
            atexit.register(self.cancel)
            self._thread = threading.Thread(target=self._load_quietly, name="kernels", daemon=True)
            self._thread.start()

    def load(self, progress: Progress | None = None) -> None:
        """Return when they are ready. Raises KernelError if they cannot be, also when that is known already."""
        while not self._loading.acquire(timeout=WAIT_SECONDS):  # another thread is at it
            if progress:
                progress(self._status)
        try:
            self._tell = progress
            self._load()
        finally:
            self._tell = None
            self._loading.release()

    def cancel(self) -> None:
        """Stop compiling at once, and wait a moment for loading: LLVM must not be at work when Python ends."""
        self._is_cancelled = True
        if compiler := self._compiler:
            compiler.kill()
        if self._thread is not None:
            self._thread.join(CANCEL_SECONDS)
            self._is_cancelled = self._thread.is_alive()
            self._thread = None

    def _load_quietly(self) -> None:
        with suppress(KernelError):
            self.load()

    def _load(self) -> None:
        if self._status.state is State.FAILED:
            raise KernelError(self._status.message)
        if self.is_ready:
            return
        try:
            self._compile_and_load()
        except _CancelledError:
            self._set(Status())
            raise
        except KernelError as error:
            self._set(Status(State.FAILED, error.reason, str(error)))
            raise
        except OSError as error:
            self._set(Status(State.FAILED, "compiling failed", f"The fast loops could not be compiled: {error}."))
            raise KernelError(self._status.message) from error
        except BaseException:  # Ctrl+C
            self._status = Status()
            raise

    def _compile_and_load(self) -> None:
        if is_switched_off():
            raise KernelError(f"The environment variable {SWITCH} is 0.", "switched off")
        kept = cache_of(self._sources)
        if not kept.is_whole():
            kept = self._compiled(kept)
        self._set(Status(State.LOADING))
        self._load_from(kept)
        kept.mark_used()
        self._set(Status(State.READY, *_why_every_time(kept)))

    def _compiled(self, kept: KernelCache) -> KernelCache:
        """Where they are now; raises KernelError."""
        had_files = kept.has_files()
        failure = self._compile(kept)
        if failure and failure.is_about_files and not kept.problem:
            kept = temporary_cache(failure.message)
            failure = self._compile(kept)
        elif failure and had_files:  # of a process that was killed, perhaps
            kept.clear()
            failure = self._compile(kept)
        if failure:
            raise KernelError(f"The fast loops could not be compiled: {failure.message}", "compiling failed")
        return kept

    def _compile(self, kept: KernelCache) -> "_Failure | None":
        """Have another process do it, so that this one keeps its interpreter to itself; one at a time."""
        self._set(Status(State.COMPILING, *_why_every_time(kept)))
        with _start_compiler(kept.folder, self._modules()) as self._compiler:
            try:
                self._stop_if_cancelled()
                failure = self._follow(self._compiler)
                self._stop_if_cancelled()
                return failure
            finally:
                self._compiler.kill()
                self._compiler = None

    def _follow(self, compiler: "subprocess.Popen[str]") -> "_Failure | None":
        assert compiler.stdout is not None
        last, is_about_files = "", False
        for line in compiler.stdout:
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "compiled":
                done, total = map(int, rest.split())
                self._set(replace(self._status, done=done, total=total))
            elif kind == "files":
                last, is_about_files = rest, True
            elif line.strip():
                last = line.strip()
        status = compiler.wait()
        return _Failure(last[:MESSAGE_CHARS] or _ending(status), is_about_files) if status else None

    def _load_from(self, kept: KernelCache) -> None:
        try:
            import numba

            numba.config.CACHE_DIR = str(kept.folder)  # type: ignore[attr-defined]  # it is made at run time
            for name in self._modules():
                self._stop_if_cancelled()
                _load_module(name)
        except KernelError:
            raise
        except Exception as error:
            kept.break_seal()  # so that the next start compiles anew
            raise KernelError(f"The fast loops could not be loaded: {error!r}", "loading failed") from error

    def _stop_if_cancelled(self) -> None:
        if self._is_cancelled:
            raise _CancelledError("The loading of the fast loops was cancelled.", "cancelled")

    def _set(self, status: Status) -> None:
        self._status = status
        if self._tell:
            self._tell(status)


class _CancelledError(KernelError):
    pass


@dataclass(frozen=True)
class _Failure:
    message: str
    is_about_files: bool


def _load_module(name: str) -> None:
    """From the cache. Another set of argument types is a mistake from now on, not a second of compiling."""
    from core.kernels.compiling import kernels_of

    module = import_module(name)
    module.warm_up()
    for kernel in kernels_of(module):
        if kernel.signatures:  # one that only other kernels call has none
            kernel.disable_compile()


def _start_compiler(folder: Path, modules: Sequence[str]) -> "subprocess.Popen[str]":
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(folder),
        "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }
    return subprocess.Popen(
        # -P: the folder one happens to be in may have a `core` of its own
        [sys.executable, "-P", "-m", "core.kernels.compiling", str(folder), *modules],
        stdin=subprocess.PIPE,  # its end tells the compiler that this process is gone
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        encoding="utf-8",
        errors="replace",
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0)
        | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
    )


def _ending(status: int) -> str:
    """-11 is SIGSEGV."""
    with suppress(ValueError):
        return f"the compiler was ended by {signal.Signals(-status).name}"
    return f"the compiler ended with status {status}"


def _why_every_time(kept: KernelCache) -> tuple[str, str]:
    """Reason and message of a Status."""
    message = f"The fast loops are compiled anew at every start, because they cannot be kept: {kept.problem}."
    return ("for this run only", message) if kept.problem else ("", "")


def is_switched_off() -> bool:
    return os.environ.get(SWITCH) == "0"


def _modules() -> Sequence[str]:
    return import_module("core.kernels").MODULES  # type: ignore[no-any-return]


LOADER = KernelLoader(_modules, KERNELS)
"""The one of this process, whose deeds are functions here too."""

start_loading = LOADER.start_loading
load = LOADER.load
cancel = LOADER.cancel
are_cached = LOADER.is_cached
keeping_problem = LOADER.keeping_problem


def are_ready() -> bool:
    """Whether the modules of core/kernels can be used at once."""
    return LOADER.is_ready


def status() -> Status:
    return LOADER.status
