"""Tokens that look like HTML are shown as what they are, wherever the window shows tokens."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QPoint, Qt
from PySide6.QtGui import QAction, QHelpEvent, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QMessageBox,
    QToolTip,
    QWidget,
)

from bpe_gui.dialogs.model_dialog import ModelDialog
from bpe_gui.dialogs.pattern_dialog import PatternDialog
from bpe_gui.main_window import MainWindow
from bpe_gui.training import TrainingState
from core.added_tokens import AddedToken
from core.corpus import Corpus
from core.imported import Imported
from core.model_source import ModelSource
from core.opened_files import PatternWanted
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording, record
from core.trainer import TrainerConfig

MARKUP = "<img src=x>", "<i>slanted</i>", "<i>", "&lt;u&gt;"
TEXT = f"{' '.join(MARKUP)}\n" * 30
OBJECT = "\N{OBJECT REPLACEMENT CHARACTER}"
"""What a picture is in the text of a document."""


def is_taken_for_markup(text: str, may_be_rich: bool = True) -> bool:
    """Whether Qt would make a picture or slanted letters of it, which our own tips have none of."""
    if not may_be_rich or not Qt.mightBeRichText(text):
        return False
    document = QTextDocument()
    document.setHtml(text)
    cursor = document.rootFrame().firstCursorPosition()
    while not cursor.atEnd():
        cursor.movePosition(cursor.MoveOperation.NextCharacter)
        form = cursor.charFormat()
        if form.isImageFormat() or form.fontItalic():
            return True
    return OBJECT in document.toPlainText()


def test_what_the_test_looks_for() -> None:
    assert is_taken_for_markup("a <i>slanted</i> thing")
    assert is_taken_for_markup("<img src=x>")
    assert not is_taken_for_markup("<p>&lt;i&gt;slanted</p>")
    assert not is_taken_for_markup("a < b")


def shown_texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """(where, text) of all that Qt might take for HTML: labels, tips, items of lists and tables."""
    for widget in (root, *root.findChildren(QWidget)):
        where = f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"
        yield f"tip of {where}", widget.toolTip()
        if isinstance(widget, QLabel) and widget.textFormat() is not Qt.TextFormat.PlainText:
            yield f"text of {where}", widget.text()
        if isinstance(widget, QMessageBox) and widget.textFormat() is not Qt.TextFormat.PlainText:
            yield f"text of {where}", widget.text()
        if isinstance(widget, QAbstractItemView | QComboBox):
            yield from ((f"tip in {where}", tip) for tip in item_tips(widget.model()))
        if isinstance(widget, QAbstractButton):
            yield f"description of {where}", widget.toolTip()
    yield from ((f"tip of {action.text()}", action.toolTip()) for action in root.findChildren(QAction))


def item_tips(model: QAbstractItemModel) -> Iterator[str]:
    for row in range(min(model.rowCount(), 200)):
        for column in range(model.columnCount() if isinstance(model, QAbstractTableModel) else 1):
            tip = model.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
            if tip:
                yield tip


def hover_tips(view: QWidget) -> Iterator[str]:
    """The tips that a mouse finds over a view."""
    for y in range(2, view.height(), 9):
        for x in range(2, view.width(), 11):
            place = QPoint(x, y)
            QToolTip.hideText()
            QApplication.sendEvent(view, QHelpEvent(QHelpEvent.Type.ToolTip, place, view.mapToGlobal(place)))
            if text := QToolTip.text():
                yield text
    QToolTip.hideText()


def faults(root: QWidget) -> list[tuple[str, str]]:
    return [(where, text) for where, text in shown_texts(root) if is_taken_for_markup(text)]


@pytest.fixture(params=["trained", "opened"])
def shown(request, qtbot, window: MainWindow) -> MainWindow:
    window.resize(1400, 900)
    config = TrainerConfig(special_tokens=("<s>", "<img src=s>"))
    window.session.replace_corpus(Corpus.typed(TEXT, "<i>name</i>.txt"))
    recording = record(window.session.corpus, Pipeline(pre_tokenizer=PRE_TOKENIZERS["lines"]), config)
    if request.param == "opened":
        recording = opened(recording)
    window.session.replace_recording(recording)
    window.encode_dock.field.setText(f"{MARKUP[0]} {MARKUP[1]} <s>")
    window.tokens_panel.show_pasted(TEXT)
    qtbot.waitUntil(lambda: window.tokens_panel.view.segmenter is not None)
    assert any(b"<img src=x>" in token.content for _, token in recording.tokens_at(len(recording)))
    return window


def opened(recording: Recording) -> Recording:
    """The same merges as if they came from a file."""
    imported = Imported(
        "huggingface", "<i>x</i>.json", ("<img src=x> has no merge.",), ("the <i>thing</i>",), {},
        ModelSource(Path("/<i>folder</i>", "<i>x</i>.json")),
    )  # fmt: skip
    bare = replace(recording, corpus=None, word_counts={}, base_counts={}, imported=imported)
    bare.added_tokens = (AddedToken("<img src=s>", 1), AddedToken("<i>added</i>", 0, special=False))
    bare.extend(merge._replace(count=0, applied=0, tied=0, completed=0) for merge in recording)
    return bare


def test_no_label_tip_or_table_takes_a_token_for_markup(shown: MainWindow) -> None:
    for step in (0, 5, shown.session.last_step):
        shown.session.go_to(step)
        shown.encode_dock.refresh()
        assert faults(shown) == []
    assert any("&lt;img" in text for _, text in shown_texts(shown))


def test_no_tip_under_the_mouse_takes_a_token_for_markup(shown: MainWindow) -> None:
    shown.encode_dock.refresh()
    views = shown.tokens_panel.view, shown.encode_dock.view
    tips = {tip for view in views for tip in hover_tips(view.viewport())}
    assert any("&lt;img" in tip for tip in tips)
    assert [tip for tip in tips if is_taken_for_markup(tip)] == []


def test_no_message_takes_a_token_for_markup(shown: MainWindow) -> None:
    shown.opener.failed.emit("<img src=x> could not be <i>read</i>")
    (box,) = shown.findChildren(QMessageBox)
    assert box.textFormat() is Qt.TextFormat.PlainText
    assert faults(box) == []
    box.close()


def test_no_dialog_takes_a_token_for_markup(qtbot, shown: MainWindow) -> None:
    shown.session.go_to(3)
    actions = shown.actions_
    shown.opener.pattern_wanted.emit(PatternWanted(ModelSource(Path("<i>.tiktoken")), "<i>.tiktoken: <i>which</i>"))
    wanted = (actions.about_model, actions.force, actions.what_if, actions.train_on, actions.export)
    for action in wanted:
        if action.isEnabled():
            action.trigger()
    dialogs = [dialog for dialog in shown.findChildren(QDialog) if dialog.isVisible()]
    assert {ModelDialog, PatternDialog} <= {type(dialog) for dialog in dialogs}
    qtbot.wait(300)  # what they count and preview is there
    for dialog in dialogs:
        assert faults(dialog) == []
        dialog.close()


def test_training_on_such_tokens_takes_none_for_markup(qtbot, shown: MainWindow) -> None:
    shown.session.go_to(2)
    if not shown.actions_.forbid.isEnabled():
        return
    shown.actions_.forbid.trigger()
    qtbot.waitUntil(lambda: "forbidden" in shown.session.about, timeout=20_000)
    qtbot.waitUntil(lambda: shown.training.state is TrainingState.IDLE, timeout=20_000)
    assert faults(shown) == []
