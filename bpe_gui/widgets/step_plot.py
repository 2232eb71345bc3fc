"""A quantity against the step, of one text or two, with a line at the current step that can be dragged."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtWidgets import QWidget

from bpe_gui.curves import Curves, Quantity, first_step, is_share, title
from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.widgets.plot import Plot, pen
from core.statistics import sampled_steps

OVERVIEW_POINTS = 300
"""Points over the whole recording that are kept when zoomed in, so that the full extent stays known."""

ROOM_AT_ENDS = 0.03
"""Share of the axis that may be empty before the first step and behind the last one."""

LEAST_ON_LOG_AXIS = 1e-3
"""A log axis has no place for 0; below this share it stands for it."""

Points = list[tuple[int, float]]


class StepPlot(Plot):
    """Signals:
    step_wanted(step): the line was dragged, or the plot was clicked.
    step_hovered(step): the mouse is at this step; -1 when it has left.
    """

    step_wanted = Signal(int)
    step_hovered = Signal(int)

    def __init__(
        self, session: Session, curves: Curves, theme: Theme, quantity: Quantity, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, parent)
        self._session = session
        self._curves = curves
        self._quantity = quantity
        self._log_steps = False
        self._log_values = False
        self.line = pg.InfiniteLine(angle=90, movable=True)
        self._guide = pg.InfiniteLine(angle=90, movable=False)
        self._dots = pg.ScatterPlotItem(size=9)
        self._corpus_curve = pg.PlotCurveItem()
        self._held_out_curve = pg.PlotCurveItem()
        self._set_up()
        self.take_on_theme()
        self.set_quantity(quantity)

    @property
    def quantity(self) -> Quantity:
        return self._quantity

    @property
    def shows_all_steps(self) -> bool:
        """Whether the plot goes along as the recording grows; zooming ends it."""
        return self.getViewBox().autoRangeEnabled()[0] is not False

    def points(self) -> tuple[Sequence[float], Sequence[float]]:
        """What is drawn of the corpus: places on the axes, which are logarithms on a log axis."""
        return _points_of(self._corpus_curve)

    def held_out_points(self) -> tuple[Sequence[float], Sequence[float]]:
        return _points_of(self._held_out_curve)

    def set_quantity(self, quantity: Quantity) -> None:
        """Draw another one from the next refresh on."""
        self._quantity = quantity
        self.getAxis("left").show_shares(is_share(quantity))
        self.setAccessibleName(f"Curve of {title(quantity)} against the step")

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
        """Draw the curves anew, as finely as the visible part needs."""
        steps = self._steps()
        self._limit_zoom()
        self._draw(self._corpus_curve, self._curves.corpus_points(self._quantity, steps))
        self._draw(self._held_out_curve, self._curves.held_out_points(self._quantity, steps))
        self.show_step()

    def show_step(self) -> None:
        """Put the line and its dots at the session's step."""
        step = self._session.step
        self.line.setPos(self._x_of(step))
        colors, spots = self._theme.colors, list[dict[str, Any]]()
        for value, color in (
            (self._curves.of_held_out(self._quantity, step), colors.second),
            (self._curves.of_corpus(self._quantity, step), colors.accent),
        ):
            if value is not None:
                place = self._x_of(step), float(self._on_axis(np.array([value]), self._log_values)[0])
                spots.append({"pos": place, "brush": pg.mkBrush(color)})
        self._dots.setData(spots)

    def show_guide(self, step: int | None) -> None:
        """A faint line where the mouse is, here or in a neighbouring plot."""
        self._guide.setVisible(step is not None)
        if step is not None:
            self._guide.setPos(self._x_of(step))

    def take_on_theme(self) -> None:
        super().take_on_theme()
        colors = self._theme.colors
        self.name_bottom("step")
        self._corpus_curve.setPen(pen(colors.accent, 2))
        self._held_out_curve.setPen(pen(colors.second, 2))
        self.line.setPen(pen(colors.text, 1))
        self.line.setHoverPen(pen(colors.accent, 3))
        self._guide.setPen(pen(colors.muted, 1, Qt.PenStyle.DotLine))
        self._dots.setPen(pen(colors.surface, 1.5))
        self.show_step()

    def _set_up(self) -> None:
        for curve in (self._held_out_curve, self._corpus_curve):
            self.addItem(curve)
        for item in (self._guide, self.line, self._dots):
            self.addItem(item, ignoreBounds=True)
        self._guide.hide()
        self.getAxis("bottom").show_whole_numbers()
        self.line.setCursor(Qt.CursorShape.SplitHCursor)
        self.line.sigDragged.connect(self._on_dragged)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_clicked)
        self.sigXRangeChanged.connect(self._on_zoomed)

    def _draw(self, curve: Any, points: Points) -> None:
        steps, values = np.array(points, dtype=float).reshape(-1, 2).T
        curve.setData(self._on_axis(steps, self._log_steps), self._on_axis(values, self._log_values))

    def _first_step(self) -> int:
        return max(first_step(self._quantity), int(self._log_steps))

    def _steps(self) -> list[int]:
        first, last = self._first_step(), self._session.last_step
        low, high = self._visible_steps()
        overview = sampled_steps(first, last, OVERVIEW_POINTS, self._log_steps)
        seen = sampled_steps(max(first, low), min(last, high), max(self.width(), 100), self._log_steps)
        return self._curves.with_peaks(self._quantity, sorted({*overview, *seen}))

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
        return np.log10(np.maximum(values, LEAST_ON_LOG_AXIS)) if logarithmic else values

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


def _points_of(curve: Any) -> tuple[Sequence[float], Sequence[float]]:
    x, y = curve.getData()
    return ([], []) if x is None else (x, y)
