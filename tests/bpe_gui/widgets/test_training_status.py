import pytest
from PySide6.QtWidgets import QStatusBar

from bpe_gui.actions import Actions
from bpe_gui.playback import Playback
from bpe_gui.widgets.training_status import TrainingStatus
from core.corpus import Corpus
from core.pipeline import Pipeline
from core.progress import CountingProgress, Progress
from core.trainer import StopReason, TrainerConfig


@pytest.fixture
def status(session, training, opener, replaced_text, settings, theme, qtbot):
    actions = Actions(session, training, Playback(session, session), replaced_text, settings, theme, session)
    status = TrainingStatus(session, training, opener, actions)
    qtbot.addWidget(status)
    return status


def shown(status):
    return status._text.text()


def test_nothing_was_trained_yet(status):
    assert shown(status) == "Ready"


@pytest.mark.parametrize("reason", list(StopReason))
def test_says_why_training_ended(status, session, recording, reason):
    recording.stop_reason = reason
    session.replace_recording(recording)
    assert shown(status) == f"Trained 12 merges: {reason}"


def test_says_what_a_branch_is(status, session, recording):
    recording.stop_reason = StopReason.NO_PAIR
    session.replace_recording(recording, "Branch at step 2: es + t forbidden")
    assert shown(status) == "Branch at step 2: es + t forbidden. Trained 12 merges: no pair is left"


def test_says_what_is_paused(status, session, training, qtbot):
    training.start(Corpus.typed("low lower lowest"), Pipeline(), TrainerConfig(), paused=True)
    qtbot.waitUntil(lambda: session.last_step == 1)
    assert shown(status) == "Paused after 1 merge"


@pytest.mark.parametrize(
    ("phase", "text"),
    [("words", "Counting words: 25%"), ("pairs", "Counting pairs: 25%"), ("merges", "Making the merges kept: 25%")],
)
def test_says_how_far_it_has_come(status, training, phase, text):
    training.progressed.emit(phase, Progress(1, 4))
    assert shown(status) == text


def test_says_how_many_words_are_counted(status, training):
    training.progressed.emit("words", CountingProgress(1, 4, 12_345, 678))
    assert shown(status) == "Counting words: 25% · 12,345 words, 678 different"


def test_a_long_sentence_does_not_widen_the_window(status, session, recording):
    narrow = status.minimumSizeHint().width()
    session.replace_recording(recording, "Branch at step 2: " + "x" * 300)
    assert status.minimumSizeHint().width() == narrow


def test_the_bar_stands_beside_its_text(status, training, qtbot):
    bar = QStatusBar()
    qtbot.addWidget(bar)
    bar.addPermanentWidget(status)
    bar.resize(1_200, 30)
    bar.show()
    training.progressed.emit("words", Progress(1, 4))
    bar.grab()  # lays out
    text, progress = status._text.geometry(), status._bar.geometry()
    assert 0 < progress.left() - text.right() < 16
    assert status.mapTo(bar, progress.topRight()).x() > 1_100
    assert text.width() >= status._text.sizeHint().width()
    bar.removeWidget(status)
    status.setParent(None)  # it is qtbot's
