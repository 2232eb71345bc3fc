"""Where the words of one phrase stand, in pixels: rows below one another, base symbols in columns.

A merged token spans the columns of its parts, so a word reads from top to bottom like its merge tree. Where a second
phrase stands beside this one is encode_columns.py's business.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from core.alphabet import Token
from core.encode_steps import Row, WordSteps, row_title
from core.encoders import Piece
from core.encoding_rules import Encoder
from core.vocab import label, shown_marker

MARGIN, CHIP_PADDING, LEAST_GAP, RANK_PADDING = 12, 8, 14, 5
ROW_SPACING, BLOCK_SPACING = 8, 12
GUTTER_ROWS_MEASURED = 100
MAX_ROWS_KEPT = 100
LARGEST_GUTTER_SHARE = 0.34
UNKNOWN_TITLE = "unknown"
"""Stands below a character in place of its id."""
_AS_ZEROS = str.maketrans("123456789", "000000000")


Columns = tuple[Sequence[float], Sequence[float]]
"""Left and right edge of every base symbol."""


@dataclass(slots=True)
class Block:
    """One word: its rows start at `top`, its base symbol i lies between `lefts[i]` and `rights[i]`.

    Of a folded word only the result has a row.
    """

    word: WordSteps
    first_row: int
    is_folded: bool
    lefts: Sequence[float]
    rights: Sequence[float]
    top: float = 0.0

    @property
    def row_count(self) -> int:
        return 1 if self.is_folded else self.word.row_count

    @property
    def last_row(self) -> int:
        return self.first_row + self.row_count - 1

    def index_of(self, row: int) -> int:
        """Which row of its word a row of the phrase is."""
        return self.word.row_count - 1 - (self.last_row - row)


@dataclass(frozen=True, slots=True)
class ChipText:
    """What is written on a chip: the content, and a marker before or behind it; the width of all three."""

    before: str
    content: str
    behind: str
    width: float


class Fonts:
    """The fonts of the view with their measures; what is written on chips and how wide it is, is remembered."""

    def __init__(self, text: QFont, small: QFont) -> None:
        self.text = text
        self.small = QFont(small)
        self.bold = QFont(small)
        self.bold.setBold(True)
        self.text_metrics = QFontMetricsF(self.text)
        self.small_metrics = QFontMetricsF(self.small)
        self.bold_metrics = QFontMetricsF(self.bold)
        self._widths: dict[str, float] = {}
        self._chip_texts: dict[tuple[Token, str], ChipText] = {}
        self._number_widths: dict[str, float] = {}

    def text_width(self, text: str) -> float:
        if text not in self._widths:
            self._widths[text] = self.text_metrics.horizontalAdvance(text)
        return self._widths[text]

    def chip_text(self, token: Token, marker_text: str) -> ChipText:
        """`marker_text` is "" where no marker has a form of its own."""
        key = token, marker_text
        if key not in self._chip_texts:
            self._chip_texts[key] = self._chip_text(token, marker_text)
        return self._chip_texts[key]

    def _chip_text(self, token: Token, marker_text: str) -> ChipText:
        content = label(token) if token.is_fallback else label(Token(token.content), marker_text)
        before, behind = marker_text * token.continues, marker_text * token.ends_word
        return ChipText(before, content, behind, sum(map(self.text_width, (before, content, behind))))

    def number_width(self, text: str) -> float:
        """Width that any number of as many digits needs in bold."""
        wide = text.translate(_AS_ZEROS)
        if wide not in self._number_widths:
            self._number_widths[wide] = self.bold_metrics.horizontalAdvance(wide)
        return self._number_widths[wide]


class EncodeLayout:
    """Rows are numbered through the phrase, from 0; `folded` are the places of words that show their result only.

    A base symbol has the same column in a word and in its twin, the word under the encoder it is compared with.
    """

    def __init__(
        self,
        words: Iterable[WordSteps],
        fonts: Fonts,
        folded: Collection[int] = (),
        twins: Iterable[WordSteps] | None = None,
    ) -> None:
        self.fonts = fonts
        # whole pixels, so that rows meet without a seam
        self.chip_height = ceil(fonts.text_metrics.height()) + 4
        self.row_height = self.chip_height + ROW_SPACING
        self.ids_height = ceil(fonts.small_metrics.height()) + 2
        self.blocks: list[Block] = []
        self.row_count = 0
        self._rows: dict[int, Row] = {}
        self._known_columns: dict[tuple[int, int], Columns] = {}
        words = tuple(words)
        for place, (word, twin) in enumerate(zip(words, words if twins is None else twins, strict=True)):
            self._append(word, twin, place in folded)
        self._stack()

    def block_height(self, block: Block) -> float:
        return block.row_count * self.row_height + self.ids_height

    @cached_property
    def width(self) -> float:
        """Of the widest word, margins included."""
        return max((block.rights[-1] for block in self.blocks if block.rights), default=0.0) + MARGIN

    @cached_property
    def gutter_width(self) -> float:
        """Of the widest row title among the first rows."""
        titles = map(self.title, range(min(self.row_count, GUTTER_ROWS_MEASURED)))
        widest = max(map(self.fonts.small_metrics.horizontalAdvance, titles), default=0.0)
        return widest + 2 * MARGIN

    def block_at_row(self, row: int) -> Block:
        return self.blocks[bisect_right(self.blocks, row, key=_first_row) - 1]

    def word_at(self, row: int) -> tuple[WordSteps, int]:
        """The word that a row belongs to, and which row of the word it is."""
        block = self.block_at_row(row)
        return block.word, block.index_of(row)

    def title(self, row: int) -> str:
        """What stands before a row."""
        block = self.block_at_row(row)
        title = row_title(block.word, block.index_of(row))
        return f"same: {title}" if block.is_folded else title

    def row_top(self, row: int) -> float:
        block = self.block_at_row(row)
        return block.top + (row - block.first_row) * self.row_height

    def row_bottom(self, row: int) -> float:
        """Of the result, the ids below it belong to the row."""
        return self.row_top(row) + self.row_height + (self.ids_height if self.is_result(row) else 0)

    def is_result(self, row: int) -> bool:
        return row == self.block_at_row(row).last_row

    def row_at(self, y: float) -> int | None:
        """The row at a height; None above, below and between words."""
        place = bisect_right(self.blocks, y, key=_top) - 1
        if place < 0:
            return None
        block = self.blocks[place]
        row = min(int((y - block.top) / self.row_height) + block.first_row, block.last_row)
        return row if y < self.row_bottom(row) else None

    def rows_between(self, top: float, bottom: float) -> range:
        """The rows of which something shows between two heights."""
        first = self._row_from(top)
        last = first
        while last < self.row_count and self.row_top(last) < bottom:
            last += 1
        return range(first, last)

    def blocks_between(self, top: float, bottom: float) -> list[Block]:
        first = max(bisect_right(self.blocks, top, key=_top) - 1, 0)
        return self.blocks[first : bisect_left(self.blocks, bottom + BLOCK_SPACING, key=_top)]

    def chip(self, block: Block, piece: Piece, row_top: float) -> QRectF:
        left, right = block.lefts[piece.start], block.rights[piece.end - 1]
        return QRectF(left, row_top + ROW_SPACING / 2, right - left, self.chip_height)

    def piece_at(self, row: int, x: float) -> Piece | None:
        """The piece of a row whose chip is at `x`."""
        block = self.block_at_row(row)
        for piece in self.row(row).pieces:
            if block.lefts[piece.start] <= x < block.rights[piece.end - 1]:
                return piece
        return None

    def chip_text(self, word: WordSteps, piece: Piece) -> ChipText:
        return self.fonts.chip_text(word.token_of(piece), shown_marker(word.recording))

    def row(self, row: int) -> Row:
        """The pieces of a row, and what comes next; a long word derives it slowly, so the last ones are kept."""
        if row not in self._rows:
            if len(self._rows) >= MAX_ROWS_KEPT:
                self._rows.clear()
            block = self.block_at_row(row)
            self._rows[row] = block.word.row(block.index_of(row))
        return self._rows[row]

    def _append(self, word: WordSteps, twin: WordSteps, is_folded: bool) -> None:
        key = id(word), id(twin)  # a word that stands in the phrase again is the same object
        if key not in self._known_columns:
            self._known_columns[key] = self._result_columns(word) if is_folded else self._columns(word, twin)
        block = Block(word, self.row_count, is_folded, *self._known_columns[key])
        self.blocks.append(block)
        self.row_count += block.row_count

    def _stack(self) -> None:
        """Put the words below one another."""
        top = float(MARGIN) / 2
        for block in self.blocks:
            block.top = top
            top += self.block_height(block) + BLOCK_SPACING
        self.height = top

    def _columns(self, word: WordSteps, twin: WordSteps) -> Columns:
        widths = [self._chip_width(word, Piece(symbol, i, i + 1)) for i, symbol in enumerate(word.symbols)]
        gaps = [max(self._gap(word, i), self._gap(twin, i)) for i in range(len(widths) - 1)]
        gaps += [0.0] * (len(widths) - len(gaps))
        self._make_room_for_ids(word, widths, gaps)
        if twin is not word:
            self._make_room_for_ids(twin, widths, gaps)
        return _edges(widths, gaps)

    def _result_columns(self, word: WordSteps) -> Columns:
        """For a word of which only the result shows: no room for the symbols that its tokens hide."""
        widths, gaps = [0.0] * len(word.symbols), [0.0] * len(word.symbols)
        for piece in word.result:
            widths[piece.start] = self._chip_width(word, piece)
            gaps[piece.end - 1] = LEAST_GAP
        self._make_room_for_ids(word, widths, gaps)
        return _edges(widths, gaps)

    def _chip_width(self, word: WordSteps, piece: Piece) -> float:
        return self.chip_text(word, piece).width + 2 * CHIP_PADDING

    def _gap(self, word: WordSteps, boundary: int) -> float:
        numbers = word.ranks_at(boundary)
        if not numbers:
            return LEAST_GAP
        return max(LEAST_GAP, self.fonts.number_width(gap_text(word.encoder, max(numbers))) + 2 * RANK_PADDING)

    def _make_room_for_ids(self, word: WordSteps, widths: list[float], gaps: list[float]) -> None:
        """Widen a result's last column where its id would be wider than the chip."""
        for piece in word.result:
            width = sum(widths[piece.start : piece.end]) + sum(gaps[piece.start : piece.end - 1])
            token_id = word.id_of(piece)
            needed = self._unknown_width if token_id is None else self.fonts.number_width(str(token_id))
            widths[piece.end - 1] += max(0.0, needed - width)

    @cached_property
    def _unknown_width(self) -> float:
        return self.fonts.small_metrics.horizontalAdvance(f" {UNKNOWN_TITLE} ")

    def _row_from(self, top: float) -> int:
        """The first row that ends below a height."""
        place = max(bisect_right(self.blocks, top, key=_top) - 1, 0)
        if not self.blocks:
            return 0
        block = self.blocks[place]
        index = max(int((top - block.top) / self.row_height), 0)
        return min(block.first_row + index, block.last_row)


def _edges(widths: Sequence[float], gaps: Sequence[float]) -> Columns:
    lefts, rights, x = list[float](), list[float](), float(MARGIN)
    for width, gap in zip(widths, gaps, strict=True):
        lefts.append(x)
        rights.append(x + width)
        x += width + gap
    return lefts, rights


def gap_text(encoder: Encoder, number: int) -> str:
    """What stands between two pieces: the rank of the merge that could join them, or how long a match is there."""
    return f"{number:,} long" if encoder is Encoder.LONGEST_MATCH else f"#{number:,}"


def _first_row(block: Block) -> int:
    return block.first_row


def _top(block: Block) -> float:
    return block.top
