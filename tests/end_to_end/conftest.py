"""The real window on settings of its own; the fixtures that watch for leftovers are those of tests/bpe_gui."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_gui.main_window import MainWindow
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from tests.bpe_gui.conftest import nothing_is_left, settings, theme  # noqa: F401  # fixtures

ALICE = Path(__file__).parents[1] / "data" / "text" / "alice_50k.txt"


@pytest.fixture
def window(qtbot, settings: Settings, theme: Theme) -> Iterator[MainWindow]:  # noqa: F811  # the fixtures above
    settings.set(Settings.SPEED, 0.0)
    window = MainWindow(settings, theme)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()
    window.deleteLater()
