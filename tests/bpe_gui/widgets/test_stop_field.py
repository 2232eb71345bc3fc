import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QRadioButton, QSpinBox

from bpe_gui.widgets.stop_field import StopField
from core.options import Stop


@pytest.fixture
def field(qapp):
    field = StopField()
    field.show()
    yield field
    field.close()
    field.deleteLater()


def button(field, title):
    return next(button for button in field.findChildren(QRadioButton) if button.text() == title)


@pytest.mark.parametrize(
    ("stop", "title"),
    [
        (Stop.MERGES, "After merges"),
        (Stop.VOCAB_SIZE, "At vocabulary size"),
        (Stop.NO_PAIR, "When no pair is left"),
    ],
)
def test_one_way_is_chosen(field, stop, title, qtbot):
    with qtbot.assertNotEmitted(field.chosen):
        field.show_value(stop)
    assert [button.text() for button in field.findChildren(QRadioButton) if button.isChecked()] == [title]
    field.show_value(Stop.NO_PAIR if stop is Stop.MERGES else Stop.MERGES)
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.mouseClick(button(field, title), Qt.MouseButton.LeftButton, pos=button(field, title).rect().center())
    assert signal.args == ["stop", stop]


def test_its_numbers_are_fields_of_their_own(field, qtbot):
    for number, name in ((field.merges, "merges"), (field.vocab_size, "vocab_size")):
        number.show_value(5)
        with qtbot.waitSignal(number.chosen) as signal:
            number.findChild(QSpinBox).setValue(6)
        assert signal.args == [name, 6]


def test_a_number_stands_beside_its_button(field):
    for title, number in (("After merges", field.merges), ("At vocabulary size", field.vocab_size)):
        assert abs(number.geometry().center().y() - button(field, title).geometry().center().y()) <= 2
