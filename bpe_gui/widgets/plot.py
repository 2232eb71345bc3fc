"""What all charts have in common: the theme's colours, numbers with separators at the axes, and the mouse's manners."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from bpe_gui.theme import Theme

LEAST_LINES_WITH_NAME = 10
SHORT = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def short_number(value: float) -> str:
    """`950`, `1.5k`, `12M`, `0.25`: what fits beside an axis."""
    for size, sign in SHORT:
        if abs(value) >= size:
            return f"{value / size:.4g}{sign}"
    return f"{value:.4g}"


def pen(color: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    made: QPen = pg.mkPen(color, width=width, style=style)
    return made


class NumberAxis(pg.AxisItem):
    """An axis whose numbers have thousands separators, or a k or M when they are long; shares are per cent.

    Nothing here is negative: where an axis goes below 0 to make room, it has no numbers.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._shows_shares = False
        self._is_whole = False

    def show_whole_numbers(self) -> None:
        """Steps and counts have nothing between them, however far one zooms in."""
        self._is_whole = True

    def show_shares(self, shows: bool) -> None:
        self._shows_shares = shows
        self.picture = None  # drawn anew
        self.update()

    def _text(self, number: float) -> str:
        if number < 0 or self._is_left_out(number):
            return ""
        if self._shows_shares:
            return f"{short_number(100 * number)}%"
        return f"{number:,.0f}" if 1_000 <= number < 10_000 and number == int(number) else short_number(number)

    def _is_left_out(self, number: float) -> bool:
        """On a log axis over more than a tenfold there is room for 1, 2, 5, 10, 20 and so on; 7, 8 and 9 touch."""
        if not self.logMode:
            return False
        low, high = self.range
        return (self._is_whole and number < 0.99) or (high - low > 1 and f"{number:.0e}"[0] not in "125")

    # Qt and pyqtgraph

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [self._text(10.0**value if self.logMode else value) for value in values]

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        levels: list[tuple[float, float]] = super().tickSpacing(minVal, maxVal, size)
        if not self._is_whole or self.logMode:
            return levels
        return [level for level in levels if level[0] >= 1] or [(1.0, 0.0)]


class Plot(pg.PlotWidget):
    """Wheel and drag move along the horizontal axis only; the vertical one fits what is seen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems={"left": NumberAxis("left"), "bottom": NumberAxis("bottom")})
        self._theme = theme
        for axis in ("left", "bottom"):
            self.getAxis(axis).enableAutoSIPrefix(False)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getViewBox().setMouseEnabled(x=True, y=False)
        self.getViewBox().setDefaultPadding(0.02)
        self.getViewBox().setAutoVisible(y=True)

    def take_on_theme(self) -> None:
        colors, half_a_number = self._theme.colors, self.fontMetrics().height() // 2
        self.getPlotItem().layout.setContentsMargins(0, half_a_number, half_a_number, half_a_number // 2)
        self.setBackground(colors.surface)
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.setPen(pg.mkPen(colors.border))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickFont=self._theme.number_font(), tickLength=4)

    def name_bottom(self, name: str) -> None:
        self.setLabel("bottom", name, color=self._theme.colors.muted.name())
        self._show_name()

    def _show_name(self) -> None:
        """In a low plot the curve needs the room more."""
        self.getAxis("bottom").showLabel(self.height() > LEAST_LINES_WITH_NAME * self.fontMetrics().height())

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event is not None:  # pyqtgraph calls it without one while it is made
            self._show_name()

    def minimumSizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 24, metrics.height() * 4)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 50, metrics.height() * 8)
