"""BPE dropout's probability and seed, in a row that folds away."""

from random import randrange

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from bpe_gui.encode_choices import stored_encoder
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.fields import keep_wheel_for_scrolling
from core.encoding_rules import Encoder

LARGEST_SEED = 999_999
PERCENT_STEP = 5.0
PROBABILITY_TIP = (
    "With this probability every possible merge is left out, each time anew: the same word is cut in many ways, "
    "which makes a model trained on them more robust (Provilkov et al. 2020). 10 % is usual."
)
SEED_TIP = "The same seed leaves out the same merges"
ONLY_MERGE_RANK = "With merge rank only."
HINT = "Merges left out are struck through."


class DropoutRow(QWidget):
    """Shows what the settings hold and writes into them."""

    def __init__(self, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._theme = theme
        self.probability = QDoubleSpinBox(self)
        self.probability.setRange(0, 100)
        self.probability.setDecimals(1)
        self.probability.setSingleStep(PERCENT_STEP)
        self.probability.setSuffix(" %")
        self.probability.setSpecialValueText("none")
        self.seed = QSpinBox(self)
        self._usual = Encoder.MERGE_RANK
        self.seed.setRange(0, LARGEST_SEED)
        self.seed.setGroupSeparatorShown(True)
        self.new_seed = QToolButton(self)
        self.new_seed.setAutoRaise(True)
        self.new_seed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.hint = ElidingLabel("", self)
        self.hint.setProperty("role", "muted")
        self._name_all()
        self._arrange()
        self._show_icons()
        self.show_values()
        self.probability.valueChanged.connect(self._store_probability)
        self.seed.valueChanged.connect(self._store_seed)
        self.new_seed.clicked.connect(self._draw_seed)
        settings.changed.connect(self._on_setting_changed)
        theme.changed.connect(self._show_icons)

    def take_usual(self, encoder: Encoder) -> None:
        """Which encoder the tokenizer that is shown is made for."""
        self._usual = encoder
        self.show_values()

    def show_values(self) -> None:
        _show(self.probability, self._settings.number(Settings.DROPOUT))
        _show(self.seed, int(self._settings.number(Settings.DROPOUT_SEED)))
        applies = stored_encoder(self._settings, Settings.ENCODER, self._usual) is Encoder.MERGE_RANK
        for widget in (self.probability, self.seed, self.new_seed):
            widget.setEnabled(applies)
        self.hint.setText(HINT if applies else ONLY_MERGE_RANK)

    def _name_all(self) -> None:
        for widget, name, tip in (
            (self.probability, "Dropout probability", PROBABILITY_TIP),
            (self.seed, "Seed of the dropout", SEED_TIP),
            (self.new_seed, "New seed", "New seed: leave out other merges"),
        ):
            widget.setAccessibleName(name)
            widget.setToolTip(f"<p>{tip}</p>")
            widget.setAccessibleDescription(tip)

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for title, spin in (("Leave out", self.probability), ("Seed", self.seed)):
            spin.setLocale(QLocale(QLocale.Language.English))  # as the rest of the window writes numbers
            spin.setAlignment(Qt.AlignmentFlag.AlignRight)
            keep_wheel_for_scrolling(spin)
            label = QLabel(title, self)
            label.setBuddy(spin)
            row.addWidget(label)
            row.addWidget(spin)
        row.addWidget(self.new_seed)
        row.addWidget(self.hint, 1)

    def _show_icons(self) -> None:
        self.new_seed.setIcon(self._theme.icon("dice-five"))

    def _store_probability(self, percent: float) -> None:
        self._settings.set(Settings.DROPOUT, percent)

    def _store_seed(self, seed: int) -> None:
        self._settings.set(Settings.DROPOUT_SEED, float(seed))

    def _draw_seed(self) -> None:
        self.seed.setValue(randrange(LARGEST_SEED + 1))

    def _on_setting_changed(self, key: str) -> None:
        if key in (Settings.DROPOUT, Settings.DROPOUT_SEED, Settings.ENCODER):
            self.show_values()


def _show(spin: QAbstractSpinBox, value: float) -> None:
    """Show a value without storing it; one that is being typed stays as it is written."""
    assert isinstance(spin, QSpinBox | QDoubleSpinBox)
    if spin.value() != value:
        spin.blockSignals(True)
        spin.setValue(value)  # type: ignore[arg-type]  # of a QSpinBox it is an int
        spin.blockSignals(False)
