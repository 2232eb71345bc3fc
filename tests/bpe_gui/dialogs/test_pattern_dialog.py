from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from bpe_gui.dialogs.pattern_dialog import NO_WORDS, PatternDialog
from core.model_source import ModelSource

SOURCE = ModelSource(Path("/ranks.tiktoken"))
MESSAGE = "<b>ranks.tiktoken</b>: ranks do not say how texts are cut."


@pytest.fixture
def dialog(theme, qtbot):
    dialog = PatternDialog(SOURCE, MESSAGE, "I'll 1234", theme)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def shows(dialog, words):
    return lambda: dialog.preview.toPlainText() == words


def test_each_choice_shows_what_it_does(dialog, qtbot):
    qtbot.waitUntil(shows(dialog, "I │ 'll │ ␣ │ 123 │ 4"))
    dialog.choice.setFocus()
    qtbot.keyClicks(dialog.choice, "GPT-2")
    qtbot.waitUntil(shows(dialog, "I │ 'll │ ␣1234"))
    assert "Letters, digits and punctuation apart" in dialog.help.text()
    assert not dialog.pattern.isVisible()


def test_what_is_chosen_is_told(dialog, qtbot):
    dialog.choice.setCurrentIndex(dialog.choice.findData("qwen2"))
    qtbot.waitUntil(dialog.open_button.isEnabled)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        qtbot.keyClick(dialog.choice, Qt.Key.Key_Return)
    assert chosen.args == [ModelSource(SOURCE.path, "qwen2")]
    assert not dialog.isVisible()


def test_a_pattern_of_ones_own(dialog, qtbot):
    dialog.choice.setCurrentIndex(dialog.choice.count() - 1)
    assert dialog.pattern.isVisible()
    assert not dialog.open_button.isEnabled()
    edit = dialog.pattern.findChild(QPlainTextEdit)
    edit.setPlainText("(")
    qtbot.waitUntil(lambda: any("cannot be read" in label.text() for label in dialog.pattern.findChildren(QLabel)))
    assert not dialog.open_button.isEnabled()
    edit.setPlainText(r"\d|\D+")
    qtbot.waitUntil(shows(dialog, "I'll␣ │ 1 │ 2 │ 3 │ 4"))
    with qtbot.waitSignal(dialog.chosen) as chosen:
        qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    assert chosen.args == [ModelSource(SOURCE.path, r"\d|\D+")]


def test_a_pattern_that_finds_nothing_says_so(dialog, qtbot):
    dialog.choice.setCurrentIndex(dialog.choice.count() - 1)
    dialog.pattern.findChild(QPlainTextEdit).setPlainText("x{9}")
    qtbot.waitUntil(shows(dialog, NO_WORDS))


def test_its_message_is_no_markup(dialog):
    labels = [label for label in dialog.findChildren(QLabel) if label.text() == MESSAGE]
    assert [label.textFormat() for label in labels] == [Qt.TextFormat.PlainText]
