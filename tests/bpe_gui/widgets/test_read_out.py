import pytest
from PySide6.QtGui import QColor

from bpe_gui.widgets.read_out import Entry, ReadOut

BLUE, ORANGE = QColor("#0000ff"), QColor("#ff8000")
TWO = (Entry("alice.txt", "4.07", BLUE), Entry("a held-out text.txt", "3.91", ORANGE), Entry("", "at step 250"))


@pytest.fixture
def read_out(theme, qtbot):
    read_out = ReadOut(theme)
    qtbot.addWidget(read_out)
    read_out.resize(600, 20)
    return read_out


def test_says_everything_where_there_is_room(read_out):
    read_out.show_entries(TWO)
    assert read_out.shown_entries() == ("alice.txt 4.07", "a held-out text.txt 3.91", "at step 250")
    assert read_out.text() == "alice.txt 4.07 a held-out text.txt 3.91 at step 250"
    assert read_out.accessibleName() == read_out.text()


def test_names_give_way_first(read_out):
    read_out.show_entries(TWO)
    read_out.resize(330, 20)
    first, second, step = read_out.shown_entries()
    assert first.endswith(" 4.07")
    assert "…" in second
    assert second.endswith(" 3.91")
    assert step == "at step 250"
    read_out.resize(150, 20)
    assert read_out.shown_entries() == ("4.07", "3.91", "at step 250")


def test_curves_have_their_colour(read_out):
    read_out.show_entries(TWO)
    image = read_out.grab().toImage()
    colors = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
    assert {BLUE.name(), ORANGE.name()} <= colors


def test_a_single_value_needs_no_colour(read_out, theme):
    read_out.show_entries([Entry("Fertility", "1.31"), Entry("", "at step 2")])
    image = read_out.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert theme.colors.accent.name() not in colors
    assert len(colors) > 1
