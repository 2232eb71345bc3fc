"""How a corpus becomes words and how often each occurs; how words are cut is pre_tokenizer.py's business."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import regex

from core import kernel_loader
from core.errors import PatternError
from core.normalizer import Normalizer
from core.pre_tokenizer import BATCH_WORDS, PRE_TOKENIZERS, PreTokenizer, Word
from core.progress import Progress
from core.special_tokens import Specials, SpecialTokenError, special_matches
from core.text_stream import StreamRead
from core.word_limits import WordLimits

NORMALIZE_CHARS = 1 << 16
LINES_CHARS = 1 << 14  # of short lines about 5 ms of work
MIN_CHARS_FOR_KERNELS = 1 << 16
"""Below it compiled loops gain less than 15 ms."""
MAX_SAMPLES = 5
MAX_SAMPLE_CHARS = 20

Places = tuple[tuple[int, int], ...]
"""Stretches (start, end) of a text, one behind the other."""


class Texts(StrEnum):
    """What of a corpus is a text of its own, which is normalized and cut into words as if there were no other.

    Only "\\n" ends a line; what other characters do, such as a lone "\\r" or U+2028, is up to the pre-tokenizer.
    """

    WHOLE = "whole"
    FILES = "files"
    """Every file; a corpus that is not of several files is one text."""
    LINES = "lines"
    """Every line, without its end "\\n" or "\\r\\n"."""
    LINES_WITH_ENDS = "lines-with-ends"
    """Every line with its end, as `train(files)` of Hugging Face's tokenizers cuts its files."""

    def cut(self, corpus: str, files: Places = ()) -> Iterator[tuple[str, str]]:
        """The texts of a corpus, each with the line end behind it that belongs to no text."""
        if self is Texts.FILES and files:
            starts = [start for start, _ in files]
            for (start, end), following in zip(files, [*starts[1:], len(corpus)], strict=True):
                yield corpus[start:end], corpus[end:following]
            return
        if self in (Texts.WHOLE, Texts.FILES):
            yield corpus, ""
            return
        start = 0
        while start < len(corpus):
            line = corpus[start : corpus.find("\n", start) + 1 or len(corpus)]
            start += len(line)
            if self is Texts.LINES_WITH_ENDS:
                yield line, ""
            else:
                text = line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")
                yield text, line[len(text) :]


@dataclass(frozen=True)
class Pipeline:
    """From text to words: first the normalizer, then the pre-tokenizer; `texts` says what of a corpus is one text.

    `specials` says what `special_tokens` are in a corpus: no part of any text if they match, each stretch between them
    being a text of its own. `limits` say which words are counted, if there are too many.
    """

    normalizer: Normalizer = field(default_factory=Normalizer)
    pre_tokenizer: PreTokenizer = PRE_TOKENIZERS["gpt2"]
    texts: Texts = Texts.WHOLE
    special_tokens: tuple[str, ...] = ()
    specials: Specials = Specials.AS_TEXT
    limits: WordLimits = field(default_factory=WordLimits)

    @property
    def needs_places(self) -> bool:
        """Whether the words in the middle of a corpus are known only when all before them are."""
        is_one_text = self.texts is Texts.WHOLE and not self.cuts_at_specials
        return not (is_one_text and self.pre_tokenizer.cuts_at_line_starts)

    def makes_one_text(self, files: Places) -> bool:
        """Whether a corpus of these files is a single text, whatever stands in it."""
        is_whole = self.texts is Texts.WHOLE or (self.texts is Texts.FILES and not files)
        return is_whole and not self.cuts_at_specials

    @property
    def cuts_at_specials(self) -> bool:
        """Whether special tokens part texts."""
        return self.specials is Specials.MATCH and bool(self.special_tokens)

    def cut(self, corpus: str, files: Places = ()) -> Iterator[tuple[str, str]]:
        """The texts of a corpus, each with the line end or special token behind it that belongs to no text."""
        if not self.cuts_at_specials:
            yield from self.texts.cut(corpus, files)
            return
        for text, end in self.texts.cut(corpus, files):
            start = 0
            for match in special_matches(text, self.special_tokens):
                yield text[start : match.start()], match[0]
                start = match.end()
            yield text[start:], end

    def check(self, corpus: str) -> None:
        """Raises SpecialTokenError where special tokens are refused and there is one."""
        if self.specials is Specials.REFUSE:
            for match in special_matches(corpus, self.special_tokens):
                raise refused(match[0], match.start())

    def words(self, text: str) -> Iterator[Word]:
        """The words of one text, whatever `texts` says; their places are places in the normalized text."""
        return self.pre_tokenizer.words(self.normalizer.normalize(text))

    def corpus_texts(self, corpus: str, files: Places = ()) -> Iterator[tuple[str, str]]:
        """What `cut` gives, with the texts normalized. All of it put together is the normalized corpus."""
        return ((self.normalizer.normalize(text), end) for text, end in self.cut(corpus, files))

    def corpus_words(self, corpus: str, files: Places = ()) -> Iterator[Word]:
        """The words of all texts of a corpus; their places are places in the normalized corpus."""
        start = 0
        for text, end in self.corpus_texts(corpus, files):
            for word in self.pre_tokenizer.words(text):
                yield Word(word.text, start + word.start, start + word.end) if start else word
            start += len(text) + len(end)


