"""How many tokens have each length, as bars; of two texts the shares, side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtWidgets import QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.plot import Plot
from core.distributions import LengthCount

BAR_WIDTH = 0.8
FOOT_ON_LOG_AXIS = 0.5
"""A log axis has no 0: there bars stand on one half, so that 1 can be seen."""


class LengthPlot(Plot):
    """Signals:
    length_hovered(length): the mouse is there; -1 when it has left.
    """

    length_hovered = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._log_values = False
        self._drawn: tuple[Sequence[LengthCount], ...] = ()
        self._counts_types = True
        self._bars = tuple(pg.BarGraphItem(x=[], y0=[], height=[], width=BAR_WIDTH) for _ in range(2))
        for bars in self._bars:
            self.addItem(bars)
        self.getAxis("bottom").show_whole_numbers()
        self.setAccessibleName("Histogram of the lengths of tokens")
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.take_on_theme()

    def bars(self, which: int = 0) -> tuple[list[float], list[float]]:
        """Where the bars of a text stand, and their heights."""
        opts = self._bars[which].opts
        return list(opts["x"]), list(opts["height"])

    def show_histograms(self, histograms: Sequence[Sequence[LengthCount]], counts_types: bool, unit: str) -> None:
        """Of one text or two, the corpus first; None leaves out its bars."""
        self._drawn, self._counts_types = tuple(histograms), counts_types
        self.name_bottom(f"{unit} in a token")
        self._draw()

    def set_logarithmic(self, values: bool) -> None:
        self._log_values = values
        self.getAxis("left").setLogMode(values)
        self._draw()
        self.enableAutoRange()

    def take_on_theme(self) -> None:
        super().take_on_theme()
        colors = self._theme.colors
        for bars, color in zip(self._bars, (colors.accent, colors.second), strict=True):
            bars.setOpts(brush=pg.mkBrush(color), pen=pg.mkPen(None))

    def _draw(self) -> None:
        present = [histogram for histogram in self._drawn if histogram]
        compares = len(present) > 1
        self.getAxis("left").show_shares(compares)
        width, shift = BAR_WIDTH / max(len(present), 1), -BAR_WIDTH / 2
        for bars, histogram in zip(self._bars, (*self._drawn, (), ())[:2], strict=True):
            lengths, counts = self._counts(histogram)
            foot = FOOT_ON_LOG_AXIS if self._log_values else 0.0
            if compares and counts.size:
                counts, foot = counts / counts.sum(), foot / counts.sum()
            tops, feet = counts, np.full(counts.size, foot)
            if self._log_values:
                tops, feet = np.log10(counts), np.log10(feet)
            bars.setOpts(x=lengths + shift + width / 2, y0=feet, height=tops - feet, width=width)
            shift += width if histogram else 0.0
        longest = max((histogram[-1].length for histogram in present), default=1)
        self.setLimits(xMin=-0.5, xMax=longest + 1.5, minXRange=min(4, longest))

    def _counts(self, histogram: Sequence[LengthCount]) -> Any:
        """Lengths that occur, and how many tokens have them."""
        counted = [(row.length, row.types if self._counts_types else row.occurrences) for row in histogram]
        return np.array([row for row in counted if row[1]], dtype=float).reshape(-1, 2).T

    def _on_mouse_moved(self, place: QPointF) -> None:
        inside = self.getViewBox().sceneBoundingRect().contains(place)
        self.length_hovered.emit(round(self.getViewBox().mapSceneToView(place).x()) if inside else -1)

    # Qt

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.length_hovered.emit(-1)
