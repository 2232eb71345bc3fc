from PySide6.QtCore import Qt

from bpe_gui.widgets.plain_label import plain_label


def test_markup_is_shown_as_text(qtbot):
    label = plain_label("<img src=x>", "muted")
    qtbot.addWidget(label)

    assert (label.text(), label.textFormat()) == ("<img src=x>", Qt.TextFormat.PlainText)
    assert (label.wordWrap(), label.property("role")) == (True, "muted")
    assert plain_label("x", parent=label).property("role") is None
