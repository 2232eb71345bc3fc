import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QRadioButton, QSpinBox, QWidget

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


def test_a_number_stands_below_its_button_where_there_is_no_room_beside(qtbot):
    window = QWidget()  # a field that is a window would not get narrower than its layout
    qtbot.addWidget(window)
    field = StopField(window)
    window.show()
    pairs = [
        (button(field, title), number)
        for title, number in (("After merges", field.merges), ("At vocabulary size", field.vocab_size))
    ]
    for width, is_below in ((600, False), (field.minimumSizeHint().width(), True), (600, False)):
        field.resize(width, 200)
        field.layout().activate()
        for radio, number in pairs:
            assert (number.y() >= radio.geometry().bottom()) is is_below
            assert (number.x() >= radio.geometry().right()) is not is_below
            assert number.geometry().right() < width
        assert button(field, "When no pair is left").y() > pairs[1][1].y()


def test_the_order_of_tab_stays_where_numbers_move_below(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    field = StopField(window)
    window.show()

    def tab_order() -> list[QWidget]:
        found, widget = list[QWidget](), field.nextInFocusChain()
        while widget is not field:
            found.append(widget)
            widget = widget.nextInFocusChain()
        return [widget for widget in found if isinstance(widget, QRadioButton | QSpinBox)]

    field.resize(600, 200)
    before = tab_order()
    field.resize(field.minimumSizeHint().width(), 200)
    assert tab_order() == before
