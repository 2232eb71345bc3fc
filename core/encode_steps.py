"""How a phrase is encoded, laid out for looking at: its words and, for each word, one row a merge.

A row is derived when it is asked for; what is stored of a word is one row number and a few ranks per boundary.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from core.alphabet import Marker, Token
from core.merge import UNKNOWN, Merge
from core.recording import Recording
from core.tokenizer import NEVER, Piece, Tokenizer, merge_ranks
from core.vocab import bytes_line, facts, hex_bytes, label, merge_text, token_label

MAX_PHRASE_CHARS = 5_000  # 11 ms for prose, 40 ms for one word of 15,000 bytes
MAX_MERGE_ROWS = 500
MAX_RIVALS_SPOKEN = 5
MAX_FACT_CHARS = 90


@dataclass(frozen=True, slots=True)
class Row:
    """A word before one of its merges or, in its last row, after all of them.

    `ranks[i]` is the rank of the merge that could join pieces i and i + 1; the one at `winner` comes next. `made` is
    the piece that the merge before has made. None: there is no such thing.
    """

    pieces: tuple[Piece, ...]
    ranks: tuple[int | None, ...]
    winner: int | None
    made: int | None

    @property
    def rank(self) -> int | None:
        """Rank of the merge that comes next."""
        return None if self.winner is None else self.ranks[self.winner]

    @property
    def rivals(self) -> list[int]:
        """Ranks of the other merges that were possible, lowest first."""
        return sorted(rank for i, rank in enumerate(self.ranks) if rank is not None and i != self.winner)


class WordSteps:
    """Everything that happens to one word (or special token) under the first `step` merges."""

    def __init__(self, recording: Recording, word: str, step: int, special_id: int | None = None) -> None:
        self.recording = recording
        self.word = word
        self.is_special = special_id is not None
        self.symbols = recording.alphabet.symbols_of(word) if special_id is None else [special_id]
        self._step = step
        self._applied: list[tuple[int, int]] = []  # (rank, boundary removed) of every merge
        self._removed_in = [NEVER] * max(len(self.symbols) - 1, 0)  # row whose merge removes the boundary
        self._ranks_from: list[list[tuple[int, int | None]]] = []  # per boundary: (row, rank from that row on)
        self._work_through()

    @property
    def merge_count(self) -> int:
        return len(self._applied)

    @property
    def row_count(self) -> int:
        """One row for each merge, the first MAX_MERGE_ROWS of them, and one for the result."""
        return min(self.merge_count, MAX_MERGE_ROWS) + 1

    @property
    def merges_left_out(self) -> int:
        return self.merge_count + 1 - self.row_count

    def row(self, index: int) -> Row:
        """Row `index`; the last one is the result, even when rows before it are left out."""
        number = self._row_number(index)
        pieces = tuple(self._pieces(number))
        ranks = tuple(self._rank_at(piece.end - 1, number) for piece in pieces[:-1])
        winner = made = None
        if number < self.merge_count:
            winner = self._piece_ending(pieces, self._applied[number][1])
        if 0 < number == index:
            made = self._piece_ending(pieces, self._applied[number - 1][1], inside=True)
        return Row(pieces, ranks, winner, made)

    def merge_of(self, index: int) -> Merge | None:
        """The merge that joins the pair outlined in this row; None for the result."""
        number = self._row_number(index)
        return self.recording[self._applied[number][0]] if number < self.merge_count else None

    def ranks_at(self, boundary: int) -> list[int]:
        """Every rank that ever stands at a boundary; boundary i lies behind base symbol i."""
        return [rank for _, rank in self._ranks_from[boundary] if rank is not None]

    def token_of(self, piece: Piece) -> Token:
        """What a piece stands for; for a character no token covers, the character itself."""
        if piece.token_id != UNKNOWN:
            return self.recording.token(piece.token_id)
        marker = self.recording.alphabet.marker
        return Token(
            self._contents[piece.start],
            ends_word=piece.end == len(self.symbols) and marker is Marker.SUFFIX,
            continues=piece.start > 0 and marker is Marker.CONTINUING,
        )

    def ids(self) -> list[int]:
        """Ids of the result, without the characters that no token covers."""
        ids = (self.id_of(piece) for piece in self._pieces(self.merge_count))
        return [token_id for token_id in ids if token_id is not None]

    def id_of(self, piece: Piece) -> int | None:
        """The id written for a piece: the unknown token's for a character never seen, None without one."""
        if piece.token_id != UNKNOWN:
            return piece.token_id
        return None if (unknown := self.recording.unknown_id) == UNKNOWN else unknown

    @cached_property
    def unknown_count(self) -> int:
        """Characters that have no id: no token covers them and there is no unknown token."""
        return self.symbols.count(UNKNOWN) if self.recording.unknown_id == UNKNOWN else 0

    @cached_property
    def _contents(self) -> list[bytes]:
        return self.recording.alphabet.contents_of(self.word)

    def _row_number(self, index: int) -> int:
        """Number of merges made before row `index`."""
        return self.merge_count if index == self.row_count - 1 else index

    def _work_through(self) -> None:
        """Make every merge once, noting for each boundary when it goes and which ranks stood there before."""
        current, end = list(self.symbols), len(self.symbols)  # id of the piece that starts at a symbol
        first_of, last_of = list(range(end)), list(range(end))  # by the last and the first symbol of a piece
        self._ranks_from = [[(0, self._rank(*pair))] for pair in pairwise(current)]
        for row, (rank, boundary) in enumerate(merge_ranks(self.recording, list(current), self._step)):
            first, last = first_of[boundary], last_of[boundary + 1]
            first_of[last], last_of[first] = first, last
            made = current[first] = self.recording[rank].token_id
            self._applied.append((rank, boundary))
            self._removed_in[boundary] = row
            if first > 0:
                self._ranks_from[first - 1].append((row + 1, self._rank(current[first_of[first - 1]], made)))
            if last + 1 < end:
                self._ranks_from[last].append((row + 1, self._rank(made, current[last + 1])))

    def _rank(self, left: int, right: int) -> int | None:
        rank = self.recording.rank_of((left, right))
        return rank if rank is not None and rank < self._step else None

    def _rank_at(self, boundary: int, number: int) -> int | None:
        ranks = self._ranks_from[boundary]
        return ranks[bisect_right(ranks, number, key=_row_of) - 1][1]

    def _pieces(self, number: int) -> Iterator[Piece]:
        start, latest = 0, -1
        for end, removed in enumerate([*self._removed_in, NEVER][: len(self.symbols)], 1):
            if removed < number:
                latest = max(latest, removed)
            else:
                yield Piece(self.symbols[start] if latest < 0 else self._made_in(latest), start, end)
                start, latest = end, -1

    def _made_in(self, row: int) -> int:
        return self.recording[self._applied[row][0]].token_id

    def _piece_ending(self, pieces: tuple[Piece, ...], boundary: int, inside: bool = False) -> int:
        """Index of the piece that ends at a boundary, or holds it `inside`."""
        place = bisect_right(pieces, boundary, key=_start_of) - 1
        assert inside or pieces[place].end == boundary + 1
        return place


