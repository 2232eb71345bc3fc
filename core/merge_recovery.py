"""The merges that a vocabulary of bytes was made by, from the order of its tokens alone.

Each token, cut by the merges of the tokens before it, falls into the two parts that it was made of. So it is with all
vocabularies that byte pair encoding made; a token that falls into more was not made by a merge.
"""

from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import kernel_loader
from core.packed_words import PADDING, Bytes, Numbers
from core.progress import Progress

Indices = NDArray[np.int32]

TOKENS_PER_SLICE = 1 << 14
BYTES = 256


class Parts(NamedTuple):
    """Of each token of `recovered`: how many parts it falls into, the first and the last of them.

    A part below 256 is a byte, and 256 + i is the i-th token.
    """

    counts: Indices
    lefts: Indices
    rights: Indices


def recovered(tokens: Sequence[bytes]) -> Generator[Progress, None, Parts]:
    """The parts of different tokens of two bytes and more, in the order in which they were made."""
    if not kernel_loader.are_ready():
        return (yield from _plain(tokens))
    offsets = np.zeros(len(tokens) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, tokens), np.int64, len(tokens)), out=offsets[1:])
    data = np.frombuffer(bytearray().join([*tokens, bytes(PADDING)]), np.uint8)
    return (yield from _compiled(data, offsets))


def recovered_packed(data: Bytes, offsets: Numbers) -> Generator[Progress, None, Parts]:
    """The same of tokens that are packed: token i is `data[offsets[i]:offsets[i + 1]]`, with PADDING at the end."""
    if kernel_loader.are_ready():
        return (yield from _compiled(data, offsets))
    content = data.tobytes()
    return (yield from _plain([content[start:end] for start, end in pairwise(offsets.tolist())]))


def _compiled(data: Bytes, offsets: Numbers) -> Generator[Progress, None, Parts]:
    from core.kernels import encoding
    from core.kernels.recovering import recover
    from core.kernels.word_encoding import new_scratch

    count, width = len(offsets) - 1, BYTES + 1
    merges = encoding.Merges(
        np.full(width * width, encoding.NEVER, np.int32),
        np.full(max(2 << count.bit_length(), 2), encoding.EMPTY),
        np.ones(width + count, np.int32),
        np.ones(width + count, np.int32),
        width,
        width,
    )
    symbols = np.arange(1, width, dtype=np.int32)
    scratch = new_scratch(int(np.diff(offsets).max(initial=0)))
    counts, lefts, rights = np.zeros((3, count), np.int32)
    for first in range(0, count, TOKENS_PER_SLICE):
        last = min(first + TOKENS_PER_SLICE, count)
        recover(data, offsets, first, last, symbols, merges, scratch, lefts, rights, counts)
        yield Progress(last, count)
    return Parts(counts, lefts - 1, rights - 1)  # number 0 stands for no symbol


def _plain(tokens: Sequence[bytes]) -> Generator[Progress, None, Parts]:
    made: dict[tuple[int, int], int] = {}
    counts, lefts, rights = np.zeros((3, len(tokens)), np.int32)
    for i, token in enumerate(tokens):
        parts = _merged(list(token), made)
        counts[i], lefts[i], rights[i] = len(parts), parts[0], parts[-1]
        if len(parts) == 2:
            made[parts[0], parts[1]] = BYTES + i
        if i % TOKENS_PER_SLICE == 0:
            yield Progress(i, len(tokens))
    return Parts(counts, lefts, rights)


def _merged(parts: list[int], made: dict[tuple[int, int], int]) -> list[int]:
    while candidates := [(made[pair], place) for place, pair in enumerate(pairwise(parts)) if pair in made]:
        number, place = min(candidates)
        parts[place : place + 2] = [number]
    return parts
