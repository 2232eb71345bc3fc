"""Saves tables of measures as CSV: the menu that offers them, the question for a file, and the writing on a thread."""

import re
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.held_out_text import HeldOutText
from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.corpus import Corpus
from core.measures_tables import Table, save_corpus_table, save_held_out_table

TITLES: dict[Table, tuple[str, str]] = {
    Table.SCALARS: ("&Measures at this step...", "Every measure at the current step, a line each"),
    Table.CURVES: ("&Curves of all steps...", "Every measure at every step, a line for each step"),
    Table.LENGTHS_IN_BYTES: (
        "Token lengths in &bytes...",
        "How many tokens of the vocabulary have each length, and how often they occur",
    ),
    Table.LENGTHS_IN_CHARACTERS: (
        "Token lengths in c&haracters...",
        "How many tokens of the vocabulary have each length, and how often they occur",
    ),
    Table.FREQUENCIES: ("Token &frequencies...", "Every token that occurs, the most frequent one first"),
}
FILTERS = "CSV tables (*.csv);;All files (*)"
MAX_STEM_CHARS = 60


class MeasuresExport(QObject):
    """Signals:
    saving_changed(bool): writing has begun or ended.
    saved(Path)
    failed(message): nothing was written.
    """

    saving_changed = Signal(bool)
    saved = Signal(object)
    failed = Signal(str)

    def __init__(
        self,
        session: Session,
        corpus_measures: CorpusMeasures,
        held_out: HeldOutText,
        settings: Settings,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._corpus_measures = corpus_measures
        self._held_out = held_out
        self._settings = settings
        self._parent = parent
        self._job = LatestJob(self)
        self._job.done.connect(self._on_saved)
        self._job.failed.connect(self._on_failed)
        self.menu = QMenu("Export &measures", parent)
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self._fill_menu)

    @property
    def is_saving(self) -> bool:
        return self._job.is_running

    def save(self, table: Table, of_held_out: bool, path: Path) -> None:
        """Write the table at the session's step; curves go up to the last step."""
        recording, alpha = self._session.recording, self._corpus_measures.alpha
        step = self._session.last_step if table is Table.CURVES else self._session.step
        counts = self._held_out.word_counts
        if of_held_out and counts is not None:
            self._job.start(partial(save_held_out_table, recording, counts, table, step, path, alpha))
        else:
            self._job.start(partial(save_corpus_table, recording, table, step, path, alpha))
        self.saving_changed.emit(True)

    def cancel(self) -> None:
        if self._job.cancel():
            self.saving_changed.emit(False)

    def _fill_menu(self) -> None:
        self.menu.clear()
        self._add_section("Corpus", False, self._corpus_measures.has_counts)
        if self._held_out.corpus is not None:
            self._add_section("Held-out text", True, self._held_out.word_counts is not None)

    def _add_section(self, title: str, of_held_out: bool, is_enabled: bool) -> None:
        self.menu.addSection(title)
        for table, (text, tip) in TITLES.items():
            action = self.menu.addAction(text, partial(self._ask_for_file, table, of_held_out))
            action.setToolTip(tip)
            action.setEnabled(is_enabled)

    def _ask_for_file(self, table: Table, of_held_out: bool) -> None:
        dialog = QFileDialog(self._parent, "Export measures", self._folder(), FILTERS)
        dialog.setObjectName("export_measures")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.selectFile(self._default_name(table, of_held_out))
        dialog.fileSelected.connect(partial(self._save_as, table, of_held_out))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _folder(self) -> str:
        folder = self._settings.text(Settings.EXPORT_FOLDER)
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return next((name for name in (folder, documents) if name and Path(name).is_dir()), str(Path.home()))

    def _default_name(self, table: Table, of_held_out: bool) -> str:
        """`alice-curves.csv`"""
        corpus: Corpus | None = self._held_out.corpus if of_held_out else self._session.recording.corpus
        stem = re.sub(r"[^\w.-]+", "_", Path(corpus.name).stem).strip("._")[:MAX_STEM_CHARS] if corpus else ""
        return f"{stem}-{table.value}.csv" if stem else f"{table.value}.csv"

    def _save_as(self, table: Table, of_held_out: bool, path: str) -> None:
        self._settings.set(Settings.EXPORT_FOLDER, str(Path(path).parent))
        self.save(table, of_held_out, Path(path))

    def _on_saved(self, path: Path) -> None:
        self.saving_changed.emit(False)
        self.saved.emit(path)

    def _on_failed(self, message: str) -> None:
        self.saving_changed.emit(False)
        self.failed.emit(message)
