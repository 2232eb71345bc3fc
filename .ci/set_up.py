"""Make a virtual environment with the app and its tools, or leave it alone when it is up to date.

Usage: set_up.py FOLDER [EXTRA ...]; the extras come on top of those that are there. Runs on any Python that reads
f-strings, so that an old one gets a clear message.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)
USUAL_EXTRAS = ("test", "lint")
ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "pyproject.toml"
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"


def main():
    require_python()
    folder = ROOT / sys.argv[1]
    extras = {*USUAL_EXTRAS, *sys.argv[2:]}
    if is_up_to_date(folder, extras):
        return
    require_venv()
    with PROJECT.open() as file:
        lock(file)
        if not is_up_to_date(folder, extras):  # another run may have done it while this one waited
            install(folder, extras)


def require_python():
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        sys.exit(
            f"bpe-gui needs Python {oldest} or newer; {sys.executable} is {sys.version.split()[0]}.\n"
            "Where a newer one is installed too, name it: make PYTHON=python3.12 run"
        )


def require_venv():
    try:
        import ensurepip  # noqa: F401  # Debian leaves it out of python3
        import venv  # noqa: F401
    except ImportError:
        own = sys.executable == "/usr/bin/python3"
        package = "python3-venv" if own else f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        sys.exit(f"Python's venv module is missing. On Debian and Ubuntu:\n\n    sudo apt-get install {package}\n")


def lock(file):
    """Two runs at once install one after the other; closing `file` lets the next one go on."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    fcntl.flock(file, fcntl.LOCK_EX)


def is_up_to_date(folder, extras):
    stamp = read_stamp(folder)
    return stamp[:2] == wanted_stamp() and extras <= extras_in(stamp)


def extras_in(stamp):
    return set(stamp[2].split()) if len(stamp) > 2 else set()


def wanted_stamp():
    """What the environment is bound to (line 1: folder and Python), and what is installed in it (line 2).

    Line 3 names the extras that are.
    """
    bound_to = f"{ROOT} {sys.version}".replace("\n", " ")
    return [bound_to, hashlib.sha256(PROJECT.read_bytes() + CONSTRAINTS.read_bytes()).hexdigest()]


def read_stamp(folder):
    try:
        return (folder / ".installed").read_text().splitlines()
    except OSError:
        return []


def install(folder, extras):
    stamp = folder / ".installed"
    if read_stamp(folder)[:1] != wanted_stamp()[:1]:  # absent, half made, moved or of another Python
        # not sys.executable: with the environment activated, that one lies in the folder to be cleared
        run(getattr(sys, "_base_executable", sys.executable), "-m", "venv", "--clear", str(folder))
    else:
        extras = extras | extras_in(read_stamp(folder))
        stamp.unlink()
    print(f"Installing bpe-gui and its tools into {folder}", flush=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    project = f".[{','.join(sorted(extras))}]"
    run(python, "-m", "pip", "install", "--disable-pip-version-check", "-c", str(CONSTRAINTS), "-e", project)
    stamp.write_text("\n".join([*wanted_stamp(), " ".join(sorted(extras))]))


def run(*command):
    code = subprocess.run(command, cwd=str(ROOT)).returncode
    if code:
        sys.exit(f"{' '.join(command)} failed with exit code {code}")


if __name__ == "__main__":
    main()
