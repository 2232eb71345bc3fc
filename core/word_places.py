"""The words of a text as places in its UTF-8 bytes, which compiled loops read.

Importing this compiles loops or loads them from the cache, see kernel_loader.py.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from core.alphabet import utf8
from core.kernels import scanning
from core.kernels.characters import character_kinds
from core.packed_words import PADDING, Bytes, Numbers, PackedWords
from core.pipeline import Pipeline
from core.pre_tokenizer import PreTokenizer

WORDS_PER_SLICE = 1 << 16


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
        return cls(_padded(b"".join(encoded)), offsets[:-1], offsets[1:])

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

    Raises as PreTokenizer.words does.
    """
    return words_in(pipeline.pre_tokenizer, pipeline.normalizer.normalize(text) if pipeline.normalizer else text)


def words_in(pre_tokenizer: PreTokenizer, normalized: str) -> Iterator[tuple[Words, float]]:
    """The same of a text that is normalized."""
    if pre_tokenizer.is_plain and pre_tokenizer.pattern in scanning.PATTERN_NUMBERS:
        yield from scanned(pre_tokenizer.pattern, _padded(utf8(normalized)))
        return
    for batch in pre_tokenizer.word_batches(normalized):
        yield Words.of([word.text for word in batch]), batch[-1].end / len(normalized)


def scanned(pattern: str, data: Bytes) -> Iterator[tuple[Words, float]]:
    """The same by one of the patterns that are compiled; `data` has PADDING bytes more than the text."""
    start, stop = 0, len(data) - PADDING
    number, kinds = scanning.PATTERN_NUMBERS[pattern], character_kinds()
    while start < stop:
        starts, ends = np.empty((2, WORDS_PER_SLICE), np.int64)
        count = scanning.scan(number, data, start, stop, kinds, starts, ends)
        start = int(ends[count - 1]) if count == len(starts) else stop
        yield Words(data, starts[:count], ends[:count]), start / stop


def _padded(data: bytes) -> Bytes:
    return np.frombuffer(bytearray().join([data, bytes(PADDING)]), np.uint8)
