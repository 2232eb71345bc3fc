"""Gets texts into the session: from files, the clipboard and the samples. Reading is core.corpus's, on a thread."""

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

import resources
from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core import trainer
from core.corpus import Corpus, read_corpus
from core.errors import CorpusError
from core.progress import Progress

OWN_SOURCE = "trainer.py"
SAMPLES: tuple[tuple[str, str], ...] = (
    ("Four words of the textbooks", "four_words.txt"),
    ("Alice's Adventures in Wonderland", "alice.txt"),
    ("Chinese Tang poems", "tang_poems.txt"),
    ("Several languages", "languages.txt"),
    ("Emoji", "emoji.txt"),
    ("bpe-gui's own trainer (Python source)", OWN_SOURCE),
)
FILTERS = "Text files (*.txt *.md *.csv *.tsv *.json *.jsonl *.html *.xml *.py *.tex *.log);;All files (*)"

Work = Callable[[], Generator[Progress, None, Corpus]]


class Opener(QObject):
    """One opening at a time: a new one cancels the one still going. The session changes only when all went well.

    Signals:
    opening(name): reading began.
    progressed(Progress): in bytes.
    opened(Corpus): it is the session's corpus now.
    failed(message): nothing has changed.
    cancelled: nothing has changed.
    """

    opening = Signal(str)
    progressed = Signal(object)
    opened = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, session: Session, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._path: Path | None = None  # what is being read, if it belongs into the list of recent files
        self._job = LatestJob(self)
        self._job.progressed.connect(self.progressed)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._report)

    @property
    def is_opening(self) -> bool:
        return self._job.is_running

    def open_path(self, path: str | Path, encoding: str | None = None) -> None:
        """Read a file; `encoding` None finds it out."""
        path = Path(path)
        self._start(path.name, partial(read, path, encoding), None if path in _sample_paths() else path)

    def open_with_dialog(self, parent: QWidget | None) -> None:
        folder = self._settings.text(Settings.LAST_FOLDER)
        path, _ = QFileDialog.getOpenFileName(parent, "Open a text file", folder, FILTERS)
        if path:
            self.open_path(path)

    def paste_clipboard(self) -> None:
        text = QGuiApplication.clipboard().text()
        if text:
            self.take_text(text, "pasted text")
        else:
            self.failed.emit("There is no text on the clipboard. Copy some text first.")

    def take_text(self, text: str, name: str) -> None:
        """Make a text that is in no file the corpus."""
        self._start(name, partial(typed, text, name), None)

    def open_sample(self, name: str) -> None:
        """Open one of SAMPLES by its file name."""
        self.open_path(sample_path(name))

    def cancel(self) -> None:
        if self._job.cancel():
            self.cancelled.emit()

    def _start(self, name: str, work: Work, path: Path | None) -> None:
        self.cancel()
        self._path = path
        self.opening.emit(name)
        self._job.start(work)

    def _take(self, corpus: Corpus) -> None:
        if self._path is not None:
            self._settings.set(Settings.LAST_FOLDER, str(self._path.absolute().parent))
            self._settings.add_recent_file(self._path)
        self._session.replace_corpus(corpus)
        self.opened.emit(corpus)

    def _report(self, message: str) -> None:
        path = self._path.absolute() if self._path is not None else None
        if path is not None and path in self._settings.recent_files() and not path.exists():
            self._settings.remove_recent_file(path)
            message += " It was taken off the list of recent files."
        self.failed.emit(message)


def read(path: Path, encoding: str | None) -> Generator[Progress, None, Corpus]:
    """As read_corpus, but a pipe or a device, which might never end, is refused; the lines are counted here as well."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise CorpusError(f"{path.name} is a device or a pipe; choose a text file.")
    corpus = yield from read_corpus(path, encoding)
    _ = corpus.line_count  # on this thread, not when the window asks
    return corpus


def typed(text: str, name: str) -> Generator[Progress, None, Corpus]:
    yield Progress(0, len(text))
    corpus = Corpus.typed(text, name)
    _ = corpus.line_count
    return corpus


def sample_path(name: str) -> Path:
    if name == OWN_SOURCE:
        return Path(trainer.__file__)
    return resources.path(f"samples/{name}")


def dropped_path(mime: QMimeData) -> Path | None:
    """The first local file of what was dropped; None if there is none."""
    return next((Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()), None)


def _sample_paths() -> set[Path]:
    return {sample_path(name) for _, name in SAMPLES}
