import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from bpe_gui.widgets.fitting_scroll_area import FittingScrollArea


@pytest.fixture
def area(qapp):
    content = QWidget()
    layout = QVBoxLayout(content)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for height in (100, 100, 100, 300, 100):
        part = QWidget()
        part.setFixedSize(80, height)
        layout.addWidget(part)
    area = FittingScrollArea(content)
    area.resize(120, 200)
    area.show()
    QApplication.processEvents()
    yield area
    area.close()
    area.deleteLater()


@pytest.mark.parametrize(
    ("before", "part", "after"),
    [
        (0, 0, 0),  # in sight
        (0, 1, 0),
        (0, 2, 100),  # its end comes to the lower end
        (400, 1, 100),  # its start comes to the upper end
        (0, 3, 300),  # too high: its upper part
        (500, 3, 300),
        (0, 4, 500),
    ],
)
def test_reveal(area, before, part, after):
    area.verticalScrollBar().setValue(before)
    area.reveal(area.widget().layout().itemAt(part).widget())
    assert area.verticalScrollBar().value() == after


def test_it_is_never_narrower_than_its_content(area):
    assert area.minimumSizeHint().width() == 80 + area.verticalScrollBar().sizeHint().width()


def test_it_tells_when_its_content_needs_more_width(area, qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    layout.addWidget(area)
    window.show()
    before = window.minimumSizeHint().width()
    area.widget().layout().itemAt(0).widget().setFixedSize(180, 100)
    qtbot.waitUntil(lambda: window.minimumSizeHint().width() == before + 100)
    area.setParent(None)
