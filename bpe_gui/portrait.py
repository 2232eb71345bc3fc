"""Takes pictures of the window without a person at it: opens a text, trains, waits until all is drawn, and grabs it."""

import argparse
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QEventLoop, QSize, QTimer

from bpe_gui.main_window import MainWindow
from bpe_gui.opener import sample_path
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from core.corpus_source import CorpusSource
from core.errors import BpeError
from core.formats import EXPORTS, export

SETTLE_MILLISECONDS = 600
"""After the last merge: frame timers, delayed layouts and counts of the panes have run by then."""

SMALL_WAIT_MILLISECONDS = 20
SAMPLE, SAMPLE_MERGES = "alice.txt", 300
README_SIZE = QSize(1280, 800)


def take_portrait(
    settings: Settings, theme: Theme, options: argparse.Namespace, source: CorpusSource | None = None
) -> Path:
    """The picture that `bpe-gui FILE --merges N --screenshot PNG` asks for. Raises RuntimeError if there is none."""
    merges = SAMPLE_MERGES if options.merges is None else options.merges
    window = MainWindow(settings, theme)
    try:
        train_in(window, source or sample(SAMPLE), merges, options.size)
        if options.step is not None:
            window.session.go_to(options.step)
        save_picture(window, options.screenshot)
    finally:
        close(window)
    return Path(options.screenshot)


def take_demo(settings: Settings, theme: Theme, folder: Path) -> list[Path]:
    """Train a sample, write a picture of the window and the merges in every format to `folder`; the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    window = MainWindow(settings, theme)
    try:
        train_in(window, sample(SAMPLE), SAMPLE_MERGES, README_SIZE)
        picture = folder / "window.png"
        save_picture(window, picture)
        return [picture, *export_everything(window, folder)]
    finally:
        close(window)


def export_everything(window: MainWindow, folder: Path) -> list[Path]:
    """The recording in each format that can hold it, proven by its self-test."""
    recording, written = window.session.recording, list[Path]()
    for name, file_format in EXPORTS.items():
        if file_format.refuses(recording, len(recording)):
            continue
        result = export(recording, len(recording), file_format, folder / file_format.suggested_name)
        if result.self_test is not None and not result.self_test.passed:
            raise BpeError(f"{name}: the file does not give the same ids when it is read back")
        written += result.paths
    return written


def take_readme_pictures(settings: Settings, theme: Theme, folder: Path) -> list[Path]:
    """The pictures of the README."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text, merges, shown_rank, mode, word in (
        ("window-light.png", "alice.txt", 400, 355, "light", "curiouser and curiouser"),
        ("window-dark.png", "tang_poems.txt", 600, 595, "dark", "春眠不觉晓"),
    ):
        settings.set(Settings.THEME, mode)
        settings.set(Settings.ENCODE_TEXT, word)
        window = MainWindow(settings, theme)
        try:
            train_in(window, sample(text), merges, README_SIZE)
            window.session.reveal_merge(shown_rank)
            save_picture(window, folder / name)
        finally:
            close(window)
        written.append(folder / name)
    return written


def sample(name: str) -> CorpusSource:
    return CorpusSource((sample_path(name),))


def train_in(window: MainWindow, source: CorpusSource, merges: int, size: QSize) -> None:
    """Show the window, open files, train on texts and wait for the end. Raises RuntimeError with what went wrong."""
    faults: list[str] = []
    ended: list[bool] = []
    window.opener.failed.connect(faults.append)
    window.training.failed.connect(faults.append)
    window.session.recording_ended.connect(lambda: ended.append(True))
    window.opener.model_opened.connect(lambda _: ended.append(True))
    window.resize(size)
    window.show()
    wait(SMALL_WAIT_MILLISECONDS)
    window.resize(size)  # the docks' first widths, made for a wider window, had a say until now
    window.open_and_train(source, merges)
    wait_until(lambda: bool(faults or ended))
    if faults:
        raise RuntimeError(faults[0])
    wait(SETTLE_MILLISECONDS)


def save_picture(window: MainWindow, path: Path) -> None:
    """Raises RuntimeError if the file cannot be written."""
    wait(SETTLE_MILLISECONDS)
    if not window.grab().save(str(path), "PNG"):
        raise RuntimeError(f"The picture {path} could not be written: is the folder there, and may you write to it?")


def close(window: MainWindow) -> None:
    window.close()
    window.deleteLater()
    wait(0)


def wait(milliseconds: int) -> None:
    clock = QElapsedTimer()
    clock.start()
    wait_until(lambda: clock.hasExpired(milliseconds))


def wait_until(holds: Callable[[], bool]) -> None:
    """Let the event loop run until the condition holds."""
    loop = QEventLoop()
    timer = QTimer(interval=SMALL_WAIT_MILLISECONDS)
    timer.timeout.connect(lambda: loop.quit() if holds() else None)
    timer.start()
    loop.exec()
    timer.stop()
