"""Gets texts into the session: from files, the clipboard and the samples. Reading is core's, on a thread."""

from collections.abc import Callable, Generator, Iterable
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
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.parquet_words import whole_of
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
FILTERS = (
    "Text files (*.txt *.md *.csv *.tsv *.json *.jsonl *.html *.xml *.py *.tex *.log *.gz *.xz *.bz2 *.zst)"
    ";;All files (*)"
)
LIST_FILTERS = "Lists of word counts (*.txt *.tsv *.csv *.parquet *.vocab *.dict *.freq *.counts);;All files (*)"

Work = Callable[[], Generator[Progress, None, Corpus]]


class Opener(QObject):
    """One opening at a time: a new one cancels the one still going. The session changes only when all went well.

    Signals:
    opening(name): reading began.
    progressed(Progress): in bytes of all files.
    replacing: all is read and the session's corpus is about to change; what was typed a moment ago must be in it now.
    replaced(Corpus): the one that was the session's corpus until now.
    opened(Corpus): it is the session's corpus now.
    failed(message): nothing has changed.
    cancelled: nothing has changed.
    """

    opening = Signal(str)
    progressed = Signal(object)
    replacing = Signal()
    replaced = Signal(object)
    opened = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, session: Session, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._source: CorpusSource | None = None  # what is being read, if it belongs into the list of recent files
        self._job = LatestJob(self)
        self._job.progressed.connect(self.progressed)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._report)

    @property
    def is_opening(self) -> bool:
        return self._job.is_running

    def open_path(self, path: str | Path, encoding: str | None = None) -> None:
        """Read a text file; `encoding` None finds it out."""
        self.open_source(CorpusSource((Path(path),), encoding))

    def open_paths(self, paths: Iterable[str | Path]) -> None:
        """Read text files as one corpus, in this order."""
        self.open_source(CorpusSource(tuple(map(Path, paths))))

    def open_source(self, source: CorpusSource) -> None:
        is_sample = set(source.paths) <= _sample_paths()
        self._start(source.name, partial(read_source, source), None if is_sample else source.absolute())

    def open_with_dialog(self, parent: QWidget | None) -> None:
        paths, _ = QFileDialog.getOpenFileNames(parent, "Open text files", self._last_folder(), FILTERS)
        if paths:
            self.open_paths(paths)

    def open_folder_with_dialog(self, parent: QWidget | None) -> None:
        folder = QFileDialog.getExistingDirectory(parent, "Open all text files of a folder", self._last_folder())
        if folder:
            self.open_path(folder)

    def open_word_counts_with_dialog(self, parent: QWidget | None) -> None:
        path, _ = QFileDialog.getOpenFileName(parent, "Open a list of word counts", self._last_folder(), LIST_FILTERS)
        if path:
            self.open_source(CorpusSource((whole_of(Path(path)),), is_word_counts=True))

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

    def _last_folder(self) -> str:
        return self._settings.text(Settings.LAST_FOLDER)

    def _start(self, name: str, work: Work, source: CorpusSource | None) -> None:
        self.cancel()
        self._source = source
        self.opening.emit(name)
        self._job.start(work)

    def _take(self, corpus: Corpus) -> None:
        if self._source is not None:
            self._settings.set(Settings.LAST_FOLDER, str(self._source.paths[0].parent))
            self._settings.add_recent_source(self._source)
        self.replacing.emit()
        before = self._session.corpus
        self._session.replace_corpus(corpus)
        self.replaced.emit(before)
        self.opened.emit(corpus)

    def _report(self, message: str) -> None:
        source = self._source
        if source in self._settings.recent_sources() and not all(path.exists() for path in source.paths):
            self._settings.remove_recent_source(source)
            message += " It was taken off the list of recent files."
        self.failed.emit(message)


def read(path: Path, encoding: str | None) -> Generator[Progress, None, Corpus]:
    """Read one text file."""
    return read_source(CorpusSource((path,), encoding))


def read_source(source: CorpusSource) -> Generator[Progress, None, Corpus]:
    """The lines are counted here as well."""
    corpus = yield from source.read()
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


def dropped_paths(mime: QMimeData) -> tuple[Path, ...]:
    """The local files and folders of what was dropped, in its order."""
    return tuple(Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile())


def _sample_paths() -> set[Path]:
    return {sample_path(name) for _, name in SAMPLES}
