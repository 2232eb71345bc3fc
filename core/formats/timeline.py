"""Skeleton."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from core.formats.base import Finding, Format, Lines
from core.recording import Recording


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    yield from ()


def render_csv(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: iter(["rank\n"])}


def render_json(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: iter(["{}\n"])}


CSV = Format(
    name="timeline-csv",
    title="Timeline as a table (CSV)",
    help="Every merge with its counts, one a row, for spreadsheets and data frames.",
    suggested_name="merges.csv",
    is_folder=False,
    findings=findings,
    render=render_csv,
)

JSON = Format(
    name="timeline-json",
    title="Timeline with settings (JSON)",
    help="Every merge with its counts, the settings and facts about the corpus, for programs.",
    suggested_name="merges.json",
    is_folder=False,
    findings=findings,
    render=render_json,
)
