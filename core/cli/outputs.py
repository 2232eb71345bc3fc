"""Where a tokenizer is written and how: the format by name or ending, checks before the work, and the files after."""

import argparse
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.cli.console import Console
from core.cli.parser import UsageError, choice, listed
from core.errors import BpeError, FormatError
from core.formats import EXPORTS, Difference, Finding, Format, SelfTest, Severity, exporting
from core.formats.huggingface import TOKENIZER
from core.formats.opening import located
from core.recording import Recording
from core.trainer_config import TrainerConfig, build_alphabet

MAX_DIFFERENCES_SHOWN = 3
MAX_TEXT_CHARS = 60
MAX_IDS_SHOWN = 12
FOLDER_FORMAT = "huggingface"
"""Of a path without an ending."""


@dataclass(frozen=True)
class Output:
    format: Format
    path: Path


def formats_help() -> str:
    """The formats, a line each, for the end of a command's help."""
    width = max(map(len, EXPORTS))
    return "formats:\n" + "\n".join(f"  {name:{width}}  {format.title}" for name, format in EXPORTS.items())


def add_format_option(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--format",
        action="append",
        type=choice(EXPORTS),
        metavar="NAME",
        help=f"{listed(EXPORTS)} (default: by the ending; {FOLDER_FORMAT} for .json, or a folder, without any)",
    )


def outputs_of(paths: Sequence[Path], names: Sequence[str] | None, command: str) -> list[Output]:
    """One for each path. Raises UsageError where a format is missing or one too many."""
    if not names:
        return [_by_ending(path, command) for path in paths]
    if len(names) != len(paths):
        raise UsageError(
            f"--format is given {len(names)} times and --out {len(paths)} times: name one format for each, in the same "
            "order, or none.",
            command,
        )
    return [_output(EXPORTS[name], path) for name, path in zip(names, paths, strict=True)]


def _output(format: Format, path: Path) -> Output:
    """A name such as x.json asks for the one file that Hugging Face's `Tokenizer.from_file` reads, not for a folder."""
    if _MAIN_FILES.get(path.name) == format.name:
        return Output(format, path.parent)
    is_file = format.is_folder and format.name == FOLDER_FORMAT and path.suffix == ".json" and not path.is_dir()
    return Output(replace(format, is_folder=False, render=_main_file_only) if is_file else format, path)


def _main_file_only(recording: Recording, step: int, path: Path) -> Mapping[Path, Iterable[str | bytes]]:
    files = EXPORTS[FOLDER_FORMAT].files(recording, step, path.parent)
    return {path: files[path.parent / TOKENIZER]}


def _by_ending(path: Path, command: str) -> Output:
    if path.name in _MAIN_FILES:
        return _output(EXPORTS[_MAIN_FILES[path.name]], path)
    if path.is_dir() or path.suffix in ("", ".json"):
        return _output(EXPORTS[FOLDER_FORMAT], path)
    files = [format for format in EXPORTS.values() if not format.is_folder]
    found = [format for format in files if format.suggested_name == path.name]
    found = found or [format for format in files if _is_ending_of(path.suffix.lower(), format)]
    if len(found) == 1:
        return Output(found[0], path)
    raise UsageError(
        f"{path.name}: the ending {path.suffix} does not tell the format; choose a --format: "
        f"{listed(format.name for format in found or EXPORTS.values())}.",
        command,
    )


def _is_ending_of(ending: str, format: Format) -> bool:
    """A report, from which no tokenizer can be read, is too easily chosen by an ending such as .txt."""
    return Path(format.suggested_name).suffix == ending and (format.read is not None or ending == ".csv")


_MAIN_FILES = {"tokenizer.json": "huggingface", "vocab.json": "gpt2", "merges.txt": "gpt2"}
"""Of the formats that are folders."""


def check_place(output: Output) -> None:
    """Raises FormatError where writing could only fail, before hours of training and not after them."""
    path, format = output.path, output.format
    if not format.is_folder:
        check_file(path)
        return
    if path.exists() and not path.is_dir():
        raise FormatError(f"{path.name} is a file, and the format {format.name} needs a folder. Choose another name.")
    _check_folder(path, path if path.exists() else path.absolute().parent)


