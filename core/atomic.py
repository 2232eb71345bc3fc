"""Writes files whole or not at all: the old content stays until the new one is safe on the disk."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from core.errors import FormatError


def write_files(contents: Mapping[Path, Iterable[bytes]], create_folder: Path | None = None) -> None:
    """Write every file, or leave all of them as they were and nothing behind.

    `create_folder` is made if it is missing; its parent must exist. Raises FormatError in the user's words.
    """
    made_folder = _make_folder(create_folder) if create_folder else False
    try:
        _write_all({_resolved(path): chunks for path, chunks in contents.items()})
    except BaseException:
        if made_folder and create_folder:
            with suppress(OSError):
                create_folder.rmdir()
        raise


def _resolved(path: Path) -> Path:
    """The file itself where `path` is a link to it."""
    try:
        return path.resolve()
    except (RuntimeError, OSError):  # until Python 3.12 a loop of links is a RuntimeError
        raise FormatError(_reason(path, OSError(errno.ELOOP, os.strerror(errno.ELOOP)))) from None


def _write_all(contents: Mapping[Path, Iterable[bytes]]) -> None:
    temporary: dict[Path, Path] = {}
    replaced: dict[Path, Path | None] = {}
    leftovers: list[Path] = []
    current = next(iter(contents), Path())
    try:
        for current, chunks in contents.items():
            _check_target(current)
            temporary[current] = _reserve(current)
            leftovers.append(temporary[current])
            _fill(temporary[current], chunks)
        for current, new in temporary.items():
            backup = _back_up(current)
            leftovers += [backup] if backup else []
            _keep_mode(current, new)
            new.replace(current)
            replaced[current] = backup
    except BaseException as error:
        for path, backup in replaced.items():
            _restore(path, backup)
        if isinstance(error, OSError):
            raise FormatError(_reason(current, error)) from None
        raise
    finally:
        for leftover in leftovers:
            with suppress(OSError):
                leftover.unlink(missing_ok=True)
    for folder in {path.parent for path in contents}:
        _sync_folder(folder)


def _make_folder(folder: Path) -> bool:
    """Whether the folder had to be made."""
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise FormatError(f"{folder.name} is a file; this format needs a folder. Choose another name.") from None
        return False
    except OSError as error:
        raise FormatError(_reason(folder, error)) from None
    return True


def _check_target(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():  # to replace /dev/null by a file would harm the whole machine
        raise FormatError(f"{path.name} cannot be saved: a device or pipe has that name. Choose another name.")
    # replacing a file needs leave of its folder only; a write-protected file is meant to stay
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _reserve(path: Path) -> Path:
    """A new empty file beside `path`, so that the final rename stays on one file system."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    os.close(handle)
    return Path(name)


def _fill(path: Path, chunks: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(chunks)
        file.flush()
        os.fsync(file.fileno())


def _back_up(path: Path) -> Path | None:
    """A second name for the old content, None if there is none."""
    if not path.exists():
        return None
    backup = _reserve(path)
    try:
        backup.unlink()
        try:
            backup.hardlink_to(path)
        except OSError:  # a file system without hard links
            shutil.copy2(path, backup)
    except BaseException:
        backup.unlink(missing_ok=True)
        raise
    return backup


def _restore(path: Path, backup: Path | None) -> None:
    with suppress(OSError):
        if backup:
            backup.replace(path)
        else:
            path.unlink()


def _keep_mode(old: Path, new: Path) -> None:
    """Give the new file the permissions of the old one, or those of any new file: temporary files are private."""
    if old.exists():
        shutil.copymode(old, new)
    else:
        mask = os.umask(0)
        os.umask(mask)
        new.chmod(0o666 & ~mask)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # Windows has no such thing
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path.name} cannot be saved: there is no folder {path.parent}."
    if isinstance(error, NotADirectoryError):
        return f"{path.name} cannot be saved: {path.parent} is not a folder."
    if isinstance(error, IsADirectoryError):
        return f"{path.name} cannot be saved: there is a folder of that name. Choose another name."
    if isinstance(error, PermissionError):
        return f"{path.name} cannot be saved in {path.parent}: permission denied. Choose another folder."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{path.name} cannot be saved: the disk is full. Nothing was changed."
    if error.errno == errno.EROFS:
        return f"{path.name} cannot be saved: {path.parent} is read-only. Choose another folder."
    return f"{path.name} cannot be saved: {error.strerror or error}."
