import json
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from bpe_gui.opener import OWN_SOURCE, SAMPLES, Opener, dropped_paths, sample_path
from bpe_gui.settings import Settings
from core.corpus import Corpus, load_corpus
from core.corpus_source import CorpusSource
from core.formats import FORMATS
from core.formats.recording_file import save
from core.model_source import ModelSource
from core.pipeline import Pipeline
from core.recording import record
from core.text_encoding import DetectedBy
from core.trainer import TrainerConfig
from core.word_counts import write_word_counts

NASTY = Path(__file__).parents[1] / "data" / "nasty"
NASTY_FILES = [entry["file"] for entry in json.loads((NASTY / "manifest.json").read_text(encoding="utf-8"))]


@pytest.fixture
def opener(session, settings):
    opener = Opener(session, settings)
    yield opener
    opener.deleteLater()


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"low lower\n")
    return path


def test_a_file_becomes_the_corpus(opener, session, settings, text_file, qtbot):
    with qtbot.waitSignals([opener.opening, opener.progressed, session.corpus_replaced, opener.opened]):
        opener.open_path(text_file)
        assert opener.is_opening
    assert session.corpus.text == "low lower\n"
    assert session.corpus.path == text_file
    assert settings.recent_sources() == [CorpusSource((text_file,))]
    assert settings.text(Settings.LAST_FOLDER) == str(text_file.parent)
    assert not opener.is_opening


def test_an_encoding_can_be_chosen(opener, session, text_file, qtbot):
    text_file.write_bytes("é".encode())
    with qtbot.waitSignal(opener.opened):
        opener.open_path(text_file, "iso8859-1")
    assert session.corpus.text == "Ã©"
    assert session.corpus.detected_by is DetectedBy.CHOSEN


def test_the_text_that_was_there_is_told(opener, session, text_file, qtbot):
    session.replace_corpus(before := Corpus.typed("typed"))
    typed_since = Corpus.typed("typed a moment ago")
    opener.replacing.connect(lambda: session.replace_corpus(typed_since))
    with qtbot.waitSignal(opener.replaced) as replaced:
        opener.open_path(text_file)
        assert session.corpus is before
    assert replaced.args == [typed_since]
    assert session.corpus.path == text_file


def test_a_failure_changes_nothing(opener, session, settings, text_file, qtbot):
    text_file.write_bytes(b"\xff\xfe\xfd")
    before = session.corpus
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(text_file, "utf-8")
    assert "text.txt is not UTF-8" in failed.args[0]
    assert session.corpus is before
    assert settings.recent_sources() == []


def test_a_recent_file_that_vanished_leaves_the_list(opener, settings, text_file, qtbot):
    settings.add_recent_source(CorpusSource((text_file,)))
    text_file.unlink()
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(text_file)
    assert "there is no such file" in failed.args[0]
    assert failed.args[0].endswith("It was taken off the list of recent files.")
    assert settings.recent_sources() == []


def test_a_folder_becomes_the_corpus(opener, session, settings, tmp_path, monkeypatch, qtbot):
    (tmp_path / "texts" / "below").mkdir(parents=True)
    (tmp_path / "texts" / "below" / "b.txt").write_text("lower\n")
    (tmp_path / "texts" / "a.txt").write_text("low\n")
    (tmp_path / "texts" / "picture").write_bytes(b"\x89PNG\r\n\x1a\n")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "texts"))
    with qtbot.waitSignal(opener.opened):
        opener.open_folder_with_dialog(None)
    assert (session.corpus.name, session.corpus.text) == ("texts: 2 files", "low\nlower\n")
    assert session.corpus.notes == ("1 file passed over, not text: picture.",)
    assert settings.recent_sources() == [CorpusSource((tmp_path / "texts",))]
    (tmp_path / "texts" / "c.txt").write_text("newest\n")
    with qtbot.waitSignal(opener.opened):
        opener.open_source(CorpusSource.of(session.corpus))
    assert session.corpus.text == "low\nlower\nnewest\n"


def test_a_folder_without_texts_is_refused(opener, tmp_path, qtbot):
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(tmp_path)
    assert failed.args[0] == f"There is no text file in the folder {tmp_path.name}."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_instead_of_waited_for(opener, tmp_path, qtbot):
    os.mkfifo(tmp_path / "pipe")
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_path(tmp_path / "pipe")
    assert failed.args == ["pipe is a device or pipe, not a text file."]


