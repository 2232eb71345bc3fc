"""What pyproject.toml and the files beside it promise to those who install the app."""

import re
import shutil
import subprocess
import tomllib
from importlib import metadata
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name

import pytest
from packaging.requirements import Requirement

import resources

ROOT = Path(__file__).parent.parent
SAMPLES = sorted(path.name for path in (ROOT / "resources" / "samples").glob("*.txt"))
FOLDERS = {"bpe_gui", "core", "resources", "tests"}
FILES = {"pyproject.toml", "README.md", "README.zh-CN.md", "LICENSE", "CHANGELOG.md", "Makefile"}


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_qt_that_aborts_on_python_3_11_is_refused(project):
    requirements = {wanted.name: wanted for wanted in map(Requirement, project["dependencies"])}
    qt = requirements["PySide6-Essentials"].specifier
    assert "6.12.0" not in qt
    assert "6.11.3" in qt
    assert "6.12.1" in qt


def test_tested_qt_is_one_that_the_project_accepts(project):
    pinned = dict(line.split("==") for line in constraints())
    for wanted in map(Requirement, project["dependencies"]):
        assert pinned[wanted.name.lower()] in wanted.specifier


def test_all_that_make_installs_is_pinned(project):
    pinned, seen = dict(line.split("==") for line in constraints()), set()
    waiting = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    while waiting:
        wanted = Requirement(waiting.pop())
        name = canonical(wanted.name)
        if str(wanted) in seen or not is_meant_here(wanted):
            continue
        seen.add(str(wanted))
        assert name in pinned, f"{wanted} has no version in .ci/constraints.txt"
        waiting += needs(name, pinned[name], wanted.extras)


def is_meant_here(wanted):
    return wanted.marker is None or wanted.marker.evaluate()


def needs(name, version, extras):
    """What a package needs; nothing where it is not installed (the extra bench) or in another version."""
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return []
    if found.version != version:
        return []
    wanted = [Requirement(line) for line in found.requires or []]
    return [
        f"{one.name}{'[' + ','.join(one.extras) + ']' if one.extras else ''}"
        for one in wanted
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_constraints_are_bare_versions():
    lines = constraints()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line)] == []


def constraints():
    return (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()


def test_commands_start_the_app_and_do_without_it(project):
    assert project["scripts"] == {"bpe": "core.cli:main", "bpe-gui": "bpe_gui.app:main"}
    assert all(callable(resolve_name(entry)) for entry in project["scripts"].values())


def test_there_are_samples():
    assert {"four_words.txt", "alice.txt", "tang_poems.txt", "languages.txt", "emoji.txt"} <= set(SAMPLES)


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_is_plain_utf_8(name):
    data = resources.path(f"samples/{name}").read_bytes()
    text = data.decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    assert not text.startswith("\ufeff")


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_has_its_source_and_licence_named(name):
    assert f"`{name}`" in resources.path("samples/README.md").read_text(encoding="utf-8")


def test_four_words_are_the_textbooks():
    words = resources.path("samples/four_words.txt").read_text(encoding="utf-8").split()
    assert [words.count(word) for word in ("low", "lower", "newest", "widest")] == [5, 2, 6, 3]
    assert len(words) == 16


def test_top_level_holds_only_what_the_readme_names():
    # what git tracks: a reader's own notes beside it are no fault
    command = ["git", "ls-files", "-z"]
    listing = shutil.which("git") and subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if not listing or listing.returncode:
        pytest.skip("not a git checkout, or no git")
    found = {path.split("/")[0] for path in listing.stdout.split("\0")}
    assert {name for name in found if name and not name.startswith(".")} <= FOLDERS | FILES
