from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from bpe_gui.recording_saver import RecordingSaver
from bpe_gui.settings import Settings
from core.bookmarks import Bookmark
from core.formats.recording_file import load
from core.model_source import ModelSource


@pytest.fixture
def saver(session, settings):
    saver = RecordingSaver(session, settings)
    yield saver
    saver.deleteLater()


@pytest.fixture
def shown(session, recording):
    session.replace_recording(recording)
    session.set_bookmarks((Bookmark(1, ""), Bookmark(3, "春 <b>")))
    session.go_to(2)
    return recording


def test_what_is_saved_is_opened_as_it_was(saver, session, settings, opener, shown, tmp_path, qtbot):
    path = tmp_path / "a name.bpe"
    with qtbot.waitSignals([saver.started, saver.saved]):
        saver.save(path)
    assert settings.recent_sources() == [ModelSource(path)]
    session.go_to_run_before()
    with qtbot.waitSignal(opener.model_opened):
        opener.open_path(path)
    assert list(session.recording) == list(shown)
    assert session.recording is not shown
    assert session.bookmarks == (Bookmark(1, ""), Bookmark(3, "春 <b>"))
    assert session.step == 2
    assert session.recording.base_counts == shown.base_counts
    assert saver.place_of(session.recording) == path


def test_saving_again_asks_for_no_name(saver, session, shown, tmp_path, monkeypatch, qtbot):
    asked = []

    def answer(*arguments):
        asked.append(arguments)
        return str(tmp_path / "chosen"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    with qtbot.waitSignal(saver.saved) as saved:
        saver.save_again_or_with_dialog(None)
    assert saved.args == [tmp_path / "chosen.bpe"]
    session.set_bookmarks(())
    with qtbot.waitSignal(saver.saved):
        saver.save_again_or_with_dialog(None)
    assert len(asked) == 1
    assert load(tmp_path / "chosen.bpe").notes.bookmarks == ()


def test_a_file_that_cannot_be_written(saver, shown, tmp_path, qtbot):
    with qtbot.waitSignal(saver.failed) as failed:
        saver.save(tmp_path / "missing" / "x.bpe")
    assert "x.bpe" in failed.args[0]
    assert saver.place_of(shown) is None


def test_the_end_of_the_window_waits_for_the_file(saver, shown, tmp_path):
    saver.save(tmp_path / "x.bpe")
    saver.finish()
    assert len(load(tmp_path / "x.bpe").recording) == len(shown)


def test_the_name_of_the_text_is_proposed(saver, session, settings, recording):
    settings.set(Settings.LAST_FOLDER, "/texts")
    session.replace_recording(recording)
    assert saver._suggestion() == Path("/texts/pasted text.bpe")
