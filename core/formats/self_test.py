"""Proof that a saved file is right: read it back and compare merges, vocabulary and special tokens whole, and ids and
decoded text on strings that are hard."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from pathlib import Path

from core.added_tokens import AddedToken
from core.alphabet import Token
from core.errors import BpeError
from core.formats.base import Finding, Format, Kept, Severity
from core.merge import UNKNOWN
from core.progress import Progress, without_progress
from core.recording import Recording
from core.tokenizer import Tokenizer
from core.vocab import label

MAX_DIFFERENCES = 20
ITEMS_PER_SLICE = 4_096
SAMPLE_CHARS = 2_000
SAMPLES = 5
MAX_SPECIALS = 1_000

# fmt: off
PROBES: tuple[str, ...] = (
    "", " ", "  ", "\n", "\r\n", "\t", "\x00", "\u00a0", "\u3000", "\u2028", "\u0085", "\u200b", "\ufeff",
    "The quick brown fox jumps over the lazy dog.", "  leading and trailing  ", "a  b   c    d",
    "I'm you're he'd she'll we've it's DON'T I'LL", "it’s l’été", "'\u017f \u212a", "x'sx's's",
    "1 12 123 1234 12345.67 ١٢٣ ½ ²", "a1b2c3 v2.0 x_y __init__", "line one\nline two\r\nline three\rfour\n\n\n five",
    "def f(x):\n\treturn {'a': [1, 2]} # </w> <unk>", "</w>", "low</w> </w>low", "##ing @@ ▁word Ġword",
    "#version: 0.2", "=1+1;@cmd", "<|endoftext|>", "<s>hi</s>", "aaaaaaaaaaaaaaaaaaaaaaaaa", "abababababab",
    "naïve façade Ångström", "e\u0301 n\u0303 \u0301alone", "ﬁ ² ㎏ Ⅷ", "İstanbul ΟΔΟΣ ẞ straße",
    "中文没有空格。你好,世界", "日本語テキスト カタカナ ひらがな", "한국어 각 \u1112\u1161\u11ab",
    "हिन्दी ไทย עברית العربية",
    "😀👩‍👩‍👧‍👦🇩🇪👍🏽", "a\u200db\u200cc\u00add", "\U0010ffff\ue000\uffff", "\u202eabc\u202c", "𝒜𝓫 𐐀 🀄",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Difference:
    """A probe that the saved file treats otherwise than the recording does."""

    text: str
    expected_ids: tuple[int, ...]
    actual_ids: tuple[int, ...]
    expected_text: str
    actual_text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the tokenizer that was compared whole, and how many there are of it here."""

    kept: Kept
    count: int
    difference: str = ""
    """The first difference, in words; empty if all is the same."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """How reading back went: `probes` strings compared, the first of the `differences`, and what was compared whole."""

    passed: bool
    probes: int
    differences: tuple[Difference, ...] = ()
    problem: str | None = None
    """Why the file could not be read back at all."""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was written, what to know about it, and whether reading it back gave the same tokenizer.

    `self_test` is None for a report, which no tokenizer can be read from.
    """

    paths: tuple[Path, ...]
    findings: tuple[Finding, ...]
    self_test: SelfTest | None

    @property
    def is_foretold(self) -> bool:
        """Whether only test strings differ, and a warning has said so before."""
        test = self.self_test
        if test is None or not test.differences or any(part.difference for part in test.parts):
            return False
        return any(finding.severity is Severity.WARNING for finding in self.findings)


def export(recording: Recording, step: int, format: Format, path: str | Path) -> ExportResult:
    """Check, save, read back and compare. Raises FormatError if the format refuses or the disk does."""
    return without_progress(exporting(recording, step, format, path))


def exporting(
    recording: Recording, step: int, format: Format, path: str | Path
) -> Generator[Progress, None, ExportResult]:
    """The same bit by bit: the files are in place when it first yields, and the rest of the work is the self-test."""
    findings = tuple(format.preflight(recording, step))
    paths = tuple(format.save(recording, step, path))
    test = (yield from self_testing(recording, step, format, path, None, findings)) if format.read else None
    return ExportResult(paths, findings, test)


def self_test(
    recording: Recording, step: int, format: Format, path: str | Path, texts: Iterable[str] | None = None
) -> SelfTest:
    """Compare the recording with what `format` saved at `path`, on `texts` or on `default_probes`."""
    return without_progress(self_testing(recording, step, format, path, texts))


def self_testing(
    recording: Recording,
    step: int,
    format: Format,
    path: str | Path,
    texts: Iterable[str] | None = None,
    findings: Iterable[Finding] | None = None,
) -> Generator[Progress, None, SelfTest]:
    """The same bit by bit. What the findings are about is not kept; those of the preflight, if none are given."""
    findings = format.preflight(recording, step) if findings is None else findings
    keeps = format.keeps.difference(*(finding.about for finding in findings))
    try:
        loaded = yield from format.loading(path)
    except BpeError as error:
        return SelfTest(False, 0, problem=str(error))
    is_its_own = recording.imported is not None and recording.imported.format == format.name
    keeps = keeps if is_its_own else keeps - {Kept.NOT_APPLIED}
    parts = yield from _parts(recording, step, loaded, keeps)
    saved = Tokenizer(loaded, encoder=format.encoder(loaded))
    # how trained merges are encoded is up to the format; those of other tools have a way of their own
    original = Tokenizer(recording, step, None if recording.imported else format.encoder(recording))
    result_of = _result if Kept.IDS in keeps else _cuts
    probes = list(default_probes(recording) if texts is None else texts)
    differences = list[Difference]()
    for place, text in enumerate(probes):
        yield Progress(place, len(probes))
        expected, actual = result_of(original, text), result_of(saved, text)
        if expected != actual:
            differences.append(Difference(text, expected[0], actual[0], expected[1], actual[1]))
    passed = not differences and not any(part.difference for part in parts)
    return SelfTest(passed, len(probes), tuple(differences[:MAX_DIFFERENCES]), parts=parts)