@dataclass(frozen=True)
class WordCounts:
    """How often each word occurs, in order of first appearance.

    `unmatched` counts the characters, white space aside, that a pattern of the user's leaves out; the samples are up to
    MAX_SAMPLES of them as (place in the normalized text, up to MAX_SAMPLE_CHARS characters). `read` is what is known
    of the files that were read for it, and `notes` are what the user should know besides.
    """

    counts: Mapping[str, int]
    total: int
    unmatched: int = 0
    unmatched_samples: tuple[tuple[int, str], ...] = ()
    read: StreamRead | None = None
    notes: tuple[str, ...] = ()

    @property
    def unique(self) -> int:
        return len(self.counts)


def refused(token: str, place: int) -> SpecialTokenError:
    return SpecialTokenError(token, place, "corpus", "Train with")


def count_words(text: str, pipeline: Pipeline, files: Places = ()) -> Generator[Progress, None, WordCounts]:
    """Count the words of a corpus, yielding after every few milliseconds of work; `files` are those of Corpus.

    Raises PatternError as PreTokenizer.words does, and SpecialTokenError as Pipeline.check does.
    """
    pipeline.check(text)
    if len(text) >= MIN_CHARS_FOR_KERNELS and kernel_loader.are_ready():
        from core.byte_counting import can_count, count_text

        if can_count(pipeline):
            counts = yield from count_text(text, pipeline, files)
            return WordCounts(counts, counts.total)
    tally = _Tally(pipeline.pre_tokenizer)
    if pipeline.makes_one_text(files):
        normalized = yield from _normalize(text, pipeline.normalizer)
        for done in tally.batches(normalized):
            tally.count()
            yield Progress(done, len(normalized))
        tally.close(normalized)
    else:
        yield from _count_in_texts(text, pipeline, tally, files)
    return tally.word_counts()


def count_texts(
    corpus: str, pipeline: Pipeline, first_number: int
) -> Generator[Progress, None, tuple[WordCounts, int]]:
    """As count_words counts the texts of part of a corpus; also how many characters that part has when normalized.

    The part begins and ends where texts do; its first one has that number, which errors name.
    """
    tally = _Tally(pipeline.pre_tokenizer)
    yield from _count_in_texts(corpus, pipeline, tally, (), first_number)
    return tally.word_counts(), tally.start


def _count_in_texts(
    corpus: str, pipeline: Pipeline, tally: "_Tally", files: Places, first_number: int = 1
) -> Generator[Progress, None, None]:
    reported = start = 0
    unit = "Part" if pipeline.specials is Specials.MATCH else "File" if pipeline.texts is Texts.FILES else "Line"
    for number, (text, end) in enumerate(pipeline.cut(corpus, files), first_number):
        try:
            normalized = yield from _normalize_from(Progress(start, len(corpus)), text, pipeline.normalizer)
            for done in tally.batches(normalized):
                if tally.is_full:
                    tally.count()
                    reported = start + min(done, len(text))
                    yield Progress(reported, len(corpus))
        except PatternError as error:
            raise PatternError(f"{unit} {number:,} of the corpus is a text of its own. {error}") from None
        tally.close(normalized, end)
        start += len(text) + len(end)
        if start - reported > LINES_CHARS or start == len(corpus):
            tally.count()
            reported = start
            yield Progress(reported, len(corpus))


