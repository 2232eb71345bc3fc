"""`bpe train`: learn merges from texts and write the tokenizer."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.alphabet import Alphabet, Base
from core.alphabet_facts import dropped_line, room_problem
from core.branching import Beginning, continuation, fresh
from core.cli.chosen_options import changed, given_fields, options_of
from core.cli.console import Console
from core.cli.fast_loops import ensure_fast_loops
from core.cli.given_merges import add_plan_options, with_pairs
from core.cli.outputs import (
    Output,
    add_format_option,
    check_apart,
    check_file,
    check_format,
    check_model_stays,
    check_place,
    files_of,
    formats_help,
    outputs_of,
    real,
    save,
)
from core.cli.parser import Command, UsageError, path_of
from core.cli.texts import add_text_arguments, counted_words, read_texts
from core.cli.training_options import FLAGS, add_training_options
from core.corpus import Corpus
from core.errors import FormatError
from core.formats.json_lines import text_of
from core.formats.opening import open_model
from core.formats.timeline import row
from core.merge import Merge
from core.options import Options
from core.parquet_words import check_pyarrow
from core.pipeline import Pipeline, WordCounts
from core.recording import Recording
from core.trainer import StopReason, TrainerConfig, build_alphabet
from core.trainers import AnyTrainer, trainer_for
from core.word_counts import write_word_counts

CONTINUED_FIELDS = (
    *("merges", "vocab_size", "min_frequency", "longest_token", "stop_token", "texts", "specials_in_text"),
    *("complete_alphabet", "coverage", "alphabet_limit", "initial_characters", "score", "tie_break"),
    *("word_memory_mb", "beyond_memory", "min_word_count"),
)
"""What can be chosen anew when training goes on from a model; all else is the model's."""
LEARNED_FIELDS = (
    *("min_frequency", "longest_token", "score", "tie_break"),
    *("complete_alphabet", "coverage", "alphabet_limit", "initial_characters"),
)


@dataclass(frozen=True)
class Job:
    """What is known before a text is read; `model` is what training goes on from."""

    config: TrainerConfig
    pipeline: Pipeline
    outputs: Sequence[Output]
    model: Recording | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text_arguments(parser)
    group = parser.add_argument_group("where to write")
    group.add_argument(
        "--out",
        action="append",
        type=path_of,
        metavar="PATH",
        help="the file or folder to save in, which replaces what is there; may be given several times",
    )
    add_format_option(group)
    group.add_argument("--json-lines", action="store_true", help=JSON_LINES_HELP)
    group.add_argument(
        "--write-word-counts",
        type=path_of,
        metavar="PATH",
        help="save the words and how often each occurs: as lines, or by its ending as .csv or .parquet (default: no)",
    )
    add_training_options(parser)
    add_plan_options(parser)


JSON_LINES_HELP = (
    "write every merge to standard output as soon as it is made, as a JSON object on a line of its own; a reader that "
    "goes away ends the lines and not the training (default: no)"
)


def run(arguments: argparse.Namespace, console: Console) -> None:
    job = _job(arguments)
    if arguments.json_lines and console.is_terminal:
        console.hide_bars()  # lines and a bar on the same terminal spoil each other
    if "merges" not in (given := given_fields(arguments)) and "vocab_size" not in given:
        console.note("neither --merges nor --vocab-size is given: training goes on until no pair is left.")
    corpus = read_texts(arguments, console, "train")
    ensure_fast_loops(console, corpus.byte_count)
    words = counted_words(corpus, job.pipeline, console)
    corpus = corpus.when_read(words.read) if words.read else corpus
    if arguments.write_word_counts:
        write_word_counts(arguments.write_word_counts, words.counts)
        console.say(f"written: {arguments.write_word_counts}")
    beginning = with_pairs(_beginning(job, words), arguments.force, arguments.forbid)
    _check_room(beginning)
    recording = _train(beginning, words, job, corpus, console, arguments.json_lines)
    console.say(_summary(recording))
    for output in job.outputs:
        save(output, recording, len(recording), console)


def _job(arguments: argparse.Namespace) -> Job:
    """Raises UsageError or FormatError for all that can be known to be wrong by now."""
    if not (arguments.out or arguments.json_lines or arguments.write_word_counts):
        raise UsageError("--out PATH is missing: where to save the tokenizer.", "train")
    if arguments.format and not arguments.out:
        raise UsageError("--format is the format of an --out, and there is none.", "train")
    outputs = outputs_of(arguments.out or [], arguments.format, "train")
    for output in outputs:
        check_place(output)
    if arguments.write_word_counts:
        check_file(arguments.write_word_counts)
        if arguments.write_word_counts.suffix.lower() == ".parquet":
            check_pyarrow(arguments.write_word_counts.name, FormatError)
    _check_apart(arguments, outputs)
    job = _continued(arguments, outputs) if arguments.model else _fresh(arguments, outputs)
    known = _before_training(job) if job.model is None else job.model
    if known is not None:
        _check_size(job.config, known.alphabet)
        for output in outputs:
            if output.format.read:  # a report may need the text
                check_format(output, known, len(known))
    return job


def _check_apart(arguments: argparse.Namespace, outputs: Sequence[Output]) -> None:
    words = [real(arguments.write_word_counts)] if arguments.write_word_counts else []
    written = [file for output in outputs for file in files_of(output.format, output.path)]
    given = {real(Path(file)) for file in arguments.files}
    in_folders = {path for path in written + words if path.is_file() and not given.isdisjoint(path.parents)}
    check_apart(written + words, given | in_folders, "train")
    if arguments.model:
        check_model_stays(outputs, arguments.model, "train")


