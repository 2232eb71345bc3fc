import json

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QTextCursor, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QWidget,
)

from bpe_gui.docks.trainer_dock import TrainerDock
from bpe_gui.settings import Settings
from core.alphabet import Base, ByteOrder, Marker
from core.corpus import Corpus, Pipeline
from core.errors import ConfigError, PatternError
from core.options import Options
from core.trainer import TieBreak, TrainerConfig


@pytest.fixture
def dock(session, training, settings, theme):
    dock = TrainerDock(session, training, settings, theme)
    dock.resize(300, 900)
    dock.show()
    yield dock
    dock.close()
    dock.deleteLater()


def control(dock, name, kind):
    return next(widget for widget in dock.findChildren(kind) if widget.accessibleName() == name)


def choose(dock, name, title, qtbot):
    """Choose in a combo box by keyboard."""
    combo = control(dock, name, QComboBox)
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Home)
    while combo.currentText() != title:
        before = combo.currentText()
        qtbot.keyClick(combo, Qt.Key.Key_Down)
        assert combo.currentText() != before, f"{title} cannot be reached"
    return combo


def type_text(edit, text, qtbot):
    edit.selectAll()
    qtbot.keyClick(edit, Qt.Key.Key_Delete)
    qtbot.keyClicks(edit, text)


def message(dock, name):
    return control(dock, name, QLabel)


def test_the_first_choices_are_gpt2s(dock):
    assert dock.objectName() == "trainer"
    assert dock.choices() == (Pipeline(), TrainerConfig(merges=1_000, min_frequency=1))
    assert dock.problem is None
    assert control(dock, "Preset", QComboBox).currentText() == "GPT-2 (bytes)"


def test_a_preset_fills_the_form(dock, qtbot):
    with qtbot.waitSignal(dock.choices_changed):
        choose(dock, "Preset", "Textbook (characters, </w>)", qtbot)
    pipeline, config = dock.choices()
    assert pipeline.pre_tokenizer.name == "whitespace"
    assert (config.base, config.marker, config.tie_break) == (Base.CHARACTERS, Marker.SYMBOL, TieBreak.FIRST_SEEN)
    assert control(dock, "Marker", QComboBox).currentText() == "A symbol of its own"
    assert control(dock, "Tie rule", QComboBox).currentText() == "First in the text"


def test_a_change_makes_the_preset_custom(dock, qtbot):
    box = control(dock, "NFC", QCheckBox)
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert control(dock, "Preset", QComboBox).currentText() == "Custom"
    assert dock.choices()[0].normalizer.names == ("nfc",)
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert control(dock, "Preset", QComboBox).currentText() == "GPT-2 (bytes)"


def test_custom_is_no_choice(dock, qtbot):
    with qtbot.assertNotEmitted(dock.choices_changed):
        dock.findChild(QComboBox).activated.emit(4)
    assert control(dock, "Preset", QComboBox).currentText() == "GPT-2 (bytes)"


def test_where_to_stop_is_seen_first(dock):
    """Below the preset, before the options that a newcomer leaves alone."""
    dock.resize(290, 420)
    QApplication.processEvents()
    spin, scroll = control(dock, "Number of merges", QSpinBox), dock.findChild(QScrollArea)
    assert scroll.viewport().rect().contains(spin.mapTo(scroll.viewport(), spin.rect().bottomRight()))


def test_normal_forms_are_explained_without_a_tooltip(dock):
    texts = [label.text() for label in dock.findChildren(QLabel) if label.isVisible()]
    assert any("NFC: one code for each accented letter" in text and "NFKC: " in text for text in texts)


