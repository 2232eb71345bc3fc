"""The two charts of a single step, token lengths and token frequencies, with what the mouse is at over them."""

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_gui.held_out_text import HeldOutText
from bpe_gui.session import Session
from bpe_gui.step_distributions import StepDistributions
from bpe_gui.theme import Theme
from bpe_gui.widgets.length_plot import LengthPlot
from bpe_gui.widgets.rank_plot import RankPlot
from bpe_gui.widgets.read_out import Entry, ReadOut
from core.distributions import Distributions, LengthCount, LengthUnit, mean_length
from core.measures import NO_VALUE
from core.vocab import token_label

COUNTING = "Counting the tokens…"
MAX_LABEL_CHARS = 24

Shown = tuple[str, QColor, Distributions]


class DistributionChart(QWidget):
    """What both have in common: a read-out over a plot, and the texts there are."""

    def __init__(
        self,
        session: Session,
        held_out: HeldOutText,
        found: StepDistributions,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._held_out = held_out
        self._found = found
        self._theme = theme
        self._hovered: int | None = None
        self.read_out = ReadOut(theme, self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.read_out)

    def _texts(self) -> list[Shown]:
        """Name, colour and distributions of each text that is counted."""
        colors, recording, found = self._theme.colors, self._session.recording, self._found
        corpus = recording.corpus.name if recording.corpus else "corpus"
        texts = (corpus, colors.accent, found.corpus), (self._held_out.name, colors.second, found.held_out)
        return [(name, color, one) for name, color, one in texts if one is not None]

    def _show_values(self, texts: Sequence[Shown]) -> None:
        """Of what the mouse is at, else of everything."""
        if not texts:
            self.read_out.show_entries([Entry("", COUNTING)])
            return
        is_alone = len(texts) == 1
        entries = [
            Entry("" if is_alone else name, self._value(one), None if is_alone else color) for name, color, one in texts
        ]
        self.read_out.show_entries([*entries, Entry("", f"{self._place()}at step {texts[0][2].step:,}")])

    def _place(self) -> str:
        """What all values hold for, before the step."""
        return ""

    def _value(self, found: Distributions) -> str:
        raise NotImplementedError


class LengthChart(DistributionChart):
    def __init__(
        self,
        session: Session,
        held_out: HeldOutText,
        found: StepDistributions,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(session, held_out, found, theme, parent)
        self._unit = LengthUnit.BYTES
        self._counts_types = True
        self.plot = LengthPlot(theme, self)
        self.plot.length_hovered.connect(self._hover)
        self._column.addWidget(self.plot, 1)
        theme.changed.connect(self.plot.take_on_theme)

    def set_counted(self, unit: LengthUnit, counts_types: bool) -> None:
        self._unit, self._counts_types = unit, counts_types
        self.refresh()
        self.plot.enableAutoRange()

    def refresh(self) -> None:
        self.plot.show_histograms(
            [self._bars(self._found.corpus), self._bars(self._found.held_out)], self._counts_types, str(self._unit)
        )
        self._show()

    def _bars(self, found: Distributions | None) -> Sequence[LengthCount]:
        """Of types only once: both texts have the same vocabulary."""
        is_repeated = self._counts_types and found is self._found.held_out and self._found.corpus is not None
        return () if found is None or is_repeated else found.lengths[self._unit]

    def _show(self) -> None:
        texts = self._texts()
        self._show_values(texts[:1] if self._counts_types else texts)

    def _hover(self, length: int) -> None:
        self._hovered = length if length >= 0 else None
        self._show()

    def _place(self) -> str:
        unit = str(self._unit)
        if self._hovered is None:
            return f"{unit} "
        return f"of {self._hovered:,} {unit if self._hovered != 1 else unit[:-1]} "

    def _value(self, found: Distributions) -> str:
        rows = {row.length: self._number(row) for row in found.lengths[self._unit]}
        if self._hovered is None:
            mean = mean_length(rows)
            return f"mean {NO_VALUE if mean is None else f'{mean:.2f}'}"
        count, total = rows.get(self._hovered, 0), sum(rows.values())
        return f"{count:,} {'token' if count == 1 else 'tokens'}" + (f" ({count / total:.1%})" if total else "")

    def _number(self, row: LengthCount) -> int:
        return row.types if self._counts_types else row.occurrences


class RankChart(DistributionChart):
    def __init__(
        self,
        session: Session,
        held_out: HeldOutText,
        found: StepDistributions,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(session, held_out, found, theme, parent)
        self.plot = RankPlot(theme, self)
        self.plot.rank_hovered.connect(self._hover)
        self._column.addWidget(self.plot, 1)
        theme.changed.connect(self.plot.take_on_theme)

    def refresh(self) -> None:
        self.plot.show_frequencies([self._found.corpus, self._found.held_out])
        self._show_values(self._texts())

    def _hover(self, rank: int) -> None:
        texts = self._texts()
        ranks = texts[0][2].ranks if texts else ()
        self._hovered = ranks[_nearest(ranks, rank)] if ranks and rank > 0 else None
        self.plot.show_guide(self._hovered)
        self._show_values(texts)

    def _value(self, found: Distributions) -> str:
        if not found.ranks:
            return "no token occurs"
        if self._hovered is None:
            return f"{found.ranks[-1]:,} tokens"
        if self._hovered > found.ranks[-1]:
            return f"rank {self._hovered:,}: {NO_VALUE}"
        at = _nearest(found.ranks, self._hovered)
        frequency = found.frequencies[at]
        label = token_label(self._session.recording, frequency.token_id)
        label = label if len(label) <= MAX_LABEL_CHARS else f"{label[: MAX_LABEL_CHARS - 1]}…"
        times = "once" if frequency.occurrences == 1 else f"{frequency.occurrences:,} times"
        return f"rank {found.ranks[at]:,}: {label} {times}"


def _nearest(ranks: Sequence[int], rank: int) -> int:
    """Index of the rank nearest to this one; ranks ascend."""
    after = min(bisect_left(ranks, rank), len(ranks) - 1)
    before = max(after - 1, 0)
    return before if rank - ranks[before] < ranks[after] - rank else after
