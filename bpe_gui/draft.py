"""Keeps what is open, so that it is there again after a restart or a crash: a typed text, or which files were read."""

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from bpe_gui.opener import Opener
from bpe_gui.session import Session
from bpe_gui.settings import Settings, Source
from core.atomic import write_files
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.editing import KEPT_TEXT
from core.errors import BpeError, CorpusError, FormatError
from core.model_source import ModelSource

FILE_NAME = "draft.txt"
SOURCE_FILE_NAME = "opened.json"
MODEL_FILE_NAME = "model.json"
SAVE_MILLISECONDS = 1_000
MAX_CHARACTERS = 2_000_000
"""A longer text is not kept: writing it would be felt in the window."""


class Draft(QObject):
    """Watches the session's corpus and writes it down once typing rests; the same for an opened tokenizer.

    A text that is in no file is kept itself; of files are kept their names and how they were read.
    """

    def __init__(self, session: Session, settings: Settings, opener: Opener, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._opener = opener
        self._path = settings.folder / FILE_NAME
        self._source_path = settings.folder / SOURCE_FILE_NAME
        self._model_path = settings.folder / MODEL_FILE_NAME
        self._reopened: Source | None = None  # being read again, as far as the opener has nothing newer
        self._model_next: ModelSource | None = None  # to be read again after that
        self._unread_model: ModelSource | None = None  # there was no time to read it: for the next start
        self._timer = QTimer(self, singleShot=True, interval=SAVE_MILLISECONDS)
        self._timer.timeout.connect(self.save)
        session.corpus_replaced.connect(self._timer.start)
        session.recording_replaced.connect(self._timer.start)
        opener.opening.connect(self._forget_reopened)
        opener.opened.connect(self._reopen_model)
        opener.failed.connect(self._reopen_model)

    @property
    def path(self) -> Path:
        """Where a typed text is kept."""
        return self._path

    @property
    def source_path(self) -> Path:
        """Where the names of files are kept."""
        return self._source_path

    @property
    def model_path(self) -> Path:
        """Where the name of a tokenizer is kept."""
        return self._model_path

    def restore(self) -> bool:
        """Bring back what was open last time: a text at once, files when they are read; False if there is nothing."""
        is_back = self.restore_text()
        source, model = None if is_back else self._kept_source(), self._kept_model()
        for path in (self._source_path, self._model_path):
            _remove(path)  # files that bring the program down should not do so at every start
        first = source or model
        if first is not None:
            self._opener.open_source(first)
            self._reopened = first
            self._model_next = model if source is not None else None
        return is_back or first is not None

    def restore_text(self) -> bool:
        """Bring back a typed text alone, as is done before other files are opened; False if there is none."""
        if text := read_kept(self._path):
            self._session.replace_corpus(Corpus.typed(text, KEPT_TEXT))
        return bool(text)

    def save(self) -> None:
        """Write the corpus down in the one way that fits, and forget the other; and the name of an opened tokenizer."""
        self._timer.stop()
        corpus = self._session.corpus
        source = CorpusSource.of(corpus)
        is_kept = source is None and 0 < corpus.character_count <= MAX_CHARACTERS
        write_or_remove(self._path, corpus.text if is_kept else "")
        write_or_remove(self._source_path, source.to_json() if source is not None else "")
        imported = self._session.recording.imported
        model = imported.source if imported else self._unread_model
        write_or_remove(self._model_path, model.to_json() if model is not None else "")

    def save_if_pending(self) -> None:
        if self._timer.isActive():
            self.save()

    def keep_unread(self) -> None:
        """The window is closed: open files that are still being read again next time; they bring nothing down."""
        if self._reopened is not None and self._opener.is_opening:
            if isinstance(self._reopened, CorpusSource):
                write_or_remove(self._source_path, self._reopened.to_json())
                self._unread_model = self._model_next
            else:
                self._unread_model = self._reopened
            write_or_remove(self._model_path, self._unread_model.to_json() if self._unread_model else "")

    def _reopen_model(self) -> None:
        """The corpus is there, or cannot be had: go on with the tokenizer."""
        if model := self._model_next:
            self._opener.open_source(model)
            self._reopened = model

    def _forget_reopened(self) -> None:
        self._reopened = self._model_next = None

    def _kept_model(self) -> ModelSource | None:
        try:
            return ModelSource.from_json(read_kept(self._model_path))
        except FormatError:
            return None

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
