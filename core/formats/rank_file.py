"""The lines `base64(token) rank` of a rank file as arrays, with the line number in every error."""

import base64
import binascii
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.alphabet import Token
from core.errors import FormatError
from core.packed_words import PADDING, Bytes, Numbers
from core.vocab import label

MAX_FILE_BYTES = 1 << 26
MAX_TOKENS = 2_000_000
MAX_TOKEN_BYTES = 1 << 12
MAX_RANK = 2**31 - 1

EMPTY = b"="
"""How an empty token is written: base64 of nothing would be nothing, and readers cut lines at white space."""

_NEWLINE, _SPACE, _PAD = 10, 32, 61
_MAX_DIGITS = 9


@dataclass(frozen=True)
class Ranks:
    """Tokens by rising rank: token i is `data[offsets[i]:offsets[i + 1]]`."""

    data: Bytes
    offsets: Numbers
    ranks: Numbers

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def lengths(self) -> Numbers:
        return np.diff(self.offsets)

    def tokens(self, are_wanted: NDArray[np.bool_] | slice = slice(None)) -> list[bytes]:
        data = self.data.tobytes()
        places = zip(self.offsets[:-1][are_wanted].tolist(), self.offsets[1:][are_wanted].tolist(), strict=True)
        return [data[start:end] for start, end in places]

    def packed(self, are_wanted: NDArray[np.bool_]) -> tuple[Bytes, Numbers]:
        """Some of the tokens one behind the other, with PADDING, and where each begins and the last one ends."""
        lengths = self.lengths
        kept = self.data[np.repeat(are_wanted, lengths)]
        offsets = np.zeros(int(np.count_nonzero(are_wanted)) + 1, np.int64)
        np.cumsum(lengths[are_wanted], out=offsets[1:])
        return np.concatenate([kept, np.zeros(PADDING, np.uint8)]), offsets


def parsed_ranks(data: bytes, file: str) -> Ranks:
    """The ranks in the content of a file; 200,000 lines take 20 ms.

    Raises FormatError with the number of the line that is wrong. Whether a token stands there twice is asked with
    `check_tokens`, which is slow.
    """
    if len(data) > MAX_FILE_BYTES:
        raise FormatError(f"{file} is larger than {MAX_FILE_BYTES >> 20} MB, more than any list of ranks.")
    parsed = _parsed_at_once(data)
    if parsed is None:
        lines = list(_lines(data, file))
        _check_ranks(lines, file)
        parsed = _sorted([token for _, token, _ in lines], [rank for _, _, rank in lines])
    return parsed


def check_tokens(data: bytes, file: str) -> None:
    """Raises FormatError for a token that stands there twice."""
    seen = dict[bytes, int]()
    for number, token, _ in _lines(data, file):
        first = seen.setdefault(token, number)
        if first != number:
            raise FormatError(
                f"{file}, line {number}: the token {label(Token(token))!r} stands there twice, first in line {first}."
            )


def rank_lines(tokens: Iterable[tuple[bytes, int]]) -> Iterator[str]:
    """The file of some tokens and their ranks."""
    for token, rank in tokens:
        yield f"{(base64.b64encode(token) or EMPTY).decode()} {rank}\n"


