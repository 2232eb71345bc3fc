"""Says whether a text came back when its tokens were decoded, and on demand what the way of tokenizing loses."""

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionToolButton, QStylePainter, QToolButton, QToolTip, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.tips import plain_tip
from core.round_trip import RoundTrip

PADDING = 18
USUAL_LETTERS = 22
LEAST_LETTERS = 14
"""A message that is cut to fewer says nothing."""
LOSSLESS = "Every text comes back exactly with this way of tokenizing."
LOSSY = "With this way of tokenizing not every text comes back:"


class Verdict(Enum):
    """How the badge looks: (icon, name of the theme's colour)."""

    EXACT = "check-circle", "success"
    CHANGED = "warning", "warning"
    OPEN = "circle-dashed", "muted"


SHORT = {Verdict.EXACT: "Exact", Verdict.CHANGED: "Changed"}


class RoundTripBadge(QToolButton):
    """One line that is shortened where there is no room. A click, or Space, shows all that can be said."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._verdict = Verdict.OPEN
        self._message = ""
        self._tip = ""
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.keep_room(True)
        self.setAccessibleName("Round trip")
        self.clicked.connect(self._explain)
        theme.changed.connect(self._show_icon)
        self.hide()

    def keep_room(self, is_kept: bool) -> None:
        """Whether its place stays empty while it says nothing."""
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(is_kept)
        self.setSizePolicy(policy)

    @property
    def message(self) -> str:
        """The whole line, and "" while nothing is said."""
        return self._message

    @property
    def verdict(self) -> Verdict:
        return self._verdict

    def show_trip(self, trip: RoundTrip, losses: Sequence[str], note: str = "") -> None:
        """Show what decoding gave; `losses` are those of the way of tokenizing, `note` limits what was looked at."""
        lines = [trip.message, note, _scheme(losses)]
        short = "Comes back exactly" if trip.is_equal else trip.message
        self._show(Verdict.EXACT if trip.is_equal else Verdict.CHANGED, short, lines)

    def show_open(self, message: str) -> None:
        """Say why there is no verdict."""
        self._show(Verdict.OPEN, message, [])

    def clear(self) -> None:
        """Say nothing: there is no text."""
        self._message = ""
        self.hide()

    def _show(self, verdict: Verdict, message: str, lines: Sequence[str]) -> None:
        self._verdict, self._message = verdict, message
        self._tip = "\n".join(line for line in ("Encoded and decoded again:", *lines) if line) if lines else message
        self.setText(message)
        self.setToolTip(plain_tip(self._tip))
        self.setAccessibleDescription(self._tip)
        self._show_icon()
        self.show()

    def _show_icon(self) -> None:
        name, _ = self._verdict.value
        self.setIcon(self._theme.icon(name, self._color()))

    def _color(self) -> QColor:
        color: QColor = getattr(self._theme.colors, self._verdict.value[1])
        return color

    def _fitting(self, room: int) -> str:
        """The message, or what fits of it."""
        metrics = self.fontMetrics()
        if metrics.horizontalAdvance(self._message) <= room:
            return self._message
        if self._verdict is not Verdict.EXACT and room > metrics.averageCharWidth() * LEAST_LETTERS:
            return metrics.elidedText(self._message, Qt.TextElideMode.ElideRight, room)
        short = SHORT.get(self._verdict, "")
        return short if metrics.horizontalAdvance(short) <= room else ""

    def _explain(self) -> None:
        QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), self.toolTip(), self)

    # Qt

    def sizeHint(self) -> QSize:
        # whatever it says, so that nothing moves while one types
        width = self.fontMetrics().averageCharWidth() * USUAL_LETTERS + self.iconSize().width() + PADDING
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.iconSize().width() + PADDING, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text = self._fitting(option.rect.width() - self.iconSize().width() - PADDING)
        option.palette.setColor(option.palette.ColorRole.ButtonText, self._color())
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)


def _scheme(losses: Sequence[str]) -> str:
    return "\n".join((LOSSY, *(f"•  {loss}" for loss in losses))) if losses else LOSSLESS
