import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from bpe_gui.app import fit_to_screen, make_parser, problem_of_files, source_of
from bpe_gui.main_window import MainWindow
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from core.corpus_source import CorpusSource

ROOT = Path(__file__).parents[2]


def run(*arguments: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, without a display unless `environment` names one."""
    variables = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    variables |= {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder / "config")} | environment
    return subprocess.run(
        [sys.executable, "-m", "bpe_gui", *map(str, arguments)],
        cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_a_picture_is_taken_without_a_display(tmp_path: Path) -> None:
    text = tmp_path / "text ünï 名.txt"
    text.write_text("low lower lowest 春眠不觉晓 🌸 " * 30)
    done = run(text, "--merges", "20", "--screenshot", "picture.png", "--size", "1000x700", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "picture.png\n", "")
    image = QImage(str(tmp_path / "picture.png"))
    assert image.size() == QSize(1000, 700)
    colors = {image.pixel(x, y) for x in range(300, 700, 3) for y in range(80, 400, 3)}
    assert len(colors) > 20  # tokens are drawn, not an empty panel
    assert not (tmp_path / "config").exists()  # the user's settings are left alone


def test_a_picture_of_several_files(tmp_path: Path) -> None:
    for name in ("one.txt", "春眠.txt"):
        (tmp_path / name).write_text("low lower lowest " * 9, encoding="utf-8")
    done = run("one.txt", "春眠.txt", "--merges", "5", "--screenshot", "picture.png", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "picture.png\n", "")


def test_a_picture_of_word_counts(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("low 5\nlower 2\n")
    done = run("words.txt", "--word-counts", "--merges", "2", "--screenshot", "picture.png", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "picture.png\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--word-counts"], "--word-counts needs exactly one FILE."),
        (["a.txt", "b.txt", "--word-counts"], "--word-counts needs exactly one FILE."),
        (["a.txt", "--word-counts", "--encoding", "cp1252"], "always UTF-8"),
    ],
)
def test_files_that_cannot_be_asked_for(arguments, message) -> None:
    assert message in problem_of_files(make_parser().parse_args(arguments))


def test_a_wrong_choice_of_files_ends_the_command(tmp_path: Path) -> None:
    done = run("--word-counts", folder=tmp_path, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stderr) == (2, "bpe-gui: --word-counts needs exactly one FILE.\n")


def test_files_keep_their_order() -> None:
    options = make_parser().parse_args(["b.txt", "a.txt", "--encoding", "cp1252"])
    assert problem_of_files(options) == ""
    assert source_of(options) == CorpusSource((Path("b.txt"), Path("a.txt")), "cp1252")
    assert source_of(make_parser().parse_args([])) is None


def test_scripts_that_no_font_has_are_no_reason_to_complain(tmp_path: Path) -> None:
    text = tmp_path / "scripts.txt"
    text.write_text("ខ្មែរ தமிழ் ދިވެހި ᮘᮞ ꦗꦮ 𞤀𞤣 ᏣᎳᎩ ᠮᠣᠩ ߒߞߏ")
    done = run(text, "--merges", "20", "--screenshot", "picture.png", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_demo_names_the_files_it_writes(tmp_path: Path) -> None:
    done = run("--offscreen-demo", "demo", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    written = done.stdout.splitlines()
    assert all((tmp_path / name).stat().st_size > 100 for name in written)
    names = [Path(name).name for name in written]
    assert {"window.png", "tokenizer.json", "merges.txt", "merges.csv"} <= set(names)


def test_the_readme_s_pictures_are_both_taken(tmp_path: Path) -> None:
    done = run("--screenshots", "pictures", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for name in done.stdout.splitlines():
        assert QImage(str(tmp_path / name)).size() == QSize(1280, 800)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.txt", "--screenshot", "p.png"], "missing.txt: there is no such file"),
        (["--screenshot", "no/such/folder/p.png", "--merges", "1"], "could not be written"),
    ],
)
def test_a_picture_that_cannot_be_taken_says_why(tmp_path: Path, arguments, message) -> None:
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is always a display there")
def test_without_a_display_the_window_says_so(tmp_path: Path) -> None:
    for environment in ({}, {"DISPLAY": ":987"}):
        done = run(folder=tmp_path, **environment)
        assert done.returncode == 1
        assert "no display" in done.stderr


def test_merges_need_a_file(tmp_path: Path) -> None:
    done = run("--merges", "10", folder=tmp_path, QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 2
    assert "--merges needs a FILE" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--merges", "-1"], "whole number"),
        (["--merges", "many"], "whole number"),
        (["--size", "big"], "WIDTHxHEIGHT"),
        (["--size", "10x10"], "WIDTHxHEIGHT"),
        (["--theme", "pink"], "invalid choice"),
    ],
)
def test_a_wrong_argument_is_named(capsys, arguments, message) -> None:
    with pytest.raises(SystemExit) as stop:
        make_parser().parse_args(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_the_window_fits_the_screen(qtbot, settings: Settings, theme: Theme) -> None:
    window = MainWindow(settings, theme)
    qtbot.addWidget(window)
    room = window.screen().availableGeometry().height()
    assert window.height() >= room - 10  # the screen of the offscreen platform is small
    fit_to_screen(window)
    window.show()
    assert 0 < room - window.height() < 60  # the title bar's


CLOSES_WHILE_WORDS_ARE_COUNTED = """
import sys
import bpe_gui.app
import core.word_counting

class Window(bpe_gui.app.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        self.corpus_dock._counting.progressed.connect(self.close_if_counting)

    def close_if_counting(self, progress):
        if progress.words:
            self.close()

core.word_counting.MIN_CHARS_FOR_WORKERS = 0
bpe_gui.app.MainWindow = Window
sys.exit(bpe_gui.app.main(sys.argv[1:]))
"""


def test_the_window_is_closed_without_a_word_while_other_processes_count(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("low lower lowest 春眠不觉晓 🌸\n" * 400_000)
    variables = {"QT_QPA_PLATFORM": "offscreen", "BPE_GUI_COMPILED": "0", "XDG_CONFIG_HOME": str(tmp_path / "config")}
    done = subprocess.run(
        [sys.executable, "-c", CLOSES_WHILE_WORDS_ARE_COUNTED, text],
        cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


TELLS_ITS_THEME = """
import sys
import bpe_gui.app
from PySide6.QtCore import QTimer

class Window(bpe_gui.app.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        chosen = self.actions_.themes.checkedAction().text()
        print(self.palette().window().color().name(), chosen)
        QTimer.singleShot(0, self.close)

bpe_gui.app.MainWindow = Window
sys.exit(bpe_gui.app.main(sys.argv[1:]))
"""


def test_the_theme_asked_for_is_that_of_the_window_for_this_start(tmp_path: Path) -> None:
    def told(*arguments: str) -> str:
        variables = {"QT_QPA_PLATFORM": "offscreen", "BPE_GUI_COMPILED": "0", "XDG_CONFIG_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", TELLS_ITS_THEME, *arguments],
            cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)
        return done.stdout

    light = told()
    assert told("--theme", "dark") == "#1e1f22 Dark theme\n"
    assert told() == light == "#f5f5f7 System theme\n"
