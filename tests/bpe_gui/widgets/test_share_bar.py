import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_gui.widgets.share_bar import ShareBar


class Paintings(QObject):
    """How often a widget was painted."""

    def __init__(self, widget):
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        self.count += event.type() is QEvent.Type.Paint
        return False


@pytest.fixture
def window(qtbot):
    window = QWidget()
    QVBoxLayout(window)
    qtbot.addWidget(window)
    return window


@pytest.mark.parametrize("total", [100, 10, 0])
def test_nothing_in_the_window_is_painted_before_its_turn(qtbot, window, total):
    bar, other = ShareBar(window), QWidget(window)
    window.layout().addWidget(bar)
    other.setMinimumSize(20, 20)
    window.layout().addWidget(other)
    bar.show_share(50, 100)
    of_bar, of_other = Paintings(bar), Paintings(other)
    window.show()
    qtbot.waitUntil(lambda: of_bar.count > 0 and of_other.count > 0)
    painted = of_bar.count, of_other.count
    other.update()
    bar.show_share(7, total)
    assert (of_bar.count, of_other.count) == painted
    qtbot.waitUntil(lambda: of_bar.count > painted[0] and of_other.count > painted[1])
    assert (bar.value(), bar.maximum()) == (7, total)


def test_it_stays_hidden_where_it_is(window):
    bar = ShareBar(window)
    bar.hide()
    bar.show_share(1, 2)
    assert (bar.isHidden(), bar.updatesEnabled(), bar.isTextVisible()) == (True, True, False)
