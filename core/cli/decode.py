"""`bpe decode`: token ids as text."""

import argparse
import re
from collections.abc import Iterable, Iterator

from core.bpe_text import SEPARATOR, decoded
from core.cli.bpe_text_options import add_separator_option, check_bpe_text_options
from core.cli.console import Console, read_stdin
from core.cli.model_arguments import add_model_argument, opened
from core.cli.parser import Command, UsageError, utf8_text
from core.errors import BpeError
from core.tokenizer import Tokenizer

STDIN = "-"
_BETWEEN_IDS = re.compile(r"[\s,\[\]]+")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_argument(parser)
    parser.add_argument(
        "ids",
        nargs="+",
        type=utf8_text,
        metavar="ID",
        help="token ids, with spaces or commas between; - alone is standard input",
    )
    parser.add_argument(
        "--bpe-text",
        action="store_true",
        help=f"no ids but texts as subword-nmt writes them, whose marks ({SEPARATOR}) are taken out",
    )
    add_separator_option(parser)
    parser.add_argument(
        "--lines",
        action="store_true",
        help=r"every line of standard input is a text of its own and gives a line (default: all ids are one text)",
    )


def run(arguments: argparse.Namespace, console: Console) -> None:
    is_stdin = arguments.ids == [STDIN]
    if arguments.lines and not is_stdin:
        raise UsageError("--lines is for standard input: give - as the only ID.", "decode")
    if STDIN in arguments.ids and not is_stdin:
        raise UsageError("Standard input (-) is read alone: give no other ID with it.", "decode")
    check_bpe_text_options(arguments, "decode")
    tokenizer = Tokenizer(opened(arguments, console, "decode").recording)
    if arguments.bpe_text:
        _write_without_marks(arguments, console)
        return
    if arguments.lines:
        text = read_stdin()
        for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
            console.write(tokenizer.decode(_ids([line], f"line {number:,}: ")) + "\n")
        return
    console.write(tokenizer.decode(_ids([read_stdin()] if is_stdin else arguments.ids)))
    if not is_stdin and console.is_terminal:
        console.write("\n")


def _write_without_marks(arguments: argparse.Namespace, console: Console) -> None:
    """Of standard input exactly its lines; every other text has a line of its own."""
    separator = arguments.separator or SEPARATOR
    if arguments.ids == [STDIN]:
        console.write(decoded(read_stdin(), separator))
        return
    console.write_lines([decoded(text, separator) for text in arguments.ids])


def _ids(texts: Iterable[str], where: str = "") -> Iterator[int]:
    """Also of a list as programs print it: `[464, 290]`."""
    number = 0
    for text in texts:
        for word in filter(None, _BETWEEN_IDS.split(text)):
            number += 1
            if not (word.isascii() and word.isdigit()) or len(word) > 18:
                raise BpeError(f"{where}Token id number {number:,} is {word[:40]!r}; expected was a whole number.")
            yield int(word)


COMMAND = Command(
    "decode",
    "MODEL ID ... [--lines | --bpe-text]",
    "token ids as text",
    "Write the text of token ids, and nothing else: no line end is added, unless the ids are arguments and the result "
    "is shown on a terminal. `bpe encode MODEL - --ids | bpe decode MODEL -` gives the text back byte for byte where "
    "the model loses nothing, which `bpe show MODEL` tells.",
    """\
  bpe decode book-tokenizer 464 290 11
  bpe decode book-tokenizer "[464, 290, 11]"
  bpe decode book.tiktoken - < book.ids > book.txt
  bpe decode book-tokenizer - --lines < sentences.ids
  bpe decode bpe.codes - --bpe-text < sentences.bpe
""",
    add_arguments,
    run,
    many="ids",
)
