"""Form fields that show one option each: they say what was chosen, show what they are told, and say why not.

A field shows values without saying that they were chosen; one without effect is disabled and has its reason as tooltip.
Fields with numbers and with texts are in number_fields.py and text_fields.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from core.options import Fault

LABEL_SPACING = 8
"""Between a label and the control beside it."""


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
        self._row: QBoxLayout | None = None  # of the label and the control beside or below it
        self._aligned_width = 0
        self._aligned_control_width = 0
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)

    @property
    def label_width(self) -> int:
        return self._label.sizeHint().width() if self._label else 0

    @property
    def control_width(self) -> int:
        """The least the control needs."""
        item = self._row.itemAt(1) if self._row else None
        return item.minimumSize().width() if item else 0

    @property
    def is_stacked(self) -> bool:
        """Whether the label stands above the control."""
        return self._row is not None and self._row.direction() is QBoxLayout.Direction.TopToBottom

    def align_label(self, width: int, control_width: int = 0) -> None:
        """Let the control begin where those of other fields do, or below the label where the widest has no room."""
        if self._row:
            self._aligned_width, self._aligned_control_width = width, control_width
            self._place_label()

    def _place_label(self) -> None:
        if not self._row or not self._label:
            return
        label_width = max(self._aligned_width, self.label_width)
        control_width = max(self._aligned_control_width, self.control_width)
        is_stacked = self.width() < label_width + LABEL_SPACING + control_width
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if is_stacked else direction.LeftToRight)
        self._row.setSpacing(self._layout.spacing() if is_stacked else LABEL_SPACING)
        self._label.setMinimumWidth(0 if is_stacked else self._aligned_width)

    def show_value(self, value: Any) -> None:
        raise NotImplementedError

    def summary(self, value: Any) -> str:
        """The value in a few words, for where the field itself is folded away."""
        return f"{self.title.lower()} {value}"

    def show_reason(self, reason: str | None) -> None:
        """Enable the field, or say why it cannot be used."""
        self.setEnabled(reason is None)
        self.setToolTip(f"{self._tip}\n{reason}" if reason else self._tip)

    def show_fault(self, fault: Fault | None) -> None:
        """What is wrong with the value; only fields for texts can have a fault."""

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
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(LABEL_SPACING)
        self._layout.addLayout(self._row)
        self._add(widget)
        self._row.addWidget(self._label)
        self._row.addWidget(widget, 1)

    def _least_width(self) -> int:
        """With the label above the control."""
        items = [self._layout.itemAt(place) for place in range(self._layout.count())]
        others = [item for item in items if item and not item.isEmpty() and item.layout() is not self._row]
        widths = [item.minimumSize().width() for item in others]
        return max(self.label_width, self.control_width, *widths, 0)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_label()

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(self._least_width(), hint.height()) if self._row else hint


class ChoiceField(Field):
    """One of several values; the sentence about the one that is chosen stands below."""

    def __init__(
        self, name: str, title: str, tip: str, choices: Sequence[Choice], parent: QWidget | None = None
    ) -> None:
        super().__init__(name, title, tip, parent)
        self._choices: tuple[Choice, ...] = ()
        self._combo = QComboBox()
        self._combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._combo.setMinimumContentsLength(9)
        self._help = help_label()
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

    def set_placeholder(self, text: str) -> None:
        """What is shown while none of the choices is the value."""
        self._combo.setPlaceholderText(text)

    def show_value(self, value: Any) -> None:
        index = self._index(value)
        self._combo.setCurrentIndex(index)
        self._show_help(self._choices[index].help if index >= 0 else "")

    def summary(self, value: Any) -> str:
        index = self._index(value)
        return self._choices[index].title if index >= 0 else ""

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

    def _index(self, value: Any) -> int:
        return next((i for i, choice in enumerate(self._choices) if choice.value == value), -1)

    def _show_help(self, sentence: str) -> None:
        self._help.setText(sentence)
        self._help.setVisible(bool(sentence))

    def _choose(self, index: int) -> None:
        self.chosen.emit(self.name, self._choices[index].value)


class FlagField(Field):
    """Yes or no; `off_summary` is the few words for a no."""

    def __init__(self, name: str, title: str, tip: str, off_summary: str = "", parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._off_summary = off_summary
        self._box = QCheckBox(title)
        self._box.clicked.connect(self._choose)
        self._add(self._box)

    def show_value(self, value: bool) -> None:
        self._box.setChecked(value)

    def summary(self, value: bool) -> str:
        return self.title if value else self._off_summary

    def _choose(self, checked: bool) -> None:
        self.chosen.emit(self.name, checked)


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


def help_label(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", "muted")
    return label


class RemarkLabel(QLabel):
    """Plain text that is there only when there is something to say; `role` is one of the theme's."""

    def __init__(self, role: str, name: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setProperty("role", role)
        self.setAccessibleName(name)
        self.hide()

    def show_remark(self, remark: str | None) -> None:
        self.setText(remark or "")
        self.setVisible(bool(remark))
