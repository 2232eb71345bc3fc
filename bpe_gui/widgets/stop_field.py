"""A form field for what ends a training run: three ways, the number of two of them beside it."""

from PySide6.QtWidgets import QButtonGroup, QGridLayout, QRadioButton, QWidget

from bpe_gui.widgets.fields import Field
from bpe_gui.widgets.number_fields import NumberField
from core.options import MAX_NUMBER, Stop


class StopField(Field):
    """`merges` and `vocab_size` are fields of their own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("stop", "Stop", "What ends the run.", parent)
        self._group = QButtonGroup(self)
        self._stops: dict[QRadioButton, Stop] = {}
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
        self._add_button(stop, title, columns=1)
        number = NumberField(name, number_title, tip, 0, MAX_NUMBER, has_title=False)
        self._grid.addWidget(number, self._grid.rowCount() - 1, 1)
        return number

    def _add_button(self, stop: Stop, title: str, columns: int) -> None:
        button = QRadioButton(title)
        button.setAccessibleName(title)
        button.setToolTip(self._tip)
        self._group.addButton(button)
        self._stops[button] = stop
        self._grid.addWidget(button, self._grid.rowCount(), 0, 1, columns)

    def show_value(self, value: Stop) -> None:
        for button, stop in self._stops.items():
            button.setChecked(stop is value)

    def _choose(self, button: QRadioButton) -> None:
        self.chosen.emit(self.name, self._stops[button])
