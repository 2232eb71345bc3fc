"""Where everything of the encode view stands, in pixels: rows below one another, base symbols in columns.

A merged token spans the columns of its parts, so a word reads from top to bottom like its merge tree.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from core.alphabet import Token
from core.encode_steps import Phrase, WordSteps, row_title
from core.tokenizer import Piece
from core.vocab import label

MARGIN, CHIP_PADDING, LEAST_GAP, RANK_PADDING = 12, 8, 14, 5
ROW_SPACING, BLOCK_SPACING = 8, 12
GUTTER_ROWS_MEASURED = 100
LARGEST_GUTTER_SHARE = 0.34
UNKNOWN_TITLE = "unknown"
"""Stands below a character in place of its id."""


@dataclass(frozen=True, slots=True)
class Block:
    """One word: its rows start at `top`, its base symbol i lies between `lefts[i]` and `rights[i]`."""

    word: WordSteps
    first_row: int
    top: float
    lefts: Sequence[float]
    rights: Sequence[float]


class Fonts:
    """The fonts of the view with their measures; widths of labels are remembered."""

    def __init__(self, text: QFont, small: QFont) -> None:
        self.text = text
        self.small = QFont(small)
        self.bold = QFont(small)
        self.bold.setBold(True)
        self.text_metrics = QFontMetricsF(self.text)
        self.small_metrics = QFontMetricsF(self.small)
        self.bold_metrics = QFontMetricsF(self.bold)
        self._widths: dict[str, float] = {}
        self._number_widths: dict[int, float] = {}

    def text_width(self, text: str) -> float:
        if text not in self._widths:
            self._widths[text] = self.text_metrics.horizontalAdvance(text)
        return self._widths[text]

    def number_width(self, number: int) -> float:
        """Width that any number of as many digits needs in bold, with a # before it."""
        text = f"#{number:,}"
        if len(text) not in self._number_widths:
            wide = "".join("0" if c.isdigit() else c for c in text)
            self._number_widths[len(text)] = self.bold_metrics.horizontalAdvance(wide)
        return self._number_widths[len(text)]


class EncodeLayout:
    """Rows are numbered through the phrase, from 0."""

    def __init__(self, phrase: Phrase, fonts: Fonts, marker_text: str) -> None:
        self.fonts = fonts
        self.marker_text = marker_text
        self.chip_height = fonts.text_metrics.height() + 4
        self.row_height = self.chip_height + ROW_SPACING
        self.ids_height = fonts.small_metrics.height() + 2
        self.blocks: list[Block] = []
        self.row_count = 0
        self.height = float(MARGIN) / 2
        for word in phrase.words:
            self._append(word)

    @cached_property
    def width(self) -> float:
        """Of the widest word, margins included."""
        return max((block.rights[-1] for block in self.blocks if block.rights), default=0.0) + MARGIN

    @cached_property
    def gutter_width(self) -> float:
        """Of the widest row title among the first rows."""
        titles = (row_title(*self.word_at(row)) for row in range(min(self.row_count, GUTTER_ROWS_MEASURED)))
        widest = max(map(self.fonts.small_metrics.horizontalAdvance, titles), default=0.0)
        return widest + 2 * MARGIN

    def block_at_row(self, row: int) -> Block:
        return self.blocks[bisect_right(self.blocks, row, key=_first_row) - 1]

    def word_at(self, row: int) -> tuple[WordSteps, int]:
        """The word that a row belongs to, and which row of the word it is."""
        block = self.block_at_row(row)
        return block.word, row - block.first_row

    def row_top(self, row: int) -> float:
        block = self.block_at_row(row)
        return block.top + (row - block.first_row) * self.row_height

    def row_bottom(self, row: int) -> float:
        """Of the result, the ids below it belong to the row."""
        return self.row_top(row) + self.row_height + (self.ids_height if self.is_result(row) else 0)

    def is_result(self, row: int) -> bool:
        word, index = self.word_at(row)
        return index == word.row_count - 1

    def row_at(self, y: float) -> int | None:
        """The row at a height; None above, below and between words."""
        place = bisect_right(self.blocks, y, key=_top) - 1
        if place < 0:
            return None
        block = self.blocks[place]
        row = min(int((y - block.top) / self.row_height), block.word.row_count - 1) + block.first_row
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
        for piece in block.word.row(row - block.first_row).pieces:
            if block.lefts[piece.start] <= x < block.rights[piece.end - 1]:
                return piece
        return None

    def texts(self, token: Token) -> tuple[str, str]:
        """What is written on a chip: the content, and the end-of-word marker behind it."""
        return label(Token(token.content)), self.marker_text if token.ends_word else ""

    def _append(self, word: WordSteps) -> None:
        lefts, rights = self._columns(word)
        self.blocks.append(Block(word, self.row_count, self.height, lefts, rights))
        self.row_count += word.row_count
        self.height += word.row_count * self.row_height + self.ids_height + BLOCK_SPACING

    def _columns(self, word: WordSteps) -> tuple[list[float], list[float]]:
        widths = [self._chip_width(word, Piece(symbol, i, i + 1)) for i, symbol in enumerate(word.symbols)]
        gaps = [self._gap(word.ranks_at(boundary)) for boundary in range(len(widths) - 1)] + [0.0]
        self._make_room_for_ids(word, widths, gaps)
        lefts, rights, x = [], [], float(MARGIN)
        for width, gap in zip(widths, gaps, strict=False):
            lefts.append(x)
            rights.append(x + width)
            x += width + gap
        return lefts, rights

    def _chip_width(self, word: WordSteps, piece: Piece) -> float:
        content, marker = self.texts(word.token_of(piece))
        return self.fonts.text_width(content) + self.fonts.text_width(marker) + 2 * CHIP_PADDING

    def _gap(self, ranks: list[int]) -> float:
        if not ranks:
            return LEAST_GAP
        return max(LEAST_GAP, self.fonts.number_width(max(ranks)) + 2 * RANK_PADDING)

    def _make_room_for_ids(self, word: WordSteps, widths: list[float], gaps: list[float]) -> None:
        """Widen a result's last column where its id would be wider than the chip."""
        for piece in word.row(word.row_count - 1).pieces:
            width = sum(widths[piece.start : piece.end]) + sum(gaps[piece.start : piece.end - 1])
            token_id = word.id_of(piece)
            needed = self._unknown_width if token_id is None else self.fonts.number_width(token_id)
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
        index = min(max(int((top - block.top) / self.row_height), 0), block.word.row_count - 1)
        return block.first_row + index


def _first_row(block: Block) -> int:
    return block.first_row


def _top(block: Block) -> float:
    return block.top
