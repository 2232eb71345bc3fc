import json
from dataclasses import fields, replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QTextCursor, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QRadioButton,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QWidget,
)

from bpe_gui.docks.trainer_dock import TrainerDock
from bpe_gui.settings import Settings
from bpe_gui.widgets.fields import Field
from bpe_gui.widgets.section import Section, SectionHeader
from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.corpus import Corpus, read_corpora
from core.errors import ConfigError, PatternError
from core.options import Options, Stop
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import Digits
from core.progress import without_progress
from core.special_tokens import Specials
from core.trainer_config import Score, TieBreak, TrainerConfig
from core.word_limits import Beyond, WordLimits


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


def toggle_step(steps, title, qtbot):
    """Check or uncheck an item of a list by keyboard."""
    (item,) = steps.findItems(title, Qt.MatchFlag.MatchExactly)
    steps.setCurrentItem(item)
    qtbot.keyClick(steps, Qt.Key.Key_Space)


def section(dock, title):
    return next(section for section in dock.findChildren(Section) if section.title == title)


def header(dock, title):
    return section(dock, title).findChild(SectionHeader)


def open_section(dock, title):
    header(dock, title).click()


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
    steps = control(dock, "Normalizers", QListWidget)
    toggle_step(steps, "NFC", qtbot)
    assert control(dock, "Preset", QComboBox).currentText() == "Custom"
    assert dock.choices()[0].normalizer.names == ("nfc",)
    toggle_step(steps, "NFC", qtbot)
    assert control(dock, "Preset", QComboBox).currentText() == "GPT-2 (bytes)"


def test_custom_is_no_choice(dock, qtbot):
    combo = control(dock, "Preset", QComboBox)
    assert combo.itemText(combo.count() - 1) == "Custom"
    with qtbot.assertNotEmitted(dock.choices_changed):
        combo.activated.emit(combo.count() - 1)
    assert combo.currentText() == "GPT-2 (bytes)"


def test_where_to_stop_is_seen_first(dock):
    """Below the preset, before the options that a newcomer leaves alone."""
    dock.resize(290, 420)
    QApplication.processEvents()
    spin, scroll = control(dock, "Number of merges", QSpinBox), dock.findChild(QScrollArea)
    assert scroll.viewport().rect().contains(spin.mapTo(scroll.viewport(), spin.rect().bottomRight()))


def test_normalizers_are_explained_without_a_tooltip(dock):
    open_section(dock, "Normalize")
    control(dock, "Normalizers", QListWidget).setCurrentRow(3)
    texts = [label.text() for label in dock.findChildren(QLabel) if label.isVisible()]
    assert "One code for each accented letter; looks stay the same." in texts


def test_normalizers_have_their_usual_order(dock, qtbot):
    steps = control(dock, "Normalizers", QListWidget)
    for title in ("Lower case", "NFKC", "Strip"):
        toggle_step(steps, title, qtbot)
    assert dock.choices()[0].normalizer.names == ("nfkc", "lowercase", "strip")


