"""What this program is, its version and licence, and the libraries it stands on."""

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from bpe_gui.theme import Theme

ICON_PIXELS = 48
WHAT_IT_IS = (
    "Watch byte pair encoding being trained, merge by merge: open a text, learn merges from it, go back and forth in "
    "them, try the tokenizer on words of your own and export it for other tools."
)
LICENCE = "MIT licence: use, change and pass it on, with its copyright notice and without warranty."
LIBRARIES = (
    ("PySide6-Essentials", "Qt for Python, LGPL"),
    ("pyqtgraph", "charts, MIT"),
    ("numpy", "arrays, BSD"),
    ("regex", "patterns, Apache 2.0"),
    ("charset-normalizer", "encodings, MIT"),
    ("QtAwesome", "icons of the Phosphor set, MIT"),
)


class AboutDialog(QDialog):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About bpe-gui")
        self._theme = theme
        self._icon = QLabel()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(
            QIcon()
        )  # the style's icon is black in the dark too
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        layout.addLayout(self._make_head())
        layout.addWidget(_label(WHAT_IT_IS))
        layout.addWidget(_label(LICENCE))
        layout.addLayout(_libraries())
        layout.addWidget(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 70)
        theme.changed.connect(self._take_theme)
        self._take_theme()

    def _make_head(self) -> QHBoxLayout:
        name = _label("bpe-gui")
        name.setProperty("role", "heading")
        font = name.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        name.setFont(font)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(name)
        words.addWidget(_label(f"Version {version_of('bpe-gui')}", "muted"))
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self._icon)
        head.addLayout(words, 1)
        return head

    def _take_theme(self) -> None:
        self._icon.setPixmap(self._theme.icon("stack").pixmap(ICON_PIXELS))


def _libraries() -> QFormLayout:
    form = QFormLayout()
    form.setVerticalSpacing(2)
    form.setHorizontalSpacing(16)
    rows = [(f"Python {platform.python_version()}", f"Qt {qVersion()}")]
    rows += [(f"{name} {version_of(name)}", use) for name, use in LIBRARIES]
    for name, use in rows:
        form.addRow(_label(name), _label(use, "muted"))
    return form


def version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:  # run from a folder that was never installed
        return "(development version)"


def _label(text: str, role: str | None = None) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(len(text) > 60)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
