"""What a file format is: a name, a warning before saving, the files it writes, and how they are read back."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path

from core.atomic import write_files
from core.encoding_rules import ENCODER_TITLES, Encoder
from core.errors import FormatError
from core.formats.hex_dump import ROW_BYTES, hex_dump
from core.pre_tokenizer import PreTokenizer
from core.progress import Progress, without_progress
from core.recording import Recording

COUNTS_ARE_LOST = "Counts, ties and the corpus are not kept; save the timeline for them."
PREVIEW_LINES = 40
PREVIEW_LINE_CHARS = 200
MAX_PARTS_NAMED = 8

Content = str | bytes
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
    NOTE = "note"
    """Good to know; nothing is lost."""


class Kept(StrEnum):
    """What a format keeps of every tokenizer that it does not refuse; the self-test compares it whole."""

    IDS = "ids"
    """Without them tokens are compared by what they stand for, and texts by where they are cut."""
    VOCABULARY = "vocabulary"
    SPECIAL_TOKENS = "special tokens"
    MERGES = "merges"
    NOT_APPLIED = "parts that are not applied"
    """What a file said that this program does not do, see Imported."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a person should know before saving in a format. The self-test does not compare what it is `about`."""

    severity: Severity
    message: str
    about: frozenset[Kept] = frozenset()


def refusal(message: str) -> Finding:
    return Finding(Severity.REFUSAL, message)


def warning(message: str) -> Finding:
    return Finding(Severity.WARNING, message)


def loss(message: str) -> Finding:
    return Finding(Severity.LOSS, message)


@dataclass(frozen=True)
class ReadOptions:
    """What a person says of a file that does not say it itself; None leaves it to the file, or to a usual choice."""

    pre_tokenizer: PreTokenizer | None = None
    special_tokens: Mapping[str, int] | None = None


Reading = Generator[Progress, None, Recording]


