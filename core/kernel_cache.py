"""Where compiled loops are kept from one start to the next, and whether what is there can be trusted."""

import atexit
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

STAMP, LOCK = "complete", "lock"
CPU_INFO_BYTES = 4_096  # of the first core; a machine with hundreds of them takes its time to list all
KEPT_CACHES = 4
"""So many versions: two environments that are used in turn do not remove each other's."""
OLD_SECONDS = 3_600
KEY_DIGITS = 20
KEY = re.compile(f"[0-9a-f]{{{KEY_DIGITS}}}")
"""What folders of caches are called."""
NAMED_MODULE = re.compile(r"^ *from core\.(\w+) import", re.MULTILINE)


@dataclass(frozen=True)
class KernelCache:
    """A folder of numba's files for one state of our sources, Python, numba and processor.

    `problem` says why it is a folder for this run only; empty if it is one to stay.
    """

    folder: Path
    problem: str = ""

    def is_complete(self) -> bool:
        """Whether all was compiled; a look at one file."""
        return (self.folder / STAMP).is_file()

    def is_whole(self) -> bool:
        """Whether all was compiled and no file has changed since: numba would trip over a damaged one, or crash."""
        digests = self._stamped()
        return bool(digests) and not any(True for _ in self._damaged(digests))

    def seal(self) -> None:
        """All that is in the folder now is complete."""
        lines = [f"{_digest(path)} {path.relative_to(self.folder).as_posix()}\n" for path in self._files()]
        part = self.folder / f"{STAMP}.{os.getpid()}"
        part.write_text("".join(sorted(lines)), encoding="utf-8")
        part.replace(self.folder / STAMP)

    def break_seal(self) -> None:
        with suppress(OSError):
            (self.folder / STAMP).unlink(missing_ok=True)

    def remove_damaged(self) -> None:
        for path in self._damaged(self._stamped()):
            path.unlink(missing_ok=True)
        self.break_seal()

    def clear(self) -> None:
        """Remove every file; the folders stay, since another process may be about to write there."""
        self.break_seal()
        for path in self._files():
            path.unlink(missing_ok=True)

    def has_files(self) -> bool:
        return bool(self._files())

    def mark_used(self) -> None:
        with suppress(OSError):
            os.utime(self.folder)

    def remove_others(self) -> None:
        """Those of other versions that have not been used for the longest time, and nothing else.

        A cache for one run only lies in the folder of all programs' temporary files, where no other is ours to remove.
        """
        if not KEY.fullmatch(self.folder.name):
            return
        others = sorted((folder for folder in self.folder.parent.iterdir() if _is_old(folder)), key=_used, reverse=True)
        for folder in others[KEPT_CACHES - 1 :]:
            if folder != self.folder:
                shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One process compiles at a time; another one waits here, and then finds everything compiled."""
        with (self.folder / LOCK).open("w") as file:
            _wait_for_lock(file.fileno())
            yield

    def _files(self) -> list[Path]:
        """Numba's own, which lie one folder deeper."""
        return [path for path in self.folder.glob("*/*") if path.is_file()]

    def _stamped(self) -> dict[str, str]:
        """Digest of each file by its name, as it was when all was compiled; empty if it never was."""
        try:
            lines = (self.folder / STAMP).read_text(encoding="utf-8").splitlines()
            return {name: digest for digest, name in (line.split(" ", 1) for line in lines)}
        except (OSError, ValueError):
            return {}

    def _damaged(self, digests: dict[str, str]) -> Iterator[Path]:
        for name, digest in digests.items():
            path = self.folder / name
            try:
                is_same = _digest(path) == digest
            except OSError:
                is_same = False
            if not is_same:
                yield path


@cache
def cache_of(sources: Path) -> KernelCache:
    """The user's cache for the modules in the folder `sources`; one for this run where that one cannot be used.

    Raises OSError where even that cannot be made.
    """
    key = _key(sources)
    try:
        base = _base_folder()
        folder = base if base.name == key else base / key  # the compiling process is told the folder itself
        _make_private(folder)
    except OSError as error:
        return temporary_cache(f"{error.filename or 'The cache folder'}: {error.strerror or error}")
    except RuntimeError:
        return temporary_cache("there is no home folder to keep them in")
    if problem := _problem_of(folder):
        return temporary_cache(problem)
    return KernelCache(folder)


def temporary_cache(problem: str) -> KernelCache:
    """A private folder that is removed when Python ends. Raises OSError if even that cannot be made."""
    folder = Path(tempfile.mkdtemp(prefix="bpe-gui-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return KernelCache(folder, problem)


def _base_folder() -> Path:
    """Raises RuntimeError where there is no home folder."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given).absolute()
    return _user_cache_folder() / "bpe-gui" / "kernels"


def _user_cache_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".cache"


def _make_private(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()  # whether it can be written


def _problem_of(folder: Path) -> str:
    """Why a folder is not to be trusted: numba unpickles what it finds there, which can run any code."""
    if not hasattr(os, "getuid"):  # Windows: the user's own folders are private
        return ""
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode):
        return f"{folder} is not a folder"
    if facts.st_uid != os.getuid():
        return f"{folder} belongs to another user"
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{folder} can be written by other users"
    return ""


def _key(sources: Path) -> str:
    """Equal for two starts if what one of them compiled serves the other."""
    digest = hashlib.sha256()
    settings = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    settings.pop("NUMBA_CACHE_DIR", None)
    for fact in (sys.version, _version("numba"), _version("llvmlite"), _processor(), sources, sorted(settings.items())):
        digest.update(f"{fact}\n".encode(errors="surrogateescape"))
    for path in _sources(sources):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:KEY_DIGITS]


def _sources(folder: Path) -> list[Path]:
    """The modules in it, and those of core they name: numba compiles their constants in, and does not look again."""
    own = sorted(folder.glob("*.py"))
    named = {name for path in own for name in NAMED_MODULE.findall(path.read_text(encoding="utf-8"))}
    return own + [path for name in sorted(named) if (path := Path(__file__).with_name(f"{name}.py")).is_file()]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    """Its name and the instructions it has."""
    try:
        with Path("/proc/cpuinfo").open("rb") as file:
            first = file.read(CPU_INFO_BYTES)
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    names = (b"model name", b"flags", b"Features", b"CPU part")
    lines = [line for line in first.split(b"\n\n")[0].splitlines() if line.startswith(names)]
    return f"{platform.machine()} {lines}"


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


def _is_old(folder: Path) -> bool:
    """Whether it is a cache of ours, and not one in which another process may be compiling."""
    is_cache = KEY.fullmatch(folder.name) and (folder / LOCK).is_file()
    return bool(is_cache) and time.time() - _used(folder) > OLD_SECONDS


def _used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _wait_for_lock(file: int) -> None:
    """Returns without one where the file system has no locks."""
    with suppress(OSError):
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
