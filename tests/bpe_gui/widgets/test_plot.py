from math import log10

import pytest

from bpe_gui.widgets.plot import NumberAxis, short_number


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (0.25, "0.25"), (950, "950"), (1_500, "1.5k"), (12_000_000, "12M"), (3e9, "3G"), (2e12, "2T")],
)
def test_short_numbers(number, text):
    assert short_number(number) == text


@pytest.fixture
def axis(qapp):
    return NumberAxis("left")


def test_numbers_at_an_axis(axis):
    assert axis.tickStrings([0.0, 950.0, 2_000.0, 1_500_000.0], 1, 1) == ["0", "950", "2,000", "1.5M"]
    assert axis.tickStrings([-50.0, 0.0], 1, 1) == ["", "0"]  # nothing is negative


def test_shares_at_an_axis(axis):
    axis.show_shares(True)
    assert axis.tickStrings([0.0, 0.125, 1.0], 1, 1) == ["0%", "12.5%", "100%"]
    axis.setLogMode(True)
    assert axis.tickStrings([-2.0, 0.0], 1, 1) == ["1%", "100%"]


def test_an_axis_of_whole_numbers_has_no_halves(axis):
    assert min(spacing for spacing, _ in axis.tickSpacing(0, 2, 500)) < 1
    axis.show_whole_numbers()
    assert min(spacing for spacing, _ in axis.tickSpacing(0, 2, 500)) == 1
    assert axis.tickSpacing(1.0, 1.4, 500) == [(1.0, 0.0)]


def test_a_log_axis_leaves_out_numbers_that_would_touch(axis):
    axis.setLogMode(True)
    axis.setRange(-0.1, 2)
    ticks = [log10(number) for number in (0.9, 1, 2, 3, 5, 9, 10, 70, 100)]
    assert axis.tickStrings(ticks, 1, 1) == ["", "1", "2", "", "5", "", "10", "", "100"]
    axis.show_whole_numbers()
    assert axis.tickStrings([log10(0.5)], 1, 1) == [""]
    axis.setRange(0.4, 0.9)  # zoomed in there is room for all
    assert axis.tickStrings([log10(3), log10(4)], 1, 1) == ["3", "4"]
