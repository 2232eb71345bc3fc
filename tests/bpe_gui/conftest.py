"""Fixtures for tests with Qt: each test has a session and settings of its own, and leaves nothing behind."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, QThread
from PySide6.QtWidgets import QApplication

from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.draft import Draft
from bpe_gui.held_out_text import HeldOutText
from bpe_gui.opener import Opener
from bpe_gui.replaced_text import ReplacedText
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.training import Training
from core.alphabet import Base
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.runs import record

FOUR_WORDS = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3


def delete_later_now() -> None:
    """Carry out every deleteLater that was asked for."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def nothing_is_left(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a window or a running thread."""
    yield
    delete_later_now()
    gc.collect()
    delete_later_now()
    # not isinstance: a dead weak proxy, as other packages leave them, cannot be asked for its class
    threads = [thread for thread in gc.get_objects() if issubclass(type(thread), QThread) and _runs(thread)]
    assert not threads, f"threads still running: {threads}"
    widgets = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
    assert not widgets, f"windows still open: {widgets}"


def _runs(thread: QThread) -> bool:
    try:
        return thread.isRunning()
    except RuntimeError:  # its C++ part is gone, as it should be
        return False


@pytest.fixture
def settings(qapp: QApplication, tmp_path: Path) -> Iterator[Settings]:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    yield settings
    settings.deleteLater()


@pytest.fixture
def theme(settings: Settings) -> Iterator[Theme]:
    theme = Theme(settings)
    theme.apply()
    yield theme
    theme.deleteLater()


@pytest.fixture
def session(qapp: QApplication) -> Iterator[Session]:
    session = Session()
    yield session
    session.deleteLater()


@pytest.fixture
def corpus_measures(session: Session, settings: Settings) -> Iterator[CorpusMeasures]:
    measures = CorpusMeasures(session, settings)
    yield measures
    measures.deleteLater()


@pytest.fixture
def held_out(session: Session, corpus_measures: CorpusMeasures, settings: Settings) -> Iterator[HeldOutText]:
    text = HeldOutText(session, corpus_measures, settings)
    yield text
    text.deleteLater()


@pytest.fixture
def training(session: Session) -> Iterator[Training]:
    training = Training(session)
    yield training
    training.stop()
    training.deleteLater()


def trained(text: str, config: TrainerConfig | None = None, pre_tokenizer: str = "gpt2") -> Recording:
    """A recording of `text`, trained to its end or to the config's."""
    return record(text, config or TrainerConfig(), Pipeline(pre_tokenizer=PRE_TOKENIZERS[pre_tokenizer]))


@pytest.fixture
def recording() -> Recording:
    """The four words of the textbooks, by characters, until no pair is left: 12 merges and some."""
    return trained(FOUR_WORDS, TrainerConfig(base=Base.CHARACTERS), "whitespace")


@pytest.fixture
def opener(session: Session, settings: Settings) -> Iterator[Opener]:
    opener = Opener(session, settings)
    yield opener
    opener.deleteLater()


@pytest.fixture
def replaced_text(session: Session, settings: Settings, opener: Opener) -> Iterator[ReplacedText]:
    replaced_text = ReplacedText(session, settings, opener, Draft(session, settings, opener, opener), opener)
    yield replaced_text
    replaced_text.finish()
