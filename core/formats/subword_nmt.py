"""The codes of subword-nmt: a merge a line, `</w>` at the end of words (0.2) or as a symbol of its own (0.1).

Beside them may lie the vocabulary that its `get-vocab` makes; subword_nmt_vocab.py writes and reads it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from core.alphabet import MARKER_TEXT, Base, Marker, Token
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.formats.assembly import assembled
from core.formats.base import (
    COUNTS_ARE_LOST,
    Finding,
    Format,
    Kept,
    Lines,
    Reading,
    ReadOptions,
    Severity,
    loss,
    refusal,
    warning,
)
from core.formats.javascript import ONLY_TOKENIZER_JSON
from core.formats.merge_lines import VERSION_LINE, looked_at, read_merge_lines
from core.formats.spelling import Contents, Spelling
from core.formats.strict_json import read_text
from core.formats.subword_nmt_codes import LITERAL_MARKER, OWN_IDS, holds_marker, model_of
from core.formats.subword_nmt_vocab import ids_beside
from core.imported import Imported
from core.pre_tokenizer import PreTokenizer, custom
from core.recording import Recording
from core.trainer_config import Score
from core.vocab import label

HEADER = "#version: 0.2"
AT_SPACES = r"[^ \r\n]+"
"""How it cuts: at the space and at line ends, and at no other white space."""
_HEADER = re.compile(r"#version:.*")
_VERSION = re.compile(r"#version:.*\s([0-9]{1,9}(?:\.[0-9]{1,9})*)\s*")
_ENDING_ZEROS = re.compile(r"(\.0+)+$")
_BETWEEN = re.compile(rb"[ \r\n]")


def at_spaces() -> PreTokenizer:
    return custom(AT_SPACES)


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    tool = "subword-nmt"
    refused = list(word_end_refusals(recording, step, tool))
    yield from refused
    if refused:
        return
    if recording.alphabet.marker is Marker.SYMBOL and _first_left(recording).startswith(VERSION_LINE):
        yield refusal(f"The first merge begins with {VERSION_LINE!r}, which subword-nmt takes for a header.")
    if _first_left(recording).startswith("#"):
        yield Finding(Severity.WARNING, "OpenNMT, which reads these files too, skips first lines that begin with #.")
    yield from word_end_findings(recording, tool, AT_SPACES, "at the space and at line ends")
    yield from _order_findings(recording)


def word_end_refusals(recording: Recording, step: int, tool: str) -> Iterator[Finding]:
    """Why a list of merges with `</w>` cannot hold a tokenizer."""
    alphabet = recording.alphabet
    if alphabet.base is not Base.CHARACTERS:
        yield refusal(f"The symbols of {tool} are characters, not bytes. Train with characters.")
    elif alphabet.marker not in (Marker.SUFFIX, Marker.SYMBOL):
        yield refusal(f"{tool} marks the end of each word with {MARKER_TEXT}. Train with that marker.")
    elif not step:
        yield refusal(f"{tool} refuses a file without a merge. Choose a later step.")
    else:
        yield from _unwritable(recording, step, tool)


def _unwritable(recording: Recording, step: int, tool: str) -> Iterator[Finding]:
    contents = Contents.of(recording, step).joined
    marker, space = MARKER_TEXT.encode(), _BETWEEN.search(contents)
    if marker not in contents and not space:
        return
    for rank in range(step):
        token = recording.token(recording[rank].token_id)
        if marker in token.content:
            yield refusal(
                f"The token {label(Token(token.content))!r} holds the letters {MARKER_TEXT!r}, which also mark the end "
                f"of a word: {tool} could not tell them apart."
            )
            return
        if _BETWEEN.search(token.content):
            yield refusal(
                f"Tokens hold spaces or line ends, such as {label(token, MARKER_TEXT)!r}, and the file separates "
                "tokens by them. Train with words cut at white space."
            )
            return


def word_end_findings(recording: Recording, tool: str, pattern: str, where: str) -> Iterator[Finding]:
    """What is lost in such a list, and what the tool, which cuts by `pattern`, does otherwise."""
    pipeline, alphabet, config = recording.pipeline, recording.alphabet, recording.config
    if pipeline.pre_tokenizer.pattern != pattern or not pipeline.pre_tokenizer.is_plain:
        yield warning(
            f"{tool} cuts words {where} only; here it was: {pipeline.pre_tokenizer.title}. Cut texts that way before "
            "they are encoded, or their tokens differ."
        )
    if pipeline.normalizer:
        names = ", ".join(pipeline.normalizer.names)
        yield warning(f"{tool} has no normalizer: put texts through {names} before they are encoded.")
    if config.score is Score.WORDPIECE:
        yield warning(f"{tool} merges by rank; WordPiece's own way is the longest token from the left.")
    if alphabet.special_ids:
        yield warning(f"{tool} has no special tokens: in a text they are letters like others.")
    if config.unknown_token is not None or alphabet.fallback_ids:
        yield warning(f"{tool} leaves unknown characters as they are; nothing takes their place.")
    if recording.orphans:
        yield loss("Tokens that no merge makes are not kept.")
    yield loss("Ids are not kept, nor characters that no merge holds.")
    if recording.has_counts:
        yield loss(COUNTS_ARE_LOST)


def _order_findings(recording: Recording) -> Iterator[Finding]:
    if not recording.is_monotone and recording.rules.encoder is not Encoder.ALL_AT_ONCE:
        yield warning(
            "The merges are not in the order of training, and subword-nmt merges all places of a pair at once; of a "
            "pair that is listed twice the first counts. Some words get other tokens."
        )


def _first_left(recording: Recording) -> str:
    return recording.token(recording[0].left).text().decode()


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: _lines(recording, step)}


def _lines(recording: Recording, step: int) -> Lines:
    """Without a header it is 0.1: then `</w>` is a symbol of its own."""
    if recording.alphabet.marker is Marker.SUFFIX:
        yield HEADER + "\n"
    for left, right in Spelling(recording, MARKER_TEXT).merges(step):
        yield f"{left} {right}\n"


def recognizes(data: bytes, path: Path) -> bool:
    """GPT-2's merges.txt, which may have the same header, is asked about before."""
    found = looked_at(data)
    return found is not None and found.columns == 2


