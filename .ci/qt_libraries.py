"""See that Qt can start here; when it cannot, install the system libraries it lacks, or say which ones to install.

Usage, with the environment's own Python: qt_libraries.py PLATFORM..., of offscreen, xcb and wayland.
Nothing is touched and no network is used while Qt works.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from set_up import PROJECT, lock

# what the app, pyqtgraph, qtawesome and pytest-qt import
MODULES = ["QtGui", "QtOpenGLWidgets", "QtSvg", "QtTest", "QtWidgets"]
TRIAL = f"""
import ctypes, sys
from PySide6 import {", ".join(MODULES)}
for plugin in sys.argv[1:]:
    ctypes.CDLL(plugin)
app = QtGui.QGuiApplication([])
if not QtGui.QFontDatabase.families():
    sys.exit("no font is installed")
"""
FONT = "fonts-dejavu-core"
# Debian's name for a library follows from its file's name, but for these
IRREGULAR_PACKAGES = {"libglib-2.0.so.0": "libglib2.0-0", "libgthread-2.0.so.0": "libglib2.0-0"}


def main():
    platforms = sys.argv[1:]
    if not sys.platform.startswith("linux") or not trouble(platforms):
        return
    with PROJECT.open() as file:
        lock(file)  # apt-get does not wait for another apt-get
        problem = trouble(platforms)
        if problem:
            # whoever lacks one wants a window sooner or later: get it all in one go
            libraries = missing_libraries({"offscreen", "xcb", *platforms})
            install(problem, libraries, platforms)


def trouble(platforms):
    """What keeps Qt from starting, in its own words; empty when it starts."""
    command = [sys.executable, "-c", TRIAL, *map(str, map(plugin, platforms))]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    trial = subprocess.run(command, env=environment, capture_output=True, text=True)
    return (trial.stderr.strip() or f"exit code {trial.returncode}") if trial.returncode else ""


def qt_folder():
    return Path(importlib.util.find_spec("PySide6").submodule_search_locations[0])


def plugin(platform):
    return qt_folder() / "Qt" / "plugins" / "platforms" / f"libq{platform}.so"


def missing_libraries(platforms):
    """File names of the shared libraries that Qt needs, directly or not, and the system lacks."""
    found = set()
    for file in [*(qt_folder() / f"{module}.abi3.so" for module in MODULES), *map(plugin, platforms)]:
        listing = subprocess.run(["ldd", str(file)], capture_output=True, text=True).stdout
        found.update(re.findall(r"^\s*(\S+) => not found", listing, re.MULTILINE))
    return sorted(found)


def package(library):
    """libxcb-cursor.so.0 -> libxcb-cursor0; libX11.so.6 -> libx11-6, where a hyphen keeps two numbers apart."""
    if library in IRREGULAR_PACKAGES:
        return IRREGULAR_PACKAGES[library]
    name, _, version = library.lower().replace("_", "-").partition(".so.")
    return f"{name}-{version}" if name[-1].isdigit() else name + version


def install(problem, libraries, platforms):
    print(f"Qt cannot start here: {problem.splitlines()[-1]}", file=sys.stderr, flush=True)
    packages = sorted(set(map(package, libraries))) or ([FONT] if "no font" in problem else [])
    if not packages:
        sys.exit(problem)
    if not shutil.which("apt-get"):
        sys.exit("Install these with the system's package manager: " + " ".join(libraries or ["any font"]))
    if os.geteuid() != 0:
        command = f"sudo apt-get install --no-install-recommends {' '.join(packages)}"
        sys.exit(f"Install what it lacks, then run make again:\n\n    sudo apt-get update\n    {command}\n")
    run_apt(packages)
    problem = trouble(platforms)
    if problem:
        sys.exit(f"Qt still cannot start:\n{problem}")


def run_apt(packages):
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-q"], env=environment)  # one dead source need not matter: install will tell
    command = ["apt-get", "install", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", *packages]
    if subprocess.run(command, env=environment).returncode:
        sys.exit("apt-get could not install what Qt needs; its own message stands above.")


if __name__ == "__main__":
    main()
