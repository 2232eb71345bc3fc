"""A monkey at the window: seeded nonsense with actions, keys, mouse, files and panels.

Nothing may be raised and Qt may not complain: the settings of pytest make both failures.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QToolButton,
    QWidget,
)

from bpe_gui.encode_choices import stored_choices
from bpe_gui.garbage import Garbage
from bpe_gui.main_window import MainWindow
from bpe_gui.opener import SAMPLES
from bpe_gui.settings import Settings
from bpe_gui.training import TrainingState
from bpe_gui.widgets.section import Section
from core.bookmarks import named
from core.corpus_source import CorpusSource
from core.encode_steps import encode_phrase
from core.encoding_rules import Encoder
from core.measures_tables import Table
from core.model_source import ModelSource
from core.presets import PRESETS
from core.tokenizer import Specials
from tests.end_to_end.test_training_in_the_window import NASTY

DEEDS = 500
REST_MILLISECONDS = 3
KEEPER_MILLISECONDS = 1_000
SETTLING_MILLISECONDS = 1_000
SEEDS = range(int(os.environ.get("MONKEYS", 3)))
"""More monkeys find more: MONKEYS=100 lets a hundred loose."""
TEXTS = (
    "", "low lower lowest", "<img src=x> <b>&amp;</b>", "\u202eabc\u202c", "👨‍👩‍👧‍👦🇩🇪", "ภาษาไทย", "العربية",
    "中文分词", "\ufeffx", "a\r\nb\rc\u2028d", "<|endoftext|>", "</w>", "\x00\x01\x7f", "a" * 3_000, r"\w+|\s+", "[",
    "(?=a)", "(a+)+$", "#3", "count>2", "<pad>\n<|end\u2028of|>\n<img src=x>", "##", "▁", "\ud800", "/", "7",
)  # fmt: skip
NAMES = ("", "中文", "<b>&amp;</b>", "a" * 200)
TOKENIZERS = sorted((Path(__file__).parents[1] / "data" / "formats").iterdir())
"""Whole and broken ones, folders, and a few texts."""
KEYS = (
    Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Up, Qt.Key.Key_Down,
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
    Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_A, Qt.Key.Key_1, Qt.Key.Key_F6, Qt.Key.Key_F7,
)  # fmt: skip
ENCODE_CHOICES: tuple[tuple[str, tuple[str | bool | float, ...]], ...] = (
    (Settings.ENCODER, tuple(Encoder)),
    (Settings.OTHER_ENCODER, tuple(Encoder)),
    (Settings.COMPARES_ENCODERS, (True, False)),
    (Settings.FOLDS_SAME_WORDS, (True, False)),
    (Settings.ENCODE_SPECIALS, tuple(Specials)),
    (Settings.SHOWS_DROPOUT, (True, False)),
    (Settings.DROPOUT, (0.0, 10.0, 100.0)),
    (Settings.DROPOUT_SEED, (0.0, 7.0)),
    (Settings.ENCODE_TEXT, TEXTS),
    (Settings.PASTED_TEXT, TEXTS),
)
MODIFIERS = (Qt.KeyboardModifier.NoModifier,) * 3 + (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


class Monkey:
    """`folder` is where its files go: it must not reach those of whoever runs the tests."""

    def __init__(self, window: MainWindow, seed: int, folder: Path) -> None:
        self.window = window
        self.folder = folder
        self.chance = random.Random(seed)
        self.deeds = self._deeds_seen = 0
        self._keeper = QTimer(window, interval=KEEPER_MILLISECONDS)
        self._keeper.timeout.connect(self._free)
        self._keeper.start()

    def _free(self) -> None:
        """Some menus of Qt's own wait inside the deed that opens them; close what keeps the monkey."""
        if self.deeds == self._deeds_seen and (widget := _in_front()):
            widget.close()
        self._deeds_seen = self.deeds

    def act(self) -> None:
        self.deeds += 1
        common = (self.steer_training, self.branch, self.click, self.press_a_key, self.go_somewhere)
        rare = (
            self.trigger, self.press_a_button, self.write, self.choose, self.count, self.hover, self.turn_the_wheel,
            self.open_a_file, self.open_a_sample, self.move_a_panel, self.resize, self.close_what_is_in_front,
            self.open_a_tokenizer, self.open_a_tokenizer, self.mark_a_step, self.save_the_recording,
            self.open_what_it_saved, self.count_in_the_corpus, self.choose_a_preset, self.unfold, self.encode_otherwise,
            self.measure_another_text, self.save_a_table, self.save_word_counts, self.change_the_look,
        )  # fmt: skip
        self.chance.choice(common * 3 + rare)()

    def steer_training(self) -> None:
        actions = self.window.actions_
        choices = (actions.train, actions.pause, actions.step, actions.step, actions.stop, actions.play)
        action = self.chance.choice((*choices, *actions.speeds.actions()))
        if not _in_front():
            action.trigger()

    def branch(self) -> None:
        actions = self.window.actions_
        runs = actions.run_before, actions.run_after
        action = self.chance.choice((*runs, *runs, actions.forbid, actions.force, actions.what_if, actions.train_on))
        if not _in_front():
            action.trigger()

    def choose_a_preset(self) -> None:
        if not _in_front():
            self.window.trainer_dock._preset.chosen.emit("preset", self.chance.choice(PRESETS))

    def unfold(self) -> None:
        if not _in_front():
            section = self.chance.choice(self.window.trainer_dock.findChildren(Section))
            section.set_open(not section.is_open)

    def encode_otherwise(self) -> None:
        key, values = self.chance.choice(ENCODE_CHOICES)
        self.window.settings.set(key, self.chance.choice(values))

    def measure_another_text(self) -> None:
        held_out = self.window.held_out
        deed = self.chance.random()
        if deed < 0.6:
            held_out.choose_file(self.chance.choice((*NASTY, NASTY[0].parent)))
        elif deed < 0.8:
            held_out.choose_own_text()
        else:
            held_out.cancel()

    def open_a_tokenizer(self) -> None:
        """Alone, with texts, with another one; as what it is, or as nothing else; sometimes only for a moment."""
        if not _in_front():
            opener, deed = self.window.opener, self.chance.random()
            if deed < 0.3:
                opener.open_source(ModelSource(self.chance.choice((*TOKENIZERS, *NASTY))).absolute())
            else:
                others = self.chance.choices((*TOKENIZERS, *NASTY), k=self.chance.choice((0, 0, 1, 2)))
                opener.open_paths((self.chance.choice(TOKENIZERS), *others))
            if self.chance.random() < 0.1:
                opener.cancel()

    def open_what_it_saved(self) -> None:
        if not _in_front():
            saved = sorted(self.folder.rglob("*"))
            self.window.opener.open_path(self.chance.choice(saved) if saved else self.folder)

    def save_the_recording(self) -> None:
        saver, deed = self.window.recording_saver, self.chance.random()
        if self.window.session.last_step and not _in_front():
            if deed < 0.8:
                saver.save(self.folder / self.chance.choice(("one.bpe", "two.bpe", "missing/three.bpe", "<img src=x>")))
            else:
                self.chance.choice((self.window.actions_.save, self.window.actions_.save_as)).trigger()
            if self.chance.random() < 0.1:
                saver.cancel()

    def mark_a_step(self) -> None:
        session, actions = self.window.session, self.window.actions_
        choices = (actions.bookmark, actions.next_bookmark, actions.previous_bookmark, actions.clear_bookmarks)
        if not _in_front():
            self.chance.choice((*choices, actions.bookmark)).trigger()
            session.set_bookmarks(named(session.bookmarks, session.step, self.chance.choice(NAMES)))

    def count_in_the_corpus(self) -> None:
        if not _in_front():
            self.window.actions_.count_merges.trigger()
            if self.chance.random() < 0.2:
                self.window.merge_counter.cancel()

    def save_a_table(self) -> None:
        if self.window.actions_.export_measures.isEnabled():
            path = self.folder / self.chance.choice(("table.csv", "missing/table.csv"))
            self.window.measures_dock.exporter.save(self.chance.choice(list(Table)), self.chance.random() < 0.5, path)

    def save_word_counts(self) -> None:
        if not _in_front():
            self.window.actions_.save_word_counts.trigger()

    def change_the_look(self) -> None:
        self.window.settings.set(Settings.THEME, self.chance.choice(("light", "dark")))
        self.window.settings.set(Settings.TEXT_POINTS, self.chance.choice((7, 13, 20, 40)))

    def trigger(self) -> None:
        actions = self.window.actions_
        action = self.chance.choice([one for one in actions.all() if one not in (actions.open, actions.quit)])
        if not _in_front():
            action.trigger()

    def press_a_button(self) -> None:
        button = self._any(QPushButton, QCheckBox, QRadioButton)
        if button:
            button.click()

    def click(self) -> None:
        widget = self._any(QWidget)
        if widget and not _has_menu(widget):
            button = self.chance.choice((Qt.MouseButton.LeftButton,) * 4 + (Qt.MouseButton.RightButton,))
            QTest.mouseClick(widget, button, self.chance.choice(MODIFIERS), self._place(widget))

    def press_a_key(self) -> None:
        widget = QApplication.focusWidget() or self.window
        if not _has_menu(widget):
            QTest.keyClick(widget, self.chance.choice(KEYS), self.chance.choice(MODIFIERS))

    def write(self) -> None:
        field = self._any(QLineEdit, QPlainTextEdit)
        if field and not field.isReadOnly() and not isinstance(field.parent(), QAbstractSpinBox):
            text = self.chance.choice(TEXTS)
            field.setText(text) if isinstance(field, QLineEdit) else field.setPlainText(text)
            QGuiApplication.clipboard().setText(text)

    def choose(self) -> None:
        box = self._any(QComboBox)
        if box and box.count():
            box.setCurrentIndex(self.chance.randrange(box.count()))
            box.activated.emit(box.currentIndex())

    def count(self) -> None:
        box = self._any(QSpinBox)
        if box:
            box.setValue(self.chance.choice((box.minimum(), box.maximum(), 1, 50, 300)))

    def hover(self) -> None:
        widget = self._any(QWidget)
        if widget:
            place = self._place(widget)
            QTest.mouseMove(widget, place)
            tip = QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
            QApplication.sendEvent(widget, tip)

    def turn_the_wheel(self) -> None:
        widget = self._any(QWidget)
        if widget:
            place, turn = self._place(widget), QPoint(0, self.chance.choice((-1200, -120, 120)))
            QApplication.sendEvent(
                widget,
                QWheelEvent(
                    QPointF(place), QPointF(widget.mapToGlobal(place)), QPoint(), turn, Qt.MouseButton.NoButton,
                    self.chance.choice(MODIFIERS), Qt.ScrollPhase.NoScrollPhase, False,
                ),
            )  # fmt: skip

    def go_somewhere(self) -> None:
        session = self.window.session
        session.go_to(self.chance.randint(-3, session.last_step + 3))
        if session.last_step and self.chance.random() < 0.3:
            session.reveal_merge(self.chance.randrange(session.last_step))

    def open_a_file(self) -> None:
        if not _in_front():
            encoding = self.chance.choice((None, None, None, "utf-16", "gb18030", "nonsense"))
            paths = tuple(self.chance.choices((*NASTY, NASTY[0].parent), k=self.chance.choice((1, 1, 2, 5))))
            self.window.opener.open_source(CorpusSource(paths, encoding, self.chance.random() < 0.2))

    def open_a_sample(self) -> None:
        if not _in_front():
            self.window.opener.open_sample(self.chance.choice(SAMPLES)[1])

    def move_a_panel(self) -> None:
        docks, deed = self.window._docks(), self.chance.random()
        dock = self.chance.choice(docks)
        if deed < 0.4:
            dock.setFloating(not dock.isFloating())
        elif deed < 0.6:
            dock.close()
        elif deed < 0.8:
            dock.show()
        else:
            self.window.actions_.reset_layout.trigger()

    def resize(self) -> None:
        self.window.resize(self.chance.choice((300, 800, 1280, 1920)), self.chance.choice((200, 600, 1080)))

    def close_what_is_in_front(self) -> None:
        if widget := _in_front():
            widget.close()

    def _any(self, *kinds: type[QWidget]) -> QWidget | None:
        root = _in_front() or self.window
        widgets = [w for w in root.findChildren(QWidget) if isinstance(w, kinds) and w.isVisible() and w.isEnabled()]
        return self.chance.choice(widgets) if widgets else None

    def _place(self, widget: QWidget) -> QPoint:
        return QPoint(self.chance.randrange(max(widget.width(), 1)), self.chance.randrange(max(widget.height(), 1)))


