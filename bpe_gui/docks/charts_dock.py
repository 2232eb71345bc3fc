"""The panel of the charts: measures against the step, and token lengths and frequencies at a step."""

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QDockWidget,
    QLabel,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.curves import DRAWN_MEASURES, Curves, Quantity, title
from bpe_gui.held_out_text import HeldOutText
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.step_distributions import StepDistributions
from bpe_gui.theme import Theme
from bpe_gui.widgets.chart_panel import ChartPanel
from bpe_gui.widgets.distribution_charts import LengthChart, RankChart
from bpe_gui.widgets.eliding_combo import ElidingCombo
from bpe_gui.widgets.wrapping_lines import WrappingLines
from core.distributions import LengthUnit
from core.measures import Measure
from core.statistics import Series

LEAST_CHARACTERS = 12
"""Of a chart's name, in a narrow panel."""
REFRESH_MILLISECONDS = 100
"""While merges arrive the curves are drawn so often at most."""

NOTHING_YET = (
    "Curves of corpus length, pair count and compression appear here while training runs.\n"
    "Open or paste a text and press Train."
)
NOTHING_MARGIN = 12
NO_COUNTS = (
    "This tokenizer was read from a file that keeps no counts.\n"
    "With a text open, press Training > Count merges in the corpus, or choose a held-out text in the panel Measures."
)
NO_CURVE = (
    "The merges of this tokenizer are not in the order of a training run, so each step would need a new encoding.\n"
    "The panel Measures has the held-out text's numbers at this step, and can save a curve."
)
NOT_OF_OTHER_TEXTS = "Only the corpus that was trained on has this chart.\nChoose another chart above."

FREQUENCIES = "Token frequencies"
LENGTHS = {"Token lengths (bytes)": LengthUnit.BYTES, "Token lengths (characters)": LengthUnit.CHARACTERS}
MOST_AT_ONCE = (Series.CORPUS_LENGTH, Series.PAIR_COUNT)
CHARTS: tuple[tuple[str, tuple[Quantity, ...]], ...] = (
    ("Corpus length and pair count", MOST_AT_ONCE),
    ("Corpus length", (Series.CORPUS_LENGTH,)),
    ("Pair count", (Series.PAIR_COUNT,)),
    *((title(measure), (measure,)) for measure in DRAWN_MEASURES),
)
COUNTED = (("In vocabulary", "types"), ("In text", "occurrences"))


