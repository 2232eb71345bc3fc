import pytest
from PySide6.QtWidgets import QProgressBar, QToolButton

from bpe_gui.widgets.progress_row import ProgressRow
from core.progress import Progress


@pytest.fixture
def row(qtbot):
    row = ProgressRow("How much is done", "Cancel it", "Stop it")
    row.resize(400, 30)
    qtbot.addWidget(row)
    return row


def test_work_that_is_short_is_not_shown(row, qtbot):
    row.begin("Reading")
    row.end()
    qtbot.wait(200)
    assert row.isHidden()


def test_work_that_takes_time(row, qtbot):
    row.begin("Reading 100% wool.txt")
    qtbot.waitUntil(row.isVisible)
    bar = row.findChild(QProgressBar)
    assert bar.text() == ""  # nobody knows yet how much there is
    row.show_progress(Progress(1, 4))
    assert (bar.value(), bar.maximum()) == (250, 1_000)
    assert bar.format() == "Reading 100%% wool.txt"
    with qtbot.waitSignal(row.cancel_wanted):
        row.findChild(QToolButton).click()
    row.end()
    assert row.isHidden()


def test_nothing_to_do_is_no_division_by_zero(row):
    row.begin("Reading")
    row.show_progress(Progress(0, 0))
    assert row.findChild(QProgressBar).value() == 0


def test_a_long_name_is_shortened_and_can_be_looked_up(row, qtbot):
    row.begin("Reading " + "长" * 100 + ".txt")
    qtbot.waitUntil(row.isVisible)
    shown = row.findChild(QProgressBar).format()
    assert shown.startswith("Reading 长")
    assert shown.endswith("长.txt")
    assert row.fontMetrics().horizontalAdvance(shown) < 400
    row.resize(200, 30)
    assert row.fontMetrics().horizontalAdvance(row.findChild(QProgressBar).format()) < 200
    assert "长" * 100 in row.findChild(QProgressBar).toolTip()