def _has_menu(widget: QWidget) -> bool:
    """Whether it is a button that waits until its menu is closed, and the monkey with it."""
    return isinstance(widget, QToolButton) and widget.menu() is not None


def _in_front() -> QWidget | None:
    """The menu or dialog that keeps everything else from being reached."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


@pytest.fixture
def garbage(window: MainWindow) -> Iterator[Garbage]:
    garbage = Garbage(window.training, window)
    yield garbage
    garbage.end()


@pytest.fixture
def own_folder(monkeypatch, settings: Settings, tmp_path: Path) -> Path:
    """All that a monkey may write into, and delete from: file dialogs are answered before they open."""
    folder = tmp_path / "monkey"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    for key in (Settings.EXPORT_FOLDER, Settings.LAST_FOLDER):
        settings.set(key, str(folder))
    file = str(folder / "some.txt")
    answers = {"getOpenFileNames": ([], ""), "getSaveFileName": (file, ""), "getExistingDirectory": str(folder)}
    for name in ("getOpenFileName", "getOpenFileNames", "getSaveFileName", "getExistingDirectory"):
        answer = answers.get(name, ("", ""))
        monkeypatch.setattr(QFileDialog, name, lambda *_, chosen=answer, **__: chosen)
    monkeypatch.setattr(QFileDialog, "open", lambda dialog: _choose(dialog, folder))
    return folder


def _choose(dialog: QFileDialog, folder: Path) -> None:
    wants_folder = dialog.fileMode() is QFileDialog.FileMode.Directory
    dialog.fileSelected.emit(str(folder if wants_folder else folder / "some.csv"))
    dialog.finished.emit(QFileDialog.DialogCode.Accepted)


@pytest.mark.usefixtures("garbage")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_monkey_at_the_window(qtbot, own_folder: Path, window: MainWindow, seed: int) -> None:
    monkey, session = Monkey(window, seed, own_folder), window.session
    window.opener.open_sample("alice.txt")
    for _ in range(DEEDS):
        monkey.act()
        qtbot.wait(REST_MILLISECONDS)
        assert 0 <= session.step <= session.last_step
    while widget := _in_front():
        widget.close()
    window.actions_.stop.trigger()
    assert window.training.state is TrainingState.IDLE
    assert [merge.rank for merge in session.recording] == list(range(session.last_step))
    assert_nothing_stale(qtbot, window)


def assert_nothing_stale(qtbot, window: MainWindow) -> None:
    """Every panel shows the session's recording at its step."""
    session = window.session
    for dock in window._docks():
        dock.show()
    window.resize(1280, 800)
    window.actions_.reset_layout.trigger()
    window.measures_dock.raise_()
    window.merges_dock.filter.clear()
    qtbot.waitUntil(lambda: not window.held_out.is_busy, timeout=30_000)
    qtbot.wait(SETTLING_MILLISECONDS)
    assert window.step_bar.number.value() == session.step
    assert sorted(window.merges_dock.model.ranks) == list(range(session.last_step))
    if session.last_step and window.corpus_measures.has_counts:
        shown = window.measures_dock.model.index(0, 1).data()
        assert shown == f"{session.recording.corpus_length(session.step):,}"
    dock, choices = window.encode_dock, stored_choices(window.settings)
    if session.last_step and choices.other is None and choices.dropout is None and not dock.view.phrase.problem:
        text = dock._text_shown(choices)
        expected = encode_phrase(session.recording, text, session.step, choices.encoder, None, choices.specials)
        assert dock.view.phrase.ids == expected.ids
