"""Gets texts and tokenizers into the session. Reading is core's, on a thread."""

from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

import resources
from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings, Source
from core import trainer
from core.bookmarks import Notes
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.model_source import ModelSource
from core.opened_files import Opened, reading_model_or_asking, reading_paths, reading_texts
from core.parquet_words import whole_of
from core.progress import Progress
from core.recording import Recording

OWN_SOURCE = "trainer.py"
SAMPLES: tuple[tuple[str, str], ...] = (
    ("Four words of the textbooks", "four_words.txt"),
    ("Alice's Adventures in Wonderland", "alice.txt"),
    ("Chinese Tang poems", "tang_poems.txt"),
    ("Several languages", "languages.txt"),
    ("Emoji", "emoji.txt"),
    ("bpe-gui's own trainer (Python source)", OWN_SOURCE),
)
TEXT_FILTER = "Text files (*.txt *.md *.csv *.tsv *.json *.jsonl *.html *.xml *.py *.tex *.log *.gz *.xz *.bz2 *.zst)"
MODEL_FILTER = "Tokenizers (*.json *.tiktoken *.model *.txt *.bpe *.codes *.gguf *.gz *.zip)"
ALL_FILTER = "All files (*)"
FILTERS = ";;".join((ALL_FILTER, TEXT_FILTER, MODEL_FILTER))
MODEL_FILTERS = ";;".join((MODEL_FILTER, ALL_FILTER))
LIST_FILTERS = "Lists of word counts (*.txt *.tsv *.csv *.parquet *.vocab *.dict *.freq *.counts);;All files (*)"

Work = Callable[[], Generator[Progress, None, Opened]]


