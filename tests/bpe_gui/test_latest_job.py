import threading
from functools import partial

import pytest
from PySide6.QtCore import QObject

from bpe_gui.latest_job import LatestJob
from core.errors import CorpusError


def counts(result):
    yield 1
    yield 2
    return result


def fails():
    yield 1
    raise CorpusError("no good")


def waits_for(event, begun):
    begun.set()
    while not event.wait(0.001):
        yield 0
    return "late"


@pytest.fixture
def job(qapp):
    parent = QObject()
    job = LatestJob(parent)
    yield job
    parent.deleteLater()


def test_a_job_reports_and_ends(job, qtbot):
    values = []
    job.progressed.connect(values.append)
    with qtbot.waitSignal(job.done) as done:
        job.start(partial(counts, "three"))
        assert job.is_running
    assert done.args == ["three"]
    assert values == [1, 2]
    assert not job.is_running


def test_a_job_fails(job, qtbot):
    with qtbot.waitSignal(job.failed) as failed:
        job.start(fails)
    assert failed.args == ["no good"]
    assert not job.is_running


def test_a_new_start_drops_the_old_result(job, qtbot):
    results, event, begun = [], threading.Event(), threading.Event()
    job.done.connect(results.append)
    job.start(partial(waits_for, event, begun))
    assert begun.wait(5)
    with qtbot.waitSignal(job.done):
        job.start(partial(counts, "new"))
    event.set()
    qtbot.waitUntil(lambda: not job.children())
    assert results == ["new"]


def test_cancelled_work_says_nothing(job, qtbot):
    results, event, begun = [], threading.Event(), threading.Event()
    for signal in (job.done, job.failed):
        signal.connect(results.append)
    job.start(partial(waits_for, event, begun))
    assert job.cancel()
    assert not job.cancel()
    qtbot.waitUntil(lambda: not job.children())
    assert results == []


def test_a_destroyed_owner_takes_its_thread_along(qapp, qtbot):
    parent, begun = QObject(), threading.Event()
    job = LatestJob(parent)
    job.start(partial(waits_for, threading.Event(), begun))
    assert begun.wait(5)
    with qtbot.waitSignal(parent.destroyed):
        parent.deleteLater()
    # nothing_is_left in conftest.py looks for the thread
