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
    name="huggingface",
    title="Hugging Face tokenizer.json",
    help="A folder that tokenizers, transformers and transformers.js load as it is.",
    suggested_name="tokenizer",
    is_folder=True,
    findings=findings,
    render=render,
    read=read,
    python=python,
)
