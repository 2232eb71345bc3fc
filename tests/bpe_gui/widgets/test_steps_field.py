import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QListWidget, QToolButton

from bpe_gui.widgets.fields import Choice
from bpe_gui.widgets.steps_field import StepsField

CHOICES = tuple(Choice(name, name.upper(), f"Does {name}.") for name in ("a", "b", "c", "d"))


@pytest.fixture
def field(theme):
    field = StepsField("steps", "Steps", "Tip.", CHOICES, theme)
    field.show_steps(("a", "b", "c", "d"), ("b", "d"), {"c": "Not here."})
    field.show()
    yield field
    field.close()
    field.deleteLater()


@pytest.fixture
def steps(field):
    return field.findChild(QListWidget)


def shown(steps):
    return [
        (steps.item(row).text(), steps.item(row).checkState() is Qt.CheckState.Checked) for row in range(steps.count())
    ]


def help_text(field):
    return next(label.text() for label in field.findChildren(QLabel) if label.property("role") == "muted")


def button(field, name):
    return next(button for button in field.findChildren(QToolButton) if button.accessibleName() == name)


def test_steps_are_listed_with_their_checks(field, steps, qtbot):
    assert shown(steps) == [("A", False), ("B", True), ("C", False), ("D", True)]
    with qtbot.assertNotEmitted(field.toggled):
        field.show_steps(("a", "d", "c", "b"), ("d", "b"), {})
    assert shown(steps) == [("A", False), ("D", True), ("C", False), ("B", True)]


def test_the_current_step_is_explained_and_stays_current_when_it_moves(field, steps):
    steps.setCurrentRow(3)
    assert help_text(field) == "Does d."
    field.show_steps(("a", "d", "c", "b"), ("d", "b"), {})
    assert steps.currentRow() == 1
    assert help_text(field) == "Does d."


def test_space_checks_and_unchecks(field, steps, qtbot):
    steps.setFocus()
    steps.setCurrentRow(0)
    with qtbot.waitSignal(field.toggled) as signal:
        qtbot.keyClick(steps, Qt.Key.Key_Space)
    assert signal.args == ["a", True]
    steps.setCurrentRow(1)
    with qtbot.waitSignal(field.toggled) as signal:
        qtbot.keyClick(steps, Qt.Key.Key_Space)
    assert signal.args == ["b", False]


def test_a_click_on_the_box_checks(field, steps, qtbot):
    rect = steps.visualItemRect(steps.item(0))
    with qtbot.waitSignal(field.toggled) as signal:
        place = QPoint(rect.left() + 10, rect.center().y())
        qtbot.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert signal.args == ["a", True]


def test_what_cannot_be_chosen_says_why_and_what_is_chosen_can_be_taken_away(field, steps):
    assert not steps.item(2).flags() & Qt.ItemFlag.ItemIsEnabled
    assert steps.item(2).toolTip() == "Not here."
    field.show_steps(("a", "b", "c", "d"), ("c",), {"c": "Not here."})
    assert steps.item(2).flags() & Qt.ItemFlag.ItemIsEnabled
    steps.setCurrentRow(2)
    assert help_text(field) == "Not here."


def test_only_chosen_steps_can_be_moved(field, steps):
    earlier, later = button(field, "Earlier"), button(field, "Later")
    steps.setCurrentRow(0)
    assert (earlier.isEnabled(), later.isEnabled()) == (False, False)
    steps.setCurrentRow(1)
    assert (earlier.isEnabled(), later.isEnabled()) == (False, True)
    steps.setCurrentRow(3)
    assert (earlier.isEnabled(), later.isEnabled()) == (True, False)


def test_steps_are_moved_by_button_and_by_key(field, steps, qtbot):
    steps.setCurrentRow(3)
    with qtbot.waitSignal(field.moved) as signal:
        qtbot.mouseClick(button(field, "Earlier"), Qt.MouseButton.LeftButton)
    assert signal.args == ["d", -1]
    steps.setCurrentRow(1)
    with qtbot.waitSignal(field.moved) as signal:
        qtbot.keyClick(steps, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert signal.args == ["b", 1]
    steps.setCurrentRow(0)
    with qtbot.assertNotEmitted(field.moved):
        qtbot.keyClick(steps, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)


def test_arrows_alone_go_through_the_list(steps, qtbot):
    steps.setCurrentRow(0)
    qtbot.keyClick(steps, Qt.Key.Key_Down)
    assert steps.currentRow() == 1


def test_all_steps_can_be_seen_in_any_size_of_text(field, steps, qapp):
    for points in (8, 20):
        font = field.font()
        font.setPointSizeF(points)
        field.setFont(font)
        qapp.processEvents()
        assert steps.viewport().rect().contains(steps.visualItemRect(steps.item(3)))
        assert steps.visualItemRect(steps.item(3)).height() >= steps.fontMetrics().height()


def test_the_summary_is_in_the_order_of_the_value(field):
    assert field.summary(("d", "b")) == "D, B"
