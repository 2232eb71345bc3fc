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