def test_normalizers_can_have_another_order(dock, qtbot):
    open_section(dock, "Normalize")
    steps = control(dock, "Normalizers", QListWidget)
    for title in ("NFKC", "Lower case"):
        toggle_step(steps, title, qtbot)
    assert steps.currentItem().text() == "Lower case"
    qtbot.keyClick(steps, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert dock.choices()[0].normalizer.names == ("lowercase", "nfkc")
    assert steps.currentItem().text() == "Lower case"
    qtbot.mouseClick(control(dock, "Later", QToolButton), Qt.MouseButton.LeftButton)
    assert dock.choices()[0].normalizer.names == ("nfkc", "lowercase")


def test_an_order_that_was_stored_is_kept(session, training, settings, theme, qtbot):
    settings.set(Settings.TRAINER_OPTIONS, Options(normalizers=("strip", "lowercase", "nfc")).to_json())
    dock = TrainerDock(session, training, settings, theme)
    toggle_step(control(dock, "Normalizers", QListWidget), "NFKD", qtbot)
    assert dock.options.normalizers == ("nfkd", "strip", "lowercase", "nfc")
    dock.deleteLater()


def test_a_normalizer_whose_library_is_missing_says_so(session, training, settings, theme, monkeypatch):
    monkeypatch.setattr("core.unicode_forms.find_spec", lambda name: None)
    dock = TrainerDock(session, training, settings, theme)
    item = control(dock, "Normalizers", QListWidget).findItems("nmt_nfkc", Qt.MatchFlag.MatchExactly)[0]
    assert not item.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "pip install sentencepiece" in item.toolTip()
    dock.deleteLater()


def test_every_everyday_control_changes_its_option(dock, qtbot):
    choose(dock, "Base", "Characters", qtbot)
    choose(dock, "Marker", "On the last character", qtbot)
    choose(dock, "Tie rule", "Alphabetical", qtbot)
    choose(dock, "Pre-tokenizer", "Whole lines", qtbot)
    qtbot.keyClick(control(dock, "When no pair is left", QRadioButton), Qt.Key.Key_Space)
    assert dock.options == Options(
        base=Base.CHARACTERS,
        marker=Marker.SUFFIX,
        tie_break=TieBreak.LEXICOGRAPHIC,
        pre_tokenizer="lines",
        stop=Stop.NO_PAIR,
    )


def test_every_control_of_the_sections_changes_its_option(dock, qtbot):
    choose(dock, "Base", "Characters", qtbot)
    choose(dock, "Marker", "On all but the first", qtbot)
    for title in ("Replace", "Numbers as one token"):
        toggle_step(control(dock, "Normalizers", QListWidget), title, qtbot)
    type_text(control(dock, "Number token", QLineEdit), "<n>", qtbot)
    qtbot.keyClicks(control(dock, "Pattern 1", QLineEdit), "a+")
    qtbot.keyClicks(control(dock, "New text 1", QLineEdit), "b")
    choose(dock, "One text is", "Every line, with its end", qtbot)
    choose(dock, "Digits", "In threes", qtbot)
    qtbot.keyClick(control(dock, "Punctuation apart", QCheckBox), Qt.Key.Key_Space)
    type_text(control(dock, "Marker text", QLineEdit), "_", qtbot)
    qtbot.keyClick(control(dock, "All characters in both forms", QCheckBox), Qt.Key.Key_Space)
    qtbot.keyClicks(control(dock, "Add characters", QLineEdit), "xyz")
    type_text(control(dock, "Coverage", QDoubleSpinBox), "99.95", qtbot)
    type_text(control(dock, "At most", QSpinBox), "900", qtbot)
    special = control(dock, "Special tokens", QPlainTextEdit)
    qtbot.keyClicks(special, " [X]")
    qtbot.keyClick(special, Qt.Key.Key_Return)
    qtbot.keyClicks(special, "<s>")
    qtbot.keyClick(control(dock, "Give them the last ids", QCheckBox), Qt.Key.Key_Space)
    choose(dock, "In the text", "A mistake", qtbot)
    choose(dock, "They become", "One token for a run", qtbot)
    choose(dock, "Token", "<s>", qtbot)
    choose(dock, "Best pair", "How often, by its parts", qtbot)
    type_text(control(dock, "Min. frequency", QSpinBox), "5", qtbot)
    type_text(control(dock, "Longest token", QSpinBox), "16", qtbot)
    qtbot.keyClicks(control(dock, "Stop at a token that matches", QPlainTextEdit), "^th")
    assert dock.options == Options(
        normalizers=("replace", "numbers"),
        number_token="<n>",
        replacements=(("a+", "b"),),
        texts=Texts.LINES_WITH_ENDS,
        digits=Digits.THREES,
        punctuation=True,
        base=Base.CHARACTERS,
        marker=Marker.CONTINUING,
        marker_text="_",
        complete_alphabet=False,
        initial_characters="xyz",
        coverage=0.9995,
        alphabet_limit=900,
        special_tokens=("[X]", "<s>"),
        specials_last=True,
        specials_in_text=Specials.REFUSE,
        unknown=Unknown.FUSE,
        unknown_token="<s>",
        score=Score.WORDPIECE,
        min_frequency=5,
        longest_token=16,
        stop_token="^th",
    )
    assert dock.problem is None


def test_every_option_has_a_control(dock):
    fields_of_dock = {field.name for field in dock.findChildren(Field)}
    assert {field.name for field in fields(Options)} == fields_of_dock - {"preset"}


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
    assert "no final or continuing letters" in combo.model().item(2).toolTip()
    choose(dock, "Base", "Characters", qtbot)
    choose(dock, "Marker", "On the last character", qtbot)
    choose(dock, "Base", "Bytes", qtbot)
    assert combo.currentText() == "None"
    assert dock.problem is None


def test_the_marker_of_spaces_brings_its_pre_tokenizer(dock, qtbot):
    choose(dock, "Base", "Characters", qtbot)
    combo = control(dock, "Pre-tokenizer", QComboBox)
    assert not combo.model().item(combo.findText("Before each ▁")).isEnabled()
    choose(dock, "Marker", "Spaces become ▁", qtbot)
    assert combo.currentText() == "Before each ▁"
    assert not combo.model().item(combo.findText("GPT-2")).isEnabled()
    choose(dock, "Marker", "None", qtbot)
    assert combo.currentText() == "GPT-2"


def test_disabled_fields_say_why(dock, qtbot):
    unknown = control(dock, "Token", QComboBox)
    assert not unknown.isEnabled()
    assert "nothing is unknown" in unknown.parentWidget().toolTip()
    choose(dock, "Base", "Characters", qtbot)
    assert "Only where unknown characters become" in unknown.parentWidget().toolTip()
    choose(dock, "They become", "The unknown token", qtbot)
    assert "among the special tokens first" in unknown.parentWidget().toolTip()
    assert not control(dock, "Byte order", QComboBox).isEnabled()


def test_the_unknown_token_is_found_among_the_special_tokens(dock, qtbot):
    choose(dock, "Base", "Characters", qtbot)
    choose(dock, "They become", "The unknown token", qtbot)
    problem = message(dock, "What keeps these options from being used")
    assert problem.text().startswith("Which special token stands for unknown characters?")
    control(dock, "Special tokens", QPlainTextEdit).setPlainText("<s>\n<unk>")
    assert control(dock, "Token", QComboBox).currentText() == "<unk>"
    assert dock.problem is None


def test_the_marker_text_that_is_usual_is_shown_in_the_empty_field(dock, qtbot):
    choose(dock, "Preset", "WordPiece (characters, ##m)", qtbot)
    line = control(dock, "Marker text", QLineEdit)
    assert (line.text(), line.placeholderText()) == ("", "##")
    assert dock.choices()[1].marker_text == "##"


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


def test_a_fault_stands_below_its_field_and_in_the_heading_while_that_is_folded(dock, qtbot):
    stop = control(dock, "Stop at a token that matches", QPlainTextEdit)
    qtbot.keyClicks(stop, "(a")
    fault = "The pattern cannot be read at character 3: missing )."
    assert fault in header(dock, "Score and limits").accessibleDescription()
    assert not message(dock, "What keeps these options from being used").isVisible()
    open_section(dock, "Score and limits")
    errors = [label for label in section(dock, "Score and limits").findChildren(QLabel) if label.text() == fault]
    assert [error.isVisible() for error in errors] == [True]
    assert dock.problem == f"Stop pattern: {fault}"
    qtbot.keyClicks(stop, ")")
    assert dock.problem is None
    assert "missing" not in header(dock, "Score and limits").accessibleDescription()


def test_replacements_are_explained_where_they_are_wrong(dock, qtbot, theme):
    toggle_step(control(dock, "Normalizers", QListWidget), "Replace", qtbot)
    assert "Write at least one pattern" in header(dock, "Normalize").accessibleDescription()
    qtbot.keyClicks(control(dock, "Pattern 1", QLineEdit), "a*")
    assert "matches nothing" in message(dock, "What is wrong with the replacements").text()
    assert theme.colors.danger.name() in control(dock, "Pattern 1", QLineEdit).styleSheet()
    type_text(control(dock, "Pattern 1", QLineEdit), "a+", qtbot)
    assert dock.problem is None


def test_what_belongs_to_a_normalizer_is_shown_with_it(dock, qtbot):
    open_section(dock, "Normalize")
    number, pattern = control(dock, "Number token", QLineEdit), control(dock, "Pattern 1", QLineEdit)
    assert (number.isVisible(), pattern.isVisible()) == (False, False)
    toggle_step(control(dock, "Normalizers", QListWidget), "Numbers as one token", qtbot)
    assert (number.isVisible(), pattern.isVisible()) == (True, False)
    toggle_step(control(dock, "Normalizers", QListWidget), "Replace", qtbot)
    assert (number.isVisible(), pattern.isVisible()) == (True, True)


SECTIONS = (
    *("Normalize", "Lines and digits", "Alphabet", "Special tokens", "Unknown characters", "Score and limits"),
    *("Rare words and memory", "Decoding"),
)


def test_sections_are_folded_at_first_and_say_what_is_unusual(dock, qtbot):
    assert tuple(section.title for section in dock.findChildren(Section)) == SECTIONS
    assert not any(section.is_open for section in dock.findChildren(Section))
    choose(dock, "Preset", "SentencePiece (characters, ▁)", qtbot)
    summaries = [header(dock, title).toolTip().partition("\n")[2] for title in SECTIONS[:-1]]
    assert summaries == [
        "NFKC, Collapse white space, Strip",
        "Every line",
        "coverage 99.95 %",
        "",
        "",
        "longest token 16",
        "",
    ]
    choose(dock, "Preset", "minbpe (bytes)", qtbot)
    summaries = [header(dock, title).toolTip().partition("\n")[2] for title in SECTIONS[:-1]]
    assert summaries == ["", "", "By value", "", "no effect now", "", ""]


def test_limits_of_memory_reach_the_pipeline(dock, qtbot):
    beyond = control(dock, "Beyond it", QComboBox)
    assert not beyond.isEnabled()
    control(dock, "Memory in MB", QSpinBox).setValue(500)
    choose(dock, "Beyond it", "Rare ones are dropped", qtbot)
    control(dock, "Min. word count", QSpinBox).setValue(3)
    pipeline, _ = dock.choices()
    assert pipeline.limits == WordLimits(500, Beyond.DROP, 3)
    summary = header(dock, "Rare words and memory").toolTip().partition("\n")[2]
    assert summary == "min. word count 3, memory in mb 500, Rare ones are dropped"


def test_words_of_a_large_text_are_not_counted_for_the_alphabet(dock, session, tmp_path, qtbot):
    (tmp_path / "large.txt").write_text("low lower")
    choose(dock, "Preset", "SentencePiece (characters, ▁)", qtbot)  # whose coverage needs them
    session.replace_corpus(without_progress(read_corpora([tmp_path / "large.txt"], most_bytes=3)))
    assert not dock._count_timer.isActive()
    session.replace_corpus(Corpus.typed("low lower"))
    assert dock._count_timer.isActive()


def test_open_sections_survive_a_restart(session, training, settings, theme):
    first = TrainerDock(session, training, settings, theme)
    for title in ("Alphabet", "Score and limits", "Decoding", "Alphabet", "Lines and digits"):
        open_section(first, title)
    second = TrainerDock(session, training, settings, theme)
    opened = [section.title for section in second.findChildren(Section) if section.is_open]
    assert opened == ["Lines and digits", "Score and limits", "Decoding"]
    first.deleteLater()
    second.deleteLater()


def test_a_section_that_opens_is_scrolled_into_sight(dock, qtbot):
    dock.resize(290, 420)
    scroll = dock.findChild(QScrollArea)
    QApplication.processEvents()
    last = section(dock, "Score and limits")
    open_section(dock, "Score and limits")

    def is_in_sight():
        top = last.mapTo(scroll.viewport(), QPoint()).y()
        return 0 <= top <= max(scroll.viewport().height() - last.height(), 0) + 1 and last.height() > 100

    qtbot.waitUntil(is_in_sight)


def test_the_everyday_controls_come_first_by_keyboard(dock, qtbot):
    dock.activateWindow()
    control(dock, "Preset", QComboBox).setFocus()
    names = []
    for _ in range(16):
        names.append(QApplication.focusWidget().accessibleName())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert names == [
        *("Preset", "After merges", "Number of merges", "Pre-tokenizer", "Base", "Marker", "Tie rule"),
        *("Normalize", "Lines and digits", "Alphabet", "Special tokens", "Unknown characters", "Score and limits"),
        *("Rare words and memory", "Decoding", "Preset"),
    ]


def test_what_may_not_come_back_is_told(dock, qtbot):
    assert header(dock, "Decoding").toolTip().endswith("\ntexts come back exactly")
    losses = message(dock, "What does not come back")
    assert losses.text() == "Every text comes back exactly as it was."
    toggle_step(control(dock, "Normalizers", QListWidget), "Lower case", qtbot)
    assert header(dock, "Decoding").toolTip().endswith("\ntexts may change")
    assert losses.text() == "• Lower case: Capital letters and small ones are no longer told apart."
    control(dock, "Special tokens", QPlainTextEdit).setPlainText("a\na")
    assert not section(dock, "Decoding").isVisible()


def test_characters_that_are_left_out_are_named(dock, session, qtbot):
    session.replace_corpus(Corpus.typed("low lower newest widest"))
    choose(dock, "Preset", "Textbook (characters, </w>)", qtbot)
    dropped = message(dock, "Characters that are left out of the alphabet")
    assert not dropped.isVisible()
    control(dock, "At most", QSpinBox).setValue(8)
    qtbot.waitUntil(dropped.isVisible)
    assert dropped.text() == ("2 rare characters are left out of the alphabet: \u2068n\u2069 (1), \u2068r\u2069 (1).")
    control(dock, "At most", QSpinBox).setValue(0)
    assert not dropped.isVisible()


def test_a_list_of_word_counts_leaves_the_text_options_without_effect(dock, session):
    given = message(dock, "What the corpus leaves without effect")
    assert not given.isVisible()
    session.replace_corpus(replace(Corpus.typed("a"), given_counts={"a": 3}))
    assert given.isVisible()
    assert "taken as they are" in given.text()


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
    kinds = (QComboBox, QCheckBox, QRadioButton, QSpinBox, QDoubleSpinBox, QListWidget, QPlainTextEdit, QToolButton)
    controls = [widget for kind in kinds for widget in dock.findChildren(kind) if not is_part_of_another(widget)]
    assert len(controls) == 43
    for widget in controls:
        assert widget.accessibleName(), widget
        assert _tip(widget), widget.accessibleName()


def is_part_of_another(widget):
    """A dock's own buttons, a toolbar's."""
    return widget.objectName().startswith("qt_") or isinstance(widget.parentWidget(), QComboBox)


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
