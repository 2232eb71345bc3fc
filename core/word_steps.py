"""What happens to one word under an encoder, row by row, each derived when it is asked for.

What is stored of a word is one row number and a few ranks per boundary.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from core.alphabet import Marker, Token
from core.encoders import Dropout, Piece, SpelledSymbols, joins, longest_matches, rank_rule
from core.encoding_rules import Encoder
from core.merge import UNKNOWN, Merge
from core.recording import Recording
from core.tokenizer import NEVER, check_dropout

MAX_MERGE_ROWS = 500


@dataclass(frozen=True, slots=True)
class Row:
    """A word before one of its merges or, in its last row, after all of them.

    `ranks[i]` is the rank of the merge that could join pieces i and i + 1; the pair at `winner` comes next. `made` is
    the piece that the merge before has made. None: there is no such thing. `left_out` are the places in `ranks` of
    merges that dropout left out.

    The longest match takes the pieces `winner` to `winner_end` (half-open) at once. `ranks[i]` is then the length, in
    base symbols, of the token that ends with piece i + 1 and begins where the search stands.
    """

    pieces: tuple[Piece, ...]
    ranks: tuple[int | None, ...]
    winner: int | None
    made: int | None
    winner_end: int | None = None
    left_out: frozenset[int] = frozenset()

    @property
    def winning_gap(self) -> int | None:
        """The place of the winner's number in `ranks`; None if a single piece is taken as it is."""
        if self.winner is None or self.winner_end is None or self.winner_end - self.winner < 2:
            return None
        return self.winner_end - 2

    @property
    def rank(self) -> int | None:
        """The number of what comes next."""
        return None if self.winning_gap is None else self.ranks[self.winning_gap]

    @property
    def rivals(self) -> list[int]:
        """The numbers of all else that was possible, lowest first."""
        numbers = enumerate(self.ranks)
        return sorted(
            rank for i, rank in numbers if rank is not None and i != self.winning_gap and i not in self.left_out
        )


