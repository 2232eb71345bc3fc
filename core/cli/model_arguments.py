"""Arguments that commands with a model have in common: the model, how many of its merges count, how it encodes."""

import argparse
from dataclasses import replace
from typing import NamedTuple

from core.cli.console import Console
from core.cli.parser import UsageError, choice, decimal, listed, path_of, utf8_text, whole_number, with_default
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.errors import ConfigError, PatternError, PatternWantedError
from core.formats import Format
from core.formats.base import ReadOptions
from core.formats.base import listed as sentence_of
from core.formats.opening import READABLE, OpenedModel, opening
from core.formats.patterns import without_intersections
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer, named
from core.recording import Recording
from core.tokenizer import Specials, check_dropout

SEEDS_APART = 1_000_003
"""Between two texts, so that neighbouring seeds share no luck."""
MAX_ID_DIGITS = 9


def add_model_argument(parser: argparse.ArgumentParser, name: str = "MODEL") -> None:
    parser.add_argument("model", type=path_of, metavar=name, help=f"the file or the folder of a tokenizer. {READABLE}")
    group = parser.add_argument_group("what the file of the model does not say itself")
    group.add_argument(
        "--pattern",
        type=_pre_tokenizer,
        metavar="NAME|REGEX",
        help=f"how texts are cut into words: {listed(PRE_TOKENIZERS)}, or a regular expression that matches a word "
        "(default: what the file says, or what is known of a vocabulary such as cl100k_base)",
    )
    group.add_argument(
        "--special-token",
        action="append",
        type=_special_token,
        metavar="TEXT=ID",
        help="a special token; may be given several times (default: what the file says, or what is known)",
    )


def _pre_tokenizer(text: str) -> PreTokenizer:
    try:
        return PRE_TOKENIZERS.get(text.replace("-", "_")) or named("custom", without_intersections(utf8_text(text)))
    except PatternError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None


def _special_token(text: str) -> tuple[str, int]:
    token, equals, number = utf8_text(text).rpartition("=")
    if not token or not equals or not (number.isascii() and number.isdigit()) or len(number) > MAX_ID_DIGITS:
        raise argparse.ArgumentTypeError(f"expected a text, = and an id, such as '<|endoftext|>=50256', got {text!r}")
    return token, int(number)


def add_step_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--step", type=whole_number(), metavar="K", help="use the first K merges only (default: all of them)"
    )


class OpenModel(NamedTuple):
    """A model, how many of its merges count, and the format it was read from."""

    recording: Recording
    step: int
    format: Format


def opened(arguments: argparse.Namespace, console: Console, command: str) -> OpenedModel:
    """Raises FormatError, and UsageError where only the command line can say how texts are cut."""
    specials: list[tuple[str, int]] | None = arguments.special_token
    options = ReadOptions(arguments.pattern, dict(specials) if specials else None)
    try:
        found = console.follow(opening(arguments.model, options), "reading")
    except PatternWantedError as error:
        raise UsageError(
            f"{error} Here that is --pattern: {listed(PRE_TOKENIZERS)}, or a regular expression.", command
        ) from None
    for option, part, what in _SAID_BY_FILES:
        if getattr(options, part) is not None and part not in found.format.follows:
            console.note(f"{option} is not used: {arguments.model.name} itself says {what}.", "warning")
    return found


_SAID_BY_FILES = (
    ("--pattern", "pre_tokenizer", "how texts are cut"),
    ("--special-token", "special_tokens", "which special tokens there are"),
)


def open_at_step(arguments: argparse.Namespace, console: Console, command: str) -> OpenModel:
    """Raises FormatError, and UsageError for more merges than there are."""
    recording, format = opened(arguments, console, command)
    step: int | None = arguments.step
    if step is not None and step > len(recording):
        raise UsageError(f"--step {step:,}: the model has {len(recording):,} merges.", command)
    return OpenModel(recording, len(recording) if step is None else step, format)


def note_not_applied(recording: Recording, console: Console) -> None:
    """Say which parts of an imported file do something that is not done here."""
    if recording.imported and recording.imported.not_applied:
        console.note(f"{recording.imported.file}: not applied here: {sentence_of(recording.imported.not_applied)}.")


def add_encoding_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how it encodes")
    group.add_argument(
        "--special",
        type=choice(Specials),
        default=Specials.MATCH,
        metavar="HOW",
        help=with_default(
            "a special token's text in a text is that token (match), text like any other (as-text) or an error "
            "(refuse)",
            Specials.MATCH,
        ),
    )
    group.add_argument(
        "--encoder",
        type=choice(Encoder),
        metavar="NAME",
        help=f"{listed(Encoder)}; they differ on models that were not trained (default: that of the tools which the "
        "model is for, see bpe show)",
    )
    group.add_argument(
        "--dropout",
        type=decimal(0, 1),
        metavar="P",
        help="leave every merge out with this probability, anew for each word and text (default: 0)",
    )
    group.add_argument(
        "--seed", type=whole_number(), metavar="N", help="the same seed leaves out the same merges (default: 0)"
    )


def encoder_of(arguments: argparse.Namespace, model: OpenModel) -> Encoder:
    """The one that is named, or that of the tools which the model's format is for."""
    named: Encoder | None = arguments.encoder
    return named or model.format.encoder(model.recording)


def dropout_of(arguments: argparse.Namespace, encoder: Encoder, command: str) -> Dropout | None:
    """Raises UsageError where the options do not go together."""
    if arguments.dropout is None:
        if arguments.seed is not None:
            raise UsageError("--seed is the luck of --dropout, which is not given.", command)
        return None
    dropout = Dropout(arguments.dropout, arguments.seed or 0)
    try:
        check_dropout(encoder, dropout)
    except ConfigError as error:
        raise UsageError(f"--dropout: {error}", command) from None
    return dropout


def dropout_at(dropout: Dropout, place: int) -> Dropout:
    """That of the text with so many others before it; the first one has the seed itself."""
    return replace(dropout, seed=dropout.seed + place * SEEDS_APART)
