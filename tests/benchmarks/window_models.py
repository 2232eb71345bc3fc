"""What opening a vocabulary costs: from the file to the first coloured text in the window, against tiktoken's loading.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/window_models.py RANKS...

Each file of ranks is opened in a window that stands there with a text, until that text is painted with the tokens of
the vocabulary. tiktoken reads the same file and makes an `Encoding` of it; that constructor alone is shown too.
"""

import base64
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tiktoken
from PySide6.QtGui import QPainter
from stalls import Stalls

from bpe_gui.app import make_application, passing_settings
from bpe_gui.garbage import Garbage
from bpe_gui.main_window import MainWindow
from bpe_gui.portrait import wait, wait_until
from bpe_gui.theme import Theme
from bpe_gui.widgets.token_view import TokenView
from core import kernel_loader
from core.segmentation import Segmenter

RUNS = 7
TEXT = "The quick brown fox jumps over the lazy dog. 敏捷的棕色狐狸跳过懒狗。 👩‍👩‍👧‍👦\n" * 20


def main(paths: list[Path]) -> None:
    kernel_loader.load()
    application = make_application()
    with passing_settings("light") as settings:
        theme = Theme(settings)
        theme.apply()
        window = MainWindow(settings, theme)
        window.resize(1280, 800)
        window.show()
        wait(500)
        garbage = Garbage(window.training, window)
        window.opener.take_text(TEXT, "text")
        wait(1_000)
        stalls = Stalls()
        for path in paths:
            compare(window, path, stalls)
        garbage.end()
        window.close()
    application.processEvents()


def compare(window: MainWindow, path: Path, stalls: Stalls) -> None:
    reading, making, ours = list[float](), list[float](), list[float]()
    stalls.report("before")
    for _ in range(RUNS):
        start = time.perf_counter()
        lines = (line.split() for line in path.read_bytes().splitlines() if line)
        ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
        reading.append(time.perf_counter() - start)
        start = time.perf_counter()
        tiktoken.Encoding(path.stem, pat_str=r"\S+", mergeable_ranks=ranks, special_tokens={})
        making.append(time.perf_counter() - start)
        del ranks
        wait(300)
        stalls.report("tiktoken")
        ours.append(first_colour(window, path))
        wait(1_000)
        stalls.report(f"{path.stem} opened")
    alone, whole, window_s = map(statistics.median, (making, map(sum, zip(reading, making, strict=True)), ours))
    print(f"{path.stem}: tiktoken.Encoding alone {alone * 1000:.0f} ms, with reading the file {whole * 1000:.0f} ms")
    print(
        f"{path.stem}: the window {window_s * 1000:.0f} ms ({min(ours) * 1000:.0f} to {max(ours) * 1000:.0f}), "
        f"{window_s / alone:.2f} times tiktoken.Encoding alone, {window_s / whole:.2f} times with reading"
    )


def first_colour(window: MainWindow, path: Path) -> float:
    """Seconds until the tokens of the file are painted."""
    painted = list[float]()
    paint: Callable[[TokenView, QPainter, Segmenter], None] = TokenView._paint_tokens

    def timed_paint(view: TokenView, painter: QPainter, segmenter: Segmenter) -> None:
        paint(view, painter, segmenter)
        imported = segmenter.recording.imported
        if imported and imported.file == path.name and segmenter.recording is not before:
            painted.append(time.perf_counter())

    before = window.session.recording
    TokenView._paint_tokens = timed_paint  # type: ignore[method-assign]
    try:
        start = time.perf_counter()
        window.opener.open_path(path)
        wait_until(lambda: bool(painted))
    finally:
        TokenView._paint_tokens = paint  # type: ignore[method-assign]
    return painted[0] - start


if __name__ == "__main__":
    main(list(map(Path, sys.argv[1:])))
