from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMainWindow

from bpe_gui.widgets.model_banner import ModelBanner
from core.imported import Imported
from core.model_source import ModelSource

IMPORTED = Imported(
    "huggingface", "tokenizer.json", not_applied=("the post-processor <b>X</b>",), source=ModelSource(Path("/<i>.json"))
)


@pytest.fixture
def window(qapp):
    window = QMainWindow()
    yield window
    window.close()
    window.deleteLater()


@pytest.fixture
def banner(session, theme, window):
    banner = ModelBanner(session, theme, QAction("Count", window), QAction("Details", window), window)
    window.addToolBar(banner)
    window.show()
    return banner


def test_it_is_away_for_what_was_trained(banner, session, recording):
    assert not banner.isVisible()
    session.replace_recording(recording)
    assert not banner.isVisible()


def test_it_says_what_is_open_and_what_is_not_applied(banner, session, recording):
    recording.imported = IMPORTED
    session.replace_recording(recording)
    assert banner.isVisible()
    merges = len(recording)
    assert banner.headline.text() == f"<i>.json · Hugging Face tokenizer.json · {merges} merges"
    assert banner.not_applied.text() == "Not applied: the post-processor <b>X</b>"
    assert banner.not_applied.isVisible()
    assert {label.textFormat() for label in banner.findChildren(QLabel) if label.text()} == {Qt.TextFormat.PlainText}


def test_a_file_that_is_applied_whole_needs_no_warning(banner, session, recording):
    recording.imported = replace(IMPORTED, not_applied=())
    session.replace_recording(recording)
    assert banner.isVisible()
    assert not banner.not_applied.isVisible()


def test_it_stays_closed_for_the_recording_it_was_closed_for(banner, session, recording, qtbot):
    recording.imported = IMPORTED
    session.replace_recording(recording)
    banner.close_button.setFocus()
    qtbot.keyClick(banner.close_button, Qt.Key.Key_Space)
    assert not banner.isVisible()
    other = replace(recording, imported=replace(IMPORTED))
    session.replace_recording(other)
    assert banner.isVisible()
    session.go_to_run_before()
    assert not banner.isVisible()


def test_its_buttons_are_reached_by_tab(banner):
    for button in (banner.count_button, banner.details_button, banner.close_button):
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert button.accessibleName()
