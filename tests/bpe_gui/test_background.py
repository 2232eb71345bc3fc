from collections.abc import Generator

import pytest
import shiboken6
from PySide6.QtCore import QObject

from bpe_gui import background
from bpe_gui.background import Job
from core.errors import CorpusError


def counting(end: int) -> Generator[int, None, str]:
    yield from range(end)
    return "result"


def endless() -> Generator[int, None, str]:
    number = 0
    while True:
        yield number
        number += 1


def failing() -> Generator[int, None, str]:
    yield 0
    raise CorpusError("book.txt: no such file")


def is_gone(job: Job) -> bool:
    return not shiboken6.isValid(job)


@pytest.mark.parametrize(("seconds", "told"), [(0, [0, 1, 2]), (1_000, [0, 2])])
def test_progress_then_the_result(seconds, told, qtbot, monkeypatch) -> None:
    """Where it comes fast only the first one and the last are told."""
    monkeypatch.setattr(background, "PROGRESS_SECONDS", seconds)
    parent, progress = QObject(), []
    job = Job(lambda: counting(3), parent)
    job.progressed.connect(progress.append)
    with qtbot.waitSignal(job.done):
        job.start()
    qtbot.waitUntil(lambda: is_gone(job))
    assert progress == told


def test_the_result_is_what_the_generator_returns(qtbot) -> None:
    parent = QObject()
    job = Job(lambda: counting(0), parent)
    with qtbot.waitSignal(job.done) as done:
        job.start()
    qtbot.waitUntil(lambda: is_gone(job))
    assert done.args == ["result"]


def test_a_user_s_fault_is_a_message(qtbot) -> None:
    parent = QObject()
    job = Job(failing, parent)
    with qtbot.waitSignal(job.failed) as failed:
        job.start()
    qtbot.waitUntil(lambda: is_gone(job))
    assert failed.args == ["book.txt: no such file"]


def test_cancel_ends_work_that_would_go_on_for_ever(qtbot) -> None:
    parent = QObject()
    job = Job(endless, parent)
    job.progressed.connect(job.cancel)
    with qtbot.waitSignal(job.cancelled):
        job.start()
    qtbot.waitUntil(lambda: is_gone(job))


def test_a_fault_of_the_program_is_reported_and_lets_nobody_wait(qtbot) -> None:
    def broken() -> Generator[int, None, str]:
        yield 1 // 0
        return "result"

    parent = QObject()
    job = Job(broken, parent)
    with qtbot.capture_exceptions() as faults, qtbot.waitSignal(job.failed) as failed:
        job.start()
    qtbot.waitUntil(lambda: is_gone(job))
    assert "ZeroDivisionError" in failed.args[0]
    assert [kind for kind, _, _ in faults] == [ZeroDivisionError]
