"""This program's own file: everything of a recording, and what is noted of it, as JSON in a zip.

recording.json says what there is; the tables beside it are lines of JSON, see recording_tables.py.
"""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from core.alphabet import Token
from core.atomic import write_files
from core.bookmarks import Notes
from core.errors import FormatError
from core.formats.base import Content, Finding, Format, ReadOptions, Severity
from core.formats.huggingface_findings import late_added_tokens, late_findings
from core.formats.recording_head import Head, read_head
from core.formats.recording_tables import (
    MAX_MERGES,
    MAX_TOKENS,
    CountReader,
    MergeReader,
    TokenReader,
    WordReader,
    can_keep_words,
    count_lines,
    merge_lines,
    token_lines,
    word_lines,
)
from core.formats.strict_json import parsed, read_bytes
from core.formats.strict_zip import StrictZip, zipped
from core.imported import RECORDING
from core.progress import Progress, without_progress
from core.recording import Recording
from core.trainer import Plan

SUFFIX = ".bpe"
HEAD, DOCUMENT = "recording.json", "imported.json"
ALPHABET, VOCABULARY, MERGES, GIVEN = "alphabet.jsonl", "vocabulary.jsonl", "merges.jsonl", "given_merges.jsonl"
BASE_COUNTS, WORDS = "base_counts.jsonl", "words.jsonl"
LIMITS = {
    HEAD: 1 << 24,
    ALPHABET: 1 << 26,
    VOCABULARY: 1 << 26,
    MERGES: 1 << 27,
    GIVEN: 1 << 27,
    BASE_COUNTS: 1 << 25,
    DOCUMENT: 1 << 25,
    WORDS: 1 << 27,
}
"""Bytes of each entry, unpacked."""
MAX_FILE_BYTES = 1 << 27
TAIL_BYTES = 1 << 12


class OpenedRecording(NamedTuple):
    recording: Recording
    notes: Notes


def save(recording: Recording, path: str | Path, notes: Notes | None = None) -> Path:
    """All of the recording. Raises FormatError as `saving` does."""
    return without_progress(saving(recording, path, notes))


def saving(
    recording: Recording, path: str | Path, notes: Notes | None = None, step: int | None = None
) -> Generator[Progress, None, Path]:
    """Write the first `step` merges, and what is noted of them, bit by bit; all of it is in place or nothing.

    Raises FormatError if there is too much of something or the file cannot be written.
    """
    step = len(recording) if step is None else step
    for finding in findings(recording, step):
        if finding.severity is Severity.REFUSAL:
            raise FormatError(finding.message)
    data = yield from zipped(_entries(recording, step, notes or Notes()), LIMITS)
    if len(data) > MAX_FILE_BYTES:
        raise FormatError(f"This recording takes more than {MAX_FILE_BYTES >> 20} MB; export it in another format.")
    write_files({Path(path): [data]})
    return Path(path)


def opening(path: str | Path) -> Generator[Progress, None, OpenedRecording]:
    """Read a recording and what is noted of it. Raises FormatError."""
    file = _open(Path(path))
    head = _head(file)
    recording = yield from _recording(file, head)
    return OpenedRecording(recording, head.notes)


def load(path: str | Path) -> OpenedRecording:
    """The same in one go."""
    return without_progress(opening(path))


def notes_of(path: str | Path) -> Notes:
    """Only what is noted: short work for a file of any size."""
    return _head(_open(Path(path))).notes


# writing


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    tokens = len(recording.alphabet.tokens) + len(recording.vocabulary)
    if step + len(recording.plan.given) > MAX_MERGES or tokens > MAX_TOKENS:
        yield Finding(
            Severity.REFUSAL, f"More than {MAX_MERGES:,} merges or {MAX_TOKENS:,} tokens are not kept in a recording."
        )
    yield from late_findings(recording, step)
    if early := _named_early(recording, step):
        yield Finding(
            Severity.WARNING,
            f"At this step {len(early):,} tokens are parts of merges though no merge has made them; in the file they "
            "are tokens without a merge.",
        )
    if recording.corpus is None and not recording.word_counts:
        return
    words = len(recording.word_counts)
    if can_keep_words(recording.word_counts):
        kept = f", and its {words:,} different words with their counts" if words else ""
        yield Finding(Severity.LOSS, f"The text is not kept, but its name, where it lies and its SHA-256 are{kept}.")
    else:
        yield Finding(
            Severity.LOSS,
            f"Neither the text nor its {words:,} different words are kept: that is too much. Its name, where it lies "
            "and its SHA-256 are; to train on, open the text again.",
        )


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Iterable[Content]]:
    return {path: _packed(recording, step)}