class Opener(QObject):
    """One opening at a time: a new one cancels the one still going. The session changes only when all went well.

    Signals:
    opening(name): reading began.
    progressed(Progress): in bytes of all files, or in parts of a tokenizer.
    replacing: all is read and the session's corpus is about to change; what was typed a moment ago must be in it now.
    replaced(Corpus): the one that was the session's corpus until now.
    opened(Corpus): it is the session's corpus now.
    replacing_recording: a tokenizer is read and the session's recording is about to change.
    model_opened(Recording): it is the session's recording now.
    pattern_wanted(PatternWanted): a tokenizer's file does not say how texts are cut; nothing has changed.
    failed(message): nothing has changed.
    cancelled: nothing has changed.
    """

    opening = Signal(str)
    progressed = Signal(object)
    replacing = Signal()
    replaced = Signal(object)
    opened = Signal(object)
    replacing_recording = Signal()
    model_opened = Signal(object)
    pattern_wanted = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, session: Session, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._paths: tuple[Path, ...] = ()  # what is being read
        self._is_kept = False  # whether it belongs into the list of recent files
        self._job = LatestJob(self)
        self._job.progressed.connect(self.progressed)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._report)

    @property
    def is_opening(self) -> bool:
        return self._job.is_running

    def open_path(self, path: str | Path, encoding: str | None = None) -> None:
        """Open a file or folder as what it is; one with an `encoding` is a text."""
        if encoding is None:
            self.open_paths((path,))
        else:
            self.open_source(CorpusSource((Path(path),), encoding))

    def open_paths(self, paths: Iterable[str | Path]) -> None:
        """Open files as what they are: texts, in this order, are one corpus; one of them may be a tokenizer."""
        files = tuple(map(Path, paths))
        self._start(CorpusSource(files).name, partial(reading_paths, files), files)

    def open_files(self, source: CorpusSource) -> None:
        """Open files as what they are, unless it is said how they are to be read."""
        if source.encoding or source.is_word_counts:
            self.open_source(source)
        else:
            self.open_paths(source.paths)

    def open_source(self, source: Source) -> None:
        """Read files as the source says, whatever is in them."""
        self._start(source.name, partial(_opening, source), source.paths)

    def open_with_dialog(self, parent: QWidget | None) -> None:
        paths, _ = QFileDialog.getOpenFileNames(parent, "Open texts or a tokenizer", self._last_folder(), FILTERS)
        if paths:
            self.open_paths(paths)

    def open_model_with_dialog(self, parent: QWidget | None) -> None:
        """What is chosen must be a tokenizer: one that is broken is not taken for a text."""
        path, _ = QFileDialog.getOpenFileName(parent, "Open a tokenizer", self._last_folder(), MODEL_FILTERS)
        if path:
            self.open_source(ModelSource(Path(path)).absolute())

    def open_folder_with_dialog(self, parent: QWidget | None) -> None:
        title = "Open all text files of a folder, or its tokenizer"
        folder = QFileDialog.getExistingDirectory(parent, title, self._last_folder())
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
        self._start(name, partial(typed, text, name), ())

    def open_sample(self, name: str) -> None:
        """Open one of SAMPLES by its file name."""
        self.open_source(CorpusSource((sample_path(name),)))

    def cancel(self) -> None:
        if self._job.cancel():
            self.cancelled.emit()

    def _last_folder(self) -> str:
        return self._settings.text(Settings.LAST_FOLDER)

    def _start(self, name: str, work: Work, paths: tuple[Path, ...]) -> None:
        self.cancel()
        self._paths = paths
        self._is_kept = bool(paths) and not set(paths) <= _sample_paths()
        self.opening.emit(name)
        self._job.start(work)

    def _take(self, opened: Opened) -> None:
        if opened.model is not None:
            self._take_model(opened.model, opened.notes)
        if opened.corpus is not None:
            self._take_corpus(opened.corpus)
        elif opened.model is not None:
            self.open_text_of(opened.model)
        if opened.wanted is not None:
            self.pattern_wanted.emit(opened.wanted)

    def _take_corpus(self, corpus: Corpus) -> None:
        if source := CorpusSource.of(corpus):
            self._remember(source)
        self.replacing.emit()
        before = self._session.corpus
        self._session.replace_corpus(corpus)
        self.replaced.emit(before)
        self.opened.emit(corpus)

    def _take_model(self, recording: Recording, notes: Notes) -> None:
        if recording.imported and recording.imported.source:
            self._remember(recording.imported.source)
        self.replacing_recording.emit()
        self._session.replace_recording(recording, notes=notes)
        self.model_opened.emit(recording)

    def open_text_of(self, recording: Recording) -> None:
        """The text that a saved recording was trained on, if it still lies where it was and there is no other one."""
        corpus = recording.corpus
        if corpus is None or not corpus.is_remembered or self._session.corpus.text:
            return
        source = CorpusSource.of(corpus)
        if source is not None and all(path.exists() for path in source.paths):
            self.open_source(source)

    def _remember(self, source: Source) -> None:
        if self._is_kept:
            self._settings.set(Settings.LAST_FOLDER, str(source.paths[0].parent))
            self._settings.add_recent_source(source)

    def _report(self, message: str) -> None:
        if not all(path.exists() for path in self._paths):
            paths = tuple(path.absolute() for path in self._paths)
            for source in self._settings.recent_sources():
                if source.paths == paths:
                    self._settings.remove_recent_source(source)
                    message += " It was taken off the list of recent files."
        self.failed.emit(message)


def _opening(source: Source) -> Generator[Progress, None, Opened]:
    if isinstance(source, ModelSource):
        return (yield from reading_model_or_asking(source))
    return Opened((yield from reading_texts(source)))


def typed(text: str, name: str) -> Generator[Progress, None, Opened]:
    yield Progress(0, len(text))
    corpus = Corpus.typed(text, name)
    _ = corpus.line_count
    return Opened(corpus)


def sample_path(name: str) -> Path:
    if name == OWN_SOURCE:
        return Path(trainer.__file__)
    return resources.path(f"samples/{name}")


def dropped_paths(mime: QMimeData) -> tuple[Path, ...]:
    """The local files and folders of what was dropped, in its order."""
    return tuple(Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile())


def _sample_paths() -> set[Path]:
    return {sample_path(name) for _, name in SAMPLES}
