"""`bpe convert`: from one format to another."""

import argparse

from core.cli.console import Console
from core.cli.model_arguments import add_model_argument, add_step_option, open_at_step
from core.cli.outputs import (
    add_format_option,
    check_model_stays,
    check_place,
    formats_help,
    outputs_of,
    save,
)
from core.cli.parser import Command, path_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_argument(parser, "IN")
    parser.add_argument(
        "out", type=path_of, metavar="OUT", help="the file or folder to save in, which replaces what is there"
    )
    add_format_option(parser)
    add_step_option(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    (output,) = outputs_of([arguments.out], arguments.format, "convert")
    check_place(output)
    check_model_stays([output], arguments.model, "convert")
    recording, step, _ = open_at_step(arguments, console, "convert")
    save(output, recording, step, console)


COMMAND = Command(
    "convert",
    "IN OUT [--format NAME] [--step K] [--pattern NAME|REGEX] [--special-token TEXT=ID]",
    "save a tokenizer in another format",
    "Read a tokenizer and save it in another format. What the format cannot keep is said on standard error; what was "
    "written is read back and compared.",
    """\
  bpe convert book-tokenizer book.tiktoken
  bpe convert book.tiktoken gpt2-folder --format gpt2
  bpe convert book-tokenizer first-500 --step 500
  bpe convert cl100k_base.tiktoken cl100k
  bpe convert ranks.tiktoken mine --pattern o200k --special-token "<|endoftext|>=199999"

"""
    + formats_help(),
    add_arguments,
    run,
)
