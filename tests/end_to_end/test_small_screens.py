"""The window and its dialogs fit a small screen, also with large letters."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from bpe_gui.main_window import MainWindow
from bpe_gui.training import TrainingState
from core.corpus import Corpus
from tests.end_to_end.conftest import ALICE


@pytest.fixture(params=[(10, 900), (20, 1_280)], ids=["10 points", "20 points"])
def most_width(request, qapp: QApplication) -> Iterator[int]:
    """What the window may need at that size of letters."""
    points, width = request.param
    before = qapp.font()
    font = QFont(before)
    font.setPointSizeF(points)
    qapp.setFont(font)
    yield width
    qapp.setFont(before)


def test_the_window_fits_a_small_screen_at_rest(most_width, window: MainWindow):
    assert window.minimumSizeHint().width() < most_width


def test_the_window_fits_a_small_screen_after_training(most_width, window: MainWindow, qtbot):
    window.session.replace_corpus(text_corpus())
    window.train(merges=50)
    qtbot.waitUntil(lambda: window.training.state is TrainingState.IDLE and window.session.last_step == 50)
    for panel in (window.charts_dock, window.measures_dock):
        panel.raise_()
        QApplication.processEvents()
        assert window.minimumSizeHint().width() < most_width


def text_corpus():
    return Corpus.typed(ALICE.read_text(encoding="utf-8"))
