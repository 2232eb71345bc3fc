import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QWidget

from bpe_gui.widgets.fields import LABEL_SPACING, Choice, ChoiceField, FlagField

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


@pytest.fixture
def inner_field(qtbot):
    """A field that is a window would not get narrower than its layout."""
    window = QWidget()
    qtbot.addWidget(window)
    field = ChoiceField("letter", "Letter", "Which letter.", CHOICES, window)
    window.show()
    yield field
    window.close()


@pytest.mark.parametrize("points", [10, 20])
def test_the_label_stands_above_where_there_is_no_room_beside(inner_field, points):
    field, combo = inner_field, inner_field.findChild(QComboBox)
    font = field.font()
    font.setPointSizeF(points)
    field.setFont(font)
    label = next(label for label in field.findChildren(QLabel) if label.buddy() is combo)
    beside = field.label_width + LABEL_SPACING + field.control_width
    field.resize(beside, 100)
    field.layout().activate()
    assert not field.is_stacked
    assert combo.x() == label.width() + LABEL_SPACING
    field.resize(beside - 1, 100)
    field.layout().activate()
    assert field.is_stacked
    assert (label.x(), combo.x()) == (0, 0)
    assert combo.y() >= label.y() + label.height()
    assert field.minimumSizeHint().width() == max(field.label_width, field.control_width)


def test_aligned_labels_stand_above_together(inner_field):
    field, combo = inner_field, inner_field.findChild(QComboBox)
    beside = 200 + LABEL_SPACING + 300
    field.align_label(200, 300)
    field.resize(beside, 100)
    field.layout().activate()
    assert combo.x() == 200 + LABEL_SPACING
    field.resize(beside - 1, 100)
    assert field.is_stacked
