"""Counts the words of a corpus and writes them as a list that this program and others can train on, on a thread."""

from collections.abc import Generator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from bpe_gui.latest_job import LatestJob
from bpe_gui.settings import Settings
from core.corpus import Corpus
from core.pipeline import Pipeline
from core.progress import Progress
from core.word_counts import corpus_words_counted, write_word_counts
from core.word_facts import WordFacts, forget

FILTERS = (
    "Lists of word counts (*.txt *.tsv *.vocab *.dict *.freq *.counts);;"
    "CSV tables (*.csv);;Parquet tables (*.parquet);;All files (*)"
)
ENDING = "-word-counts.txt"


class WordCountSaver(QObject):
    """One saving at a time: a new one cancels the one still going, which leaves its file as it was.

    Signals:
    saving(name): counting began.
    progressed(Progress): of counting.
    saved(path, WordFacts)
    failed(message): no file has changed.
    cancelled: no file has changed.
    """

    saving = Signal(str)
    progressed = Signal(object)
    saved = Signal(object, object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._path = Path()
        self._job = LatestJob(self)
        self._job.progressed.connect(self.progressed)
        self._job.done.connect(self._end)
        self._job.failed.connect(self.failed)

    @property
    def is_saving(self) -> bool:
        return self._job.is_running

    def save_with_dialog(self, corpus: Corpus, pipeline: Pipeline, parent: QWidget | None) -> None:
        folder = Path(self._settings.text(Settings.LAST_FOLDER))
        suggestion = str(folder / f"{suggested_stem(corpus)}{ENDING}")
        chosen, _ = QFileDialog.getSaveFileName(parent, "Save word counts", suggestion, FILTERS)
        if chosen:
            self.save(corpus, pipeline, Path(chosen))

    def save(self, corpus: Corpus, pipeline: Pipeline, path: Path) -> None:
        """Count the words as training with `pipeline` would, and write them."""
        self.cancel()
        self._path = path
        self.saving.emit(path.name)
        self._job.start(partial(count_and_write, corpus, pipeline, path))

    def cancel(self) -> None:
        if self._job.cancel():
            self.cancelled.emit()

    def _end(self, facts: WordFacts) -> None:
        self._settings.set(Settings.LAST_FOLDER, str(self._path.absolute().parent))
        self.saved.emit(self._path, facts)


def count_and_write(corpus: Corpus, pipeline: Pipeline, path: Path) -> Generator[Progress, None, WordFacts]:
    """Raises PatternError as counting does, FormatError if the file cannot be written."""
    words = yield from corpus_words_counted(corpus, pipeline)
    facts = WordFacts(words.total, words.unique, words.unmatched, words.unmatched_samples)
    write_word_counts(path, words.counts)
    forget(words.counts)
    return facts


def suggested_stem(corpus: Corpus) -> str:
    """`book` for book.txt; the first file's of several, `corpus` for a text in no file."""
    return corpus.paths[0].stem if corpus.paths else "corpus"
