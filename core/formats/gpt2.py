"""Skeleton."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from core.errors import FormatError
from core.formats.base import Finding, Format, Lines, Severity
from core.recording import Recording


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    yield Finding(Severity.REFUSAL, "This format is not ready yet.")


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: iter(["\n"])}


def read(path: Path) -> Recording:
    raise FormatError("This format is not ready yet.")


def python(path: Path) -> str:
    return ""


FORMAT = Format(
    name="gpt2",
    title="GPT-2 vocab.json and merges.txt",
    help="A folder with the two files that GPT-2 came with; read by older tools and by tokenizers.",
    suggested_name="gpt2",
    is_folder=True,
    findings=findings,
    render=render,
    read=read,
    python=python,
)
