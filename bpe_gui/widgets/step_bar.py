"""The bar of the time line: play and step buttons, the slider, and the name of the step on the screen."""

from itertools import pairwise

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
from core.vocab import step_title_parts

PLAY_SPEEDS: tuple[tuple[str, float], ...] = (
    ("1 step/s", 1.0),
    ("4 steps/s", 4.0),
    ("15 steps/s", 15.0),
    ("60 steps/s", 60.0),
    ("250 steps/s", 250.0),
    ("All in 10 s", 0.0),
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
        self.slider = StepSlider(session, theme, self)
        self.number = QSpinBox(self)
        self.title = ElidingLabel(parent=self)
        self.ratio = QLabel(self)
        self.speed = QComboBox(self)
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
        self.number.setAccessibleName("Step number")
        self.number.setToolTip("Type a step and press Enter to go there")
        self.number.setGroupSeparatorShown(True)
        self.number.setKeyboardTracking(False)
        self.number.setAccelerated(True)
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.valueChanged.connect(self._session.go_to)
        self.number.editingFinished.connect(self._end_typing)

    def _set_up_labels(self) -> None:
        self.title.setAccessibleName("Name of the step")
        self.ratio.setTextFormat(Qt.TextFormat.PlainText)
        self.ratio.setProperty("role", "muted")
        self.ratio.setToolTip("Bytes of the corpus divided by the number of its tokens at this step")

    def _set_up_speed(self) -> None:
        self.speed.setAccessibleName("Speed of play")
        self.speed.setToolTip("How fast the merges are played: steps a second, or the whole recording in ten seconds")
        for title, rate in PLAY_SPEEDS:
            self.speed.addItem(title, rate)
        rate = self._settings.number(Settings.PLAY_SPEED)
        self.speed.setCurrentIndex(max(self.speed.findData(rate), 0))
        self._playback.set_steps_per_second(self.speed.currentData())
        self.speed.currentIndexChanged.connect(self._choose_speed)

    def _lay_out(self, actions: list[QAction]) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.setSpacing(2)
        buttons = [self._button(action) for action in actions]
        for button in buttons:
            top.addWidget(button)
        top.addWidget(self.speed)
        top.addSpacing(4)
        top.addWidget(self.slider, 1)
        bottom.setSpacing(8)
        bottom.addWidget(self.number)
        bottom.addWidget(self.title, 1)
        bottom.addWidget(self.ratio)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addLayout(bottom)
        for before, after in pairwise([*buttons, self.speed, self.slider, self.number]):
            self.setTabOrder(before, after)

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAutoRepeat(not action.isCheckable())
        button.setAccessibleName(action.text().replace("&", ""))
        return button

    def _end_typing(self) -> None:
        self.number.lineEdit().setModified(False)
        self._show()

    def _show(self) -> None:
        recording, step = self._session.recording, self._session.step
        with QSignalBlocker(self.number):
            self.number.setRange(0, self._session.last_step)
            if not self.number.lineEdit().isModified():  # else someone is typing a step while merges come
                self.number.setValue(step)
        self.title.set_parts(*step_title_parts(recording, step))
        self.slider.setAccessibleDescription(self.title.text())
        ratio = bytes_per_token(recording, step)
        self.ratio.setText("" if ratio is None else f"{ratio:.2f} bytes per token")

    def _take_on_theme(self) -> None:
        self.number.setFont(self._theme.number_font())
        self.ratio.setFont(self._theme.number_font())

    def _choose_speed(self) -> None:
        rate = self.speed.currentData()
        self._settings.set(Settings.PLAY_SPEED, rate)
        self._playback.set_steps_per_second(rate)
