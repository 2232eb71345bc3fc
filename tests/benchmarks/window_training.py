"""What the window costs: a training run in it against the same run in `core` alone, and how fast it answers meanwhile.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/window_training.py FILE [MERGES]

The timeline, the tokens view and the charts are open. Without a display, QT_QPA_PLATFORM=offscreen draws as much.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from stalls import Stalls

from bpe_gui.app import make_application, passing_settings
from bpe_gui.garbage import Garbage
from bpe_gui.main_window import MainWindow
from bpe_gui.portrait import wait, wait_until
from bpe_gui.theme import Theme
from bpe_gui.training import TrainingState
from bpe_gui.training_thread import TrainingThread
from core import kernel_loader
from core.corpus import load_corpus
from core.recording import record
from core.trainer_config import TrainerConfig

RUNS = 5
ANSWERS = 10


def main(path: Path, merges: int) -> None:
    kernel_loader.load()
    corpus = load_corpus(path)
    alone = [seconds(lambda: record(corpus, None, TrainerConfig(merges=merges))) for _ in range(RUNS)]
    application = make_application()
    with passing_settings("light") as settings:
        theme = Theme(settings)
        theme.apply()
        window = MainWindow(settings, theme)
        window.resize(1920, 1080)
        window.show()
        wait(500)
        garbage = Garbage(window.training, window)
        opened: list[object] = []
        window.opener.opened.connect(opened.append)
        window.opener.open_path(path)
        wait_until(lambda: bool(opened))
        wait(500)
        stalls = Stalls()
        within = [seconds(lambda: train(window, merges, stalls)) for _ in range(RUNS)]
        print(f"core alone   {spread(alone)}")
        print(
            f"the window   {spread(within)}, {statistics.median(within) / statistics.median(alone):.2f} times as long"
        )
        measure_answers(window, merges)
        garbage.end()
        window.close()
    application.processEvents()


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def train(window: MainWindow, merges: int, stalls: Stalls) -> None:
    stalls.report("before")
    window.train(merges=merges)
    wait_until(lambda: window.training.state is TrainingState.IDLE)
    stalls.report(f"{window.session.last_step:,} merges")


def measure_answers(window: MainWindow, merges: int) -> None:
    """From the click to the moment when what was asked for is done; a run that ends before that does not count."""
    pauses, steps, cancels = list[float](), list[float](), list[float]()
    for number in range(ANSWERS):
        measure_answer(window, merges, merges * (number + 1) // (ANSWERS + 2), (pauses, steps, cancels))
    for name, answers in (("pause", pauses), ("step", steps), ("cancel", cancels)):
        print(f"{name:12} {spread(answers)}, {len(answers)} of {ANSWERS} runs")


def measure_answer(window: MainWindow, merges: int, at: int, answers: tuple[list[float], ...]) -> None:
    """Those of one run, interrupted when about `at` merges are made."""
    training, session = window.training, window.session
    ended: list[object] = []
    window.train(merges=merges)
    thread = training.findChildren(TrainingThread)[-1]
    thread.finished.connect(lambda: ended.append(1))
    wait_until(lambda: training.state is not TrainingState.COUNTING)  # the merges of the run before are gone
    wait_until(lambda: bool(ended) or session.last_step > at)
    pause = seconds(lambda: (training.pause(), wait_until(lambda: bool(ended) or thread.is_waiting)))
    if ended:
        return
    answers[0].append(pause)
    wait(500)  # the merges that are on their way arrive
    known = session.last_step
    answers[1].append(seconds(lambda: (training.make_one_merge(), wait_until(lambda: session.last_step == known + 1))))
    training.resume()
    wait(30)
    cancel = seconds(lambda: (training.stop(), wait_until(lambda: bool(ended))))
    if training.state is TrainingState.IDLE and session.last_step < merges:
        answers[2].append(cancel)
    wait_until(lambda: training.state is TrainingState.IDLE)


def spread(times: list[float]) -> str:
    if not times:
        return "not measured: the text is too short"
    return f"{statistics.median(times) * 1000:7.0f} ms ({min(times) * 1000:.0f} to {max(times) * 1000:.0f})"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 32_000)
