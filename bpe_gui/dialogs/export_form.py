"""The first page of the export dialog: format, merges, place, and what is known about the outcome."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
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
    GROUPS,
    Look,
    Plan,
    Request,
    default_name,
    files_sentence,
    folder_at,
    problem_of_place,
    with_suffix,
)
from bpe_gui.theme import Theme
from bpe_gui.widgets.accent_delegate import AccentDelegate
from bpe_gui.widgets.findings_list import ICONS, FindingsArea, color_of
from bpe_gui.widgets.tips import wrapped_tip
from bpe_gui.widgets.wrapping_lines import WrappingLines
from core.formats import EXPORTS, Format, Severity
from core.progress import Progress
from core.recording import Recording

NAME_ROLE = Qt.ItemDataRole.UserRole
LIST_PADDING_CHARS = 7  # for the icon, a scroll bar and some air


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
        self._items: dict[str, QListWidgetItem] = {}
        self._looks: dict[str, Look] = {}
        self._blank = QIcon()
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
        self._looks = {}
        self._show_looks()
        self.choose(format_name if format_name in EXPORTS else next(iter(EXPORTS)))
        self._suggest_name()

    @property
    def format(self) -> Format:
        item: QListWidgetItem | None = self.format_list.currentItem()
        return next(iter(EXPORTS.values())) if item is None else EXPORTS[item.data(NAME_ROLE)]

    @property
    def step(self) -> int:
        """How many merges are to be written."""
        return self._step if self.current_radio.isChecked() else self._merge_count

    def choose(self, format_name: str) -> None:
        self.format_list.setCurrentItem(self._items[format_name])

    def show_look(self, look: Look) -> None:
        """Mark a format in the list by what it would say."""
        self._looks[look.name] = look
        self._show_look(look.name)

    def problem(self) -> str:
        """Why the name or folder will not do; empty if they will."""
        return problem_of_place(self.folder_field.text(), self.name_field.text())

    def request(self) -> Request:
        """What is asked for; with the format's own name where the name typed will not do."""
        assert self._recording is not None
        name = (
            self.format.suggested_name if self.problem() else with_suffix(self.name_field.text().strip(), self.format)
        )
        return Request(self._recording, self.step, self.format, (folder_at(self.folder_field.text()) or Path()) / name)

    def show_plan(self, plan: Plan) -> None:
        self.findings.show_findings(plan.findings)
        self.preview.setPlainText(plan.preview)
        self.preview_label.setText(f"Preview of {plan.paths[0].name}" if plan.paths else "Preview")
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
        self.progress.setRange(0, 0)
        if is_busy:
            self.show_busy_text("Writing…")

    def show_proving(self, progress: Progress) -> None:
        """The files are in place, and are read back and compared."""
        self.show_busy_text("Written. Reading back to prove it…")
        self.progress.setRange(0, 100 if progress.total else 0)
        self.progress.setValue(100 * progress.done // max(progress.total, 1))

    def show_busy_text(self, text: str) -> None:
        self._show_status(text, "muted")

    def _make_choices(self) -> None:
        self._choices = QWidget(self)
        self.format_list = QListWidget(self._choices)
        self.format_list.setAccessibleName("Format")
        self.format_list.setToolTip("The format to write")
        self.format_list.setItemDelegate(AccentDelegate(self._theme, self.format_list))
        self.format_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.format_list.setTextElideMode(Qt.TextElideMode.ElideRight)
        for title, formats in GROUPS.items():
            heading = QListWidgetItem(title, self.format_list)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            for format in formats:
                self._add_format(format)
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
        self.format_list.currentItemChanged.connect(self._show_format)
        self.current_radio.toggled.connect(self._on_changed)
        self.name_field.textChanged.connect(self._on_changed)
        self.folder_field.textChanged.connect(self._on_changed)

    def _add_format(self, format: Format) -> None:
        item = self._items[format.name] = QListWidgetItem(format.title, self.format_list)
        item.setData(NAME_ROLE, format.name)
        item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, format.help)

    def _show_looks(self) -> None:
        for name in EXPORTS:
            self._show_look(name)

    def _show_look(self, name: str) -> None:
        """Its icon is a space until the format was looked at."""
        item, look, colors = self._items[name], self._looks.get(name), self._theme.colors
        worst = look.worst if look else None
        icon, color = (ICONS[worst], color_of(worst, colors)) if worst else ("check-circle", colors.success)
        item.setIcon(self._theme.icon(icon, color) if look else self._blank)
        is_refused = worst is Severity.REFUSAL
        item.setForeground(colors.muted if is_refused else colors.text)
        item.setToolTip(wrapped_tip(EXPORTS[name].help, look.refusal if look else ""))

    def _field(self, name: str, tip: str) -> QLineEdit:
        field = QLineEdit(self._choices)
        field.setAccessibleName(name)
        field.setToolTip(tip)
        return field

    def _make_outlook(self) -> None:
        self.format_label = _heading("", self._choices)
        self.help_label = QLabel(self._choices)
        self.help_label.setTextFormat(Qt.TextFormat.PlainText)
        self.help_label.setWordWrap(True)
        self.help_label.setProperty("role", "muted")
        self.findings = FindingsArea(self._theme, self._choices)
        self.preview_label = _heading("Preview", self._choices)
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
        right.addWidget(self.format_label)
        right.addWidget(self.help_label)
        right.addSpacing(6)
        right.addWidget(_heading("What to know", self._choices))
        right.addWidget(self.findings)
        right.addSpacing(6)
        right.addWidget(self.preview_label)
        right.addWidget(self.preview, 1)
        right.addSpacing(4)
        right.addLayout(self._place_grid())
        columns = QHBoxLayout(self._choices)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(12)
        columns.addWidget(self.format_list)
        columns.addLayout(right, 1)
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
        self._show_headings()
        self._fit_list()
        self._show_looks()

    def _show_headings(self) -> None:
        bold = self.font()
        bold.setBold(True)
        for row in range(self.format_list.count()):
            item = self.format_list.item(row)
            if not item.flags():
                item.setFont(bold)
                item.setForeground(self._theme.colors.muted)

    def _fit_list(self) -> None:
        """As wide as its longest title, and no wider."""
        metrics = self.fontMetrics()
        size = metrics.height()
        self._blank = _blank_icon(size)
        self.format_list.setIconSize(QSize(size, size))
        titles = max(metrics.horizontalAdvance(format.title) for format in EXPORTS.values())
        self.format_list.setFixedWidth(titles + size + LIST_PADDING_CHARS * metrics.averageCharWidth())

    def _show_format(self) -> None:
        self.format_label.setText(self.format.title)
        self.help_label.setText(self.format.help)
        self._suggest_name()

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


def _blank_icon(size: int) -> QIcon:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    return QIcon(pixmap)


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setProperty("role", "heading")
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return label
