import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton

from bpe_gui.widgets.pairs_field import PairsField
from core.options import Fault
from tests.bpe_gui.conftest import delete_later_now


@pytest.fixture
def field(theme):
    field = PairsField("replacements", "Replacements", "Tip.", theme)
    field.resize(280, 200)
    field.show()
    yield field
    field.close()
    field.deleteLater()


def line(field, name):
    return next(edit for edit in field.findChildren(QLineEdit) if edit.accessibleName() == name)


def names(field):
    return [edit.accessibleName() for edit in field.findChildren(QLineEdit)]


def removal(field, number):
    name = f"Remove replacement {number}"
    return next(button for button in field.findChildren(QToolButton) if button.accessibleName() == name)


def test_there_is_an_empty_row_to_begin_with(field):
    assert names(field) == ["Pattern 1", "New text 1"]
    assert field.value() == ()
    assert not removal(field, 1).isEnabled()


def test_writing_in_the_last_row_adds_another(field, qtbot):
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.keyClicks(line(field, "Pattern 1"), "a")
    assert signal.args == ["replacements", (("a", ""),)]
    qtbot.keyClicks(line(field, "New text 1"), " b")
    qtbot.keyClicks(line(field, "Pattern 2"), "c")
    assert field.value() == (("a", " b"), ("c", ""))
    assert names(field)[-2:] == ["Pattern 3", "New text 3"]


def test_values_are_shown_without_a_signal(field, qtbot):
    with qtbot.assertNotEmitted(field.chosen):
        field.show_value((("a+", "b"), ("\\s", " ")))
    assert field.value() == (("a+", "b"), ("\\s", " "))
    assert len(names(field)) == 6
    field.show_value(())
    delete_later_now()
    assert names(field) == ["Pattern 1", "New text 1"]


def test_a_row_that_is_emptied_does_not_count_and_stays_while_one_types(field, qtbot):
    field.show_value((("a", "b"), ("c", "d")))
    for name in ("Pattern 1", "New text 1"):
        line(field, name).selectAll()
        qtbot.keyClick(line(field, name), Qt.Key.Key_Delete)
    assert field.value() == (("c", "d"),)
    field.show_value((("c", "d"),))
    assert len(names(field)) == 6


def test_a_row_is_removed_and_the_focus_goes_to_the_next(field, qtbot):
    field.show_value((("a", "b"), ("c", "d")))
    field.activateWindow()
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.keyClick(removal(field, 1), Qt.Key.Key_Space)
    assert signal.args == ["replacements", (("c", "d"),)]
    delete_later_now()
    assert names(field) == ["Pattern 1", "New text 1", "Pattern 2", "New text 2"]
    assert field.focusWidget() is line(field, "Pattern 1")
    assert line(field, "Pattern 1").text() == "c"
    assert field.focusProxy() is line(field, "Pattern 1")


def test_the_row_that_is_wrong_is_marked(field, theme):
    field.show_value((("a", ""), ("(", ""), ("b", "")))
    field.show_fault(Fault("The pattern cannot be read.", 1, 1))
    danger = theme.colors.danger.name()
    assert [danger in line(field, f"Pattern {n}").styleSheet() for n in (1, 2, 3, 4)] == [False, True, False, False]
    error = next(label for label in field.findChildren(QLabel) if label.property("role") == "danger")
    assert error.text() == "The pattern cannot be read."
    field.show_fault(None)
    assert not error.isVisible()
    assert line(field, "Pattern 2").styleSheet() == ""


def test_empty_rows_are_not_counted_when_the_wrong_one_is_marked(field, theme, qtbot):
    field.show_value((("a", ""), ("(", "")))
    line(field, "Pattern 1").selectAll()
    qtbot.keyClick(line(field, "Pattern 1"), Qt.Key.Key_Delete)
    field.show_fault(Fault("Wrong.", 1, 0))
    assert theme.colors.danger.name() in line(field, "Pattern 2").styleSheet()


def test_summaries(field):
    assert field.summary((("a", "b"),)) == "1 replacement"
    assert field.summary((("a", "b"),) * 2) == "2 replacements"


def test_spaces_are_kept(field):
    field.show_value(((" a ", "  "),))
    assert field.value() == ((" a ", "  "),)
