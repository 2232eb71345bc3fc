"""Measures, curves and distributions as tables for other programs: RFC 4180 quoting, lines that end with "\\n", plain
digits, an empty cell where there is no value."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from core.distributions import LengthCount, TokenFrequency
from core.formats.timeline import FORMULA_STARTS
from core.measures import MEASURES, Measure, Measures
from core.recording import Recording
from core.vocab import token_label

Cell = str | int | float | None


def scalars_csv(measures: Measures, shown: Sequence[Measure] = MEASURES) -> Iterator[str]:
    """A line for each measure: `bytes_per_token,4.07,bytes`."""
    yield from _lines(("name", "value", "unit"), ((m.name, m.value(measures), m.unit) for m in shown))


def curves_csv(curve: Iterable[Measures], shown: Sequence[Measure] = MEASURES) -> Iterator[str]:
    """A line for each step, a column for each measure."""
    header = ("step", *(measure.name for measure in shown))
    yield from _lines(header, ((at.step, *(measure.value(at) for measure in shown)) for at in curve))


def lengths_csv(histogram: Iterable[LengthCount]) -> Iterator[str]:
    """A line for each token length."""
    yield from _lines(LengthCount._fields, histogram)


def rank_frequency_csv(recording: Recording, frequencies: Iterable[TokenFrequency]) -> Iterator[str]:
    """A line for each token, the most frequent one having rank 1. Labels are for the eye, ids and hex are exact."""
    rows = (
        (rank, occurrences, token_id, token_label(recording, token_id), recording.token(token_id).content.hex())
        for rank, (token_id, occurrences) in enumerate(frequencies, 1)
    )
    yield from _lines(("rank", "occurrences", "token_id", "token", "hex"), rows)


def _lines(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        yield _taken(buffer)
        writer.writerow([_cell(value) for value in row])
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def _cell(value: Cell) -> str:
    """Shortest digits that give the number again, never with an exponent.

    A label that a spreadsheet would take for a formula gets an apostrophe in front, as in the timeline's table.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA_STARTS) else value
    return format(Decimal(repr(value)), "f")
