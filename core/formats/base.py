"""What a file format is: a name, a warning before saving, the files it writes, and how they are read back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path

from core.atomic import write_files
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.recording import Recording

COUNTS_ARE_LOST = "Counts, ties and the corpus are not kept; save the timeline for them."
PREVIEW_LINES = 40
PREVIEW_LINE_CHARS = 200

Lines = Iterator[str]
"""The text of a file in pieces that each end in a line end; pieces are made only when asked for."""


class Severity(StrEnum):
    """How bad a finding is, in the order to show them."""

    REFUSAL = "refusal"
    """The file would be wrong: nothing is written."""
    WARNING = "warning"
    """The file is right, but gives other results in some circumstances."""
    LOSS = "loss"
    """The format cannot keep something."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a person should know before saving in a format."""

    severity: Severity
    message: str


@dataclass(frozen=True)
class Format:
    """A way to save a recording. `findings`, `render` and the like are the functions of the format's module.

    `render` gives the text of every file by path, the main file first; `path` is the folder for a format that
    `is_folder`, otherwise the main file. `read` and `python` are None for a format that only reports. `encoder` is how
    the tools that read the file encode, whose results the self-test is about.
    """

    name: str
    title: str
    help: str
    suggested_name: str
    is_folder: bool
    findings: Callable[[Recording, int], Iterable[Finding]]
    render: Callable[[Recording, int, Path], Mapping[Path, Iterable[str]]]
    read: Callable[[Path], Recording] | None = None
    python: Callable[[Path], str] | None = None
    encoder: Callable[[Recording], Encoder] = lambda recording: Encoder.MERGE_RANK

    def preflight(self, recording: Recording, step: int) -> list[Finding]:
        """What to know before saving the first `step` merges; refusals first, then warnings, then losses."""
        return sorted(self.findings(recording, step), key=lambda finding: list(Severity).index(finding.severity))

    def save(self, recording: Recording, step: int, path: str | Path) -> list[Path]:
        """Write the first `step` merges and return the files written, all of them or none.

        Raises FormatError if the preflight refuses or a file cannot be written.
        """
        for finding in self.preflight(recording, step):
            if finding.severity is Severity.REFUSAL:
                raise FormatError(finding.message)
        path = Path(path)
        contents = self.render(recording, step, path)
        write_files(
            {file: (line.encode() for line in lines) for file, lines in contents.items()},
            create_folder=path if self.is_folder else None,
        )
        return list(contents)

    def preview(self, recording: Recording, step: int) -> str:
        """The first lines of the main file; what lies behind them is never made."""
        main = next(iter(self.render(recording, step, Path(self.suggested_name)).values()))
        lines = [shorten(line) for line in islice(main, PREVIEW_LINES + 1)]
        return "".join([*lines[:PREVIEW_LINES], "…\n"] if len(lines) > PREVIEW_LINES else lines)

    def load(self, path: str | Path) -> Recording:
        """Read back what `save` wrote, from the same path. Raises FormatError for what is not modelled."""
        if self.read is None:
            raise FormatError(f"{self.title} is a report and cannot be read back as a tokenizer.")
        return self.read(Path(path))

    def snippet(self, path: str | Path) -> str:
        """Python code that loads what was saved at `path` with the library it is meant for; runs as it is."""
        if self.python is None:
            raise FormatError(f"{self.title} is a report and no library loads it as a tokenizer.")
        return self.python(Path(path))


def shorten(line: str) -> str:
    """The line, cut with an ellipsis if it is too long to be looked at."""
    return line if len(line) <= PREVIEW_LINE_CHARS else line[: PREVIEW_LINE_CHARS - 2] + "…\n"
