"""The process that compiles kernels into a cache folder: `python -m core.kernels.compiling FOLDER MODULE ...`.

It tells how far it is on standard output, a line for each kernel, and ends when its standard input does.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from core.kernel_cache import KernelCache

NICENESS = 5


def main(folder: str, modules: Sequence[str]) -> int:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        compile_into(KernelCache(Path(folder)), modules, _tell)
    except OSError as error:
        _say(f"files {error.filename or folder}: {error.strerror or error}")
    except Exception as error:
        _say(f"{type(error).__name__}: {' '.join(str(error).split())}")
    else:
        return 0
    return 1


def compile_into(cache: KernelCache, modules: Sequence[str], tell: Callable[[int, int], None]) -> None:
    """Numba must know already that `cache` is its folder."""
    with cache.locked():
        if cache.is_whole():  # another process was faster
            return
        cache.remove_damaged()
        loaded = [import_module(name) for name in modules]
        kernels = [kernels_of(module) for module in loaded]
        total, done = sum(map(len, kernels)), 0
        for module, own in zip(loaded, kernels, strict=True):
            with _following(own, done, total, tell):
                module.warm_up()
            done += len(own)
            tell(done, total)
        cache.seal()
        cache.remove_others()


def kernels_of(module: ModuleType) -> list[Any]:
    """Those that are kept in the cache; what is put in place of a call is none."""
    from numba.core.dispatcher import Dispatcher

    found = (value for value in vars(module).values() if isinstance(value, Dispatcher))
    return [kernel for kernel in found if kernel.py_func.__module__ == module.__name__ and kernel.stats.cache_path]


@contextmanager
def _following(kernels: Sequence[Any], before: int, total: int, tell: Callable[[int, int], None]) -> Iterator[None]:
    """Tell of each kernel when it is compiled."""
    from numba.core.event import Event, Listener, install_listener

    class Follower(Listener):
        done = 0

        def on_start(self, event: Event) -> None:
            pass

        def on_end(self, event: Event) -> None:
            if event.data["dispatcher"] in kernels:
                self.done += 1
                tell(before + self.done, total)

    with install_listener("numba:compile", Follower()):
        yield


def _tell(done: int, total: int) -> None:
    _say(f"compiled {done} {total}")


def _say(line: str) -> None:
    print(line, flush=True)


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # not through sys.stdin, whose lock Python wants when it ends
    os._exit(1)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1], sys.argv[2:]))
