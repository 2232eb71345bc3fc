"""Encoders and special tokens are chosen, stored and shown."""

import pytest
from PySide6.QtCore import Qt

from bpe_gui.settings import Settings
from bpe_gui.widgets.encode_controls import EncodeControls
from core.encoding_rules import Encoder
from core.tokenizer import Specials


@pytest.fixture
def controls(qtbot, settings, theme) -> EncodeControls:
    controls = EncodeControls(settings, theme)
    qtbot.addWidget(controls)
    controls.show()
    return controls


def test_every_encoder_is_offered_by_name(controls):
    titles = [controls.encoder.itemText(place) for place in range(controls.encoder.count())]
    assert titles[0] == "Merge rank (model's own)"
    assert titles[1:] == ["Merge rank", "Token rank", "All places at once", "List order", "Longest match"]


def test_a_choice_is_stored_and_explained(qtbot, controls, settings):
    controls.encoder.setFocus()
    qtbot.keyClick(controls.encoder, Qt.Key.Key_End)
    assert settings.text(Settings.ENCODER) == Encoder.LONGEST_MATCH
    assert "WordPiece" in controls.encoder.toolTip()


def test_what_the_model_is_made_for_is_named(controls, settings):
    controls.take_usual(Encoder.TOKEN_RANK)
    assert controls.encoder.currentText() == "Token rank (model's own)"
    assert "SentencePiece" in controls.encoder.toolTip()
    settings.set(Settings.DROPOUT, 10.0)
    assert controls.dropout.text() == "Dropout"
    settings.set(Settings.ENCODER, Encoder.MERGE_RANK)
    assert controls.encoder.currentText() == "Merge rank"
    assert controls.dropout.text() == "Dropout 10 %"


def test_another_encoder_to_compare_with(qtbot, controls, settings):
    assert not controls.other.isVisible()
    qtbot.mouseClick(controls.compare, Qt.MouseButton.LeftButton)
    assert settings.flag(Settings.COMPARES_ENCODERS)
    assert controls.other.isVisible()
    assert controls.fold.isVisible()
    assert controls.other.currentText() == "Longest match"
    qtbot.mouseClick(controls.fold, Qt.MouseButton.LeftButton)
    assert not settings.flag(Settings.FOLDS_SAME_WORDS)


def test_what_was_stored_elsewhere_is_shown(controls, settings):
    settings.set(Settings.ENCODER, Encoder.TOKEN_RANK)
    settings.set(Settings.ENCODE_SPECIALS, Specials.AS_TEXT)
    assert controls.encoder.currentText() == "Token rank"
    assert controls.specials.currentText() == "As text"


def test_special_tokens_are_asked_for_where_there_are_any(controls):
    controls.offer_specials(False)
    assert not controls.specials.isVisible()
    controls.offer_specials(True)
    assert controls.specials.isVisible()


def test_the_folded_dropout_says_that_it_is_at_work(controls, settings):
    assert controls.dropout.text() == "Dropout"
    settings.set(Settings.DROPOUT, 12.5)
    assert controls.dropout.text() == "Dropout 12.5 %"
    settings.set(Settings.ENCODER, Encoder.TOKEN_RANK)
    assert controls.dropout.text() == "Dropout"


def test_every_control_has_a_name_and_a_tip(controls):
    for widget in controls.in_order:
        assert widget.accessibleName()
        assert widget.toolTip()
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_all_controls_at_once_take_two_lines_instead_of_a_wider_window(controls, settings):
    controls.offer_specials(False)
    few = controls.minimumSizeHint().width()
    settings.set(Settings.COMPARES_ENCODERS, True)
    settings.set(Settings.DROPOUT, 30.0)
    controls.offer_specials(True)
    every = sum(widget.minimumSizeHint().width() for widget in controls.in_order)
    assert few < controls.minimumSizeHint().width() < every - controls.specials.minimumSizeHint().width()
    controls.resize(every + 100, 60)
    assert not controls.is_wrapped
    controls.resize(controls.minimumSizeHint().width(), 90)
    assert controls.is_wrapped
