"""The menu of what was opened lately: a file, several files opened together, a list of word counts, a tokenizer."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from bpe_gui.opener import Opener
from bpe_gui.settings import Settings, Source
from bpe_gui.widgets.tips import plain_tip
from core.model_source import ModelSource

MAX_NAME_EMS = 32


class RecentMenu(QMenu):
    """Each entry opens what it names as it was read last time."""

    def __init__(self, settings: Settings, opener: Opener, clear: QAction, parent: QWidget | None = None) -> None:
        super().__init__("Open &recent", parent)
        self._settings = settings
        self._opener = opener
        self._clear = clear
        self.setToolTipsVisible(True)
        settings.changed.connect(self._on_setting_changed)
        self._fill()

    def _fill(self) -> None:
        self.clear()
        sources = self._settings.recent_sources()
        self.setEnabled(bool(sources))
        for number, source in enumerate(sources, 1):
            action = self.addAction(f"&{number % 10}  {self._title(source)}")
            action.setToolTip(plain_tip(source.listing))
            action.triggered.connect(partial(self._opener.open_source, source))
        self.addSeparator()
        self.addAction(self._clear)

    def _title(self, source: Source) -> str:
        metrics = self.fontMetrics()
        name = metrics.elidedText(source.name, Qt.TextElideMode.ElideMiddle, MAX_NAME_EMS * metrics.height())
        return f"{name}{_kind(source)}".replace("&", "&&")

    def _on_setting_changed(self, key: str) -> None:
        if key == Settings.RECENT_FILES:
            self._fill()


def _kind(source: Source) -> str:
    if isinstance(source, ModelSource):
        return " (tokenizer)"
    return " (word counts)" if source.is_word_counts else ""