def _packed(recording: Recording, step: int) -> Iterator[bytes]:
    yield without_progress(zipped(_entries(recording, step, Notes()), LIMITS))


def _entries(recording: Recording, step: int, notes: Notes) -> dict[str, Iterable[bytes]]:
    """In this order, so that the first bytes of the file tell what it is."""
    head = _head_of(recording, step, notes)
    entries: dict[str, Iterable[bytes]] = {
        HEAD: [_encoded(head.to_json())],
        ALPHABET: token_lines(recording.alphabet.tokens),
        MERGES: merge_lines(islice(recording, step)),
    }
    if vocabulary := _vocabulary(recording, step):
        entries[VOCABULARY] = token_lines(vocabulary)
    if recording.plan.given:
        entries[GIVEN] = merge_lines(recording.plan.given)
    if recording.base_counts:
        entries[BASE_COUNTS] = count_lines(recording.base_counts)
    if recording.imported and recording.imported.document:
        entries[DOCUMENT] = [_encoded(recording.imported.document)]
    if head.has_words:
        entries[WORDS] = word_lines(recording.word_counts)
    return entries


def _head_of(recording: Recording, step: int, notes: Notes) -> Head:
    has_words = bool(recording.word_counts) and can_keep_words(recording.word_counts)
    return Head.of(recording, step, notes, has_words)


def _pretty(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)


def _encoded(value: Mapping[str, Any]) -> bytes:
    try:
        return (_pretty(value) + "\n").encode()
    except UnicodeEncodeError:
        raise FormatError("A text in the settings holds half a character (a lone surrogate): no file can.") from None


def _vocabulary(recording: Recording, step: int) -> Mapping[int, Token]:
    """Without the tokens that come after `step`, unless merges before name them."""
    known = recording.vocabulary
    if step == len(recording) or not known:
        return known
    there = dict(recording.tokens_at(step))
    early = _named_early(recording, step) | {token.token_id for token in late_added_tokens(recording, step)}
    return {token_id: token for token_id, token in known.items() if token_id in there or token_id in early}


def _named_early(recording: Recording, step: int) -> set[int]:
    """Tokens that are parts of the first `step` merges, but are not there by then."""
    if step == len(recording) or recording.is_monotone:
        return set()
    parts = {token_id for merge in islice(recording, step) for token_id in merge.pair}
    return parts - {token_id for token_id, _ in recording.tokens_at(step)}


def previewed(recording: Recording, step: int) -> Iterator[str]:
    yield from (line + "\n" for line in _pretty(_head_of(recording, step, Notes()).to_json()).split("\n"))


# reading


def recognizes(data: bytes, path: Path) -> bool:
    """Anybody may have packed it anew, in another order."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    return data[30 : 30 + len(HEAD)] == HEAD.encode() or HEAD.encode() in data[-TAIL_BYTES:]


def finds(folder: Path) -> list[Path]:
    """By what is in them: GPT-2's merges are called vocab.bpe."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file() and recognizes(_beginning(path), path))


def _beginning(path: Path) -> bytes:
    with suppress(OSError), path.open("rb") as file:
        return file.read(1 << 10)
    return b""


def read(path: Path, options: ReadOptions) -> Generator[Progress, None, Recording]:
    return (yield from opening(path)).recording


def _open(path: Path) -> StrictZip:
    data = read_bytes(path)
    if len(data) > MAX_FILE_BYTES:
        raise FormatError(f"{path.name} is larger than {MAX_FILE_BYTES >> 20} MB, more than a recording takes.")
    return StrictZip(data, path.name, LIMITS)


