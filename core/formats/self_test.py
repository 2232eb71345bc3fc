"""Proof that a saved file is right: read it back and compare ids and decoded text on strings that are hard."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import BpeError
from core.formats.base import Finding, Format
from core.recording import Recording
from core.tokenizer import Tokenizer

MAX_DIFFERENCES = 20
SAMPLE_CHARS = 2_000
SAMPLES = 5

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
class SelfTest:
    """How reading back went: `probes` strings compared, the first of the `differences`."""

    passed: bool
    probes: int
    differences: tuple[Difference, ...] = ()
    problem: str | None = None
    """Why the file could not be read back at all."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was written, what to know about it, and whether reading it back gave the same tokenizer.

    `self_test` is None for a report, which no tokenizer can be read from.
    """

    paths: tuple[Path, ...]
    findings: tuple[Finding, ...]
    self_test: SelfTest | None


def export(recording: Recording, step: int, format: Format, path: str | Path) -> ExportResult:
    """Check, save, read back and compare. Raises FormatError if the format refuses or the disk does."""
    findings = tuple(format.preflight(recording, step))
    paths = format.save(recording, step, path)
    test = self_test(recording, step, format, path) if format.read else None
    return ExportResult(tuple(paths), findings, test)


def self_test(
    recording: Recording, step: int, format: Format, path: str | Path, texts: Iterable[str] | None = None
) -> SelfTest:
    """Compare the recording with what `format` saved at `path`, on `texts` or on `default_probes`."""
    try:
        loaded = format.load(path)
    except BpeError as error:
        return SelfTest(False, 0, problem=str(error))
    saved = Tokenizer(loaded, encoder=format.encoder(loaded))
    original = Tokenizer(recording, step, format.encoder(recording))
    probes = list(default_probes(recording) if texts is None else texts)
    differences = [d for d in (_compare(original, saved, text) for text in probes) if d]
    return SelfTest(not differences, len(probes), tuple(differences[:MAX_DIFFERENCES]))


def default_probes(recording: Recording) -> Iterator[str]:
    """PROBES, each special token inside a text, and stretches of the corpus."""
    yield from PROBES
    for special in recording.alphabet.special_ids:
        yield f"x{special} y {special}{special}"
    text = recording.corpus.text if recording.corpus else ""
    places = {len(text) * n // SAMPLES for n in range(SAMPLES)}
    yield from (text[place : place + SAMPLE_CHARS] for place in sorted(places) if text)


def _compare(original: Tokenizer, saved: Tokenizer, text: str) -> Difference | None:
    expected, actual = _result(original, text), _result(saved, text)
    return None if expected == actual else Difference(text, *expected[:1], *actual[:1], expected[1], actual[1])


def _result(tokenizer: Tokenizer, text: str) -> tuple[tuple[int, ...], str]:
    """Ids and decoded text; a pattern that gives up on the text gives its message instead."""
    try:
        ids: Sequence[int] = tokenizer.ids(text)
        return tuple(ids), tokenizer.decode(ids)
    except BpeError as error:
        return (), str(error)
