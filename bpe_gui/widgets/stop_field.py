"""A form field for what ends a training run: three ways, the number of two of them beside or below it."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QRadioButton, QWidget

from bpe_gui.widgets.fields import Field
from bpe_gui.widgets.number_fields import NumberField
from core.options import MAX_NUMBER, Stop

ROWS_PER_STOP = 2


class StopField(Field):
    """`merges` and `vocab_size` are fields of their own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("stop", "Stop", "What ends the run.", parent)
        self._group = QButtonGroup(self)
        self._stops: dict[QRadioButton, Stop] = {}
        self._numbers: dict[NumberField, int] = {}
        """The row of the button that each belongs to."""
        self._is_stacked = False
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._layout.addLayout(self._grid)
        self.merges = self._add_row(Stop.MERGES, "After merges", "merges", "Number of merges", "So many are made.")
        self.vocab_size = self._add_row(
            Stop.VOCAB_SIZE,
            "At vocabulary size",
            "vocab_size",
            "Vocabulary size",
            "Special tokens, alphabet and merges together.",
        )
        self._add_button(Stop.NO_PAIR, "When no pair is left", columns=2)
        self._group.buttonClicked.connect(self._choose)

    def _add_row(self, stop: Stop, title: str, name: str, number_title: str, tip: str) -> NumberField:
        row = self._add_button(stop, title, columns=1)
        number = NumberField(name, number_title, tip, 0, MAX_NUMBER, has_title=False)
        self._numbers[number] = row
        self._grid.addWidget(number, row, 1)
        return number

    def _add_button(self, stop: Stop, title: str, columns: int) -> int:
        """The row it stands in; the one below is for its number where that has no room beside it."""
        row = ROWS_PER_STOP * len(self._stops)
        button = QRadioButton(title)
        button.setAccessibleName(title)
        button.setToolTip(self._tip)
        self._group.addButton(button)
        self._stops[button] = stop
        self._grid.addWidget(button, row, 0, 1, columns)
        return row

    def show_value(self, value: Stop) -> None:
        for button, stop in self._stops.items():
            button.setChecked(stop is value)

    def _choose(self, button: QRadioButton) -> None:
        self.chosen.emit(self.name, self._stops[button])

    def _place_numbers(self) -> None:
        is_stacked = self.width() < self._width_of_buttons(beside=True) + self._number_width()
        if is_stacked is self._is_stacked:
            return
        self._is_stacked = is_stacked
        for number, row in self._numbers.items():
            self._grid.removeWidget(number)
            self._grid.addWidget(number, row + is_stacked, 0 if is_stacked else 1, 1, 2 if is_stacked else 1)

    def _width_of_buttons(self, beside: bool) -> int:
        """Of those with a number beside them, or of all."""
        buttons = [button for button, stop in self._stops.items() if not beside or stop is not Stop.NO_PAIR]
        return max(button.sizeHint().width() for button in buttons) + beside * self._grid.horizontalSpacing()

    def _number_width(self) -> int:
        return max(number.minimumSizeHint().width() for number in self._numbers)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()

    def minimumSizeHint(self) -> QSize:
        width = max(self._width_of_buttons(beside=False), self._number_width())
        return QSize(width, super().minimumSizeHint().height())
