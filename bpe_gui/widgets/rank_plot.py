"""How often the tokens occur, the most frequent one first, on two log axes, where many texts give nearly a line."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtWidgets import QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.plot import Plot, pen
from core.distributions import Distributions

SPARSE_POINTS = 60
"""Up to here each point is marked: a few tokens are no line."""


class RankPlot(Plot):
    """Signals:
    rank_hovered(rank): the mouse is nearest to it; -1 when it has left.
    """

    rank_hovered = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        for side in ("left", "bottom"):
            self.getAxis(side).setLogMode(True)
            self.getAxis(side).show_whole_numbers()
        self._curves = tuple(pg.PlotDataItem() for _ in range(2))
        for curve in self._curves:
            self.addItem(curve)
        self._guide = pg.InfiniteLine(angle=90, movable=False)
        self._guide.hide()
        self.addItem(self._guide, ignoreBounds=True)
        self.setAccessibleName("Curve of how often tokens occur against their rank")
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.take_on_theme()

    def points(self, which: int = 0) -> tuple[Sequence[float], Sequence[float]]:
        """What is drawn of a text: logarithms of ranks and of occurrences."""
        x, y = self._curves[which].getData()
        return ([], []) if x is None else (x, y)

    def show_frequencies(self, texts: Sequence[Distributions | None]) -> None:
        """Of the corpus and of the held-out text; None leaves a text out."""
        longest = 1
        for curve, found in zip(self._curves, texts, strict=True):
            ranks = found.ranks if found else ()
            occurrences = [frequency.occurrences for frequency in found.frequencies] if found else []
            self._draw(curve, ranks, occurrences)
            longest = max(longest, *ranks, 1)
        end = float(np.log10(longest))
        self.setLimits(xMin=-0.05 - 0.03 * end, xMax=end * 1.03 + 0.05, minXRange=min(0.3, end))

    def show_guide(self, rank: int | None) -> None:
        """A faint line at the rank that is read out."""
        self._guide.setVisible(rank is not None)
        if rank is not None:
            self._guide.setPos(float(np.log10(rank)))

    def take_on_theme(self) -> None:
        super().take_on_theme()
        colors = self._theme.colors
        self.name_bottom("rank of the token")
        self._guide.setPen(pen(colors.muted, 1))
        for curve, color in zip(self._curves, (colors.accent, colors.second), strict=True):
            curve.setPen(pen(color, 2))
            curve.setSymbolBrush(pg.mkBrush(color))
            curve.setSymbolPen(pg.mkPen(None))
            curve.setSymbolSize(6)

    def _draw(self, curve: Any, ranks: Sequence[int], occurrences: Sequence[int]) -> None:
        curve.setSymbol("o" if len(ranks) <= SPARSE_POINTS else None)
        curve.setData(np.log10(np.array(ranks, dtype=float)), np.log10(np.array(occurrences, dtype=float)))

    def _on_mouse_moved(self, place: QPointF) -> None:
        inside = self.getViewBox().sceneBoundingRect().contains(place)
        x = self.getViewBox().mapSceneToView(place).x()
        self.rank_hovered.emit(max(round(10.0 ** min(x, 12.0)), 1) if inside else -1)

    # Qt

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.rank_hovered.emit(-1)
