"""The first page of the export dialog: format, merges, place, and what is known about the outcome."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.dialogs.export_plan import (
    Plan,
    Request,
    default_name,
    files_sentence,
    folder_at,
    problem_of_place,
    with_suffix,
)
from bpe_gui.theme import Theme
from bpe_gui.widgets.findings_list import FindingsArea
from bpe_gui.widgets.titled_delegate import HELP_ROLE, TitledDelegate
from bpe_gui.widgets.wrapping_lines import WrappingLines
from core.formats import EXPORTS, Format
from core.recording import Recording

FORMAT_CHARS = 30


class ExportForm(QWidget):
    """Signals:
    changed: another format, number of merges, name or folder is chosen.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._recording: Recording | None = None
        self._step = 0
        self._merge_count = 0
        self._make_choices()
        self._make_outlook()
        self._arrange()
        theme.changed.connect(self._take_theme)
        self._take_theme()

    def offer(self, recording: Recording, step: int, format_name: str, folder: str) -> None:
        """Start from these choices; `recording` counts as it stands now."""
        self._recording, self._step, self._merge_count = recording, step, len(recording)
        self.current_radio.setText(f"Up to step {step:,}, the &current one")
        self.all_radio.setText(f"&All {self._merge_count:,} merges")
        (self.current_radio if step else self.all_radio).setChecked(True)
        self.folder_field.setText(folder)
        names = list(EXPORTS)
        self.format_list.setCurrentRow(names.index(format_name) if format_name in names else 0)
        self._suggest_name()

    @property
    def format(self) -> Format:
        return list(EXPORTS.values())[max(self.format_list.currentRow(), 0)]

    def problem(self) -> str:
        """Why the name or folder will not do; empty if they will."""
        return problem_of_place(self.folder_field.text(), self.name_field.text())

    def request(self) -> Request:
        """What is asked for; with the format's own name where the name typed will not do."""
        assert self._recording is not None
        name = (
            self.format.suggested_name if self.problem() else with_suffix(self.name_field.text().strip(), self.format)
        )
        step = self._step if self.current_radio.isChecked() else self._merge_count
        return Request(self._recording, step, self.format, (folder_at(self.folder_field.text()) or Path()) / name)

    def show_plan(self, plan: Plan) -> None:
        self.findings.show_findings(plan.findings)
        self.preview.setPlainText(plan.preview)
        problem = self.problem() or plan.problem
        if problem:
            self.show_problem(problem)
        else:
            self._show_status(files_sentence(plan), "muted")

    def show_problem(self, message: str) -> None:
        self._show_status(message, "danger")

    def set_busy(self, is_busy: bool) -> None:
        """While files are written nothing can be chosen."""
        self._choices.setEnabled(not is_busy)
        self.progress.setVisible(is_busy)
        if is_busy:
            self.show_busy_text("Writing and reading back…")

    def show_busy_text(self, text: str) -> None:
        self._show_status(text, "muted")

    def _make_choices(self) -> None:
        self._choices = QWidget(self)
        self.format_list = QListWidget(self._choices)
        self.format_list.setAccessibleName("Format")
        self.format_list.setToolTip("The format to write")
        self.format_list.setItemDelegate(TitledDelegate(self._theme, self.format_list))
        self.format_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.format_list.setResizeMode(QListWidget.ResizeMode.Adjust)
        for format in EXPORTS.values():
            item = QListWidgetItem(format.title, self.format_list)
            item.setData(HELP_ROLE, format.help)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, format.help)
        self.current_radio = QRadioButton(self._choices)
        self.current_radio.setToolTip("The tokenizer as it is shown in the window now")
        self.all_radio = QRadioButton(self._choices)
        self.all_radio.setToolTip("Every merge that was there when this dialog opened")
        group = QButtonGroup(self)
        group.addButton(self.current_radio)
        group.addButton(self.all_radio)
        self.name_field = self._field("Name", "Name of the file, or of the folder for several files")
        self.folder_field = self._field("Folder", "The folder to write into")
        self.browse_button = QPushButton("&Browse…", self._choices)
        self.browse_button.setToolTip("Choose the folder to write into")
        self.browse_button.setAutoDefault(False)
        self.browse_button.clicked.connect(self._browse)
        self.format_list.currentRowChanged.connect(self._suggest_name)
        self.current_radio.toggled.connect(self._on_changed)
        self.name_field.textChanged.connect(self._on_changed)
        self.folder_field.textChanged.connect(self._on_changed)

    def _field(self, name: str, tip: str) -> QLineEdit:
        field = QLineEdit(self._choices)
        field.setAccessibleName(name)
        field.setToolTip(tip)
        return field

    def _make_outlook(self) -> None:
        self.findings = FindingsArea(self._theme, self._choices)
        self.preview = QPlainTextEdit(self._choices)
        self.preview.setReadOnly(True)
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setTabChangesFocus(True)
        self.preview.setAccessibleName("First lines of the main file")
        self.preview.setPlaceholderText("The first lines of the file show here when the format can hold the tokenizer.")
        self.status_label = QLabel(self)
        self.status_label.setTextFormat(Qt.TextFormat.PlainText)
        self.status_label.setWordWrap(True)
        self.status_label.setAccessibleName("Outcome")
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Writing")
        self.progress.hide()

    def _arrange(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(6)
        right.addWidget(_heading("What to know", self._choices))
        right.addWidget(self.findings)
        right.addSpacing(6)
        right.addWidget(_heading("Preview", self._choices))
        right.addWidget(self.preview, 1)
        right.addSpacing(4)
        right.addLayout(self._place_grid())
        columns = QHBoxLayout(self._choices)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(12)
        self.format_list.setMinimumWidth(self.fontMetrics().averageCharWidth() * FORMAT_CHARS)
        columns.addWidget(self.format_list, 2)
        columns.addLayout(right, 5)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._choices, 1)
        column.addWidget(self.status_label)
        column.addWidget(self.progress)

    def _place_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(6)
        radios = WrappingLines((self.current_radio, self.all_radio), self._choices, spacing=16)
        for row, (text, field) in enumerate((("&Name", self.name_field), ("&Folder", self.folder_field)), 1):
            label = QLabel(text, self._choices)
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        merges = QLabel("Merges", self._choices)
        grid.addWidget(merges, 0, 0)
        grid.addWidget(radios, 0, 1, 1, 2)
        grid.addWidget(self.browse_button, 2, 2)
        grid.setColumnStretch(1, 1)
        return grid

    def _take_theme(self) -> None:
        self.preview.setFont(self._theme.code_font())

    def _suggest_name(self) -> None:
        if self._recording is not None:
            self.name_field.setText(default_name(self.format, self._recording))
            self._on_changed()

    def _on_changed(self) -> None:
        self.changed.emit()

    def _browse(self) -> None:
        dialog = QFileDialog(self, "Folder to write into", self.folder_field.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.folder_field.setText)
        dialog.open()

    def _show_status(self, text: str, role: str) -> None:
        self.status_label.setText(text)
        self.status_label.setProperty("role", role)
        self.status_label.style().polish(self.status_label)


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setProperty("role", "heading")
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return label
