import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QToolButton

from bpe_gui.docks.corpus_dock import CorpusDock
from bpe_gui.opener import Opener
from bpe_gui.settings import Settings
from bpe_gui.widgets.corpus_edit import CorpusEdit
from bpe_gui.widgets.corpus_facts import short_number
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.reading_hint import ReadingHint
from bpe_gui.word_count_saver import WordCountSaver
from core.corpus import Corpus, load_corpora, load_corpus, read_corpora
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.progress import without_progress
from core.trainer import TrainerConfig
from core.word_counts import load_word_counts
from core.word_facts import WordFacts


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


def test_what_is_typed_while_a_file_is_read_is_in_the_text_that_it_replaces(session, opener, edit, qtbot):
    replaced = []
    opener.replaced.connect(replaced.append)
    with qtbot.waitSignal(opener.opened):
        edit.setPlainText("typed a moment ago")
        opener.open_sample("emoji.txt")
    assert [corpus.text for corpus in replaced] == ["typed a moment ago"]
    assert session.corpus.name == "emoji.txt"


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


def written(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.fixture
def three_files(tmp_path):
    return (
        written(tmp_path, "<b>one.txt", "low\n"),
        written(tmp_path, "春眠.txt", "不觉晓"),
        written(tmp_path, "three.txt", "lower\n"),
    )


def test_dropped_files_are_one_corpus(edit, opener, session, three_files, qtbot):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in three_files])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    with qtbot.waitSignal(opener.opened):
        edit.dropEvent(event)
    assert session.corpus.paths == three_files
    assert edit.toPlainText() == "low\n不觉晓\nlower\n"
    assert not edit.isReadOnly()


def test_facts_of_several_files(dock, session, three_files):
    session.replace_corpus(load_corpora(three_files))
    listing = "\n".join(map(str, three_files)).replace("<b>", "&lt;b&gt;")
    files, name = (
        label(dock, "files"),
        next(one for one in dock.findChildren(ElidingLabel) if one.text().startswith("3 files")),
    )
    assert (files.text(), files.isHidden()) == ("3", False)
    assert listing in files.toolTip()
    assert listing in name.toolTip()
    assert name.text() == "3 files: <b>one.txt, 春眠.txt, three.txt"
    assert label(dock, "encoding").text() == "UTF-8"
    show(session, "low")
    assert files.isHidden()


def test_files_of_several_encodings(dock, session, tmp_path):
    one = written(
        tmp_path, "one.txt", "Les éléphants étaient arrivés à la mer, où il faisait très chaud.\n" * 9, "cp1252"
    )
    two = written(tmp_path, "two.txt", "春眠不觉晓\n")
    session.replace_corpus(load_corpora([one, two]))
    assert label(dock, "encoding").text() == "CP1252, UTF-8"
    assert "guessed" in [one.text() for one in dock.findChildren(QLabel)]
    assert "one.txt is in CP1252 (guessed)." in label(dock, "Notes about the text").text()


def test_several_files_can_be_read_in_another_encoding(dock, opener, session, tmp_path, qtbot):
    one, two = written(tmp_path, "one.txt", "é\n"), written(tmp_path, "two.txt", "ü\n")
    session.replace_corpus(load_corpora([one, two]))
    with qtbot.waitSignal(opener.opened):
        choose_encoding(dock, "CP1252")
    assert session.corpus.paths == (one, two)
    assert session.corpus.text == "Ã©\nÃ¼\n"
    assert dock.findChild(QComboBox).currentText() == "CP1252"
    with qtbot.waitSignal(opener.opened):
        choose_encoding(dock, "Detect")
    assert session.corpus.text == "é\nü\n"


def test_an_edit_of_several_files_is_a_text_of_its_own(dock, edit, session, three_files, qtbot):
    session.replace_corpus(load_corpora(three_files))
    qtbot.keyClicks(edit, "!")
    dock.flush()
    assert session.corpus.text == "!low\n不觉晓\nlower\n"
    assert session.corpus.paths == ()
    assert session.corpus.name.endswith("three.txt (edited)")


@pytest.fixture
def words(tmp_path):
    return written(tmp_path, "words.txt", "<img src=x> 2\nnew york 60\n\u00a0low 5\n")


def test_a_list_of_word_counts(dock, edit, session, words, qtbot):
    session.replace_corpus(load_word_counts(words))
    assert edit.toPlainText() == "<img src=x> 2\nnew york 60\n low 5"
    assert edit.shown_text() == "<img src=x> 2\nnew york 60\n\u00a0low 5"
    assert edit.isReadOnly()
    assert label(dock, "texts").text() == "–"
    assert not dock.findChild(QComboBox).isEnabled()
    assert dock.findChild(QComboBox).toolTip() == "A list of word counts is always UTF-8"
    assert "Word counts: 3 words, 67 in all." in label(dock, "Notes about the text").text()
    qtbot.waitUntil(lambda: label(dock, "words").text() == "67")
    assert label(dock, "unique words").text() == "3"
    dock.set_pipeline(Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))  # has no say in a list
    assert label(dock, "words").text() == "…"
    qtbot.waitUntil(lambda: label(dock, "words").text() == "67")


def test_a_list_is_not_changed_by_the_pane(dock, edit, session, words, qtbot):
    session.replace_corpus(before := load_word_counts(words))
    qtbot.keyClicks(edit, "x")
    QGuiApplication.clipboard().setText("pasted")
    edit.paste()
    dock.flush()
    assert session.corpus is before