def _normalize_from(place: Progress, text: str, normalizer: Normalizer) -> Generator[Progress, None, str]:
    """As _normalize, of a text at a place of the corpus; a short one is no reason to report."""
    if len(text) <= NORMALIZE_CHARS:
        return normalizer.normalize(text)
    normalizing = _normalize(text, normalizer)
    while True:
        try:
            next(normalizing)
        except StopIteration as stop:
            normalized: str = stop.value
            return normalized
        yield place


def _normalize(text: str, normalizer: Normalizer) -> Generator[Progress, None, str]:
    if not normalizer:
        return text
    if normalizer.needs_whole_text:
        return normalizer.normalize(text)
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start + NORMALIZE_CHARS) + 1 or len(text)  # steps work line by line
        parts.append(normalizer.normalize(text[start:end], at_start=start == 0))
        yield Progress(0, len(text))
        start = end
    return "".join(parts)


class _Tally:
    """Counts words from text to text, and the characters that are neither in a word nor white space."""

    def __init__(self, pre_tokenizer: PreTokenizer) -> None:
        self._pre_tokenizer = pre_tokenizer
        # ours leave out nothing but white space
        self._looks_for_gaps = not (pre_tokenizer.keeps_everything or pre_tokenizer.cuts_at_line_starts)
        self._counts: Counter[str] = Counter()
        self._found: list[str] = []
        self._unmatched = 0
        self._samples: list[tuple[int, str]] = []
        self._start = 0  # of the text that is cut, in the normalized corpus
        self._covered = 0  # of that text

    @property
    def start(self) -> int:
        """Characters of all texts that are closed, if gaps are looked for."""
        return self._start

    @property
    def is_full(self) -> bool:
        """Whether so many words were found that it is time to `count` them."""
        return len(self._found) >= BATCH_WORDS

    def batches(self, text: str) -> Iterator[int]:
        """Find the words of a text, some thousand at a time; yields how far it has come."""
        if not self._pre_tokenizer.is_plain:
            yield from self._word_batches(text)
            return
        for batch in self._pre_tokenizer.match_batches(text):
            self._found += [match[0] for match in batch]
            if self._looks_for_gaps:
                self._add_gaps(text, (match.span() for match in batch))
            yield batch[-1].end()

    def _word_batches(self, text: str) -> Iterator[int]:
        for batch in self._pre_tokenizer.word_batches(text):
            self._found += [word.text for word in batch]
            if self._looks_for_gaps:
                self._add_gaps(text, ((word.start, word.end) for word in batch))
            yield batch[-1].end

    def count(self) -> None:
        self._counts.update(self._found)
        self._found.clear()

    def close(self, text: str, line_end: str = "") -> None:
        """All words of the text are found; the next one begins behind it and a line end."""
        if self._looks_for_gaps:
            self._add_gap(text, len(text))
            self._start += len(text) + len(line_end)
            self._covered = 0

    def word_counts(self) -> WordCounts:
        return WordCounts(dict(self._counts), self._counts.total(), self._unmatched, tuple(self._samples))

    def _add_gaps(self, text: str, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            if start > self._covered:
                self._add_gap(text, start)
            self._covered = end

    def _add_gap(self, text: str, end: int) -> None:
        for left_out in _NOT_SPACE.finditer(text, self._covered, end):
            self._unmatched += len(left_out[0])
            if len(self._samples) < MAX_SAMPLES:
                self._samples.append((self._start + left_out.start(), left_out[0][:MAX_SAMPLE_CHARS]))


_NOT_SPACE = regex.compile(r"\S+")  # of `regex`: the 25 White_Space characters, as everywhere else
