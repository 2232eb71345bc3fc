"""Which files are meant when a folder is named: all text files in it and below it, in the order of their paths."""

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from core.compressed import open_unpacked
from core.errors import CorpusError
from core.files import in_the_users_words
from core.progress import Progress
from core.text_decoder import TextDecoder
from core.text_encoding import GUESS_BYTES, counted

MAX_NAMED = 3


class Found(NamedTuple):
    """The files in place of folders, and what the user should know of those that were passed over."""

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def text_files(paths: Sequence[Path], encoding: str | None = None) -> Generator[Progress, None, Found]:
    """The same paths with the text files below each folder in its place; hidden ones are passed over.

    A file that is named itself stays, whatever it is. Raises CorpusError for a folder without a text file, or one that
    cannot be read.
    """
    files, skipped = list[Path](), list[Path]()
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        before = len(files)
        for file in _files_below(path):
            (files if _is_text(file, encoding) else skipped).append(file)
            yield Progress(0, 0)
        if len(files) == before:
            raise CorpusError(f"There is no text file in the folder {path.name or path}.")
    return Found(tuple(files), _notes(skipped))


def _files_below(folder: Path) -> Iterator[Path]:
    """Sorted as their paths are, part by part; a link to a folder is not followed, for it may lead in a circle."""
    with in_the_users_words(folder):
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    for path in entries:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():
                yield from _files_below(path)
        elif path.is_file():
            yield path


def _is_text(path: Path, encoding: str | None) -> bool:
    """By its beginning; with an encoding chosen, any file is a text."""
    if encoding is not None:
        return True
    with in_the_users_words(path), open_unpacked(path) as file:
        try:
            beginning = file.read(GUESS_BYTES)
            TextDecoder(path.name, beginning).feed(beginning, is_last=False)
        except CorpusError:
            return False
    return True


def _notes(skipped: Sequence[Path]) -> tuple[str, ...]:
    if not skipped:
        return ()
    names = ", ".join(path.name for path in skipped[:MAX_NAMED])
    more = f" and {len(skipped) - MAX_NAMED:,} more" if len(skipped) > MAX_NAMED else ""
    return (f"{counted(len(skipped), 'file')} passed over, not text: {names}{more}.",)
