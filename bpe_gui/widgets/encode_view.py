"""The merges inside the words of a phrase, one a row, with the pair that wins and the ranks of its rivals."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import zip_longest

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QScrollBar, QToolTip, QWidget

from bpe_gui.theme import Theme, TokenColors
from bpe_gui.widgets.encode_layout import (
    BLOCK_SPACING,
    LARGEST_GUTTER_SHARE,
    MARGIN,
    UNKNOWN_TITLE,
    Block,
    EncodeLayout,
    Fonts,
)
from core.alphabet import MARKER_TEXT
from core.encode_steps import MAX_MERGE_ROWS, Phrase, Row, WordSteps, describe_piece, row_title, spoken_row, why
from core.merge import UNKNOWN, Merge
from core.tokenizer import Piece

MUTED_OPACITY = 0.28
CHIP_RADIUS = 5.0


class EncodeView(QAbstractScrollArea):
    """Shows a phrase. One of its rows can be the current one: those after it are faint then.

    Signals:
    current_changed: another row is current, or none.
    reveal_requested(rank): show this merge in the whole window.
    """

    current_changed = Signal()
    reveal_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._phrase = Phrase()
        self._step = 0
        self._current: int | None = None
        self._marker_text = MARKER_TEXT
        self._layout = self._laid_out()
        self.setAccessibleName("Merges inside the phrase")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        theme.changed.connect(self._take_theme)

    @property
    def phrase(self) -> Phrase:
        return self._phrase

    @property
    def current(self) -> int | None:
        """The current row, counted through all words; None while every row is shown alike."""
        return self._current

    @property
    def row_count(self) -> int:
        return self._layout.row_count

    @property
    def current_merge(self) -> Merge | None:
        """The merge of the current row."""
        if self._current is None:
            return None
        word, index = self._layout.word_at(self._current)
        return word.merge_of(index)

    def word_at(self, row: int) -> tuple[WordSteps, int]:
        """The word a row belongs to, and which row of the word it is."""
        return self._layout.word_at(row)

    def show_phrase(self, phrase: Phrase, step: int) -> None:
        """Show a phrase under the first `step` merges. The current row stays while the words are the same."""
        change = _first_difference(self._phrase, phrase)
        self._phrase, self._step = phrase, step
        self._marker_text = phrase.words[0].recording.config.marker_text if phrase.words else MARKER_TEXT
        self._layout = self._laid_out()
        self._set_scroll_ranges()
        if change is not None:
            self._scroll_to_word(change)
        self._set_current(self._current if change is None and (self._current or 0) < self.row_count else None)
        self.viewport().update()

    def show_all(self) -> None:
        """Show every row alike."""
        self._set_current(None)

    def go_first(self) -> None:
        self._go_to(0)

    def go_back(self) -> None:
        self._go_to(self.row_count - 1 if self._current is None else self._current - 1)

    def go_forward(self) -> None:
        self._go_to(0 if self._current is None else self._current + 1)

    def go_last(self) -> None:
        self._go_to(self.row_count - 1)

    def reveal_current(self) -> None:
        """Ask for the current row's merge to be shown in the whole window."""
        merge = self.current_merge
        if merge:
            self.reveal_requested.emit(merge.rank)

    def row_rect(self, row: int) -> QRectF:
        """Where a row stands in the viewport, over its whole width."""
        top, bottom = self._layout.row_top(row), self._layout.row_bottom(row)
        return QRectF(0, top - self.verticalScrollBar().value(), self.viewport().width(), bottom - top)

    def chip_rect(self, row: int, place: int) -> QRectF:
        """Where the chip of a row's piece stands in the viewport."""
        block = self._layout.block_at_row(row)
        piece = block.word.row(row - block.first_row).pieces[place]
        return self._layout.chip(block, piece, self._layout.row_top(row)).translated(self._origin())

    def _laid_out(self) -> EncodeLayout:
        small = self._theme.number_font()
        return EncodeLayout(self._phrase, Fonts(self._theme.text_font(), small), self._marker_text)

    def _take_theme(self) -> None:
        self._layout = self._laid_out()
        self._set_scroll_ranges()
        self.viewport().update()

    def _gutter(self) -> float:
        return min(self._layout.gutter_width, self.viewport().width() * LARGEST_GUTTER_SHARE)

    def _origin(self) -> QPointF:
        return QPointF(self._gutter() - self.horizontalScrollBar().value(), -self.verticalScrollBar().value())

    def _set_scroll_ranges(self) -> None:
        width, height = self.viewport().width() - self._gutter(), self.viewport().height()
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setPageStep(int(width))
        across.setSingleStep(20)
        across.setRange(0, max(0, round(self._layout.width - width)))
        down.setPageStep(height)
        down.setSingleStep(round(self._layout.row_height))
        down.setRange(0, max(0, round(self._layout.height - height)))

    def _go_to(self, row: int) -> None:
        if self.row_count:
            self._set_current(min(max(row, 0), self.row_count - 1))
            self._scroll_to_current()

    def _set_current(self, row: int | None) -> None:
        if row != self._current:
            self._current = row
            self.viewport().update()
        self.setAccessibleDescription("" if row is None else spoken_row(*self._layout.word_at(row)))
        self.current_changed.emit()

    def _scroll_to_current(self) -> None:
        assert self._current is not None
        top, bottom = self._layout.row_top(self._current), self._layout.row_bottom(self._current)
        block = self._layout.block_at_row(self._current)
        _bring_into_view(self.verticalScrollBar(), top, bottom, self.viewport().height())
        row = block.word.row(self._current - block.first_row)
        place = row.winner if row.winner is not None else row.made
        if place is not None:
            pair = row.pieces[place : place + 2]
            left, right = block.lefts[pair[0].start] - MARGIN, block.rights[pair[-1].end - 1] + MARGIN
            _bring_into_view(self.horizontalScrollBar(), left, right, self.viewport().width() - self._gutter())

    def _scroll_to_word(self, place: int) -> None:
        """Show what was just typed."""
        self.horizontalScrollBar().setValue(0)
        if self._layout.blocks:
            block = self._layout.blocks[min(place, len(self._layout.blocks) - 1)]
            top, bottom = block.top, self._layout.row_bottom(block.first_row + block.word.row_count - 1)
            _bring_into_view(self.verticalScrollBar(), top, bottom, self.viewport().height())

    def _row_at(self, point: QPointF) -> int | None:
        return self._layout.row_at(point.y() + self.verticalScrollBar().value())

    def _piece_tip(self, point: QPointF) -> str:
        row = self._row_at(point)
        if row is None:
            return ""
        word, index = self._layout.word_at(row)
        if point.x() < self._gutter():
            return f"{row_title(word, index)}\n{why(word, index)}"
        piece = self._layout.piece_at(row, point.x() - self._origin().x())
        return describe_piece(word, piece, self._step) if piece else ""

    # painting

    def _paint_row(self, painter: QPainter, row: int) -> None:
        block = self._layout.block_at_row(row)
        index = row - block.first_row
        content, top = block.word.row(index), self._layout.row_top(row)
        is_muted = self._current is not None and row > self._current
        painter.setOpacity(MUTED_OPACITY if is_muted else 1.0)
        left, right = self._visible_columns(block)
        for place, piece in enumerate(content.pieces):
            if piece.end > left and piece.start <= right:
                self._paint_chip(painter, block, piece, top, is_new=place == content.made)
                self._paint_rank(painter, block, content, place, top)
        if content.winner is not None:
            self._paint_winner(painter, block, content, top)
        if self._layout.is_result(row):
            self._paint_ids(painter, block, content, top, left, right)
        painter.setOpacity(1.0)

    def _visible_columns(self, block: Block) -> tuple[int, int]:
        """The first and the last base symbol of a word that can be seen."""
        start = self.horizontalScrollBar().value()
        return bisect_right(block.rights, start), bisect_right(block.lefts, start + self.viewport().width())

    def _paint_chip(self, painter: QPainter, block: Block, piece: Piece, top: float, is_new: bool) -> None:
        token, rect = block.word.token_of(piece), self._layout.chip(block, piece, top)
        colors = self._chip_colors(piece)
        painter.setPen(QPen(colors.edge, 1))
        painter.setBrush(colors.fill)
        painter.drawRoundedRect(rect, CHIP_RADIUS, CHIP_RADIUS)
        if is_new:
            bar = QRectF(rect.left() + CHIP_RADIUS, rect.bottom() - 3, rect.width() - 2 * CHIP_RADIUS, 3)
            painter.fillRect(bar, self._theme.colors.accent)
        content, marker = self._layout.texts(token)
        fonts = self._layout.fonts
        width = fonts.text_width(content) + fonts.text_width(marker)
        left = rect.left() + (rect.width() - width) / 2
        painter.setFont(fonts.text)
        painter.setPen(colors.text)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextDontClip
        painter.drawText(QRectF(left, rect.top(), width, rect.height()), middle, content)
        if marker:
            painter.setPen(self._theme.colors.muted)
            left += fonts.text_width(content)
            painter.drawText(QRectF(left, rect.top(), width, rect.height()), middle, marker)

    def _chip_colors(self, piece: Piece) -> TokenColors:
        if piece.token_id == UNKNOWN:
            return self._theme.unknown_colors()
        return self._theme.token_colors(piece.token_id)

    def _paint_rank(self, painter: QPainter, block: Block, row: Row, place: int, top: float) -> None:
        """The rank, or a dot, between a piece and the next one."""
        if place >= len(row.ranks):
            return
        rank = row.ranks[place]
        left, right = block.rights[row.pieces[place].end - 1], block.lefts[row.pieces[place + 1].start]
        is_winner = place == row.winner
        painter.setFont(self._layout.fonts.bold if is_winner else self._layout.fonts.small)
        painter.setPen(self._theme.colors.accent if is_winner else self._theme.colors.muted)
        text = "·" if rank is None else f"#{rank:,}"
        painter.drawText(
            QRectF(left, top, right - left, self._layout.row_height),
            Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip,
            text,
        )

    def _paint_winner(self, painter: QPainter, block: Block, row: Row, top: float) -> None:
        assert row.winner is not None
        left, right = row.pieces[row.winner : row.winner + 2]
        pair = self._layout.chip(block, left, top).united(self._layout.chip(block, right, top))
        painter.setPen(QPen(self._theme.colors.accent, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(pair.adjusted(-3, -3, 3, 3), CHIP_RADIUS + 2, CHIP_RADIUS + 2)

    def _paint_ids(self, painter: QPainter, block: Block, row: Row, top: float, first: int, last: int) -> None:
        painter.setFont(self._layout.fonts.small)
        painter.setPen(self._theme.colors.muted)
        for piece in row.pieces:
            if piece.end > first and piece.start <= last:
                token_id = block.word.id_of(piece)
                rect = self._layout.chip(block, piece, top)
                rect.moveTop(rect.bottom())
                rect.setHeight(self._layout.ids_height)
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
                painter.drawText(rect, flags, UNKNOWN_TITLE if token_id is None else str(token_id))

    def _paint_current(self, painter: QPainter) -> None:
        if self._current is not None:
            rect = self.row_rect(self._current)
            painter.fillRect(rect, self._theme.colors.row)

    def _paint_gutter(self, painter: QPainter, rows: range) -> None:
        """The titles of the rows, over whatever is scrolled below them."""
        colors, gutter, offset = self._theme.colors, self._gutter(), self.verticalScrollBar().value()
        painter.fillRect(QRectF(0, 0, gutter, self.viewport().height()), colors.surface)
        for row in rows:
            word, index = self._layout.word_at(row)
            top = self._layout.row_top(row) - offset
            is_current = row == self._current
            if is_current:
                painter.fillRect(QRectF(0, top, gutter, self.row_rect(row).height()), colors.row)
                painter.fillRect(QRectF(0, top, 3, self.row_rect(row).height()), colors.accent)
            painter.setOpacity(MUTED_OPACITY if self._current is not None and row > self._current else 1.0)
            painter.setPen(colors.text if is_current else colors.muted)
            area = QRectF(MARGIN, top, gutter - 2 * MARGIN, self._layout.row_height)
            _draw_elided(painter, area, row_title(word, index), self._layout.fonts)
            painter.setOpacity(1.0)
        for block in self._layout.blocks_between(offset, offset + self.viewport().height()):
            self._paint_end_of(painter, block, offset)

    def _paint_end_of(self, painter: QPainter, block: Block, offset: float) -> None:
        """A line below each word but the last one; how many of its merges have no row."""
        colors, layout = self._theme.colors, self._layout
        bottom = layout.row_bottom(block.first_row + block.word.row_count - 1) - offset
        if block is not layout.blocks[-1]:
            painter.setPen(colors.border)
            y = bottom + BLOCK_SPACING / 2
            painter.drawLine(QPointF(MARGIN, y), QPointF(self.viewport().width() - MARGIN, y))
        if block.word.merges_left_out:
            area = QRectF(MARGIN, bottom - layout.ids_height, self._gutter() - 2 * MARGIN, layout.ids_height)
            painter.setPen(colors.muted)
            _draw_elided(painter, area, f"first {MAX_MERGE_ROWS:,} of {block.word.merge_count:,} merges", layout.fonts)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            offset = self.verticalScrollBar().value()
            rows = self._layout.rows_between(offset + event.rect().top(), offset + event.rect().bottom() + 1)
            self._paint_current(painter)
            painter.save()
            painter.translate(self._origin())
            for row in rows:
                self._paint_row(painter, row)
            painter.restore()
            self._paint_gutter(painter, rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_scroll_ranges()
        if self._current is not None:
            self._scroll_to_current()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        work: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Up: self.go_back,
            Qt.Key.Key_Left: self.go_back,
            Qt.Key.Key_Down: self.go_forward,
            Qt.Key.Key_Right: self.go_forward,
            Qt.Key.Key_Home: self.go_first,
            Qt.Key.Key_End: self.go_last,
            Qt.Key.Key_Escape: self.show_all,
            Qt.Key.Key_Return: self.reveal_current,
            Qt.Key.Key_Enter: self.reveal_current,
        }
        if event.key() in work and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            work[event.key()]()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
            self._set_current(self._row_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.reveal_current()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        go = menu.addAction(self._theme.icon("crosshair"), "Go to this merge", self.reveal_current)
        go.setEnabled(self.current_merge is not None)
        menu.addAction("Show all rows", self.show_all).setEnabled(self._current is not None)
        menu.popup(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            tip = self._piece_tip(QPointF(event.pos()))
            # Qt guesses whether a tip is markup: a token may look like it
            QToolTip.showText(event.globalPos(), QtText.convertFromPlainText(tip) if tip else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(420, round(self._layout.row_height * 5))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, round(self._layout.row_height * 2))


def _first_difference(before: Phrase, after: Phrase) -> int | None:
    """Place of the first word that is another one; None if the words are the same."""
    places = enumerate(zip_longest(before.words, after.words))
    return next((i for i, (old, new) in places if not old or not new or old.word != new.word), None)


def _bring_into_view(bar: QScrollBar, start: float, end: float, length: float) -> None:
    """Scroll as little as needed to show `start` to `end`; where both do not fit, `start`."""
    bar.setValue(round(min(max(bar.value(), end - length), start)))


def _draw_elided(painter: QPainter, area: QRectF, text: str, fonts: Fonts) -> None:
    painter.setFont(fonts.small)
    shown = fonts.small_metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
