import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

from bpe_gui.widgets.number_fields import NumberField, ShareField


@pytest.fixture
def number(qapp):
    field = NumberField("longest", "Longest token", "Tip.", 0, 10_000_000, none_text="no limit")
    field.show()
    yield field
    field.close()
    field.deleteLater()


@pytest.fixture
def share(qapp):
    field = ShareField("coverage", "Coverage", "Tip.")
    field.show()
    yield field
    field.close()
    field.deleteLater()


def type_over(spin, text, qtbot):
    spin.setFocus()
    spin.selectAll()
    qtbot.keyClicks(spin, text)


def test_numbers_have_thousands_separators_and_no_limit_is_written_out(number, qtbot):
    spin = number.findChild(QSpinBox)
    with qtbot.assertNotEmitted(number.chosen):
        number.show_value(32_000)
    assert spin.text() == "32,000"
    number.show_value(0)
    assert spin.text() == "no limit"


def test_a_typed_number_is_said_and_can_go_back_to_none(number, qtbot):
    spin = number.findChild(QSpinBox)
    chosen = []
    number.chosen.connect(lambda name, value: chosen.append((name, value)))
    type_over(spin, "16", qtbot)
    assert chosen[-1] == ("longest", 16)
    type_over(spin, "0", qtbot)
    assert chosen[-1] == ("longest", 0)
    qtbot.keyClick(spin, Qt.Key.Key_Return)
    assert spin.text() == "no limit"


def test_the_summary_of_a_number(number):
    assert number.summary(16_000) == "longest token 16,000"


def test_a_number_field_is_no_wider_than_usual_numbers_need(number):
    wide = number.findChild(QSpinBox)
    assert wide.minimumWidth() < wide.sizeHint().width() or wide.sizeHint().width() < 100
    assert wide.minimumWidth() > wide.fontMetrics().horizontalAdvance("no limit")


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "100 %"), (0.9995, "99.95 %"), (0.999999, "99.9999 %"), (0.5, "50 %")]
)
def test_shares_are_percents_with_as_many_decimals_as_needed(share, value, text, qtbot):
    with qtbot.assertNotEmitted(share.chosen):
        share.show_value(value)
    assert share.findChild(QDoubleSpinBox).text() == text


@pytest.mark.parametrize(("text", "value"), [("99.95", 0.9995), ("99.9999", 0.999999), ("7", 0.07), ("100", 1.0)])
def test_a_typed_share_is_exact(share, text, value, qtbot):
    share.show_value(0.5)
    chosen = []
    share.chosen.connect(lambda name, value: chosen.append((name, value)))
    type_over(share.findChild(QDoubleSpinBox), text, qtbot)
    assert chosen[-1] == ("coverage", value)


def test_a_share_finer_than_the_field_is_kept_until_it_is_changed(share, qtbot):
    with qtbot.assertNotEmitted(share.chosen):
        share.show_value(0.99999999)
    assert share.findChild(QDoubleSpinBox).text() == "100 %"


def test_the_summary_of_a_share(share):
    assert share.summary(0.9995) == "coverage 99.95 %"
