"""The last page of the export dialog: the files, whether they read back right, and code that loads them."""

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QTabBar, QVBoxLayout, QWidget

from bpe_gui.dialogs.export_plan import Request, Written, differences_text, verdict
from bpe_gui.theme import Theme
from core.formats import ExportResult


class _Proof(Enum):
    """Icon and colour of how reading back went."""

    PASSED = ("check-circle", "success")
    FAILED = ("x-circle", "danger")
    LIMITED = ("warning", "warning")

    @classmethod
    def of(cls, result: ExportResult) -> "_Proof":
        if result.self_test is None or result.is_foretold:
            return cls.LIMITED
        return cls.PASSED if result.self_test.passed else cls.FAILED


class ExportResultPage(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._paths: tuple[Path, ...] = ()
        self._proof = _Proof.PASSED
        self._code: dict[str, str] = {}
        self._icons: dict[QPushButton, str] = {}
        self._make_widgets()
        self._arrange()
        theme.changed.connect(self._take_theme)
        self._take_theme()

    def show_result(self, request: Request, written: Written) -> None:
        result = written.result
        test = result.self_test
        self._paths, self._proof = result.paths, _Proof.of(result)
        self.title_label.setText(f"{request.step:,} merges are saved: {request.format.title}")
        self.verdict_label.setText(verdict(written))
        self.verdict_label.setProperty("role", self._proof.value[1])
        self.verdict_label.style().polish(self.verdict_label)
        for widget in (self.verdict_icon, self.verdict_label):
            widget.setVisible(test is not None or written.was_stopped)
        self.differences.setPlainText(differences_text(test) if test else "")
        self.differences.setVisible(bool(self.differences.toPlainText()))
        self.files.setPlainText("\n".join(map(str, result.paths)))
        self._fit_to_lines(self.files, len(result.paths))
        self._offer_code(written.code, request.format.no_javascript)
        self._take_theme()

    def _offer_code(self, code: Mapping[str, str], why_not_more: str) -> None:
        self._code = dict(code)
        while self.language_tabs.count():
            self.language_tabs.removeTab(0)
        for language in code:
            self.language_tabs.addTab(language)
        self._show_code()
        self.no_code_label.setText(why_not_more)
        self.no_code_label.setVisible(bool(code) and bool(why_not_more))
        for widget in (self.snippet, self.snippet_heading, self.copy_code_button, self.language_tabs):
            widget.setVisible(bool(code))

    def _show_code(self) -> None:
        language = self.language_tabs.tabText(self.language_tabs.currentIndex())
        self.snippet.setPlainText(self._code.get(language, ""))
        self.snippet.setAccessibleName(f"{language} code that loads the files")
        self.copy_code_button.setToolTip(f"Copy the {language} code")

    def _make_widgets(self) -> None:
        self.title_label = self._label("heading")
        self.verdict_icon = QLabel(self)
        self.verdict_label = self._label("success")
        self.differences = self._text("Differences")
        self.files = self._text("Files written")
        self.open_button = self._button("Open &folder", "folder-open", "Show the files in the file manager")
        self.open_button.clicked.connect(self._open_folder)
        self.copy_path_button = self._button("Copy &path", "copy", "Copy where the files are")
        self.copy_path_button.clicked.connect(self._copy_path)
        self.snippet_heading = self._label("heading")
        self.snippet_heading.setText("Load it")
        self.language_tabs = QTabBar(self)
        self.language_tabs.setAccessibleName("Language of the code")
        self.language_tabs.setToolTip("The language of the code")
        self.language_tabs.setDrawBase(False)
        self.language_tabs.setExpanding(False)
        self.language_tabs.currentChanged.connect(self._show_code)
        self.no_code_label = self._label("muted")
        self.snippet = self._text("Code that loads the files")
        self.copy_code_button = self._button("&Copy code", "copy", "Copy the code")
        self.copy_code_button.clicked.connect(self._copy_code)

    def _label(self, role: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setProperty("role", role)
        return label

    def _text(self, name: str) -> QPlainTextEdit:
        edit = QPlainTextEdit(self)
        edit.setReadOnly(True)
        edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        edit.setTabChangesFocus(True)
        edit.setAccessibleName(name)
        return edit

    def _button(self, text: str, icon: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        self._icons[button] = icon
        return button

    def _arrange(self) -> None:
        verdict_row = QHBoxLayout()
        verdict_row.addWidget(self.verdict_icon, 0, Qt.AlignmentFlag.AlignTop)
        verdict_row.addWidget(self.verdict_label, 1)
        file_buttons = QHBoxLayout()
        file_buttons.addWidget(self.open_button)
        file_buttons.addWidget(self.copy_path_button)
        file_buttons.addStretch(1)
        code_buttons = QHBoxLayout()
        code_buttons.addWidget(self.copy_code_button)
        code_buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.title_label)
        column.addLayout(verdict_row)
        column.addWidget(self.differences, 2)
        column.addWidget(self.files)
        column.addLayout(file_buttons)
        column.addSpacing(8)
        heading_row = QHBoxLayout()
        heading_row.addWidget(self.snippet_heading)
        heading_row.addSpacing(8)
        heading_row.addWidget(self.language_tabs)
        heading_row.addStretch(1)
        column.addLayout(heading_row)
        column.addWidget(self.snippet, 3)
        column.addWidget(self.no_code_label)
        column.addLayout(code_buttons)
        column.addStretch(0)

    def _take_theme(self) -> None:
        colors, size = self._theme.colors, self.fontMetrics().height()
        name, color = self._proof.value
        self.verdict_icon.setPixmap(self._theme.icon(name, getattr(colors, color)).pixmap(size, size))
        for edit in (self.differences, self.files, self.snippet):
            edit.setFont(self._theme.code_font())
        for button, name in self._icons.items():
            button.setIcon(self._theme.icon(name))

    def _fit_to_lines(self, edit: QPlainTextEdit, lines: int) -> None:
        frame = 2 * (edit.frameWidth() + round(edit.document().documentMargin()))
        bar = edit.horizontalScrollBar().sizeHint().height()
        edit.setFixedHeight(lines * edit.fontMetrics().lineSpacing() + frame + bar)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._paths[0].parent)))

    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(map(str, self._paths)))

    def _copy_code(self) -> None:
        QGuiApplication.clipboard().setText(self.snippet.toPlainText())
