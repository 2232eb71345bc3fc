"""As high as its lines, whatever they are written in."""

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_gui.widgets.wrapped_text import WrappedText


@pytest.mark.parametrize(
    "text", ["", "a/path/without/spaces" * 9, "很长的文件名" * 20, "ไทย 👩‍🚀 हिन्दी " * 20, "a\n\n很\n"]
)
def test_every_line_is_seen_whole(text, qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    widget = WrappedText(text, "File")
    layout = QVBoxLayout(window)
    layout.addWidget(widget)
    layout.addStretch(1)
    window.resize(300, 600)
    window.show()
    block = widget.document().lastBlock()
    qtbot.waitUntil(
        lambda: widget.blockBoundingGeometry(block).translated(widget.contentOffset()).bottom() <= widget.height()
    )
    assert widget.height() >= widget.fontMetrics().lineSpacing()
    assert widget.height() < 300
