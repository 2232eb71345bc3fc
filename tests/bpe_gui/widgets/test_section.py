import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit

from bpe_gui.widgets.section import Section, SectionHeader, Tone


@pytest.fixture
def section(theme):
    section = Section("Alphabet", "What there is at first.", theme)
    section.add([QLineEdit()])
    section.resize(280, 200)
    section.show()
    yield section
    section.close()
    section.deleteLater()


@pytest.fixture
def header(section):
    return section.findChild(SectionHeader)


@pytest.fixture
def inside(section):
    return section.findChild(QLineEdit)


def test_a_section_is_folded_at_first(section, inside):
    assert not section.is_open
    assert not inside.isVisible()


def test_a_click_unfolds_and_folds(section, header, inside, qtbot):
    with qtbot.waitSignal(section.toggled) as signal:
        qtbot.mouseClick(header, Qt.MouseButton.LeftButton)
    assert signal.args == [True]
    assert inside.isVisible()
    qtbot.mouseClick(header, Qt.MouseButton.LeftButton)
    assert not inside.isVisible()


@pytest.mark.parametrize(
    ("keys", "is_open"),
    [
        ([Qt.Key.Key_Space], True),
        ([Qt.Key.Key_Return], True),
        ([Qt.Key.Key_Enter], True),
        ([Qt.Key.Key_Return, Qt.Key.Key_Return], False),
        ([Qt.Key.Key_Right, Qt.Key.Key_Right], True),
        ([Qt.Key.Key_Left], False),
        ([Qt.Key.Key_Right, Qt.Key.Key_Left], False),
        ([Qt.Key.Key_A], False),
    ],
)
def test_keys(section, header, keys, is_open, qtbot):
    for key in keys:
        qtbot.keyClick(header, key)
    assert section.is_open is is_open


def test_unfolding_from_outside_is_no_persons_deed(section, inside, qtbot):
    with qtbot.assertNotEmitted(section.toggled):
        section.set_open(True)
    assert inside.isVisible()


def test_the_summary_is_told_to_those_who_cannot_see_it(section, header):
    section.show_summary("coverage 99.95 %", Tone.MUTED)
    assert header.accessibleName() == "Alphabet"
    assert header.accessibleDescription() == "Folded. What there is at first. coverage 99.95 %"
    assert header.toolTip() == "What there is at first.\ncoverage 99.95 %"
    section.set_open(True)
    assert header.accessibleDescription().startswith("Unfolded. ")


def has_color(widget, color: QColor):
    """Whether a pixel of the picture comes close to the colour: letters are smoothed."""
    image = widget.grab().toImage()
    wanted = color.getRgb()[:3]
    pixels = (image.pixelColor(x, y).getRgb()[:3] for y in range(image.height()) for x in range(image.width()))
    return any(max(abs(a - b) for a, b in zip(pixel, wanted, strict=True)) < 30 for pixel in pixels)


@pytest.mark.parametrize("tone", [Tone.SUCCESS, Tone.WARNING, Tone.DANGER])
def test_the_summary_is_drawn_in_its_tone_while_folded(section, header, theme, tone):
    color = getattr(theme.colors, tone.value)
    section.show_summary("███", Tone.MUTED)
    assert not has_color(header, color)
    section.show_summary("███", tone)
    assert has_color(header, color)
    section.set_open(True)
    assert not has_color(header, color)


def test_a_long_summary_asks_for_no_room(section, header):
    before = section.minimumSizeHint().width()
    section.show_summary("word " * 100, Tone.MUTED)
    assert section.minimumSizeHint().width() == before
