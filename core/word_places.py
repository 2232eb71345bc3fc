"""The words of a text as places in its UTF-8 bytes, which compiled loops read.

Importing this compiles loops or loads them from the cache, see kernel_loader.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.alphabet import utf8
from core.kernels import scanning
from core.kernels.characters import character_kinds
from core.packed_words import PADDING, Bytes, Numbers, PackedWords
from core.pipeline import Pipeline
from core.pre_tokenizer import PreTokenizer

CHARS_PER_SLICE = 1 << 17
WORDS_PER_SLICE = 1 << 12
"""What stays in the processor's cache while it is encoded: 65,536 took 130 ms for 10 MB, not 110."""


class Words(NamedTuple):
    """Word i is `data[starts[i]:ends[i]]`; PADDING bytes follow the last one."""

    data: Bytes
    starts: Numbers
    ends: Numbers

    @classmethod
    def of(cls, words: Iterable[str]) -> "Words":
        encoded = [utf8(word) for word in words]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
        return cls(_padded(*encoded), offsets[:-1], offsets[1:])

    @classmethod
    def of_bytes(cls, words: Sequence[bytes]) -> "Words":
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)))
        starts = ends - np.fromiter(map(len, words), np.int64, len(words))
        return cls(_padded(b"".join(words)), starts, ends)

    @classmethod
    def of_packed(cls, words: PackedWords) -> "Words":
        return cls(words.data, words.offsets[:-1], words.offsets[1:])

    @property
    def longest(self) -> int:
        """Bytes of the longest one."""
        return int((self.ends - self.starts).max(initial=0))

    def slice(self, first: int, last: int) -> "Words":
        return Words(self.data, self.starts[first:last], self.ends[first:last])


def words_of(pipeline: Pipeline, text: str) -> Iterator[tuple[Words, float]]:
    """The words of a text from left to right, some thousand at a time, with the share of the text that they end at.

    At times there are none, in the midst of a long one. Those of one time are to be used before the next. Raises as
    PreTokenizer.words does.
    """
    return words_in(pipeline.pre_tokenizer, pipeline.normalizer.normalize(text) if pipeline.normalizer else text)


def words_in(pre_tokenizer: PreTokenizer, normalized: str) -> Iterator[tuple[Words, float]]:
    """The same of a text that is normalized."""
    pattern = compiled_pattern(pre_tokenizer)
    if pattern is not None:
        for stretch in stretches_of(pattern, normalized):
            yield from ((words, stretch.share) for words in _scan(pattern, stretch))
        return
    for batch in pre_tokenizer.word_batches(normalized):
        yield Words.of([word.text for word in batch]), batch[-1].end / len(normalized)


def compiled_pattern(pre_tokenizer: PreTokenizer) -> int | None:
    """What `scan` calls its pattern, if that is all there is to it."""
    return scanning.PATTERN_NUMBERS.get(pre_tokenizer.pattern) if pre_tokenizer.is_plain else None


class Stretch(NamedTuple):
    """`data[:stop]` of a text, with PADDING bytes behind, and the share of the text that it ends at."""

    data: Bytes
    stop: int
    share: float


def stretches_of(pattern: int, text: str) -> Iterator[Stretch]:
    """So many characters of a text at a time as can be cut off safely; none of a long one that is searched for a cut"""
    rest, done, wanted, share = bytearray(), 0, CHARS_PER_SLICE, 0.0
    while done < len(text):
        first, done = done, min(done + wanted, len(text))
        data = _padded(rest, utf8(text[first:done]))
        stop = cut = len(data) - PADDING
        if done < len(text):
            cut = scanning.last_safe_cut(pattern, data, 0, stop, character_kinds())
        if cut > 0:
            wanted, share = CHARS_PER_SLICE, done / len(text)
            yield Stretch(data, cut, share)
        else:
            wanted *= 2
            yield Stretch(data, 0, share)  # looking for a cut has taken its time
        rest = bytearray(data[max(cut, 0) : stop])


def _scan(pattern: int, stretch: Stretch) -> Iterator[Words]:
    """Its words. The arrays of their places are the same ones each time, with other words."""
    data, stop, _ = stretch
    starts, ends = np.empty((2, WORDS_PER_SLICE), np.int64)
    start = 0
    if not stop:
        yield Words.of([])
    while start < stop:
        count = scanning.scan(pattern, data, start, stop, character_kinds(), starts, ends, 0)
        yield Words(data, starts[:count], ends[:count])
        start = int(ends[count - 1]) if count == len(starts) else stop


def _padded(*parts: bytes | bytearray) -> Bytes:
    return np.frombuffer(bytearray().join([*parts, bytes(PADDING)]), np.uint8)
