"""The command `bpe-gui`: reads its arguments, makes the application and opens the window or takes a picture of it."""

import argparse
import faulthandler
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QEvent,
    QLoggingCategory,
    QMessageLogContext,
    QSettings,
    QSize,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QStyle

from bpe_gui.dialogs.about_dialog import version_of
from bpe_gui.display import has_display
from bpe_gui.garbage import Garbage
from bpe_gui.main_window import MainWindow
from bpe_gui.portrait import take_demo, take_portrait, take_readme_pictures
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from core.corpus_source import CorpusSource
from core.errors import BpeError

EXAMPLES = """examples:
  bpe-gui                                    open the window
  bpe-gui book.txt --merges 500              open a text and train 500 merges
  bpe-gui one.txt two.txt                    open several texts as one corpus, in this order
  bpe-gui words.txt --word-counts            open a list of words, each with how often it occurs
  bpe-gui tokenizer.json book.txt            look into a tokenizer, with a text to cut
  bpe-gui book.txt --merges 500 --screenshot book.png
                                             the same as a picture, also without a display
"""

THEME_HELP = "theme of the window for this start, or of the picture; the one chosen under View stays stored"

LOGGING_RULES = "qt.text.font.db.info=false"
"""Of a script that no installed font has, Qt tells once a font: hundreds of lines for a page of Khmer."""
SWITCH_INTERVAL_SECONDS = 0.001
"""How long the window may wait for the interpreter while core works on a thread; Python's own value is 5 ms."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    if sys.stderr is not None:  # a program without a console has none
        faulthandler.enable()
    parser = make_parser()
    options = parser.parse_args(arguments)
    if problem := problem_of_files(options):
        print(f"bpe-gui: {problem}", file=sys.stderr)
        return 2
    is_portrait = options.screenshot or options.screenshots or options.offscreen_demo
    if not is_portrait and "QT_QPA_PLATFORM" not in os.environ and not has_display():
        print("bpe-gui: there is no display to open a window on; --screenshot PNG works without one.", file=sys.stderr)
        return 1
    if is_portrait:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        qInstallMessageHandler(_print_message)
    application = make_application()
    if not is_portrait:
        return run_window(application, options)
    with passing_settings(options.theme) as settings:
        return run_portrait(application, options, settings)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bpe-gui",
        description="Watch byte pair encoding being trained, merge by merge.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="text files to open, put together in this order; one of them may be a tokenizer, or a folder with one",
    )
    parser.add_argument(
        "--merges",
        type=_count,
        metavar="N",
        help="train so many merges on texts at once, with the options used last (a picture: 300, as GPT-2)",
    )
    parser.add_argument("--encoding", help="the encoding of every FILE; found out by itself when not given")
    parser.add_argument(
        "--word-counts",
        action="store_true",
        help="FILE is a list in UTF-8: a word and how often it occurs on each line",
    )
    parser.add_argument("--screenshot", type=Path, metavar="PNG", help="write a picture of the window and exit")
    parser.add_argument(
        "--step", type=_count, metavar="K", help="the step to show in the picture; the last one if not given"
    )
    parser.add_argument("--size", type=_size, default=QSize(1280, 800), metavar="WxH", help="size of the picture")
    parser.add_argument("--theme", choices=("light", "dark"), help=THEME_HELP)
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--offscreen-demo", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--version", action="version", version=f"bpe-gui {version_of('bpe-gui')}")
    return parser


def problem_of_files(options: argparse.Namespace) -> str:
    """Why the files cannot be opened as asked for; empty if they can, as far as can be told without looking."""
    if options.word_counts and len(options.files) != 1:
        return "--word-counts needs exactly one FILE."
    if options.word_counts and options.encoding:
        return "--word-counts and --encoding exclude each other: a list of word counts is always UTF-8."
    return ""


def source_of(options: argparse.Namespace) -> CorpusSource | None:
    """What is to be opened; None if no FILE is given."""
    return CorpusSource(tuple(options.files), options.encoding, options.word_counts) if options.files else None


def make_application() -> QApplication:
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
    QLoggingCategory.setFilterRules(LOGGING_RULES)
    application = QApplication.instance() or QApplication([sys.argv[0]])
    assert isinstance(application, QApplication)
    application.setApplicationName("bpe-gui")
    application.setApplicationDisplayName("bpe-gui")
    application.setOrganizationName("bpe-gui")
    application.setDesktopFileName("bpe-gui")
    return application


def run_window(application: QApplication, options: argparse.Namespace) -> int:
    source = source_of(options)
    if options.merges is not None and source is None:
        print("bpe-gui: --merges needs a FILE to train on.", file=sys.stderr)
        return 2
    settings = Settings()
    if options.theme:
        settings.use_until_set(Settings.THEME, options.theme)
    theme = Theme(settings)
    theme.apply()
    application.setWindowIcon(theme.icon("stack"))
    window = MainWindow(settings, theme)
    sys.excepthook = _print_and_go_on
    fit_to_screen(window)
    window.show()
    window.loops.start()
    if source is not None:
        window.draft.restore_text()  # so that the file replaces it as any other text, which can be brought back
        window.open_and_train(source, options.merges)
    else:
        window.draft.restore()
    garbage = Garbage(window.training, window)
    window.loops.ready.connect(garbage.keep_what_is_there)
    status = application.exec()
    garbage.end()
    window.deleteLater()
    # now, for it waits for its threads: Python, when it ends, takes the means to work away from them
    application.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    return status


def fit_to_screen(window: MainWindow) -> None:
    """Make the window no larger than what the screen has room for, so that its status bar can be seen."""
    title_bar = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    room = window.screen().availableGeometry().size() - QSize(0, title_bar)
    window.resize(window.size().boundedTo(room))


def run_portrait(application: QApplication, options: argparse.Namespace, settings: Settings) -> int:
    theme = Theme(settings)
    theme.apply()
    try:
        if options.offscreen_demo:
            written = take_demo(settings, theme, options.offscreen_demo)
        elif options.screenshots:
            written = take_readme_pictures(settings, theme, options.screenshots)
        else:
            written = [take_portrait(settings, theme, options, source_of(options))]
    except (OSError, RuntimeError, BpeError) as error:
        print(f"bpe-gui: {error}", file=sys.stderr)
        return 1
    for path in written:
        print(path)
    return 0


@contextmanager
def passing_settings(theme: str | None) -> Iterator[Settings]:
    """Settings that leave the user's own alone: a picture looks the same wherever it is taken."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(QSettings(str(Path(folder, "settings.ini")), QSettings.Format.IniFormat))
        settings.set(Settings.THEME, theme or "light")
        settings.set(Settings.REDUCED_MOTION, True)
        settings.set(Settings.SPEED, 0.0)
        yield settings


def _print_and_go_on(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A fault in one slot must not take the window, and the work in it, down."""
    traceback.print_exception(kind, error, trace)


def _print_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Qt's own messages, less the one that the offscreen platform has for every window."""
    if "propagateSizeHints" not in message:
        print(message, file=sys.stderr)


def _count(text: str) -> int:
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 on, got {text!r}")
    return number


def _size(text: str) -> QSize:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()) or not (300 <= int(width) <= 8000 and 300 <= int(height) <= 8000):
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT in pixels, such as 1280x800, got {text!r}")
    return QSize(int(width), int(height))
