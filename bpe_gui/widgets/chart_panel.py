"""A curve with its name and its value over it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.step_plot import StepPlot, exact_number
from core.statistics import Series, value_at

READ_OUTS = {
    Series.CORPUS_LENGTH: "{} tokens",
    Series.PAIR_COUNT: "pair count {}",
    Series.BYTES_PER_TOKEN: "{} bytes per token",
}


class ChartPanel(QWidget):
    """`plot` draws, `read_out` says: `4,794 tokens at step 250`."""

    def __init__(self, session: Session, theme: Theme, series: Series, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self.series = series
        self.read_out = ElidingLabel(parent=self)
        self.read_out.setAccessibleName(f"Value of the {series}")
        self.read_out.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.read_out.setProperty("role", "muted")
        self.plot = StepPlot(session, theme, series, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.read_out)
        layout.addWidget(self.plot, 1)
        theme.changed.connect(self._take_on_theme)
        self._take_on_theme()

    def show_value(self, step: int) -> None:
        value = value_at(self._session.recording, self.series, step)
        said = READ_OUTS[self.series].format("–" if value is None else exact_number(value))
        self.read_out.setText(f"{said} at step {step:,}")

    def _take_on_theme(self) -> None:
        self.read_out.setFont(self._theme.number_font())
        self.plot.take_on_theme()
