"""Cuts files into parts whose words can be counted on any machine, one part knowing nothing of the others.

Where a part ends is found from a byte that was picked by counting: it is the next place behind it at which every word
surely ends. So the machine that counts up to there and the one that counts from there on find the same place.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import regex

from core.chunks import Way, way_of
from core.compressed import ENDINGS
from core.errors import ConfigError
from core.pipeline import Pipeline, Texts, count_words
from core.progress import without_progress
from core.safe_cuts import safe_places, words_between
from core.spark.files import CorpusFile, opened
from core.special_tokens import Specials, special_matches

PART_BYTES = 16 << 20  # a few seconds of work


class Place(NamedTuple):
    """A byte in one of the files."""

    file: int
    offset: int


class Part(NamedTuple):
    """What stands between the safe places behind two bytes, of the texts in the files from `first_file` on.

    `begin` None is the beginning of the first, `end` None the end of the last; `end_file` is the one behind that.
    """

    number: int
    first_file: int
    end_file: int
    begin: Place | None
    end: Place | None


class Line(NamedTuple):
    """A line with its end, and where it starts; a file's last line has the end that is put between files."""

    place: Place
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode(errors="surrogateescape")  # what is no UTF-8 is complained about where it is counted


def parts_of(files: Sequence[CorpusFile], pipeline: Pipeline, part_bytes: int = PART_BYTES) -> list[Part]:
    """All parts in the order of the corpus. Raises ConfigError for a pipeline that only one machine can use."""
    if pipeline.specials is not Specials.AS_TEXT and any("\n" in token for token in pipeline.special_tokens):
        raise ConfigError("A special token with a line end in it cannot be looked for on Spark: leave it as text.")
    parts = list[Part]()
    for first, end in _streams(files, pipeline):
        bytes_picked = _picked(files, first, end, part_bytes) if way_of(pipeline) is not Way.WHOLE_TEXTS else []
        begins = [None, *bytes_picked]
        ends = [*bytes_picked, None]
        parts += [Part(len(parts) + n, first, end, *pair) for n, pair in enumerate(zip(begins, ends, strict=True))]
    return parts


def _streams(files: Sequence[CorpusFile], pipeline: Pipeline) -> Iterator[tuple[int, int]]:
    """Which files are read as one, from the first to that behind the last."""
    if pipeline.texts is Texts.FILES:
        yield from ((number, number + 1) for number in range(len(files)))
    elif files:
        yield 0, len(files)


def _picked(files: Sequence[CorpusFile], first: int, end: int, part_bytes: int) -> list[Place]:
    """Every so many bytes; in a compressed file none but the first."""
    picked, done = dict[Place, None](), 0
    starts = accumulate((files[number].size for number in range(first, end)), initial=0)
    for number, start in zip(range(first, end), starts, strict=False):
        stop = start + files[number].size
        for place in range(done + part_bytes, stop, part_bytes):
            picked[Place(number, 0 if files[number].name.endswith(ENDINGS) else place - start)] = None
            done = place
    return [place for place in picked if place != (first, 0)]


@dataclass(frozen=True)
class PartCounter:
    """Counts the words of parts of these files."""

    files: Sequence[CorpusFile]
    pipeline: Pipeline

    def count(self, part: Part) -> Mapping[str, int]:
        """In order of first appearance. Raises CorpusError, and PatternError and SpecialTokenError as count_words."""
        begin = None if part.begin is None else self._safe_line(part.begin, part.end_file)
        end = None if part.end is None else self._safe_line(part.end, part.end_file)
        if part.begin is not None and begin == end:  # there is no safe place between
            return {}
        start = Place(part.first_file, 0) if begin is None else begin.place
        text = self._text(start, end.place if end else None, part.end_file)
        if self._way is Way.PARTS:
            return self._words_of_part(text, is_first=begin is None, behind=end)
        pipeline = replace(self.pipeline, texts=Texts.WHOLE) if self.pipeline.texts is Texts.FILES else self.pipeline
        return without_progress(count_words(text, pipeline)).counts

    def _words_of_part(self, text: str, is_first: bool, behind: Line | None) -> Mapping[str, int]:
        self.pipeline.check(text)
        normalized = self.pipeline.normalizer.normalize(text, at_start=is_first)
        ahead = self._normalized(behind)[:1] if behind else ""  # has a say in where the last word ends
        counts = Counter[str]()
        for words in words_between(self.pipeline.pre_tokenizer, normalized + ahead, 0, len(normalized)):
            counts.update(words)
        return counts

    def _safe_line(self, byte: Place, end_file: int) -> Line | None:
        """Where the next part starts behind this byte, with what stands there; None at the end."""
        lines = self._lines(byte, end_file)
        if self._way is Way.LINES:
            return next(lines, None)
        if self._way is Way.BETWEEN_SPECIALS:
            return next((rest for line in lines for rest in self._behind_special(line)), None)
        before = next(lines, None)
        for line in lines:
            if before and self._is_safe(before, line):
                return line
            before = line
        return None

    def _is_safe(self, before: Line, line: Line) -> bool:
        """Whether a word ends between these lines, once they are normalized."""
        places, start = self._safe_places, self._normalized(before)
        return places.match(start + self._normalized(line), len(start)) is not None

    def _behind_special(self, line: Line) -> Iterator[Line]:
        text = line.text
        for match in special_matches(text, self.pipeline.special_tokens):
            size = len(text[: match.end()].encode(errors="surrogateescape"))
            yield Line(Place(line.place.file, line.place.offset + size), line.data[size:])

    def _normalized(self, line: Line) -> str:
        return self.pipeline.normalizer.normalize(line.text, at_start=False)

    @cached_property
    def _way(self) -> Way:
        return way_of(self.pipeline)

    @cached_property
    def _safe_places(self) -> "regex.Pattern[str]":
        return regex.compile(safe_places(self.pipeline.pre_tokenizer) or "(?!)")

    def _lines(self, start: Place, end_file: int) -> Iterator[Line]:
        """Those that start at this byte or behind it."""
        unended: Line | None = None
        for number in range(start.file, end_file):
            offset = start.offset if number == start.file else 0
            with opened(self.files[number]) as file:
                offset = file.skip_line(offset) if offset else file.skip_mark()
                for data in file.lines():
                    if unended:
                        yield unended._replace(data=unended.data + b"\n")
                    line, unended = Line(Place(number, offset), data), None
                    offset += len(data)
                    if data.endswith(b"\n"):
                        yield line
                    else:
                        unended = line
        if unended:
            yield unended

    def _text(self, start: Place, stop: Place | None, end_file: int) -> str:
        """What stands between two places, with a line end between files where there is none."""
        texts, is_unended = list[str](), self._way is Way.BETWEEN_SPECIALS and start.offset > 0
        for number in range(start.file, stop.file + 1 if stop else end_file):
            end = stop.offset if stop and number == stop.file else None
            with opened(self.files[number]) as file:
                text = file.text(start.offset if number == start.file else 0, end)
            if text:
                texts += ["\n", text] if is_unended and number > start.file else [text]
                is_unended = not text.endswith("\n")
        if stop and is_unended and self._way is not Way.BETWEEN_SPECIALS:
            texts.append("\n")  # behind the part a line begins, in another file
        return "".join(texts)
