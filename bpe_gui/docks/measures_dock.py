"""The panel of the measures: a table of all of them at the current step, of the corpus and of a held-out text."""

from pathlib import Path

from PySide6.QtCore import QLocale, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QDockWidget,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.held_out_text import HeldOutText, PhaseProgress
from bpe_gui.measures_export import MeasuresExport
from bpe_gui.models.measures_model import Column, MeasuresModel
from bpe_gui.opener import FILTERS
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.fields import keep_wheel_for_scrolling
from bpe_gui.widgets.job_bar import JobBar
from bpe_gui.widgets.measures_table import MeasuresTable
from bpe_gui.widgets.wrapping_lines import WrappingLines
from core.measures import MAX_ALPHA, MEASURES

REFRESH_MILLISECONDS = 100
"""While merges arrive the numbers are written so often at most."""

NOTHING_YET = (
    "Measures of the corpus in tokens, such as bytes per token, appear here while training runs.\n"
    "Open or paste a text and press Train."
)
NO_COUNTS = "This tokenizer was read from a file that keeps no counts."
CHOOSE_TEXT = (
    f"{NO_COUNTS}\nWith a text open, press Training > Count merges in the corpus, or choose a held-out text to measure."
)
NO_CORPUS = f"{NO_COUNTS} Training > Count merges in the corpus measures the text that is open."
ALPHA_TIP = (
    "Order α of the entropy in the Rényi efficiency. With 0 all tokens that occur weigh the same, with 1 it is "
    "Shannon's entropy; the higher it is, the more the most frequent tokens count. 2.5 agreed best with the quality of "
    "translations (Zouhar et al. 2023)."
)


