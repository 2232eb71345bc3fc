from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from bpe_gui.widgets.eliding_label import ElidingLabel, FactsLabel


def label_of(qtbot, text, width):
    label = ElidingLabel(text)
    qtbot.addWidget(label)
    label.resize(width, 30)
    label.show()
    return label


def test_shows_all_that_fits(qtbot):
    assert label_of(qtbot, "step 1", 300).shown_text() == "step 1"


def test_shortens_in_the_middle(qtbot):
    label = label_of(qtbot, "step 1,234 of 32,000: th + e → the, 5,321 times", 120)
    assert label.shown_text().startswith("st")
    assert label.shown_text().endswith("s")
    assert "…" in label.shown_text()
    assert label.minimumSizeHint().width() == 0
    assert not label.grab().isNull()


def test_keeps_the_numbers_at_both_ends(qtbot):
    label = label_of(qtbot, "", 500)
    label.set_parts("step 1,234 of 32,000 (rank 1,233): ", "ab" * 40 + " + c → " + "ab" * 40 + "c", ", 5,321 times")
    assert label.shown_text().startswith("step 1,234 of 32,000 (rank 1,233): ab")
    assert label.shown_text().endswith("bc, 5,321 times")
    assert label.fontMetrics().horizontalAdvance(label.shown_text()) <= 500
    label.resize(160, 30)
    assert label.shown_text().startswith("step 1,234 of")
    assert label.fontMetrics().horizontalAdvance(label.shown_text()) <= 160


def test_its_tooltip_has_the_whole_text_and_no_markup(qtbot):
    label = label_of(qtbot, "<img src=x> " * 9, 60)
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5))))
    assert QToolTip.text().startswith("<p>&lt;img src=x&gt;")
    QToolTip.hideText()


def test_a_tooltip_of_its_own_goes_first(qtbot):
    label = label_of(qtbot, "word " * 99, 60)
    label.setToolTip("all three files")
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5))))
    assert QToolTip.text() == "all three files"
    QToolTip.hideText()


def test_facts_are_left_out_whole_from_the_last_one_on(qtbot):
    label = FactsLabel()
    qtbot.addWidget(label)
    label.set_facts("512,340 tokens", "1,026,360 characters", "1,026,412 bytes")
    advance = label.fontMetrics().horizontalAdvance
    shown = {}
    for width in range(advance(label.text()) + 1, 30, -1):
        label.resize(width, 30)
        shown[label.shown_text()] = width
        assert advance(label.shown_text()) <= width
    whole, two, one, *shortened = shown
    assert whole == "512,340 tokens  ·  1,026,360 characters  ·  1,026,412 bytes"
    assert (two, one) == ("512,340 tokens  ·  1,026,360 characters", "512,340 tokens")
    assert (shown[two], shown[one]) == (advance(two), advance(one))
    assert all(text.startswith("5") and text.endswith("…") for text in shortened)
    label.set_facts()
    assert (label.text(), label.shown_text()) == ("", "")


def test_the_tooltip_has_the_facts_that_are_left_out(qtbot):
    label = FactsLabel()
    qtbot.addWidget(label)
    label.set_facts("512,340 tokens", "1,026,360 characters")
    label.resize(label.fontMetrics().horizontalAdvance("512,340 tokens") + 9, 30)
    label.show()
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5))))
    assert QToolTip.text() == "<p>512,340 tokens  ·  1,026,360 characters</p>"
    QToolTip.hideText()
