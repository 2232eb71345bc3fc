from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from bpe_gui.dialogs.model_dialog import ModelDialog
from bpe_gui.widgets.wrapped_text import WrappedText
from core.imported import Imported
from core.model_source import ModelSource


def test_everything_is_said_as_it_is(theme, recording, qtbot):
    source = ModelSource(Path("/models", "<img src=x>" * 30))
    recording.imported = Imported("gpt2", "merges.txt", ("3 tokens have no merge.",), ("the <b>thing</b>",), {}, source)
    dialog = ModelDialog(recording, theme)
    qtbot.addWidget(dialog)
    dialog.show()
    labels = dialog.findChildren(QLabel)
    said = [label.text() for label in labels]
    for line in ("Not applied", "the <b>thing</b>", "What to know", "3 tokens have no merge."):
        assert line in said
    assert {label.textFormat() for label in labels if label.text()} == {Qt.TextFormat.PlainText}
    values = {value.accessibleName(): value for value in dialog.findChildren(WrappedText)}
    assert values["File"].toPlainText() == str(source.path)
    assert values["Format"].toPlainText() == "GPT-2 vocab.json and merges.txt"
    qtbot.waitUntil(lambda: values["File"].height() > values["Format"].height())  # broken without a space, not cut


def test_a_trained_recording_has_a_dialog_too(theme, recording, qtbot):
    dialog = ModelDialog(recording, theme)
    qtbot.addWidget(dialog)
    said = [label.text() for label in dialog.findChildren(QLabel)]
    assert "This tokenizer was trained here" in said
    assert "Not applied" not in said