class WordSteps:
    """Everything that happens to one word (or special token) under the first `step` merges.

    With dropout it is the word that has `place` others before it in its text. Raises ConfigError for dropout with
    another encoder than the merge rank.
    """

    def __init__(
        self,
        recording: Recording,
        word: str,
        step: int,
        special_id: int | None = None,
        encoder: Encoder = Encoder.MERGE_RANK,
        dropout: Dropout | None = None,
        place: int = 0,
    ) -> None:
        check_dropout(encoder, dropout)
        self.recording = recording
        self.word = word
        self.encoder = encoder
        self.dropout = dropout if dropout and dropout.probability else None
        self.is_special = special_id is not None
        self.is_whole = False  # taken as it stands, before any merge
        self.symbols = recording.alphabet.symbols_of(word) if special_id is None else [special_id]
        self.step = step
        self._place = place
        self._made: list[tuple[int | None, Piece]] = []  # (rank, token made) of every merge or match
        self._parts: list[tuple[Piece, Piece]] = []  # of every merge
        self._left_out: list[list[int]] = []  # boundaries, by row
        self._removed_in = [NEVER] * max(len(self.symbols) - 1, 0)  # row whose merge removes the boundary
        self._ranks_from: list[list[tuple[int, int | None]]] = [[] for _ in self._removed_in]  # (row, from it on)
        if self.is_special:
            pass
        elif (whole := self._whole_piece()) is not None:
            self._take_whole(whole)
        elif encoder is Encoder.LONGEST_MATCH:
            self._match()
        else:
            self._join()

    @property
    def merge_count(self) -> int:
        """Merges, or matches where the longest is taken."""
        return len(self._made)

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
        winner = winner_end = made = None
        if number < self.merge_count:
            _, taken = self._made[number]
            winner, winner_end = (
                bisect_left(pieces, taken.start, key=_start_of),
                bisect_left(pieces, taken.end, key=_start_of),
            )
        if 0 < number == index:
            made = bisect_right(pieces, self._made[number - 1][1].start, key=_start_of) - 1
        left_out = self._left_out[number] if number < len(self._left_out) else ()
        gaps = frozenset(bisect_right(pieces, boundary, key=_start_of) - 1 for boundary in left_out)
        return Row(pieces, ranks, winner, made, winner_end, gaps)

    def merge_of(self, index: int) -> Merge | None:
        """The merge that joins the pair outlined in this row; None for the result, and for a longest match."""
        number = self._row_number(index)
        rank = self._made[number][0] if number < self.merge_count else None
        return None if rank is None else self.recording[rank]

    def taken_in(self, index: int) -> Piece | None:
        """The token that the merge or match of this row makes; None for the result."""
        number = self._row_number(index)
        return self._made[number][1] if number < self.merge_count else None

    def parts_in(self, index: int) -> tuple[Piece, Piece] | None:
        """The two tokens that the merge of this row joins; None for the result, and for a longest match."""
        number = self._row_number(index)
        return self._parts[number] if number < len(self._parts) else None

    def row_removing(self, boundary: int) -> int | None:
        """The row whose merge or match removes a boundary, None if none does or it is not among the rows shown."""
        row = self._removed_in[boundary]
        return row if row < self.row_count - 1 else None

    def first_left_out(self, start: int, end: int) -> tuple[int, Merge] | None:
        """The first row in which dropout left out a merge between base symbols `start` and `end`, and that merge."""
        for row, left_out in enumerate(self._left_out[: self.row_count - 1]):
            for boundary in left_out:
                rank = self._rank_at(boundary, row)
                if start <= boundary < end - 1 and rank is not None:
                    return row, self.recording[rank]
        return None

    def ranks_at(self, boundary: int) -> list[int]:
        """Every rank that ever stands at a boundary; boundary i lies behind base symbol i."""
        return [rank for _, rank in self._ranks_from[boundary] if rank is not None]

    @cached_property
    def result(self) -> tuple[Piece, ...]:
        return tuple(self._pieces(self.merge_count))

    def token_of(self, piece: Piece) -> Token:
        """What a piece stands for; for a character no token covers, the character itself."""
        if piece.token_id != UNKNOWN:
            return self.recording.token(piece.token_id)
        marker = self.recording.alphabet.marker
        return Token(
            b"".join(self._contents[piece.start : piece.end]),
            ends_word=piece.end == len(self.symbols) and marker is Marker.SUFFIX,
            continues=piece.start > 0 and marker is Marker.CONTINUING,
        )

    def ids(self) -> list[int]:
        """Ids of the result, without the characters that no token covers."""
        ids = (self.id_of(piece) for piece in self.result)
        return [token_id for token_id in ids if token_id is not None]

    def id_of(self, piece: Piece) -> int | None:
        """The id written for a piece: the unknown token's for a character never seen, None without one."""
        if piece.token_id != UNKNOWN:
            return piece.token_id
        return None if (unknown := self.recording.unknown_id) == UNKNOWN else unknown

    @cached_property
    def unknown_count(self) -> int:
        """Characters that have no id: no token covers them and there is no unknown token."""
        if self.is_special:
            return 0
        symbols = self.recording.alphabet.spell(self.word)
        written = set[int]()
        for piece in self.result:
            if self.id_of(piece) is not None:
                for symbol in symbols[piece.start : piece.end]:
                    written.update(range(symbol.start, symbol.end))
        return len(self.word) - len(written)

    @cached_property
    def _contents(self) -> list[bytes]:
        return self.recording.alphabet.contents_of(self.word)

    def _row_number(self, index: int) -> int:
        """Number of merges made before row `index`."""
        return self.merge_count if index == self.row_count - 1 else index

    def _join(self) -> None:
        """Make every merge once, noting for each boundary when it goes and which ranks stood there before."""
        current, end = list(self.symbols), len(self.symbols)  # id of the piece that starts at a symbol
        first_of, last_of = list(range(end)), list(range(end))  # by the last and the first symbol of a piece
        rank_of = rank_rule(self.recording, self.step, self.encoder)
        draws = self.dropout.draws(self._place) if self.dropout else None
        self._ranks_from = [[(0, rank_of(pair, -1))] for pair in pairwise(current)]
        for row, (rank, boundary) in enumerate(joins(self.recording, list(current), self.step, self.encoder, draws)):
            first, last = first_of[boundary], last_of[boundary + 1]
            first_of[last], last_of[first] = first, last
            left, right = (
                Piece(current[first], first, boundary + 1),
                Piece(current[boundary + 1], boundary + 1, last + 1),
            )
            self._parts.append((left, right))
            made = current[first] = self.recording[rank].token_id
            self._made.append((rank, Piece(made, first, last + 1)))
            self._left_out.append(draws.left_out if draws else [])
            self._removed_in[boundary] = row
            if first > 0:
                before = current[first_of[first - 1]]
                self._ranks_from[first - 1].append((row + 1, rank_of((before, made), rank)))
            if last + 1 < end:
                self._ranks_from[last].append((row + 1, rank_of((made, current[last + 1]), rank)))
        self._left_out.append(draws.left_out if draws else [])

    def _whole_piece(self) -> int | None:
        if len(self.symbols) < 2 or self.dropout or self.encoder is not self.recording.rules.encoder:
            return None
        return self.recording.whole_piece(self.word, self.step)

    def _take_whole(self, token_id: int) -> None:
        self.is_whole = True
        self._made.append((None, Piece(token_id, 0, len(self.symbols))))
        self._ranks_from = [[(0, None)] for _ in self._removed_in]
        self._removed_in = [0] * len(self._removed_in)

    def _match(self) -> None:
        """Take every match once, noting at each boundary the length of the token that ends behind it."""
        spelled = SpelledSymbols(self.recording, self.symbols)
        self._ranks_from = [[(0, None)] for _ in self._removed_in]
        for row, piece in enumerate(longest_matches(self.recording, self.symbols, self.step)):
            self._made.append((None, piece))
            for boundary in range(piece.start, piece.end - 1):
                self._removed_in[boundary] = row
            for candidate in spelled.candidates(piece.start, self.step):
                if candidate.start + 1 < candidate.end <= piece.end:
                    self._ranks_from[candidate.end - 2].append((row, candidate.end - candidate.start))

    def _rank_at(self, boundary: int, number: int) -> int | None:
        ranks = self._ranks_from[boundary]
        return ranks[bisect_right(ranks, number, key=_row_of) - 1][1]

    def _pieces(self, number: int) -> Iterator[Piece]:
        start, latest = 0, -1
        for end, removed in enumerate([*self._removed_in, NEVER][: len(self.symbols)], 1):
            if removed < number:
                latest = max(latest, removed)
            else:
                yield Piece(self.symbols[start] if latest < 0 else self._made[latest][1].token_id, start, end)
                start, latest = end, -1


def _row_of(entry: tuple[int, int | None]) -> int:
    return entry[0]


def _start_of(piece: Piece) -> int:
    return piece.start
