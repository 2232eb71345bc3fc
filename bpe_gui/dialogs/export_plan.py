"""What the export dialog knows before, while and after files are written; it needs no Qt."""

import gc
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from core.errors import FormatError
from core.formats import EXPORTS, Difference, ExportResult, Finding, Format, Kept, Part, SelfTest, Severity, exporting
from core.formats.base import listed
from core.progress import Progress
from core.recording import Recording

RECORDING = "recording"
MAX_STEM_CHARS = 60
MAX_DIFFERENCES_SHOWN = 5
MAX_TEXT_CHARS = 60
MAX_IDS_SHOWN = 12
IDS_BEFORE = 3  # the same ones before the first that differs
MAX_NAME_BYTES = 200  # file systems stop at 255, and an ending and a temporary name need room


GROUPS: dict[str, list[Format]] = {
    "This program": [format for format in EXPORTS.values() if format.name == RECORDING],
    "Other tools": [format for format in EXPORTS.values() if format.read and format.name != RECORDING],
    "Reports": [format for format in EXPORTS.values() if not format.read],
}
"""What the list of formats shows under which heading."""


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
    with garbage_left_lying():
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


class Look(NamedTuple):
    """How a format would do: the worst that it would say, None if it keeps all, and why it refuses if it does."""

    name: str
    worst: Severity | None
    refusal: str = ""


def survey(recording: Recording, step: int) -> Generator[Look, None, None]:
    """A look at every format, one after the other."""
    for name, format in EXPORTS.items():
        try:
            with garbage_left_lying():
                findings = format.preflight(recording, step)
        except FormatError as error:
            findings = [Finding(Severity.REFUSAL, str(error))]
        worst = findings[0].severity if findings else None
        yield Look(name, worst, findings[0].message if worst is Severity.REFUSAL else "")


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a request, and code that loads it by the name of the language."""

    result: ExportResult
    code: Mapping[str, str] = field(default_factory=dict)
    was_stopped: bool = False
    """All is in place, but reading it back was cut short."""


def write(request: Request, is_cancelled: Callable[[], bool]) -> Generator[Progress | None, None, Written | None]:
    """Write and read back; None if it was cancelled while nothing was in place yet. Yields progress once all is.

    Raises FormatError if the format refuses or a file cannot be written.
    """
    yield None
    recording, step, format, path = request.recording, request.step, request.format, request.path
    work = exporting(recording, step, interruptible(format, is_cancelled), path)
    with garbage_left_lying():
        try:
            result = yield from _until_stopped(work, is_cancelled)
        except CancelledError:
            return None
        except OSError as error:
            raise FormatError(f"{path.name} cannot be saved: {error.strerror or error}.") from None
        if result is None:
            files = tuple(format.files(recording, step, path))
            result = ExportResult(files, (), None)
            return Written(result, code_for(format, path), was_stopped=True)
        return Written(result, code_for(format, path))


def _until_stopped(
    work: Generator[Progress, None, ExportResult], is_stopped: Callable[[], bool]
) -> Generator[Progress, None, ExportResult | None]:
    """What the work returns; None if it was stopped between two steps of it."""
    while True:
        try:
            progress = next(work)
        except StopIteration as end:
            result: ExportResult = end.value
            return result
        if is_stopped():
            work.close()
            return None
        yield progress


def code_for(format: Format, path: Path) -> dict[str, str]:
    """Code that loads what was saved, by the name of the language."""
    makers = {"Python": format.python, "JavaScript": format.javascript}
    return {language: make(path) for language, make in makers.items() if make}


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
    """The format's name, after that of the text or file it came from: `alice-tokenizer`, `cl100k_base-merges.csv`."""
    stem = re.sub(r"[^\w.-]+", "_", _source(recording)).strip("._")[:MAX_STEM_CHARS]
    return f"{stem}-{format.suggested_name}" if stem else format.suggested_name


def _source(recording: Recording) -> str:
    """A tokenizer that was opened keeps its name, whatever text its merges were counted in."""
    if imported := recording.imported:
        name = imported.source.name if imported.source else imported.file
        stem = Path(name).stem.removesuffix(".tokenizer")
        if stem not in _COMMON_STEMS:
            return stem
    return recording.corpus.path.stem if recording.corpus and recording.corpus.path else ""


_COMMON_STEMS = {Path(format.suggested_name).stem for format in EXPORTS.values()} | {"tokenizer", "vocab", "merges"}
"""Names that tell nothing about a tokenizer."""


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


def verdict(written: Written) -> str:
    """How reading back went, in a sentence or two; empty for a report, which nothing reads back."""
    test = written.result.self_test
    if written.was_stopped:
        return "The files are written. Reading them back was stopped, so that nothing proves them."
    if test is None:
        return ""
    if test.problem is not None:
        return f"The files cannot be read back: {test.problem}"
    same = listed([counted(part) for part in test.parts if part.count and not part.difference])
    if test.passed:
        strings = "1 test string gives" if test.probes == 1 else f"{test.probes:,} test strings give"
        parts = f"{same} are the same, and " if same else ""
        return f"{parts}{strings} the same ids and text when the files are read back."
    if written.result.is_foretold:
        parts = f"{same} are the same when the files are read back. " if same else ""
        return f"{parts}Some of the {test.probes:,} test strings give other tokens, as the warnings say."
    others = [part.kept.value for part in test.parts if part.difference]
    if test.differences:
        others.insert(0, f"ids or text of some of the {test.probes:,} test strings")
    return f"Not the same when the files are read back: {listed(others)}."


def counted(part: Part) -> str:
    """`1,000 merges`, `1 special token`."""
    one, many = _NAMES[part.kept]
    return f"{part.count:,} {one if part.count == 1 else many}"


_NAMES = {
    Kept.MERGES: ("merge", "merges"),
    Kept.VOCABULARY: ("token", "tokens"),
    Kept.SPECIAL_TOKENS: ("special token", "special tokens"),
    Kept.NOT_APPLIED: ("part that is not applied", "parts that are not applied"),
}


def differences_text(test: SelfTest) -> str:
    """The first differences: a line each of the parts, three each of the test strings."""
    parts = [f"{part.kept.value}: {part.difference}" for part in test.parts if part.difference]
    return "\n\n".join([*parts, *map(_difference, test.differences[:MAX_DIFFERENCES_SHOWN])])


def _difference(difference: Difference) -> str:
    text = repr(difference.text[:MAX_TEXT_CHARS])
    pairs = enumerate(zip(difference.expected_ids, difference.actual_ids, strict=False))
    same = min(len(difference.expected_ids), len(difference.actual_ids))
    start = max(next((place for place, (here, there) in pairs if here != there), same) - IDS_BEFORE, 0)
    lines = [text, f"  here: {_ids(difference.expected_ids, start)}", f"  file: {_ids(difference.actual_ids, start)}"]
    if difference.expected_ids == difference.actual_ids:
        lines[1:] = [
            f"  here: {difference.expected_text[:MAX_TEXT_CHARS]!r}",
            f"  file: {difference.actual_text[:MAX_TEXT_CHARS]!r}",
        ]
    return "\n".join(lines)


def _ids(ids: tuple[int, ...], start: int) -> str:
    """Some of them, from a place shortly before the first that differs."""
    shown = list(map(str, ids[start : start + MAX_IDS_SHOWN]))
    return ", ".join([*["…"][: bool(start)], *shown, *["…"][: len(ids) > start + MAX_IDS_SHOWN]])


def _listed(paths: Iterable[Path]) -> str:
    names = [path.name for path in paths]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