@dataclass(frozen=True)
class Phrase:
    """A text as its words and special tokens; `problem` says why a pattern could not cut it."""

    words: tuple[WordSteps, ...] = ()
    characters_left_out: int = 0
    problem: str = ""

    @cached_property
    def ids(self) -> tuple[int, ...]:
        return tuple(token_id for word in self.words for token_id in word.ids())

    @cached_property
    def unknown_count(self) -> int:
        """Characters without an id."""
        return sum(word.unknown_count for word in self.words)


def encode_phrase(recording: Recording, text: str, step: int) -> Phrase:
    """The first MAX_PHRASE_CHARS of `text` under the first `step` merges. Raises PatternError as `words` does."""
    shown = text[:MAX_PHRASE_CHARS]
    words = list[WordSteps]()
    known: dict[str, WordSteps] = {}
    for start, end, special_id in Tokenizer(recording, step).stretches(shown):
        if special_id is not None:
            words.append(WordSteps(recording, shown[start:end], step, special_id))
            continue
        for word in recording.pipeline.words(shown[start:end]):
            if word.text not in known:
                known[word.text] = WordSteps(recording, word.text, step)
            words.append(known[word.text])
    return Phrase(tuple(words), len(text) - len(shown))


def merge_sentence(recording: Recording, merge: Merge) -> str:
    """`rank 12: h + a → ha`"""
    return f"rank {merge.rank:,}: {merge_text(recording, merge)}"


