"""A label that shows a text as it is, whatever it looks like: a token `<img src=x>` is no picture."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget


def plain_label(text: str = "", role: str = "", parent: QWidget | None = None) -> QLabel:
    """Wraps its lines; `role` names a look of the theme's style sheet, such as "muted"."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
