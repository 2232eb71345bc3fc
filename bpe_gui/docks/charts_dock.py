"""The panel of the charts: corpus length, pair count and compression against the step."""

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.chart_panel import ChartPanel
from core.statistics import Series

PLOTS_PAGE, NOTHING_PAGE = 0, 1
LEAST_CHARACTERS = 12
"""Of a chart's name, in a narrow panel."""
REFRESH_MILLISECONDS = 100
"""While merges arrive the curves are drawn so often at most."""

NOTHING_YET = (
    "Curves of corpus length and pair count appear here while training runs.\nOpen or paste a text and press Train."
)
NO_COUNTS = "This tokenizer was read from a file that keeps no counts.\nTrain on a text to see curves."

CHARTS: tuple[tuple[str, tuple[Series, ...]], ...] = (
    ("Corpus length and pair count", (Series.CORPUS_LENGTH, Series.PAIR_COUNT)),
    ("Corpus length", (Series.CORPUS_LENGTH,)),
    ("Pair count", (Series.PAIR_COUNT,)),
    ("Bytes per token", (Series.BYTES_PER_TOKEN,)),
)


class ChartsDock(QDockWidget):
    """Does nothing while it is hidden or behind another tab."""

    def __init__(self, session: Session, theme: Theme, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__("Charts", parent)
        self.setObjectName("charts")
        self._session = session
        self._theme = theme
        self._settings = settings
        self._is_seen = False
        self._hovered: int | None = None
        self._body = QWidget(self)
        self.choice = QComboBox(self._body)
        self.log_steps = QCheckBox("Log steps", self._body)
        self.log_values = QCheckBox("Log values", self._body)
        self.all = QToolButton(self._body)
        self._pages = QStackedWidget(self._body)
        self.nothing = QLabel(self._pages)
        self.panels = tuple(ChartPanel(session, theme, series, self._pages) for series in Series)
        self._panel_layout = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._refresh_later = QTimer(self, interval=REFRESH_MILLISECONDS, singleShot=True)
        self._set_up_controls()
        self._set_up_panels()
        self._lay_out()
        self._connect()
        self._take_on_theme()
        self._choose_chart()
        self._choose_scales()

    def _set_up_controls(self) -> None:
        self.choice.setAccessibleName("Chart")
        self.choice.setToolTip("What is drawn against the step")
        for title, shown in CHARTS:
            self.choice.addItem(title, shown)
        self.choice.setMinimumWidth(self.fontMetrics().averageCharWidth() * LEAST_CHARACTERS)
        self.choice.setCurrentIndex(max(self.choice.findText(self._settings.text(Settings.CHART)), 0))
        self.log_steps.setToolTip("Give every tenfold of steps the same room")
        self.log_values.setToolTip("Give every tenfold of the value the same room")
        self.log_steps.setChecked(self._settings.flag(Settings.CHART_LOG_STEPS))
        self.log_values.setChecked(self._settings.flag(Settings.CHART_LOG_VALUES))
        self.all.setAutoRaise(True)
        self.all.setToolTip("Show all steps again after zooming with the wheel")
        self.all.setAccessibleName("Show all steps")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setProperty("role", "muted")
        self.nothing.setWordWrap(True)

    def _set_up_panels(self) -> None:
        for panel in self.panels:
            panel.plot.step_wanted.connect(self._session.go_to)
            panel.plot.step_hovered.connect(self._hover)
            self._panel_layout.addWidget(panel, 1)

    def _lay_out(self) -> None:
        controls = QHBoxLayout()
        controls.setContentsMargins(8, 6, 8, 0)
        for widget in (self.choice, self.log_steps, self.log_values, self.all):
            controls.addWidget(widget)
        controls.addStretch(1)
        plots = QWidget(self._pages)
        self._panel_layout.setContentsMargins(4, 0, 8, 4)
        self._panel_layout.setSpacing(4)
        plots.setLayout(self._panel_layout)
        self._pages.addWidget(plots)
        self._pages.addWidget(self.nothing)
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(controls)
        layout.addWidget(self._pages, 1)
        self.setWidget(self._body)

    def _connect(self) -> None:
        self.choice.currentIndexChanged.connect(self._choose_chart)
        self.log_steps.toggled.connect(self._choose_scales)
        self.log_values.toggled.connect(self._choose_scales)
        self.all.clicked.connect(self._show_all)
        self._refresh_later.timeout.connect(self._refresh)
        self._session.recording_replaced.connect(self._show_all)
        self._session.merges_appended.connect(self._refresh_soon)
        self._session.step_changed.connect(self._show_step)
        self._theme.changed.connect(self._take_on_theme)
        self.visibilityChanged.connect(self._on_seen)

    def _shown_panels(self) -> tuple[ChartPanel, ...]:
        shown = self.choice.currentData()
        return tuple(panel for panel in self.panels if panel.series in shown)

    def _choose_chart(self) -> None:
        shown = self._shown_panels()
        for panel in self.panels:
            panel.setVisible(panel in shown)
            panel.plot.setXLink(shown[0].plot.getPlotItem() if panel in shown[1:] else None)
        self._settings.set(Settings.CHART, self.choice.currentText())
        self._show_all()

    def _choose_scales(self) -> None:
        steps, values = self.log_steps.isChecked(), self.log_values.isChecked()
        self._settings.set(Settings.CHART_LOG_STEPS, steps)
        self._settings.set(Settings.CHART_LOG_VALUES, values)
        for panel in self.panels:
            panel.plot.set_logarithmic(steps, values)

    def _on_seen(self, is_seen: bool) -> None:
        self._is_seen = is_seen
        self._refresh()

    def _show_all(self) -> None:
        self._refresh()
        for panel in self.panels:
            panel.plot.enableAutoRange()

    def _refresh_soon(self) -> None:
        if self._is_seen and not self._refresh_later.isActive():
            if self._pages.currentIndex() == PLOTS_PAGE:
                self._refresh_later.start()
            else:  # the first merges
                self._refresh()

    def _refresh(self) -> None:
        if not self._is_seen:
            return
        has_curves = self._session.recording.has_counts and self._session.last_step > 0
        self.nothing.setText(NO_COUNTS if self._session.last_step else NOTHING_YET)
        self._pages.setCurrentIndex(PLOTS_PAGE if has_curves else NOTHING_PAGE)
        if has_curves:
            self._refresh_plots()
        self._show_values()

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
        """Two plots stand side by side where the panel is wide."""
        super().resizeEvent(event)
        size: QSize = event.size()
        wide = size.width() > 1.5 * size.height()
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self._panel_layout.setDirection(direction)