def row_title(word: WordSteps, index: int) -> str:
    """What a row is called: its merge, or how many tokens the result has and for how many characters there is none."""
    merge = word.merge_of(index)
    if merge:
        return merge_sentence(word.recording, merge)
    if word.is_special:
        return "special token"
    tokens = _tokens(len(word.row(index).pieces) - word.unknown_count)
    return f"{tokens}, {word.unknown_count:,} unknown" if word.unknown_count else tokens


def phrase_title(phrase: Phrase) -> str:
    """`5 tokens, 1 unknown character left out`: the sum of its words' results."""
    tokens, unknown = _tokens(len(phrase.ids)), phrase.unknown_count
    return (
        f"{tokens}, {unknown:,} unknown {'character' if unknown == 1 else 'characters'} left out" if unknown else tokens
    )


def _tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count:,} tokens"


def why(word: WordSteps, index: int) -> str:
    """Why the outlined pair of a row won, or why nothing more can happen to the word."""
    row = word.row(index)
    if row.rank is None:
        return _why_ended(word, row)
    possible = len(row.rivals) + 1
    if possible == 1:
        return f"Rank {row.rank:,} is the only merge possible here."
    equals = row.rivals.count(row.rank)
    leftmost = f" It stands here {equals + 1:,} times: the leftmost goes first." if equals else ""
    return f"Rank {row.rank:,} is the lowest of {possible:,} possible merges.{leftmost}"


def _why_ended(word: WordSteps, row: Row) -> str:
    if word.is_special:
        return "A special token is never cut: it has an id of its own."
    if len(row.pieces) == 1:
        return "No token covers this character." if word.unknown_count else "The whole word is one token."
    return "No merge up to this step joins two of these neighbours."


def spoken_row(word: WordSteps, index: int) -> str:
    """A row in words, for a screen reader: `rank 12: h plus a makes ha, rivals 40, 77`."""
    row, merge = word.row(index), word.merge_of(index)
    if merge is None:
        labels = ", ".join(label(word.token_of(piece), word.recording.config.marker_text) for piece in row.pieces)
        return f"{row_title(word, index)}: {labels}"
    left, right, made = (token_label(word.recording, i) for i in (merge.left, merge.right, merge.token_id))
    spoken = f"rank {merge.rank}: {left} plus {right} makes {made}"
    if row.rivals:
        spoken += ", rivals " + ", ".join(str(rank) for rank in row.rivals[:MAX_RIVALS_SPOKEN])
    return spoken


def describe_piece(word: WordSteps, piece: Piece, step: int) -> str:
    """The facts about a piece, a line each."""
    if piece.token_id == UNKNOWN:
        unknown_id = word.id_of(piece)
        fate = (
            "left out: there is no unknown token" if unknown_id is None else f"becomes the unknown token {unknown_id:,}"
        )
        token = word.token_of(piece)
        return f"{label(token)}\nnever seen in training: no token\n{fate}\n{bytes_line(hex_bytes(token.content))}"
    known = facts(word.recording, piece.token_id, step)
    lines = [known.label, f"id {known.token_id:,}, {known.kind}"]
    if known.parts is not None and known.rank is not None:
        lines.append(f"rank {known.rank:,}: {known.parts[0]} + {known.parts[1]}")
    lines += [known.bytes_line, known.count_line]
    return "\n".join(
        line if len(line) <= MAX_FACT_CHARS else line[: MAX_FACT_CHARS - 1] + "…" for line in lines if line
    )


def _row_of(entry: tuple[int, int | None]) -> int:
    return entry[0]


def _start_of(piece: Piece) -> int:
    return piece.start
