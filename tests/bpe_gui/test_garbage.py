import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from bpe_gui import garbage
from bpe_gui.garbage import Garbage
from bpe_gui.session import Session
from bpe_gui.training import Training
from core.corpus import Corpus
from core.pipeline import Pipeline
from core.trainer import TrainerConfig


@pytest.fixture
def collector(session: Session, training: Training) -> Iterator[Garbage]:
    collector = Garbage(training, session)
    yield collector
    collector.end()


class Knot:
    def __init__(self) -> None:
        self.me = self
        self.threads: list[int] = []


def test_the_automatic_collector_rests_and_works_again_afterwards(collector: Garbage) -> None:
    assert not gc.isenabled()
    collector.end()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_a_cycle_is_collected_on_the_window_s_thread(qtbot, collector: Garbage) -> None:
    threads: list[int] = []
    knot = Knot()
    weakref.finalize(knot, lambda: threads.append(threading.get_ident()))
    del knot
    litter = [[] for _ in range(garbage.YOUNG_OBJECTS + 100)]
    qtbot.waitUntil(lambda: bool(threads))
    assert threads == [threading.get_ident()]
    assert litter


def test_what_a_run_made_is_looked_through_no_more(qtbot, session: Session, training: Training, collector) -> None:
    before = gc.get_freeze_count()
    with qtbot.waitSignal(session.recording_ended):
        training.start(Corpus.typed("low lower lowest " * 50), Pipeline(), TrainerConfig())
    assert gc.get_freeze_count() > before
