"""A form field for steps that are done one after the other: which of them, and in which order."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QWidget,
)

from bpe_gui.theme import Colors, Theme
from bpe_gui.widgets.fields import Choice, Field, help_label

ROLE = Qt.ItemDataRole.UserRole
ROW_SPACING = 6


class StepsField(Field):
    """A list of check boxes, in order from top to bottom; the sentence about the current one stands below.

    Signals:
    toggled(step, is chosen): a person checked or unchecked a step.
    moved(step, places): a person wants it so many places later, earlier if negative.
    """

    toggled = Signal(str, bool)
    moved = Signal(str, int)

    def __init__(
        self, name: str, title: str, tip: str, choices: Sequence[Choice], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(name, title, tip, parent)
        self._theme = theme
        self._choices = {choice.value: choice for choice in choices}
        self._reasons: Mapping[str, str] = {}
        self._chosen: tuple[str, ...] = ()
        self._list = _StepList()
        self._help = help_label()
        self._earlier = self._move_button("Earlier", "Do this step earlier (Alt+Up)", -1)
        self._later = self._move_button("Later", "Do this step later (Alt+Down)", 1)
        self._arrange()
        self._list.itemChanged.connect(self._toggle)
        self._list.currentItemChanged.connect(self._show_current)
        self._list.move_wanted.connect(self._move)
        theme.changed.connect(self._take_theme)
        self._take_theme()

    def show_steps(self, listed: Sequence[str], chosen: tuple[str, ...], reasons: Mapping[str, str]) -> None:
        """All steps from top to bottom, those that are chosen, and why some cannot be."""
        self._chosen, self._reasons = chosen, reasons
        current = self._current()
        self._list.blockSignals(True)
        if self._names() != list(listed):
            self._list.clear()
            self._list.addItems([self._choices[name].title for name in listed])
        for row, name in enumerate(listed):
            self._show_step(self._list.item(row), name)
        if current is not None and current in listed:
            self._list.setCurrentRow(list(listed).index(current))
        elif self._list.currentRow() < 0:
            self._list.setCurrentRow(0)
        self._list.fit()
        self._list.blockSignals(False)
        self._show_current()

    def summary(self, value: tuple[str, ...]) -> str:
        return ", ".join(self._choices[name].title for name in value if name in self._choices)

    def _show_step(self, item: QListWidgetItem, name: str) -> None:
        reason, is_chosen = self._reasons.get(name), name in self._chosen
        item.setData(ROLE, name)
        item.setToolTip(reason or self._choices[name].help)
        item.setCheckState(Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable
        if reason and not is_chosen:  # a chosen one can still be taken away
            flags = Qt.ItemFlag.NoItemFlags
        item.setFlags(flags)

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(2)
        self._add(self._list)
        row.addWidget(self._help, 1)
        row.addWidget(self._earlier, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._later, 0, Qt.AlignmentFlag.AlignTop)
        self._layout.addLayout(row)

    def _move_button(self, name: str, tip: str, places: int) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setProperty("places", places)
        button.clicked.connect(self._on_move_clicked)
        return button

    def _names(self) -> list[str]:
        return [str(self._list.item(row).data(ROLE)) for row in range(self._list.count())]

    def _current(self) -> str | None:
        row = self._list.currentRow()
        return str(self._list.item(row).data(ROLE)) if row >= 0 else None

    def _show_current(self) -> None:
        name = self._current()
        if name is None:
            return
        self._help.setText(self._reasons.get(name) or self._choices[name].help)
        place = self._chosen.index(name) if name in self._chosen else None
        self._earlier.setEnabled(place is not None and place > 0)
        self._later.setEnabled(place is not None and place < len(self._chosen) - 1)

    def _toggle(self, item: QListWidgetItem) -> None:
        self.toggled.emit(item.data(ROLE), item.checkState() is Qt.CheckState.Checked)

    def _on_move_clicked(self) -> None:
        self._move(self.sender().property("places"))

    def _move(self, places: int) -> None:
        name = self._current()
        if name in self._chosen:
            self.moved.emit(name, places)

    def _take_theme(self) -> None:
        self._earlier.setIcon(self._theme.icon("arrow-up"))
        self._later.setIcon(self._theme.icon("arrow-down"))
        self._list.take_colors(self._theme.colors)


class _StepList(QListWidget):
    """As high as its items; looks like check boxes one below the other.

    Signals:
    move_wanted(places): by keyboard, for the current item.
    """

    move_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)

    def fit(self) -> None:
        height = self.fontMetrics().height() + ROW_SPACING
        for row in range(self.count()):
            self.item(row).setSizeHint(QSize(0, height))
        self.setFixedHeight(self.count() * height)

    def take_colors(self, colors: Colors) -> None:
        palette = QApplication.palette("QCheckBox")  # type: ignore[call-overload]  # stub wants bytes
        palette.setColor(QPalette.ColorRole.Highlight, colors.border)
        palette.setColor(QPalette.ColorGroup.Inactive, QPalette.ColorRole.Highlight, colors.row)
        palette.setColor(QPalette.ColorRole.HighlightedText, colors.text)
        self.setPalette(palette)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        places = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if places and event.modifiers() == Qt.KeyboardModifier.AltModifier:
            self.move_wanted.emit(places)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.fit()