def test_normalizers_keep_their_order(dock, qtbot):
    for name in ("NFKC", "Lower case"):
        qtbot.mouseClick(control(dock, name, QCheckBox), Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert dock.choices()[0].normalizer.names == ("lowercase", "nfkc")


def test_every_control_changes_its_option(dock, qtbot):
    choose(dock, "Base", "Characters", qtbot)
    choose(dock, "Marker", "On the last character", qtbot)
    type_text(control(dock, "Marker text", QLineEdit), "_", qtbot)
    qtbot.keyClick(control(dock, "Every character also as a last one", QCheckBox), Qt.Key.Key_Space)
    special = control(dock, "Special tokens", QPlainTextEdit)
    qtbot.keyClicks(special, " [UNK]")
    qtbot.keyClick(special, Qt.Key.Key_Return)
    qtbot.keyClick(special, Qt.Key.Key_Return)
    qtbot.keyClicks(special, "<s>")
    choose(dock, "Unknown token", "[UNK]", qtbot)
    choose(dock, "Tie rule", "Alphabetical", qtbot)
    qtbot.keyClick(control(dock, "When no pair is left", QRadioButton), Qt.Key.Key_Space)
    control(dock, "Min. frequency", QSpinBox).selectAll()
    qtbot.keyClicks(control(dock, "Min. frequency", QSpinBox), "5")
    assert dock.choices()[1] == TrainerConfig(
        base=Base.CHARACTERS,
        marker=Marker.SUFFIX,
        marker_text="_",
        complete_alphabet=False,
        special_tokens=("[UNK]", "<s>"),
        unknown_token="[UNK]",
        tie_break=TieBreak.LEXICOGRAPHIC,
        min_frequency=5,
    )


def test_byte_order(dock, qtbot):
    choose(dock, "Byte order", "By value", qtbot)
    assert dock.choices()[1].byte_order is ByteOrder.VALUE


def test_stop_at_a_vocabulary_size(dock, qtbot):
    spin = control(dock, "Vocabulary size", QSpinBox)
    assert not spin.isEnabled()
    qtbot.keyClick(control(dock, "At vocabulary size", QRadioButton), Qt.Key.Key_Space)
    assert spin.isEnabled()
    spin.selectAll()
    qtbot.keyClicks(spin, "32000")
    assert dock.choices()[1].vocab_size == 32_000
    assert dock.choices()[1].merges is None
    qtbot.keyClick(spin, Qt.Key.Key_Return)
    assert spin.text() == "32,000"


def test_bytes_rule_out_the_marker_on_the_last_character(dock, qtbot):
    combo = control(dock, "Marker", QComboBox)
    assert not combo.model().item(2).isEnabled()
    assert "no final letters" in combo.model().item(2).toolTip()
    choose(dock, "Base", "Characters", qtbot)
    choose(dock, "Marker", "On the last character", qtbot)
    choose(dock, "Base", "Bytes", qtbot)
    assert combo.currentText() == "None"
    assert dock.problem is None


def test_disabled_fields_say_why(dock, qtbot):
    unknown = control(dock, "Unknown token", QComboBox)
    assert not unknown.isEnabled()
    assert "nothing is unknown" in unknown.parentWidget().toolTip()
    choose(dock, "Base", "Characters", qtbot)
    assert "Write a special token first" in unknown.parentWidget().toolTip()
    assert not control(dock, "Byte order", QComboBox).isEnabled()


def test_a_bad_pattern_is_marked_and_explained(dock, qtbot):
    choose(dock, "Pre-tokenizer", "Own pattern", qtbot)
    edit = control(dock, "Pattern", QPlainTextEdit)
    with qtbot.waitSignal(dock.choices_changed):
        type_text(edit, "[a-z]+|(?<name", qtbot)
    error = message(dock, "What is wrong with the pattern")
    assert error.isVisible()
    assert "cannot be read at character" in error.text()
    assert len(edit.extraSelections()) == 1
    with pytest.raises(PatternError):
        dock.choices()
    assert dock.problem == error.text()
    type_text(edit, "[a-z]+", qtbot)
    assert not error.isVisible()
    assert edit.extraSelections() == []
    assert dock.choices()[0].pre_tokenizer.pattern == "[a-z]+"


def test_the_mark_counts_characters_not_utf16(dock, qtbot):
    choose(dock, "Pre-tokenizer", "Own pattern", qtbot)
    edit = control(dock, "Pattern", QPlainTextEdit)
    edit.setPlainText("😀😀)x")
    (selection,) = edit.extraSelections()
    cursor: QTextCursor = selection.cursor
    assert cursor.selectedText() == ")"


def test_a_pattern_has_no_line_ends(dock, qtbot):
    choose(dock, "Pre-tokenizer", "Own pattern", qtbot)
    edit = control(dock, "Pattern", QPlainTextEdit)
    type_text(edit, "a", qtbot)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.keyClicks(edit, "b")
    QApplication.clipboard().setText("c\r\nd\n")
    edit.paste()
    assert dock.options.pattern == "abcd"


def test_the_pattern_is_hidden_while_it_has_no_effect(dock, qtbot):
    assert not control(dock, "Pattern", QPlainTextEdit).isVisible()
    choose(dock, "Pre-tokenizer", "Own pattern", qtbot)
    assert control(dock, "Pattern", QPlainTextEdit).isVisible()


def test_a_problem_is_shown(dock, qtbot):
    special = control(dock, "Special tokens", QPlainTextEdit)
    special.setPlainText("<s>\n<s>")
    problem = message(dock, "What keeps these options from being used")
    assert problem.text() == "The same special token is listed twice."
    assert problem.isVisible()
    with pytest.raises(ConfigError):
        dock.choices()
    special.setPlainText("<s>")
    assert not problem.isVisible()


def test_choices_survive_a_restart(session, training, settings, theme, qtbot):
    first = TrainerDock(session, training, settings, theme)
    choose(first, "Preset", "GPT-4 (bytes)", qtbot)
    control(first, "Special tokens", QPlainTextEdit).setPlainText("<|end|>")
    second = TrainerDock(session, training, settings, theme)
    assert second.options == Options(pre_tokenizer="cl100k", special_tokens=("<|end|>",))
    assert control(second, "Special tokens", QPlainTextEdit).toPlainText() == "<|end|>"
    first.deleteLater()
    second.deleteLater()


@pytest.mark.parametrize("stored", ["{", "[]", '{"base": "x"}', json.dumps({"merges": -1})])
def test_bad_stored_options_become_the_defaults(session, training, settings, theme, stored):
    settings.set(Settings.TRAINER_OPTIONS, stored)
    dock = TrainerDock(session, training, settings, theme)
    assert dock.options == Options()
    dock.deleteLater()


def test_a_vocabulary_without_room_is_told_before_training(dock, session, qtbot):
    session.replace_corpus(Corpus.typed("low lower newest widest"))
    choose(dock, "Preset", "Textbook (characters, </w>)", qtbot)
    qtbot.keyClick(control(dock, "At vocabulary size", QRadioButton), Qt.Key.Key_Space)
    spin = control(dock, "Vocabulary size", QSpinBox)
    spin.setValue(11)
    warning = message(dock, "Warning about the vocabulary size")
    qtbot.waitUntil(warning.isVisible)
    assert warning.text() == (
        "There are 11 tokens before the first merge: 10 characters and 1 end-of-word marker. A vocabulary of 11 leaves "
        "no room for merges; choose at least 12."
    )
    spin.setValue(12)
    assert not warning.isVisible()
    session.replace_corpus(Corpus.typed("天地玄黃宇宙洪荒日月盈昃辰宿列張"))
    qtbot.waitUntil(warning.isVisible)
    assert "16 characters" in warning.text()


def test_the_form_says_when_it_applies(dock, session, training, qtbot):
    later = message(dock, "When these options apply")
    assert not later.isVisible()
    session.replace_corpus(Corpus.typed("low lower newest widest " * 3))
    training.start(session.corpus, *dock.choices(), paused=True)
    assert later.isVisible()
    assert later.text() == "Changes here take effect when you press Train again."
    assert control(dock, "Base", QComboBox).isEnabled()
    training.stop()
    assert not later.isVisible()


def test_the_train_button(dock, qtbot):
    action = QAction("&Train", dock)
    dock.set_train_action(action)
    button = control(dock, "Train", QToolButton)
    assert button.isVisible()
    with qtbot.waitSignal(action.triggered):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_wheel_scrolls_instead_of_choosing(dock):
    combo = control(dock, "Base", QComboBox)
    dock.setFocus()
    event = QWheelEvent(
        QPointF(5, 5), QPointF(combo.mapToGlobal(QPoint(5, 5))), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(combo, event)
    assert combo.currentText() == "Bytes"


def test_every_control_has_a_name_and_a_tooltip(dock):
    controls = [w for kind in (QComboBox, QCheckBox, QRadioButton, QSpinBox) for w in dock.findChildren(kind)]
    assert len(controls) == 17
    for widget in controls:
        assert widget.accessibleName()
        assert _tip(widget), widget.accessibleName()


def _tip(widget: QWidget | None) -> str:
    while widget is not None and not widget.toolTip():
        widget = widget.parentWidget()
    return widget.toolTip() if widget else ""


def test_the_panel_is_readable_in_large_text(dock, qapp):
    font = dock.font()
    font.setPointSizeF(20)
    dock.setFont(font)
    qapp.processEvents()
    for label in dock.findChildren(QLabel):
        if label.isVisible() and not label.wordWrap():
            assert label.width() >= label.sizeHint().width(), label.text()
