"""Keeps the corpus, so that it is there again after a restart or a crash: a typed text, or which files were read."""

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from bpe_gui.opener import Opener
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.atomic import write_files
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.editing import KEPT_TEXT
from core.errors import BpeError, CorpusError

FILE_NAME = "draft.txt"
SOURCE_FILE_NAME = "opened.json"
SAVE_MILLISECONDS = 1_000
MAX_CHARACTERS = 2_000_000
"""A longer text is not kept: writing it would be felt in the window."""


class Draft(QObject):
    """Watches the session's corpus and writes it down once typing rests.

    A text that is in no file is kept itself; of files are kept their names and how they were read.
    """

    def __init__(self, session: Session, settings: Settings, opener: Opener, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._opener = opener
        self._path = settings.folder / FILE_NAME
        self._source_path = settings.folder / SOURCE_FILE_NAME
        self._reopened: CorpusSource | None = None  # being read again, as far as the opener has nothing newer
        self._timer = QTimer(self, singleShot=True, interval=SAVE_MILLISECONDS)
        self._timer.timeout.connect(self.save)
        session.corpus_replaced.connect(self._timer.start)
        opener.opening.connect(self._forget_reopened)

    @property
    def path(self) -> Path:
        """Where a typed text is kept."""
        return self._path

    @property
    def source_path(self) -> Path:
        """Where the names of files are kept."""
        return self._source_path

    def restore(self) -> bool:
        """Bring back the corpus of last time: a text at once, files when they are read; False if there is none."""
        if self.restore_text():
            return True
        if source := self._kept_source():
            _remove(self._source_path)  # files that bring the program down should not do so at every start
            self._opener.open_source(source)
            self._reopened = source
            return True
        return False

    def restore_text(self) -> bool:
        """Bring back a typed text alone, as is done before other files are opened; False if there is none."""
        if text := read_kept(self._path):
            self._session.replace_corpus(Corpus.typed(text, KEPT_TEXT))
        return bool(text)

    def save(self) -> None:
        """Write the corpus down in the one way that fits, and forget the other."""
        self._timer.stop()
        corpus = self._session.corpus
        source = CorpusSource.of(corpus)
        is_kept = source is None and 0 < corpus.character_count <= MAX_CHARACTERS
        write_or_remove(self._path, corpus.text if is_kept else "")
        write_or_remove(self._source_path, source.to_json() if source is not None else "")

    def save_if_pending(self) -> None:
        if self._timer.isActive():
            self.save()

    def keep_unread(self) -> None:
        """The window is closed: open files that are still being read again next time; they bring nothing down."""
        if self._reopened is not None and self._opener.is_opening:
            write_or_remove(self._source_path, self._reopened.to_json())

    def _forget_reopened(self) -> None:
        self._reopened = None

    def _kept_source(self) -> CorpusSource | None:
        try:
            return CorpusSource.from_json(read_kept(self._source_path))
        except CorpusError:
            return None


def read_kept(path: Path) -> str:
    """Nothing if it cannot be read."""
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return ""


def write_or_remove(path: Path, text: str) -> None:
    """A full disk must not disturb the work."""
    if not text:
        _remove(path)
        return
    with suppress(BpeError, OSError):
        write_files({path: [text.encode()]}, create_folder=path.parent)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