def _fresh(arguments: argparse.Namespace, outputs: Sequence[Output]) -> Job:
    options = options_of(arguments, "train")
    return Job(options.config(), options.pipeline(), outputs)


def _continued(arguments: argparse.Namespace, outputs: Sequence[Output]) -> Job:
    given = given_fields(arguments)
    if arguments.preset is not None:
        raise UsageError("--preset: with --continue these choices are the model's.", "train")
    for field in given:
        if field not in CONTINUED_FIELDS:
            raise UsageError(f"{FLAGS[field]}: with --continue this is the model's.", "train")
    model = open_model(arguments.model).recording
    options = changed(_options_like(model), given, "train")
    config = options.config()
    model.config = replace(
        model.config, **{field: getattr(config, field) for field in LEARNED_FIELDS if field in given}
    )
    cut = options.pipeline()
    pipeline = replace(
        model.pipeline,
        texts=cut.texts,
        special_tokens=cut.special_tokens,
        specials=cut.specials,
        limits=cut.limits,
    )
    return Job(config, pipeline, outputs, model)


def _options_like(model: Recording) -> Options:
    """As far as they decide which other choices count."""
    config = model.config
    return Options(
        base=model.alphabet.base,
        marker=model.alphabet.marker,
        special_tokens=tuple(model.alphabet.special_ids),
        unknown=model.alphabet.unknown,
        unknown_token=config.unknown_token,
        score=config.score,
    )


def _before_training(job: Job) -> Recording | None:
    """The tokenizer before its first merge, where no text is needed for it."""
    if job.config.base is not Base.BYTES:
        return None
    return Recording(build_alphabet({}, job.config), job.config, job.pipeline)


def _beginning(job: Job, words: WordCounts) -> Beginning:
    if job.model is None:
        return fresh(words.counts, job.config)
    return continuation(job.model, len(job.model), words.counts, job.config)


def _check_room(beginning: Beginning) -> None:
    """Raises UsageError where the size asked for is there before the first merge is chosen."""
    _check_size(beginning.config, beginning.alphabet)
    limit, given = beginning.config.merge_limit(len(beginning.alphabet.tokens)), len(beginning.plan.given)
    if limit is not None and limit < given:
        flag = "--merges" if beginning.config.merges is not None else "--vocab-size"
        raise UsageError(
            f"{flag} asks for {limit:,} merges, and {given:,} are there already; it counts them too.",
            "train",
        )


def _check_size(config: TrainerConfig, alphabet: Alphabet) -> None:
    if problem := room_problem(config.vocab_size, alphabet):
        raise UsageError(f"--vocab-size: {problem}", "train")


def _train(
    beginning: Beginning, words: WordCounts, job: Job, corpus: Corpus, console: Console, as_json: bool
) -> Recording:
    if line := dropped_line(beginning.alphabet):
        console.note(line, "warning")
    trainer = trainer_for(words.counts, beginning.config, beginning.alphabet, beginning.plan)
    console.follow(trainer.count_pairs(), "counting pairs")
    recording = Recording.of(trainer, beginning.config, job.pipeline, corpus)
    beginning.hand_on(recording)
    for output in job.outputs:
        check_format(output, recording, 0)
    recording.stop_reason = _merge(trainer, recording, console, as_json)
    return recording


def _merge(trainer: AnyTrainer, recording: Recording, console: Console, as_json: bool) -> StopReason:
    merges = trainer.merges()
    with console.bar("merging", recording.merges_wanted) as bar:
        while True:
            try:
                merge = next(merges)
            except StopIteration as stop:
                reason: StopReason = stop.value
                return reason
            recording.append(merge)
            if as_json:
                as_json = _tell(merge, recording, console)
            if bar is not None:
                bar.update()


def _tell(merge: Merge, recording: Recording, console: Console) -> bool:
    """Whether somebody still listens."""
    try:
        console.write(text_of(row(recording, merge)) + "\n")
        console.flush()
    except BrokenPipeError:
        console.abandon_output()
        return False
    return True


def _summary(recording: Recording) -> str:
    merges, size = len(recording), recording.vocab_size(len(recording))
    return (
        f"{merges:,} {'merge' if merges == 1 else 'merges'}, a vocabulary of {size:,} tokens; training ended because "
        f"{recording.stop_reason}."
    )


COMMAND = Command(
    "train",
    "FILE|FOLDER ... --out PATH [OPTION ...]",
    "learn merges from texts and save the tokenizer",
    "Learn merges from texts and save the tokenizer. With neither --merges nor --vocab-size training goes on until no "
    "pair is left.",
    """\
  bpe train book.txt --vocab-size 8000 --out book-tokenizer
  bpe train *.txt --merges 500 --base characters --pre-tokenizer whitespace --marker '</w>' --out tok
  bpe train book.txt --preset gpt4 --vocab-size 32000 --special '<|endoftext|>' --out book.tiktoken
  bpe train words.parquet --word-counts --vocab-size 8000 --out tok
  bpe train words.tsv --word-counts --preset subword-nmt --merges 10000 --out tok --out merges.csv
  bpe train book.txt --merges 100 --json-lines
  bpe train more.txt --continue book-tokenizer --vocab-size 16000 --out longer
  bpe train crawl/ dump.txt.zst --vocab-size 64000 --memory-limit 2000 --out large

"""
    + formats_help(),
    add_arguments,
    run,
    many="files",
)