def _head(file: StrictZip) -> Head:
    return read_head(parsed(file.read(HEAD), _place(file, HEAD)), _place(file, HEAD))


def _recording(file: StrictZip, head: Head) -> Generator[Progress, None, Recording]:
    alphabet = TokenReader(head.base, _place(file, ALPHABET))
    yield from _taken(alphabet.take(file.lines(ALPHABET)), head)
    vocabulary = TokenReader(head.base, _place(file, VOCABULARY))
    yield from _taken(vocabulary.take(_lines(file, VOCABULARY)), head)
    base, others = dict(alphabet.tokens()), vocabulary.tokens()
    for token_id in base.keys() & vocabulary.sizes.keys():
        if base[token_id] != others[token_id]:
            raise FormatError(f"{_place(file, VOCABULARY)}: the id {token_id:,} is another token in {ALPHABET}.")
    sizes = alphabet.sizes | vocabulary.sizes
    given, merges = MergeReader(sizes, _place(file, GIVEN)), MergeReader(sizes, _place(file, MERGES))
    yield from _taken(given.take(_lines(file, GIVEN)), head)
    yield from _taken(merges.take(file.lines(MERGES)), head)
    if len(merges) != head.merges:
        raise FormatError(f"{_place(file, MERGES)}: {head.merges:,} merges were expected, {len(merges):,} are there.")
    counts, words = CountReader(sizes, _place(file, BASE_COUNTS)), WordReader(_place(file, WORDS))
    yield from _taken(counts.take(_lines(file, BASE_COUNTS)), head)
    yield from _taken(words.take(_lines(file, WORDS)), head)
    if bool(words.words) is not head.has_words:
        raise FormatError(f"{_place(file, HEAD)}: has_words does not say whether there are words.")
    recording = Recording(
        head.alphabet(base),
        head.config,
        head.pipeline,
        head.corpus.remembered(words.words) if head.corpus else None,
        words.words,
        counts.counts,
        head.stop_reason,
        head.size,
        Plan(tuple(chain.from_iterable(given.slices())), head.forbidden),
        others,
        head.rules,
        head.added_tokens,
        head.source(_document(file)),
        head.decoder,
    )
    yield from _filled(recording, merges, vocabulary.sizes.keys())
    if recording.has_counts and recording.corpus_length(len(recording)) < 0:
        raise FormatError(f"{_place(file, MERGES)}: they make more replacements than the corpus has symbols.")
    return recording


def _taken(progress: Iterator[int], head: Head) -> Generator[Progress, None, None]:
    for done in progress:
        yield Progress(min(done, head.merges), head.merges)


def _lines(file: StrictZip, entry: str) -> Iterator[bytes]:
    return file.lines(entry) if entry in file else iter(())


def _document(file: StrictZip) -> Mapping[str, Any]:
    if DOCUMENT not in file:
        return {}
    document = parsed(file.read(DOCUMENT), _place(file, DOCUMENT))
    if not isinstance(document, dict):
        raise FormatError(f"{_place(file, DOCUMENT)}: a JSON object was expected.")
    return document


def _filled(recording: Recording, merges: MergeReader, named: Set[int]) -> Generator[Progress, None, None]:
    loaded = None if recording.has_counts or not named else merges.loaded()
    if loaded is not None and named >= set(loaded.token_ids.tolist()):
        yield Progress(0, len(merges))
        recording.load(loaded)
        return
    for part in merges.slices():
        recording.extend(part)
        yield Progress(len(recording), len(merges))


def _place(file: StrictZip, entry: str) -> str:
    return f"{file.name}, {entry}"


FORMAT = Format(
    name=RECORDING,
    title="Recording of this program",
    help="Everything: merges with their counts, settings, what is known of the text, bookmarks. Open again and go on.",
    suggested_name=f"recording{SUFFIX}",
    is_folder=False,
    findings=findings,
    render=render,
    read=read,
    recognizes=recognizes,
    finds=finds,
    previewed=previewed,
    follows=frozenset(),
)
