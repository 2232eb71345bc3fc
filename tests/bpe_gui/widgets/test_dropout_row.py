"""Dropout's probability and seed are chosen, stored and shown."""

import pytest
from PySide6.QtCore import Qt

from bpe_gui.settings import Settings
from bpe_gui.widgets.dropout_row import DropoutRow
from core.encoding_rules import Encoder


@pytest.fixture
def row(qtbot, settings, theme) -> DropoutRow:
    row = DropoutRow(settings, theme)
    qtbot.addWidget(row)
    row.show()
    return row


def test_no_dropout_at_first(row):
    assert row.probability.text() == "none"
    assert row.seed.value() == 0


def test_what_is_typed_is_stored(qtbot, row, settings):
    row.probability.setFocus()
    row.probability.selectAll()
    qtbot.keyClicks(row.probability, "12.5")
    qtbot.keyClick(row.probability, Qt.Key.Key_Return)
    assert settings.number(Settings.DROPOUT) == 12.5
    row.seed.selectAll()
    qtbot.keyClicks(row.seed, "42")
    assert settings.number(Settings.DROPOUT_SEED) == 42


def test_a_new_seed_is_another_one(qtbot, row, settings, monkeypatch):
    monkeypatch.setattr("bpe_gui.widgets.dropout_row.randrange", lambda end: 1234)
    qtbot.mouseClick(row.new_seed, Qt.MouseButton.LeftButton)
    assert settings.number(Settings.DROPOUT_SEED) == 1234
    assert row.seed.text() == "1,234"


def test_showing_what_is_stored_stores_nothing(row, settings, qtbot):
    with qtbot.assertNotEmitted(settings.changed):
        row.show_values()


def test_what_was_stored_elsewhere_is_shown(row, settings):
    settings.set(Settings.DROPOUT, 25.0)
    assert row.probability.value() == 25


def test_another_encoder_has_no_dropout(row, settings):
    settings.set(Settings.ENCODER, Encoder.LONGEST_MATCH)
    assert not row.probability.isEnabled()
    assert not row.new_seed.isEnabled()
    assert row.hint.text() == "With merge rank only."
    settings.set(Settings.ENCODER, Encoder.MERGE_RANK)
    assert row.probability.isEnabled()


def test_every_control_has_a_name_and_a_tip(row):
    for widget in (row.probability, row.seed, row.new_seed):
        assert widget.accessibleName()
        assert widget.toolTip()
