"""What the export dialog knows before, while and after files are written; it needs no Qt."""

import gc
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import FormatError
from core.formats import Difference, ExportResult, Finding, Format, SelfTest, Severity, export
from core.recording import Recording

MAX_STEM_CHARS = 60
MAX_DIFFERENCES_SHOWN = 5
MAX_TEXT_CHARS = 60
MAX_IDS_SHOWN = 12
MAX_NAME_BYTES = 200  # file systems stop at 255, and an ending and a temporary name need room


@dataclass(frozen=True, slots=True)
class Request:
    """The first `step` merges of a recording, to be written in a format at a path."""

    recording: Recording
    step: int
    format: Format
    path: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be written: nothing if `problem` says why not."""

    findings: tuple[Finding, ...] = ()
    preview: str = ""
    paths: tuple[Path, ...] = ()
    problem: str = ""

    def existing(self) -> list[Path]:
        """The files that would be replaced."""
        return [path for path in self.paths if path.exists()]


class CancelledError(Exception):
    """The user asked for an end before everything was written; nothing was."""


def make_plan(request: Request) -> Generator[None, None, Plan]:
    """Look at what writing would do, without writing."""
    recording, step, format = request.recording, request.step, request.format
    yield
    findings = tuple(format.preflight(recording, step))
    if any(finding.severity is Severity.REFUSAL for finding in findings):
        return Plan(findings, problem=f"This tokenizer cannot be saved as {format.title}.")
    yield
    with garbage_left_lying():
        preview = format.preview(recording, step)
    yield
    try:
        return Plan(findings, preview, tuple(format.files(recording, step, request.path)))
    except FormatError as error:
        return Plan(findings, preview, problem=str(error))


def write(request: Request, is_cancelled: Callable[[], bool]) -> Generator[None, None, ExportResult | None]:
    """Write and read back; None if it was cancelled while nothing was in place yet.

    Raises FormatError if the format refuses or a file cannot be written.
    """
    yield
    format = interruptible(request.format, is_cancelled)
    try:
        with garbage_left_lying():
            return export(request.recording, request.step, format, request.path)
    except CancelledError:
        return None
    except OSError as error:
        raise FormatError(f"{request.path.name} cannot be saved: {error.strerror or error}.") from None


@contextmanager
def garbage_left_lying() -> Iterator[None]:
    """Put off the search for dead cycles: with 100,000 merges one search holds the window up for 0.2 to 0.5 s."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def interruptible(format: Format, is_cancelled: Callable[[], bool]) -> Format:
    """The same format, but writing ends with CancelledError once `is_cancelled`; files are replaced all or none."""

    def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Iterable[str | bytes]]:
        contents = format.files(recording, step, path)
        return {file: _until(lines, is_cancelled) for file, lines in contents.items()}

    return replace(format, render=render)


def _until(lines: Iterable[str | bytes], is_cancelled: Callable[[], bool]) -> Iterator[str | bytes]:
    for line in lines:
        if is_cancelled():
            raise CancelledError
        yield line


def default_name(format: Format, recording: Recording) -> str:
    """The format's name, after that of the text it was trained on: `alice-tokenizer`, `alice-merges.csv`."""
    path = recording.corpus.path if recording.corpus else None
    stem = re.sub(r"[^\w.-]+", "_", path.stem).strip("._")[:MAX_STEM_CHARS] if path else ""
    return f"{stem}-{format.suggested_name}" if stem else format.suggested_name


def with_suffix(name: str, format: Format) -> str:
    """A file name with the ending that the format's files have."""
    suffix = Path(format.suggested_name).suffix
    return name if format.is_folder or not suffix or name.lower().endswith(suffix) else name + suffix


def folder_at(text: str) -> Path | None:
    """The folder that a person means, `~` being their own; None if there is none of that name."""
    try:
        folder = Path(text.strip()).expanduser()
        return folder if text.strip() and folder.is_dir() else None
    except (OSError, ValueError, RuntimeError):  # too long, with a NUL, or the home of somebody unknown
        return None


def problem_of_place(folder: str, name: str) -> str:
    """Why nothing can be written there, as far as can be told beforehand; empty if it can."""
    if not name.strip():
        return "Give the export a name."
    if set(name) & set('/\\\0:*?"<>|') or name.strip(". ") == "" or not name.isprintable():
        return 'A name cannot hold / \\ : * ? " < > or |.'
    if len(name.encode()) > MAX_NAME_BYTES:
        return "The name is too long."
    if not folder.strip():
        return "Choose a folder."
    if folder_at(folder) is None:
        return f"There is no folder {folder}." if len(folder) < MAX_NAME_BYTES else "There is no folder of that name."
    return ""


def files_sentence(plan: Plan) -> str:
    """`Writes tokenizer.json and tokenizer_config.json; tokenizer.json is there already and will be replaced.`"""
    if not plan.paths:
        return ""
    sentence = f"Writes {_listed(plan.paths)}"
    existing = plan.existing()
    if not existing:
        return f"{sentence}."
    if len(existing) == len(plan.paths):
        return f"{sentence}, there already: you will be asked before anything is replaced."
    return f"{sentence}. {_listed(existing)} {'is' if len(existing) == 1 else 'are'} there already."


def verdict(test: SelfTest | None) -> str:
    """How reading back went, in a sentence; empty for a report, which nothing reads back."""
    if test is None:
        return ""
    if test.problem is not None:
        return f"The files cannot be read back: {test.problem}"
    strings = "1 test string" if test.probes == 1 else f"{test.probes:,} test strings"
    if test.passed:
        return f"{strings} give the same ids and text when the files are read back."
    return f"Of {strings} some give other ids or another text when the files are read back."


def differences_text(test: SelfTest) -> str:
    """The first differences, three lines each."""
    return "\n\n".join(map(_difference, test.differences[:MAX_DIFFERENCES_SHOWN]))


def _difference(difference: Difference) -> str:
    text = repr(difference.text[:MAX_TEXT_CHARS])
    lines = [text, f"  here: {_ids(difference.expected_ids)}", f"  file: {_ids(difference.actual_ids)}"]
    if difference.expected_ids == difference.actual_ids:
        lines[1:] = [
            f"  here: {difference.expected_text[:MAX_TEXT_CHARS]!r}",
            f"  file: {difference.actual_text[:MAX_TEXT_CHARS]!r}",
        ]
    return "\n".join(lines)


def _ids(ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, ids[:MAX_IDS_SHOWN])) + (", …" if len(ids) > MAX_IDS_SHOWN else "")


def _listed(paths: Iterable[Path]) -> str:
    names = [path.name for path in paths]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
