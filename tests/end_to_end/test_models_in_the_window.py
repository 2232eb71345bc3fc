"""A tokenizer of another program in the real window: opened, looked at, counted, saved and opened again."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QMessageBox

from bpe_gui.dialogs.model_dialog import ModelDialog
from bpe_gui.dialogs.pattern_dialog import PatternDialog
from bpe_gui.main_window import MainWindow
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from core.bookmarks import Bookmark
from core.corpus import Corpus
from core.formats import FORMATS
from core.model_source import ModelSource
from core.opened_files import PatternWanted
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording, record
from core.trainer import TrainerConfig

TEXT = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3 + "春眠不觉晓 🌸 "


@pytest.fixture(scope="module")
def recording() -> Recording:
    config = TrainerConfig(merges=20, special_tokens=("<|end|>",))
    return record(Corpus.typed(TEXT), Pipeline(pre_tokenizer=PRE_TOKENIZERS["gpt2"]), config)


@pytest.fixture
def model(recording: Recording, tmp_path: Path) -> Path:
    FORMATS["huggingface"].save(recording, len(recording), tmp_path / "model")
    return tmp_path / "model"


def open_model(qtbot, window: MainWindow, path: Path) -> None:
    with qtbot.waitSignal(window.opener.model_opened):
        window.opener.open_path(path)


def test_it_is_dropped_on_the_window_and_shows_everywhere(qtbot, window: MainWindow, model: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(model))])
    actions, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    with qtbot.waitSignal(window.opener.model_opened):
        window.dropEvent(QDropEvent(QPointF(5, 5), actions, mime, buttons, keys))
    assert window.windowTitle() == "model — bpe-gui"
    assert window.model_banner.isVisible()
    assert "model · Hugging Face tokenizer.json · 20 merges · 1 special token" in window.model_banner.headline.text()
    assert window.session.step == 20
    assert window.merges_dock.model.rowCount() == 20
    assert window.step_bar.number.value() == 20
    assert window.tokens_panel.view.segmenter.text  # a text of the user's, for want of a corpus
    window.encode_dock.refresh()
    assert window.encode_dock.view.phrase.words
    window.actions_.about_model.trigger()
    assert window.findChild(ModelDialog).isVisible()
    window.findChild(ModelDialog).close()


def test_its_merges_are_counted_in_a_corpus(qtbot, window: MainWindow, model: Path, recording: Recording) -> None:
    open_model(qtbot, window, model)
    assert not window.actions_.count_merges.isEnabled()
    assert "no text" in window.actions_.count_merges.toolTip()
    window.session.replace_corpus(Corpus.typed(TEXT))
    window.session.set_bookmarks((Bookmark(3, "x"),))
    with qtbot.waitSignal(window.merge_counter.counted):
        window.model_banner.count_button.click()
    counted = window.session.recording
    assert [merge.count for merge in counted] == [merge.count for merge in recording]
    assert window.session.bookmarks == (Bookmark(3, "x"),)
    assert window.model_banner.isVisible()
    assert not window.model_banner.count_button.isVisible()
    assert not window.actions_.count_merges.isEnabled()
    window.actions_.run_before.trigger()
    assert not window.session.recording.has_counts


def test_a_broken_file_leaves_everything_as_it_was(
    qtbot, window: MainWindow, model: Path, recording: Recording
) -> None:
    window.session.replace_corpus(corpus := Corpus.typed(TEXT))
    window.session.replace_recording(recording)
    window.session.go_to(7)
    file = model / "tokenizer.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"ModelType"', '"x"')[:-40], encoding="utf-8")
    with qtbot.waitSignal(window.opener.failed):
        window.opener.open_path(model)
    (box,) = window.findChildren(QMessageBox)
    assert "tokenizer.json, line" in box.text()
    box.close()
    assert (window.session.recording, window.session.step, window.session.corpus) == (recording, 7, corpus)
    assert not window.session.has_run_before
    assert not window.corpus_dock._reading.isVisible()


def test_opening_ends_a_training_run(qtbot, window: MainWindow, model: Path) -> None:
    window.session.replace_corpus(Corpus.typed(TEXT * 20_000))
    window.train()
    open_model(qtbot, window, model)
    qtbot.waitUntil(lambda: not window.training.is_active)
    assert len(window.session.recording) == 20


def test_what_is_missing_in_a_file_is_asked_for(qtbot, window: MainWindow, model: Path) -> None:
    window.opener.pattern_wanted.emit(PatternWanted(ModelSource(model), "how?"))
    dialog = window.findChild(PatternDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    with qtbot.waitSignal(window.opener.model_opened):
        dialog.open_button.click()
    assert window.session.recording.imported.source.pre_tokenizer == "cl100k"


def test_a_recording_is_saved_and_there_again_after_a_restart(
    qtbot, window: MainWindow, settings: Settings, theme: Theme, recording: Recording, tmp_path: Path, monkeypatch
) -> None:
    book = tmp_path / "book.txt"
    book.write_text(TEXT, encoding="utf-8")
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_path(book)
    window.train(merges=20)
    qtbot.waitUntil(lambda: window.session.last_step > 0 and not window.training.is_active)
    window.session.go_to(4)
    window.actions_.bookmark.trigger()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine.bpe"), ""))
    with qtbot.waitSignal(window.recording_saver.saved):
        window.actions_.save.trigger()
    merges = list(window.session.recording)
    book.write_text("another text")
    window.session.replace_recording(recording)
    open_model(qtbot, window, tmp_path / "mine.bpe")
    assert list(window.session.recording) == merges
    assert window.session.step == 4
    assert window.session.bookmarks == (Bookmark(4, ""),)
    window.close()
    again = MainWindow(settings, theme)
    again.show()
    with qtbot.waitSignal(again.opener.model_opened):
        assert again.draft.restore()
    assert list(again.session.recording) == merges
    assert again.session.bookmarks == (Bookmark(4, ""),)
    again.close()
    again.deleteLater()
