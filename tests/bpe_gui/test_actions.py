from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget

from bpe_gui.actions import LARGEST_POINTS, Actions
from bpe_gui.opener import Opener
from bpe_gui.playback import Playback
from bpe_gui.replaced_text import ReplacedText
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.training import Training, TrainingState
from core.alphabet import Alphabet, Base, Marker, Token
from core.bookmarks import Bookmark
from core.corpus import Corpus
from core.merge import Merge
from core.pipeline import Pipeline
from core.recording import Recording
from core.trainer import TrainerConfig


@pytest.fixture
def actions(
    session: Session, training: Training, replaced_text: ReplacedText, settings: Settings, theme: Theme
) -> Iterator[Actions]:
    window = QWidget()
    yield Actions(session, training, Playback(session, window), replaced_text, settings, theme, window)
    window.deleteLater()


def test_every_action_says_what_it_does(actions: Actions) -> None:
    for action in actions.all():
        assert action.toolTip(), action.text()
        assert action.statusTip(), action.text()


def test_no_key_is_given_twice(actions: Actions) -> None:
    keys = Counter(key.toString() for action in actions.all() for key in action.shortcuts())
    assert keys
    assert [key for key, times in keys.items() if times > 1] == []


def test_no_key_is_one_that_text_fields_keep_for_themselves(actions: Actions) -> None:
    kept = {f"Ctrl+{letter}" for letter in "ACEKUVXYZ"} | {"Ctrl+Left", "Ctrl+Right", "Ctrl+Home", "Ctrl+End"}
    assert not kept & {action.shortcut().toString() for action in actions.all()}


def test_without_a_text_there_is_nothing_to_train(actions: Actions) -> None:
    for action in (actions.train, actions.step, actions.pause, actions.stop, actions.export, actions.play):
        assert not action.isEnabled(), action.text()


def test_a_replaced_text_can_be_brought_back_when_there_is_one(
    qtbot, session: Session, opener: Opener, actions: Actions
) -> None:
    assert not actions.bring_back.isEnabled()
    session.replace_corpus(Corpus.typed("low lower"))
    assert not actions.bring_back.isEnabled()
    with qtbot.waitSignal(opener.opened):
        opener.open_sample("emoji.txt")
    assert actions.bring_back.isEnabled()


def test_a_text_can_be_trained_on(session: Session, actions: Actions) -> None:
    session.replace_corpus(Corpus.typed("low lower"))
    assert actions.train.isEnabled()
    assert actions.step.isEnabled()


def test_pause_becomes_resume(qtbot, session: Session, training: Training, actions: Actions) -> None:
    training.set_merges_per_second(5)
    training.start(Corpus.typed("low lower lowest " * 20), Pipeline(), TrainerConfig())
    qtbot.waitUntil(lambda: training.state is TrainingState.RUNNING)
    assert actions.stop.isEnabled()
    actions.pause.trigger()
    assert training.state is TrainingState.PAUSED
    assert actions.pause.isChecked()
    assert actions.pause.text() == "&Resume"
    actions.pause.trigger()
    assert training.state is TrainingState.RUNNING
    assert not actions.pause.isChecked()
    actions.stop.trigger()
    assert training.state is TrainingState.IDLE
    assert not actions.stop.isEnabled()


def test_a_run_is_paused_while_it_counts(qtbot, session: Session, training: Training, actions: Actions) -> None:
    training.start(Corpus.typed("low lower lowest " * 20), Pipeline(), TrainerConfig())
    actions.pause.trigger()
    assert (actions.pause.isChecked(), actions.pause.text()) == (True, "&Resume")
    qtbot.waitUntil(lambda: training.state is TrainingState.PAUSED)
    assert session.last_step == 0
    actions.pause.trigger()
    assert training.state is TrainingState.RUNNING
    qtbot.waitUntil(lambda: training.state is TrainingState.IDLE)
    assert session.last_step == 7


def test_a_run_that_shall_pause_when_it_has_counted_need_not(
    qtbot, session: Session, training: Training, actions: Actions
) -> None:
    training.start(Corpus.typed("low lower lowest " * 20), Pipeline(), TrainerConfig(), paused=True)
    assert actions.pause.isChecked()
    actions.pause.trigger()
    assert (actions.pause.isChecked(), actions.pause.text()) == (False, "&Pause")
    qtbot.waitUntil(lambda: session.last_step == 7)


def test_the_timeline_s_actions_move_the_step(session: Session, recording: Recording, actions: Actions) -> None:
    session.replace_recording(recording)
    last = len(recording)
    for action, step in (
        (actions.first, 0), (actions.forward, 1), (actions.forward, 2), (actions.back, 1), (actions.last, last)
    ):  # fmt: skip
        action.trigger()
        assert session.step == step
    assert not actions.forward.isEnabled()
    assert actions.back.isEnabled()


def test_a_speed_is_used_and_remembered(settings: Settings, training: Training, actions: Actions) -> None:
    slow, *_, fast = actions.speeds.actions()
    slow.trigger()
    assert training.merges_per_second == 1.0
    assert settings.number(Settings.SPEED) == 1.0
    fast.trigger()
    assert training.merges_per_second is None


