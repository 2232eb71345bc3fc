"""How long the window's event loop stands still while a text is opened, trained on and scrubbed through.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/window_stalls.py FILE [MERGES]

A timer that should fire every 2 ms notes the gaps between its calls; what is printed is the gaps of each phase.
"""

import random
import sys
from pathlib import Path

from stalls import Stalls

from bpe_gui.app import make_application, passing_settings
from bpe_gui.garbage import Garbage
from bpe_gui.main_window import MainWindow
from bpe_gui.portrait import wait, wait_until
from bpe_gui.theme import Theme
from bpe_gui.training import TrainingState

SCRUBS = 200


def main(path: Path, merges: int) -> None:
    application = make_application()
    with passing_settings("light") as settings:
        theme = Theme(settings)
        theme.apply()
        window = MainWindow(settings, theme)
        window.resize(1280, 800)
        window.show()
        wait(500)
        garbage = Garbage(window.training, window)
        measure(window, path, merges)
        garbage.end()
        window.close()
    application.processEvents()


def measure(window: MainWindow, path: Path, merges: int) -> None:
    session, stalls = window.session, Stalls()
    opened: list[object] = []
    window.opener.opened.connect(opened.append)
    window.opener.open_path(path)
    wait_until(lambda: bool(opened))
    wait(300)
    stalls.report("open")
    window.train(merges=merges)
    wait_until(lambda: window.training.state is not TrainingState.COUNTING)
    stalls.report("count words and pairs")
    wait_until(lambda: window.training.state is TrainingState.IDLE)
    stalls.report(f"make {session.last_step:,} merges")
    chance = random.Random(0)
    for _ in range(SCRUBS):
        session.go_to(chance.randrange(session.last_step + 1))
        wait(0)
    stalls.report(f"scrub to {SCRUBS} steps")
    window.tokens_panel.setFocus()
    wait(1000)
    stalls.report("rest")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2_000)
