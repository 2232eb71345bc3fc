"""Everything that is known about the tokenizer that is open: where it comes from, how it encodes, what is unusual."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.theme import Theme
from bpe_gui.widgets.plain_label import plain_label
from bpe_gui.widgets.wrapped_text import WrappedText
from core.model_facts import facts_of, model_name
from core.recording import Recording

WIDTH, HEIGHT = 620, 520


class ModelDialog(QDialog):
    def __init__(self, recording: Recording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About this tokenizer")
        self._theme = theme
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName("What is known about this tokenizer")
        area.setWidget(self._make_body(recording))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())  # the style's is black in the dark too
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
        self.resize(WIDTH, HEIGHT)

    def _make_body(self, recording: Recording) -> QWidget:
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setSpacing(12)
        name = plain_label(model_name(recording) or "This tokenizer was trained here", "heading")
        layout.addWidget(name)
        colors, imported = self._theme.colors, recording.imported
        if imported and imported.not_applied:
            self._add_list(layout, "Not applied", imported.not_applied, "warning", colors.warning)
        if imported and imported.facts:
            self._add_list(layout, "What to know", imported.facts, "info", colors.muted)
        layout.addWidget(plain_label("Contents", "heading"))
        layout.addLayout(_form(recording))
        layout.addStretch(1)
        return body

    def _add_list(self, layout: QVBoxLayout, title: str, lines: Sequence[str], icon: str, color: QColor) -> None:
        layout.addWidget(plain_label(title, "heading"))
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(8)
        side = self.fontMetrics().height()
        for row, line in enumerate(lines):
            picture = QLabel()
            picture.setPixmap(self._theme.icon(icon, color).pixmap(QSize(side, side)))
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(plain_label(line, "warning" if icon == "warning" else ""), row, 1)
        layout.addLayout(grid)


def _form(recording: Recording) -> QFormLayout:
    form = QFormLayout()
    form.setVerticalSpacing(6)
    form.setHorizontalSpacing(16)
    for name, value in facts_of(recording):
        form.addRow(plain_label(name, "muted"), WrappedText(value, name))
    return form