def test_choices_of_the_view_are_remembered(settings: Settings, theme: Theme, actions: Actions) -> None:
    actions.whitespace.trigger()
    assert settings.flag(Settings.SHOW_WHITESPACE)
    settings.set(Settings.SHOW_WHITESPACE, False)  # by another control
    assert not actions.whitespace.isChecked()
    dark = next(a for a in actions.themes.actions() if "Dark" in a.text())
    dark.trigger()
    assert theme.is_dark
    actions.larger.trigger()
    assert settings.number(Settings.TEXT_POINTS) == 14
    for _ in range(100):
        actions.larger.trigger()
    assert settings.number(Settings.TEXT_POINTS) == LARGEST_POINTS
    actions.normal_size.trigger()
    assert settings.number(Settings.TEXT_POINTS) == 13


def test_branches_need_a_merge_and_words(session: Session, actions: Actions, recording: Recording) -> None:
    branching = (actions.forbid, actions.force, actions.train_on, actions.what_if)
    assert not any(action.isEnabled() for action in branching)
    session.replace_recording(recording)
    assert [action.isEnabled() for action in branching] == [True, True, False, True]
    session.replace_corpus(Corpus.typed("low"))
    assert all(action.isEnabled() for action in branching)
    session.go_to(0)
    assert [action.isEnabled() for action in branching] == [False, False, True, True]


def test_forbids_the_merge_of_the_step_and_goes_back(
    qtbot, session: Session, training: Training, actions: Actions, recording: Recording
) -> None:
    session.replace_recording(recording)
    session.go_to(2)
    actions.forbid.trigger()
    qtbot.waitUntil(lambda: bool(session.about) and training.state is TrainingState.IDLE)
    assert session.about == "Branch at step 2: es + t forbidden"
    assert actions.run_before.isEnabled()
    actions.run_before.trigger()
    assert session.recording is recording
    assert session.step == 2
    assert not actions.run_before.isEnabled()
    actions.run_after.trigger()
    assert session.about == "Branch at step 2: es + t forbidden"


def test_going_back_ends_a_run(
    qtbot, session: Session, training: Training, actions: Actions, recording: Recording
) -> None:
    session.replace_recording(recording)
    training.set_merges_per_second(5)
    training.forbid(0)
    qtbot.waitUntil(lambda: training.state is TrainingState.RUNNING)
    actions.run_before.trigger()
    assert training.state is TrainingState.IDLE
    assert session.recording is recording


def test_steps_are_marked_and_gone_to(session: Session, recording: Recording, actions: Actions) -> None:
    assert not actions.bookmark.isEnabled()
    session.replace_recording(recording)
    for step in (2, 5):
        session.go_to(step)
        actions.bookmark.trigger()
        assert actions.bookmark.isChecked()
    assert session.bookmarks == (Bookmark(2, ""), Bookmark(5, ""))
    assert not actions.next_bookmark.isEnabled()
    actions.previous_bookmark.trigger()
    assert session.step == 2
    assert not actions.previous_bookmark.isEnabled()
    actions.next_bookmark.trigger()
    assert session.step == 5
    actions.bookmark.trigger()
    assert session.bookmarks == (Bookmark(2, ""),)
    assert not actions.bookmark.isChecked()
    actions.clear_bookmarks.trigger()
    assert session.bookmarks == ()


def test_marks_come_back_with_the_run_before(session: Session, recording: Recording, actions: Actions) -> None:
    session.replace_recording(recording)
    session.set_bookmarks((Bookmark(2, "x"),))
    session.replace_recording(recording)
    assert session.bookmarks == ()
    actions.run_before.trigger()
    assert session.bookmarks == (Bookmark(2, "x"),)


def test_an_action_that_cannot_be_used_says_why(session: Session, recording: Recording, actions: Actions) -> None:
    assert "open a tokenizer first" in actions.count_merges.toolTip()
    recording.corpus, recording.base_counts = None, {}
    session.replace_recording(recording)
    assert "open or paste one first" in actions.count_merges.toolTip()
    session.replace_corpus(Corpus.typed("low"))
    assert actions.count_merges.isEnabled()
    assert actions.count_merges.toolTip() == actions.count_merges.statusTip()


def test_merges_that_are_out_of_order_cannot_be_trained_on(session: Session, actions: Actions) -> None:
    alphabet = Alphabet(Base.BYTES, Marker.NONE, {i: Token(letter.encode()) for i, letter in enumerate("abc")})
    imported = Recording(alphabet, vocabulary={5: Token(b"bc")})
    imported.extend([Merge(0, 0, 1, 3), Merge(1, 0, 5, 4), Merge(2, 1, 2, 5)])
    session.replace_corpus(Corpus.typed("abc"))
    session.replace_recording(imported)
    for action in (actions.train_on, actions.forbid, actions.force):
        assert not action.isEnabled()
        assert "the first 1 merges at most: the one of rank 1 is out of order" in action.toolTip()
    assert "The words that these merges were learned from are not known" in actions.what_if.toolTip()
    session.go_to(1)
    for action in (actions.train_on, actions.forbid, actions.force):
        assert action.isEnabled()
        assert action.toolTip() == action.statusTip()
