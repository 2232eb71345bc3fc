import pytest

from bpe_gui.compiled_loops import CompiledLoops
from core.kernel_loader import State, Status


class Loader:
    """Is in the state that it is told."""

    def __init__(self) -> None:
        self.status = Status()
        self.calls: list[str] = []

    def start_loading(self) -> None:
        self.calls.append("start")

    def cancel(self) -> None:
        self.calls.append("cancel")


@pytest.fixture
def loader() -> Loader:
    return Loader()


@pytest.fixture
def loops(qapp, loader):
    loops = CompiledLoops(loader)
    yield loops
    loops.end()
    loops.deleteLater()


def test_what_was_never_started_is_left_alone(loops, loader) -> None:
    assert loops.status == Status()
    loops.end()
    assert loader.calls == []


def test_tells_how_far_it_is_until_they_are_ready(qtbot, loops, loader) -> None:
    loops.start()
    for status in (Status(State.COMPILING), Status(State.COMPILING, done=1, total=2), Status(State.LOADING)):
        with qtbot.waitSignal(loops.status_changed) as told:
            loader.status = status
        assert told.args == [status]
        assert loops.status == status
    with qtbot.waitSignals([loops.ready, loops.status_changed]):
        loader.status = Status(State.READY)
    with qtbot.assertNotEmitted(loops.status_changed, wait=250):
        loader.status = Status()  # nobody looks any more
    assert loader.calls == ["start"]


def test_looks_no_more_when_it_failed(qtbot, loops, loader) -> None:
    loops.start()
    with qtbot.assertNotEmitted(loops.ready), qtbot.waitSignal(loops.status_changed):
        loader.status = Status(State.FAILED, "compiling failed", "There was no room.")
    assert not loops._timer.isActive()


def test_ending_leaves_what_is_not_done(qtbot, loops, loader) -> None:
    loops.start()
    loader.status = Status(State.COMPILING)
    loops.end()
    assert loader.calls == ["start", "cancel"]
    with qtbot.assertNotEmitted(loops.status_changed, wait=250):
        pass
