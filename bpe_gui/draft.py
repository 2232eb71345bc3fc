"""Keeps a text that is in no file: what was typed or pasted is there again after a restart or a crash."""

from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.atomic import write_files
from core.corpus import Corpus
from core.editing import KEPT_TEXT
from core.errors import BpeError
from core.text_encoding import DetectedBy

FILE_NAME = "draft.txt"
SAVE_MILLISECONDS = 1_000
MAX_CHARACTERS = 2_000_000
"""A longer text is not kept: writing it would be felt in the window."""


class Draft(QObject):
    """Watches the session's corpus and writes it down once typing rests; a file that is opened ends the draft."""

    def __init__(self, session: Session, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._path = settings.folder / FILE_NAME
        self._timer = QTimer(self, singleShot=True, interval=SAVE_MILLISECONDS)
        self._timer.timeout.connect(self.save)
        session.corpus_replaced.connect(self._timer.start)

    @property
    def path(self) -> Path:
        return self._path

    def restore(self) -> bool:
        """Make the text kept last time the corpus; False if there is none."""
        try:
            text = self._path.read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return False
        if text:
            self._session.replace_corpus(Corpus.typed(text, KEPT_TEXT))
        return bool(text)

    def save(self) -> None:
        """Write the corpus down if it was typed, else forget the draft. A full disk must not disturb the work."""
        self._timer.stop()
        corpus = self._session.corpus
        try:
            if corpus.detected_by is DetectedBy.TYPED and 0 < corpus.character_count <= MAX_CHARACTERS:
                write_files({self._path: [corpus.text.encode()]}, create_folder=self._path.parent)
            else:
                self._path.unlink(missing_ok=True)
        except (BpeError, OSError):
            pass

    def save_if_pending(self) -> None:
        if self._timer.isActive():
            self.save()
