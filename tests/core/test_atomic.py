"""Files are written whole or not at all, whatever fails and when."""

import errno
import os
import stat
from pathlib import Path

import pytest

from core import atomic
from core.atomic import write_files
from core.errors import FormatError


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.fixture
def old(tmp_path):
    """A folder with two old files; a third will be new."""
    (tmp_path / "a").write_bytes(b"old a")
    (tmp_path / "b").write_bytes(b"old b")
    return tmp_path


def new(folder: Path) -> dict[Path, list[bytes]]:
    return {folder / name: [b"new ", name.encode()] for name in "abc"}


def test_all_files_are_written(old):
    write_files(new(old))
    assert contents(old) == {"a": b"new a", "b": b"new b", "c": b"new c"}


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("place", range(3))
def test_a_failure_leaves_the_old_files_and_nothing_else(failing, place, old, monkeypatch):
    before, calls = contents(old), []
    owner = os if failing == "fsync" else Path
    original = getattr(owner, failing)

    def fail_once(*arguments):
        calls.append(arguments)
        if len(calls) == place + 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(*arguments)

    monkeypatch.setattr(owner, failing, fail_once)
    with pytest.raises(FormatError, match=f"{'abc'[place]} cannot be saved: the disk is full"):
        write_files(new(old))
    assert contents(old) == before


def test_a_failure_without_hard_links_is_undone_too(old, monkeypatch):
    before, original = contents(old), Path.replace

    def no_links(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    def fail_on_c(path, target):
        if target.name == "c":
            raise OSError(errno.EIO, "Input/output error")
        return original(path, target)

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(Path, "replace", fail_on_c)
    with pytest.raises(FormatError, match="c cannot be saved: Input/output error"):
        write_files(new(old))
    assert contents(old) == before


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_fault_while_making_the_content_is_passed_on(error, old):
    def broken():
        yield b"half"
        raise error

    before = contents(old)
    with pytest.raises(error):
        write_files({old / "a": [b"new"], old / "c": broken()}, create_folder=old / "sub")
    assert contents(old) == before
    assert not (old / "sub").exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOENT, "there is no folder"),
        (errno.ENOTDIR, "is not a folder"),
        (errno.EACCES, "permission denied"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EROFS, "is read-only"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_reasons_in_plain_words(code, words, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(atomic, "_reserve", fail)
    with pytest.raises(FormatError, match=words):
        write_files({tmp_path / "a": [b""]})


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="there is a folder of that name"):
        write_files({tmp_path / "folder": [b""]})
    with pytest.raises(FormatError, match="there is no folder"):
        write_files({tmp_path / "no" / "a": [b""]})
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FormatError, match="is not a folder"):
        write_files({tmp_path / "file" / "a": [b""]})


def test_a_write_protected_file_stays(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # the superuser may write everything
    with pytest.raises(FormatError, match="permission denied"):
        write_files({tmp_path / "a": [b"new"]})
    assert contents(tmp_path) == {"a": b"old"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_permissions_are_those_of_the_old_file_or_of_any_new_one(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o640)
    (tmp_path / "plain").write_bytes(b"")
    write_files(new(tmp_path))
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    assert (tmp_path / "c").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_goes_on_pointing_to_its_file(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_files({tmp_path / "link": [b"new"]})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_loop_of_links_is_no_place(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FormatError, match=r"^loop cannot be saved: Too many levels of symbolic links\.$"):
        write_files({tmp_path / "loop": [b"new"]})
    assert (tmp_path / "loop").is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with names")
def test_a_device_or_pipe_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "b")
    with pytest.raises(FormatError, match=r"^b cannot be saved: a device or pipe has that name\. Choose another name"):
        write_files(new(tmp_path))
    assert (tmp_path / "b").is_fifo()
    assert contents(tmp_path) == {}
