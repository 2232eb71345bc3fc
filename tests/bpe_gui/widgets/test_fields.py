import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel

from bpe_gui.widgets.fields import Choice, ChoiceField, FlagField

CHOICES = (Choice("a", "First", "The first one."), Choice("b", "Second", "The second one."), Choice("c", "Third"))


@pytest.fixture
def field(qapp):
    field = ChoiceField("letter", "Letter", "Which letter.", CHOICES)
    field.show()
    yield field
    field.close()
    field.deleteLater()


@pytest.fixture
def combo(field):
    return field.findChild(QComboBox)


def help_text(field):
    return next(label.text() for label in field.findChildren(QLabel) if label.property("role") == "muted")


def test_a_value_is_shown_with_its_sentence_and_without_a_signal(field, combo, qtbot):
    with qtbot.assertNotEmitted(field.chosen):
        field.show_value("b")
    assert (combo.currentText(), help_text(field)) == ("Second", "The second one.")
    field.show_value("c")
    assert help_text(field) == ""


def test_an_unknown_value_shows_what_to_do(field, combo):
    field.set_placeholder("Choose one")
    field.show_value(None)
    assert (combo.currentIndex(), combo.placeholderText(), help_text(field)) == (-1, "Choose one", "")
    assert field.summary(None) == ""


def test_a_choice_is_said(field, combo, qtbot):
    field.show_value("a")
    combo.setFocus()
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert signal.args == ["letter", "b"]


def test_the_reason_takes_the_place_of_the_sentence(field, combo):
    field.show_value("a")
    field.show_reason("Only on Sundays.")
    assert not combo.isEnabled()
    assert help_text(field) == "Only on Sundays."
    assert field.toolTip() == "Which letter.\nOnly on Sundays."
    field.show_value("a")
    field.show_reason(None)
    assert combo.isEnabled()
    assert (help_text(field), field.toolTip()) == ("The first one.", "Which letter.")


def test_choices_that_are_ruled_out_cannot_be_reached(field, combo, qtbot):
    field.show_value("a")
    field.rule_out({"b": "Not today."})
    assert combo.model().item(1).toolTip() == "Not today."
    combo.setFocus()
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert signal.args == ["letter", "c"]
    field.rule_out({})
    assert combo.model().item(1).toolTip() == "The second one."


def test_summaries(field):
    assert field.summary("b") == "Second"
    flag = FlagField("flag", "Punctuation apart", "Tip.", "together")
    assert (flag.summary(True), flag.summary(False)) == ("Punctuation apart", "together")
    flag.deleteLater()


def test_a_flag(qtbot):
    field = FlagField("flag", "Punctuation apart", "Tip.")
    field.show()
    box = field.findChild(QCheckBox)
    with qtbot.assertNotEmitted(field.chosen):
        field.show_value(True)
    assert box.isChecked()
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.keyClick(box, Qt.Key.Key_Space)
    assert signal.args == ["flag", False]
    field.close()
    field.deleteLater()


def test_controls_have_names(field, combo):
    assert (combo.accessibleName(), combo.accessibleDescription()) == ("Letter", "Which letter.")
    assert field.focusProxy() is combo


def wheel(widget):
    event = QWheelEvent(
        QPointF(5, 5), QPointF(widget.mapToGlobal(QPoint(5, 5))), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def test_the_wheel_chooses_only_where_the_focus_is(field, combo, qtbot):
    field.show_value("a")
    combo.clearFocus()
    wheel(combo)
    assert combo.currentText() == "First"
    field.activateWindow()
    combo.setFocus()
    qtbot.waitUntil(combo.hasFocus)
    wheel(combo)
    assert combo.currentText() == "Second"
