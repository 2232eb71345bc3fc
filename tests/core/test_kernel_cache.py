import os
import shutil
import stat
import time
from pathlib import Path

import pytest

from core import kernel_cache
from core.kernel_cache import KernelCache, cache_of, temporary_cache

DAY = 86_400


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "adding.py").write_text("ONE = 1\n")
    return folder


@pytest.fixture
def base(tmp_path: Path, monkeypatch) -> Path:
    """Where caches are made, not there yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "there"))
    return tmp_path / "not" / "there"


@pytest.fixture
def filled(tmp_path: Path) -> KernelCache:
    """Three files in a folder of numba's, sealed."""
    cache = KernelCache(tmp_path / "cache" / "key")
    numbas = cache.folder / "kernels_0123"
    numbas.mkdir(parents=True)
    for name in ("add.nbi", "add.1.nbc", "sub.nbi"):
        (numbas / name).write_bytes(name.encode() * 100)
    cache.seal()
    return cache


def files(cache: KernelCache) -> list[str]:
    return sorted(path.name for path in cache.folder.glob("*/*"))


def test_a_sealed_folder_is_whole(filled: KernelCache) -> None:
    assert filled.is_complete()
    assert filled.is_whole()
    assert filled.has_files()


def test_an_empty_folder_is_not_whole(tmp_path: Path) -> None:
    cache = KernelCache(tmp_path)
    assert not cache.is_complete()
    assert not cache.is_whole()
    assert not cache.has_files()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\0" + path.read_bytes()[1:]),
        lambda path: path.unlink(),
    ],
)
def test_a_damaged_file_is_seen_and_only_that_is_removed(filled: KernelCache, damage) -> None:
    damage(next(filled.folder.glob("*/add.1.nbc")))
    assert not filled.is_whole()
    filled.remove_damaged()
    assert files(filled) == ["add.nbi", "sub.nbi"]
    assert not filled.is_complete()


@pytest.mark.parametrize("text", ["", "nonsense", "one two three\n", "ä\0\n"])
def test_a_damaged_seal_holds_nothing_together(filled: KernelCache, text: str) -> None:
    (filled.folder / "complete").write_text(text, encoding="latin-1")
    assert not filled.is_whole()
    filled.remove_damaged()
    assert files(filled)[0] == "add.1.nbc"


def test_a_file_that_came_later_does_no_harm(filled: KernelCache) -> None:
    (next(filled.folder.glob("kernels_*")) / "more.nbi").write_bytes(b"more")
    assert filled.is_whole()


def test_clearing_leaves_the_folders(filled: KernelCache) -> None:
    filled.clear()
    assert files(filled) == []
    assert next(filled.folder.glob("kernels_*")).is_dir()


def test_the_cache_is_a_private_folder_under_the_one_given(sources: Path, base: Path) -> None:
    cache = cache_of(sources)
    assert (cache.folder.parent, cache.problem) == (base, "")
    if os.name == "posix":
        assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix" or kernel_cache.sys.platform == "darwin", reason="the folders of Linux")
def test_the_cache_is_in_the_users_cache_folder(sources: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_of(sources).folder.parent == tmp_path / "xdg" / "bpe-gui" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the standard tells to ignore
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    cache_of.cache_clear()
    assert cache_of(sources).folder.parent == tmp_path / "home" / ".cache" / "bpe-gui" / "kernels"


def test_the_process_that_compiles_finds_the_same_folder(sources: Path, base: Path, monkeypatch) -> None:
    cache = cache_of(sources)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache.folder))
    cache_of.cache_clear()
    assert cache_of(sources) == cache


@pytest.mark.parametrize(
    "change",
    [
        lambda sources, patch: (sources / "adding.py").write_text("ONE = 2\n"),
        lambda sources, patch: (sources / "more.py").touch(),
        lambda sources, patch: patch.setenv("NUMBA_BOUNDSCHECK", "1"),
        lambda sources, patch: patch.setattr(kernel_cache, "version", lambda package: "0.0"),
        lambda sources, patch: patch.setattr(kernel_cache, "_processor", lambda: "another"),
        lambda sources, patch: patch.setattr(kernel_cache.sys, "version", "4.0"),
    ],
)
def test_what_would_not_fit_has_another_folder(sources: Path, base: Path, monkeypatch, change) -> None:
    before = cache_of(sources).folder
    assert cache_of.__wrapped__(sources).folder == before
    change(sources, monkeypatch)
    assert cache_of.__wrapped__(sources).folder != before


