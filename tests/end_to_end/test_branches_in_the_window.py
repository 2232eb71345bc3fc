"""Branches, training on and the comparison of rules, through the menus and keys of the real window."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QMenu

from bpe_gui.dialogs.force_dialog import ForceDialog
from bpe_gui.dialogs.train_on_dialog import TrainOnDialog
from bpe_gui.dialogs.what_if_dialog import WhatIfDialog
from bpe_gui.main_window import MainWindow
from bpe_gui.training import TrainingState
from bpe_gui.widgets.training_status import TrainingStatus
from core.corpus import Corpus

TEXT = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3


@pytest.fixture
def trained(qtbot, window: MainWindow) -> MainWindow:
    window.session.replace_corpus(Corpus.typed(TEXT))
    window.train(merges=8)
    ended(qtbot, window)
    return window


def ended(qtbot, window: MainWindow) -> None:
    qtbot.waitUntil(
        lambda: window.session.last_step > 0 and window.training.state is TrainingState.IDLE, timeout=20_000
    )


def replaced(qtbot, window: MainWindow, about: str) -> None:
    qtbot.waitUntil(lambda: window.session.about == about, timeout=20_000)
    ended(qtbot, window)


def test_a_merge_is_forbidden_from_its_row_and_the_run_before_comes_back(qtbot, trained: MainWindow) -> None:
    session = trained.session
    before = session.recording
    session.go_to(2)
    trained.merges_dock.table.customContextMenuRequested.emit(QPoint(5, 5))
    (menu,) = trained.merges_dock.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    texts = [action.text().replace("&", "") for action in menu.actions()]
    assert texts[2:5] == ["Forbid this merge and train on", "Force another pair here...", "Train on from here..."]
    menu.actions()[2].trigger()
    menu.close()
    replaced(qtbot, trained, "Branch at step 2: es + t forbidden")
    assert len(session.recording) == 8
    (status,) = trained.findChildren(TrainingStatus)
    assert status.findChild(QLabel).text().startswith("Branch at step 2: es + t forbidden. Trained 8 merges: ")
    trained.actions_.run_before.trigger()
    assert session.recording is before
    assert session.step == 2


def test_another_pair_is_forced(qtbot, trained: MainWindow) -> None:
    trained.session.go_to(1)
    trained.actions_.force.trigger()
    dialog = trained.findChild(ForceDialog)
    qtbot.waitUntil(lambda: dialog.model.rowCount() > 0)
    dialog.force_button.click()
    replaced(qtbot, trained, "Branch at step 1: s + t in place of e + s")
    assert len(trained.session.recording) == 8


def test_training_goes_on_with_another_text(qtbot, trained: MainWindow) -> None:
    old = trained.session.recording
    trained.session.replace_corpus(Corpus.typed("中文 中文 中文"))
    trained.actions_.train_on.trigger()
    dialog = trained.findChild(TrainOnDialog)
    dialog.merges.setValue(3)
    dialog.train_button.click()
    replaced(qtbot, trained, "Trained on from step 8")
    new = trained.session.recording
    assert [merge.token_id for merge in new][:8] == [merge.token_id for merge in old]
    assert [merge.count for merge in new][8:] == [3, 3, 3]


def test_two_rules_are_compared(qtbot, trained: MainWindow) -> None:
    trained.actions_.what_if.trigger()
    dialog = trained.findChild(WhatIfDialog)
    dialog.choice.setCurrentIndex(dialog.choice.findData("reverse_lexicographic"))
    qtbot.waitUntil(lambda: dialog.comparison is not None)
    dialog.train_button.click()
    replaced(qtbot, trained, "With another rule: reverse alphabetical")
    assert trained.session.has_run_before


def test_closing_the_window_ends_a_branch_and_a_comparison(qtbot, trained: MainWindow) -> None:
    trained.training.set_merges_per_second(1)
    trained.session.go_to(2)
    trained.actions_.forbid.trigger()
    trained.actions_.what_if.trigger()
    trained.close()
    assert trained.training.state is TrainingState.IDLE