@pytest.fixture
def three_files(tmp_path):
    names = "b.txt", "春眠.txt", "a.txt"
    for name, text in zip(names, ("low\n", "不觉晓", "lower\n"), strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tuple(tmp_path / name for name in names)


def test_several_files_become_one_corpus_in_their_order(opener, session, settings, three_files, qtbot):
    names, steps = [], []
    opener.opening.connect(names.append)
    opener.progressed.connect(steps.append)
    with qtbot.waitSignal(opener.opened):
        opener.open_paths(three_files)
    assert session.corpus.text == "low\n不觉晓\nlower\n"
    assert session.corpus.paths == three_files
    assert names == ["b.txt and 2 more"]
    assert {step.total for step in steps} == {19}
    assert steps[-1].done == 19
    assert settings.recent_sources() == [CorpusSource(three_files)]


def test_a_fault_in_one_file_leaves_all_as_it_was(opener, session, settings, three_files, qtbot):
    before = session.corpus
    three_files[1].write_bytes(b"\x89PNG\r\n\x1a\n")
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_paths(three_files)
    assert failed.args[0].startswith("春眠.txt looks like a binary file")
    assert session.corpus is before
    assert settings.recent_sources() == []


def test_several_files_can_be_cancelled(opener, session, settings, three_files, qtbot):
    for path in three_files:
        path.write_bytes(b"x" * 10_000_000)
    before = session.corpus
    with qtbot.waitSignal(opener.progressed):
        opener.open_paths(three_files)
    with qtbot.waitSignal(opener.cancelled), qtbot.assertNotEmitted(opener.opened):
        opener.cancel()
    assert session.corpus is before
    assert settings.recent_sources() == []


def test_a_set_with_a_file_that_vanished_leaves_the_list(opener, settings, three_files, qtbot):
    source = CorpusSource(three_files)
    settings.add_recent_source(source)
    settings.add_recent_source(CorpusSource(three_files[:1]))
    three_files[1].unlink()
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_source(source)
    assert failed.args[0].startswith("春眠.txt: there is no such file")
    assert settings.recent_sources() == [CorpusSource(three_files[:1])]


def test_a_fault_that_is_no_missing_file_keeps_the_entry(opener, settings, three_files, qtbot):
    source = CorpusSource(three_files, "utf-16")
    settings.add_recent_source(source)
    with qtbot.waitSignal(opener.failed):
        opener.open_source(source)
    assert settings.recent_sources() == [source]


def test_a_list_of_word_counts(opener, session, settings, text_file, qtbot):
    text_file.write_text("low 5\nlower 2\n")
    source = CorpusSource((text_file,), is_word_counts=True)
    with qtbot.waitSignal(opener.opened):
        opener.open_source(source)
    assert session.corpus.given_counts == {"low": 5, "lower": 2}
    assert settings.recent_sources() == [source]


def test_a_line_that_is_no_word_and_count(opener, session, text_file, qtbot):
    text_file.write_text("low 5\nlower\n")
    before = session.corpus
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_source(CorpusSource((text_file,), is_word_counts=True))
    assert failed.args[0].startswith('text.txt, line 2: there is no space or tab in "lower"')
    assert session.corpus is before


def test_a_relative_path_is_opened_again_from_another_folder(opener, settings, text_file, monkeypatch, qtbot):
    monkeypatch.chdir(text_file.parent)
    with qtbot.waitSignal(opener.opened):
        opener.open_path("text.txt")
    assert settings.recent_sources() == [CorpusSource((text_file,))]


def test_only_the_newest_opening_counts(opener, session, text_file, tmp_path, qtbot):
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 20_000_000)
    opened = []
    opener.opened.connect(opened.append)
    opener.open_path(large)
    with qtbot.waitSignals([opener.cancelled, opener.opened]):
        opener.open_path(text_file)
    assert [corpus.name for corpus in opened] == ["text.txt"]
    assert session.corpus.name == "text.txt"


def test_cancel(opener, session, tmp_path, qtbot):
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 20_000_000)
    before = session.corpus
    opener.open_path(large)
    with qtbot.waitSignal(opener.cancelled):
        opener.cancel()
    qtbot.waitUntil(lambda: not opener.is_opening)
    with qtbot.assertNotEmitted(opener.cancelled):
        opener.cancel()
    assert session.corpus is before