def read(path: Path, options: ReadOptions) -> Reading:
    text = read_text(path)
    marker = _marker(text.partition("\n")[0], path.name)
    pairs, _ = yield from read_merge_lines(text, path.name, header=_HEADER, may_be_indented=True)
    if not pairs:
        raise FormatError(f"{path.name}: there is no merge in it, and subword-nmt refuses such a file.")
    vocabulary = ids_beside(path)
    words = options.pre_tokenizer or at_spaces()
    model = yield from model_of(pairs, marker, words, vocabulary.ids if vocabulary else {})
    facts = [_ABOUT_MARKER[marker], vocabulary.fact if vocabulary else OWN_IDS]
    if marker is Marker.SYMBOL and not any(right == MARKER_TEXT for _, right in pairs):
        facts.append(_LOOKS_NEWER)
    facts += [LITERAL_MARKER] if holds_marker(model.tokens.values()) else []
    if options.special_tokens:
        model = replace(model, tokens={**model.tokens, **specials(options.special_tokens, model.tokens, path.name)})
    return (yield from assembled(model, Imported(FORMAT.name, path.name, tuple(facts))))


def specials(given: Mapping[str, int], tokens: Mapping[int, Token], file: str) -> dict[int, Token]:
    """Those that a person names. Raises FormatError for an id that is taken."""
    for text, token_id in given.items():
        if token_id in tokens:
            other = tokens[token_id].text().decode(errors="replace")
            raise FormatError(
                f"{file}: the special token {text!r} cannot have the id {token_id}, which is {other!r}'s."
            )
    return {token_id: Token(text.encode(), special=True) for text, token_id in given.items()}


def _marker(first_line: str, file: str) -> Marker:
    """What the version says, if the first line names one. Raises FormatError for one that is not known."""
    if not first_line.startswith(VERSION_LINE):
        return Marker.SYMBOL
    found = _VERSION.fullmatch(first_line)
    version = _ENDING_ZEROS.sub("", found[1]) if found else ""
    if not found or version not in _MARKERS:
        raise FormatError(
            f"{file}, line 1: expected {HEADER!r}, or no header for version 0.1, found {first_line.strip()[:60]!r}."
        )
    return _MARKERS[version]


_MARKERS = {"0.1": Marker.SYMBOL, "0.2": Marker.SUFFIX}
_ABOUT_MARKER = {
    Marker.SYMBOL: "Codes of version 0.1: </w> is a symbol of its own behind each word.",
    Marker.SUFFIX: "Codes of version 0.2: </w> is part of each word's last symbol.",
}
_LOOKS_NEWER = (
    "No merge has </w> as a symbol of its own, as version 0.1 would: a header, #version: 0.2, may have been lost."
)


def python(path: Path) -> str:
    return f"""\
# pip install subword-nmt
from subword_nmt.apply_bpe import BPE

with open({str(path)!r}, encoding="utf-8", newline="\\n") as codes:
    bpe = BPE(codes)

print(bpe.process_line("Hello, world!"))
"""


FORMAT = Format(
    name="subword-nmt",
    title="subword-nmt codes",
    help="Merges of characters, </w> at the end of words, for machine translation with subword-nmt, OpenNMT, Marian.",
    suggested_name="bpe.codes",
    is_folder=False,
    findings=findings,
    render=render,
    read=read,
    recognizes=recognizes,
    python=python,
    encoder=lambda recording: Encoder.ALL_AT_ONCE,
    keeps=frozenset({Kept.MERGES}),
    no_javascript=ONLY_TOKENIZER_JSON,
)
