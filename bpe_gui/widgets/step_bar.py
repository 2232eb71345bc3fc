"""The bar of the time line: play and step buttons, the slider, and the name of the step on the screen."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QToolButton, QVBoxLayout, QWidget

from bpe_gui.actions import Actions
from bpe_gui.playback import Playback
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.step_slider import StepSlider
from core.statistics import bytes_per_token
from core.vocab import step_title

PLAY_SPEEDS: tuple[tuple[str, float], ...] = (
    ("1 step a second", 1.0),
    ("4 steps a second", 4.0),
    ("15 steps a second", 15.0),
    ("60 steps a second", 60.0),
    ("250 steps a second", 250.0),
    ("All in 10 seconds", 0.0),
)


class StepBar(QWidget):
    """Shows the session's step and lets the person choose another."""

    def __init__(
        self,
        session: Session,
        playback: Playback,
        actions: Actions,
        theme: Theme,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._playback = playback
        self._theme = theme
        self._settings = settings
        self._slider = StepSlider(session, theme, self)
        self._number = QSpinBox(self)
        self._title = ElidingLabel(parent=self)
        self._ratio = QLabel(self)
        self._speed = QComboBox(self)
        self._set_up_number()
        self._set_up_labels()
        self._set_up_speed()
        self._lay_out([actions.first, actions.back, actions.play, actions.forward, actions.last])
        session.recording_replaced.connect(self._show)
        session.merges_appended.connect(self._show)
        session.step_changed.connect(self._show)
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()
        self._show()

    def _set_up_number(self) -> None:
        self._number.setAccessibleName("Step number")
        self._number.setToolTip("Type a step and press Enter to go there")
        self._number.setGroupSeparatorShown(True)
        self._number.setKeyboardTracking(False)
        self._number.setAccelerated(True)
        self._number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._number.valueChanged.connect(self._session.go_to)

    def _set_up_labels(self) -> None:
        self._title.setAccessibleName("Name of the step")
        self._ratio.setTextFormat(Qt.TextFormat.PlainText)
        self._ratio.setProperty("role", "muted")
        self._ratio.setToolTip("Bytes of the corpus divided by the number of its tokens at this step")

    def _set_up_speed(self) -> None:
        self._speed.setAccessibleName("Speed of play")
        self._speed.setToolTip("How fast the merges are played")
        for title, rate in PLAY_SPEEDS:
            self._speed.addItem(title, rate)
        rate = self._settings.number(Settings.PLAY_SPEED)
        self._speed.setCurrentIndex(max(self._speed.findData(rate), 0))
        self._playback.set_steps_per_second(self._speed.currentData())
        self._speed.currentIndexChanged.connect(self._choose_speed)

    def _lay_out(self, actions: list[QAction]) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.setSpacing(2)
        for action in actions:
            top.addWidget(self._button(action))
        top.addSpacing(6)
        top.addWidget(self._slider, 1)
        bottom.setSpacing(8)
        bottom.addWidget(self._number)
        bottom.addWidget(self._title, 1)
        bottom.addWidget(self._ratio)
        bottom.addWidget(self._speed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addLayout(bottom)

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAutoRepeat(not action.isCheckable())
        button.setAccessibleName(action.text().replace("&", ""))
        return button

    def _show(self) -> None:
        recording, step = self._session.recording, self._session.step
        with QSignalBlocker(self._number):
            self._number.setRange(0, self._session.last_step)
            self._number.setValue(step)
        title = step_title(recording, step)
        self._title.setText(title)
        self._slider.setAccessibleDescription(title)
        ratio = bytes_per_token(recording, step)
        self._ratio.setText("" if ratio is None else f"{ratio:.2f} bytes per token")

    def _take_on_theme(self) -> None:
        self._number.setFont(self._theme.number_font())
        self._ratio.setFont(self._theme.number_font())

    def _choose_speed(self) -> None:
        rate = self._speed.currentData()
        self._settings.set(Settings.PLAY_SPEED, rate)
        self._playback.set_steps_per_second(rate)
