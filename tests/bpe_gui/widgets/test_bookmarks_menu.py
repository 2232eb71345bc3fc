import pytest
from PySide6.QtGui import QAction

from bpe_gui.dialogs.bookmark_dialog import BookmarkDialog
from bpe_gui.widgets.bookmarks_menu import MAX_LISTED, BookmarksMenu
from core.bookmarks import Bookmark


@pytest.fixture
def menu(session):
    menu = BookmarksMenu(session, [QAction("Mark", session)])
    yield menu
    menu.deleteLater()


def entries(menu):
    menu.fill()
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def test_without_marks_it_says_so(menu):
    assert entries(menu) == ["Mark", "No step is marked yet"]


def test_each_entry_goes_to_its_step(menu, session, recording):
    session.replace_recording(recording)
    session.set_bookmarks((Bookmark(1, ""), Bookmark(3, "<b>R&D")))
    one, three = entries(menu)[1:]
    assert one.startswith("step 1: ")
    assert three.startswith("step 3: <b>R&&D (")
    assert "&lt;b&gt;R&amp;D" in menu.actions()[-1].toolTip()
    menu.actions()[-1].trigger()
    assert session.step == 3


def test_a_long_list_is_cut(menu, session, recording):
    session.replace_recording(recording)
    session.set_bookmarks(tuple(Bookmark(step, "x") for step in range(100)))
    assert len(entries(menu)) == 1 + MAX_LISTED + 1
    assert entries(menu)[-1] == "and 60 more"


def test_a_step_is_named(session, recording, qtbot):
    session.replace_recording(recording)
    session.go_to(2)
    dialog = BookmarkDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClicks(dialog.name, "digits")
    dialog.name.returnPressed.emit()
    dialog._store()
    assert session.bookmarks == (Bookmark(2, "digits"),)
    again = BookmarkDialog(session)
    qtbot.addWidget(again)
    assert again.name.text() == "digits"
    session.replace_recording(recording)
    assert not again.isVisible()
