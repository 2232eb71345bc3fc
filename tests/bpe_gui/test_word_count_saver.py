import pytest
from PySide6.QtWidgets import QFileDialog

from bpe_gui.settings import Settings
from bpe_gui.word_count_saver import WordCountSaver, suggested_stem
from core.corpus import Corpus, load_corpora
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.word_counts import load_word_counts
from core.word_facts import WordFacts

CORPUS = Corpus.typed("low lower low")
WORDS = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])


@pytest.fixture
def saver(settings):
    saver = WordCountSaver(settings)
    yield saver
    saver.deleteLater()


def test_the_words_are_those_of_the_pipeline(saver, settings, tmp_path, qtbot):
    path = tmp_path / "words.txt"
    with qtbot.waitSignals([saver.saving, saver.progressed]), qtbot.waitSignal(saver.saved) as saved:
        saver.save(CORPUS, WORDS, path)
        assert saver.is_saving
    assert saved.args == [path, WordFacts(3, 2)]
    assert path.read_bytes() == b"low 2\nlower 1\n"
    assert not saver.is_saving
    assert settings.text(Settings.LAST_FOLDER) == str(tmp_path)
    with qtbot.waitSignal(saver.saved):
        saver.save(CORPUS, Pipeline(), path)
    assert path.read_bytes() == b"low 1\n lower 1\n low 1\n"


def test_a_list_is_saved_as_it_was_given(saver, tmp_path, qtbot):
    path = tmp_path / "words.txt"
    path.write_bytes(b"new york 6\nlow 5\n")
    corpus = load_word_counts(path)
    with qtbot.waitSignal(saver.saved):
        saver.save(corpus, WORDS, tmp_path / "copy.txt")
    assert (tmp_path / "copy.txt").read_bytes() == path.read_bytes()
    assert corpus.given_counts == {"new york": 6, "low": 5}  # what was written is forgotten, not what was read


def test_what_is_saved_can_be_opened(saver, tmp_path, qtbot):
    corpus = Corpus.typed("\ufeffeins  zwei\r\n\u2028drei 春眠 3\n")
    with qtbot.waitSignal(saver.saved):
        saver.save(corpus, Pipeline(), tmp_path / "words.txt")
    read = load_word_counts(tmp_path / "words.txt").given_counts
    assert "".join(read) == corpus.text
    assert set(read.values()) == {1}


def test_a_folder_that_is_not_there(saver, tmp_path, qtbot):
    with qtbot.waitSignal(saver.failed) as failed:
        saver.save(CORPUS, WORDS, tmp_path / "no" / "words.txt")
    assert "there is no folder" in failed.args[0]


def test_a_pattern_that_fails_on_the_text(saver, tmp_path, qtbot):
    with qtbot.waitSignal(saver.failed) as failed:
        saver.save(Corpus.typed("az"), Pipeline(pre_tokenizer=custom("(?=z)|a")), tmp_path / "words.txt")
    assert "matches nothing at character 2" in failed.args[0]
    assert not (tmp_path / "words.txt").exists()


def test_a_cancelled_saving_leaves_the_old_file(saver, tmp_path, qtbot):
    path = tmp_path / "words.txt"
    path.write_text("old 1\n")
    with qtbot.waitSignal(saver.progressed):
        saver.save(Corpus.typed("low lower newest\n" * 200_000), WORDS, path)
    with qtbot.waitSignal(saver.cancelled), qtbot.assertNotEmitted(saver.saved):
        saver.cancel()
    with qtbot.assertNotEmitted(saver.cancelled):
        saver.cancel()
    assert path.read_text() == "old 1\n"


def test_the_dialog_suggests_a_name(saver, settings, tmp_path, monkeypatch, qtbot):
    settings.set(Settings.LAST_FOLDER, str(tmp_path))
    asked = []

    def choose(parent, title, suggestion, filters):
        asked.append(suggestion)
        return suggestion, filters

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    with qtbot.waitSignal(saver.saved):
        saver.save_with_dialog(CORPUS, WORDS, None)
    assert asked == [str(tmp_path / "corpus-word-counts.txt")]
    assert (tmp_path / "corpus-word-counts.txt").exists()


def test_a_cancelled_dialog_saves_nothing(saver, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    with qtbot.assertNotEmitted(saver.saving):
        saver.save_with_dialog(CORPUS, WORDS, None)


def test_suggested_names(tmp_path):
    for name in ("春.txt", "b.txt"):
        (tmp_path / name).write_text("x")
    assert suggested_stem(load_corpora([tmp_path / "春.txt", tmp_path / "b.txt"])) == "春"
    assert suggested_stem(CORPUS) == "corpus"


def test_closing_while_words_are_counted_leaves_no_thread(settings, tmp_path):
    saver = WordCountSaver(settings)
    saver.save(Corpus.typed("low lower newest\n" * 200_000), WORDS, tmp_path / "words.txt")
    saver.deleteLater()