def _parsed_at_once(data: bytes) -> Ranks | None:
    """None if there is anything unusual about the file."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    data = data if data.endswith(b"\n") else data + b"\n"
    found = np.frombuffer(data, np.uint8)
    ends, spaces = np.flatnonzero(found == _NEWLINE), np.flatnonzero(found == _SPACE)
    if len(ends) != len(spaces) or len(ends) > MAX_TOKENS:
        return None
    starts = np.concatenate([[0], ends[:-1] + 1])
    if (spaces <= starts).any() or (spaces >= ends).any():
        return None
    ranks = _numbers(found, spaces + 1, ends)
    tokens = _decoded(found, starts, spaces)
    if ranks is None or tokens is None or (np.diff(ranks) <= 0).any():
        return None
    return Ranks(*tokens, ranks)


def _numbers(found: Bytes, starts: Numbers, ends: Numbers) -> Numbers | None:
    """The decimal numbers between these places."""
    digits = ends - starts
    if (digits > _MAX_DIGITS).any():
        return None
    numbers = np.zeros(len(starts), np.int64)
    for place in range(int(digits.max(initial=0))):
        values = found[np.minimum(starts + place, ends - 1)].astype(np.int64) - ord("0")
        is_there = place < digits
        if ((values < 0) | (values > 9))[is_there].any():
            return None
        numbers = np.where(is_there, numbers * 10 + values, numbers)
    return numbers


def _decoded(found: Bytes, starts: Numbers, ends: Numbers) -> tuple[Bytes, Numbers] | None:
    """What stands there in base64: all of it in one call, as if padding were letters, whose bytes then go."""
    sizes = ends - starts
    pads = (found[ends - 1] == _PAD).astype(np.int64) + ((found[ends - 2] == _PAD) & (sizes > 1))
    is_empty = (sizes == 1) & (pads == 1)
    if ((sizes % 4 != 0) & ~is_empty).any() or int((found == _PAD).sum()) != int(pads.sum()):
        return None
    if ((found[ends - 1] != _PAD) & (pads > 0)).any() or (sizes > MAX_TOKEN_BYTES).any():
        return None
    inside = _between(found, starts, np.where(is_empty, starts, ends))
    try:
        decoded = np.frombuffer(
            binascii.a2b_base64(found[inside].tobytes().replace(EMPTY, b"A"), strict_mode=True), np.uint8
        )
    except binascii.Error:
        return None
    whole = np.where(is_empty, 0, sizes // 4 * 3)
    lengths = np.where(is_empty, 0, whole - pads)
    stops = np.cumsum(whole)
    kept = _between(decoded, stops - whole, stops - whole + lengths)
    return decoded[kept], np.concatenate([[0], np.cumsum(lengths)])


def _between(data: Bytes, starts: Numbers, ends: Numbers) -> NDArray[np.bool_]:
    """Which elements stand between these places, which rise."""
    places = np.empty(2 * len(starts) + 2, np.int64)
    places[0], places[1:-1:2], places[2:-1:2], places[-1] = 0, starts, ends, len(data)
    return np.repeat(np.arange(len(places) - 1) % 2 == 1, np.diff(places))


def _lines(data: bytes, file: str) -> Iterator[tuple[int, bytes, int]]:
    """Number, token and rank of every line that is not blank."""
    count = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if not line.strip():
            continue
        count += 1
        if count > MAX_TOKENS:
            raise FormatError(f"{file} has more than {MAX_TOKENS:,} tokens, more than any tokenizer.")
        yield number, *_line(line, f"{file}, line {number}")


def _line(line: bytes, where: str) -> tuple[bytes, int]:
    parts = line.split()
    if len(parts) != 2:
        raise FormatError(f"{where}: expected a token in base64, a space and a rank, found {_shown(line)}.")
    spelled, digits = parts
    try:
        token = b"" if spelled == EMPTY else base64.b64decode(spelled, validate=True)
    except binascii.Error:
        raise FormatError(f"{where}: expected a token in base64, found {_shown(spelled)}.") from None
    if len(token) > MAX_TOKEN_BYTES:
        raise FormatError(f"{where}: the token has {len(token):,} bytes; up to {MAX_TOKEN_BYTES:,} are read.")
    if not digits.isdigit():
        raise FormatError(f"{where}: expected a rank, a whole number from 0 on, found {_shown(digits)}.")
    if len(digits) > 2 * _MAX_DIGITS or int(digits) > MAX_RANK:
        raise FormatError(f"{where}: the rank {digits[:60].decode()} is larger than any token id can be.")
    return token, int(digits)


def _shown(line: bytes) -> str:
    return repr(line[:60].decode(errors="replace"))


def _check_ranks(lines: list[tuple[int, bytes, int]], file: str) -> None:
    seen = dict[int, int]()
    for number, _, rank in lines:
        first = seen.setdefault(rank, number)
        if first != number:
            raise FormatError(
                f"{file}, line {number}: two tokens have the rank {rank}, this one and that of line {first}."
            )


def _sorted(tokens: list[bytes], ranks: list[int]) -> Ranks:
    order = np.argsort(np.array(ranks, np.int64), kind="stable").tolist()
    ordered = [tokens[i] for i in order]
    offsets = np.zeros(len(tokens) + 1, np.int64)
    np.cumsum([len(token) for token in ordered], out=offsets[1:])
    return Ranks(np.frombuffer(b"".join(ordered), np.uint8), offsets, np.array(ranks, np.int64)[order])