@pytest.mark.parametrize("name", [name for _, name in SAMPLES])
def test_samples(opener, session, settings, name, qtbot):
    with qtbot.waitSignal(opener.opened):
        opener.open_sample(name)
    assert session.corpus.name == name
    assert len(session.corpus.text) > 50
    assert settings.recent_sources() == []


def test_the_own_source_is_the_trainers(opener, session, qtbot):
    assert sample_path(OWN_SOURCE).parent.name == "core"
    with qtbot.waitSignal(opener.opened):
        opener.open_sample(OWN_SOURCE)
    assert "class Trainer:" in session.corpus.text


def test_paste(opener, session, qtbot):
    QGuiApplication.clipboard().setText("天地玄黃\u00a0😀")
    with qtbot.waitSignal(opener.opened):
        opener.paste_clipboard()
    assert session.corpus.text == "天地玄黃\u00a0😀"
    assert session.corpus.name == "pasted text"


def test_paste_without_text(opener, qtbot):
    QGuiApplication.clipboard().clear()
    with qtbot.waitSignal(opener.failed) as failed:
        opener.paste_clipboard()
    assert failed.args == ["There is no text on the clipboard. Copy some text first."]


def test_the_dialog_starts_in_the_last_folder(opener, session, settings, text_file, monkeypatch, qtbot):
    settings.set(Settings.LAST_FOLDER, "/somewhere")
    asked = []

    def choose(parent, title, folder, filters):
        asked.append(folder)
        return [str(text_file)], filters

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", choose)
    with qtbot.waitSignal(opener.opened):
        opener.open_with_dialog(None)
    assert asked == ["/somewhere"]
    assert session.corpus.path == text_file


def test_the_dialog_takes_several_files(opener, session, three_files, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([*map(str, three_files)], ""))
    with qtbot.waitSignal(opener.opened):
        opener.open_with_dialog(None)
    assert session.corpus.paths == three_files


def test_the_dialog_of_word_counts(opener, session, settings, text_file, monkeypatch, qtbot):
    text_file.write_text("low 5\n")
    settings.set(Settings.LAST_FOLDER, "/somewhere")
    asked = []

    def choose(parent, title, folder, filters):
        asked.append(folder)
        return str(text_file), filters

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    with qtbot.waitSignal(opener.opened):
        opener.open_word_counts_with_dialog(None)
    assert asked == ["/somewhere"]
    assert session.corpus.given_counts == {"low": 5}


def test_the_dialog_of_word_counts_opens_all_parts_of_a_table(opener, session, tmp_path, monkeypatch, qtbot):
    pytest.importorskip("pyarrow", reason="Parquet is an extra, which needs pyarrow")
    folder = tmp_path / "words"
    folder.mkdir()
    for number, word in enumerate(["low", "lower"]):
        write_word_counts(folder / f"part-0000{number}.parquet", {word: 5})
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(folder / "part-00001.parquet"), ""))
    with qtbot.waitSignal(opener.opened):
        opener.open_word_counts_with_dialog(None)
    assert session.corpus.path == folder
    assert session.corpus.given_counts == {"low": 5, "lower": 5}


def test_a_cancelled_dialog_opens_nothing(opener, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    with qtbot.assertNotEmitted(opener.opening):
        opener.open_with_dialog(None)
        opener.open_word_counts_with_dialog(None)
        opener.open_folder_with_dialog(None)


@pytest.mark.parametrize("name", NASTY_FILES)
def test_a_nasty_file_opens_or_gives_a_message(opener, session, name, qtbot):
    said = []
    opener.opened.connect(said.append)
    opener.failed.connect(said.append)
    opener.open_path(NASTY / name)
    qtbot.waitUntil(lambda: bool(said))
    assert len(said) == 1
    if isinstance(said[0], str):
        assert name in said[0]
    else:
        assert said[0] is session.corpus
        session.corpus.text.encode()


def test_closing_while_a_file_is_read_leaves_no_thread(session, settings, tmp_path):
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 20_000_000)
    opener = Opener(session, settings)
    opener.open_path(large)
    opener.deleteLater()