def check_file(path: Path) -> None:
    """The same for a single file."""
    if path.is_dir():
        raise FormatError(f"{path.name} is a folder, and a file is to be written. Choose another name or format.")
    if path.exists() and not path.is_file():
        raise FormatError(f"{path.name} is a device or pipe, and a file is to be written. Choose another name.")
    _check_folder(path, path.absolute().parent)
    if path.exists() and not os.access(path, os.W_OK):
        raise FormatError(f"{path.name} cannot be saved: the file is write-protected.")


def _check_folder(path: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise FormatError(f"{path.name} cannot be saved: there is no folder {folder}.")
    if not os.access(folder, os.W_OK):
        raise FormatError(f"{path.name} cannot be saved in {folder}: permission denied. Choose another folder.")


def files_of(format: Format, path: Path) -> list[Path]:
    """The files that a format writes at `path`, without links: they follow from the name, whatever the tokenizer.

    Of a format that is only read it is the file itself.
    """
    if format.render is None:
        return [real(path)]
    return list(map(real, format.files(Recording(build_alphabet({}, _ANY), _ANY), 0, path)))


def real(path: Path) -> Path:
    return Path(os.path.realpath(path))


_ANY = TrainerConfig()


def check_apart(written: Sequence[Path], read: Collection[Path], command: str) -> None:
    """Raises UsageError where one file would be written twice, or over what is read."""
    for place, path in enumerate(written):
        if path in read:
            raise UsageError(f"{path.name} is read and would be written over. Choose another name.", command)
        if path in written[:place]:
            raise UsageError(f"{path.name} would be written twice. Choose another name for one of the two.", command)


def check_model_stays(outputs: Iterable[Output], model: Path, command: str) -> None:
    """Raises UsageError where part of a model would be written over; in its own format it may be replaced whole."""
    format, place = located(model)
    for output in outputs:
        if output.format.name != format.name:
            check_apart(files_of(output.format, output.path), files_of(format, place), command)


def check_format(output: Output, recording: Recording, step: int) -> None:
    """Raises FormatError where the format refuses the tokenizer or the name."""
    for finding in output.format.preflight(recording, step):
        if finding.severity is Severity.REFUSAL:
            raise FormatError(f"The format {output.format.name} cannot hold this tokenizer. {finding.message}")
    output.format.files(recording, step, output.path)


def save(output: Output, recording: Recording, step: int, console: Console) -> None:
    """Write the first `step` merges, read them back, and say what is to be known. Raises BpeError if anything fails.

    Where the format has warned before, other tokens are no surprise and so no failure.
    """
    check_format(output, recording, step)
    work = exporting(recording, step, output.format, output.path)
    result = console.follow(work, "writing and reading back")
    for path in result.paths:
        console.say(f"written: {path}")
    report(result.findings, console)
    if result.self_test is None:
        console.note(f"{output.format.title}: a report, from which no tokenizer can be read back.")
    elif not result.self_test.passed:
        if not result.is_foretold:
            raise BpeError("\n".join(_failure(result.self_test)))
        console.note("\n".join(_failure(result.self_test)), "warning")


def report(findings: Sequence[Finding], console: Console) -> None:
    for finding in findings:
        console.note(finding.message, _KINDS[finding.severity])


_KINDS = {Severity.REFUSAL: "refused", Severity.WARNING: "warning", Severity.LOSS: "note", Severity.NOTE: "note"}


def _failure(test: SelfTest) -> Iterator[str]:
    if test.problem:
        yield f"What was written cannot be read back: {test.problem}"
        return
    if test.differences:
        yield f"What was written gives other tokens: {len(test.differences)} of {test.probes} texts differ."
        yield from map(_difference, test.differences[:MAX_DIFFERENCES_SHOWN])
    for part in test.parts:
        if part.difference:
            yield f"What was written has other {part.kept.value}: {part.difference}."


def _difference(difference: Difference) -> str:
    text = difference.text if len(difference.text) <= MAX_TEXT_CHARS else difference.text[: MAX_TEXT_CHARS - 1] + "…"
    return f"  {text!r}: {_ids(difference.expected_ids)}, read back {_ids(difference.actual_ids)}"


def _ids(ids: Sequence[int]) -> str:
    return " ".join(map(str, ids[:MAX_IDS_SHOWN])) + (" …" if len(ids) > MAX_IDS_SHOWN else "") if ids else "nothing"
