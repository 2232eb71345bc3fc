import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit

from bpe_gui.widgets.text_fields import LineField, LinesField, PatternField, shortened
from core.options import Fault


@pytest.fixture
def pattern(theme):
    field = PatternField("pattern", "Pattern", "Tip.", theme, lines=1)
    field.show()
    yield field
    field.close()
    field.deleteLater()


@pytest.fixture
def edit(pattern):
    return pattern.findChild(QPlainTextEdit)


def errors(field):
    return [label.text() for label in field.findChildren(QLabel) if label.property("role") == "danger" and label.text()]


def test_a_line(qtbot):
    field = LineField("text", "Marker text", "Tip.")
    line = field.findChild(QLineEdit)
    field.set_placeholder("</w>")
    with qtbot.assertNotEmitted(field.chosen):
        field.show_value("_")
    assert (line.text(), line.placeholderText(), field.summary("_")) == ("_", "</w>", "marker text _")
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.keyClicks(line, "x")
    assert signal.args == ["text", "_x"]
    field.show_fault(Fault("Write something."))
    assert errors(field) == ["Write something."]
    field.show_fault(None)
    assert errors(field) == []
    field.deleteLater()


def test_lines_without_empty_ones_and_spaces_at_their_ends(qtbot):
    field = LinesField("special", "Special tokens", "Tip.")
    with qtbot.waitSignal(field.chosen) as signal:
        field.findChild(QPlainTextEdit).setPlainText("  <s>\n\n</s> \n")
    assert signal.args == ["special", ("<s>", "</s>")]
    with qtbot.assertNotEmitted(field.chosen):
        field.show_value(("<s>", "</s>"))
    assert field.findChild(QPlainTextEdit).toPlainText() == "  <s>\n\n</s> \n"  # what is being typed stays
    field.show_value(("a",))
    assert field.findChild(QPlainTextEdit).toPlainText() == "a"
    assert field.summary(("<s>", "x" * 30)) == "<s>, " + "x" * 23 + "…"
    field.deleteLater()


@pytest.mark.parametrize(
    ("text", "position", "marked"), [("ab)c", 2, ")"), ("😀😀)x", 2, ")"), ("ab(", 3, "("), ("日(本", 1, "(")]
)
def test_the_place_of_an_error_is_marked_in_characters(pattern, edit, text, position, marked):
    pattern.show_value(text)
    pattern.show_fault(Fault("It is wrong.", position))
    (selection,) = edit.extraSelections()
    assert selection.cursor.selectedText() == marked
    assert errors(pattern) == ["It is wrong."]
    pattern.show_fault(None)
    assert (edit.extraSelections(), errors(pattern)) == ([], [])


def test_a_fault_without_a_place_marks_nothing(pattern, edit):
    pattern.show_value("a*")
    pattern.show_fault(Fault("It matches nothing."))
    assert (edit.extraSelections(), errors(pattern)) == ([], ["It matches nothing."])


def test_a_fault_in_an_empty_pattern(pattern, edit):
    pattern.show_value("")
    pattern.show_fault(Fault("Write one.", 0))
    assert edit.extraSelections()[0].cursor.selectedText() == ""


def test_a_pattern_has_no_line_ends(pattern, edit, qtbot):
    qtbot.keyClicks(edit, "a")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    QApplication.clipboard().setText("c\r\nd\n")
    edit.paste()
    assert edit.toPlainText() == "acd"


def test_a_pattern_of_one_line_needs_no_scroll_bar(pattern, edit):
    pattern.show_value("^th$")
    QApplication.processEvents()
    assert not edit.verticalScrollBar().isVisible()


def test_long_texts_are_shortened_in_summaries(pattern):
    assert shortened("x" * 24) == "x" * 24
    assert pattern.summary("y" * 25) == "pattern " + "y" * 23 + "…"
