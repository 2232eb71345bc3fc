"""Asks for the name of a marked step."""

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from bpe_gui.session import Session
from bpe_gui.widgets.plain_label import plain_label
from core.bookmarks import Bookmark, bookmark_at, bookmark_title, named

WIDTH_IN_LETTERS = 44
MAX_NAME_CHARS = 200


class BookmarkDialog(QDialog):
    """Of the step that is shown when it opens; that step is marked if it was not."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._step = session.step
        self.setWindowTitle("Name this step")
        there = bookmark_at(session.bookmarks, self._step)
        self.name = QLineEdit(there.name if there else "")
        self.name.setMaxLength(MAX_NAME_CHARS)
        self.name.setPlaceholderText("Such as: digits begin to merge")
        self.name.setToolTip("Shown on the slider and in the menu Timeline > Bookmarks")
        label = QLabel("&Name")
        label.setBuddy(self.name)
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        for kind in (kinds.Ok, kinds.Cancel):
            buttons.button(kind).setIcon(QIcon())  # the style's icon is black in the dark too
        buttons.accepted.connect(self._store)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(plain_label(bookmark_title(session.recording, Bookmark(self._step, "")), "heading"))
        layout.addWidget(label)
        layout.addWidget(self.name)
        layout.addStretch(1)
        layout.addWidget(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * WIDTH_IN_LETTERS)
        session.recording_replaced.connect(self.reject)

    def _store(self) -> None:
        self._session.set_bookmarks(named(self._session.bookmarks, self._step, self.name.text().strip()))
        self.accept()
