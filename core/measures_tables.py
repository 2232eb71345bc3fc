"""Writes the measures of a text to a file, as one of the tables of measures_csv.py; no half file is ever left."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from enum import Enum
from itertools import islice
from pathlib import Path

from core.atomic import write_files
from core.distributions import LengthUnit, length_histogram, rank_frequency
from core.held_out import held_out_tally
from core.measures import ALPHA, Measures
from core.measures_csv import curves_csv, lengths_csv, rank_frequency_csv, scalars_csv
from core.measuring import Tally, corpus_tally, measure, measures_along, occurrences
from core.progress import Progress
from core.recording import Recording
from core.statistics import sampled_steps

LINES_PER_PROGRESS = 500
"""About 10 ms of work."""
MAX_ENCODED_STEPS = 100
"""Steps of a curve for each of which the text must be encoded anew."""


class Table(Enum):
    """The tables there are; the value is how a file of it is named."""

    SCALARS = "measures"
    CURVES = "curves"
    LENGTHS_IN_BYTES = "token-lengths-bytes"
    LENGTHS_IN_CHARACTERS = "token-lengths-characters"
    FREQUENCIES = "token-frequencies"


def save_corpus_table(
    recording: Recording, table: Table, step: int, path: Path, alpha: float = ALPHA
) -> Generator[Progress, None, Path]:
    """Write a table of the corpus at `step`, or curves from the start to `step`.

    Progress is in lines or in merges. Raises FormatError if the file cannot be written.
    """
    tally = corpus_tally(recording)
    if table is Table.CURVES:
        curve = yield from measures_along(recording, tally, range(step + 1), alpha)
        return (yield from _save(curves_csv(curve), path))
    return (yield from _save(_lines(recording, tally, table, step, alpha), path))


def save_held_out_table(
    recording: Recording,
    word_counts: Mapping[str, int],
    table: Table,
    step: int,
    path: Path,
    alpha: float = ALPHA,
) -> Generator[Progress, None, Path]:
    """As save_corpus_table, of a text that has these words.

    Where the merges are not those of a training run, a curve has MAX_ENCODED_STEPS steps.
    """
    if table is Table.CURVES:
        curve = yield from _held_out_curve(recording, word_counts, step, alpha)
        return (yield from _save(curves_csv(curve), path))
    tally = yield from held_out_tally(recording, word_counts, step)
    return (yield from _save(_lines(recording, tally, table, step, alpha), path))


def _held_out_curve(
    recording: Recording, word_counts: Mapping[str, int], step: int, alpha: float
) -> Generator[Progress, None, list[Measures]]:
    if recording.has_histories:
        tally = yield from held_out_tally(recording, word_counts, step)
        return (yield from measures_along(recording, tally, range(step + 1), alpha))
    steps, found = sampled_steps(0, step, MAX_ENCODED_STEPS), list[Measures]()
    for done, one in enumerate(steps):
        tally = yield from held_out_tally(recording, word_counts, one)
        found.append(measure(recording, tally, one, alpha))
        yield Progress(done, len(steps))
    return found


def _lines(recording: Recording, tally: Tally, table: Table, step: int, alpha: float) -> Iterator[str]:
    if table is Table.SCALARS:
        return scalars_csv(measure(recording, tally, step, alpha))
    counts = occurrences(recording, tally, step)
    if table is Table.FREQUENCIES:
        return rank_frequency_csv(recording, rank_frequency(counts))
    unit = LengthUnit.BYTES if table is Table.LENGTHS_IN_BYTES else LengthUnit.CHARACTERS
    return lengths_csv(length_histogram(recording, step, counts, unit))


def _save(lines: Iterator[str], path: Path) -> Generator[Progress, None, Path]:
    chunks = yield from _encoded(lines)
    write_files({path: chunks})
    return path


def _encoded(lines: Iterable[str]) -> Generator[Progress, None, list[bytes]]:
    """All of it, before anything is written: whoever cancels finds the old file."""
    lines, chunks = iter(lines), list[bytes]()
    while chunk := "".join(islice(lines, LINES_PER_PROGRESS)):
        chunks.append(chunk.encode())
        yield Progress(len(chunks) * LINES_PER_PROGRESS, 0)
    return chunks
