"""`bpe attach`: count on a text what the merges of a tokenizer do, and save it with these counts."""

import argparse
from dataclasses import replace
from pathlib import Path

from core.attaching import FACTS_OF_COUNTS, counting_pipeline, filled
from core.cli.console import Console
from core.cli.fast_loops import ensure_fast_loops
from core.cli.model_arguments import add_model_argument, opened
from core.cli.outputs import (
    add_format_option,
    check_apart,
    check_model_stays,
    check_place,
    files_of,
    formats_help,
    outputs_of,
    real,
    save,
)
from core.cli.parser import Command, choice, listed, path_of
from core.cli.texts import add_text_arguments, counted_words, read_texts
from core.pipeline import Texts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_argument(parser)
    add_text_arguments(parser)
    parser.add_argument(
        "--out",
        type=path_of,
        required=True,
        metavar="PATH",
        help="the file to save in, which replaces what is there: .bpe keeps everything, .csv is a table of the merges",
    )
    add_format_option(parser)
    parser.add_argument(
        "--texts",
        type=choice(Texts),
        metavar="UNIT",
        help=f"what is cut into words on its own: {listed(Texts)} (default: as the tokenizer was trained, or whole)",
    )


def run(arguments: argparse.Namespace, console: Console) -> None:
    (output,) = outputs_of([arguments.out], arguments.format, "attach")
    check_place(output)
    check_model_stays([output], arguments.model, "attach")
    check_apart(files_of(output.format, output.path), {real(Path(file)) for file in arguments.files}, "attach")
    recording, _ = opened(arguments, console, "attach")
    corpus = read_texts(arguments, console, "attach")
    ensure_fast_loops(console, corpus.byte_count)
    wanted = replace(recording.pipeline, texts=arguments.texts or recording.pipeline.texts)
    pipeline = counting_pipeline(recording, corpus, wanted)
    words = counted_words(corpus, pipeline, console)
    counted = console.follow(filled(recording, corpus, pipeline, words), "counting merges")
    made = sum(merge.applied > 0 for merge in counted)
    console.say(f"{made:,} of {len(counted):,} merges are made in {counted.word_total:,} words.")
    for fact in counted.imported.facts if counted.imported else ():
        if fact in FACTS_OF_COUNTS:
            console.note(fact, "warning")
    save(output, counted, len(counted), console)


COMMAND = Command(
    "attach",
    "MODEL FILE ... --out PATH [OPTION ...]",
    "count on a text what the merges of a tokenizer do",
    "Fill the counts of a tokenizer that was read from a file: how often each of its merges is made in a text. Words "
    "are cut as the tokenizer cuts them; merges and ids stay as they are.",
    """\
  bpe attach book-tokenizer more.txt --out counted.bpe
  bpe attach cl100k_base.tiktoken book.txt --out merges.csv
  bpe attach book-tokenizer words.tsv --word-counts --out counted.bpe

"""
    + formats_help(),
    add_arguments,
    run,
    many="files",
)
