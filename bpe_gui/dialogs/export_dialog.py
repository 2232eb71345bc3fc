"""Saves merges in another tool's format: what the format cannot keep, a preview, then the proof that it can be read."""

import threading
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, QStandardPaths, Qt, QThread, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QMessageBox,
    QPushButton,
    QStackedLayout,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.dialogs.export_form import ExportForm
from bpe_gui.dialogs.export_plan import Look, Plan, Request, Written, folder_at, make_plan, survey, write
from bpe_gui.dialogs.export_result import ExportResultPage
from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.fitting_scroll_area import FittingScrollArea
from core.progress import Progress

PLAN_DELAY_MILLISECONDS = 120
WIDTH, HEIGHT = 860, 600


class _Pages(QStackedLayout):
    """Scrolled only where there is less room than they can do with; they would like any amount for previews."""

    # Qt

    def hasHeightForWidth(self) -> bool:
        return False


class ExportDialog(QDialog):
    """Exports the recording as it stands when the dialog opens; merges made meanwhile are left out.

    Signals:
    plan_made: findings, preview and files of the present choices are shown.
    export_ended: files were written, or could not be, or the user cancelled.
    """

    plan_made = Signal()
    export_ended = Signal()

    def __init__(self, session: Session, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._theme = theme
        self._plan: Plan | None = None
        self._request: Request | None = None
        self._surveyed_step: int | None = None
        self._cancelled = threading.Event()
        self._is_exporting = False
        self.setWindowTitle("Export")
        self.setObjectName("export")
        self._make_widgets()
        self._make_jobs()
        session.recording_replaced.connect(self._take_recording)
        self._take_recording()
        self._fit_to_screen()

    @property
    def is_exporting(self) -> bool:
        return self._is_exporting

    def _make_widgets(self) -> None:
        self.form = ExportForm(self._theme, self)
        self.form.changed.connect(self._plan_soon)
        self.result_page = ExportResultPage(self._theme, self)
        self.buttons = QDialogButtonBox(self)
        self.export_button = QPushButton("&Export", self)
        self.export_button.setDefault(True)
        self.back_button = QPushButton("Export &another", self)
        self.cancel_button = QPushButton("Cancel", self)
        self.buttons.addButton(self.back_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.buttons.addButton(self.export_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(self.cancel_button, QDialogButtonBox.ButtonRole.RejectRole)
        self.export_button.clicked.connect(self._export)
        self.back_button.clicked.connect(self._show_form)
        self.cancel_button.clicked.connect(self.reject)
        content = QWidget(self)
        self._pages = _Pages(content)
        self._scroll = FittingScrollArea(content, self)
        self._pages.addWidget(self.form)
        self._pages.addWidget(self.result_page)
        column = QVBoxLayout(self)
        column.addWidget(self._scroll, 1)
        column.addWidget(self.buttons)

    def _fit_to_screen(self) -> None:
        """All in sight where the screen has room for it; else its pages scroll above the buttons."""
        screen = self.screen().availableGeometry().size()
        title_bar = QSize(0, self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight))
        hidden = self._pages.minimumSize() - self._scroll.minimumSizeHint()
        needed = self.minimumSizeHint() + hidden.expandedTo(QSize(0, 0))
        self.resize(QSize(WIDTH, HEIGHT).expandedTo(needed).boundedTo(screen - title_bar))

    def _make_jobs(self) -> None:
        self._plan_timer = QTimer(self, singleShot=True, interval=PLAN_DELAY_MILLISECONDS)
        self._plan_timer.timeout.connect(self._start_plan)
        self._planner = LatestJob(self)
        self._planner.done.connect(self._show_plan)
        self._planner.failed.connect(self._show_failed_plan)
        self._surveyor = LatestJob(self)
        self._surveyor.progressed.connect(self._show_look)
        self._writer = LatestJob(self)
        self._writer.progressed.connect(self._show_progress)
        self._writer.done.connect(self._on_written)
        self._writer.failed.connect(self._on_failed)

    def _take_recording(self) -> None:
        self._recording = self._session.recording
        self._surveyed_step = None
        self.form.offer(
            self._recording,
            self._session.step,
            self._settings.text(Settings.EXPORT_FORMAT),
            self._last_folder() or _documents(),
        )
        self._show_form()
        self._plan_soon()

    def _last_folder(self) -> str:
        """The folder written to last, if it is still there."""
        folder = self._settings.text(Settings.EXPORT_FOLDER)
        return folder if folder_at(folder) else ""

    def _show_form(self) -> None:
        self._pages.setCurrentWidget(self.form)
        self.back_button.hide()
        self.export_button.show()
        self.export_button.setDefault(True)
        self.cancel_button.setText("Cancel")
        self._plan_soon()

    def _plan_soon(self) -> None:
        self._plan = None
        self._show_state()
        self._plan_timer.start()

    def _start_plan(self) -> None:
        self._request = self.form.request()
        self.form.show_busy_text("Checking what the format can keep…")
        self._planner.start(partial(make_plan, self._request))

    def _show_plan(self, plan: Plan) -> None:
        self._plan = plan
        self.form.show_plan(plan)
        self._show_state()
        self.plan_made.emit()
        self._start_survey()

    def _start_survey(self) -> None:
        """Once for each number of merges, when the chosen format's own plan is out of the way."""
        assert self._request
        recording, step = self._request.recording, self._request.step
        if self._surveyed_step != step:
            self._surveyed_step = step
            self._surveyor.start(partial(survey, recording, step))

    def _show_look(self, look: Look) -> None:
        self.form.show_look(look)

    def _show_failed_plan(self, message: str) -> None:
        self._show_plan(Plan(problem=message))

    def _show_state(self) -> None:
        is_ready = self._plan is not None and not self._plan.problem and not self.form.problem()
        self.export_button.setEnabled(is_ready and not self._is_exporting)
        self.form.set_busy(self._is_exporting)

    def _export(self) -> None:
        if self._plan is None or self._request is None:
            return
        existing = self._plan.existing()
        if existing:
            self._ask_before_replacing(existing)
        else:
            self._start_export()

    def _ask_before_replacing(self, existing: list[Path]) -> None:
        names = "\n".join(path.name for path in existing)
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Replace files?")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText("These files are there already. Replace them?" if len(existing) > 1 else "Replace this file?")
        box.setInformativeText(f"{names}\n\nin {existing[0].parent}")
        replace = box.addButton("&Replace", QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        replace.clicked.connect(self._start_export)
        box.open()

    def _start_export(self) -> None:
        assert self._request
        self._is_exporting = True
        self._cancelled.clear()
        self._remember(self._request)
        self._show_state()
        self._writer.start(partial(write, self._request, partial(_is_ending, self._cancelled)))

    def _remember(self, request: Request) -> None:
        self._settings.set(Settings.EXPORT_FORMAT, request.format.name)
        self._settings.set(Settings.EXPORT_FOLDER, str(request.path.parent))

    def _show_progress(self, progress: Progress | None) -> None:
        if progress is not None and not self._cancelled.is_set():
            self.form.show_proving(progress)

    def _on_written(self, written: Written | None) -> None:
        self._end_export()
        if written is None:
            self.form.show_problem("Cancelled. Nothing was written.")
        else:
            assert self._request
            self.result_page.show_result(self._request, written)
            self._pages.setCurrentWidget(self.result_page)
            self.export_button.hide()
            self.back_button.show()
            self.cancel_button.setText("Close")
            self.cancel_button.setDefault(True)
            self.cancel_button.setFocus()
        self.export_ended.emit()

    def _on_failed(self, message: str) -> None:
        self._end_export()
        self.form.show_problem(message)
        self.export_ended.emit()

    def _end_export(self) -> None:
        self._is_exporting = False
        self._show_state()
        self.cancel_button.setEnabled(True)

    # Qt

    def reject(self) -> None:
        """While files are written or read back, first let that end: all of them are then in place, or none."""
        if self._is_exporting:
            self._cancelled.set()
            self.cancel_button.setEnabled(False)
            self.form.show_busy_text("Cancelling…")
        else:
            super().reject()


def _is_ending(cancelled: threading.Event) -> bool:
    """Whether the user has cancelled, or the whole window goes."""
    return cancelled.is_set() or QThread.currentThread().isInterruptionRequested()


def _documents() -> str:
    """Where documents are kept, if there is such a folder."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return documents if folder_at(documents) else str(Path.home())
