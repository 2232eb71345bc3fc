"""What the badge says of a round trip."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import QToolTip

from bpe_gui.widgets.round_trip_badge import RoundTripBadge, Verdict
from core.round_trip import RoundTrip

EXACT = RoundTrip(True, "ab", None, "The text comes back exactly as it was.")
CHANGED = RoundTrip(False, "<b>", 0, "At character 1, ‘a’ comes back as ‘<b>’.")
LOSS = "Line ends are dropped."


@pytest.fixture
def badge(qtbot, theme) -> RoundTripBadge:
    badge = RoundTripBadge(theme)
    qtbot.addWidget(badge)
    badge.resize(400, 30)
    return badge


def tip(badge: RoundTripBadge) -> str:
    return QTextDocumentFragment.fromHtml(badge.toolTip()).toPlainText()


def test_says_nothing_at_first(badge):
    assert badge.isHidden()
    assert badge.message == ""


def test_a_text_that_comes_back(badge):
    badge.show_trip(EXACT, ())
    assert (badge.message, badge.verdict) == ("Comes back exactly", Verdict.EXACT)
    assert "Every text comes back exactly" in tip(badge)


def test_a_text_that_comes_back_where_not_every_text_does(badge):
    badge.show_trip(EXACT, (LOSS,), "These are the first 5 characters.")
    assert badge.verdict is Verdict.EXACT
    assert "not every text comes back:" in tip(badge)
    assert LOSS in tip(badge)
    assert "first 5 characters" in badge.accessibleDescription()


def test_the_first_difference_is_named_and_markup_is_text(badge):
    badge.show_trip(CHANGED, (LOSS,))
    assert (badge.message, badge.verdict) == (CHANGED.message, Verdict.CHANGED)
    assert "‘<b>’" in tip(badge)


def test_an_open_question(badge):
    badge.show_open("Checking…")
    assert (badge.message, badge.verdict) == ("Checking…", Verdict.OPEN)
    badge.clear()
    assert badge.isHidden()


def test_the_keyboard_reaches_the_explanation(qtbot, badge):
    badge.show_trip(CHANGED, (LOSS,))
    qtbot.waitExposed(badge)
    badge.setFocus()
    qtbot.keyClick(badge, Qt.Key.Key_Space)
    qtbot.waitUntil(QToolTip.isVisible)
    assert LOSS in QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText()
    QToolTip.hideText()


def test_with_little_room_a_good_verdict_is_short(badge):
    badge.show_trip(EXACT, ())
    assert badge._fitting(500) == "Comes back exactly"
    assert badge._fitting(badge.fontMetrics().horizontalAdvance("Exact") + 2) == "Exact"
    assert badge._fitting(5) == ""
    badge.show_trip(CHANGED, ())
    assert badge._fitting(badge.fontMetrics().averageCharWidth() * 20).endswith("…")
    assert badge._fitting(badge.fontMetrics().horizontalAdvance("Changed") + 2) == "Changed"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_it_is_painted(badge, settings, mode):
    settings.set(settings.THEME, mode)
    for trip in (EXACT, CHANGED):
        badge.show_trip(trip, ())
        assert not badge.grab().isNull()


def test_its_place_does_not_depend_on_what_it_says(badge):
    badge.show_trip(EXACT, ())
    before = badge.sizeHint()
    badge.show_trip(CHANGED, ())
    assert badge.sizeHint() == before
    assert badge.sizePolicy().retainSizeWhenHidden()
