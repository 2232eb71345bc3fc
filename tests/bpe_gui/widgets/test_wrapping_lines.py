"""Controls take as many lines as they need."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton, QSizePolicy, QWidget

from bpe_gui.widgets.wrapping_lines import WrappingLines


@pytest.fixture
def window(qtbot) -> Iterator[QWidget]:
    window = QWidget()  # lines that are a window would not get narrower than they are
    qtbot.addWidget(window)
    window.resize(600, 200)
    window.show()
    yield window
    window.close()


@pytest.fixture
def controls() -> list[QPushButton]:
    return [_fixed(QPushButton(text)) for text in ("one", "two", "three", "four")]


@pytest.fixture
def lines(window, controls) -> WrappingLines:
    return _shown(WrappingLines(controls, window, spacing=10))


def _fixed(button: QPushButton) -> QPushButton:
    button.setFixedSize(100, 30)
    return button


def _shown(lines: WrappingLines) -> WrappingLines:
    lines.show()
    lines.resize(600, 100)
    return lines


@pytest.mark.parametrize(
    ("width", "places"),
    [
        (430, [(0, 0), (110, 0), (220, 0), (330, 0)]),
        (429, [(0, 0), (110, 0), (220, 0), (0, 34)]),
        (210, [(0, 0), (110, 0), (0, 34), (110, 34)]),
        (50, [(0, 0), (0, 34), (0, 68), (0, 102)]),
    ],
)
def test_what_does_not_fit_stands_in_the_next_line(lines, controls, width, places):
    lines.resize(width, 200)
    assert [(button.x(), button.y()) for button in controls] == places
    assert lines.line_count == len({y for _, y in places})
    assert lines.minimumSizeHint().height() == max(y for _, y in places) + 30


def test_it_asks_for_one_line_and_gets_by_with_the_widest_control(lines):
    for width in (600, 50):
        lines.resize(width, 200)
        assert lines.sizeHint().width() == 430
        assert lines.minimumSizeHint().width() == 100


def test_what_is_hidden_takes_no_room(lines, controls, qtbot):
    lines.resize(320, 100)
    assert lines.line_count == 2
    controls[1].hide()
    qtbot.waitUntil(lambda: lines.line_count == 1)
    assert [button.x() for button in controls if button is not controls[1]] == [0, 110, 220]


def test_a_control_that_is_added_stands_last(lines, controls):
    more = _fixed(QPushButton("five"))
    lines.add(more)
    more.show()
    lines.resize(430, 100)
    assert (more.x(), more.y()) == (0, 34)


def test_controls_that_can_shrink_do_so_before_a_line_wraps(window):
    combo = QComboBox()
    combo.addItem("a long name for a choice")
    combo.setMinimumWidth(60)
    button = _fixed(QPushButton("one"))
    lines = _shown(WrappingLines([combo, button], window, spacing=10))
    assert combo.width() == combo.sizeHint().width()
    lines.resize(170, 100)
    assert (combo.width(), lines.line_count) == (60, 1)
    lines.resize(169, 100)
    assert lines.line_count == 2


def test_what_is_left_over_goes_to_those_that_take_any_room(window):
    button = QPushButton("one")
    button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    _shown(WrappingLines([_fixed(QPushButton("two")), button], window, spacing=10))
    assert button.geometry().right() == 599


def test_the_last_at_the_left_leaves_the_rest_at_the_right(window, controls):
    lines = _shown(WrappingLines(controls, window, spacing=10, last_at_left=controls[0]))
    assert [button.x() for button in controls] == [0, 280, 390, 500]
    lines.resize(210, 200)
    assert [button.x() for button in controls] == [0, 110, 0, 110]


def test_from_right_to_left(window, controls):
    window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    _shown(WrappingLines(controls, window, spacing=10))
    assert [button.x() for button in controls] == [500, 390, 280, 170]


def test_behind_another_panel_it_asks_for_one_line(lines):
    lines.resize(50, 200)
    lines.move(-1_000, 0)
    assert lines.minimumSizeHint().height() == 30
