"""Cuts a corpus that comes piece by piece into chunks whose words can be counted apart from each other.

A chunk of whole texts can be anything. A chunk of one long text may end in the middle of a word: see chunk_counting.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from core.pipeline import Pipeline, Texts, refused
from core.progress import Progress
from core.safe_cuts import safe_places
from core.special_tokens import Specials, special_matches

CHUNK_CHARS = 1 << 20  # some 0.2 s of work for a regular expression


class TextPiece(NamedTuple):
    """As Piece in text_stream.py, but its text."""

    text: str
    file: int
    progress: Progress
    is_added: bool = False


class Chunk(NamedTuple):
    """Whole texts, of which the first has `number` in the corpus, or part of a text; `is_first` is the part it begins
    with. Behind it are so many characters that belong to no text."""

    text: str
    progress: Progress
    number: int = 1
    is_first: bool = True
    is_part: bool = False
    gap: int = 0


class Way(Enum):
    """What chunks are made of."""

    LINES = auto()
    BETWEEN_SPECIALS = auto()
    PARTS = auto()
    WHOLE_TEXTS = auto()
    """Texts that cannot be cut, however long they are."""


def way_of(pipeline: Pipeline) -> Way:
    if pipeline.texts in (Texts.LINES, Texts.LINES_WITH_ENDS):
        return Way.LINES
    if pipeline.cuts_at_specials:
        return Way.BETWEEN_SPECIALS
    has_parts = safe_places(pipeline.pre_tokenizer) and not pipeline.normalizer.needs_whole_text
    return Way.PARTS if has_parts else Way.WHOLE_TEXTS


def chunks_of(pieces: Iterable[TextPiece], pipeline: Pipeline, size: int = CHUNK_CHARS) -> Iterator[Chunk]:
    """All of the corpus, in its order. Raises SpecialTokenError as Pipeline.check does."""
    cutter = _Cutter(pipeline, size)
    check = _Check(pipeline)
    for piece in pieces:
        check.look_at(piece.text)
        yield from cutter.add(piece)
    check.look_at("", is_last=True)
    yield cutter.end_text()


class _Cutter:
    def __init__(self, pipeline: Pipeline, size: int) -> None:
        self._pipeline = pipeline
        self._way = way_of(pipeline)
        self._size = size
        self._by_files = pipeline.texts is Texts.FILES
        self._file = 0
        self._waiting: list[str] = []
        self._length = 0  # of what waits
        self._searched = 0  # of that, without a place to cut
        self._progress = Progress(0, 0)
        self._number = 1
        self._is_first = True

    def add(self, piece: TextPiece) -> Iterator[Chunk]:
        if self._by_files and piece.file != self._file:
            yield self.end_text(gap=int(piece.is_added))
            self._file = piece.file
        self._progress = piece.progress
        if not (piece.is_added and self._by_files):
            self._waiting.append(piece.text)
            self._length += len(piece.text)
        if self._way is not Way.WHOLE_TEXTS and self._length - self._searched >= max(self._size, self._searched):
            yield from self._cut()

    def end_text(self, gap: int = 0) -> Chunk:
        """What waits is the end of a text, or of the last ones."""
        text, self._waiting, self._length, self._searched = "".join(self._waiting), [], 0, 0
        chunk = self._chunk(text, gap)
        self._number += self._texts_in(text)
        self._is_first = True
        return chunk

    def _cut(self) -> Iterator[Chunk]:
        """Hand out as much of what waits as can be cut off."""
        text = "".join(self._waiting)
        place = self._place_to_cut(text)
        self._waiting = [text[place:]]
        self._length = self._searched = len(text) - place
        if place:
            yield self._chunk(text[:place], 0)
            self._is_first = False
            self._number += self._texts_in(text[:place]) - (self._way is Way.BETWEEN_SPECIALS)  # one has no end yet

    def _place_to_cut(self, text: str) -> int:
        if self._way is Way.BETWEEN_SPECIALS:
            return _end_of_last(text, self._pipeline.special_tokens)
        if self._way is Way.PARTS and not self._pipeline.normalizer:
            return len(text)
        return text.rfind("\n") + 1  # normalizers work line by line

    def _texts_in(self, text: str) -> int:
        """What the number of a chunk grows by; the parts of a text have its number."""
        if self._way is Way.PARTS or self._way is Way.WHOLE_TEXTS:
            return int(self._by_files)
        return sum(1 for _ in self._pipeline.cut(text))

    def _chunk(self, text: str, gap: int) -> Chunk:
        return Chunk(text, self._progress, self._number, self._is_first, self._way is Way.PARTS, gap)


def _end_of_last(text: str, special_tokens: Sequence[str]) -> int:
    """The end of the last special token that no more text can make another one of; 0 if there is none."""
    longest, end = max(map(len, special_tokens)), 0
    for match in special_matches(text, special_tokens):
        if match.start() + longest <= len(text):
            end = match.end()
    return end


class _Check:
    """Looks for special tokens where they are refused."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._tokens = pipeline.special_tokens if pipeline.specials is Specials.REFUSE else ()
        self._longest = max(map(len, self._tokens), default=0)
        self._waiting = ""  # what may be the beginning of one
        self._place = 0  # of that, in the corpus

    def look_at(self, text: str, is_last: bool = False) -> None:
        if not self._tokens:
            return
        text = self._waiting + text
        kept = max(len(text) - self._longest + 1, 0)
        for match in special_matches(text, self._tokens):
            if match.start() < kept or is_last:
                raise refused(match[0], self._place + match.start())
        self._waiting = text[kept:]
        self._place += kept
