import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QTableView, QWidget

from bpe_gui.actions import Actions
from bpe_gui.dialogs.shortcuts_dialog import ShortcutsDialog
from bpe_gui.playback import Playback


@pytest.fixture
def actions(session, training, replaced_text, settings, theme):
    window = QWidget()
    yield Actions(session, training, Playback(session, window), replaced_text, settings, theme, window)
    window.deleteLater()


@pytest.fixture
def dialog(actions):
    dialog = ShortcutsDialog(actions)
    dialog.show()
    yield dialog
    dialog.close()
    dialog.deleteLater()


def rows(dialog):
    model = dialog.findChild(QTableView).model()
    return [tuple(model.index(row, column).data() for column in range(3)) for row in range(model.rowCount())]


def test_every_action_in_the_order_of_the_menus(dialog, actions):
    shown = rows(dialog)
    assert len(shown) == len(actions.all())
    tip = "Open a text, several as one corpus, or a tokenizer: what it is shows by its content"
    assert shown[0] == ("Open", "Ctrl+O", tip)
    assert ("Train", "F5", "Learn merges from the corpus, from the first one on") in shown
    names = [name for name, _, _ in shown]
    assert names.index("Train") < names.index("First step") < names.index("About bpe-gui")
    assert not [name for name in names if "&" in name]


@pytest.mark.parametrize(
    ("text", "names"), [("f6", ["Pause"]), ("CLIPBOARD", ["Paste as corpus"]), ("reset", ["Reset layout"]), ("(", [])]
)
def test_the_filter_looks_at_every_column(dialog, text, names, qtbot):
    qtbot.keyClicks(dialog.findChild(QLineEdit), text)
    assert [name for name, _, _ in rows(dialog)] == names


def test_typing_filters_at_once_and_escape_closes(dialog, qtbot):
    assert dialog.focusWidget() is dialog.findChild(QLineEdit)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
