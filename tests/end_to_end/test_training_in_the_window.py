"""Training while the window is used: scrubbing, pausing, closing; and every text that is hard to read."""

import lzma
import random
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

from bpe_gui.main_window import MainWindow
from bpe_gui.training import TrainingState
from core.corpus_source import CorpusSource
from core.merge import Merge
from core.trainer import StopReason
from tests.end_to_end.conftest import ALICE

NASTY = sorted(p for p in (Path(__file__).parents[1] / "data" / "nasty").iterdir() if p.suffix in (".txt", ".bin"))
SHARED = Path(__file__).parents[3] / "shared" / "data" / "nasty"
SHARED_NASTY = sorted(SHARED.iterdir()) if SHARED.is_dir() else []


def open_file(qtbot, window: MainWindow, path: Path) -> None:
    with qtbot.waitSignal(window.opener.opened):
        window.opener.open_path(path)


def test_a_file_that_fails_to_open_does_not_let_the_next_one_train(qtbot, window: MainWindow, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.opener.failed):
        window.open_and_train(CorpusSource((tmp_path / "missing.txt",)), 5)
    open_file(qtbot, window, ALICE)

    assert window.training.state is TrainingState.IDLE
    assert window.session.last_step == 0


def test_two_thousand_merges_while_the_window_is_used(qtbot, window: MainWindow) -> None:
    session, training, actions = window.session, window.training, window.actions_
    open_file(qtbot, window, ALICE)
    arrived: list[Merge] = []
    session.merges_appended.connect(
        lambda first, count: arrived.extend(session.recording[rank] for rank in range(first, first + count))
    )
    training.set_merges_per_second(4_000)
    window.train(merges=2_000)
    qtbot.waitUntil(lambda: session.last_step >= 100)
    chance = random.Random(1)
    for _ in range(10):
        step = chance.randrange(session.last_step + 1)
        session.go_to(step)
        qtbot.wait(20)  # let the window draw it while merges arrive
        assert session.step == step or session.step == session.last_step

    actions.pause.trigger()
    assert training.state is TrainingState.PAUSED
    qtbot.wait(100)
    paused_at = session.last_step
    actions.step.trigger()
    qtbot.waitUntil(lambda: session.last_step == paused_at + 1)
    actions.pause.trigger()
    assert training.state is TrainingState.RUNNING
    qtbot.waitUntil(lambda: training.state is TrainingState.IDLE, timeout=60_000)

    assert [merge.rank for merge in arrived] == list(range(2_000))
    assert arrived == list(session.recording)
    assert session.recording.stop_reason is StopReason.MERGES
    assert sum(merge.applied for merge in arrived) == session.recording.corpus_length(
        0
    ) - session.recording.corpus_length(2_000)


def test_a_stopped_run_is_a_whole_tokenizer(qtbot, window: MainWindow) -> None:
    open_file(qtbot, window, ALICE)
    window.training.set_merges_per_second(500)
    window.train(merges=2_000)
    qtbot.waitUntil(lambda: window.session.last_step >= 50)
    window.actions_.stop.trigger()
    assert window.training.state is TrainingState.IDLE
    assert window.session.recording.stop_reason is StopReason.CANCELLED
    assert 50 <= window.session.last_step < 2_000
    assert window.actions_.export.isEnabled()


def test_the_window_can_be_closed_during_a_run(qtbot, window: MainWindow) -> None:
    open_file(qtbot, window, ALICE)
    window.training.set_merges_per_second(200)
    window.train(merges=2_000)
    qtbot.waitUntil(lambda: window.session.last_step >= 5)
    window.close()
    assert window.training.state is TrainingState.IDLE


def test_the_window_can_be_closed_while_words_are_counted(qtbot, window: MainWindow) -> None:
    open_file(qtbot, window, ALICE)
    window.train(merges=2_000)
    window.close()
    assert window.training.state is TrainingState.IDLE


@pytest.mark.parametrize("path", [*NASTY, *SHARED_NASTY], ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_a_nasty_file_trains_or_gets_a_clear_message(qtbot, tmp_path: Path, window: MainWindow, path: Path) -> None:
    path = unpacked(path, tmp_path)
    messages: list[str] = []
    window.opener.failed.connect(messages.append)
    opened: list[bool] = []
    window.opener.opened.connect(lambda: opened.append(True))
    window.opener.open_path(path)
    qtbot.waitUntil(lambda: bool(opened or messages), timeout=30_000)
    if messages:
        assert path.name in messages[0]
        assert window.session.corpus.text == ""
        (box,) = window.findChildren(QMessageBox)
        box.close()
    elif window.actions_.train.isEnabled():
        with qtbot.waitSignal(window.session.recording_ended, timeout=60_000):
            window.train(merges=20)
        window.session.go_to(window.session.last_step // 2)
        qtbot.wait(50)  # drawn once
    else:
        assert window.session.corpus.text == ""


def unpacked(path: Path, folder: Path) -> Path:
    if path.suffix != ".xz":
        return path
    copy = folder / path.stem
    with lzma.open(path) as packed:
        copy.write_bytes(packed.read())
    return copy


def test_a_window_closed_while_it_reads_last_times_file_reads_it_next_time(qtbot, window: MainWindow) -> None:
    open_file(qtbot, window, ALICE)
    window.draft.save()
    assert window.draft.restore()
    assert window.opener.is_opening
    window.close()
    with qtbot.waitSignal(window.opener.opened):
        assert window.draft.restore()
