"""A person's way through the window by its actions: open a file, train, scrub, encode, export, and use the export."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
)

from bpe_gui.dialogs.export_dialog import ExportDialog
from bpe_gui.main_window import MainWindow
from bpe_gui.settings import Settings
from bpe_gui.training import TrainingState
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.options import Options
from core.tokenizer import Tokenizer
from core.trainer import StopReason
from tests.end_to_end.conftest import ALICE

tokenizers = pytest.importorskip("tokenizers")

TEXTS = (
    "Alice was beginning to get very tired",
    "unhappiness",
    "春眠不觉晓 🌸👩\u200d👩\u200d👧",
    "tabs\tand\r\nlines\n\n  end ",
    "naïve ﬁ ½",
    "",
)


def open_by_dialog(monkeypatch, window: MainWindow, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(path)], ""))
    window.actions_.open.trigger()


def test_from_a_file_to_an_export_that_hugging_face_reads(
    qtbot, monkeypatch, window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    session, actions = window.session, window.actions_
    with qtbot.waitSignal(window.opener.opened):
        open_by_dialog(monkeypatch, window, ALICE)
    assert session.corpus.text == ALICE.read_bytes().decode()
    assert "alice" in window.windowTitle()
    assert settings.recent_sources() == [CorpusSource((ALICE,))]

    with qtbot.waitSignal(session.recording_ended, timeout=60_000):
        window.train(merges=400)
    assert session.step == session.last_step == 400
    assert session.recording.stop_reason is StopReason.MERGES

    actions.first.trigger()
    assert session.step == 0
    for _ in range(3):
        actions.forward.trigger()
    assert session.step == 3
    actions.last.trigger()

    actions.encode.trigger()
    window.encode_dock.field.clear()
    qtbot.keyClicks(window.encode_dock.field, "unhappiness")
    ids = Tokenizer(session.recording).ids("unhappiness")
    qtbot.waitUntil(lambda: window.encode_dock.ids_field.text() == ", ".join(map(str, ids)))

    folder = tmp_path / "exported"
    folder.mkdir()
    settings.set(Settings.EXPORT_FOLDER, str(folder))
    settings.set(Settings.EXPORT_FORMAT, "huggingface")
    actions.export.trigger()
    dialog = next(d for d in window.findChildren(ExportDialog))
    qtbot.waitUntil(dialog.export_button.isEnabled)
    with qtbot.waitSignal(dialog.export_ended):
        qtbot.mouseClick(dialog.export_button, Qt.MouseButton.LeftButton)
    dialog.close()

    (file,) = folder.rglob("tokenizer.json")
    reopened = tokenizers.Tokenizer.from_file(str(file))
    ours = Tokenizer(session.recording)
    for text in TEXTS:
        assert reopened.encode(text).ids == ours.ids(text)
        assert reopened.decode(ours.ids(text)) == ours.decode(ours.ids(text)) == text


def test_a_pasted_text_is_trained_by_single_merges(qtbot, qapp, window: MainWindow) -> None:
    qapp.clipboard().setText("low low low lower lowest")
    with qtbot.waitSignal(window.opener.opened):
        window.actions_.paste.trigger()
    window.actions_.step.trigger()
    qtbot.waitUntil(lambda: window.session.last_step == 1)
    assert window.training.state is TrainingState.PAUSED
    window.actions_.step.trigger()
    qtbot.waitUntil(lambda: window.session.last_step == 2)
    window.actions_.stop.trigger()
    assert window.training.state is TrainingState.IDLE


@pytest.mark.parametrize("name", ["four_words.txt", "tang_poems.txt", "languages.txt", "emoji.txt", "trainer.py"])
def test_every_sample_trains(qtbot, window: MainWindow, name: str) -> None:
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_sample(name)
    with qtbot.waitSignal(window.session.recording_ended, timeout=60_000):
        window.train(merges=50)
    assert window.session.last_step > 5
    assert window.settings.recent_sources() == []


def test_what_the_user_chose_survives_a_restart(qtbot, window: MainWindow, settings: Settings, theme) -> None:
    window.charts_dock.hide()
    window.actions_.whitespace.trigger()
    window.encode_dock.field.setText("春眠不觉晓")
    window.resize(window.width(), 733)
    window.close()
    again = MainWindow(settings, theme)
    again.show()
    qtbot.waitExposed(again)
    assert again.charts_dock.isHidden()
    assert again.actions_.whitespace.isChecked()
    assert again.encode_dock.field.text() == "春眠不觉晓"
    assert again.height() == 733  # the width may be cut to the offscreen platform's small screen
    again.actions_.reset_layout.trigger()
    assert not again.charts_dock.isHidden()
    again.close()
    again.deleteLater()


def test_every_child_that_can_be_used_has_a_name_for_screen_readers(window: MainWindow) -> None:
    nameless = [
        widget
        for kind in (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit)
        for widget in window.findChildren(kind)
        if widget.isVisible() and not _name(widget)
    ]
    assert [(w, w.parent(), w.toolTip()) for w in nameless] == []


def _name(widget) -> str:
    if widget.objectName().startswith("qt_") or isinstance(widget.parent(), QComboBox | QAbstractSpinBox | QLineEdit):
        return "a part of Qt's own widget"
    interface = QAccessible.queryAccessibleInterface(widget)
    return widget.accessibleName() or (interface.text(QAccessible.Text.Name) if interface else "")


def test_a_file_dropped_on_the_window_is_opened(qtbot, window: MainWindow) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(ALICE))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPoint(5, 5), copy, mime, left, none)
    QApplication.sendEvent(window, entering)
    assert entering.isAccepted()
    with qtbot.waitSignal(window.opener.opened):
        QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), copy, mime, left, none))
    assert window.session.corpus.path == ALICE


def test_options_that_cannot_be_used_start_nothing_and_say_why(qtbot, window: MainWindow) -> None:
    window.session.replace_corpus(Corpus.typed("low lower"))
    recording = window.session.recording
    window.settings.set(Settings.TRAINER_OPTIONS, Options(pre_tokenizer="custom", pattern="(").to_json())
    other = MainWindow(window.settings, window.theme)
    other.session.replace_corpus(Corpus.typed("low lower"))
    other.train()
    (box,) = other.findChildren(QMessageBox)
    assert "at character" in box.informativeText() + box.text()
    assert other.training.state is TrainingState.IDLE
    assert window.session.recording is recording
    box.close()
    other.close()
    other.deleteLater()
