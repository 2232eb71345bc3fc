"""The last page of the export dialog: the files, whether they read back right, and code that loads them."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from bpe_gui.dialogs.export_plan import Request, differences_text, verdict
from bpe_gui.theme import Theme
from core.formats import ExportResult


class ExportResultPage(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._paths: tuple[Path, ...] = ()
        self._passed = True
        self._icons: dict[QPushButton, str] = {}
        self._make_widgets()
        self._arrange()
        theme.changed.connect(self._take_theme)
        self._take_theme()

    def show_result(self, request: Request, result: ExportResult) -> None:
        test = result.self_test
        self._paths, self._passed = result.paths, test is None or test.passed
        self.title_label.setText(f"{request.step:,} merges are saved: {request.format.title}")
        self.verdict_label.setText(verdict(test))
        self.verdict_label.setProperty("role", "success" if self._passed else "danger")
        self.verdict_label.style().polish(self.verdict_label)
        for widget in (self.verdict_icon, self.verdict_label):
            widget.setVisible(test is not None)
        self.differences.setPlainText(differences_text(test) if test else "")
        self.differences.setVisible(bool(self.differences.toPlainText()))
        self.files.setPlainText("\n".join(map(str, result.paths)))
        self._fit_to_lines(self.files, len(result.paths))
        self._show_snippet(request)
        self._take_theme()

    def _show_snippet(self, request: Request) -> None:
        code = request.format.snippet(request.path) if request.format.python else ""
        self.snippet.setPlainText(code)
        for widget in (self.snippet, self.snippet_heading, self.copy_code_button):
            widget.setVisible(bool(code))

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
        self.snippet_heading.setText("Load it in Python")
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
        column.addWidget(self.snippet_heading)
        column.addWidget(self.snippet, 3)
        column.addLayout(code_buttons)
        column.addStretch(0)

    def _take_theme(self) -> None:
        colors, size = self._theme.colors, self.fontMetrics().height()
        icon = self._theme.icon("check-circle", colors.success) if self._passed else None
        icon = icon or self._theme.icon("x-circle", colors.danger)
        self.verdict_icon.setPixmap(icon.pixmap(size, size))
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