def test_a_module_of_core_that_a_kernel_names_counts_too(
    sources: Path, base: Path, tmp_path: Path, monkeypatch
) -> None:
    (sources / "adding.py").write_text("from core.numbers import ONE\n")
    monkeypatch.setattr(kernel_cache, "__file__", str(tmp_path / "core" / "kernel_cache.py"))
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "numbers.py").write_text("ONE = 1\n")
    before = cache_of.__wrapped__(sources).folder
    (tmp_path / "core" / "numbers.py").write_text("ONE = 2\n")
    assert cache_of.__wrapped__(sources).folder != before


def test_sources_elsewhere_have_another_folder(sources: Path, base: Path) -> None:
    moved = shutil.copytree(sources, sources.with_name("moved"))
    assert cache_of(moved).folder != cache_of(sources).folder


def test_a_file_in_place_of_the_folder_means_one_for_this_run(sources: Path, base: Path) -> None:
    base.parent.mkdir()
    base.write_text("in the way")
    cache = cache_of(sources)
    assert str(base) in cache.problem
    assert cache.folder.is_dir()
    assert base.read_text() == "in the way"


@pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_may_write_is_not_used(sources: Path, base: Path, mode: int) -> None:
    folder = cache_of(sources).folder
    folder.chmod(mode)
    cache_of.cache_clear()
    assert cache_of(sources).problem == f"{folder} can be written by other users"


@pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")
def test_a_folder_of_another_user_is_not_used(sources: Path, base: Path, monkeypatch) -> None:
    folder = cache_of(sources).folder
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    cache_of.cache_clear()
    assert cache_of(sources).problem == f"{folder} belongs to another user"


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_to_a_folder_is_not_used(sources: Path, base: Path, tmp_path: Path) -> None:
    folder = cache_of(sources).folder
    folder.rmdir()
    folder.symlink_to(tmp_path)
    cache_of.cache_clear()
    assert cache_of(sources).problem == f"{folder} is not a folder"


def test_without_a_home_there_is_a_folder_for_this_run(sources: Path, monkeypatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_of(sources).problem == "there is no home folder to keep them in"


def test_a_folder_for_this_run_goes_with_it(monkeypatch) -> None:
    ends = []
    monkeypatch.setattr(kernel_cache.atexit, "register", lambda *call, **options: ends.append((call, options)))
    cache = temporary_cache("no room")
    (cache.folder / "file").touch()
    for (function, *arguments), options in ends:
        function(*arguments, **options)
    assert not cache.folder.exists()


def age(folder: Path, days: int, *files: str) -> None:
    folder.mkdir()
    for name in files:
        (folder / name).touch()
    os.utime(folder, (time.time() - days * DAY,) * 2)


def test_the_caches_used_last_are_kept(tmp_path: Path) -> None:
    own = KernelCache(tmp_path / f"{0:020x}")
    own.folder.mkdir()
    for days in range(1, 7):
        age(tmp_path / f"{days:020x}", days, "complete", "lock")
    age(tmp_path / f"{7:020x}", 0, "lock")  # being compiled
    own.remove_others()
    assert sorted(int(path.name, 16) for path in tmp_path.iterdir()) == [0, 1, 2, 3, 7]


def test_nothing_but_caches_is_ever_removed(tmp_path: Path, monkeypatch) -> None:
    """The folder may be one of the user's, or that of all temporary files."""
    others = ["documents", "kernels_0123", "0123456789abcdef01234", "deadbeef" * 5, "0123456789abcdef0123"]
    for days, name in enumerate(others, 2):
        age(tmp_path / name, days, "complete")
    for days in range(10, 16):
        age(tmp_path / f"bpe-gui-kernels-{days}", days, "complete", "lock")
    everything = sorted(tmp_path.iterdir())
    own = KernelCache(tmp_path / f"{0:020x}")
    own.folder.mkdir()
    own.remove_others()
    assert sorted(tmp_path.iterdir()) == sorted([*everything, own.folder])
    for days in range(20, 26):
        age(tmp_path / f"{days:020x}", days, "complete", "lock")  # perhaps of another program
    everything = sorted(tmp_path.iterdir())
    monkeypatch.setattr(kernel_cache.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(kernel_cache.atexit, "register", lambda *call, **options: None)
    own = temporary_cache("no room")
    own.remove_others()
    assert sorted(tmp_path.iterdir()) == sorted([*everything, own.folder])


def test_using_a_cache_makes_it_young(filled: KernelCache) -> None:
    os.utime(filled.folder, (0, 0))
    filled.mark_used()
    assert time.time() - filled.folder.stat().st_mtime < DAY
