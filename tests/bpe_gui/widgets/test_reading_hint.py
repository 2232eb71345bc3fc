import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from bpe_gui.widgets.reading_hint import ReadingHint
from core.corpus import Corpus, load_corpus
from core.corpus_source import CorpusSource
from core.word_counts import load_word_counts


@pytest.fixture
def hint(qtbot):
    hint = ReadingHint()
    qtbot.addWidget(hint)
    return hint


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("low 5\nlower 2\n")
    return path


def test_an_ordinary_text_has_no_hint(hint, path):
    hint.show_corpus(load_corpus(path))
    assert not hint.isHidden()
    hint.show_corpus(Corpus.typed("low 5"))
    assert hint.isHidden()


def test_a_text_that_looks_like_a_list(hint, path, qtbot):
    hint.show_corpus(load_corpus(path))
    assert hint.findChild(QLabel).text() == "This looks like a list of word counts."
    button = hint.findChild(QPushButton)
    assert button.text() == "Read as word &counts"
    assert button.accessibleName() == "Read as word counts"
    with qtbot.waitSignal(hint.reading_chosen) as chosen:
        button.click()
    assert chosen.args == [CorpusSource((path,), is_word_counts=True)]


def test_a_list_can_be_read_as_a_text(hint, path, qtbot):
    hint.show_corpus(load_word_counts(path))
    assert hint.findChild(QLabel).text() == "A list of word counts; not edited here."
    with qtbot.waitSignal(hint.reading_chosen) as chosen:
        hint.findChild(QPushButton).click()
    assert chosen.args == [CorpusSource((path,))]
