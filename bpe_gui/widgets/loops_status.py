"""Says in the status bar that the fast loops are being compiled, or why there are none; nothing once they are ready."""

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionToolButton, QStylePainter, QToolButton, QToolTip, QWidget

from bpe_gui.compiled_loops import CompiledLoops
from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.training import Training, TrainingState
from bpe_gui.training_thread import LARGE_BYTES
from bpe_gui.widgets.tips import plain_tip
from core.kernel_loader import State, Status

LEAST_LETTERS = 12
PADDING = 14

COMPILING_TIP = """\
Training and encoding use loops that are compiled for this
processor when the program starts for the first time.
"""
PLAIN_UNTIL_THEN_TIP = """\
Until then all of it works in plain Python, which takes
longer on large texts."""
PLAIN_TIP = "Everything works, but large texts take longer."
AGAIN_TIP = """\
This training began while the fast loops were not there yet,
and goes on in plain Python. Begun once more it is many
times faster, with the same merges."""


class LoopsStatus(QToolButton):
    """One line that is shortened where there is no room. A click, or Space, shows all that can be said."""

    def __init__(
        self, loops: CompiledLoops, session: Session, training: Training, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._loops = loops
        self._session = session
        self._theme = theme
        self._message = self._icon_name = ""
        self._has_slow_run = False
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Fast loops")
        self.clicked.connect(self._explain)
        loops.status_changed.connect(self._show)
        training.state_changed.connect(self._watch_run)
        theme.changed.connect(self._show_icon)
        self._show()

    @property
    def message(self) -> str:
        """The whole line, and "" while nothing is said."""
        return self._message

    def _watch_run(self, state: TrainingState) -> None:
        """Note a run that will be slow because it begins too early."""
        if state is TrainingState.COUNTING:
            is_compiling = self._loops.status.state is State.COMPILING  # loading is waited for
            self._has_slow_run = is_compiling and self._session.corpus.byte_count > LARGE_BYTES
        elif state is TrainingState.IDLE:
            self._has_slow_run = False
        self._show()

    def _show(self) -> None:
        status = self._loops.status
        self._message, self._icon_name, tip = self._words(status)
        self.setText(self._message)
        self.setToolTip(plain_tip(tip))
        self.setAccessibleDescription(f"{self._message}. {tip}")
        self._show_icon()
        self.setVisible(bool(self._message))
        self.updateGeometry()

    def _words(self, status: Status) -> tuple[str, str, str]:
        """(line, icon, tooltip)"""
        if status.state is State.COMPILING:
            after = "; training will be faster then" if self._has_slow_run else ""
            share = f": {status.done} of {status.total}" if status.total else ""
            tip = f"{status.message}\n" if status.reason else COMPILING_TIP
            how = status.reason or "once"
            return f"Compiling the fast loops {how}{share}{after}", "cpu", tip + PLAIN_UNTIL_THEN_TIP
        if status.state is State.FAILED:
            return f"Plain Python: {status.reason}", "info", f"{status.message}\n{PLAIN_TIP}"
        if status.state is State.READY and self._has_slow_run:
            return "The fast loops are ready: stop and train again to use them", "cpu", AGAIN_TIP
        if status.state is State.READY and status.reason:
            return f"Fast loops compiled {status.reason}", "info", status.message
        return "", "cpu", ""

    def _show_icon(self) -> None:
        self.setIcon(self._theme.icon(self._icon_name))

    def _explain(self) -> None:
        QToolTip.showText(self.mapToGlobal(QPoint(0, -self.height())), self.toolTip(), self)

    # Qt

    def minimumSizeHint(self) -> QSize:
        room = self.fontMetrics().averageCharWidth() * LEAST_LETTERS
        return QSize(min(room, super().sizeHint().width()), super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        room = option.rect.width() - self.iconSize().width() - PADDING
        option.text = self.fontMetrics().elidedText(self._message, Qt.TextElideMode.ElideRight, room)
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