def test_dropped_paths(tmp_path):
    mime = QMimeData()
    assert dropped_paths(mime) == ()
    names = "名前 ü.txt", "a.txt", "folder"
    local = [QUrl.fromLocalFile(str(tmp_path / name)) for name in names]
    mime.setUrls([QUrl("https://example.org/a.txt"), *local])
    assert dropped_paths(mime) == tuple(tmp_path / name for name in names)
    mime.setUrls([QUrl("https://example.org/a.txt")])
    assert dropped_paths(mime) == ()


@pytest.fixture
def model(tmp_path, recording):
    FORMATS["huggingface"].save(recording, len(recording), tmp_path / "春 model")
    return tmp_path / "春 model"


def test_a_tokenizer_becomes_the_recording(opener, session, settings, recording, model, qtbot):
    session.replace_recording(recording)
    session.replace_corpus(before := Corpus.typed("low"))
    signals = [opener.opening, opener.progressed, opener.replacing_recording, session.recording_replaced]
    with qtbot.waitSignals([*signals, opener.model_opened]), qtbot.assertNotEmitted(opener.opened):
        opener.open_path(model / "tokenizer.json")
    assert [merge.pair for merge in session.recording] == [merge.pair for merge in recording]
    assert session.step == len(recording)
    assert session.corpus is before
    assert settings.recent_sources() == [ModelSource(model / "tokenizer.json")]
    session.go_to_run_before()
    assert session.recording is recording


def test_a_tokenizer_that_is_broken_changes_nothing(opener, session, settings, recording, model, qtbot):
    session.replace_recording(recording)
    session.go_to(3)
    text = (model / "tokenizer.json").read_text(encoding="utf-8")
    (model / "tokenizer.json").write_text(text[: len(text) // 2], encoding="utf-8")
    with qtbot.waitSignal(opener.failed) as failed, qtbot.assertNotEmitted(session.recording_replaced):
        opener.open_path(model)
    assert failed.args[0].startswith("tokenizer.json, line ")
    assert (session.recording, session.step) == (recording, 3)
    assert not session.has_run_before
    assert settings.recent_sources() == []


def test_what_must_be_a_tokenizer_is_not_taken_for_a_text(opener, session, text_file, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(text_file), ""))
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_model_with_dialog(None)
    assert "text.txt: this is no tokenizer that can be read" in failed.args[0]
    assert session.corpus.text == ""


def test_a_text_and_a_tokenizer_are_opened_together(opener, session, settings, text_file, model, qtbot):
    with qtbot.waitSignals([opener.opened, opener.model_opened]):
        opener.open_paths([text_file, model])
    assert session.corpus.text == "low lower\n"
    assert session.recording.imported.source == ModelSource(model)
    assert settings.recent_sources() == [CorpusSource((text_file,)), ModelSource(model)]


def test_a_recent_tokenizer_that_vanished_leaves_the_list(opener, settings, tmp_path, qtbot):
    settings.add_recent_source(source := ModelSource(tmp_path / "gone.json"))
    with qtbot.waitSignal(opener.failed) as failed:
        opener.open_source(source)
    assert failed.args[0].endswith("It was taken off the list of recent files.")
    assert settings.recent_sources() == []


def test_a_tokenizer_can_be_read_as_a_text(opener, session, model, qtbot):
    with qtbot.waitSignal(opener.opened):
        opener.open_source(CorpusSource((model / "tokenizer.json",)))
    assert session.corpus.text.startswith("{")
    assert session.last_step == 0


def test_a_saved_recording_finds_its_text_again(opener, session, text_file, tmp_path, qtbot):
    trained = record(load_corpus(text_file), Pipeline(), TrainerConfig(merges=2))
    save(trained, tmp_path / "mine.bpe")
    with qtbot.waitSignals([opener.model_opened, opener.opened]):
        opener.open_path(tmp_path / "mine.bpe")
    assert session.corpus.text == "low lower\n"
    assert session.corpus.is_that_of(session.recording.corpus)
    session.replace_corpus(other := Corpus.typed("another text"))
    with qtbot.waitSignal(opener.model_opened), qtbot.assertNotEmitted(opener.opened, wait=50):
        opener.open_path(tmp_path / "mine.bpe")
    assert session.corpus is other
    session.replace_corpus(Corpus.typed(""))
    text_file.unlink()
    with qtbot.waitSignal(opener.model_opened), qtbot.assertNotEmitted(opener.failed, wait=50):
        opener.open_path(tmp_path / "mine.bpe")
