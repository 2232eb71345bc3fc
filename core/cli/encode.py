"""`bpe encode`: texts as token ids, as tokens, or merge by merge."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import count, islice, repeat
from typing import NamedTuple

from core.alphabet import Token, Unknown, utf8
from core.bpe_text import SEPARATOR, BpeText
from core.byte_encoding import ids_of_bytes
from core.cli.bpe_text_options import add_bpe_text_options, check_bpe_text_options, vocabulary_of
from core.cli.console import Console, read_stdin
from core.cli.fast_loops import ensure_fast_loops
from core.cli.model_arguments import (
    add_encoding_options,
    add_model_argument,
    add_step_option,
    dropout_at,
    dropout_of,
    encoder_of,
    note_not_applied,
    open_at_step,
)
from core.cli.parser import Command, UsageError, choice, utf8_text
from core.cli.steps_table import phrase_lines
from core.encode_steps import Phrase, encode_phrase
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.merge import UNKNOWN
from core.recording import Recording
from core.side_by_side import comparison_title, side_by_side
from core.tokenizer import COMPILED_CHARS, EncodedToken, Tokenizer
from core.vocab import label, token_label

STDIN = "-"
LIKE_TRAINING = 8  # plain Python encodes a text in the time in which it trains on eight
BATCH_TOKENS = 10_000  # some tens of milliseconds of work


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_argument(parser)
    parser.add_argument(
        "texts",
        nargs="+",
        type=utf8_text,
        metavar="TEXT",
        help="each argument is a text; - alone is standard input, UTF-8, byte for byte",
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--ids", action="store_true", help="token ids with spaces between, a line for each text")
    forms.add_argument(
        "--tokens", action="store_true", help="tokens with spaces between, a line for each text (default)"
    )
    forms.add_argument("--steps", action="store_true", help="every word merge by merge")
    forms.add_argument(
        "--against",
        type=choice(Encoder),
        metavar="NAME",
        help="the words that another encoder cuts in another way than --encoder, and why (default: none)",
    )
    forms.add_argument(
        "--bpe-text",
        action="store_true",
        help=f"texts as subword-nmt writes them: a {SEPARATOR} behind each token that does not end its word",
    )
    add_bpe_text_options(parser)
    parser.add_argument(
        "--hex",
        action="store_true",
        help="every TEXT is bytes in hex, such as 'e4 b8 ff', which need not be UTF-8 (default: UTF-8 text)",
    )
    parser.add_argument(
        "--lines",
        action="store_true",
        help=r"every line of standard input is a text of its own, without its \n (default: all of it is one text)",
    )
    add_step_option(parser)
    add_encoding_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.lines and arguments.texts != [STDIN]:
        raise UsageError("--lines is for standard input: give - as the only TEXT.", "encode")
    if STDIN in arguments.texts and len(arguments.texts) > 1:
        raise UsageError("Standard input (-) is read alone: give no other TEXT with it.", "encode")
    check_bpe_text_options(arguments, "encode")
    data = _hex_bytes(arguments)
    model = open_at_step(arguments, console, "encode")
    recording, step, _ = model
    encoder = encoder_of(arguments, model)
    dropout = dropout_of(arguments, encoder, "encode")
    note_not_applied(recording, console)
    if data is not None:
        _write_bytes(data, Tokenizer(recording, step, encoder), arguments, console)
        return
    texts = _texts(arguments)
    ensure_fast_loops(console, LIKE_TRAINING * sum(map(len, texts)))
    if arguments.steps or arguments.against:
        _write_words(recording, step, texts, encoder, dropout, arguments, console)
        return
    tokenizers = _tokenizers(recording, step, encoder, dropout)
    if arguments.bpe_text:
        _write_bpe_text(zip(texts, tokenizers, strict=False), arguments, console)
        return
    left_out = _write_tokens(zip(texts, tokenizers, strict=False), sum(map(len, texts)), arguments, console)
    if left_out:
        which = "1 character is" if left_out == 1 else f"{left_out:,} characters are"
        fate = "left out" if arguments.ids else "shown, but without an id"
        console.note(f"{which} in no token: {fate}.", "warning")


def _hex_bytes(arguments: argparse.Namespace) -> list[bytes] | None:
    """What the texts spell in hex; None if they are texts. Raises UsageError where options do not go together."""
    if not arguments.hex:
        return None
    forms = {"--steps": arguments.steps, "--against": arguments.against, "--bpe-text": arguments.bpe_text}
    others = {**forms, "--dropout": arguments.dropout, "standard input (-)": STDIN in arguments.texts}
    for name, is_given in others.items():
        if is_given:
            raise UsageError(f"--hex does not go with {name}: it gives the ids or tokens of bytes.", "encode")
    try:
        return list(map(bytes.fromhex, arguments.texts))
    except ValueError:
        raise UsageError("--hex: expected two digits from 0 to f for each byte, such as e4b8ff.", "encode") from None


def _write_bytes(data: Iterable[bytes], tokenizer: Tokenizer, arguments: argparse.Namespace, console: Console) -> None:
    written = str if arguments.ids else partial(token_label, tokenizer.recording)
    for content in data:
        console.write(" ".join(map(written, ids_of_bytes(tokenizer, content, arguments.special))) + "\n")


def _write_bpe_text(jobs: Iterable[tuple[str, Tokenizer]], arguments: argparse.Namespace, console: Console) -> None:
    """Standard input gives exactly its lines; every other text a line end of its own."""
    vocabulary = vocabulary_of(arguments)
    has_ends = arguments.texts == [STDIN] and not arguments.lines
    writer: BpeText | None = None
    for text, tokenizer in jobs:
        if writer is None or writer.tokenizer is not tokenizer:
            writer = BpeText(tokenizer, arguments.separator or SEPARATOR, vocabulary, arguments.special)
        for line in writer.encoded(text):
            console.write(line)
        if not has_ends:
            console.write("\n")


def _tokenizers(recording: Recording, step: int, encoder: Encoder, dropout: Dropout | None) -> Iterator[Tokenizer]:
    """For one text after the other: dropout cuts each of them by another luck."""
    if dropout is None:
        return repeat(Tokenizer(recording, step, encoder))
    return (Tokenizer(recording, step, encoder, dropout_at(dropout, place)) for place in count())


class _Batch(NamedTuple):
    """Some tokens of a text as they are written, where they end in it, and how many of its characters are in none."""

    words: Iterable[str]
    end: int
    left_out: int = 0


def _write_tokens(
    jobs: Iterable[tuple[str, Tokenizer]], characters: int, arguments: argparse.Namespace, console: Console
) -> int:
    """A line for each text; returns how many characters have no id."""
    left_out = 0
    with console.bar("encoding", characters) as bar:
        for text, tokenizer in jobs:
            done, between = 0, ""
            for batch in _batches(text, tokenizer, arguments):
                left_out += batch.left_out
                if line := " ".join(batch.words):
                    console.write(between + line)
                    between = " "
                if bar is not None:
                    bar.update(batch.end - done)
                    done = batch.end
            console.write("\n")
            if bar is not None:
                bar.update(len(text) - done)
    return left_out


def _batches(text: str, tokenizer: Tokenizer, arguments: argparse.Namespace) -> Iterator[_Batch]:
    if len(text) >= COMPILED_CHARS and tokenizer.compiled and _can_use_slices(tokenizer, arguments.ids):
        written = str if arguments.ids else cache(partial(token_label, tokenizer.recording))
        for ids, end, left_out in tokenizer.id_slices(text, arguments.special):
            yield _Batch(map(written, ids.tolist()), end, left_out)
        return
    tokens = tokenizer.tokens(text, arguments.special)
    while batch := list(islice(tokens, BATCH_TOKENS)):
        left_out = sum(token.end - token.start for token in batch if token.token_id == UNKNOWN)
        words = _ids(batch) if arguments.ids else _labels(tokenizer.recording, batch, text)
        yield _Batch(words, batch[-1].end, left_out)


def _can_use_slices(tokenizer: Tokenizer, ids: bool) -> bool:
    """Of slices of ids no character is known; so those without an id can neither be shown, nor be counted where one
    symbol may stand for several of them."""
    is_one_each = (
        not tokenizer.recording.pipeline.normalizer and tokenizer.recording.alphabet.unknown is not Unknown.FUSE
    )
    return tokenizer.knows_everything or (ids and is_one_each)


def _texts(arguments: argparse.Namespace) -> Sequence[str]:
    if arguments.texts != [STDIN]:
        texts: list[str] = arguments.texts
        return texts
    text = read_stdin()
    if not arguments.lines:
        return [text]
    return text.removesuffix("\n").split("\n") if text else []


def _ids(tokens: Sequence[EncodedToken]) -> Iterator[str]:
    return (str(token.token_id) for token in tokens if token.token_id != UNKNOWN)


def _labels(recording: Recording, tokens: Sequence[EncodedToken], text: str) -> Iterator[str]:
    for token_id, start, end in tokens:
        yield label(Token(utf8(text[start:end])), "") if token_id == UNKNOWN else token_label(recording, token_id)


def _write_words(
    recording: Recording,
    step: int,
    texts: Sequence[str],
    encoder: Encoder,
    dropout: Dropout | None,
    arguments: argparse.Namespace,
    console: Console,
) -> None:
    """Word by word, with an empty line between two texts."""
    for place, text in enumerate(texts):
        luck = dropout_at(dropout, place) if dropout else None
        phrase = encode_phrase(recording, text, step, encoder, luck, arguments.special)
        if phrase.characters_left_out:
            console.note(f"{phrase.characters_left_out:,} more characters are not shown word by word.", "warning")
        lines = phrase_lines(phrase)
        if arguments.against:
            lines = _differences(
                phrase, encode_phrase(recording, text, step, arguments.against, None, arguments.special)
            )
        console.write_lines(["", *lines] if place else lines)


def _differences(phrase: Phrase, other: Phrase) -> Iterator[str]:
    pairs = side_by_side(phrase, other)
    for pair in pairs:
        if pair.difference:
            yield f"{label(Token(utf8(pair.first.word)), '')}: {pair.difference.message}"
    yield comparison_title(pairs)


COMMAND = Command(
    "encode",
    "MODEL TEXT ... [--ids | --tokens | --steps | --bpe-text] [OPTION ...]",
    "texts as token ids, as tokens, or merge by merge",
    "Write the tokens of texts. What is shown of a token is its text, with ␣ for a space, ⏎ for a line end, and bytes "
    "that are no text of their own in hex between ⟨ and ⟩; ids are exact.",
    """\
  bpe encode book-tokenizer "low lower" newest
  bpe encode book-tokenizer "low lower" --ids
  bpe encode book-tokenizer "low lower" --steps
  bpe encode book.tiktoken - --ids < book.txt > book.ids
  bpe encode ranks.tiktoken "Hello" --ids --pattern cl100k --special-token "<|endoftext|>=100257"
  bpe encode book-tokenizer - --lines --ids < sentences.txt > sentences.ids
  bpe encode book-tokenizer "low lower" --against longest-match
  bpe encode book-tokenizer "low lower" --dropout 0.1 --seed 7
  bpe encode cl100k_base.tiktoken "f0 9f 98" --hex --ids
  bpe encode bpe.codes - --bpe-text < sentences.txt > sentences.bpe
  bpe encode book-tokenizer -- "--a text that begins with a hyphen"
""",
    add_arguments,
    run,
    many="texts",
)
