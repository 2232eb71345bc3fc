"""The codes of fastBPE: two tokens and a count a line, no header, `</w>` at the end of words."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from core.alphabet import MARKER_TEXT, Marker
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.formats.assembly import assembled
from core.formats.base import Finding, Format, Kept, Lines, Reading, ReadOptions, Severity
from core.formats.javascript import ONLY_TOKENIZER_JSON
from core.formats.merge_lines import MergeList, looked_at, read_merge_lines
from core.formats.spelling import Spelling
from core.formats.strict_json import read_text
from core.formats.subword_nmt import specials, word_end_findings, word_end_refusals
from core.formats.subword_nmt_codes import LITERAL_MARKER, OWN_IDS, holds_marker, model_of
from core.imported import Imported
from core.pre_tokenizer import custom
from core.recording import Recording

AT_SPACES = r"[^ \n]+"
"""How it cuts: a carriage return is a letter to it."""
TOOL = "fastBPE"


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    refused = list(word_end_refusals(recording, step, TOOL))
    yield from refused
    if refused:
        return
    if recording.alphabet.marker is Marker.SYMBOL:
        yield Finding(
            Severity.REFUSAL,
            "fastBPE's </w> is part of each word's last symbol. Train with the marker attached to the last letter.",
        )
    merges = [recording[rank] for rank in range(step)]
    if len({merge.pair for merge in merges}) < step or len({merge.token_id for merge in merges}) < step:
        yield Finding(Severity.REFUSAL, "fastBPE takes no pair and no token twice, and one is made twice here.")
    if not recording.is_monotone and recording.rules.encoder is not Encoder.ALL_AT_ONCE:
        yield Finding(
            Severity.WARNING,
            "The merges are not in the order of training, and fastBPE merges all places of a pair at once. Some words "
            "get other tokens.",
        )
    yield from word_end_findings(recording, TOOL, AT_SPACES, "at the space and at line feeds")


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: _lines(recording, step)}


def _lines(recording: Recording, step: int) -> Lines:
    for rank, (left, right) in enumerate(Spelling(recording, MARKER_TEXT).merges(step)):
        yield f"{left} {right} {recording[rank].count}\n"


def recognizes(data: bytes, path: Path) -> bool:
    found = looked_at(data)
    return found is not None and found.columns == 3


def read(path: Path, options: ReadOptions) -> Reading:
    merges = yield from read_merge_lines(read_text(path), path.name, columns=3)
    if not merges.pairs:
        raise FormatError(f"{path.name}: there is no merge in it.")
    _check_pairs(merges, path.name)
    words = options.pre_tokenizer or custom(AT_SPACES)
    model = yield from model_of(merges.pairs, Marker.SUFFIX, words, {})
    facts = [OWN_IDS, _COUNTS]
    facts += [LITERAL_MARKER] if holds_marker(model.tokens.values()) else []
    if options.special_tokens:
        model = replace(model, tokens={**model.tokens, **specials(options.special_tokens, model.tokens, path.name)})
    return (yield from assembled(model, Imported(FORMAT.name, path.name, tuple(facts))))


_COUNTS = "The third column, how often each pair occurred when it was merged, is not kept."


def _check_pairs(merges: MergeList, file: str) -> None:
    """fastBPE stops at one that is listed twice."""
    ranks: dict[tuple[str, str], int] = {}
    for rank, pair in enumerate(merges.pairs):
        before = ranks.setdefault(pair, rank)
        if before != rank:
            raise FormatError(
                f"{file}, line {merges.line(rank)}: the pair {pair[0]!r} and {pair[1]!r} stands in line "
                f"{merges.line(before)} already, and fastBPE takes no pair twice."
            )


def python(path: Path) -> str:
    return f"""\
# pip install fastbpe  (it needs a C++ compiler)
import fastBPE

bpe = fastBPE.fastBPE({str(path)!r})

print(bpe.apply(["Hello, world!"])[0])
"""


FORMAT = Format(
    name="fastbpe",
    title="fastBPE codes",
    help="The merges of characters with </w> at the end of words and their counts, for XLM and fairseq.",
    suggested_name="fastbpe.codes",
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
