"""Options of commands that write or read texts with a mark behind each token that does not end its word."""

import argparse
from collections.abc import Collection

from core.bpe_text import SEPARATOR
from core.cli.parser import UsageError, path_of, utf8_text, whole_number, with_default
from core.formats.subword_nmt_vocab import read_vocabulary


def add_separator_option(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--separator", type=utf8_text, metavar="MARK", help=with_default("the mark of --bpe-text", SEPARATOR)
    )


def add_bpe_text_options(parser: argparse._ActionsContainer) -> None:
    add_separator_option(parser)
    parser.add_argument(
        "--vocabulary",
        type=path_of,
        metavar="FILE",
        help="for --bpe-text, tokens and their counts as subword-nmt's get-vocab writes them: other tokens fall into "
        "the parts they were merged from (default: none)",
    )
    parser.add_argument(
        "--vocabulary-threshold",
        type=whole_number(),
        metavar="N",
        help="take only tokens of the --vocabulary that occur so often (default: all of them)",
    )


def check_bpe_text_options(arguments: argparse.Namespace, command: str) -> None:
    """Raises UsageError for options that go with --bpe-text and stand without it."""
    for name in ("separator", "vocabulary", "vocabulary_threshold"):
        if getattr(arguments, name, None) is not None and not arguments.bpe_text:
            raise UsageError(f"--{name.replace('_', '-')} goes with --bpe-text, which is not given.", command)
    if arguments.separator == "":
        raise UsageError("--separator must not be empty.", command)
    if getattr(arguments, "vocabulary_threshold", None) is not None and arguments.vocabulary is None:
        raise UsageError("--vocabulary-threshold is about the --vocabulary, which is not given.", command)


def vocabulary_of(arguments: argparse.Namespace) -> Collection[str] | None:
    """What --vocabulary lists; None without it. Raises FormatError with the line of what is no entry."""
    if arguments.vocabulary is None:
        return None
    rarest = arguments.vocabulary_threshold or 0
    return {token for token, count in read_vocabulary(arguments.vocabulary).items() if count >= rarest}
