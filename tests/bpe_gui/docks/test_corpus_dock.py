from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QToolButton

from bpe_gui.docks.corpus_dock import CorpusDock
from bpe_gui.opener import Opener
from bpe_gui.settings import Settings
from bpe_gui.widgets.corpus_edit import CorpusEdit
from bpe_gui.word_count_saver import WordCountSaver
from core.corpus import Corpus, Pipeline, load_corpus
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.trainer import TrainerConfig


@pytest.fixture
def opener(session, settings):
    opener = Opener(session, settings)
    yield opener
    opener.deleteLater()


@pytest.fixture
def saver(settings):
    saver = WordCountSaver(settings)
    yield saver
    saver.deleteLater()


@pytest.fixture
def dock(session, opener, saver, training, settings, theme, qtbot):
    dock = CorpusDock(session, opener, saver, training, settings, theme)
    dock.show()
    yield dock
    dock.close()
    dock.deleteLater()


@pytest.fixture
def edit(dock):
    return dock.findChild(CorpusEdit)


def label(dock, name):
    return next(label for label in dock.findChildren(QLabel) if label.accessibleName() == name)


def show(session, text, name="some text"):
    session.replace_corpus(Corpus.typed(text, name))


def test_an_empty_pane_says_how_to_fill_it(dock, edit):
    assert dock.objectName() == "corpus"
    assert "drop files" in edit.placeholderText()
    assert label(dock, "bytes").text() == "0"


def test_typing_becomes_the_corpus(edit, session, qtbot):
    with qtbot.waitSignal(session.corpus_replaced):
        qtbot.keyClicks(edit, "low lower")
    assert session.corpus.text == "low lower"
    assert session.corpus.name == "typed text"
    assert edit.textCursor().position() == 9


def test_flush_does_not_wait(dock, edit, session, qtbot):
    qtbot.keyClicks(edit, "low")
    assert session.corpus.text == ""
    dock.flush()
    assert session.corpus.text == "low"
    with qtbot.assertNotEmitted(session.corpus_replaced):
        dock.flush()


def test_undo_after_the_session_has_taken_the_edit(dock, edit, session, qtbot):
    show(session, "low")
    qtbot.keyClicks(edit, "s")
    dock.flush()
    assert session.corpus.text == "slow"
    qtbot.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    dock.flush()
    assert session.corpus.text == "low"


@pytest.mark.parametrize(
    "text", ["a\r\nb\rc\u2029d", "\0\u00a0\u2028x", "\ufdd0 \ufdd1", "e\u0301😀\u202e", "\ufeffx", "\ufffexy"]
)
def test_a_text_stays_what_it_is_until_it_is_edited(dock, edit, session, text, qtbot):
    show(session, text)
    dock.flush()
    assert session.corpus.text == text
    qtbot.keyClicks(edit, "!")
    dock.flush()
    assert session.corpus.text == "!" + text


def test_another_corpus_drops_the_edit_that_was_pending(dock, edit, session, qtbot):
    qtbot.keyClicks(edit, "typed")
    show(session, "opened")
    dock.flush()
    assert session.corpus.text == "opened"
    assert edit.toPlainText() == "opened"


def test_a_large_text_is_shown_in_part_and_not_editable(dock, edit, session):
    text = "1234567 abcdefgh\n" * 100_000
    show(session, text)
    assert edit.isReadOnly()
    assert len(edit.toPlainText()) == 50_000
    assert "50,000 of 1,700,000" in label(dock, "What the pane leaves out").text()
    dock.flush()
    assert session.corpus.text == text
    show(session, "short")
    assert not edit.isReadOnly()
    assert label(dock, "What the pane leaves out").isHidden()


def test_pasting_takes_plain_text(dock, edit, session):
    mime = QMimeData()
    mime.setHtml("<b>bold</b>")
    mime.setText("plain\u00a0text")
    edit.insertFromMimeData(mime)
    dock.flush()
    assert session.corpus.text == "plain\u00a0text"


