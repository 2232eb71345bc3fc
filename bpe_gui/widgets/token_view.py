"""The text in tokens: paints the rows in view, scrolls through texts of any size, and tells what token stands where."""

import time
from collections.abc import Generator

from PySide6.QtCore import QEvent, QPointF, QRect, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QCursor,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QToolTip, QWidget

from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets import token_facts
from bpe_gui.widgets.shown_text import Place, ShownRow, ShownText
from bpe_gui.widgets.token_layout import Measures
from bpe_gui.widgets.token_painter import Moment, TokenPainter
from core.merge import UNKNOWN
from core.segmentation import GAP, Segment, Segmenter

MARGIN = 12
UNITS_PER_BLOCK = 256  # of the scroll bar
ROWS_PER_NOTCH = 3
PULSE_MILLISECONDS = 400
CALM_SECONDS = 0.2  # merges that follow each other faster do not pulse
SEARCH_SECONDS = 0.008  # a slice of a search, between two events


class TokenView(QAbstractScrollArea):
    """Signals:
    token_clicked(token id): a token that a merge made was clicked.
    facts_changed(text): one line on the token under the mouse or the keyboard's cursor; empty without one.
    merge_missing(rank): the merge to be revealed applies nowhere in this text.
    exactness_lost: a word in view is so long that it is shown in parts, see `Segmenter.is_exact`.
    """

    token_clicked = Signal(int)
    facts_changed = Signal(str)
    merge_missing = Signal(int)
    exactness_lost = Signal()

    def __init__(self, session: Session, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._theme = theme
        self._shown: ShownText | None = None
        self._top = Place(0, 0.0)
        self._hovered: Segment | None = None
        self._cursor: Segment | None = None
        self._is_exact = True  # as far as is told
        self._placeholder = ""
        self._last_step_time = 0.0
        self._search: Generator[None, None, Segment | None] | None = None
        self._searched_rank = 0
        self._search_timer = QTimer(self, interval=0)
        self._search_timer.timeout.connect(self._search_on)
        self._pulse = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=PULSE_MILLISECONDS)
        self._pulse.valueChanged.connect(self.viewport().update)
        self._set_up_widget()
        session.step_changed.connect(self._show_step)
        session.merge_revealed.connect(self.reveal)
        theme.changed.connect(self._lay_out)
        settings.changed.connect(self._on_setting_changed)

    def _set_up_widget(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Tokens")
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._follow_scroll_bar)

    @property
    def segmenter(self) -> Segmenter | None:
        return self._shown.segmenter if self._shown else None

    def show_text(self, segmenter: Segmenter | None, placeholder: str = "") -> None:
        """Show another text, or the same under another recording; without one a sentence in its place."""
        self._end_search()
        blocks = self._shown.blocks if self._shown else None
        self._shown = ShownText(segmenter, self._measures(segmenter), blocks) if segmenter and segmenter.text else None
        self._placeholder = placeholder
        self._is_exact = True
        self._hovered = self._cursor = None
        self.facts_changed.emit("")
        if self._shown is None or self._shown.blocks is not blocks:
            self._top = Place(0, 0.0)
        self._scroll_to(self._top)

    def reveal(self, rank: int) -> None:
        """Scroll to a place where this merge applied, the nearest one from the top of the view on."""
        self._end_search()
        if self._shown is None or rank >= len(self._session.recording):
            return
        start = self._shown.character_at(self._top)
        self._searched_rank = rank
        self._search = self._shown.segmenter.find_merge(rank, start)
        self._search_timer.start()
        self._search_on()

    def copy_visible(self) -> None:
        """Copy the tokens in view with | between them."""
        if self._shown:
            segments = dict.fromkeys(span.segment for shown in self._rows() for span in shown.spans)
            text = "|".join(self._shown.segmenter.shown_text(segment) for segment in segments)
            QGuiApplication.clipboard().setText(text)

    def token_at(self, point: QPointF) -> Segment | None:
        """The token or gap at a point of the viewport."""
        for shown in self._rows():
            if shown.y <= point.y() < shown.y + shown.row.height:
                for span in reversed(shown.spans):  # a marker lies over the end of its word
                    if span.left <= point.x() - MARGIN < span.right:
                        return span.segment
        return None

    def _measures(self, segmenter: Segmenter) -> Measures:
        width = self.viewport().width() - 2 * MARGIN
        return Measures.of(self._theme.text_font(), width, segmenter.spaces_lead, self._shows_white_space())

    def _row_height(self) -> float:
        return self._measures(self._shown.segmenter).row_height if self._shown else 0.0

    def _shows_white_space(self) -> bool:
        return self._settings.flag(Settings.SHOW_WHITESPACE)

    def _rows(self) -> list[ShownRow]:
        if self._shown is None:
            return []
        return list(self._shown.rows(self._top, MARGIN, self.viewport().height(), self._session.step))

    def _lay_out(self) -> None:
        """Anew in another width or font, with the same character on top."""
        if self._shown:
            character = self._shown.character_at(self._top) if self._top != Place(0, 0.0) else 0
            self._shown.set_measures(self._measures(self._shown.segmenter))
            self._top = self._shown.place_of(character) if character else Place(0, 0.0)
            self._scroll_to(self._top)
        self.viewport().update()

    def _scroll_by(self, pixels: float) -> None:
        if self._shown:
            self._scroll_to(self._shown.moved(self._top, pixels))

    def _scroll_to(self, place: Place) -> None:
        if self._shown:
            last = self._shown.last_top(self._page_height())
            self._top = min(place, last)
            self._set_scroll_bar(last)
        else:
            self.verticalScrollBar().setRange(0, 0)
        self._hover_again()

    def _page_height(self) -> float:
        return self.viewport().height() - 2 * MARGIN

    def _set_scroll_bar(self, last: Place) -> None:
        bar = self.verticalScrollBar()
        blocked = bar.blockSignals(True)
        bar.setRange(0, self._units(last))
        bar.setPageStep(max(self._units(Place(len(self._blocks()), 0.0)) - self._units(last), 1))
        bar.setSingleStep(UNITS_PER_BLOCK // 8)
        bar.setValue(self._units(self._top))
        bar.blockSignals(blocked)

    def _blocks(self) -> range:
        return range(len(self._shown.blocks)) if self._shown else range(0)

    def _units(self, place: Place) -> int:
        if self._shown is None or place.block >= len(self._shown.blocks):
            return place.block * UNITS_PER_BLOCK
        share = place.offset / max(self._shown.layout(place.block).height, 1.0)
        return place.block * UNITS_PER_BLOCK + round(share * UNITS_PER_BLOCK)

    def _follow_scroll_bar(self, value: int) -> None:
        if self._shown:
            block, units = divmod(value, UNITS_PER_BLOCK)
            block = min(block, len(self._shown.blocks) - 1)
            offset = units / UNITS_PER_BLOCK * self._shown.layout(block).height
            self._scroll_to(Place(block, offset))

    def _show_step(self) -> None:
        now = time.monotonic()
        is_calm, self._last_step_time = now - self._last_step_time > CALM_SECONDS, now
        self._flash(is_calm)
        if self._shown and self._cursor:
            self._set_cursor(self._shown.segmenter.token_at(self._cursor.start, self._cursor.lead, self._session.step))
        self._hover_again()

    def _flash(self, is_calm: bool = True) -> None:
        self._pulse.stop()
        if is_calm and self._theme.moves and self._shown and self.isVisible():
            self._pulse.start()

    def _on_setting_changed(self, key: str) -> None:
        if key == Settings.SHOW_WHITESPACE:
            self._lay_out()

    def _search_on(self) -> None:
        until = time.monotonic() + SEARCH_SECONDS
        while self._search is not None and time.monotonic() < until:
            try:
                next(self._search)
            except StopIteration as stop:
                self._end_search()
                self._show_found(stop.value)

    def _end_search(self) -> None:
        self._search_timer.stop()
        self._search = None

    def _show_found(self, segment: Segment | None) -> None:
        if segment is None:
            self.merge_missing.emit(self._searched_rank)
            return
        self._bring_into_view(segment)
        self._flash()

    def _bring_into_view(self, segment: Segment) -> None:
        assert self._shown
        bottom = self._page_height()
        for shown in self._rows():
            if shown.row.holds(segment) and shown.y >= 0 and shown.y + shown.row.height <= bottom + MARGIN:
                return
        self._scroll_to(self._shown.moved(self._shown.place_of(segment.start), -bottom / 3))

    def _hover(self, segment: Segment | None) -> None:
        if segment is not None and segment.token_id == GAP:
            segment = None
        if segment != self._hovered:
            self._hovered = segment
            self._tell(segment or self._cursor)
            self.viewport().update()

    def _hover_again(self) -> None:
        """What is under the mouse after the text or its tokens changed."""
        self._hovered = None
        if self.viewport().underMouse():
            self._hover(self.token_at(QPointF(self.viewport().mapFromGlobal(QCursor.pos()))))
        self.viewport().update()

    def _set_cursor(self, segment: Segment | None) -> None:
        self._cursor = segment
        self._tell(segment)
        self.viewport().update()

    def _tell(self, segment: Segment | None) -> None:
        line = token_facts.line(self._shown.segmenter, segment, self._session.step) if self._shown and segment else ""
        self.setAccessibleDescription(line)
        self.facts_changed.emit(line)

    def _tell_lost_exactness(self) -> None:
        self.exactness_lost.emit()

    def _move_cursor(self, forward: bool) -> None:
        if self._shown is None:
            return
        segmenter, step = self._shown.segmenter, self._session.step
        if self._cursor is None:
            segment = segmenter.token_at(self._shown.character_at(self._top), 0, step)
        elif forward:
            segment = segmenter.token_behind(self._cursor, step)
        else:
            segment = segmenter.token_before(self._cursor, step)
        if segment is not None:
            self._hovered = None
            self._set_cursor(segment)
            self._bring_into_view(segment)

    def _rank_of(self, segment: Segment | None) -> int | None:
        if segment is None or self._shown is None:
            return None
        return self._shown.segmenter.recording.rank_of_token(segment.token_id)

    def _reveal_cursor(self) -> None:
        rank = self._rank_of(self._cursor)
        if rank is not None:
            self._session.reveal_merge(rank)

    def _copy_token(self) -> None:
        if self._shown and self._cursor:
            QGuiApplication.clipboard().setText(self._shown.segmenter.shown_text(self._cursor))

    def _copy_id(self) -> None:
        if self._cursor:
            QGuiApplication.clipboard().setText(str(self._cursor.token_id))

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        has_token = self._cursor is not None
        has_id = self._cursor is not None and self._cursor.token_id != UNKNOWN
        for text, icon, work, is_possible in (
            (
                "&Go to the merge that made it",
                "git-merge",
                self._reveal_cursor,
                self._rank_of(self._cursor) is not None,
            ),
            ("&Copy token", "copy", self._copy_token, has_token),
            ("Copy &id", "hash", self._copy_id, has_id),
            ("Copy &all in view with | between tokens", "rows", self.copy_visible, self._shown is not None),
        ):
            action = QAction(self._theme.icon(icon), text, menu)
            action.triggered.connect(work)
            action.setEnabled(is_possible)
            menu.addAction(action)
        return menu

    def _paint_placeholder(self, painter: QPainter) -> None:
        painter.setPen(self._theme.colors.muted)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.viewport().rect().adjusted(24, 24, -24, -24), flags, self._placeholder)

    def _paint_tokens(self, painter: QPainter, segmenter: Segmenter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.text_font())
        painter.translate(MARGIN, 0)
        pulse = self._pulse.currentValue() if self._pulse.state() is QVariantAnimation.State.Running else 0.0
        moment = Moment(self._shows_white_space(), pulse, self._hovered, self._cursor if self.hasFocus() else None)
        TokenPainter(painter, self._theme, segmenter, moment).paint(self._rows())

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), self._theme.colors.surface)
            if self._shown is None:
                self._paint_placeholder(painter)
            else:
                self._paint_tokens(painter, self._shown.segmenter)
        if self._shown is not None and self._is_exact and not self._shown.segmenter.is_exact:
            self._is_exact = False
            QTimer.singleShot(0, self, self._tell_lost_exactness)  # listeners may change the layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        pass  # the whole viewport is painted anew

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta().y()
        if not pixels:
            pixels = round(event.angleDelta().y() / 120 * ROWS_PER_NOTCH * self._row_height())
        self._scroll_by(-pixels)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row_height = self._row_height()
        moves = {
            Qt.Key.Key_Up: -row_height,
            Qt.Key.Key_Down: row_height,
            Qt.Key.Key_PageUp: -self._page_height() * 0.9,
            Qt.Key.Key_PageDown: self._page_height() * 0.9,
        }
        key = Qt.Key(event.key())
        if event.modifiers() not in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            super().keyPressEvent(event)
        elif key in moves:
            self._scroll_by(moves[key])
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._move_cursor(key == Qt.Key.Key_Right)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._reveal_cursor()
        elif key == Qt.Key.Key_Home:
            self._scroll_to(Place(0, 0.0))
        elif key == Qt.Key.Key_End and self._shown:
            self._scroll_to(self._shown.last_top(self._page_height()))
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.token_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        segment = self.token_at(event.position())
        if segment is not None and segment.token_id != GAP:
            self._set_cursor(segment)
            if event.button() is Qt.MouseButton.LeftButton and self._rank_of(segment) is not None:
                self.token_clicked.emit(segment.token_id)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._reveal_cursor()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            at = self.viewport().mapToGlobal(self.viewport().rect().center())
        self._menu().popup(at)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Leave:
            self._hover(None)
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            segment = self.token_at(QPointF(event.pos()))
            if self._shown and segment:
                text = token_facts.tooltip(self._shown.segmenter, segment, self._session.step)
                QToolTip.showText(
                    event.globalPos(), text, self.viewport(), QRect(event.pos(), event.pos()).adjusted(-8, -8, 8, 8)
                )
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)
