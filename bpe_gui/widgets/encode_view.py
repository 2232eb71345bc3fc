"""What happens inside the words of a phrase, one merge or match a row, under one encoder or two beside each other."""

from collections.abc import Callable, Sequence
from itertools import zip_longest

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QScrollBar, QToolTip, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.encode_columns import Band, Column, EncodeColumns
from bpe_gui.widgets.encode_layout import MARGIN, Fonts
from bpe_gui.widgets.encode_painter import EncodePainter
from core.encode_steps import Phrase, WordSteps, describe_piece, row_title, spoken_row, why
from core.encoding_rules import Encoder
from core.merge import Merge
from core.side_by_side import WordPair, encoder_name


class EncodeView(QAbstractScrollArea):
    """Shows a phrase, or the same phrase under two encoders. One row can be the current one: those after it are faint.

    Signals:
    current_changed: another row is current, or none.
    reveal_requested(rank): show this merge in the whole window.
    """

    current_changed = Signal()
    reveal_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._phrases: tuple[Phrase, ...] = (Phrase(),)
        self._pairs: Sequence[WordPair] = ()
        self._folds = True
        self._step = 0
        self._column = 0
        self._current: int | None = None
        self._fonts = self._fonts_of_theme()
        self._columns = self._laid_out()
        self.setAccessibleName("What happens inside the phrase")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        theme.changed.connect(self._take_theme)

    @property
    def phrase(self) -> Phrase:
        """The first one."""
        return self._phrases[0]

    @property
    def current(self) -> int | None:
        """The current row, counted through all words of its column; None while every row is shown alike."""
        return self._current

    @property
    def current_column(self) -> int:
        """0, or 1 for a row of the second phrase."""
        return self._column

    @property
    def row_count(self) -> int:
        """Of the column with the current row."""
        return self._shown.layout.row_count

    @property
    def current_merge(self) -> Merge | None:
        """The merge of the current row."""
        if self._current is None:
            return None
        word, index = self.word_at(self._current)
        return word.merge_of(index)

    @property
    def columns(self) -> EncodeColumns:
        """Where everything stands."""
        return self._columns

    def word_at(self, row: int) -> tuple[WordSteps, int]:
        """The word a row of the current column belongs to, and which row of the word it is."""
        return self._shown.layout.word_at(row)

    def show_phrase(self, phrase: Phrase, step: int) -> None:
        """Show a phrase under the first `step` merges. The current row stays while the words are the same."""
        self._show((phrase,), (), step)

    def show_comparison(self, first: Phrase, second: Phrase, pairs: Sequence[WordPair], step: int) -> None:
        """Show a phrase under two encoders."""
        self._show((first, second), pairs, step)

    def fold_same(self, folds: bool) -> None:
        """Show of words that two encoders cut alike the result only, or every row."""
        if folds != self._folds:
            self._folds = folds
            self._set_current(None)
            self._lay_out()

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

    def go_to_difference(self) -> None:
        """Go to the next word that two encoders cut in different ways, behind the last one to the first."""
        place = self._columns.difference_after(self._column, self._current)
        if place is not None:
            column, row = place
            self._set_current(row, column)
            self._scroll_to_current()
            self._show_band(self._columns.band_of(column, row))

    def reveal_current(self) -> None:
        """Ask for the current row's merge to be shown in the whole window."""
        merge = self.current_merge
        if merge:
            self.reveal_requested.emit(merge.rank)

    def row_rect(self, row: int, column: int = 0) -> QRectF:
        """Where a row stands in the viewport, over the whole width of its column."""
        shown = self._columns.columns[column]
        top, bottom = shown.layout.row_top(row), shown.layout.row_bottom(row)
        return QRectF(shown.left, top - self.verticalScrollBar().value(), shown.right - shown.left, bottom - top)

    def chip_rect(self, row: int, place: int, column: int = 0) -> QRectF:
        """Where the chip of a row's piece stands in the viewport."""
        shown = self._columns.columns[column]
        block = shown.layout.block_at_row(row)
        piece = shown.layout.row(row).pieces[place]
        return shown.layout.chip(block, piece, shown.layout.row_top(row)).translated(self._origin(shown))

    @property
    def _shown(self) -> Column:
        """The column with the current row."""
        return self._columns.columns[self._column]

    def _show(self, phrases: tuple[Phrase, ...], pairs: Sequence[WordPair], step: int) -> None:
        change = _first_difference(self.phrase, phrases[0])
        same_encoders = _encoders(self._phrases) == _encoders(phrases)
        self._phrases, self._pairs, self._step = phrases, pairs, step
        stays = change is None and same_encoders
        if not stays:
            self._column, self._current = 0, None
        self._lay_out()
        if change is not None:
            self._scroll_to_word(change)
        elif not stays and pairs:
            self._show_band(next((band for band in self._columns.bands if band.pair.difference), None))
        self._set_current(self._current if (self._current or 0) < self.row_count else None)

    def _fonts_of_theme(self) -> Fonts:
        return Fonts(self._theme.text_font(), self._theme.number_font())

    def _laid_out(self) -> EncodeColumns:
        return EncodeColumns(self._phrases, self._pairs, self._fonts, self.viewport().width(), self._folds)

    def _lay_out(self) -> None:
        self._columns = self._laid_out()
        self._set_scroll_ranges()
        self.viewport().update()

    def _take_theme(self) -> None:
        self._fonts = self._fonts_of_theme()
        self._lay_out()

    def _origin(self, column: Column) -> QPointF:
        return QPointF(
            column.rows_left - self.horizontalScrollBar().value(),
            -self.verticalScrollBar().value(),
        )

    def _set_scroll_ranges(self) -> None:
        height = self.viewport().height()
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setPageStep(int(self._columns.columns[0].rows_width))
        across.setSingleStep(20)
        across.setRange(0, max(0, round(self._columns.overflow)))
        down.setPageStep(height)
        down.setSingleStep(round(self._columns.columns[0].layout.row_height))
        down.setRange(0, max(0, round(self._columns.height - height)))

    def _go_to(self, row: int) -> None:
        if self.row_count:
            self._set_current(min(max(row, 0), self.row_count - 1))
            self._scroll_to_current()

    def _go_across(self, column: int) -> bool:
        """Go to the row of the other column that stands beside the current one; whether there is another column."""
        if len(self._columns.columns) < 2:
            return False
        if column == self._column or self._current is None:
            return True
        row = self._columns.opposite(self._column, self._current)
        if row is not None:
            self._set_current(row, column)
            self._scroll_to_current()
        return True

    def _go_left(self) -> None:
        if not self._go_across(0):
            self.go_back()

    def _go_right(self) -> None:
        if not self._go_across(1):
            self.go_forward()

    def _set_current(self, row: int | None, column: int | None = None) -> None:
        if row != self._current or column not in (None, self._column):
            self._current = row
            self._column = self._column if column is None else column
            self.viewport().update()
        self.setAccessibleDescription(self._spoken())
        self.current_changed.emit()

    def _spoken(self) -> str:
        """The current row in words; where two encoders are compared with the encoder's name, and why they differ."""
        if self._current is None:
            return ""
        word, index = self.word_at(self._current)
        spoken, band = spoken_row(word, index), self._columns.band_of(self._column, self._current)
        if band is None:
            return spoken
        reason = band.pair.difference.message if band.pair.difference else "Both encoders cut this word alike."
        return f"{encoder_name(word.encoder, word.dropout is not None)}, {spoken}. {reason}"

    def _scroll_to_current(self) -> None:
        assert self._current is not None
        column = self._shown
        top, bottom = column.layout.row_top(self._current), column.layout.row_bottom(self._current)
        block = column.layout.block_at_row(self._current)
        self._bring_down(top, bottom)
        row = column.layout.row(self._current)
        place = row.winner if row.winner is not None else row.made
        if place is not None:
            pair = row.pieces[place : row.winner_end or place + 1]
            left, right = block.lefts[pair[0].start] - MARGIN, block.rights[pair[-1].end - 1] + MARGIN
            _bring_into_view(self.horizontalScrollBar(), left, right, column.rows_width)

    def _bring_down(self, top: float, bottom: float) -> None:
        """Bring two heights into view, below the header."""
        _bring_into_view(self.verticalScrollBar(), top - self._columns.header_height, bottom, self.viewport().height())

    def _show_band(self, band: Band | None) -> None:
        if band is not None:
            self._bring_down(band.top, band.bottom)

    def _scroll_to_word(self, place: int) -> None:
        """Show what was just typed."""
        self.horizontalScrollBar().setValue(0)
        layout = self._columns.columns[0].layout
        if self._columns.bands:
            self._show_band(self._columns.bands[min(place, len(self._columns.bands) - 1)])
        elif layout.blocks:
            block = layout.blocks[min(place, len(layout.blocks) - 1)]
            self._bring_down(block.top, layout.row_bottom(block.last_row))

    def _row_at(self, point: QPointF) -> tuple[int, int] | None:
        """(column, row) at a point; None beside the rows."""
        if point.y() < self._columns.header_height:
            return None
        y = point.y() + self.verticalScrollBar().value()
        places = [self._columns.column_at(point.x())] if self._columns.are_beside else range(len(self._columns.columns))
        for column in places:
            row = self._columns.columns[column].layout.row_at(y)
            if row is not None:
                return column, row
        return None

    def _tip_at(self, point: QPointF) -> str:
        place = self._row_at(point)
        if place is None:
            band = self._columns.band_at(point.y() + self.verticalScrollBar().value())
            return band.pair.difference.message if band and band.pair.difference else ""
        column, row = self._columns.columns[place[0]], place[1]
        word, index = column.layout.word_at(row)
        if point.x() < column.rows_left:
            return f"{row_title(word, index)}\n{why(word, index)}"
        piece = column.layout.piece_at(row, point.x() - self._origin(column).x())
        return describe_piece(word, piece, self._step) if piece else why(word, index)

    def _copy_reason(self) -> None:
        assert self._current is not None
        band = self._columns.band_of(self._column, self._current)
        if band and band.pair.difference:
            QGuiApplication.clipboard().setText(band.pair.difference.message)

    def _has_reason(self) -> bool:
        band = self._columns.band_of(self._column, self._current) if self._current is not None else None
        return band is not None and band.pair.difference is not None

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        top, bottom = float(event.rect().top()), float(event.rect().bottom())
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._current is not None:
                painter.fillRect(self.row_rect(self._current, self._column), self._theme.colors.row)
            work = EncodePainter(painter, self._theme, self._columns, across, down)
            for column in range(len(self._columns.columns)):
                work.paint_column(column, top, bottom, self._current if column == self._column else None)
            if self._columns.bands:
                work.paint_comparison(top, bottom, self.viewport().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        was_beside = self._columns.are_beside
        self._columns.widen(self.viewport().width())
        if was_beside is not self._columns.are_beside:
            self._set_current(None)  # rows are numbered anew
        self._set_scroll_ranges()
        if self._current is not None:
            self._scroll_to_current()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        work: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Up: self.go_back,
            Qt.Key.Key_Left: self._go_left,
            Qt.Key.Key_Down: self.go_forward,
            Qt.Key.Key_Right: self._go_right,
            Qt.Key.Key_Home: self.go_first,
            Qt.Key.Key_End: self.go_last,
            Qt.Key.Key_N: self.go_to_difference,
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
            place = self._row_at(event.position())
            if place:
                self._set_current(place[1], place[0])
            else:
                self._set_current(None)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.reveal_current()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        go = menu.addAction(self._theme.icon("crosshair"), "Go to this merge", self.reveal_current)
        go.setEnabled(self.current_merge is not None)
        menu.addAction("Show all rows", self.show_all).setEnabled(self._current is not None)
        if self._pairs:
            copy = menu.addAction(self._theme.icon("copy"), "Copy why they differ", self._copy_reason)
            copy.setEnabled(self._has_reason())
        menu.popup(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            tip = self._tip_at(QPointF(event.pos()))
            # Qt guesses whether a tip is markup: a token may look like it
            QToolTip.showText(event.globalPos(), QtText.convertFromPlainText(tip) if tip else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(420, round(self._columns.columns[0].layout.row_height * 5))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, round(self._columns.columns[0].layout.row_height * 2))


def _encoders(phrases: tuple[Phrase, ...]) -> list[Encoder | None]:
    return [phrase.words[0].encoder if phrase.words else None for phrase in phrases]


def _first_difference(before: Phrase, after: Phrase) -> int | None:
    """Place of the first word that is another one; None if the words are the same."""
    places = enumerate(zip_longest(before.words, after.words))
    return next((i for i, (old, new) in places if not old or not new or old.word != new.word), None)


def _bring_into_view(bar: QScrollBar, start: float, end: float, length: float) -> None:
    """Scroll as little as needed to show `start` to `end`; where both do not fit, `start`."""
    bar.setValue(round(min(max(bar.value(), end - length), start)))
