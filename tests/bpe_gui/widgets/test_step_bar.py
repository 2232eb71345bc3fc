import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from bpe_gui.actions import Actions
from bpe_gui.playback import Playback
from bpe_gui.settings import Settings
from bpe_gui.widgets.step_bar import StepBar
from core.recording import Recording


@pytest.fixture
def playback(session):
    playback = Playback(session)
    yield playback
    playback.stop()
    playback.deleteLater()


@pytest.fixture
def make_bar(session, playback, training, replaced_text, theme, settings, qtbot):
    def make() -> StepBar:
        bar = StepBar(session, playback, actions, theme, settings)
        qtbot.addWidget(bar)
        bar.resize(700, 90)
        bar.show()
        return bar

    actions = Actions(session, training, playback, replaced_text, settings, theme, session)
    return make


@pytest.fixture
def bar(make_bar):
    return make_bar()


def test_names_the_step(bar, session, recording):
    session.replace_recording(recording)
    session.go_to(2)
    assert bar.title.text() == "step 2 of 12 (rank 1): es + t → est, 9 times"
    assert bar.slider.accessibleDescription() == bar.title.text()
    assert bar.ratio.text() == "1.30 bytes per token"  # 79 bytes, 61 tokens


def test_says_nothing_of_bytes_without_counts(bar):
    assert bar.ratio.text() == ""
    assert bar.title.text() == "step 0 of 0: base symbols, no merge yet"


def test_a_number_typed_is_gone_to_on_enter(bar, session, recording, qtbot):
    session.replace_recording(recording)
    bar.number.selectAll()
    qtbot.keyClicks(bar.number, "7")
    assert session.step == 12
    qtbot.keyClick(bar.number, Qt.Key.Key_Return)
    assert session.step == 7


def test_a_number_can_be_typed_while_merges_come(bar, session, recording, qtbot):
    growing = Recording(recording.alphabet, recording.config, base_counts=recording.base_counts)
    growing.extend(recording[rank] for rank in range(10))
    session.replace_recording(growing)
    bar.number.selectAll()
    qtbot.keyClicks(bar.number, "7")
    session.append([recording[10]])
    assert session.step == 11
    assert bar.number.text() == "7"
    qtbot.keyClick(bar.number, Qt.Key.Key_Return)
    assert session.step == 7
    session.go_to(9)
    assert bar.number.value() == 9


def test_tab_goes_from_left_to_right(bar, session, recording, qtbot):
    session.replace_recording(recording)
    session.go_to(5)
    bar.findChildren(QToolButton)[0].setFocus()
    visited = [bar.focusWidget().accessibleName()]
    for _ in range(7):
        bar.focusNextChild()
        visited.append(bar.focusWidget().accessibleName())
    assert visited == [
        "First step", "Back one step", "Play", "Forward one step", "Last step", "Speed of play", "Step", "Step number",
    ]  # fmt: skip


def test_buttons_step(bar, session, recording, qtbot):
    session.replace_recording(recording)
    first, back, _, forward, last = bar.findChildren(QToolButton)
    for button, step in ((back, 11), (first, 0), (forward, 1), (last, 12)):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert session.step == step


def test_the_play_button_plays(bar, session, playback, recording, qtbot):
    session.replace_recording(recording)
    qtbot.mouseClick(bar.findChildren(QToolButton)[2], Qt.MouseButton.LeftButton)
    assert playback.is_playing


def test_the_speed_is_remembered(make_bar, settings, playback):
    first = make_bar()
    first.speed.setCurrentIndex(3)
    assert settings.number(Settings.PLAY_SPEED) == 60.0
    assert playback.steps_per_second == 60.0
    assert make_bar().speed.currentText() == "60 steps/s"


def test_an_unknown_speed_becomes_the_slowest(make_bar, settings):
    settings.set(Settings.PLAY_SPEED, 17.5)
    assert make_bar().speed.currentText() == "1 step/s"


def test_every_control_has_a_name_and_a_tip(bar):
    controls = [bar.slider, bar.number, bar.speed, *bar.findChildren(QToolButton)]
    assert all(control.accessibleName() and control.toolTip() for control in controls)