@dataclass(frozen=True)
class Format:
    """A way to save a recording, to read one, or both. The functions are those of the format's module.

    `render` gives the text of every file by path, the main file first; `path` is the folder for a format that
    `is_folder`, otherwise the main file; bytes are for files that are no text. None for a format that is only read.

    `recognizes` tells by the content of a file, all of it, whether it is one of this format; the path is for files that
    are nothing without another one beside them. `finds` gives the main files of this format in a folder. `read` takes
    such a file, or the folder if it `is_folder`, and yields while it works; it is None for a format that only reports.

    `python` and `javascript` give code that loads what was saved, None if no library does; `no_javascript` says why.
    `encoder` is how the tools that read the file encode, whose results the self-test is about; `keeps` is what it
    compares whole. `previewed` gives lines to look at where those of the main file tell a person nothing. `follows`
    names those of the ReadOptions that count; of the others the file says everything itself.
    """

    name: str
    title: str
    help: str
    suggested_name: str
    is_folder: bool
    findings: Callable[[Recording, int], Iterable[Finding]] = lambda recording, step: ()
    render: Callable[[Recording, int, Path], Mapping[Path, Iterable[Content]]] | None = None
    read: Callable[[Path, ReadOptions], Reading] | None = None
    recognizes: Callable[[bytes, Path], bool] = lambda data, path: False
    finds: Callable[[Path], Iterable[Path]] = lambda folder: ()
    python: Callable[[Path], str] | None = None
    javascript: Callable[[Path], str] | None = None
    encoder: Callable[[Recording], Encoder] = lambda recording: recording.rules.encoder
    keeps: frozenset[Kept] = frozenset(Kept) - {Kept.NOT_APPLIED}
    no_javascript: str = ""
    previewed: Callable[[Recording, int], Iterable[str]] | None = None
    follows: frozenset[str] = frozenset({"pre_tokenizer", "special_tokens"})

    def preflight(self, recording: Recording, step: int) -> list[Finding]:
        """What to know before saving the first `step` merges; refusals first, then warnings, losses and notes."""
        found = chain(self.findings(recording, step), self._about_encoder(recording), self._about_import(recording))
        return sorted(found, key=lambda finding: list(Severity).index(finding.severity))

    def refuses(self, recording: Recording, step: int) -> bool:
        return any(finding.severity is Severity.REFUSAL for finding in self.preflight(recording, step))

    def _about_encoder(self, recording: Recording) -> Iterator[Finding]:
        """Trained merges give the same tokens under every encoder by rank; those of other tools need not."""
        own, theirs = recording.rules.encoder, self.encoder(recording)
        if self.read and recording.imported and own is not theirs and not recording.is_regular:
            yield Finding(
                Severity.WARNING,
                f"This model is encoded by {ENCODER_TITLES[own].lower()}, and tools that read this format encode by "
                f"{ENCODER_TITLES[theirs].lower()}: tokens can differ.",
            )

    def _about_import(self, recording: Recording) -> Iterator[Finding]:
        """What becomes of the parts of an imported file that are not applied here; a report has no room for any."""
        if not self.read or not recording.imported or not recording.imported.not_applied:
            return
        parts = listed(recording.imported.not_applied)
        if Kept.NOT_APPLIED in self.keeps and recording.imported.format == self.name:
            yield Finding(Severity.NOTE, f"Written again as it was read, though not applied here: {parts}.")
        else:
            yield Finding(Severity.LOSS, f"Of {recording.imported.file} this is not kept: {parts}.")

    def save(self, recording: Recording, step: int, path: str | Path) -> list[Path]:
        """Write the first `step` merges and return the files written, all of them or none.

        Raises FormatError if the preflight refuses or a file cannot be written.
        """
        for finding in self.preflight(recording, step):
            if finding.severity is Severity.REFUSAL:
                raise FormatError(finding.message)
        path = Path(path)
        contents = self.files(recording, step, path)
        write_files(
            {file: map(_encoded, lines) for file, lines in contents.items()},
            create_folder=path if self.is_folder else None,
        )
        return list(contents)

    def files(self, recording: Recording, step: int, path: Path) -> Mapping[Path, Iterable[Content]]:
        """What `render` gives. Raises FormatError for a format that is only read."""
        if self.render is None:
            raise FormatError(f"{self.title} is read here, not written.")
        return self.render(recording, step, path)

    def preview(self, recording: Recording, step: int) -> str:
        """The first lines of the main file, or its first bytes; what lies behind them is never made."""
        lines = [shorten(line) for line in islice(self._preview_lines(recording, step), PREVIEW_LINES + 1)]
        return "".join([*lines[:PREVIEW_LINES], "…\n"] if len(lines) > PREVIEW_LINES else lines)

    def _preview_lines(self, recording: Recording, step: int) -> Iterable[str]:
        if self.previewed:
            return self.previewed(recording, step)
        main = iter(next(iter(self.files(recording, step, Path(self.suggested_name)).values())))
        first = next(main, "")
        if isinstance(first, bytes):
            return hex_dump(_beginning(chain([first], map(_encoded, main)), (PREVIEW_LINES + 1) * ROW_BYTES))
        return (str(line) for line in chain([first], main))

    def loading(self, path: str | Path, options: ReadOptions | None = None) -> Reading:
        """Read a tokenizer, bit by bit. Raises FormatError for what is not modelled."""
        if self.read is None:
            raise FormatError(f"{self.title} is a report and cannot be read back as a tokenizer.")
        return self.read(Path(path), options or ReadOptions())

    def load(self, path: str | Path, options: ReadOptions | None = None) -> Recording:
        """The same in one go."""
        return without_progress(self.loading(path, options))

    def snippet(self, path: str | Path) -> str:
        """Python code that loads what was saved at `path` with the library it is meant for; runs as it is."""
        if self.python is None:
            raise FormatError(f"{self.title} is a report and no library loads it as a tokenizer.")
        return self.python(Path(path))


def listed(parts: Sequence[str]) -> str:
    """`a, b and c`; of many the first and how many more."""
    if len(parts) > MAX_PARTS_NAMED:
        return f"{', '.join(parts[:MAX_PARTS_NAMED])} and {len(parts) - MAX_PARTS_NAMED:,} more"
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def _encoded(line: Content) -> bytes:
    return line.encode() if isinstance(line, str) else line


def _beginning(pieces: Iterable[bytes], size: int) -> bytes:
    """The first so many bytes."""
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) >= size:
            break
    return bytes(data[:size])


def shorten(line: str) -> str:
    """The line, cut with an ellipsis if it is too long to be looked at."""
    return line if len(line) <= PREVIEW_LINE_CHARS else line[: PREVIEW_LINE_CHARS - 2] + "…\n"
