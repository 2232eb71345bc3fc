import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolTip

from bpe_gui.compiled_loops import CompiledLoops
from bpe_gui.training import TrainingState
from bpe_gui.widgets.loops_status import LoopsStatus
from core.corpus import Corpus
from core.kernel_loader import State, Status

COMPILING = Status(State.COMPILING, done=12, total=40)
FAILED = Status(State.FAILED, "compiling failed", "The fast loops could not be compiled: <b>no</b> room.")
LARGE = "low lower lowest\n" * 130_000


class Loader:
    status = Status()

    def start_loading(self) -> None:
        pass

    def cancel(self) -> None:
        pass


@pytest.fixture
def loops(session):
    return CompiledLoops(Loader(), session)


@pytest.fixture
def label(qtbot, loops, session, training, theme):
    label = LoopsStatus(loops, session, training, theme)
    qtbot.addWidget(label)
    return label


def show(loops: CompiledLoops, status: Status) -> None:
    loops._loader.status = status
    loops._look()


@pytest.mark.parametrize("status", [Status(), Status(State.LOADING), Status(State.READY)])
def test_says_nothing_where_there_is_nothing_to_say(label, loops, status) -> None:
    show(loops, status)
    assert label.message == ""
    assert label.isHidden()


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (Status(State.COMPILING), "Compiling the fast loops once"),
        (COMPILING, "Compiling the fast loops once: 12 of 40"),
        (FAILED, "Plain Python: compiling failed"),
        (Status(State.COMPILING, "for this run only", "Why."), "Compiling the fast loops for this run only"),
        (
            Status(State.COMPILING, "for this run only", "Why.", 1, 4),
            "Compiling the fast loops for this run only: 1 of 4",
        ),
        (Status(State.READY, "for this run only", "Why."), "Fast loops compiled for this run only"),
    ],
)
def test_says_what_is_going_on(label, loops, status, message) -> None:
    show(loops, status)
    assert label.message == message
    assert not label.isHidden()
    assert message in label.accessibleDescription()
    show(loops, Status(State.READY))
    assert label.isHidden()


@pytest.mark.parametrize("state", [State.COMPILING, State.READY])
def test_why_they_are_not_kept_is_in_the_tooltip(label, loops, state) -> None:
    show(loops, Status(state, "for this run only", "Compiled anew at every start, because <b>: no folder."))
    assert "Compiled anew at every start, because &lt;b&gt;: no folder." in label.toolTip()
    assert "first time" not in label.toolTip()


def test_the_whole_reason_is_a_click_or_a_key_away(qtbot, label, loops) -> None:
    show(loops, FAILED)
    label.show()
    assert label.focusPolicy() & Qt.FocusPolicy.TabFocus
    qtbot.keyClick(label, Qt.Key.Key_Space)
    assert QToolTip.isVisible()
    assert "&lt;b&gt;no&lt;/b&gt; room" in QToolTip.text()
    QToolTip.hideText()


def test_a_large_text_trained_too_early_is_told_of(label, loops, session, training) -> None:
    session.replace_corpus(Corpus.typed(LARGE))
    show(loops, COMPILING)
    training.state_changed.emit(TrainingState.COUNTING)
    assert label.message == "Compiling the fast loops once: 12 of 40; training will be faster then"
    training.state_changed.emit(TrainingState.RUNNING)
    show(loops, Status(State.READY))
    assert label.message == "The fast loops are ready: stop and train again to use them"
    training.state_changed.emit(TrainingState.IDLE)
    assert label.message == ""


def test_a_small_text_is_nothing_to_talk_about(label, loops, session, training) -> None:
    session.replace_corpus(Corpus.typed("low lower lowest"))
    show(loops, COMPILING)
    training.state_changed.emit(TrainingState.COUNTING)
    assert label.message == "Compiling the fast loops once: 12 of 40"


@pytest.mark.parametrize("state", [State.LOADING, State.READY])
def test_a_run_that_has_them_is_not_told_of(label, loops, session, training, state) -> None:
    session.replace_corpus(Corpus.typed(LARGE))
    show(loops, Status(state))
    training.state_changed.emit(TrainingState.COUNTING)
    show(loops, Status(State.READY))
    assert label.message == ""


def test_a_long_line_does_not_widen_the_window(label, loops) -> None:
    show(loops, COMPILING)
    narrow = label.minimumSizeHint().width()
    show(loops, Status(State.FAILED, "x" * 300, "Why."))
    assert label.minimumSizeHint().width() == narrow
    label.resize(narrow, label.height())
    label.grab()  # is painted without a fault
