"""Form fields that show one option each: they say what was chosen, show what they are told, and say why not.

A field shows values without saying that they were chosen; a disabled one has its reason as tooltip.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QLocale, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItemModel, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.theme import Theme


@dataclass(frozen=True)
class Choice:
    """A value that can be chosen; `help` is one sentence."""

    value: Any
    title: str
    help: str = ""


class Field(QWidget):
    """Signals:
    chosen(option name, value)
    """

    chosen = Signal(str, object)

    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.title = title
        self._tip = tip
        self._label: QLabel | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)

    @property
    def label_width(self) -> int:
        return self._label.sizeHint().width() if self._label else 0

    def align_label(self, width: int) -> None:
        """Let the control begin where those of other fields do."""
        if self._label:
            self._label.setFixedWidth(width)

    def show_value(self, value: Any) -> None:
        raise NotImplementedError

    def show_reason(self, reason: str | None) -> None:
        """Enable the field, or say why it cannot be used."""
        self.setEnabled(reason is None)
        self.setToolTip(f"{self._tip}\n{reason}" if reason else self._tip)

    def _add(self, widget: QWidget) -> None:
        """The control, alone in its row."""
        widget.setAccessibleName(self.title)
        widget.setAccessibleDescription(self._tip)
        self._layout.addWidget(widget)
        self.setFocusProxy(widget)
        self.setToolTip(self._tip)

    def _add_below_title(self, widget: QWidget) -> None:
        title = QLabel(self.title)
        title.setBuddy(widget)
        self._layout.addWidget(title)
        self._add(widget)

    def _add_beside_title(self, widget: QWidget) -> None:
        self._label = QLabel(self.title)
        self._label.setBuddy(widget)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._layout.addLayout(row)
        self._add(widget)
        row.addWidget(self._label)
        row.addWidget(widget, 1)


class ChoiceField(Field):
    """One of several values; the sentence about the one that is chosen stands below."""

    def __init__(
        self, name: str, title: str, tip: str, choices: Sequence[Choice], parent: QWidget | None = None
    ) -> None:
        super().__init__(name, title, tip, parent)
        self._choices: tuple[Choice, ...] = ()
        self._combo = QComboBox()
        self._combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._combo.setMinimumContentsLength(10)
        self._help = _help_label()
        keep_wheel_for_scrolling(self._combo)
        self._add_beside_title(self._combo)
        self._layout.addWidget(self._help)
        self._combo.activated.connect(self._choose)
        self.set_choices(choices)

    def set_choices(self, choices: Sequence[Choice]) -> None:
        if tuple(choices) == self._choices:
            return
        self._choices = tuple(choices)
        self._combo.clear()
        for index, choice in enumerate(self._choices):
            self._combo.addItem(choice.title)
            self._combo.setItemData(index, choice.help, Qt.ItemDataRole.ToolTipRole)
        metrics = self._combo.fontMetrics()
        widest = max((metrics.horizontalAdvance(choice.title) for choice in self._choices), default=0)
        self._combo.view().setMinimumWidth(widest + 4 * metrics.averageCharWidth())

    def show_value(self, value: Any) -> None:
        index = next((i for i, choice in enumerate(self._choices) if choice.value == value), -1)
        self._combo.setCurrentIndex(index)
        self._show_help(self._choices[index].help if index >= 0 else "")

    def show_reason(self, reason: str | None) -> None:
        super().show_reason(reason)
        if reason:
            self._show_help(reason)

    def rule_out(self, reasons: Mapping[Any, str]) -> None:
        """Grey out these values and say why."""
        model = self._combo.model()
        assert isinstance(model, QStandardItemModel)
        for index, choice in enumerate(self._choices):
            reason = reasons.get(choice.value)
            model.item(index).setEnabled(reason is None)
            model.item(index).setToolTip(reason or choice.help)

    def _show_help(self, sentence: str) -> None:
        self._help.setText(sentence)
        self._help.setVisible(bool(sentence))

    def _choose(self, index: int) -> None:
        self.chosen.emit(self.name, self._choices[index].value)


class FlagField(Field):
    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._box = QCheckBox(title)
        self._box.clicked.connect(self._choose)
        self._add(self._box)

    def show_value(self, value: bool) -> None:
        self._box.setChecked(value)

    def _choose(self, checked: bool) -> None:
        self.chosen.emit(self.name, checked)


class FlagsField(Field):
    """Several check boxes; the value is the tuple of those that are checked, in their order here. `help` is below."""

    def __init__(
        self, name: str, title: str, tip: str, choices: Sequence[Choice], help: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(name, title, tip, parent)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._boxes: dict[Any, QCheckBox] = {}
        for choice in choices:
            box = QCheckBox(choice.title)
            box.setToolTip(choice.help)
            box.setAccessibleName(choice.title)
            box.setAccessibleDescription(choice.help)
            box.clicked.connect(self._choose)
            row.addWidget(box)
            self._boxes[choice.value] = box
        row.addStretch(1)
        self._layout.addLayout(row)
        self._layout.addWidget(_help_label(help))
        self.setFocusProxy(next(iter(self._boxes.values())))

    def show_value(self, value: tuple[Any, ...]) -> None:
        for one, box in self._boxes.items():
            box.setChecked(one in value)

    def _choose(self) -> None:
        self.chosen.emit(self.name, tuple(one for one, box in self._boxes.items() if box.isChecked()))


class NumberField(Field):
    def __init__(
        self,
        name: str,
        title: str,
        tip: str,
        smallest: int,
        largest: int,
        has_title: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, title, tip, parent)
        self._spin = QSpinBox()
        self._spin.setRange(smallest, largest)
        self._spin.setLocale(QLocale(QLocale.Language.English))  # as the rest of the window writes numbers
        self._spin.setGroupSeparatorShown(True)
        self._spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._spin.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        keep_wheel_for_scrolling(self._spin)
        self._spin.valueChanged.connect(self._choose)
        if has_title:
            self._add_beside_title(self._spin)
        else:
            self._add(self._spin)

    def show_value(self, value: int) -> None:
        if value != self._spin.value():
            self._spin.blockSignals(True)
            self._spin.setValue(value)
            self._spin.blockSignals(False)

    def _choose(self, value: int) -> None:
        self.chosen.emit(self.name, value)


class LineField(Field):
    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._line = QLineEdit()
        self._line.textEdited.connect(self._choose)
        self._add_beside_title(self._line)

    def show_value(self, value: str) -> None:
        if value != self._line.text():
            self._line.setText(value)

    def _choose(self, text: str) -> None:
        self.chosen.emit(self.name, text)


class LinesField(Field):
    """A tuple of strings, one a line; empty lines and spaces at the ends do not count."""

    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._edit = _small_editor(lines=3)
        self._edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._edit.textChanged.connect(self._choose)
        self._add_below_title(self._edit)

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

    def _choose(self) -> None:
        self.chosen.emit(self.name, self.value())


class PatternField(Field):
    """A regular expression on one logical line; the place of an error is underlined, the error stands below."""

    def __init__(self, name: str, title: str, tip: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._theme = theme
        self._position: int | None = None
        self._edit = _PatternEdit()
        self._edit.textChanged.connect(self._choose)
        self._error = QLabel()
        self._error.setTextFormat(Qt.TextFormat.PlainText)
        self._error.setWordWrap(True)
        self._error.setProperty("role", "danger")
        self._error.setAccessibleName("What is wrong with the pattern")
        self._error.hide()
        self._add_below_title(self._edit)
        self._layout.addWidget(self._error)
        theme.changed.connect(self._take_theme)
        self._take_theme()

    def show_value(self, value: str) -> None:
        if value != self._edit.toPlainText():
            self._edit.blockSignals(True)
            self._edit.setPlainText(value)
            self._edit.blockSignals(False)

    def show_error(self, message: str | None, position: int | None = None) -> None:
        """`position` is a place in the pattern, in characters."""
        self._error.setText(message or "")
        self._error.setVisible(bool(message))
        self._position = position
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
        font = self._theme.text_font()
        font.setPointSizeF(self.font().pointSizeF())
        self._edit.setFont(font)
        self._mark()

    def _choose(self) -> None:
        self.chosen.emit(self.name, self._edit.toPlainText())


class _PatternEdit(QPlainTextEdit):
    """Wraps but has no line ends: one in a pattern would have to match, and nobody sees it."""

    def __init__(self) -> None:
        super().__init__()
        _make_small(self, lines=3)
        self.setWordWrapMode(self.document().defaultTextOption().WrapMode.WrapAnywhere)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: Any) -> None:
        self.textCursor().insertText("".join(source.text().splitlines()))


class _WheelGuard(QObject):
    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def keep_wheel_for_scrolling(widget: QWidget) -> None:
    """Let the wheel scroll the form instead of changing a value that happens to be under the pointer."""
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.installEventFilter(_WheelGuard(widget))


def _help_label(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", "muted")
    return label


def _small_editor(lines: int) -> QPlainTextEdit:
    edit = QPlainTextEdit()
    _make_small(edit, lines)
    return edit


def _make_small(edit: QPlainTextEdit, lines: int) -> None:
    edit.setTabChangesFocus(True)
    margins = 2 * (edit.frameWidth() + round(edit.document().documentMargin()))
    edit.setFixedHeight(edit.fontMetrics().lineSpacing() * lines + margins)


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
