import pytest

from bpe_gui.widgets.length_plot import LengthPlot
from core.distributions import LengthCount

CORPUS = [LengthCount(1, 4, 10), LengthCount(2, 3, 0), LengthCount(5, 1, 30)]
OTHER = [LengthCount(1, 4, 6), LengthCount(2, 3, 2), LengthCount(5, 1, 0)]


@pytest.fixture
def plot(theme, qtbot):
    plot = LengthPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    return plot


def test_types_of_one_text(plot):
    plot.show_histograms([CORPUS, ()], True, "bytes")
    assert plot.bars(0) == ([1.0, 2.0, 5.0], [4.0, 3.0, 1.0])
    assert plot.bars(1) == ([], [])


def test_lengths_that_do_not_occur_have_no_bar(plot):
    plot.show_histograms([CORPUS, ()], False, "bytes")
    assert plot.bars(0) == ([1.0, 5.0], [10.0, 30.0])


def test_two_texts_stand_side_by_side_in_shares(plot):
    plot.show_histograms([CORPUS, OTHER], False, "bytes")
    assert plot.bars(0)[0] == pytest.approx([0.8, 4.8])
    assert plot.bars(0)[1] == pytest.approx([0.25, 0.75])
    assert plot.bars(1)[0] == pytest.approx([1.2, 2.2])
    assert plot.bars(1)[1] == pytest.approx([0.75, 0.25])


def test_on_a_log_axis_one_token_can_be_seen(plot):
    plot.set_logarithmic(True)
    plot.show_histograms([CORPUS, ()], True, "bytes")
    assert plot.bars(0)[1] == pytest.approx([0.903, 0.778, 0.301], abs=1e-3)  # from 1/2 to 4, 3 and 1


def test_nothing_to_draw(plot):
    plot.show_histograms([(), ()], True, "bytes")
    plot.grab()
    assert plot.bars(0) == ([], [])
