"""Arguments that commands with a model have in common: the model, how many of its merges count, how it encodes."""

import argparse
from dataclasses import replace
from typing import NamedTuple

from core.cli.parser import UsageError, choice, decimal, listed, path_of, whole_number, with_default
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.errors import ConfigError
from core.formats import Format
from core.formats.opening import READABLE, open_model
from core.recording import Recording
from core.tokenizer import Specials, check_dropout

SEEDS_APART = 1_000_003
"""Between two texts, so that neighbouring seeds share no luck."""


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=path_of, metavar="MODEL", help=READABLE)


def add_step_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--step", type=whole_number(), metavar="K", help="use the first K merges only (default: all of them)"
    )


class OpenModel(NamedTuple):
    """A model, how many of its merges count, and the format it was read from."""

    recording: Recording
    step: int
    format: Format


def open_at_step(arguments: argparse.Namespace, command: str) -> OpenModel:
    """Raises FormatError, and UsageError for more merges than there are."""
    recording, format = open_model(arguments.model)
    step: int | None = arguments.step
    if step is not None and step > len(recording):
        raise UsageError(f"--step {step:,}: the model has {len(recording):,} merges.", command)
    return OpenModel(recording, len(recording) if step is None else step, format)


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
        help=f"{listed(Encoder)}; they differ on models that were not trained (default: merge-rank, and longest-match "
        "for a WordPiece model)",
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
