"""A form field for replacements: a row for each pattern and its new text, and an empty one for the next."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.fields import Field, RemarkLabel
from core.options import Fault

Pair = tuple[str, str]


class PairsField(Field):
    """The value is the tuple of (pattern, new text) of the rows in which anything is written."""

    def __init__(self, name: str, title: str, tip: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._theme = theme
        self._rows: list[_PairRow] = []
        self._list = QVBoxLayout()
        self._list.setSpacing(4)
        self._error = RemarkLabel("danger", "What is wrong with the replacements")
        self.setToolTip(tip)
        self._layout.addWidget(QLabel(title))
        self._layout.addLayout(self._list)
        self._layout.addWidget(self._error)
        self._fit_rows(1)
        self.setFocusProxy(self._rows[0].pattern)
        theme.changed.connect(self._take_theme)

    def value(self) -> tuple[Pair, ...]:
        return tuple(pair for row in self._rows if any(pair := row.pair))

    def show_value(self, value: tuple[Pair, ...]) -> None:
        if value != self.value():
            self._fit_rows(len(value) + 1)
            for row, pair in zip(self._rows, (*value, ("", "")), strict=True):
                row.show_pair(pair)

    def summary(self, value: tuple[Pair, ...]) -> str:
        return "1 replacement" if len(value) == 1 else f"{len(value):,} replacements"

    def show_fault(self, fault: Fault | None) -> None:
        self._error.show_remark(fault.message if fault else None)
        written = [row for row in self._rows if any(row.pair)]
        for index, row in enumerate(written):
            row.show_wrong(fault is not None and fault.row == index, self._theme)
        for row in self._rows:
            if row not in written:
                row.show_wrong(False, self._theme)

    def _fit_rows(self, number: int) -> None:
        while len(self._rows) > number:
            self._drop(self._rows[-1])
        while len(self._rows) < number:
            row = _PairRow(self)
            row.changed.connect(self._choose)
            row.removed.connect(self._remove)
            row.take_theme(self._theme)
            self._rows.append(row)
            self._list.addWidget(row)
        self._name_rows()

    def _name_rows(self) -> None:
        for number, row in enumerate(self._rows, 1):
            row.show_number(number, is_last=number == len(self._rows))

    def _drop(self, row: "_PairRow") -> None:
        self._rows.remove(row)
        self._list.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _choose(self) -> None:
        if any(self._rows[-1].pair):
            self._fit_rows(len(self._rows) + 1)
        self.chosen.emit(self.name, self.value())

    def _remove(self) -> None:
        row = self.sender()
        assert isinstance(row, _PairRow)
        following = self._rows[self._rows.index(row) + 1]
        following.pattern.setFocus()
        self._drop(row)
        self._name_rows()
        self.setFocusProxy(self._rows[0].pattern)
        self.chosen.emit(self.name, self.value())

    def _take_theme(self) -> None:
        for row in self._rows:
            row.take_theme(self._theme)


class _PairRow(QWidget):
    """Signals:
    changed: something was typed.
    removed: the button was pressed.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.pattern = QLineEdit()
        self.pattern.setPlaceholderText("pattern")
        self._text = QLineEdit()
        self._text.setPlaceholderText("new text")
        self._button = QToolButton()
        self._button.setAutoRaise(True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        arrow = QLabel("→")
        arrow.setProperty("role", "muted")
        layout.addWidget(self.pattern, 3)
        layout.addWidget(arrow)
        layout.addWidget(self._text, 2)
        layout.addWidget(self._button)
        for edit in (self.pattern, self._text):
            edit.textEdited.connect(self.changed)
            edit.setMinimumWidth(4 * edit.fontMetrics().averageCharWidth())
        self._button.clicked.connect(self.removed)

    @property
    def pair(self) -> Pair:
        return self.pattern.text(), self._text.text()

    def show_pair(self, pair: Pair) -> None:
        for edit, text in zip((self.pattern, self._text), pair, strict=True):
            if edit.text() != text:
                edit.setText(text)

    def show_number(self, number: int, is_last: bool) -> None:
        """The last row is the empty one, which cannot be removed."""
        self.pattern.setAccessibleName(f"Pattern {number}")
        self._text.setAccessibleName(f"New text {number}")
        self._button.setAccessibleName(f"Remove replacement {number}")
        self._button.setToolTip("Remove this replacement")
        self._button.setEnabled(not is_last)

    def show_wrong(self, is_wrong: bool, theme: Theme) -> None:
        self.pattern.setStyleSheet(f"color: {theme.colors.danger.name()}" if is_wrong else "")

    def take_theme(self, theme: Theme) -> None:
        icon: QIcon = theme.icon("x")
        self._button.setIcon(icon)
        for edit in (self.pattern, self._text):
            font = theme.code_font()
            edit.setFont(font)
