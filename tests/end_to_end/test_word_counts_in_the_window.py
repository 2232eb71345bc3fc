"""Several files to a list of word counts and back into the window: the same words, the same merges."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton

from bpe_gui.main_window import MainWindow
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.reading_hint import ReadingHint


def test_a_list_saved_from_several_files_trains_like_them(
    qtbot, monkeypatch, window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "one.txt").write_text("low lower low", encoding="utf-8")
    (tmp_path / "春.txt").write_text("newest 春眠 widest newest\n", encoding="utf-8")
    urls = [QUrl.fromLocalFile(str(tmp_path / name)) for name in ("one.txt", "春.txt")]
    mime = QMimeData()
    mime.setUrls(urls)
    drop = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    assert not window.actions_.save_word_counts.isEnabled()
    with qtbot.waitSignal(window.opener.opened):
        window.dropEvent(drop)
    assert window.session.corpus.text == "low lower low\nnewest 春眠 widest newest\n"
    with qtbot.waitSignal(window.session.recording_ended):
        window.train(merges=10)
    merges = list(window.session.recording)

    path = str(tmp_path / "words.txt")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (path, ""))
    with qtbot.waitSignal(window.word_count_saver.saved):
        window.actions_.save_word_counts.trigger()
    assert window.statusBar().currentMessage() == "8 words and their counts are in words.txt."

    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (path, ""))
    with qtbot.waitSignal(window.opener.opened):
        window.actions_.open_word_counts.trigger()
    with qtbot.waitSignal(window.session.recording_ended):
        window.train(merges=10)
    assert list(window.session.recording) == merges


def test_word_counts_that_cannot_be_saved(qtbot, monkeypatch, window: MainWindow, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_sample("four_words.txt")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "words.txt"), ""))
    with qtbot.waitSignal(window.word_count_saver.failed):
        window.actions_.save_word_counts.trigger()
    box = window.findChild(QMessageBox)
    assert "there is no folder" in box.text() + box.informativeText()
    box.close()


def test_a_list_is_there_again_after_a_restart(
    qtbot, window: MainWindow, settings: Settings, theme: Theme, tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text("low 5\nlower 2\n")
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_path(tmp_path / "words.txt")
    hint = window.corpus_dock.findChild(ReadingHint)
    with qtbot.waitSignal(window.opener.opened):
        hint.findChild(QPushButton).click()
    window.close()
    again = MainWindow(settings, theme)
    qtbot.addWidget(again)
    with qtbot.waitSignal(again.opener.opened):
        assert again.draft.restore()
    assert again.session.corpus.given_counts == {"low": 5, "lower": 2}
    again.close()
