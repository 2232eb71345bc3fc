from collections.abc import Generator

import pytest
import shiboken6
from PySide6.QtCore import QObject

from bpe_gui import background
from bpe_gui.background import Job
from core.errors import CorpusError
from core.progress import Progress


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


def values_of(work, qtbot) -> list[object]:
    parent, progress = QObject(), []
    job = Job(lambda: work, parent)
    job.progressed.connect(progress.append)
    with qtbot.waitSignal(job.done):
        job.start()
    qtbot.waitUntil(lambda: is_gone(job))
    return progress


def test_progress_then_the_result(qtbot) -> None:
    assert values_of(counting(3), qtbot) == [0, 1, 2]


@pytest.mark.parametrize(("seconds", "told"), [(0, [1, 2, 3, "x", 4, 5]), (1_000, [1, 3, "x", 5])])
def test_progress_that_comes_fast(seconds, told, qtbot, monkeypatch) -> None:
    """Of numbers only the first one and the last before something else are told."""
    monkeypatch.setattr(background, "PROGRESS_SECONDS", seconds)
    work = (Progress(value, 5) if isinstance(value, int) else value for value in (1, 2, 3, "x", 4, 5))
    progress = values_of(work, qtbot)
    assert [value.done if isinstance(value, Progress) else value for value in progress] == told


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
