"""`bpe what-if`: the first merge at which two tie rules or scores part, and why."""

import argparse
from dataclasses import replace

from core.cli.chosen_options import options_of
from core.cli.console import Console
from core.cli.parser import Command, UsageError, choice, listed
from core.cli.texts import add_text_arguments, counted_words, read_texts
from core.cli.training_options import add_training_options
from core.compare_rules import describe, first_difference
from core.trainer_config import Score, TieBreak, TrainerConfig, build_alphabet

RULES: tuple[TieBreak | Score, ...] = (*TieBreak, *Score)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text_arguments(parser)
    parser.add_argument(
        "--against",
        required=True,
        type=choice(RULES),
        metavar="RULE",
        help=f"what to compare with: {listed(RULES)}",
    )
    add_training_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    options = options_of(arguments, "what-if")
    config = options.config()
    other = _with_rule(config, arguments.against)
    if other == config:
        raise UsageError(f"--against {arguments.against}: that is the rule itself; choose another one.", "what-if")
    pipeline = options.pipeline()
    words = counted_words(read_texts(arguments, console, "what-if"), pipeline, console)
    alphabet = build_alphabet(words.counts, config)
    result = console.follow(first_difference(words.counts, config, other, alphabet), "training twice")
    console.write(describe(result) + "\n")


def _with_rule(config: TrainerConfig, rule: TieBreak | Score) -> TrainerConfig:
    return replace(config, score=rule) if isinstance(rule, Score) else replace(config, tie_break=rule)


COMMAND = Command(
    "what-if",
    "FILE ... --against RULE [OPTION ...]",
    "the first merge at which two tie rules part, and why",
    "Train twice, once by the rules of the options and once by another one, until they take different pairs, and say "
    "what each of them takes and why.",
    """\
  bpe what-if book.txt --tie-break ids --against first-seen
  bpe what-if book.txt --preset textbook --against lexicographic
  bpe what-if book.txt --preset wordpiece --against frequency
""",
    add_arguments,
    run,
    many="files",
)
