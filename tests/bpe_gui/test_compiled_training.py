"""All tests of training in the window once more, with compiled loops."""

import pytest

from bpe_gui.session import Session
from bpe_gui.training import Training, TrainingState
from core import kernel_loader
from core.corpus import Corpus
from core.pipeline import Pipeline
from core.trainer_config import TrainerConfig
from tests.bpe_gui.test_training import *  # noqa: F403


@pytest.fixture(autouse=True, scope="module")
def _kernels():
    kernel_loader.load()
    assert kernel_loader.are_ready()


def test_a_run_of_many_slices_arrives_whole(qtbot, session: Session, training: Training) -> None:
    text = " ".join(f"w{number * 7919 % 10_007:x}" for number in range(200_000))
    training.start(Corpus.typed(text), Pipeline(), TrainerConfig(merges=3_000))
    qtbot.waitUntil(lambda: training.state is TrainingState.IDLE, timeout=60_000)
    assert [merge.rank for merge in session.recording] == list(range(3_000))
