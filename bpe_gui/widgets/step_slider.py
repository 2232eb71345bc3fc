"""A slider over the steps, drawn on the compression curve: how many tokens the corpus has after each merge."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QAbstractSlider, QToolTip, QWidget

from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.widgets.tips import plain_tip
from core.bookmarks import Bookmark, bookmark_title
from core.statistics import Series, curve, sampled_steps

KNOB_RADIUS = 6.0
MARGIN = KNOB_RADIUS + 2
FLAG = 4.0
"""Half the width of the flag of a marked step, and half its height."""
PAGES = 100
PIXELS_PER_POINT = 2


class StepSlider(QAbstractSlider):
    """Its value is the session's step; click or drag goes there, the wheel moves one step, a page is 1 %."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self._curve = QPolygonF()
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Step")
        self.setToolTip(
            "Step: how many merges have been made; the curve is the number of tokens in the corpus.\n"
            "Click or drag. Left and Right move one step, page keys one in a hundred, Home and End go to the ends."
        )
        self.valueChanged.connect(session.go_to)
        session.recording_replaced.connect(self._take_in)
        session.merges_appended.connect(self._take_in)
        session.step_changed.connect(self._show_step)
        session.bookmarks_changed.connect(self.update)
        theme.changed.connect(self.update)
        self._take_in()

    def _take_in(self) -> None:
        with QSignalBlocker(self):  # a shorter range moves the value; the session has the step already
            self.setRange(0, self._session.last_step)
            self.setPageStep(max(self._session.last_step // PAGES, 1))
        self.setEnabled(self._session.last_step > 0)
        self._curve = QPolygonF()
        self._show_step()

    def _show_step(self) -> None:
        with QSignalBlocker(self):
            self.setValue(self._session.step)
        self.update()

    def _track(self) -> QRectF:
        return QRectF(self.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)

    def _x_of(self, step: float) -> float:
        track = self._track()
        return track.left() + track.width() * step / max(self.maximum(), 1)

    def _step_at(self, x: float) -> int:
        track = self._track()
        return round((x - track.left()) / max(track.width(), 1.0) * self.maximum())

    def _curve_points(self) -> QPolygonF:
        """Computed anew after a change only; without counts it is a flat line."""
        if self._curve.isEmpty():
            recording, track = self._session.recording, self._track()
            steps = sampled_steps(0, self.maximum(), max(int(track.width() / PIXELS_PER_POINT), 2))
            lengths = curve(recording, Series.CORPUS_LENGTH, steps)
            across = track.width() / max(self.maximum(), 1)
            up = track.height() / (lengths[0] or 1.0)
            left, bottom = track.left(), track.bottom()
            points = zip(steps, lengths, strict=True)
            self._curve = QPolygonF([QPointF(left + across * step, bottom - up * length) for step, length in points])
        return self._curve

    def _knob(self) -> QPointF:
        recording, track = self._session.recording, self._track()
        whole = recording.corpus_length(0)
        height = recording.corpus_length(self.value()) / whole if whole else 0.0
        return QPointF(self._x_of(self.value()), track.bottom() - track.height() * height)

    def _paint_curve(self, painter: QPainter, clip: QRectF, line: QColor, alpha: float) -> None:
        track, points = self._track(), self._curve_points()
        fill = QColor(line)
        fill.setAlphaF(alpha)
        painter.save()
        painter.setClipRect(clip)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        area = QPolygonF(points)
        area.append(QPointF(points.last().x(), track.bottom()))
        area.append(QPointF(points.first().x(), track.bottom()))
        painter.drawPolygon(area)
        painter.setPen(QPen(line, 1.5))
        painter.drawPolyline(points)
        painter.restore()

    def _paint_bookmarks(self, painter: QPainter) -> None:
        """Flags that hang from the top, pointing down at their steps."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colors.second)
        for bookmark in self._session.bookmarks:
            x = self._x_of(bookmark.step)
            points = QPointF(x - FLAG, 0), QPointF(x + FLAG, 0), QPointF(x, 2 * FLAG)
            painter.drawPolygon(QPolygonF(points))

    def _bookmark_near(self, x: float) -> Bookmark | None:
        """The one whose flag is at a place."""
        near = [bookmark for bookmark in self._session.bookmarks if abs(self._x_of(bookmark.step) - x) <= FLAG + 1]
        return min(near, key=lambda bookmark: abs(self._x_of(bookmark.step) - x), default=None)

    def _tell_bookmark(self, event: QHelpEvent) -> bool:
        """Whether the mouse is over a flag."""
        bookmark = self._bookmark_near(event.pos().x())
        if bookmark is not None:
            title = bookmark_title(self._session.recording, bookmark)
            QToolTip.showText(event.globalPos(), plain_tip(title), self)
        return bookmark is not None

    def _paint_knob(self, painter: QPainter, knob: QPointF) -> None:
        colors, track = self._theme.colors, self._track()
        accent = colors.accent if self.isEnabled() else colors.border
        painter.setPen(QPen(accent, 1))
        painter.drawLine(QPointF(knob.x(), track.top()), QPointF(knob.x(), track.bottom()))
        if self.hasFocus():
            halo = QColor(colors.accent)
            halo.setAlphaF(0.3)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(halo)
            painter.drawEllipse(knob, KNOB_RADIUS + 2, KNOB_RADIUS + 2)
        painter.setPen(QPen(colors.surface, 1.5))
        painter.setBrush(accent)
        painter.drawEllipse(knob, KNOB_RADIUS - 0.5, KNOB_RADIUS - 0.5)

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(360, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, int(self.fontMetrics().height() * 1.8 + 2 * MARGIN))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._curve = QPolygonF()
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            colors, track, knob = self._theme.colors, self._track(), self._knob()
            painter.setPen(QPen(colors.border, 1))
            painter.drawLine(track.bottomLeft(), track.bottomRight())
            if self.maximum():
                whole = QRectF(self.rect())
                before, after = QRectF(whole), QRectF(whole)
                before.setRight(knob.x())
                after.setLeft(knob.x())
                self._paint_curve(painter, before, colors.accent, 0.25)
                self._paint_curve(painter, after, colors.border, 0.4)
            self._paint_knob(painter, knob)
            self._paint_bookmarks(painter)

    def event(self, event: QEvent) -> bool:
        is_told = isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._tell_bookmark(event)
        return is_told or super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            x = event.position().x()
            bookmark = self._bookmark_near(x) if event.position().y() <= 2 * FLAG else None
            self.setValue(bookmark.step if bookmark else self._step_at(x))
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._step_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)
