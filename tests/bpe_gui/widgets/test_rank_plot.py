import pytest

from bpe_gui.widgets.rank_plot import RankPlot
from core.distributions import Distributions, TokenFrequency


@pytest.fixture
def plot(theme, qtbot):
    plot = RankPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    return plot


def found(ranks, occurrences):
    return Distributions(
        0, {}, ranks, [TokenFrequency(rank, count) for rank, count in zip(ranks, occurrences, strict=True)]
    )


def test_both_axes_are_logarithmic(plot):
    plot.show_frequencies([found([1, 10, 100], [1_000, 100, 1]), None])
    ranks, occurrences = plot.points(0)
    assert list(ranks) == [0.0, 1.0, 2.0]
    assert list(occurrences) == pytest.approx([3.0, 2.0, 0.0])
    assert len(plot.points(1)[0]) == 0


def test_two_texts(plot):
    plot.show_frequencies([found([1], [10]), found([1, 100], [1_000, 1])])
    assert list(plot.points(0)[1]) == [1.0]
    assert list(plot.points(1)[1]) == pytest.approx([3.0, 0.0])


def test_a_text_without_tokens(plot):
    plot.show_frequencies([found([], []), None])
    plot.grab()
    assert len(plot.points(0)[0]) == 0


def test_the_guide_stands_at_the_rank(plot):
    plot.show_guide(1_000)
    assert plot._guide.isVisible()
    assert plot._guide.value() == pytest.approx(3.0)
    plot.show_guide(None)
    assert not plot._guide.isVisible()
