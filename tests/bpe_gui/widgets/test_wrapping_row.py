"""Two groups of controls share a line where they fit."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bpe_gui.widgets.wrapping_row import WrappingRow


@pytest.fixture
def row(qtbot) -> Iterator[WrappingRow]:
    window = QWidget()  # a row that is a window would not get narrower than its layout
    qtbot.addWidget(window)
    row = WrappingRow(QPushButton("one group"), QPushButton("another group"), window)
    window.show()
    yield row
    window.close()


def test_wraps_where_both_do_not_fit(row):
    both = sum(button.sizeHint().width() for button in row.findChildren(QPushButton))
    row.resize(both + 50, 60)
    assert not row.is_wrapped
    row.resize(both - 50, 60)
    assert row.is_wrapped
    row.resize(both + 50, 60)
    assert not row.is_wrapped


def test_is_no_wider_than_the_wider_group(row):
    widest = max(button.minimumSizeHint().width() for button in row.findChildren(QPushButton))
    for width in (1_000, 60):
        row.resize(width, 60)
        assert row.minimumSizeHint().width() == widest


def test_a_group_that_grows_is_taken_in(row):
    row.resize(400, 60)
    assert not row.is_wrapped
    row.findChildren(QPushButton)[1].setText("another group " * 10)
    row.rewrap()
    assert row.is_wrapped


def test_groups_that_shrink_wrap_only_where_they_cannot_be_narrower(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    groups = QPushButton("one group"), QPushButton("another group")
    for group in groups:
        group.setMinimumWidth(20)
        group.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    least = sum(group.minimumSizeHint().width() for group in groups)
    row = WrappingRow(*groups, window, shrinks=True)
    window.show()
    row.resize(least + 10, 60)
    assert not row.is_wrapped
    row.resize(least - 10, 60)
    assert row.is_wrapped
    assert row.sizeHint().width() >= sum(group.sizeHint().width() for group in groups)
