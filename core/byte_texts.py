"""Cuts a corpus of UTF-8 bytes into stretches that can be counted in any order, each with the texts in it.

This needs the compiled loops: see kernel_loader.py.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.alphabet import utf8
from core.packed_words import PADDING, Bytes, Numbers
from core.pipeline import Pipeline, Texts, refused
from core.special_tokens import Specials

STRETCH_BYTES = 1 << 21
"""4 to 20 ms of counting."""
LINE_END, CARRIAGE_RETURN = b"\n\r"


class Chunk(NamedTuple):
    """Bytes that follow on those of the last chunk; they may end anywhere, within a character too.

    `place` is how far the corpus is read with them, in whatever is to be reported. `ends_text` parts them from what
    follows, as the end of a file does where every file is a text of its own.
    """

    data: bytes
    place: int
    ends_text: bool = False


class Stretch(NamedTuple):
    """The texts `data[starts[i]:ends[i]]`, or with `by_lines` the lines of these.

    `base` is where the corpus has `data[0]`, `place` is its last chunk's.
    """

    data: Bytes
    starts: Numbers
    ends: Numbers
    base: int
    place: int
    by_lines: bool


def stretches(chunks: Iterable[Chunk], pipeline: Pipeline, least_bytes: int = STRETCH_BYTES) -> Iterator[Stretch]:
    """All of a corpus: the words of all these texts are the words of its own texts.

    A stretch has `least_bytes`, save at the end of a text, and up to a chunk more; or as many as it needs to be cut.
    """
    cutter = _Cutter(pipeline)
    gathered, size, wanted, base = list[bytes](), 0, least_bytes, 0
    for chunk in _ended(chunks):
        gathered.append(chunk.data)
        size += len(chunk.data)
        if size < wanted and not chunk.ends_text:
            continue
        data = bytearray().join([*gathered, bytes(PADDING)])
        cut, starts, ends = cutter.cut(data, size, chunk.ends_text)
        if cut:
            yield Stretch(np.frombuffer(data, np.uint8), starts, ends, base, chunk.place, cutter.by_lines)
        gathered = [bytes(data[cut:size])]
        base, size = base + cut, size - cut
        wanted = max(least_bytes, 2 * size)  # so that a long text without cuts is not searched too often


def _ended(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    place = 0
    for chunk in chunks:
        place = chunk.place
        yield chunk
    yield Chunk(b"", place, ends_text=True)


def checked(chunks: Iterable[Chunk], pipeline: Pipeline) -> Iterator[Chunk]:
    """The same chunks; raises SpecialTokenError as Pipeline.check does."""
    refuses = pipeline.specials is Specials.REFUSE and pipeline.special_tokens
    if not refuses:
        yield from chunks
        return
    specials = _finder(pipeline.special_tokens)
    longest = max(len(utf8(token)) for token in pipeline.special_tokens)
    before, characters = b"", 0
    for chunk in _ended(chunks):
        data = before + chunk.data
        for match in specials.finditer(data):
            if match.start() + longest <= len(data) or chunk.ends_text:
                raise refused(match[0].decode(errors="surrogatepass"), characters + _characters(data[: match.start()]))
        before = b"" if chunk.ends_text else data[-longest:]
        characters += _characters(data[: len(data) - len(before)])
        yield chunk


def _characters(data: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) & 0xC0 != 0x80))


def _finder(tokens: Sequence[str], line_ends_are_dropped: bool = False) -> "re.Pattern[bytes]":
    """Where tokens overlap the leftmost longest wins, as in special_matches."""
    longest_first = sorted(tokens, key=len, reverse=True)
    guards = [rb"(?!\n)" if line_ends_are_dropped and token.endswith("\r") else b"" for token in longest_first]
    parts = [re.escape(utf8(token)) + guard for token, guard in zip(longest_first, guards, strict=True)]
    return re.compile(b"|".join(parts))


class _Cutter:
    """Finds where a corpus can be cut in two, and the texts in what is cut off."""

    def __init__(self, pipeline: Pipeline) -> None:
        from core.kernels.characters import character_kinds
        from core.kernels.scanning import PATTERN_NUMBERS, find_lines, last_safe_cut

        self._find_lines = find_lines
        self._last_safe_cut = last_safe_cut
        self._pattern = PATTERN_NUMBERS[pipeline.pre_tokenizer.pattern]
        self._kinds = character_kinds()
        self._has_lines = pipeline.texts in (Texts.LINES, Texts.LINES_WITH_ENDS)
        self._drops_line_ends = pipeline.texts is Texts.LINES
        self.by_lines = pipeline.texts is Texts.LINES_WITH_ENDS
        tokens = [token for token in pipeline.special_tokens if pipeline.cuts_at_specials and self._can_stand(token)]
        self._specials = _finder(tokens, self._drops_line_ends) if tokens else None
        self._reach = max((len(utf8(token)) + 1 for token in tokens), default=0)

    def cut(self, data: bytearray, size: int, is_end: bool) -> tuple[int, Numbers, Numbers]:
        """How much of `data[:size]` to cut off, which may be nothing, and where the texts in that begin and end."""
        matches = [match.span() for match in self._specials.finditer(data, 0, size)] if self._specials else []
        place = size if is_end else self._last_cut(data, size, matches)
        starts, ends = self._lines(data, place) if self._drops_line_ends else (_numbers([0]), _numbers([place]))
        specials = [span for span in matches if span[1] <= place]
        if specials:
            starts = np.sort(np.concatenate([starts, _numbers([end for _, end in specials])]))
            ends = np.sort(np.concatenate([ends, _numbers([start for start, _ in specials])]))
        return place, starts, ends

    def _can_stand(self, token: str) -> bool:
        """Whether there are texts that can hold it."""
        return not self._has_lines or "\n" not in (token if self._drops_line_ends else token[:-1])

    def _last_cut(self, data: bytearray, size: int, specials: Sequence[tuple[int, int]]) -> int:
        """0 if there is none. A special token may begin so near the end that it is not yet known."""
        known = size - self._reach
        start = max((end for first, end in specials if first <= known), default=0)
        if known <= start:
            return start
        if self._has_lines:
            return (data.rfind(b"\n", start, known) + 1) or start
        found = self._last_safe_cut(self._pattern, np.frombuffer(data, np.uint8), start, known, self._kinds)
        return int(max(start, found))

    def _lines(self, data: bytearray, stop: int) -> tuple[Numbers, Numbers]:
        found = np.frombuffer(data, np.uint8)
        ends = np.empty(np.count_nonzero(found[:stop] == LINE_END) + 1, np.int64)
        lines = self._find_lines(found, stop, ends)
        starts, ends = np.zeros(lines, np.int64), ends[:lines].copy()
        starts[1:] = ends[:-1]
        is_ended = found[ends - 1] == LINE_END
        ends -= is_ended
        ends -= is_ended & (ends > starts) & (found[ends - 1] == CARRIAGE_RETURN)
        return starts, ends


def _numbers(values: Sequence[int]) -> Numbers:
    return np.array(values, np.int64)
