"""The files that the app ships with: sample texts and icons."""

from importlib.resources import files
from pathlib import Path


def path(name: str) -> Path:
    """Where `name`, such as "samples/alice.txt", lies on disk."""
    # a wheel is always unpacked, so this is a real file; as_file() would hand out a temporary one
    return Path(str(files(__name__).joinpath(name)))
