from pathlib import Path

import pytest
from PySide6.QtGui import QAction

from bpe_gui.opener import Opener
from bpe_gui.widgets.recent_menu import RecentMenu
from core.corpus_source import CorpusSource
from core.model_source import ModelSource


@pytest.fixture
def opener(session, settings):
    opener = Opener(session, settings)
    yield opener
    opener.deleteLater()


@pytest.fixture
def menu(settings, opener):
    clear = QAction("Clear", opener)
    menu = RecentMenu(settings, opener, clear)
    yield menu
    menu.deleteLater()


def titles(menu):
    return [action.text() for action in menu.actions() if action.text()]


def test_an_empty_list(menu):
    assert not menu.isEnabled()
    assert titles(menu) == ["Clear"]


def test_entries_say_what_they_open(menu, settings):
    words = CorpusSource((Path("/texts/w&w.txt"),), is_word_counts=True)
    several = CorpusSource((Path("/texts/<b>春.txt"), Path("/texts/b.txt")), "gb18030")
    settings.add_recent_source(words)
    settings.add_recent_source(several)
    assert menu.isEnabled()
    assert titles(menu) == ["&1  <b>春.txt and 1 more", "&2  w&&w.txt (word counts)", "Clear"]
    lines = [str(path.absolute()).replace("<b>", "&lt;b&gt;") for path in several.paths]
    assert menu.actions()[0].toolTip() == "<p style='white-space: pre'>" + "\n".join([*lines, "read as GB18030</p>"])


def test_a_tokenizer_is_told_from_a_text(menu, settings):
    settings.add_recent_source(ModelSource(Path("/models/q<b>&w3/tokenizer.json"), "gpt2"))
    assert titles(menu) == ["&1  q<b>&&w3 (tokenizer)", "Clear"]
    assert menu.actions()[0].toolTip() == (
        "<p style='white-space: pre'>/models/q&lt;b&gt;&amp;w3/tokenizer.json\n"
        "read as a tokenizer\ntexts are cut by gpt2</p>"
    )


def test_a_long_name_is_shortened(menu, settings):
    settings.add_recent_source(CorpusSource((Path("/texts", "长" * 200 + ".txt"),)))
    (title, _) = titles(menu)
    assert "…" in title
    assert title.endswith(".txt")
    assert menu.fontMetrics().horizontalAdvance(title) < 40 * menu.fontMetrics().height()


def test_a_set_is_opened_again(menu, session, settings, opener, tmp_path, qtbot):
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text(name)
    settings.add_recent_source(CorpusSource((tmp_path / "b.txt", tmp_path / "a.txt")))
    with qtbot.waitSignal(opener.opened):
        menu.actions()[0].trigger()
    assert session.corpus.text == "b.txt\na.txt"
    settings.clear_recent_files()
    assert titles(menu) == ["Clear"]
