"""Reads a text from a file or the clipboard and counts its words; how words are cut is pre_tokenizer.py's business."""

import hashlib
import re
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import regex

from core.errors import CorpusError
from core.normalizer import Normalizer
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer, Word
from core.progress import Progress
from core.text_encoding import DetectedBy, chosen, counted, decode, detect

READ_BYTES = 1 << 20
NORMALIZE_CHARS = 1 << 16
MAX_SAMPLES = 5
MAX_SAMPLE_CHARS = 20


@dataclass(frozen=True)
class Corpus:
    """A text and where it came from; `byte_count` and `sha256` (hex) are the file's, or typed text's as UTF-8."""

    text: str = field(repr=False)
    name: str
    path: Path | None
    encoding: str
    detected_by: DetectedBy
    byte_count: int
    sha256: str
    notes: tuple[str, ...] = ()

    @classmethod
    def typed(cls, text: str, name: str = "pasted text") -> "Corpus":
        """A corpus from text that is in no file; surrogates, as clipboards hand them over, are joined or replaced."""
        text, lost = _join_surrogates(text)
        data = text.encode()
        note = f"{counted(lost, 'lone surrogate')} became U+FFFD: half of a character, as some clipboards hand over."
        digest = hashlib.sha256(data).hexdigest()
        return cls(text, name, None, "utf-8", DetectedBy.TYPED, len(data), digest, (note,) if lost else ())

    @cached_property
    def character_count(self) -> int:
        return len(self.text)

    @cached_property
    def line_count(self) -> int:
        """Lines ended by "\\n", and one more for a last line without it; 0 for no text."""
        return self.text.count("\n") + (bool(self.text) and not self.text.endswith("\n"))


def load_corpus(path: str | Path, encoding: str | None = None) -> Corpus:
    """As read_corpus, without the progress."""
    reading = read_corpus(path, encoding)
    while True:
        try:
            next(reading)
        except StopIteration as stop:
            corpus: Corpus = stop.value
            return corpus


def read_corpus(path: str | Path, encoding: str | None = None) -> Generator[Progress, None, Corpus]:
    """Read a text file, yielding after every megabyte; line ends stay as they are. `encoding` None finds it out.

    Raises CorpusError if there is no such file, it is not text, or it is not in the encoding asked for.
    """
    path = Path(path)
    data, digest = yield from _read_bytes(path)
    detection = chosen(encoding, data) if encoding else detect(data, path.name)
    text, detection, notes = yield from decode(data, detection, path.name)
    return Corpus(text, path.name, path, detection.encoding, detection.detected_by, len(data), digest, notes)


def _read_bytes(path: Path) -> Generator[Progress, None, tuple[bytes, str]]:
    chunks: list[bytes] = []
    digest = hashlib.sha256()
    done = 0
    try:
        total = path.stat().st_size
        if path.is_dir():  # asked first: opening a folder is "permission denied" on Windows
            raise CorpusError(f"{path.name} is a folder; choose a text file in it.")
        if not path.is_file():
            raise CorpusError(f"{path.name} is a device or pipe, not a text file.")
        with path.open("rb") as file:
            while chunk := file.read(READ_BYTES):
                chunks.append(chunk)
                digest.update(chunk)
                done += len(chunk)
                yield Progress(done, max(done, total))
    except FileNotFoundError:
        raise CorpusError(f"{path.name}: there is no such file in {path.parent.absolute()}.") from None
    except PermissionError:
        raise CorpusError(f"{path.name} may not be read: permission denied.") from None
    except OSError as error:
        raise CorpusError(f"{path.name} could not be read: {error.strerror or error}.") from None
    return b"".join(chunks), digest.hexdigest()


def _join_surrogates(text: str) -> tuple[str, int]:
    """The text with pairs of surrogates joined to characters, lone ones as U+FFFD, and how many were lone."""
    if not re.search("[\ud800-\udfff]", text):
        return text, 0
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined, joined.count("\ufffd") - text.count("\ufffd")


@dataclass(frozen=True)
class Pipeline:
    """From text to words: first the normalizer, then the pre-tokenizer."""

    normalizer: Normalizer = field(default_factory=Normalizer)
    pre_tokenizer: PreTokenizer = PRE_TOKENIZERS["gpt2"]

    def words(self, text: str) -> Iterator[Word]:
        """The words of `text`; their places are places in the normalized text."""
        return self.pre_tokenizer.words(self.normalizer.normalize(text))


@dataclass(frozen=True)
class WordCounts:
    """How often each word occurs, in order of first appearance.

    `unmatched` counts the characters, white space aside, that a pattern of the user's leaves out; the samples are up to
    MAX_SAMPLES of them as (place in the normalized text, up to MAX_SAMPLE_CHARS characters).
    """

    counts: dict[str, int]
    total: int
    unmatched: int = 0
    unmatched_samples: tuple[tuple[int, str], ...] = ()

    @property
    def unique(self) -> int:
        return len(self.counts)


def count_words(text: str, pipeline: Pipeline) -> Generator[Progress, None, WordCounts]:
    """Count the words of `text`, yielding after every few milliseconds of work. Raises PatternError as `words` does."""
    normalized = yield from _normalize(text, pipeline.normalizer)
    counts: Counter[str] = Counter()
    gaps = _Gaps()
    look_for_gaps = not pipeline.pre_tokenizer.cuts_at_line_starts  # ours leave out white space only
    for batch in pipeline.pre_tokenizer.match_batches(normalized):
        counts.update([match[0] for match in batch])
        if look_for_gaps:
            gaps.add(normalized, batch)
        yield Progress(batch[-1].end(), len(normalized))
    if look_for_gaps:
        gaps.close(normalized)
    return WordCounts(dict(counts), counts.total(), gaps.characters, tuple(gaps.samples))


def _normalize(text: str, normalizer: Normalizer) -> Generator[Progress, None, str]:
    if not normalizer:
        return text
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start + NORMALIZE_CHARS) + 1 or len(text)  # steps work line by line
        parts.append(normalizer.normalize(text[start:end]))
        yield Progress(0, len(text))
        start = end
    return "".join(parts)


@dataclass
class _Gaps:
    """Counts, from batch to batch, the characters that are neither in a word nor white space."""

    characters: int = 0
    samples: list[tuple[int, str]] = field(default_factory=list)
    covered: int = 0

    def add(self, text: str, batch: list["regex.Match[str]"]) -> None:
        for match in batch:
            start, end = match.span()
            if start > self.covered:
                self._note(text, start)
            self.covered = end

    def close(self, text: str) -> None:
        self._note(text, len(text))

    def _note(self, text: str, end: int) -> None:
        for left_out in _NOT_SPACE.finditer(text, self.covered, end):
            self.characters += len(left_out[0])
            if len(self.samples) < MAX_SAMPLES:
                self.samples.append((left_out.start(), left_out[0][:MAX_SAMPLE_CHARS]))


_NOT_SPACE = regex.compile(r"\S+")  # of `regex`: the 25 White_Space characters, as everywhere else
