"""The texts that commands learn from or measure: files, standard input, lists of word counts."""

import argparse
import hashlib
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from core.cli.console import Console, read_stdin
from core.cli.parser import UsageError, named
from core.corpus import Corpus, read_corpora
from core.packed_words_builder import PackedWordsBuilder
from core.parquet_words import counted_with, table_files
from core.pipeline import Pipeline, WordCounts
from core.pipeline_json import counting_problem
from core.progress import Progress
from core.text_encoding import DetectedBy
from core.word_counts import corpus_words_counted, read_word_counts
from core.word_tables import hashed, shown_words

STDIN = "-"


def add_text_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        type=named,
        metavar="FILE",
        help="text files, read as one text in this order, plain or packed (gzip, xz, bzip2, Zstandard); a folder is "
        "all text files in it and below it; - is standard input",
    )
    parser.add_argument(
        "--encoding",
        type=named,
        metavar="NAME",
        help="the encoding of the files (default: found out for each; standard input is always UTF-8)",
    )
    parser.add_argument(
        "--word-counts",
        action="store_true",
        help="the files are lists of lines such as `low 5`, tables of word,count as CSV or Parquet, or folders of the "
        "latter, used as they are; several are added up (default: no)",
    )


def read_texts(arguments: argparse.Namespace, console: Console, command: str) -> Corpus:
    """Raises UsageError for what does not go together, CorpusError for files, and BpeError for standard input."""
    files: list[str] = arguments.files
    if STDIN in files and (len(files) > 1 or arguments.word_counts or arguments.encoding):
        raise UsageError("Standard input (-) is UTF-8 text and the only one: no other files with it.", command)
    if arguments.word_counts and arguments.encoding:
        raise UsageError("A list of word counts is always UTF-8: --encoding is for texts.", command)
    if STDIN in files:
        return Corpus.typed(read_stdin(), "standard input")
    paths = [Path(file) for file in files]
    work = read_word_lists(paths) if arguments.word_counts else read_corpora(paths, arguments.encoding)
    return console.follow(work, "reading", "B")


def read_word_lists(paths: Sequence[Path]) -> Generator[Progress, None, Corpus]:
    """Lists of word counts added up, each word at the place where it came first. Raises CorpusError."""
    lists = list[Corpus]()
    for path in paths:
        lists.append((yield from read_word_counts(path)))
    if len(lists) == 1:
        return lists[0]
    name = f"{len(lists)} lists of word counts"
    builder = PackedWordsBuilder(name)
    for part in lists:
        builder.add_words(part.given_counts or {})
    words, digest, size = builder.build(), hashlib.sha256(), sum(part.byte_count for part in lists)
    for file in (file for path in paths for file in table_files(path)):
        yield from hashed(file, digest, size)
    return replace(
        lists[0],
        text=shown_words(words),
        name=name,
        paths=tuple(paths),
        byte_count=size,
        sha256=digest.hexdigest(),
        notes=tuple(f"{part.name}: {note}" for part in lists for note in part.notes),
        given_counts=words,
    )


def counted_words(corpus: Corpus, pipeline: Pipeline, console: Console) -> WordCounts:
    """The words of a text; what is odd about it is said. Raises PatternError as count_words does."""
    if corpus.detected_by is DetectedBy.GUESSED:
        _note_guess(corpus, console)
    for note in corpus.notes:
        console.note(note)
    for path in corpus.paths if corpus.given_counts is not None else ():
        if (said := counted_with(path)) and (problem := counting_problem(said, pipeline)):
            console.note(problem, "warning")
    words = console.follow(corpus_words_counted(corpus, pipeline), "counting words", "B" if corpus.is_partial else "")
    if words.read and (known := corpus.when_read(words.read)).detected_by is not corpus.detected_by:
        _note_guess(known, console)
    for note in words.notes:
        console.note(note)
    if not words.counts:
        console.note("there is no word in the text.", "warning")
    if words.unmatched:
        samples = ", ".join(repr(text) for _, text in words.unmatched_samples)
        console.note(f"the pattern leaves out {words.unmatched:,} characters, such as {samples}.", "warning")
    return words


def _note_guess(corpus: Corpus, console: Console) -> None:
    console.note(f"{corpus.name} seems to be in {corpus.encoding.upper()}; --encoding says otherwise.")
