"""Form fields for texts: a line, several lines, and a regular expression whose errors are marked."""

from math import ceil
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.fields import Field, RemarkLabel
from core.options import Fault

MAX_SUMMARY_CHARS = 24


class LineField(Field):
    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._line = QLineEdit()
        self._line.textEdited.connect(self._choose)
        self._error = RemarkLabel("danger", f"What is wrong with: {title}")
        self._add_beside_title(self._line)
        self._layout.addWidget(self._error)

    def set_placeholder(self, text: str) -> None:
        self._line.setPlaceholderText(text)

    def show_value(self, value: str) -> None:
        if value != self._line.text():
            self._line.setText(value)

    def summary(self, value: str) -> str:
        return f"{self.title.lower()} {shortened(value)}"

    def show_fault(self, fault: Fault | None) -> None:
        self._error.show_remark(fault.message if fault else None)

    def _choose(self, text: str) -> None:
        self.chosen.emit(self.name, text)


class LinesField(Field):
    """A tuple of strings, one a line; empty lines and spaces at the ends do not count."""

    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._edit = QPlainTextEdit()
        _make_small(self._edit, lines=3)
        self._edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._edit.textChanged.connect(self._choose)
        self._add(self._edit)

    def set_placeholder(self, text: str) -> None:
        self._edit.setPlaceholderText(text)

    def value(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self._edit.toPlainText().split("\n"))
        return tuple(line for line in lines if line)

    def show_value(self, value: tuple[str, ...]) -> None:
        if value != self.value():
            self._edit.blockSignals(True)
            self._edit.setPlainText("\n".join(value))
            self._edit.blockSignals(False)

    def summary(self, value: tuple[str, ...]) -> str:
        return ", ".join(map(shortened, value))

    def _choose(self) -> None:
        self.chosen.emit(self.name, self.value())


class PatternField(Field):
    """A regular expression on one logical line; the place of an error is underlined, the error stands below."""

    def __init__(
        self, name: str, title: str, tip: str, theme: Theme, lines: int = 3, parent: QWidget | None = None
    ) -> None:
        super().__init__(name, title, tip, parent)
        self._theme = theme
        self._position: int | None = None
        self._edit = _PatternEdit(lines)
        self._edit.textChanged.connect(self._choose)
        self._error = RemarkLabel("danger", "What is wrong with the pattern")
        self._add_below_title(self._edit)
        self._layout.addWidget(self._error)
        theme.changed.connect(self._take_theme)
        self._take_theme()

    def set_placeholder(self, text: str) -> None:
        self._edit.setPlaceholderText(text)

    def show_value(self, value: str) -> None:
        if value != self._edit.toPlainText():
            self._edit.blockSignals(True)
            self._edit.setPlainText(value)
            self._edit.blockSignals(False)

    def summary(self, value: str) -> str:
        return f"{self.title.lower()} {shortened(value)}"

    def show_fault(self, fault: Fault | None) -> None:
        self._error.show_remark(fault.message if fault else None)
        self._position = fault.position if fault else None
        self._mark()

    def _mark(self) -> None:
        """Underline the character at the position, or the last one if the pattern ends there."""
        if self._position is None:
            self._edit.setExtraSelections([])
            return
        text = self._edit.toPlainText()
        place = min(self._position, len(text) - 1)
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(_utf16_length(text[:place]))
        cursor.setPosition(_utf16_length(text[: place + 1]), QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        selection.format = self._mark_format()
        self._edit.setExtraSelections([selection])

    def _mark_format(self) -> QTextCharFormat:
        mark = QTextCharFormat()
        mark.setForeground(self._theme.colors.on_accent)
        mark.setBackground(self._theme.colors.danger)
        return mark

    def _take_theme(self) -> None:
        font = self._theme.code_font()
        font.setPointSizeF(self.font().pointSizeF())
        self._edit.take_font(font)
        self._mark()

    def _choose(self) -> None:
        self.chosen.emit(self.name, self._edit.toPlainText())


class _PatternEdit(QPlainTextEdit):
    """Wraps but has no line ends: one in a pattern would have to match, and nobody sees it."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self._lines = lines
        _make_small(self, lines)
        self.setWordWrapMode(self.document().defaultTextOption().WrapMode.WrapAnywhere)

    def take_font(self, font: QFont) -> None:
        self.setFont(font)
        _make_small(self, self._lines)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: Any) -> None:
        self.textCursor().insertText("".join(source.text().splitlines()))


def shortened(text: str) -> str:
    return text if len(text) <= MAX_SUMMARY_CHARS else text[: MAX_SUMMARY_CHARS - 1] + "…"


def _make_small(edit: QPlainTextEdit, lines: int) -> None:
    edit.setTabChangesFocus(True)
    margins = 2 * (edit.frameWidth() + ceil(edit.document().documentMargin())) + 2
    edit.setFixedHeight(edit.fontMetrics().lineSpacing() * lines + margins)


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
