import json
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from bpe_gui.opener import OWN_SOURCE, SAMPLES, Opener, dropped_paths, sample_path
from bpe_gui.settings import Settings
from core.corpus_source import CorpusSource
from core.text_encoding import DetectedBy

NASTY = Path(__file__).parents[1] / "data" / "nasty"
NASTY_FILES = [entry["file"] for entry in json.loads((NASTY / "manifest.json").read_text(encoding="utf-8"))]


@pytest.fixture
def opener(session, settings):
    opener = Opener(session, settings)
    yield opener
    opener.deleteLater()


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"low lower\n")
    return path


def test_a_file_becomes_the_corpus(opener, session, settings, text_file, qtbot):
    with qtbot.waitSignals([opener.opening, opener.progressed, session.corpus_replaced, opener.opened]):
        opener.open_path(text_file)
        assert opener.is_opening
    assert session.corpus.text == "low lower\n"
    assert session.corpus.path == text_file
    assert settings.recent_sources() == [CorpusSource((text_file,))]
    assert settings.text(Settings.LAST_FOLDER) == str(text_file.parent)
    assert not opener.is_opening


def test_an_encoding_can_be_chosen(opener, session, text_file, qtbot):
    text_file.write_bytes("é".encode())
    with qtbot.waitSignal(opener.opened):
        opener.open_path(text_file, "iso8859-1")
    assert session.corpus.text == "Ã©"
    assert session.corpus.detected_by is DetectedBy.CHOSEN


def test_a_failure_changes_nothing(opener, session, settings, text_file, qtbot):
    text_file.write_bytes(b"\xff\xfe\xfd")
    before = session.corpus
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(text_file, "utf-8")
    assert "text.txt is not UTF-8" in failed.args[0]
    assert session.corpus is before
    assert settings.recent_sources() == []


def test_a_recent_file_that_vanished_leaves_the_list(opener, settings, text_file, qtbot):
    settings.add_recent_source(CorpusSource((text_file,)))
    text_file.unlink()
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(text_file)
    assert "there is no such file" in failed.args[0]
    assert failed.args[0].endswith("It was taken off the list of recent files.")
    assert settings.recent_sources() == []


def test_a_folder_is_refused(opener, tmp_path, qtbot):
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(tmp_path)
    assert "is a folder" in failed.args[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_instead_of_waited_for(opener, tmp_path, qtbot):
    os.mkfifo(tmp_path / "pipe")
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(tmp_path / "pipe")
    assert failed.args == ["pipe is a device or pipe, not a text file."]


def test_only_the_newest_opening_counts(opener, session, text_file, tmp_path, qtbot):
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 20_000_000)
    opened = []
    opener.opened.connect(opened.append)
    opener.open_path(large)
    with qtbot.waitSignals([opener.cancelled, opener.opened]):
        opener.open_path(text_file)
    assert [corpus.name for corpus in opened] == ["text.txt"]
    assert session.corpus.name == "text.txt"


def test_cancel(opener, session, tmp_path, qtbot):
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 20_000_000)
    before = session.corpus
    opener.open_path(large)
    with qtbot.waitSignal(opener.cancelled):
        opener.cancel()
    qtbot.waitUntil(lambda: not opener.is_opening)
    with qtbot.assertNotEmitted(opener.cancelled):
        opener.cancel()
    assert session.corpus is before


@pytest.mark.parametrize("name", [name for _, name in SAMPLES])
def test_samples(opener, session, settings, name, qtbot):
    with qtbot.waitSignal(opener.opened):
        opener.open_sample(name)
    assert session.corpus.name == name
    assert len(session.corpus.text) > 50
    assert settings.recent_sources() == []


def test_the_own_source_is_the_trainers(opener, session, qtbot):
    assert sample_path(OWN_SOURCE).parent.name == "core"
    with qtbot.waitSignal(opener.opened):
        opener.open_sample(OWN_SOURCE)
    assert "class Trainer:" in session.corpus.text


def test_paste(opener, session, qtbot):
    QGuiApplication.clipboard().setText("天地玄黃\u00a0😀")
    with qtbot.waitSignal(opener.opened):
        opener.paste_clipboard()
    assert session.corpus.text == "天地玄黃\u00a0😀"
    assert session.corpus.name == "pasted text"


def test_paste_without_text(opener, qtbot):
    QGuiApplication.clipboard().clear()
    with qtbot.waitSignal(opener.failed) as failed:
        opener.paste_clipboard()
    assert failed.args == ["There is no text on the clipboard. Copy some text first."]


def test_the_dialog_starts_in_the_last_folder(opener, session, settings, text_file, monkeypatch, qtbot):
    settings.set(Settings.LAST_FOLDER, "/somewhere")
    asked = []

    def choose(parent, title, folder, filters):
        asked.append(folder)
        return [str(text_file)], filters

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", choose)
    with qtbot.waitSignal(opener.opened):
        opener.open_with_dialog(None)
    assert asked == ["/somewhere"]
    assert session.corpus.path == text_file


def test_a_cancelled_dialog_opens_nothing(opener, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    with qtbot.assertNotEmitted(opener.opening):
        opener.open_with_dialog(None)
        opener.open_word_counts_with_dialog(None)


@pytest.mark.parametrize("name", NASTY_FILES)
def test_a_nasty_file_opens_or_gives_a_message(opener, session, name, qtbot):
    said = []
    opener.opened.connect(said.append)
    opener.failed.connect(said.append)
    opener.open_path(NASTY / name)
    qtbot.waitUntil(lambda: bool(said))
    assert len(said) == 1
    if isinstance(said[0], str):
        assert name in said[0]
    else:
        assert said[0] is session.corpus
        session.corpus.text.encode()


def test_closing_while_a_file_is_read_leaves_no_thread(session, settings, tmp_path):
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 20_000_000)
    opener = Opener(session, settings)
    opener.open_path(large)
    opener.deleteLater()


def test_dropped_paths(tmp_path):
    mime = QMimeData()
    assert dropped_paths(mime) == ()
    names = "名前 ü.txt", "a.txt", "folder"
    local = [QUrl.fromLocalFile(str(tmp_path / name)) for name in names]
    mime.setUrls([QUrl("https://example.org/a.txt"), *local])
    assert dropped_paths(mime) == tuple(tmp_path / name for name in names)
    mime.setUrls([QUrl("https://example.org/a.txt")])
    assert dropped_paths(mime) == ()
