"""A text that was typed, and then a file is opened over it."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication

from bpe_gui import app
from bpe_gui.main_window import MainWindow
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.corpus_edit import CorpusEdit
from tests.end_to_end.conftest import ALICE


@pytest.fixture
def new_window(settings: Settings, theme: Theme) -> Iterator[Callable[[], MainWindow]]:
    windows: list[MainWindow] = []

    def make() -> MainWindow:
        windows.append(MainWindow(settings, theme))
        return windows[-1]

    yield make
    for window in windows:
        window.close()
        window.deleteLater()


def test_it_comes_back_by_the_menu_after_a_restart(
    qtbot, window: MainWindow, new_window: Callable[[], MainWindow]
) -> None:
    edit = window.corpus_dock.findChild(CorpusEdit)
    assert not window.actions_.bring_back.isEnabled()
    with qtbot.waitSignal(window.opener.opened):
        qtbot.keyClicks(edit, "typed just now")
        window.opener.open_path(ALICE)
    assert "File > Bring back the typed text (Ctrl+Shift+T)" in window.statusBar().currentMessage()
    window.close()
    again = new_window()
    with qtbot.waitSignal(again.opener.opened):
        assert again.draft.restore()
    assert again.session.corpus.path == ALICE
    assert not again.statusBar().currentMessage()
    assert again.actions_.bring_back in again.menuBar().actions()[0].menu().actions()
    with qtbot.waitSignal(again.opener.opened):
        again.actions_.bring_back.trigger()
    assert again.session.corpus.text == "typed just now"
    assert again.corpus_dock.findChild(CorpusEdit).toPlainText() == "typed just now"
    assert not again.actions_.bring_back.isEnabled()


@pytest.mark.parametrize("name", ["alice_50k.txt", "missing.txt"])
def test_a_file_on_the_command_line_leaves_it(
    qtbot, monkeypatch, window: MainWindow, settings: Settings, theme: Theme, qapp: QApplication, name: str
) -> None:
    qtbot.keyClicks(window.corpus_dock.findChild(CorpusEdit), "typed last time")
    window.close()
    seen: list[tuple[str, bool]] = []
    windows: list[MainWindow] = []

    def look(*_: object) -> int:
        opener = windows[0].opener
        qtbot.waitUntil(lambda: not opener.is_opening)
        seen.append((windows[0].session.corpus.name, windows[0].actions_.bring_back.isEnabled()))
        windows[0].close()
        return 0

    def make(*collaborators: object) -> MainWindow:
        windows.append(MainWindow(settings, theme))
        return windows[0]

    monkeypatch.setattr(app, "MainWindow", make)
    monkeypatch.setattr(app, "Settings", lambda: settings)
    monkeypatch.setattr(app, "Theme", lambda _: theme)
    monkeypatch.setattr(app.sys, "excepthook", app.sys.excepthook)
    monkeypatch.setattr(QApplication, "exec", look)
    assert app.run_window(qapp, app.make_parser().parse_args([str(ALICE.with_name(name))])) == 0
    if name == "missing.txt":
        assert seen == [("your text", False)]
        assert (settings.folder / "draft.txt").read_text() == "typed last time"
    else:
        assert seen == [("alice_50k.txt", True)]
        assert (settings.folder / "replaced.txt").read_text() == "typed last time"
