import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from bpe_gui.settings import Settings
from bpe_gui.widgets.step_slider import StepSlider
from core.bookmarks import Bookmark
from core.recording import Recording
from core.trainer import TrainerConfig, build_alphabet


@pytest.fixture
def slider(session, theme, qtbot):
    slider = StepSlider(session, theme)
    qtbot.addWidget(slider)
    slider.resize(400, 60)
    slider.show()
    qtbot.waitExposed(slider)
    return slider


def test_cannot_be_moved_before_training(slider, session, recording):
    assert not slider.isEnabled()
    session.replace_recording(recording)
    assert slider.isEnabled()


def test_its_value_is_the_step(slider, session, recording):
    session.replace_recording(recording)
    assert (slider.minimum(), slider.maximum(), slider.value()) == (0, 12, 12)
    session.go_to(4)
    assert slider.value() == 4


def test_keeps_its_step_while_the_recording_grows(slider, session, recording):
    merges = list(recording)
    session.replace_recording(Recording(recording.alphabet, recording.config, base_counts=recording.base_counts))
    session.append(merges[:5])
    assert slider.value() == 5
    session.go_to(2)
    session.append(merges[5:])
    assert (slider.value(), slider.maximum()) == (2, 12)


def test_a_shorter_recording_moves_it_without_moving_the_session_twice(slider, session, recording):
    session.replace_recording(recording)
    config = TrainerConfig()
    steps = []
    session.step_changed.connect(steps.append)
    session.replace_recording(Recording(build_alphabet({}, config), config))
    assert steps == [0]
    assert slider.value() == 0


@pytest.mark.parametrize(("x", "step"), [(0, 0), (200, 6), (399, 12)])
def test_a_click_goes_to_the_step_there(slider, session, recording, qtbot, x, step):
    session.replace_recording(recording)
    session.go_to(1)
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
    assert session.step == step


def test_dragging_scrubs(slider, session, recording, qtbot):
    session.replace_recording(recording)
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(8, 10))
    steps = []
    session.step_changed.connect(steps.append)
    for x in range(8, 400, 16):
        qtbot.mouseMove(slider, QPoint(x, 10))
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(392, 10))
    assert steps == list(range(1, 13))
    qtbot.mouseMove(slider, QPoint(8, 10))
    assert session.step == 12


@pytest.mark.parametrize(
    ("key", "step"),
    [
        (Qt.Key.Key_Left, 499),
        (Qt.Key.Key_Right, 501),
        (Qt.Key.Key_PageUp, 510),
        (Qt.Key.Key_PageDown, 490),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 1_000),
    ],
)
def test_keys(slider, session, qtbot, key, step):
    session.replace_recording(of_length(1_000))
    session.go_to(500)
    qtbot.keyClick(slider, key)
    assert session.step == step


def of_length(merges):
    from core.merge import Merge

    config = TrainerConfig()
    recording = Recording(build_alphabet({}, config), config, base_counts={64: 1_000_000})
    recording.extend(Merge(rank, 64, 65, 256 + rank, 5, 5, 1) for rank in range(merges))
    return recording


def test_an_assistive_tool_reads_and_sets_the_step(slider, session, recording):
    session.replace_recording(recording)
    interface = QAccessible.queryAccessibleInterface(slider)
    assert interface.text(QAccessible.Text.Name) == "Step"
    value = interface.valueInterface()
    assert value.currentValue() == 12
    value.setCurrentValue(3)
    assert session.step == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_can_be_drawn(slider, session, recording, settings, scheme):
    settings.set(Settings.THEME, scheme)
    session.replace_recording(recording)
    session.go_to(6)
    image = slider.grab().toImage()
    assert image.pixelColor(100, 50) != image.pixelColor(300, 50)  # filled before the step, faint behind it


def test_a_recording_without_counts_can_be_scrubbed(slider, session, recording):
    bare = Recording(recording.alphabet, recording.config)
    bare.extend(recording)
    session.replace_recording(bare)
    session.go_to(3)
    assert not slider.grab().isNull()


def test_marked_steps_have_flags_with_their_names(slider, session, recording, qtbot):
    session.replace_recording(recording)
    bare = slider.grab().toImage()
    session.set_bookmarks((Bookmark(3, "春 <b>"),))
    assert slider.grab().toImage() != bare
    flag = QPoint(round(slider._x_of(3)) + 3, 2)
    QApplication.sendEvent(slider, QHelpEvent(QHelpEvent.Type.ToolTip, flag, slider.mapToGlobal(flag)))
    assert "step 3: 春 &lt;b&gt;" in QToolTip.text()
    QToolTip.hideText()
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=flag)
    assert session.step == 3  # the flag's step, not that of the pixel
