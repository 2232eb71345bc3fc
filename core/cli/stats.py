"""`bpe stats`: how well a tokenizer does on a text."""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.cli.console import Console
from core.cli.fast_loops import ensure_fast_loops
from core.cli.model_arguments import add_model_argument, add_step_option, open_at_step
from core.cli.parser import Command, UsageError, choice, decimal, listed, whole_number, with_default
from core.cli.texts import add_text_arguments, counted_words, read_texts
from core.distributions import LengthUnit, length_histogram, rank_frequency
from core.held_out import held_out_tally
from core.measures import ALPHA, MAX_ALPHA, MEASURES, Measures
from core.measures_csv import curves_csv, lengths_csv, rank_frequency_csv, scalars_csv
from core.measuring import Tally, measure, measures_along, measures_at, occurrences
from core.pipeline import Texts
from core.recording import Recording
from core.statistics import sampled_steps

TABLES = ("curves", "frequencies", "lengths-in-bytes", "lengths-in-characters")
MAX_ENCODED_STEPS = 100
"""Of a curve, where the text must be encoded anew for each of them."""

Column = tuple[str, Measures]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_argument(parser)
    add_text_arguments(parser)
    parser.add_argument(
        "--texts",
        type=choice(Texts),
        default=Texts.WHOLE,
        metavar="UNIT",
        help=with_default(f"what is cut into words on its own: {listed(Texts)}", Texts.WHOLE),
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="name, value, unit (default: a table for reading)")
    forms.add_argument("--json", action="store_true", help="one object (default: a table for reading)")
    forms.add_argument(
        "--table", type=choice(TABLES), metavar="NAME", help=f"as CSV: {listed(TABLES)} (default: the measures)"
    )
    parser.add_argument(
        "--points", type=whole_number(2), metavar="N", help="so many steps of --table curves (default: all of them)"
    )
    parser.add_argument(
        "--alpha",
        type=decimal(0, MAX_ALPHA),
        default=ALPHA,
        metavar="A",
        help=with_default("the order of the Rényi entropy", ALPHA),
    )
    add_step_option(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.points and arguments.table != "curves":
        raise UsageError("--points is for --table curves.", "stats")
    recording, step, _ = open_at_step(arguments, console, "stats")
    corpus = read_texts(arguments, console, "stats")
    ensure_fast_loops(console, corpus.byte_count)
    words = counted_words(corpus, replace(recording.pipeline, texts=arguments.texts), console).counts
    if arguments.table == "curves":
        steps = _steps(recording, step, arguments.points)
        _write(curves_csv(_curve(recording, words, steps, arguments.alpha, console)), console)
        return
    tally = console.follow(held_out_tally(recording, words, step), "encoding")
    if arguments.table:
        _write(_table(arguments.table, recording, step, tally), console)
        return
    measured = measure(recording, tally, step, arguments.alpha)
    if arguments.csv:
        _write(scalars_csv(measured), console)
    elif arguments.json:
        console.write(json.dumps(_json(measured, corpus.name), ensure_ascii=False, indent=2) + "\n")
    else:
        columns = [(corpus.name, measured)]
        if recording.has_counts:
            columns.append(("text trained on", measures_at(recording, step, arguments.alpha)))
        console.write_lines(measure_lines(columns))


def _write(pieces: Iterable[str], console: Console) -> None:
    for piece in pieces:
        console.write(piece)


def _steps(recording: Recording, step: int, points: int | None) -> Sequence[int]:
    if not recording.has_histories:
        points = min(points or MAX_ENCODED_STEPS, MAX_ENCODED_STEPS)
    return range(step + 1) if points is None else sampled_steps(0, step, points)


def _curve(
    recording: Recording, words: Mapping[str, int], steps: Sequence[int], alpha: float, console: Console
) -> list[Measures]:
    if recording.has_histories:
        tally = console.follow(held_out_tally(recording, words, steps[-1]), "encoding")
        return console.follow(measures_along(recording, tally, steps, alpha), "measuring")
    return [
        measure(recording, console.follow(held_out_tally(recording, words, step), f"step {step:,}"), step, alpha)
        for step in steps
    ]


def _table(name: str, recording: Recording, step: int, tally: Tally) -> Iterator[str]:
    counts = occurrences(recording, tally, step)
    if name == "frequencies":
        return rank_frequency_csv(recording, rank_frequency(counts))
    unit = LengthUnit(name.removeprefix("lengths-in-"))
    return lengths_csv(length_histogram(recording, step, counts, unit))


def _json(measures: Measures, text: str) -> dict[str, object]:
    sizes = {
        "text": text,
        "step": measures.step,
        "word_count": measures.word_count,
        "byte_count": measures.byte_count,
        "character_count": measures.character_count,
    }
    return sizes | {shown.name: shown.value(measures) for shown in MEASURES}


def measure_lines(columns: Sequence[Column]) -> Iterator[str]:
    """A line for each measure, a column for each text; None of the numbers is cut."""
    rows = [
        ("", *(title for title, _ in columns), ""),
        *((title, *(f"{value(m):,}" for _, m in columns), unit) for title, value, unit in _SIZES),
        *((shown.title, *(shown.text(m) for _, m in columns), shown.unit) for shown in MEASURES),
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(len(columns) + 2)]
    for title, *values, unit in rows:
        cells = [f"{value:>{width}}" for value, width in zip(values, widths[1:-1], strict=True)]
        yield "  ".join([f"{title:{widths[0]}}", *cells, unit]).rstrip()


_SIZES: tuple[tuple[str, Callable[[Measures], int], str], ...] = (
    ("Words", lambda m: m.word_count, "words"),
    ("Bytes", lambda m: m.byte_count, "bytes in words"),
    ("Characters", lambda m: m.character_count, "characters in words"),
)

COMMAND = Command(
    "stats",
    "MODEL FILE ... [OPTION ...]",
    "how well a tokenizer does on a text",
    "Measure a tokenizer on a text, best one that it was not trained on. Special tokens in the text are text, as in "
    "training.",
    """\
  bpe stats book-tokenizer other-book.txt
  bpe stats book-tokenizer other-book.txt --json
  bpe stats book-tokenizer other-book.txt --step 500
  bpe stats book-tokenizer other-book.txt --table curves --points 50 > curves.csv
""",
    add_arguments,
    run,
    many="files",
)