def _parts(
    original: Recording, step: int, loaded: Recording, keeps: Collection[Kept]
) -> Generator[Progress, None, tuple[Part, ...]]:
    by_id = Kept.IDS in keeps
    parts = list[Part]()
    for kept, listed in _LISTS.items():
        if kept not in keeps:
            continue
        here = yield from _gathered(listed(original, step, by_id))
        there = yield from _gathered(listed(loaded, len(loaded), by_id))
        parts.append(Part(kept, len(here), _first_difference(kept, here, there, original, loaded)))
    return tuple(parts)


Items = list[tuple[object, ...]]


def _gathered(items: Iterator[tuple[object, ...]]) -> Generator[Progress, None, Items]:
    """All of them, a slice at a time."""
    found: Items = []
    while batch := list(islice(items, ITEMS_PER_SLICE)):
        found += batch
        yield Progress(len(found), 0)
    return found


def _merges(recording: Recording, step: int, by_id: bool) -> Iterator[tuple[object, ...]]:
    token = recording.token
    for merge in islice(recording, step):
        yield (merge.left, merge.right, merge.token_id) if by_id else (token(merge.left), token(merge.right))


def _vocabulary(recording: Recording, step: int, by_id: bool) -> Iterator[tuple[object, ...]]:
    """By rising id, or by what is in the tokens."""
    tokens = recording.tokens_at(step)
    if by_id:
        yield from sorted(tokens, key=itemgetter(0))
    else:
        yield from sorted(((token,) for _, token in tokens), key=lambda item: _order(item[0]))


def _specials(recording: Recording, step: int, by_id: bool) -> Iterator[tuple[object, ...]]:
    for token in sorted(recording.looked_for, key=lambda token: token.content):
        yield (token,) if by_id else (replace(token, token_id=UNKNOWN),)


def _not_applied(recording: Recording, step: int, by_id: bool) -> Iterator[tuple[object, ...]]:
    for part in recording.imported.not_applied if recording.imported else ():
        yield (part,)


def _order(token: Token) -> tuple[bytes, bool, bool, bool, bool]:
    return token.content, token.ends_word, token.continues, token.is_fallback, token.special


_LISTS: Mapping[Kept, Callable[[Recording, int, bool], Iterator[tuple[object, ...]]]] = {
    Kept.MERGES: _merges,
    Kept.VOCABULARY: _vocabulary,
    Kept.SPECIAL_TOKENS: _specials,
    Kept.NOT_APPLIED: _not_applied,
}


def _first_difference(kept: Kept, here: Items, there: Items, original: Recording, loaded: Recording) -> str:
    if here == there:
        return ""
    if len(here) != len(there):
        return f"{len(here):,} here and {len(there):,} in the file"
    place = next(place for place, pair in enumerate(zip(here, there, strict=True)) if pair[0] != pair[1])
    said, read = _said(here[place], original), _said(there[place], loaded)
    return f"{f'rank {place:,}' if kept is Kept.MERGES else 'the first'} is {said} here and {read} in the file"


def _said(item: tuple[object, ...], recording: Recording) -> str:
    return " ".join(_name(part, recording) for part in item)


def _name(part: object, recording: Recording) -> str:
    if isinstance(part, Token):
        return label(part, recording.config.marker_text) + (" (special)" if part.special else "")
    if isinstance(part, AddedToken):
        flags = [name for name in ("special", "single_word", "lstrip", "rstrip", "normalized") if getattr(part, name)]
        return f"{part.content!r} {part.token_id} ({', '.join(flags) or 'not special'})"
    return str(part)


def default_probes(recording: Recording) -> Iterator[str]:
    """PROBES, each special token inside a text, and stretches of the corpus."""
    yield from PROBES
    for special in (token.content for token in islice(recording.looked_for, MAX_SPECIALS)):
        yield f"x{special} y {special}{special}"
    text = recording.corpus.text if recording.corpus else ""
    places = {len(text) * n // SAMPLES for n in range(SAMPLES)}
    yield from (text[place : place + SAMPLE_CHARS] for place in sorted(places) if text)


def _result(tokenizer: Tokenizer, text: str) -> tuple[tuple[int, ...], str]:
    """Ids and decoded text; a pattern that gives up on the text gives its message instead."""
    try:
        ids: Sequence[int] = tokenizer.ids(text)
        return tuple(ids), tokenizer.decode(ids)
    except BpeError as error:
        return (), str(error)


def _cuts(tokenizer: Tokenizer, text: str) -> tuple[tuple[int, ...], str]:
    """Where tokens end in the text, and their text one behind the other."""
    try:
        tokens = tokenizer.encode(text)
    except BpeError as error:
        return (), str(error)
    return tuple(token.end for token in tokens), " ".join(text[token.start : token.end] for token in tokens)