class _Plots(QWidget):
    """The plots against the step, side by side where there is room; it asks for the room of one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(4, 0, 8, 4)
        self._box.setSpacing(4)
        self._panels: list[ChartPanel] = []
        self._is_in_wide = False

    def add(self, panel: ChartPanel) -> None:
        self._panels.append(panel)
        self._box.addWidget(panel, 1)

    def lay_out_in(self, size: QSize) -> None:
        """Side by side in a panel of that size if it is wide."""
        self._is_in_wide = size.width() > 1.5 * size.height()
        self._lay_out()

    def _lay_out(self) -> None:
        """One below the other only where that leaves both a curve that can be seen."""
        is_low = self.height() < 2 * self._least().height()
        direction = QBoxLayout.Direction
        self._box.setDirection(direction.LeftToRight if self._is_in_wide or is_low else direction.TopToBottom)

    def _least(self) -> QSize:
        """Of one plot with the margins around it."""
        hints = [panel.minimumSizeHint() for panel in self._panels]
        margins = self._box.contentsMargins()
        return QSize(
            max(hint.width() for hint in hints) + margins.left() + margins.right(),
            max(hint.height() for hint in hints) + margins.top() + margins.bottom(),
        )

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def minimumSizeHint(self) -> QSize:
        return self._least()


class ChartsDock(QDockWidget):
    """Does nothing while it is hidden or behind another tab."""

    def __init__(
        self,
        session: Session,
        corpus_measures: CorpusMeasures,
        held_out: HeldOutText,
        theme: Theme,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Charts", parent)
        self.setObjectName("charts")
        self._session = session
        self._corpus_measures = corpus_measures
        self._held_out = held_out
        self._theme = theme
        self._settings = settings
        self._is_seen = False
        self._hovered: int | None = None
        self._distributions = StepDistributions(session, held_out, self)
        self._body = QWidget(self)
        self.choice = ElidingCombo(LEAST_CHARACTERS, self._body)
        self.log_steps = QCheckBox("Log steps", self._body)
        self.log_values = QCheckBox("Log values", self._body)
        self.counted = ElidingCombo(LEAST_CHARACTERS, self._body)
        self.all = QToolButton(self._body)
        self._pages = QStackedWidget(self._body)
        self.nothing = QLabel(self._pages)
        self._plots = _Plots(self._pages)
        curves = Curves(session, corpus_measures, held_out)
        self.panels = tuple(ChartPanel(session, curves, held_out, theme, one, self._plots) for one in MOST_AT_ONCE)
        self.lengths = LengthChart(session, held_out, self._distributions, theme, self._pages)
        self.frequencies = RankChart(session, held_out, self._distributions, theme, self._pages)
        self._refresh_later = QTimer(self, interval=REFRESH_MILLISECONDS, singleShot=True)
        self._set_up_choice()
        self._set_up_controls()
        self._set_up_panels()
        self._lay_out()
        self._connect()
        self._take_on_theme()
        self._choose_chart()
        self._choose_scales()

    def show_measure(self, name: str) -> None:
        """Draw the measure of that name against the step, where it is drawn."""
        names = {"token_count": "Corpus length", **{measure.name: measure.title for measure in DRAWN_MEASURES}}
        self.choice.setCurrentIndex(self._index_of(names.get(name)))
        self.show()
        self.raise_()

    def _set_up_choice(self) -> None:
        self.choice.setAccessibleName("Chart")
        self.choice.setToolTip("What is drawn")
        for name, shown in CHARTS:
            self.choice.addItem(name, shown)
            measure = shown[0]
            if isinstance(measure, Measure):
                self.choice.setItemData(self.choice.count() - 1, measure.help, Qt.ItemDataRole.ToolTipRole)
        self.choice.insertSeparator(self.choice.count())
        self.choice.addItems([*LENGTHS, FREQUENCIES])
        self.choice.setMaxVisibleItems(self.choice.count())
        self.choice.setCurrentIndex(self._index_of(self._settings.text(Settings.CHART)))

    def _index_of(self, name: str | None) -> int:
        """Of the chart of that name, else of the first one; the separator has no name."""
        return max(self.choice.findText(name), 0) if name else 0

    def _set_up_controls(self) -> None:
        self.log_steps.setToolTip("Give every tenfold of steps the same room")
        self.log_values.setToolTip("Give every tenfold of the value the same room")
        self.log_steps.setChecked(self._settings.flag(Settings.CHART_LOG_STEPS))
        self.log_values.setChecked(self._settings.flag(Settings.CHART_LOG_VALUES))
        for text, value in COUNTED:
            self.counted.addItem(text, value)
        self.counted.setCurrentIndex(max(self.counted.findData(self._settings.text(Settings.CHART_LENGTHS_OF)), 0))
        self.counted.setAccessibleName("Tokens counted")
        self.counted.setToolTip("Count each token of the vocabulary once, or as often as it occurs in the text")
        self.all.setAutoRaise(True)
        self.all.setToolTip("Show everything again after zooming with the wheel")
        self.all.setAccessibleName("Show everything")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setProperty("role", "muted")
        self.nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.nothing.setWordWrap(True)
        self.nothing.setMargin(NOTHING_MARGIN)

    def _set_up_panels(self) -> None:
        for panel in self.panels:
            panel.plot.step_wanted.connect(self._session.go_to)
            panel.plot.step_hovered.connect(self._hover)
            self._plots.add(panel)

    def _lay_out(self) -> None:
        shown = self.choice, self.log_steps, self.log_values, self.counted, self.all
        self._controls = WrappingLines(shown, self._body)
        self._controls.setContentsMargins(8, 6, 8, 0)
        for chart in (self.lengths, self.frequencies):
            chart.setContentsMargins(4, 0, 8, 4)
        for page in (self._plots, self.lengths, self.frequencies, self.nothing):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._controls)
        layout.addWidget(self._pages, 1)
        self.setWidget(self._body)

    def _connect(self) -> None:
        self.choice.currentIndexChanged.connect(self._choose_chart)
        self.log_steps.toggled.connect(self._choose_scales)
        self.log_values.toggled.connect(self._choose_scales)
        self.counted.currentIndexChanged.connect(self._choose_lengths)
        self.all.clicked.connect(self._show_all)
        self._refresh_later.timeout.connect(self._refresh)
        self._session.recording_replaced.connect(self._show_all)
        self._session.merges_appended.connect(self._refresh_soon)
        self._session.step_changed.connect(self._show_step)
        self._corpus_measures.counted.connect(self._refresh_soon)
        self._held_out.changed.connect(self._refresh_soon)
        self._distributions.counted.connect(self._refresh_distributions)
        self._theme.changed.connect(self._take_on_theme)
        self.visibilityChanged.connect(self._on_seen)

    @property
    def _chosen(self) -> tuple[Quantity, ...]:
        """What is drawn against the step; nothing for a chart of a single step."""
        return self.choice.currentData() or ()

    def _shown_panels(self) -> tuple[ChartPanel, ...]:
        return self.panels[: len(self._chosen)]

    def _choose_chart(self) -> None:
        shown = self._shown_panels()
        for panel, quantity in zip(shown, self._chosen, strict=True):
            panel.plot.set_quantity(quantity)
        for panel in self.panels:
            panel.setVisible(panel in shown)
            panel.plot.setXLink(shown[0].plot.getPlotItem() if panel in shown[1:] else None)
        is_lengths = self.choice.currentText() in LENGTHS
        self.log_steps.setVisible(bool(shown))
        self.log_values.setVisible(bool(shown) or is_lengths)
        self.counted.setVisible(is_lengths)
        self._choose_lengths()
        self._settings.set(Settings.CHART, self.choice.currentText())
        self._show_all()

    def _choose_scales(self) -> None:
        steps, values = self.log_steps.isChecked(), self.log_values.isChecked()
        self._settings.set(Settings.CHART_LOG_STEPS, steps)
        self._settings.set(Settings.CHART_LOG_VALUES, values)
        for panel in self.panels:
            panel.plot.set_logarithmic(steps, values)
        self.lengths.plot.set_logarithmic(values)

    def _choose_lengths(self) -> None:
        self._settings.set(Settings.CHART_LENGTHS_OF, self.counted.currentData())
        if unit := LENGTHS.get(self.choice.currentText()):
            self.lengths.set_counted(unit, self.counted.currentData() == "types")

    def _on_seen(self, is_seen: bool) -> None:
        self._is_seen = is_seen
        self._controls.rewrap()
        self._refresh()

    def _show_all(self) -> None:
        self._refresh()
        for plot in (*(panel.plot for panel in self.panels), self.lengths.plot, self.frequencies.plot):
            plot.enableAutoRange()

    def _refresh_soon(self) -> None:
        if self._is_seen and not self._refresh_later.isActive():
            self._refresh_later.start()

    def _refresh(self) -> None:
        if not self._is_seen:
            return
        self._held_out.measure_soon()
        if any(isinstance(quantity, Measure) and quantity.needs_spread for quantity in self._chosen):
            self._corpus_measures.count_soon()
        missing = self._what_is_missing()
        self.nothing.setText(missing)
        self._pages.setCurrentWidget(self.nothing if missing else self._page())
        if missing:
            return
        if self._chosen:
            self._refresh_plots()
            self._show_values()
        else:
            self._distributions.count_soon()
            self._refresh_distributions()

    def _page(self) -> QWidget:
        if self._chosen:
            return self._plots
        return self.lengths if self.choice.currentText() in LENGTHS else self.frequencies

    def _what_is_missing(self) -> str:
        """Why there is nothing to draw, and what to do about it; empty if there is something."""
        has_merges, has_counts = self._session.last_step > 0, self._corpus_measures.has_counts
        has_held_out = self._held_out.corpus is not None
        if not has_merges:
            return NOTHING_YET
        if has_counts:
            return ""
        if not has_held_out:
            return NO_COUNTS
        if self._chosen and not isinstance(self._chosen[0], Measure):
            return NOT_OF_OTHER_TEXTS
        return "" if self._session.recording.has_histories or not self._chosen else NO_CURVE

    def _refresh_distributions(self) -> None:
        page = self._pages.currentWidget()
        if self._is_seen and isinstance(page, LengthChart | RankChart):
            page.refresh()

    def _refresh_plots(self) -> None:
        panels = self._shown_panels()
        shows_all = panels[0].plot.shows_all_steps
        for panel in panels:
            panel.plot.refresh()
        if shows_all:
            panels[0].plot.enableAutoRange(x=True)  # a linked plot with new limits may have turned it off

    def _show_step(self) -> None:
        if not self._is_seen or self._refresh_later.isActive():  # the curve may not reach the step yet
            return
        if not self._chosen:
            self._distributions.count_soon()
        self._held_out.measure_soon()
        for panel in self._shown_panels():
            panel.plot.show_step()
        self._show_values()

    def _hover(self, step: int) -> None:
        self._hovered = None if step < 0 else step
        for panel in self._shown_panels():
            panel.plot.show_guide(self._hovered)
        self._show_values()

    def _show_values(self) -> None:
        """Of the step under the mouse, else of the current one."""
        step = self._session.step if self._hovered is None else self._hovered
        for panel in self._shown_panels():
            panel.show_value(step)

    def _take_on_theme(self) -> None:
        self.all.setIcon(self._theme.icon("arrows-out-line-horizontal"))

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._plots.lay_out_in(event.size())
