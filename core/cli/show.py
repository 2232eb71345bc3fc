"""`bpe show`: what a tokenizer is made of."""

import argparse
from collections.abc import Iterable, Iterator
from typing import Any

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker, Token
from core.cli.console import Console
from core.cli.model_arguments import add_model_argument, add_step_option, open_at_step
from core.cli.parser import Command
from core.encoding_rules import Encoder
from core.formats import Format
from core.formats.json_lines import text_of
from core.merge_table import tsv
from core.pre_tokenizer import DIGITS_TITLES, Digits, PreTokenizer
from core.progress import without_progress
from core.recording import Recording
from core.round_trip import recording_losses
from core.vocab import facts, label, merge_text

MERGES_SHOWN = 5
SPECIALS_SHOWN = 20
CHARSMAP_SHOWN = 12
VOCAB_COLUMNS = ("id", "token", "hex", "kind", "rank", "left_id", "right_id", "ends_word", "continues")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_argument(parser)
    lists = parser.add_mutually_exclusive_group()
    lists.add_argument("--merges", action="store_true", help="all merges, with tabs between (default: a summary)")
    lists.add_argument("--vocab", action="store_true", help="all tokens by id, with tabs between (default: a summary)")
    add_step_option(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    recording, step, format = open_at_step(arguments, console, "show")
    if arguments.merges:
        console.write(without_progress(tsv(recording, range(step))))
    elif arguments.vocab:
        console.write_lines(vocab_lines(recording, step))
    else:
        origin = _origin(recording, format)
        console.write_lines(_aligned([*origin, *_scheme(recording, step), *_ends(recording, step)]))


def vocab_lines(recording: Recording, step: int) -> Iterator[str]:
    """A line for each token by id; hex and ids are exact, labels for the eye."""
    yield "\t".join(VOCAB_COLUMNS)
    for token_id, token in sorted(recording.tokens_at(step), key=lambda item: item[0]):
        known, parts = facts(recording, token_id, step), recording.parts_of(token_id)
        rank, left, right = ("", "", "") if parts is None else (known.rank, *parts)
        flags = int(token.ends_word), int(token.continues)
        cells = (token_id, known.label, token.content.hex(), known.kind, rank, left, right, *flags)
        yield "\t".join(map(str, cells))


def _origin(recording: Recording, format: Format) -> Iterator[tuple[str, str]]:
    """The format and, of a file of other tools, what is unusual about it."""
    yield "format", format.title
    if recording.imported:
        yield from _listed_rows("imported", recording.imported.facts)
        yield from _listed_rows("not applied", recording.imported.not_applied)
    encoder = format.encoder(recording)
    pieces = ", after words that are a token as they stand" if recording.rules.whole_pieces else ""
    if encoder is not Encoder.MERGE_RANK or pieces:
        yield "encoder", f"{encoder}{pieces}"


def _listed_rows(title: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for place, line in enumerate(lines):
        yield "" if place else title, line


def _scheme(recording: Recording, step: int) -> Iterator[tuple[str, str]]:
    alphabet, config, pipeline = recording.alphabet, recording.config, recording.pipeline
    specials = len(alphabet.special_ids)
    size, symbols = recording.vocab_size(step), len(alphabet.tokens) - specials
    orphans = sum(first_step <= step for first_step in recording.orphans.values())
    parts = [_counted(specials, "special token"), _counted(symbols, "base symbol")]
    parts += [f"{_counted(orphans, 'token')} without a merge"] if orphans else []
    yield "vocabulary", f"{size:,} tokens: {', '.join(parts)}"
    yield "merges", f"{step:,}" if step == len(recording) else f"{step:,} of {len(recording):,}"
    yield "base", f"{alphabet.base}, ids by {config.byte_order}" if alphabet.base is Base.BYTES else str(alphabet.base)
    has_text = alphabet.marker not in (Marker.NONE, Marker.METASPACE)
    yield "marker", f"{alphabet.marker}, written {config.marker_text}" if has_text else str(alphabet.marker)
    yield "normalizer", ", ".join(map(_step, pipeline.normalizer.to_json())).replace('"', "") or "none"
    yield "pre-tokenizer", _cuts(pipeline.pre_tokenizer)
    yield "pattern", pipeline.pre_tokenizer.pattern
    if alphabet.base is Base.CHARACTERS:
        token = f" {config.unknown_token}" if config.unknown_token else ""
        yield "unknown", f"{alphabet.unknown}{token}"
    yield from _listed_rows("special", map(_added, recording.looked_for[:SPECIALS_SHOWN]))
    if len(recording.looked_for) > SPECIALS_SHOWN:
        yield "", f"and {len(recording.looked_for) - SPECIALS_SHOWN:,} more"
    losses = recording_losses(recording)
    yield "text comes back", "not always:" if losses else "always, byte for byte"
    for loss in losses:
        yield "", loss


def _added(token: AddedToken) -> str:
    """`0 <s>`, and what is unusual about how it is looked for."""
    flags = [name for name in ("single_word", "lstrip", "rstrip", "normalized") if getattr(token, name)]
    flags += [] if token.special else ["not special"]
    text = label(Token(token.content.encode(), special=True), "") if token.content else ""
    said = f" ({', '.join(flags)})" if flags else ""
    return f"{token.token_id} {text}{said}"


def _step(step: Any) -> str:
    """Without most of a table of characters, which has 320,000 letters."""
    if isinstance(step, dict) and len(charsmap := str(step.get("charsmap") or "")) > CHARSMAP_SHOWN:
        step = step | {"charsmap": charsmap[:CHARSMAP_SHOWN] + "…"}
    return text_of(step)


def _cuts(pre_tokenizer: PreTokenizer) -> str:
    parts = [pre_tokenizer.name]
    if pre_tokenizer.digits is not Digits.TOGETHER:
        parts.append(f"digits {DIGITS_TITLES[pre_tokenizer.digits].lower()}")
    if pre_tokenizer.punctuation:
        parts.append("punctuation apart")
    return ", ".join(parts)


def _ends(recording: Recording, step: int) -> Iterator[tuple[str, str]]:
    """The first merges and the last ones; all of them where they are few."""
    if step <= 2 * MERGES_SHOWN:
        yield from _merge_rows("all merges", recording, range(step))
        return
    yield from _merge_rows("first merges", recording, range(MERGES_SHOWN))
    yield from _merge_rows("last merges", recording, range(step - MERGES_SHOWN, step))


def _merge_rows(title: str, recording: Recording, ranks: Iterable[int]) -> Iterator[tuple[str, str]]:
    for place, rank in enumerate(ranks):
        merge = recording[rank]
        yield "" if place else title, f"rank {rank:,}: {merge_text(recording, merge)}, id {merge.token_id}"


def _aligned(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    rows = list(rows)
    width = max(len(title) for title, _ in rows)
    for title, text in rows:
        yield f"{title:{width}}  {text}".rstrip()


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


COMMAND = Command(
    "show",
    "MODEL [--merges | --vocab] [--step K]",
    "what a tokenizer is made of",
    "Show what a tokenizer is made of: its scheme, its sizes, whether decoding gives every text back, the first and "
    "the last merges. With --merges or --vocab list them all.",
    """\
  bpe show book-tokenizer
  bpe show book.tiktoken --merges | head
  bpe show book-tokenizer --vocab > vocab.tsv
""",
    add_arguments,
    run,
)
