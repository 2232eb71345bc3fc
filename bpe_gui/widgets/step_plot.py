"""One curve against the step, with a line at the current step that can be dragged and a read-out under the mouse."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from bpe_gui.session import Session
from bpe_gui.theme import Theme
from core.statistics import Series, curve, sampled_steps, value_at

OVERVIEW_POINTS = 300
"""Points over the whole recording that are kept when zoomed in, so that the full extent stays known."""

ROOM_AT_ENDS = 0.03
"""Share of the axis that may be empty before the first step and behind the last one."""

SHORT = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def short_number(value: float) -> str:
    """`950`, `1.5k`, `12M`, `0.25`: what fits beside an axis."""
    for size, sign in SHORT:
        if abs(value) >= size:
            return f"{value / size:.4g}{sign}"
    return f"{value:.4g}"


def exact_number(value: float) -> str:
    """`12,345`, `4.07`"""
    return f"{value:,.0f}" if value == int(value) and abs(value) >= 1 else f"{value:,.2f}"


class NumberAxis(pg.AxisItem):
    """An axis whose numbers have thousands separators, or a k or M when they are long."""

    # Qt and pyqtgraph

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        numbers = [10.0**value if self.logMode else value for value in values]
        return [f"{n:,.0f}" if 1_000 <= abs(n) < 10_000 and n == int(n) else short_number(n) for n in numbers]


class StepPlot(pg.PlotWidget):
    """Signals:
    step_wanted(step): the line was dragged, or the plot was clicked.
    step_hovered(step): the mouse is at this step; -1 when it has left.
    """

    step_wanted = Signal(int)
    step_hovered = Signal(int)

    def __init__(self, session: Session, theme: Theme, series: Series, parent: QWidget | None = None) -> None:
        axes = {"left": NumberAxis("left"), "bottom": NumberAxis("bottom")}
        super().__init__(parent, axisItems=axes)
        self._session = session
        self._theme = theme
        self._series = series
        self._log_steps = False
        self._log_values = False
        self.line = pg.InfiniteLine(angle=90, movable=True)
        self._guide = pg.InfiniteLine(angle=90, movable=False)
        self._dot = pg.ScatterPlotItem(size=9)
        self._curve = pg.PlotCurveItem()
        self._set_up()
        self.take_on_theme()

    @property
    def series(self) -> Series:
        return self._series

    @property
    def shows_all_steps(self) -> bool:
        """Whether the plot goes along as the recording grows; zooming ends it."""
        return self.getViewBox().autoRangeEnabled()[0] is not False

    def points(self) -> tuple[Sequence[float], Sequence[float]]:
        """What is drawn: places on the axes, which are logarithms on a log axis."""
        x, y = self._curve.getData()
        return ([], []) if x is None else (x, y)

    def set_logarithmic(self, steps: bool, values: bool) -> None:
        self._log_steps, self._log_values = steps, values
        self.getAxis("bottom").setLogMode(steps)
        self.getAxis("left").setLogMode(values)
        self.show_all()

    def show_all(self) -> None:
        """Undo zooming."""
        self.refresh()
        self.enableAutoRange()

    def refresh(self) -> None:
        """Draw the curve anew, as finely as the visible part needs."""
        recording = self._session.recording
        if not recording.has_counts:
            self._curve.setData([], [])
            return
        steps = self._steps()
        values = np.array(curve(recording, self._series, steps), dtype=float)
        self._limit_zoom()
        self._curve.setData(self._on_axis(np.array(steps, dtype=float), self._log_steps), self._heights(values))
        self.show_step()

    def show_step(self) -> None:
        """Put the line and its dot at the session's step."""
        step = self._session.step
        self.line.setPos(self._x_of(step))
        value = value_at(self._session.recording, self._series, step)
        point = [] if value is None else [(self._x_of(step), float(self._heights(np.array([value]))[0]))]
        self._dot.setData(pos=point)

    def show_guide(self, step: int | None) -> None:
        """A faint line where the mouse is, here or in a neighbouring plot."""
        self._guide.setVisible(step is not None)
        if step is not None:
            self._guide.setPos(self._x_of(step))

    def take_on_theme(self) -> None:
        colors = self._theme.colors
        fill = QColor(colors.accent)
        fill.setAlphaF(0.12)
        self.setBackground(colors.surface)
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.setPen(pg.mkPen(colors.border))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickFont=self._theme.number_font(), tickLength=4)
        self.setLabel("bottom", "step", color=colors.muted.name())
        self._curve.setPen(_pen(colors.accent, 2))
        self.line.setPen(_pen(colors.text, 1))
        self.line.setHoverPen(_pen(colors.accent, 3))
        self._guide.setPen(_pen(colors.muted, 1, Qt.PenStyle.DotLine))
        self._dot.setPen(_pen(colors.surface, 1.5))
        self._dot.setBrush(colors.accent)

    def _set_up(self) -> None:
        for axis in ("left", "bottom"):
            self.getAxis(axis).enableAutoSIPrefix(False)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(f"Curve of {self._series} against the step")
        for item in (self._curve, self._guide, self.line, self._dot):
            self.addItem(item, ignoreBounds=item is not self._curve)
        self._guide.hide()
        self.line.setCursor(Qt.CursorShape.SplitHCursor)
        self.getViewBox().setMouseEnabled(x=True, y=False)
        self.getViewBox().setDefaultPadding(0.02)
        self.getViewBox().setAutoVisible(y=True)
        self.line.sigDragged.connect(self._on_dragged)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_clicked)
        self.sigXRangeChanged.connect(self._on_zoomed)

    def _first_step(self) -> int:
        return max(self._series.first_step, int(self._log_steps))

    def _steps(self) -> list[int]:
        first, last = self._first_step(), self._session.last_step
        low, high = self._visible_steps()
        overview = sampled_steps(first, last, OVERVIEW_POINTS, self._log_steps)
        seen = sampled_steps(max(first, low), min(last, high), max(self.width(), 100), self._log_steps)
        return sorted({*overview, *seen})

    def _visible_steps(self) -> tuple[int, int]:
        """The steps between the edges of the plot; everything while the plot shows all."""
        if self.shows_all_steps:
            return 0, self._session.last_step
        low, high = self.getViewBox().viewRange()[0]
        return self._step_at(low) - 1, self._step_at(high) + 1

    def _limit_zoom(self) -> None:
        """Not beyond the recording, and not into the space between two steps."""
        low, high = self._x_of(self._first_step()), self._x_of(self._session.last_step)
        margin = max((high - low) * ROOM_AT_ENDS, 0.01)
        narrowest = min(high - low, 0.1 if self._log_steps else 10.0)
        self.setLimits(xMin=low - margin, xMax=high + margin, minXRange=narrowest)

    def _on_axis(self, values: "np.ndarray[Any, np.dtype[Any]]", logarithmic: bool) -> "np.ndarray[Any, np.dtype[Any]]":
        return np.log10(np.maximum(values, 1e-3)) if logarithmic else values

    def _heights(self, values: "np.ndarray[Any, np.dtype[Any]]") -> "np.ndarray[Any, np.dtype[Any]]":
        return self._on_axis(values, self._log_values)

    def _x_of(self, step: int) -> float:
        return math.log10(max(step, 1)) if self._log_steps else float(step)

    def _step_at(self, x: float) -> int:
        last = self._session.last_step
        step = 10.0 ** min(x, 12.0) if self._log_steps else x
        return min(max(round(step), 0), last)

    def _on_dragged(self) -> None:
        self.step_wanted.emit(self._step_at(self.line.value()))

    def _on_mouse_moved(self, place: QPointF) -> None:
        inside = self.getViewBox().sceneBoundingRect().contains(place)
        self.step_hovered.emit(self._step_at(self.getViewBox().mapSceneToView(place).x()) if inside else -1)

    def _on_clicked(self, event: Any) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.getViewBox().sceneBoundingRect().contains(
            event.scenePos()
        ):
            self.step_wanted.emit(self._step_at(self.getViewBox().mapSceneToView(event.scenePos()).x()))

    def _on_zoomed(self) -> None:
        if not self.shows_all_steps:
            self.refresh()

    # Qt

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.step_hovered.emit(-1)

    def minimumSizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 24, metrics.height() * 4)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 50, metrics.height() * 8)


def _pen(color: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    pen: QPen = pg.mkPen(color, width=width, style=style)
    return pen
