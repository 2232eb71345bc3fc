"""What a benchmark ran on: numbers mean nothing without it."""

import os
import platform
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from table import mebibytes


def description(packages: Iterable[str]) -> Iterator[str]:
    """Lines on the machine, and the versions of the packages."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    yield f"{processor()}, {cores()} cores{load}; memory {memory()}"
    yield f"{platform.platform()}, Python {platform.python_version()}"
    yield ", ".join(f"{package} {version(package) or 'not installed'}" for package in packages)


def processor() -> str:
    return _listed("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()


def cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> str:
    kibibytes = _listed("/proc/meminfo", "MemTotal").partition(" ")[0]
    return f"{mebibytes(int(kibibytes) * 1024)} MiB" if kibibytes else "unknown"


def version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _listed(file: str, key: str) -> str:
    """The first value of a key in one of Linux's lists of `key : value`; empty elsewhere."""
    try:
        lines = Path(file).read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")
