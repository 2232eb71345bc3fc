import pytest

from bpe_gui.widgets.step_plot import exact_number, short_number


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (0.25, "0.25"), (950, "950"), (1_500, "1.5k"), (12_000_000, "12M"), (3e9, "3G"), (2e12, "2T")],
)
def test_short_numbers(number, text):
    assert short_number(number) == text


@pytest.mark.parametrize(("number", "text"), [(12_345.0, "12,345"), (4.0678, "4.07"), (0.0, "0.00"), (1.0, "1")])
def test_exact_numbers(number, text):
    assert exact_number(number) == text