def test_pasting_more_than_can_be_edited(dock, edit, opener, session, qtbot):
    show(session, "start end")
    cursor = edit.textCursor()
    cursor.setPosition(6)
    edit.setTextCursor(cursor)
    QGuiApplication.clipboard().setText("x\n" * 150_000)
    with qtbot.waitSignal(opener.opened):
        edit.paste()
    assert session.corpus.text == "start " + "x\n" * 150_000 + "end"
    assert edit.isReadOnly()


def test_copying_keeps_no_break_spaces(edit, session):
    show(session, "a\u00a0b\nc")
    edit.selectAll()
    edit.copy()
    assert QGuiApplication.clipboard().text() == "a\u00a0b\nc"


def test_a_dropped_file_is_opened(edit, opener, session, tmp_path, qtbot):
    path = tmp_path / "dropped.txt"
    path.write_text("dropped")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    with qtbot.waitSignal(opener.opened):
        edit.dropEvent(event)
    assert session.corpus.text == "dropped"


def test_numbers(dock, session, qtbot):
    show(session, "天地 low\nlow")
    assert [label(dock, name).text() for name in ("bytes", "characters", "lines")] == ["14", "10", "2"]
    assert label(dock, "encoding").text() == "UTF-8 (typed)"
    qtbot.waitUntil(lambda: label(dock, "words").text() == "4")
    assert label(dock, "unique words").text() == "4"
    dock.set_pipeline(Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    assert label(dock, "words").text() == "…"
    qtbot.waitUntil(lambda: label(dock, "words").text() == "3")
    assert label(dock, "unique words").text() == "2"


def shown_names(dock):
    return [label.text() for label in dock.findChildren(QLabel) if label.text() in ("line", "lines", "word", "words")]


def test_one_line_is_not_one_lines(dock, session, qtbot):
    show(session, "low")
    qtbot.waitUntil(lambda: label(dock, "words").text() == "1")
    assert shown_names(dock) == ["line", "word"]
    show(session, "low\nlow\n")
    qtbot.waitUntil(lambda: label(dock, "words").text() != "1" and label(dock, "words").text() != "…")
    assert shown_names(dock) == ["lines", "words"]


def test_utf8_that_proves_itself_is_utf8_alone(dock, session, tmp_path):
    path = tmp_path / "plain.txt"
    path.write_text("天地", encoding="utf-8")
    session.replace_corpus(load_corpus(path))
    assert label(dock, "encoding").text() == "UTF-8"
    assert label(dock, "encoding").toolTip() == "How bytes became text: valid UTF-8"


def test_what_a_pattern_leaves_out(dock, session, qtbot):
    show(session, "low <img src=x> LOW")
    dock.set_pipeline(Pipeline(pre_tokenizer=custom("[a-z]+")))
    notes = label(dock, "Notes about the text")
    qtbot.waitUntil(notes.isVisible)
    assert notes.text() == "6 characters are matched by no word, e.g. '<' at 5, '=' at 13, '>' at 15."
    assert notes.textFormat() is Qt.TextFormat.PlainText
    dock.set_pipeline(Pipeline())
    qtbot.waitUntil(notes.isHidden)


def test_a_pattern_that_fails_on_the_text(dock, session, qtbot):
    show(session, "aab")
    dock.set_pipeline(Pipeline(pre_tokenizer=custom("b|(?=aa)a*?(?=ab)|a")))
    qtbot.waitUntil(lambda: label(dock, "words").text() != "…")
    assert label(dock, "words").text() in ("–", "3")


def test_notes_of_a_file(dock, session, tmp_path):
    path = tmp_path / "bom.txt"
    path.write_bytes(b"\xef\xbb\xbfa\0b")
    session.replace_corpus(load_corpus(path))
    assert label(dock, "Notes about the text").text() == (
        "A byte order mark at the start was removed.\nThe text contains 1 NUL character."
    )
    assert label(dock, "encoding").text() == "UTF-8 (byte order mark)"


def choose_encoding(dock, name):
    combo = dock.findChild(QComboBox)
    combo.setCurrentText(name)
    combo.activated.emit(combo.currentIndex())
    return combo


def test_another_encoding(dock, opener, session, tmp_path, qtbot):
    path = tmp_path / "latin.txt"
    path.write_bytes("déjà vu\n".encode("cp1252"))
    session.replace_corpus(load_corpus(path))
    with qtbot.waitSignal(opener.opened):
        combo = choose_encoding(dock, "CP1251")
    assert session.corpus.text == "dйjа vu\n"
    assert label(dock, "encoding").text() == "CP1251 (chosen)"
    assert combo.currentText() == "CP1251"
    with qtbot.waitSignal(opener.opened):
        choose_encoding(dock, "Detect")
    assert session.corpus.text == "déjà vu\n"


def test_an_encoding_that_does_not_fit_leaves_all_as_it_was(dock, opener, session, tmp_path, qtbot):
    path = tmp_path / "latin.txt"
    path.write_bytes("déjà vu\n".encode("cp1252"))
    session.replace_corpus(before := load_corpus(path))
    with qtbot.waitSignal(opener.failed):
        combo = choose_encoding(dock, "UTF-8")
    assert session.corpus is before
    assert combo.currentText() == "Detect"


def test_only_a_file_has_a_choice_of_encodings(dock, session, tmp_path):
    combo = dock.findChild(QComboBox)
    assert not combo.isEnabled()
    (tmp_path / "a.txt").write_text("a")
    session.replace_corpus(load_corpus(tmp_path / "a.txt"))
    assert combo.isEnabled()


def test_a_long_reading_can_be_cancelled(dock, opener, session, qtbot):
    cancel = next(b for b in dock.findChildren(QToolButton) if b.accessibleName() == "Cancel opening")
    opener.opening.emit("large.txt")
    qtbot.waitUntil(cancel.isVisible)
    with qtbot.waitSignal(opener.cancelled):
        opener.take_text("x", "large.txt")
        qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert not cancel.isVisible()
    assert session.corpus.text == ""


def test_an_edit_during_training_does_not_disturb_the_run(dock, edit, session, training, qtbot):
    show(session, "low lower newest widest low lower", "words")
    training.start(session.corpus, Pipeline(), TrainerConfig(), paused=True)
    qtbot.waitUntil(lambda: session.last_step == 1)
    qtbot.keyClicks(edit, "x")
    dock.flush()
    freshness = label(dock, "Whether training knows this text")
    assert freshness.text() == "Training goes on with the text it began with."
    training.resume()
    qtbot.waitUntil(lambda: not training.is_active)
    assert session.recording.corpus.text == "low lower newest widest low lower"
    assert freshness.text() == "The merges shown were learned from another text: words."
    qtbot.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    dock.flush()
    assert freshness.isHidden()


def test_the_font_follows_the_settings(edit, settings):
    settings.set(Settings.TEXT_POINTS, 21)
    assert edit.font().pointSizeF() == 21


def test_closing_while_words_are_counted_leaves_no_thread(session, opener, saver, training, settings, theme, qtbot):
    show(session, "low lower newest\n" * 200_000)
    dock = CorpusDock(session, opener, saver, training, settings, theme)
    dock._count()
    dock.deleteLater()


NASTY = Path(__file__).parents[2] / "data" / "nasty"


@pytest.mark.parametrize("path", sorted(NASTY.glob("*.txt")), ids=lambda path: path.name)
def test_a_nasty_text_keeps_every_character(dock, edit, session, path, qtbot):
    session.replace_corpus(load_corpus(path))
    text = session.corpus.text
    qtbot.keyClicks(edit, "!")
    dock.flush()
    assert session.corpus.text == "!" + text
