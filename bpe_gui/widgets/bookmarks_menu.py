"""The menu of the steps that are marked: each entry goes there."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from bpe_gui.session import Session
from bpe_gui.widgets.tips import plain_tip
from core.bookmarks import bookmark_title

MAX_TITLE_EMS = 36
MAX_LISTED = 40


class BookmarksMenu(QMenu):
    """Filled when it opens: the labels of many thousand tokens are not looked up at every change."""

    def __init__(self, session: Session, actions: list[QAction], parent: QWidget | None = None) -> None:
        """`actions` stand above the list."""
        super().__init__("&Bookmarks", parent)
        self._session = session
        self._fixed = actions
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)
        self.fill()

    def fill(self) -> None:
        self.clear()
        self.addActions(self._fixed)
        self.addSeparator()
        bookmarks = self._session.bookmarks
        for bookmark in bookmarks[:MAX_LISTED]:
            title = bookmark_title(self._session.recording, bookmark)
            action = self.addAction(self._shortened(title))
            action.setToolTip(plain_tip(title))
            action.triggered.connect(partial(self._session.go_to, bookmark.step))
        if (more := len(bookmarks) - MAX_LISTED) > 0:
            self.addAction(f"and {more:,} more").setEnabled(False)
        if not bookmarks:
            self.addAction("No step is marked yet").setEnabled(False)

    def _shortened(self, title: str) -> str:
        metrics = self.fontMetrics()
        text = metrics.elidedText(title, Qt.TextElideMode.ElideRight, MAX_TITLE_EMS * metrics.height())
        return text.replace("&", "&&")
