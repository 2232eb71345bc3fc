"""A text too large to be kept: the window shows its beginning, and trains on all of it."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from bpe_gui.main_window import MainWindow
from bpe_gui.widgets.corpus_edit import CorpusEdit
from core.corpus import load_corpora, read_corpora
from core.formats import FORMATS, export
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.recording import record
from core.trainer import TrainerConfig
from tests.end_to_end.conftest import ALICE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of its text only the first lines are kept."""
    monkeypatch.setattr("core.corpus.SHOWN_BYTES", 1_000)
    monkeypatch.setattr(read_corpora, "__defaults__", (None, 20_000))
    text = ALICE.read_bytes()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_bytes(text[:3_000])
    (tmp_path / "texts" / "b.txt.gz").write_bytes(gzip.compress(text[3_000:]))
    return tmp_path / "texts"


def test_a_folder_is_shown_in_part_and_trained_on_as_a_whole(
    qtbot, monkeypatch: pytest.MonkeyPatch, window: MainWindow, folder: Path
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    with qtbot.waitSignal(window.opener.opened):
        window.actions_.open_folder.trigger()
    corpus = window.session.corpus
    assert (corpus.name, corpus.is_partial, len(corpus.text) <= 3_000) == ("texts: 2 files", True, True)
    assert window.corpus_dock.findChild(CorpusEdit).isReadOnly()

    with qtbot.waitSignal(window.session.recording_ended):
        window.train(merges=40)
    monkeypatch.setattr(read_corpora, "__defaults__", (None, 10_000_000))
    whole = record(load_corpora([folder]), Pipeline(), TrainerConfig(merges=40))
    assert list(window.session.recording) == list(whole)
    result = export(window.session.recording, 40, FORMATS["huggingface"], folder.parent / "tokenizer")
    assert result.self_test is not None
    assert result.self_test.passed


def test_what_is_known_when_all_was_read_is_exported(qtbot, window: MainWindow, folder: Path, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_path(folder)
    with qtbot.waitSignal(window.session.recording_ended):
        window.train(merges=10)
    export(window.session.recording, 10, FORMATS["timeline-json"], tmp_path / "timeline.json")
    text = ALICE.read_bytes()
    assert json.loads((tmp_path / "timeline.json").read_text())["corpus"] == {
        "name": "texts: 2 files",
        "encoding": "utf-8",
        "bytes": len(text),
        "characters": None,
        "sha256": hashlib.sha256(text).hexdigest(),
    }
    with qtbot.waitSignal(window.session.merges_appended):
        window.train(paused=True)  # goes on with the same corpus
    assert window.session.last_step == 11


def test_a_normalizer_lets_other_processes_count(qtbot, window: MainWindow, folder: Path) -> None:
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_path(folder)
    pipeline = Pipeline(Normalizer.named("lowercase"))
    with qtbot.waitSignal(window.session.recording_ended, timeout=20_000):
        window.training.start(window.session.corpus, pipeline, TrainerConfig(merges=5))
    assert not any(char.isupper() for word in window.session.recording.word_counts for char in word)
    window.training.start(window.session.corpus, pipeline, TrainerConfig(merges=5))
    window.training.stop()  # while they start


def test_a_file_that_has_changed_is_told(qtbot, window: MainWindow, folder: Path) -> None:
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_path(folder)
    with (folder / "a.txt").open("ab") as file:
        file.write(b"more")
    with qtbot.waitSignal(window.training.failed) as failed:
        window.training.start(window.session.corpus, Pipeline(), TrainerConfig(merges=5))
    assert failed.args == ["a.txt has changed since it was opened. Open it again, then train."]
