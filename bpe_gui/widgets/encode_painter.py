"""Paints the rows of the encode view: chips, the pair or match that wins, its rivals, what dropout left out."""

from bisect import bisect_right

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from bpe_gui.theme import Theme, TokenColors
from bpe_gui.widgets.encode_columns import Band, Column, EncodeColumns
from bpe_gui.widgets.encode_layout import BLOCK_SPACING, MARGIN, UNKNOWN_TITLE, Block, Fonts, gap_text
from core.encode_steps import MAX_MERGE_ROWS, Row
from core.encoders import Piece
from core.merge import UNKNOWN
from core.side_by_side import encoder_name

MUTED_OPACITY = 0.28
CHIP_RADIUS = 5.0
MARK_WIDTH = 3.0
MIDDLE_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
CENTER = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip


class EncodePainter:
    """Paints into one event of a viewport: `across` and `down` say how far its content is scrolled."""

    def __init__(self, painter: QPainter, theme: Theme, columns: EncodeColumns, across: float, down: float) -> None:
        self._painter = painter
        self._theme = theme
        self._columns = columns
        self._across = across
        self._down = down

    def paint_column(self, number: int, top: float, bottom: float, current: int | None) -> None:
        """The rows of a column between two heights of the viewport; those after the current one are faint."""
        painter, column = self._painter, self._columns.columns[number]
        rows = column.layout.rows_between(self._down + top, self._down + bottom + 1)
        area = QRectF(column.left, top, column.right - column.left, bottom - top)
        painter.save()
        painter.setClipRect(area)
        painter.translate(column.rows_left - self._across, -self._down)
        for row in rows:
            painter.setOpacity(MUTED_OPACITY if current is not None and row > current else 1.0)
            self._paint_row(number, column, row)
        painter.restore()
        self._paint_gutter(number, column, rows, area, current)

    def paint_comparison(self, top: float, bottom: float, width: float) -> None:
        """What stands across the columns: names of the encoders and why two words differ."""
        columns = self._columns
        for band in columns.bands_between(self._down + top, self._down + bottom + 1):
            self._paint_captions(band)
            self._paint_sentence(band)
            if columns.are_beside:
                self._paint_divider(band)
            if band is not columns.bands[-1]:
                self._paint_line(band.bottom + BLOCK_SPACING / 2 - self._down, width)
        if columns.are_beside:
            self._paint_header(width)

    # what stands across the columns

    def _paint_captions(self, band: Band) -> None:
        for number, height in enumerate(band.captions):
            self._paint_name(band, number, MARGIN, height - self._down)

    def _paint_name(self, band: Band, number: int, left: float, top: float) -> None:
        word = (band.pair.first, band.pair.second)[number]
        painter = self._painter
        painter.setFont(self._columns.fonts.bold)
        painter.setPen(self._name_color(number))
        area = QRectF(left, top, self._columns.columns[number].right - left, self._columns.line_height)
        painter.drawText(area, MIDDLE_LEFT, encoder_name(word.encoder, word.dropout is not None))

    def _name_color(self, number: int) -> QColor:
        return self._theme.colors.second if number else self._theme.colors.accent

    def _paint_header(self, width: float) -> None:
        """The encoders' names over whatever is scrolled below them."""
        columns, height = self._columns, self._columns.header_height
        self._painter.fillRect(QRectF(0, 0, width, height), self._theme.colors.surface)
        for number, column in enumerate(columns.columns):
            self._paint_name(columns.bands[0], number, column.left + MARGIN, 0)
        self._paint_line(height, width, 0)

    def _paint_sentence(self, band: Band) -> None:
        if band.sentence is None or band.pair.difference is None:
            return
        colors, painter = self._theme.colors, self._painter
        area = band.sentence.translated(0, -self._down)
        painter.fillRect(QRectF(MARGIN, area.top() + 4, MARK_WIDTH, area.height() - 8), colors.warning)
        painter.setFont(self._columns.fonts.small)
        painter.setPen(colors.text)
        painter.drawText(area, MIDDLE_LEFT | Qt.TextFlag.TextWordWrap, band.pair.difference.message)

    def _paint_divider(self, band: Band) -> None:
        x = self._columns.columns[1].left
        self._painter.setPen(self._theme.colors.border)
        self._painter.drawLine(QPointF(x, band.rows_top - self._down), QPointF(x, band.bottom - self._down))

    def _paint_line(self, y: float, width: float, margin: float = MARGIN) -> None:
        self._painter.setPen(self._theme.colors.border)
        self._painter.drawLine(QPointF(margin, y), QPointF(width - margin, y))

    # rows

    def _paint_row(self, number: int, column: Column, row: int) -> None:
        layout = column.layout
        block, top, content = layout.block_at_row(row), layout.row_top(row), layout.row(row)
        left, right = self._visible_columns(column, block)
        for place, piece in enumerate(content.pieces):
            if piece.end > left and piece.start <= right:
                self._paint_chip(column, block, piece, top, is_new=place == content.made and not block.is_folded)
                self._paint_number(column, block, content, place, top)
        if content.winner is not None:
            self._paint_winner(column, block, content, top)
        if layout.is_result(row):
            self._paint_ids(column, block, content, top, left, right)
            self._paint_difference(number, column, block, row)

    def _visible_columns(self, column: Column, block: Block) -> tuple[int, int]:
        """The first and the last base symbol of a word that can be seen."""
        return bisect_right(block.rights, self._across), bisect_right(block.lefts, self._across + column.rows_width)

    def _paint_chip(self, column: Column, block: Block, piece: Piece, top: float, is_new: bool) -> None:
        painter, layout, rect = self._painter, column.layout, column.layout.chip(block, piece, top)
        colors = self._chip_colors(piece)
        painter.setPen(QPen(colors.edge, 1))
        painter.setBrush(colors.fill)
        painter.drawRoundedRect(rect, CHIP_RADIUS, CHIP_RADIUS)
        if is_new:
            bar = QRectF(rect.left() + CHIP_RADIUS, rect.bottom() - 3, rect.width() - 2 * CHIP_RADIUS, 3)
            painter.fillRect(bar, self._theme.colors.accent)
        text, fonts, muted = layout.chip_text(block.word, piece), layout.fonts, self._theme.colors.muted
        left = rect.left() + (rect.width() - text.width) / 2
        painter.setFont(fonts.text)
        for part, color in ((text.before, muted), (text.content, colors.text), (text.behind, muted)):
            if part:
                width = fonts.text_width(part)
                painter.setPen(color)
                area = QRectF(left, rect.top(), width, rect.height())
                painter.drawText(area, MIDDLE_LEFT | Qt.TextFlag.TextDontClip, part)
                left += width

    def _chip_colors(self, piece: Piece) -> TokenColors:
        if piece.token_id == UNKNOWN:
            return self._theme.unknown_colors()
        return self._theme.token_colors(piece.token_id)

    def _paint_number(self, column: Column, block: Block, row: Row, place: int, top: float) -> None:
        """The number, or a dot, between a piece and the next one; struck out where dropout left the merge out."""
        if place >= len(row.ranks):
            return
        number, fonts, colors = row.ranks[place], column.layout.fonts, self._theme.colors
        left, right = block.rights[row.pieces[place].end - 1], block.lefts[row.pieces[place + 1].start]
        if place == row.winning_gap:
            font, color = fonts.bold, colors.accent
        elif place in row.left_out:
            font, color = _struck_out(fonts), colors.warning
        else:
            font, color = fonts.small, colors.muted
        self._painter.setFont(font)
        self._painter.setPen(color)
        text = "·" if number is None else gap_text(block.word.encoder, number)
        self._painter.drawText(QRectF(left, top, right - left, column.layout.row_height), CENTER, text)

    def _paint_winner(self, column: Column, block: Block, row: Row, top: float) -> None:
        assert row.winner is not None
        assert row.winner_end is not None
        first, last = row.pieces[row.winner], row.pieces[row.winner_end - 1]
        self._outline(column.layout.chip(block, Piece(UNKNOWN, first.start, last.end), top), self._theme.colors.accent)

    def _outline(self, rect: QRectF, color: QColor, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> None:
        self._painter.setPen(QPen(color, 2, style))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), CHIP_RADIUS + 2, CHIP_RADIUS + 2)

    def _paint_ids(self, column: Column, block: Block, row: Row, top: float, first: int, last: int) -> None:
        self._painter.setFont(column.layout.fonts.small)
        self._painter.setPen(self._theme.colors.muted)
        for piece in row.pieces:
            if piece.end > first and piece.start <= last:
                token_id = block.word.id_of(piece)
                rect = column.layout.chip(block, piece, top)
                rect.moveTop(rect.bottom() + 4)
                rect.setHeight(column.layout.ids_height)
                self._painter.drawText(rect, CENTER, UNKNOWN_TITLE if token_id is None else str(token_id))

    def _paint_difference(self, number: int, column: Column, block: Block, row: int) -> None:
        """Outline where the result is another one than the other encoder's."""
        band = self._columns.band_of(number, row)
        difference = band.pair.difference if band else None
        if difference:
            place = Piece(UNKNOWN, difference.start, difference.end)
            rect = column.layout.chip(block, place, column.layout.row_top(row))
            self._outline(rect, self._theme.colors.warning, Qt.PenStyle.DashLine)

    # titles

    def _paint_gutter(self, number: int, column: Column, rows: range, area: QRectF, current: int | None) -> None:
        """The titles of the rows, over whatever is scrolled below them."""
        colors, layout, painter = self._theme.colors, column.layout, self._painter
        for row in rows:
            top, height = layout.row_top(row) - self._down, layout.row_bottom(row) - layout.row_top(row)
            is_current = row == current
            background = colors.row if is_current else colors.surface
            painter.fillRect(QRectF(column.left, top, column.gutter, height), background)
            if is_current:
                painter.fillRect(QRectF(column.left, top, MARK_WIDTH, height), colors.accent)
            elif self._shows_difference(number, row):
                painter.fillRect(QRectF(column.left, top, MARK_WIDTH, layout.row_height), colors.warning)
            painter.setOpacity(MUTED_OPACITY if current is not None and row > current else 1.0)
            painter.setPen(colors.text if is_current else colors.muted)
            title = QRectF(column.left + MARGIN, top, column.gutter - 2 * MARGIN, layout.row_height)
            _draw_elided(painter, title, layout.title(row), layout.fonts)
            painter.setOpacity(1.0)
        for block in layout.blocks_between(self._down + area.top(), self._down + area.bottom()):
            self._paint_end_of(column, block)

    def _shows_difference(self, number: int, row: int) -> bool:
        """Whether the row is one of those that the sentence below is about."""
        band = self._columns.band_of(number, row)
        if band is None or band.pair.difference is None:
            return False
        return band.pair.difference.rows[number] == band.blocks[number].index_of(row)

    def _paint_end_of(self, column: Column, block: Block) -> None:
        """A line below each word but the last one; how many of its merges have no row."""
        colors, layout = self._theme.colors, column.layout
        bottom = layout.row_bottom(block.last_row) - self._down
        if not self._columns.bands and block is not layout.blocks[-1]:
            self._paint_line(bottom + BLOCK_SPACING / 2, column.right)
        if block.word.merges_left_out and not block.is_folded:
            left = column.left + MARGIN
            area = QRectF(left, bottom - layout.ids_height, column.gutter - 2 * MARGIN, layout.ids_height)
            self._painter.setPen(colors.muted)
            text = f"first {MAX_MERGE_ROWS:,} of {block.word.merge_count:,} merges"
            _draw_elided(self._painter, area, text, layout.fonts)


def _struck_out(fonts: Fonts) -> QFont:
    font = QFont(fonts.small)
    font.setStrikeOut(True)
    return font


def _draw_elided(painter: QPainter, area: QRectF, text: str, fonts: Fonts) -> None:
    painter.setFont(fonts.small)
    shown = fonts.small_metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, MIDDLE_LEFT, shown)
