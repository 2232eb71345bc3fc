"""The tables of a recording file: tokens, merges, and the words of the corpus with their counts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from core.alphabet import Base, Token
from core.errors import FormatError
from core.formats.tables import SCORES, TEXTS, Column, Row, lines_of, read_tables
from core.loaded_merges import LoadedMerges, PackedTokens
from core.merge import UNKNOWN, Merge
from core.packed_words import PackedWords

MAX_ID = 2**31 - 1
MAX_TOKENS = MAX_MERGES = MAX_WORDS = 1 << 20
"""With all of them reached, reading takes less than a gigabyte."""
MAX_WORDS_CHARS = 24 << 20
MAX_WORD_CHARS = 1 << 19
MAX_MADE_BYTES = 256 << 20
"""Of all tokens that merges make: sixty merges could double a token to more than any memory holds."""

FLAGS = ("ends_word", "special", "continues", "is_fallback")
"""Of a token; the first one is bit 0."""

TOKENS = (Column("id"), Column("hex", TEXTS), Column("flags", may_lack=True, default=0))
COUNTS = (Column("id", lowest=UNKNOWN), Column("count"))
WORDS = (Column("word", TEXTS), Column("count"))
MERGES = (
    Column("left"),
    Column("right"),
    Column("token"),
    *(Column(name, may_lack=True, default=0) for name in ("count", "applied", "tied", "completed")),
    Column("score", SCORES, may_lack=True),
)


def token_lines(tokens: Mapping[int, Token]) -> Iterator[bytes]:
    return lines_of(TOKENS, _token_rows(tokens))


def _token_rows(tokens: Mapping[int, Token]) -> Iterator[Row]:
    if isinstance(tokens, PackedTokens):  # three times as fast
        for token_id, (start, end) in zip(tokens.ids.tolist(), pairwise(tokens.offsets.tolist()), strict=True):
            yield token_id, tokens.data[start:end].hex(), 0
        return
    for token_id, token in tokens.items():
        flags = sum(getattr(token, name) << bit for bit, name in enumerate(FLAGS))
        yield token_id, token.content.hex(), flags


def merge_lines(merges: Iterable[Merge]) -> Iterator[bytes]:
    return lines_of(MERGES, (merge[1:] for merge in merges))


def count_lines(counts: Mapping[int, int]) -> Iterator[bytes]:
    return lines_of(COUNTS, counts.items())


def word_lines(words: Mapping[str, int]) -> Iterator[bytes]:
    return lines_of(WORDS, words.items())


def can_keep_words(words: Mapping[str, int]) -> bool:
    """Whether there are not too many of them, and none is too long, for the file to hold them."""
    if len(words) > MAX_WORDS:
        return False
    if isinstance(words, PackedWords):
        sizes = np.diff(words.offsets)
        return int(sizes.sum()) <= MAX_WORDS_CHARS and int(sizes.max(initial=0)) <= MAX_WORD_CHARS
    return sum(map(len, words)) <= MAX_WORDS_CHARS and max(map(len, words), default=0) <= MAX_WORD_CHARS


class TokenReader:
    """Takes tokens in, line by line."""

    def __init__(self, base: Base, place: str) -> None:
        self.sizes: dict[int, int] = {}
        self._tokens: dict[int, Token] = {}
        self._plain = list[tuple[list[int], bytes]]()
        self._base = base
        self._place = place

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Yields how many there are, after each line."""
        for ids, contents, flags in read_tables(TOKENS, lines, self._place, MAX_TOKENS):
            before = len(self.sizes)
            self.sizes.update((token_id, len(content) // 2) for token_id, content in zip(ids, contents, strict=True))
            if len(self.sizes) < before + len(ids) or max(ids, default=0) > MAX_ID:
                raise FormatError(f"{self._place}: an id stands for two tokens, or is larger than {MAX_ID:,}.")
            self._take(ids, contents, flags)
            yield len(self.sizes)

    def tokens(self) -> Mapping[int, Token]:
        """Packed, if all of them are mere bytes in the order of their ids: in a tenth of the time."""
        ids = list(self.sizes)
        if self._tokens or not ids or ids != sorted(ids):
            return {token_id: self._tokens.get(token_id) or Token(data) for token_id, data in self._contents()}
        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(np.fromiter(self.sizes.values(), np.int64, len(ids)), out=offsets[1:])
        return PackedTokens(np.array(ids, np.int32), b"".join(data for _, data in self._plain), offsets)

    def _contents(self) -> Iterator[tuple[int, bytes]]:
        for ids, data in self._plain:
            start = 0
            for token_id in ids:
                yield token_id, data[start : start + self.sizes[token_id]]
                start += self.sizes[token_id]

    def _take(self, ids: list[int], contents: list[str], flags: list[int]) -> None:
        try:
            data = bytes.fromhex("".join(contents))
        except ValueError:
            raise FormatError(f"{self._place}: the content of a token is not in hex.") from None
        if len(data) != sum(self.sizes[token_id] for token_id in ids):
            raise FormatError(f"{self._place}: the content of a token is not in hex.")
        self._plain.append((ids, data))
        if self._base is Base.BYTES and not any(flags):
            return
        for token_id, content, bits in zip(ids, contents, flags, strict=True):
            if bits >> len(FLAGS):
                raise FormatError(f"{self._place}: the flags {bits} of the id {token_id:,} are too large.")
            if bits or self._base is Base.CHARACTERS:
                self._tokens[token_id] = self._token(token_id, bytes.fromhex(content), bits)

    def _token(self, token_id: int, data: bytes, bits: int) -> Token:
        token = Token(data, bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8))
        if token.is_fallback and len(token.content) != 1:
            raise FormatError(f"{self._place}: the id {token_id:,} should stand for a single byte.")
        if token.special or (self._base is Base.CHARACTERS and not token.is_fallback):
            try:
                token.content.decode()
            except UnicodeDecodeError:
                raise FormatError(f"{self._place}: the id {token_id:,} should be whole characters.") from None
        return token


class MergeReader:
    """Takes merges in, line by line; `sizes` are the bytes of the tokens that are there before them."""

    def __init__(self, sizes: Mapping[int, int], place: str) -> None:
        self._columns = list[tuple[list[Any], ...]]()
        self._count = 0
        self._sizes = dict(sizes)
        self._room = MAX_MADE_BYTES
        self._place = place

    def __len__(self) -> int:
        return self._count

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Yields how many there are, after each line."""
        for columns in read_tables(MERGES, lines, self._place, MAX_MERGES):
            self._check(*columns[:3])
            self._columns.append(columns)
            self._count += len(columns[0])
            yield self._count

    def slices(self) -> Iterator[list[Merge]]:
        """All of them, a slice at a time."""
        rank = 0
        for columns in self._columns:
            yield list(map(Merge, range(rank, rank + len(columns[0])), *columns))
            rank += len(columns[0])

    def loaded(self) -> LoadedMerges | None:
        """All at once, None where there are counts."""
        if any(any(column) for columns in self._columns for column in columns[3:]):
            return None
        joined = (list(chain.from_iterable(columns[side] for columns in self._columns)) for side in range(3))
        return LoadedMerges(*(np.array(column, np.int32) for column in joined))

    def _check(self, lefts: Sequence[int], rights: Sequence[int], token_ids: Sequence[int]) -> None:
        sizes, room = self._sizes, self._room
        for place, (left, right, token_id) in enumerate(zip(lefts, rights, token_ids, strict=True)):
            if left not in sizes or right not in sizes:
                missing, rank = right if left in sizes else left, self._count + place
                raise FormatError(
                    f"{self._place}: the merge of rank {rank:,} needs the id {missing:,}, and no token has it."
                )
            if token_id not in sizes:
                sizes[token_id] = size = sizes[left] + sizes[right]
                room -= size
        self._room = room
        if room < 0 or max(token_ids, default=0) > MAX_ID:
            raise FormatError(f"{self._place}: tokens are longer, or ids larger, than any should be.")


class WordReader:
    """Takes words in, line by line."""

    def __init__(self, place: str) -> None:
        self.words: dict[str, int] = {}
        self._place = place

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Yields how many there are, after each line."""
        for words, counts in read_tables(WORDS, lines, self._place, MAX_WORDS):
            before = len(self.words)
            self.words.update(zip(words, counts, strict=True))
            if len(self.words) < before + len(words):
                raise FormatError(f"{self._place}: a word is listed twice.")
            if min(counts, default=1) < 1:
                raise FormatError(f"{self._place}: a word has a count below 1.")
            yield len(self.words)


class CountReader:
    """Takes the counts of base symbols in, line by line."""

    def __init__(self, known: Collection[int], place: str) -> None:
        self.counts: dict[int, int] = {}
        self._known = known
        self._place = place

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Yields how many there are, after each line."""
        for ids, counts in read_tables(COUNTS, lines, self._place, MAX_TOKENS):
            for token_id, count in zip(ids, counts, strict=True):
                if token_id in self.counts or (token_id != UNKNOWN and token_id not in self._known):
                    raise FormatError(f"{self._place}: the id {token_id:,} is no token, or is listed twice.")
                self.counts[token_id] = count
            yield len(self.counts)
