"""A chart against the step with its values over it."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_gui.curves import Curves, Quantity, title, value_text
from bpe_gui.held_out_text import HeldOutText
from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.widgets.read_out import Entry, ReadOut
from bpe_gui.widgets.step_plot import StepPlot
from core.measures import Measure


class ChartPanel(QWidget):
    """`plot` draws, `read_out` says: `4,794 tokens at step 250`."""

    def __init__(
        self,
        session: Session,
        curves: Curves,
        held_out: HeldOutText,
        theme: Theme,
        quantity: Quantity,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._curves = curves
        self._held_out = held_out
        self._theme = theme
        self.read_out = ReadOut(theme, self)
        self.plot = StepPlot(session, curves, theme, quantity, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.read_out)
        layout.addWidget(self.plot, 1)
        theme.changed.connect(self.plot.take_on_theme)

    @property
    def quantity(self) -> Quantity:
        return self.plot.quantity

    def show_value(self, step: int) -> None:
        self.read_out.show_entries((*self._values(step), Entry("", f"at step {step:,}")))

    def _values(self, step: int) -> tuple[Entry, ...]:
        """Of each text that has a curve, or could have one."""
        quantity, curves, colors = self.quantity, self._curves, self._theme.colors
        text = value_text(quantity, curves.of_corpus(quantity, step))
        if not curves.has_held_out(quantity):
            return (Entry(title(quantity) if isinstance(quantity, Measure) else "", text),)
        held_out = Entry(self._held_out.name, value_text(quantity, curves.of_held_out(quantity, step)), colors.second)
        recording = self._session.recording
        if not recording.has_counts:
            return (held_out,)
        return Entry(recording.corpus.name if recording.corpus else "corpus", text, colors.accent), held_out
