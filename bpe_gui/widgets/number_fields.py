"""Form fields for whole numbers, for limits that may be none, and for shares in percent."""

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

from bpe_gui.widgets.fields import Field, keep_wheel_for_scrolling

PERCENT_DECIMALS = 4
USUAL_MAXIMUM = 100_000
SHARE_DECIMALS = PERCENT_DECIMALS + 2


class NumberField(Field):
    """`none_text` is what the smallest number is written as, where that means no limit."""

    def __init__(
        self,
        name: str,
        title: str,
        tip: str,
        smallest: int,
        largest: int,
        has_title: bool = True,
        none_text: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, title, tip, parent)
        self._spin = QSpinBox()
        self._spin.setRange(smallest, largest)
        self._spin.setSpecialValueText(none_text)
        self._spin.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        _write_as_elsewhere(self._spin)
        _let_shrink(self._spin, none_text)
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

    def summary(self, value: int) -> str:
        return f"{self.title.lower()} {value:,}"

    def _choose(self, value: int) -> None:
        self.chosen.emit(self.name, value)


class ShareField(Field):
    """A share above 0 and at most 1, written in percent."""

    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, tip, parent)
        self._spin = _PercentBox()
        self._spin.valueChanged.connect(self._choose)
        self._add_beside_title(self._spin)

    def show_value(self, value: float) -> None:
        percent = round(100 * value, PERCENT_DECIMALS)
        if percent != self._spin.value():
            self._spin.blockSignals(True)
            self._spin.setValue(percent)
            self._spin.blockSignals(False)

    def summary(self, value: float) -> str:
        return f"{self.title.lower()} {_trimmed(100 * value)} %"

    def _choose(self, percent: float) -> None:
        self.chosen.emit(self.name, round(percent / 100, SHARE_DECIMALS))


class _PercentBox(QDoubleSpinBox):
    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(PERCENT_DECIMALS)
        self.setRange(10**-PERCENT_DECIMALS, 100)
        self.setSingleStep(0.01)
        self.setSuffix(" %")
        _write_as_elsewhere(self)

    # Qt

    def textFromValue(self, value: float) -> str:
        return _trimmed(value)


def _trimmed(percent: float) -> str:
    """`99.95` for 99.9500"""
    return f"{percent:.{PERCENT_DECIMALS}f}".rstrip("0").rstrip(".")


def _let_shrink(spin: QSpinBox, none_text: str) -> None:
    """Ask for the width of usual numbers, not of the largest one: a panel at the side of the window is narrow."""
    metrics = spin.fontMetrics()
    buttons = spin.minimumSizeHint().width() - metrics.horizontalAdvance(spin.textFromValue(spin.maximum()))
    texts = (none_text, f"{USUAL_MAXIMUM:,}")
    spin.setMinimumWidth(max(map(metrics.horizontalAdvance, texts)) + max(buttons, 0))


def _write_as_elsewhere(spin: QAbstractSpinBox) -> None:
    spin.setLocale(QLocale(QLocale.Language.English))  # as the rest of the window writes numbers
    spin.setGroupSeparatorShown(True)
    spin.setAlignment(Qt.AlignmentFlag.AlignRight)
    keep_wheel_for_scrolling(spin)
