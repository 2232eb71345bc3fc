"""A form field for what ends a training run: three ways, the number of two of them beside it."""

from PySide6.QtWidgets import QButtonGroup, QGridLayout, QRadioButton, QWidget

from bpe_gui.widgets.fields import Field
from bpe_gui.widgets.number_fields import NumberField
from core.options import MAX_NUMBER, Stop


class StopField(Field):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("stop", "Stop", "What ends the run.", parent)
        self.merges = NumberField(
            "merges", "Number of merges", "So many merges are made.", 0, MAX_NUMBER, has_title=False, parent=self
        )
        self.vocab_size = NumberField(
            "vocab_size",
            "Vocabulary size",
            "Special tokens, alphabet and merges together.",
            0,
            MAX_NUMBER,
            has_title=False,
            parent=self,
        )
        self._group = QButtonGroup(self)
        self._stops: dict[QRadioButton, Stop] = {}
        grid = QGridLayout()
        for row, (stop, title, number) in enumerate(
            (
                (Stop.MERGES, "After merges", self.merges),
                (Stop.VOCAB_SIZE, "At vocabulary size", self.vocab_size),
                (Stop.NO_PAIR, "When no pair is left", None),
            )
        ):
            button = QRadioButton(title)
            button.setAccessibleName(title)
            button.setToolTip(self._tip)
            self._group.addButton(button)
            self._stops[button] = stop
            grid.addWidget(button, row, 0, 1, 1 if number else 2)
            if number:
                grid.addWidget(number, row, 1)
        grid.setColumnStretch(1, 1)
        self._layout.addLayout(grid)
        self._group.buttonClicked.connect(self._choose)

    def show_value(self, value: Stop) -> None:
        for button, stop in self._stops.items():
            button.setChecked(stop is value)

    def _choose(self, button: QRadioButton) -> None:
        self.chosen.emit(self.name, self._stops[button])
