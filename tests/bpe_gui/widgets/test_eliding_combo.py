import pytest

from bpe_gui.widgets.eliding_combo import ElidingCombo

NAME = "Corpus length and pair count"


@pytest.fixture
def combo(qtbot) -> ElidingCombo:
    combo = ElidingCombo(8)
    qtbot.addWidget(combo)
    combo.addItems([NAME, "Short"])
    return combo


@pytest.mark.parametrize("points", [10, 20])
def test_it_asks_for_its_longest_name_and_shrinks_to_a_few_letters(combo, points):
    font = combo.font()
    font.setPointSizeF(points)
    combo.setFont(font)
    combo.resize(combo.sizeHint())
    assert combo.shown_text() == NAME
    letters = combo.fontMetrics().averageCharWidth() * 8
    assert letters < combo.minimumSizeHint().width() < combo.sizeHint().width() / 2 + letters / 2
    combo.resize(combo.minimumSizeHint())
    assert combo.shown_text().startswith("Cor")
    assert combo.shown_text().endswith("…")


def test_a_choice_of_short_names_asks_for_no_more_than_they_need(qtbot):
    combo = ElidingCombo(30)
    qtbot.addWidget(combo)
    combo.addItems(["one", "two"])
    assert combo.minimumSizeHint() == combo.sizeHint()


def test_it_is_painted_shortened(combo):
    combo.resize(combo.minimumSizeHint())
    narrow = combo.grab().toImage()
    combo.setItemText(0, combo.shown_text())
    assert combo.grab().toImage() == narrow