def test_from_text_to_list_and_back(dock, opener, session, edit, words, qtbot):
    session.replace_corpus(load_corpus(words))
    button = dock.findChild(ReadingHint).findChild(QPushButton)
    with qtbot.waitSignal(opener.opened):
        qtbot.keyClick(button, Qt.Key.Key_Space)
    assert session.corpus.given_counts == {"<img src=x>": 2, "new york": 60, "\u00a0low": 5}
    with qtbot.waitSignal(opener.opened):
        qtbot.keyClick(button, Qt.Key.Key_Space)
    assert session.corpus.given_counts is None
    assert not edit.isReadOnly()


def test_a_list_and_its_text_are_not_the_same_to_training(dock, session, training, words, qtbot):
    training.start(load_word_counts(words), Pipeline(), TrainerConfig(merges=3))
    qtbot.waitUntil(lambda: not training.is_active)
    freshness = label(dock, "Whether training knows this text")
    session.replace_corpus(load_word_counts(words))
    assert freshness.isHidden()
    session.replace_corpus(load_corpus(words))
    assert freshness.text() == "The merges shown were learned from another text: words.txt."


def test_a_long_name_does_not_push_the_facts_away(dock, session, training, qtbot):
    show(session, "low low", "长" * 500)
    training.start(session.corpus, Pipeline(), TrainerConfig(merges=1))
    qtbot.waitUntil(lambda: not training.is_active)
    show(session, "other")
    text = label(dock, "Whether training knows this text").text()
    assert text.endswith(f": {'长' * 20}…{'长' * 20}.")


def test_what_is_one_text(dock, session):
    show(session, "one\ntwo\nthree")
    texts = label(dock, "texts")
    assert texts.text() == "1"
    assert texts.toolTip().startswith("The whole corpus is one text.")
    dock.set_pipeline(Pipeline(texts=Texts.LINES))
    assert texts.text() == "3"
    assert texts.toolTip().startswith("Every line is a text of its own, without its line end.")
    dock.set_pipeline(Pipeline(texts=Texts.LINES_WITH_ENDS))
    assert texts.toolTip().startswith("Every line with its line end is a text of its own.")
    show(session, "")
    assert texts.text() == "0"


def test_every_file_may_be_a_text(dock, session, three_files):
    session.replace_corpus(load_corpora(three_files))
    dock.set_pipeline(Pipeline(texts=Texts.FILES))
    assert label(dock, "texts").text() == "3"
    assert label(dock, "texts").toolTip().startswith("Every file is a text of its own.")


def test_numbers_with_many_digits():
    numbers = 9_999_999_999, 149_889_645_156, 2**63 - 1
    assert [short_number(number) for number in numbers] == ["9,999,999,999", "149,890 M", "9,223,372 T"]


def test_saving_can_be_cancelled(dock, saver, session, tmp_path, qtbot):
    cancel = next(b for b in dock.findChildren(QToolButton) if b.accessibleName() == "Cancel saving")
    show(session, "low lower newest\n" * 300_000)
    saver.save(session.corpus, Pipeline(), tmp_path / "words.txt")
    qtbot.waitUntil(cancel.isVisible)
    with qtbot.waitSignal(saver.cancelled):
        qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert not cancel.isVisible()
    assert not (tmp_path / "words.txt").exists()


def test_text_on_the_clipboard_does_not_crash_the_program_at_its_end():
    script = (
        "from PySide6.QtWidgets import QApplication\n"
        "from bpe_gui.widgets.corpus_edit import CorpusEdit\n"
        "app = QApplication([])\n"
        "edit = CorpusEdit()\n"
        "edit.show_text('low')\n"
        "edit.selectAll()\n"
        "edit.copy()\n"
        "print(app.clipboard().text())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "low\n")


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
    assert label(dock, "encoding").toolTip() == "How bytes became text: UTF-8, valid UTF-8"


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


def test_a_large_text_is_shown_in_part_and_not_edited(dock, edit, session, training, tmp_path, monkeypatch):
    monkeypatch.setattr("core.corpus.SHOWN_BYTES", 10)
    path = tmp_path / "large.txt"
    path.write_text("low lower\n" * 200_000)
    session.replace_corpus(large := without_progress(read_corpora([path], most_bytes=1000)))
    assert large.text == "low lower\n" * 104_857
    assert edit.isReadOnly()
    assert remark(dock) == (
        "Showing the beginning of 2 MB. Training reads all of it, from the file; it is too large to edit here."
    )
    assert numbers(dock) == {"bytes": "2,000,000", "characters": "–", "lines": "–", "words": "–", "unique": "–"}
    assert not dock._count_timer.isActive()

    training.words_counted.emit(large, Pipeline(), WordFacts(400_000, 4, notes=("Left out: 3 words.",)))
    assert (numbers(dock)["words"], numbers(dock)["unique"]) == ("400,000", "4")
    assert "Left out: 3 words." in [label.text() for label in dock._facts.findChildren(QLabel)]
    dock.set_pipeline(Pipeline(texts=Texts.LINES))
    assert numbers(dock)["words"] == "–"
    session.replace_corpus(Corpus.typed("low"))
    assert not edit.isReadOnly()
    assert dock._count_timer.isActive()


def remark(dock):
    return next(
        label.text() for label in dock.findChildren(QLabel) if label.accessibleName() == "What the pane leaves out"
    )


def numbers(dock):
    return {name: dock._facts._numbers[name].text() for name in ("bytes", "characters", "lines", "words", "unique")}
