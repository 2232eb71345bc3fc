import pytest
from PySide6.QtCore import Qt

from bpe_gui.held_out_text import PhaseProgress
from bpe_gui.widgets.job_bar import JobBar
from core.progress import Progress


@pytest.fixture
def bar(theme, qtbot):
    bar = JobBar(theme)
    qtbot.addWidget(bar)
    return bar


def test_shows_what_is_done_and_how_far_it_has_come(bar):
    bar.show_job("alice.txt")
    assert bar.isVisible()
    assert bar.bar.maximum() == 0  # nobody knows yet
    bar.show_progress(PhaseProgress("Encoding", Progress(1, 4)))
    assert bar.text.text() == "Encoding: alice.txt"
    assert (bar.bar.value(), bar.bar.maximum()) == (250, 1_000)
    bar.show_job(None)
    assert not bar.isVisible()


def test_a_size_of_zero_is_no_share(bar):
    bar.show_job("empty.txt")
    bar.show_progress(PhaseProgress("Reading", Progress(0, 0)))
    assert bar.bar.maximum() == 0


def test_can_be_cancelled(bar, qtbot):
    bar.show_job("alice.txt")
    with qtbot.waitSignal(bar.cancel_wanted):
        qtbot.mouseClick(bar.cancel, Qt.MouseButton.LeftButton)