class MeasuresDock(QDockWidget):
    """Does nothing while it is hidden or behind another tab.

    Signals:
    curve_wanted(name of a measure): someone wants to see it against the step.
    """

    curve_wanted = Signal(str)

    def __init__(
        self,
        session: Session,
        corpus_measures: CorpusMeasures,
        held_out: HeldOutText,
        settings: Settings,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Measures", parent)
        self.setObjectName("measures")
        self._session = session
        self._corpus_measures = corpus_measures
        self._held_out = held_out
        self._settings = settings
        self._theme = theme
        self._is_seen = False
        self._body = QWidget(self)
        self.exporter = MeasuresExport(session, corpus_measures, held_out, settings, self)
        self.model = MeasuresModel(session, corpus_measures, held_out, theme, self)
        self.table = MeasuresTable(self.model, theme, self._body)
        self.held_out_button = QToolButton(self._body)
        self.alpha = QDoubleSpinBox(self._body)
        self._alpha_label = QLabel("Rén&yi α", self._body)
        self.export_button = QToolButton(self._body)
        self.nothing = QLabel(self._body)
        self.note = QLabel(self._body)
        self.told = ElidingLabel(parent=self._body)
        self.job_bar = JobBar(theme, self._body)
        self._pages = QStackedWidget(self._body)
        self._refresh_later = QTimer(self, interval=REFRESH_MILLISECONDS, singleShot=True)
        self._set_up_controls()
        self._set_up_menus()
        self._set_up_labels()
        self._lay_out()
        self._connect()
        self._take_on_theme()
        self._show_texts()

    def open_export_menu(self) -> None:
        """Let the person choose what to export, by keyboard too."""
        self.show()
        self.raise_()
        # not the button's own showMenu, which keeps its caller waiting
        self.exporter.menu.popup(self.export_button.mapToGlobal(self.export_button.rect().bottomLeft()))

    def _set_up_controls(self) -> None:
        for button, text, tip in (
            (self.held_out_button, "Held-out text", "Measure another text beside the corpus, such as a test set"),
            (self.export_button, "Export", "Save the measures, curves and distributions as CSV tables"),
        ):
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(text)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.alpha.setLocale(QLocale(QLocale.Language.English))  # as the rest of the window writes numbers
        self.alpha.setRange(0.0, MAX_ALPHA)
        self.alpha.setDecimals(2)
        self.alpha.setSingleStep(0.5)
        self.alpha.setKeyboardTracking(False)
        self.alpha.setValue(self._corpus_measures.alpha)
        self.alpha.setAccessibleName("Order of the Rényi entropy")
        self.alpha.setAccessibleDescription(ALPHA_TIP)
        self._alpha_label.setBuddy(self.alpha)
        keep_wheel_for_scrolling(self.alpha)
        for widget in (self.alpha, self._alpha_label):
            widget.setToolTip(f"<p>{ALPHA_TIP}</p>")

    def _set_up_menus(self) -> None:
        menu = QMenu(self.held_out_button)
        menu.setToolTipsVisible(True)
        self.choose_file = menu.addAction("Choose a &file...", self._ask_for_file)
        self.choose_file.setToolTip("Measure a text file")
        self.choose_own_text = menu.addAction('The text of "&Your text"', self._held_out.choose_own_text)
        self.choose_own_text.setToolTip("Measure what is typed or pasted above the tokens, as it changes")
        menu.addSeparator()
        self.choose_none = menu.addAction("&None", self._held_out.clear)
        self.choose_none.setToolTip("Measure the corpus only")
        self.held_out_button.setMenu(menu)
        self.export_button.setMenu(self.exporter.menu)
        self._copy_rows = QAction("&Copy", self)
        self._copy_all = QAction("Copy &all", self)
        self._show_curve = QAction("&Show against the step", self)
        self._copy_rows.triggered.connect(self._copy_selected)
        self._copy_all.triggered.connect(self._copy_everything)
        self._show_curve.triggered.connect(self._want_curve)

    def _set_up_labels(self) -> None:
        for label in (self.nothing, self.note):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", "muted")
            label.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.told.setAccessibleName("What became of the last request")

    def _lay_out(self) -> None:
        order = QWidget(self._body)
        row = QHBoxLayout(order)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._alpha_label)
        row.addWidget(self.alpha)
        shown = self.held_out_button, order, self.export_button
        self._controls = WrappingLines(shown, self._body, last_at_left=self.held_out_button)
        self._controls.setContentsMargins(8, 6, 8, 0)
        self._pages.addWidget(self.table)
        self._pages.addWidget(self.nothing)
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._controls)
        layout.addWidget(self._pages, 1)
        below: tuple[QWidget, ...] = (self.note, self.told, self.job_bar)
        for line in below:
            line.setContentsMargins(8, 0, 8, 4)
            line.hide()
            layout.addWidget(line)
        self.setWidget(self._body)

    def _connect(self) -> None:
        self.alpha.valueChanged.connect(self._store_alpha)
        self.table.copy_wanted.connect(self._copy_selected)
        self.table.activated.connect(self._want_curve)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.job_bar.cancel_wanted.connect(self._cancel)
        self.exporter.saving_changed.connect(self._show_busy)
        self.exporter.saved.connect(self._tell_saved)
        self.exporter.failed.connect(self._tell_failure)
        self._held_out.busy_changed.connect(self._show_busy)
        self._held_out.progressed.connect(self._show_progress)
        self._held_out.failed.connect(self._tell_failure)
        self._held_out.changed.connect(self._show_texts)
        self._corpus_measures.counted.connect(self._refresh)
        self._session.recording_replaced.connect(self._show_texts)
        self._session.merges_appended.connect(self._refresh_soon)
        self._session.step_changed.connect(self._refresh_soon)
        self._theme.changed.connect(self._take_on_theme)
        self._settings.changed.connect(self._on_setting_changed)
        self._refresh_later.timeout.connect(self._refresh)
        self.visibilityChanged.connect(self._on_seen)

    def _on_seen(self, is_seen: bool) -> None:
        self._is_seen = is_seen
        self._controls.rewrap()
        self._refresh()

    def _show_texts(self) -> None:
        """Which texts can be measured, and their names. What was told of others is past."""
        self.told.hide()
        has_corpus, has_held_out = self._corpus_measures.has_counts, self._held_out.corpus is not None
        has_merges = self._session.last_step > 0
        columns = {Column.CORPUS: has_corpus, Column.HELD_OUT: has_held_out}
        self.table.show_columns({column for column, is_there in columns.items() if is_there})
        self.nothing.setText(CHOOSE_TEXT if has_merges else NOTHING_YET)
        self._pages.setCurrentWidget(self.table if has_corpus or has_held_out else self.nothing)
        self.note.setText(NO_CORPUS)
        self.note.setVisible(has_merges and has_held_out and not has_corpus)
        self.choose_none.setEnabled(has_held_out)
        self.export_button.setEnabled(has_corpus or has_held_out)
        self.model.show_texts()
        self._refresh()

    def _refresh_soon(self) -> None:
        """At once when one step is looked at after another with time between; the rest waits for the timer."""
        if self._is_seen and not self._refresh_later.isActive():
            self._refresh()
            self._refresh_later.start()

    def _refresh(self) -> None:
        if not self._is_seen:
            return
        self._corpus_measures.count_soon()
        self._held_out.measure_soon()
        self.model.show_step()

    def _store_alpha(self, alpha: float) -> None:
        self._settings.set(Settings.RENYI_ALPHA, alpha)

    def _on_setting_changed(self, key: str) -> None:
        if key == Settings.RENYI_ALPHA:
            self.alpha.setValue(self._corpus_measures.alpha)

    def _ask_for_file(self) -> None:
        dialog = QFileDialog(self, "Choose a held-out text", self._settings.text(Settings.LAST_FOLDER), FILTERS)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._take_file)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take_file(self, path: str) -> None:
        self._settings.set(Settings.LAST_FOLDER, str(Path(path).absolute().parent))
        self.told.hide()
        self._held_out.choose_file(Path(path))

    def _show_busy(self, has_begun: bool) -> None:
        if has_begun:
            self.told.hide()
        if self.exporter.is_saving:
            self.job_bar.show_job("Saving the table")
        else:
            self.job_bar.show_job(self._held_out.name or "the held-out text" if self._held_out.is_busy else None)

    def _show_progress(self, told: PhaseProgress) -> None:
        if not self.exporter.is_saving:
            self.job_bar.show_progress(told)

    def _cancel(self) -> None:
        if self.exporter.is_saving:
            self.exporter.cancel()
        else:
            self._held_out.cancel()

    def _tell_saved(self, path: Path) -> None:
        self._tell(f"Saved {path.name} in {path.parent}", "muted")

    def _tell_failure(self, message: str) -> None:
        self._tell(message, "danger")

    def _tell(self, message: str, role: str) -> None:
        self.told.setProperty("role", role)
        self.told.style().polish(self.told)
        self.told.setText(message)
        self.told.show()

    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self._copy_rows, self._copy_all, self._show_curve])
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _copy_selected(self) -> None:
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        self._copy(rows or list(range(len(MEASURES))))

    def _copy_everything(self) -> None:
        self._copy(list(range(len(MEASURES))))

    def _copy(self, rows: list[int]) -> None:
        columns = [c for c in Column if c is Column.UNIT or not self.table.isColumnHidden(c)]
        QGuiApplication.clipboard().setText(self.model.tsv(rows, columns))

    def _want_curve(self) -> None:
        if self.table.currentIndex().isValid():
            self.curve_wanted.emit(MEASURES[self.table.currentIndex().row()].name)

    def _take_on_theme(self) -> None:
        self.held_out_button.setIcon(self._theme.icon("file-text"))
        self.export_button.setIcon(self._theme.icon("export"))
        self.alpha.setFont(self._theme.number_font())
