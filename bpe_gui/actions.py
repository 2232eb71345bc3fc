"""Every action of the window with its key, icon, tooltip and the rule when it can be used."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from bpe_gui.merge_counter import counting_problem
from bpe_gui.playback import Playback
from bpe_gui.replaced_text import ReplacedText
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.training import Training, TrainingState
from bpe_gui.widgets.tips import plain_tip
from core.bookmarks import bookmark_at, next_bookmark, previous_bookmark, toggled
from core.branching import first_out_of_order, out_of_order

Keys = str | QKeySequence.StandardKey | None

SPEEDS: tuple[tuple[str, float], ...] = (
    ("1 merge a second", 1.0),
    ("3 merges a second", 3.0),
    ("10 merges a second", 10.0),
    ("100 merges a second", 100.0),
    ("1,000 merges a second", 1_000.0),
    ("As fast as possible", 0.0),
)
COUNTING = "Wait until the words are counted."
NO_TEXT = "Open, paste or type a text first."
NO_WORDS = "The words that these merges were learned from are not known; train, or count the merges in a text."
MAX_MERGES_LOOKED_AT = 20_000
"""Some 10 ms; where merges come out of order later than that, the dialogs say so."""
SMALLEST_POINTS, LARGEST_POINTS = 7, 40


class Actions(QObject):
    """The window connects those that open dialogs; the others do their work here."""

    def __init__(
        self,
        session: Session,
        training: Training,
        playback: Playback,
        replaced_text: ReplacedText,
        settings: Settings,
        theme: Theme,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._training = training
        self._playback = playback
        self._replaced_text = replaced_text
        self._settings = settings
        self._theme = theme
        self._icons: dict[QAction, str] = {}
        self._tips: dict[QAction, str] = {}
        self._ordered_until: int | None = None  # rank of the first merge that is out of order
        self._flags: dict[str, QAction] = {}
        self._make_file_actions()
        self._make_training_actions()
        self._make_timeline_actions()
        self._make_view_actions()
        self._make_help_actions()
        training.state_changed.connect(self._show_state)
        session.corpus_replaced.connect(self._show_state)
        session.step_changed.connect(self._show_state)
        session.recording_replaced.connect(self._look_at_order)
        session.recording_replaced.connect(self._show_state)
        session.merges_appended.connect(self._show_state)
        session.bookmarks_changed.connect(self._show_bookmarks)
        playback.playing_changed.connect(self._show_state)
        replaced_text.changed.connect(self._show_state)
        settings.changed.connect(self._show_flag)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._show_state()

    def all(self) -> list[QAction]:
        """Every action that has a name, in the order of the menus."""
        return [action for action in self.findChildren(QAction) if action.text()]

    def _make_file_actions(self) -> None:
        self.open = self._action(
            "&Open...",
            "folder-open",
            QKeySequence.StandardKey.Open,
            "Open a text, several as one corpus, or a tokenizer: what it is shows by its content",
        )
        self.open_model = self._action(
            "Open to&kenizer...",
            "stack",
            "Ctrl+Shift+K",
            "Open a tokenizer of another program and look into its merges",
        )
        self.open_folder = self._action(
            "Open &folder...",
            "folders",
            "Ctrl+Alt+O",
            "Open all text files in a folder and below it as one corpus, or the tokenizer in it",
        )
        self.open_word_counts = self._action(
            "Open &word counts...", "list-numbers", "Ctrl+Shift+O", "Open a list of words and how often each occurs"
        )
        self.paste = self._action(
            "&Paste as corpus", "clipboard-text", "Ctrl+Shift+V", "Take the text on the clipboard as corpus"
        )
        self.bring_back = self._action(
            "&Bring back the typed text",
            "clock-counter-clockwise",
            "Ctrl+Shift+T",
            "Take the text that was typed, pasted or edited before the last opening as corpus again",
            self._replaced_text.bring_back,
        )
        self.export = self._action(
            "&Export...", "export", "Ctrl+Shift+E", "Write the merges up to this step for another tool"
        )
        self.save = self._action(
            "&Save recording",
            "floppy-disk",
            QKeySequence.StandardKey.Save,
            "Save the merges with their counts, settings and marked steps, to open them here again",
        )
        self.save_as = self._action(
            "Save recording &as...", None, "Ctrl+Alt+S", "Save the recording in another file from now on"
        )
        self.save_word_counts = self._action(
            "Sa&ve word counts...",
            "floppy-disk",
            "Ctrl+Shift+S",
            "Write every word of the corpus and how often it occurs",
        )
        self.export_measures = self._action(
            "Export &measures...", "chart-line", "Ctrl+Shift+M", "Save measures, curves and distributions as CSV tables"
        )
        self.clear_recent = self._action("&Clear recent files", None, None, "Forget the files opened lately")
        self.clear_recent.triggered.connect(self._settings.clear_recent_files)
        self.quit = self._action("&Quit", None, QKeySequence.StandardKey.Quit, "Close the window")

    def _make_training_actions(self) -> None:
        training = self._training
        self.train = self._action("&Train", "play", "F5", "Learn merges from the corpus, from the first one on")
        self.pause = self._action("&Pause", "pause", "F6", "Hold training, or let it go on", self._pause_or_resume)
        self.pause.setCheckable(True)
        self.step = self._action("&Single merge", "plus-circle", "F7", "Make one merge more and wait")
        self.stop = self._action(
            "S&top", "stop", "Shift+F5", "End training; the merges made so far stay", training.stop
        )
        self._make_branch_actions()
        self.speeds = QActionGroup(self)
        for title, rate in SPEEDS:
            self._speed_action(title, rate)
        training.set_merges_per_second(self._settings.number(Settings.SPEED) or None)

    def _make_branch_actions(self) -> None:
        self.train_on = self._action(
            "Train &on from here...",
            "fast-forward",
            "Ctrl+F5",
            "Keep the merges made so far and learn more from the corpus, this one or another",
        )
        self.forbid = self._action(
            "&Forbid this merge and train on",
            "prohibit",
            "Ctrl+F8",
            "Train once more from this merge on, without ever merging its pair",
            self._forbid,
        )
        self.force = self._action(
            "Force a&nother pair here...",
            "git-branch",
            "Shift+F8",
            "Choose another pair that could have been merged at this step, and train on from it",
        )
        self.what_if = self._action(
            "&What if another rule chose?...",
            "scales",
            "F8",
            "Find the first merge that another tie rule or score would have made differently",
        )
        self.count_merges = self._action(
            "&Count merges in the corpus",
            "list-numbers",
            "Ctrl+Shift+F5",
            "Count how often each merge of this tokenizer is made in the corpus, to fill charts and measures",
        )
        self.count_merges.setIconText("Count in the corpus")
        self.run_before = self._action(
            "&Back to the run before",
            "arrow-u-up-left",
            "F9",
            "Show the run that was replaced by this one",
            self._run_before,
        )
        self.run_after = self._action(
            "For&ward to the run after",
            "arrow-u-up-right",
            "Shift+F9",
            "Show again the run that was left by going back",
            self._run_after,
        )

    def _speed_action(self, title: str, rate: float) -> None:
        action = self._action(title, None, None, f"Training speed: {title[0].lower()}{title[1:]}")
        action.setIconText(f"{rate:,.0f} a second" if rate else "Full speed")
        action.setCheckable(True)
        action.setData(rate)
        action.setChecked(self._settings.number(Settings.SPEED) == rate)
        action.triggered.connect(self._choose_speed)
        self.speeds.addAction(action)

    def _make_timeline_actions(self) -> None:
        self.first = self._action(
            "&First step", "caret-double-left", "Alt+Home", "Show the base symbols, before any merge", self._first
        )
        self.back = self._action("&Back one step", "caret-left", "Alt+Left", "Undo one merge on the screen", self._back)
        self.forward = self._action(
            "F&orward one step", "caret-right", "Alt+Right", "Apply the next merge", self._forward
        )
        self.last = self._action("&Last step", "caret-double-right", "Alt+End", "Show the latest merge", self._last)
        self.play = self._action(
            "Pl&ay", "play-circle", "Ctrl+Space", "Play the merges from here", self._playback.toggle
        )
        self.play.setCheckable(True)
        self._make_bookmark_actions()

    def _make_bookmark_actions(self) -> None:
        self.bookmark = self._action(
            "&Mark this step", "bookmark-simple", "Ctrl+D", "Mark this step, or take its mark away"
        )
        self.bookmark.triggered.connect(self._toggle_bookmark)
        self.bookmark.setCheckable(True)
        self.name_bookmark = self._action("&Name this step...", None, "Ctrl+Shift+D", "Mark this step by a name")
        self.next_bookmark = self._action(
            "Ne&xt marked step", "caret-right", "Alt+Down", "Go to the next step that is marked", self._next_bookmark
        )
        self.previous_bookmark = self._action(
            "&Previous marked step",
            "caret-left",
            "Alt+Up",
            "Go to the step before that is marked",
            self._previous_bookmark,
        )
        self.clear_bookmarks = self._action(
            "Remove &all marks", None, None, "Take the marks of all steps away", self._clear_bookmarks
        )

    def _make_view_actions(self) -> None:
        self.whitespace = self._action(
            "Show &white space", None, "Ctrl+Shift+W", "Mark spaces, tabs and line ends in the tokens"
        )
        self._bind_flag(self.whitespace, Settings.SHOW_WHITESPACE)
        self.monospaced = self._action("&Monospaced tokens", None, None, "Write tokens in a font of even width")
        self._bind_flag(self.monospaced, Settings.MONOSPACED)
        self.reduced_motion = self._action("&Reduce motion", None, None, "No pulse when a merge happens")
        self._bind_flag(self.reduced_motion, Settings.REDUCED_MOTION)
        self.themes = QActionGroup(self)
        for name in ("system", "light", "dark"):
            self._choice(self.themes, name.capitalize() + " theme", Settings.THEME, name)
        self.palettes = QActionGroup(self)
        self._choice(self.palettes, "All hues", Settings.PALETTE, "full")
        self._choice(self.palettes, "Colour-blind safe hues", Settings.PALETTE, "safe")
        self.larger = self._action(
            "&Larger text", None, QKeySequence.StandardKey.ZoomIn, "Write the tokens one point larger", self._larger
        )
        self.smaller = self._action(
            "&Smaller text", None, QKeySequence.StandardKey.ZoomOut, "Write the tokens one point smaller", self._smaller
        )
        self.normal_size = self._action(
            "&Normal text size", None, "Ctrl+0", "Write the tokens in the size of the first start", self._normal_size
        )
        self.reset_layout = self._action("Reset la&yout", None, None, "Put every panel back where it was at first")
        self.about_model = self._action(
            "About this to&kenizer...",
            "info",
            "Ctrl+I",
            "Where this tokenizer comes from, what it holds, how it encodes and what is unusual about it",
        )
        self.about_model.setIconText("Details")
        self.find_merge = self._action(
            "&Find a merge", None, QKeySequence.StandardKey.Find, "Go to the filter of the merges table"
        )
        self.encode = self._action("&Encode a word", None, "Ctrl+L", "Go to the field of the encode panel")

    def _make_help_actions(self) -> None:
        self.shortcuts = self._action(
            "&Keyboard shortcuts", None, QKeySequence.StandardKey.HelpContents, "Every action and its key"
        )
        self.about = self._action("&About bpe-gui", None, None, "Version and licence")

    def _action(
        self, text: str, icon: str | None, keys: Keys, tip: str, work: Callable[[], None] | None = None
    ) -> QAction:
        action = QAction(text, self)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
            tip = f"{tip} ({action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)})"
        self._tips[action] = tip
        action.setToolTip(tip)
        action.setStatusTip(tip)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        if icon:
            self._icons[action] = icon
        if work:
            action.triggered.connect(work)
        return action

    def _bind_flag(self, action: QAction, key: str) -> None:
        action.setCheckable(True)
        action.setChecked(self._settings.flag(key))
        action.setData(key)
        action.toggled.connect(self._store_flag)
        self._flags[key] = action

    def _choice(self, group: QActionGroup, text: str, key: str, value: str) -> None:
        action = self._action(text, None, None, text)
        action.setCheckable(True)
        action.setChecked(self._settings.text(key) == value)
        action.setData((key, value))
        action.triggered.connect(self._store_choice)
        group.addAction(action)

    def train_at_full_speed(self) -> None:
        """Choose the last of SPEEDS, as the user could."""
        self.speeds.actions()[-1].trigger()

    def _sender(self) -> QAction:
        sender = self.sender()
        assert isinstance(sender, QAction)
        return sender

    def _store_flag(self, checked: bool) -> None:
        self._settings.set(self._sender().data(), checked)

    def _show_flag(self, key: str) -> None:
        if key in self._flags:
            self._flags[key].setChecked(self._settings.flag(key))

    def _store_choice(self) -> None:
        key, value = self._sender().data()
        self._settings.set(key, value)

    def _choose_speed(self) -> None:
        rate = self._sender().data()
        self._settings.set(Settings.SPEED, rate)
        self._training.set_merges_per_second(rate or None)

    def _pause_or_resume(self) -> None:
        if self._training.is_held:
            self._training.resume()
        else:
            self._training.pause()
        self._show_state()  # while words are counted this changes no state

    def _forbid(self) -> None:
        if self._session.step:
            self._training.forbid(self._session.step - 1)

    def _run_before(self) -> None:
        self._training.stop()
        self._session.go_to_run_before()

    def _run_after(self) -> None:
        self._training.stop()
        self._session.go_to_run_after()

    def _first(self) -> None:
        self._session.go_to(0)

    def _back(self) -> None:
        self._session.go_to(self._session.step - 1)

    def _forward(self) -> None:
        self._session.go_to(self._session.step + 1)

    def _last(self) -> None:
        self._session.go_to(self._session.last_step)

    def _toggle_bookmark(self) -> None:
        self._session.set_bookmarks(toggled(self._session.bookmarks, self._session.step))

    def _clear_bookmarks(self) -> None:
        self._session.set_bookmarks(())

    def _next_bookmark(self) -> None:
        if bookmark := next_bookmark(self._session.bookmarks, self._session.step):
            self._session.go_to(bookmark.step)

    def _previous_bookmark(self) -> None:
        if bookmark := previous_bookmark(self._session.bookmarks, self._session.step):
            self._session.go_to(bookmark.step)

    def _larger(self) -> None:
        self._resize_text(1)

    def _smaller(self) -> None:
        self._resize_text(-1)

    def _resize_text(self, change: int) -> None:
        points = self._settings.number(Settings.TEXT_POINTS) + change
        self._settings.set(Settings.TEXT_POINTS, min(max(points, SMALLEST_POINTS), LARGEST_POINTS))

    def _normal_size(self) -> None:
        self._settings.set(Settings.TEXT_POINTS, 13)

    def _show_icons(self) -> None:
        for action, name in self._icons.items():
            action.setIcon(self._theme.icon(name))

    def _show_state(self) -> None:
        session, state = self._session, self._training.state
        has_text = bool(session.corpus.text)
        self.bring_back.setEnabled(self._replaced_text.exists)
        self.save_word_counts.setEnabled(has_text)
        no_text = "" if has_text else NO_TEXT
        self._allow(self.train, no_text)
        self._allow(self.step, no_text or (COUNTING if state is TrainingState.COUNTING else ""))
        self.pause.setEnabled(state is not TrainingState.IDLE)
        self.pause.setChecked(self._training.is_held)
        self.pause.setText("&Resume" if self._training.is_held else "&Pause")
        self.stop.setEnabled(state is not TrainingState.IDLE)
        self._show_branches()
        self.run_before.setEnabled(session.has_run_before)
        self.run_after.setEnabled(session.has_run_after)
        for action in (self.first, self.back):
            action.setEnabled(session.step > 0)
        for action in (self.forward, self.last):
            action.setEnabled(session.step < session.last_step)
        self.play.setEnabled(session.last_step > 0)
        self.play.setChecked(self._playback.is_playing)
        self._show_bookmarks()
        for action in (self.save, self.save_as):
            action.setEnabled(session.last_step > 0)
        busy = "Wait for the end of training, or stop it." if state is not TrainingState.IDLE else ""
        self._allow(self.count_merges, busy or counting_problem(session))
        self.export.setEnabled(session.last_step > 0)
        self.export_measures.setEnabled(session.last_step > 0)
        self.about_model.setEnabled(session.last_step > 0)

    def _show_branches(self) -> None:
        """Which ways on from this recording there are."""
        session, has_text = self._session, bool(self._session.corpus.text)
        busy = COUNTING if self._training.state is TrainingState.COUNTING else ""
        no_merges = "" if session.last_step else "There are no merges yet."
        has_words = has_text or bool(session.recording.word_counts)
        self._allow(
            self.train_on, busy or no_merges or ("" if has_text else NO_TEXT) or self._order_problem(session.step)
        )
        at_step = busy or no_merges or ("" if session.step else "Go to the step of a merge first.")
        branch = at_step or ("" if has_words else NO_TEXT) or self._order_problem(session.step - 1)
        for action in (self.forbid, self.force):
            self._allow(action, branch)
        no_words = "" if session.recording.word_counts else NO_WORDS
        self._allow(self.what_if, busy or no_merges or no_words or self._order_problem(session.last_step))

    def _order_problem(self, step: int) -> str:
        """Why training cannot go on from there: merges of another program may be in any order."""
        rank = self._ordered_until
        return out_of_order(rank) if rank is not None and step > rank else ""

    def _look_at_order(self) -> None:
        self._ordered_until = first_out_of_order(self._session.recording, MAX_MERGES_LOOKED_AT)

    def _allow(self, action: QAction, problem: str) -> None:
        """Let it be used if there is no problem; else its tip says why not."""
        action.setEnabled(not problem)
        action.setToolTip(plain_tip(f"{self._tips[action]}\n{problem}") if problem else self._tips[action])

    def _show_bookmarks(self) -> None:
        bookmarks, step = self._session.bookmarks, self._session.step
        for action in (self.bookmark, self.name_bookmark):
            action.setEnabled(self._session.last_step > 0)
        self.bookmark.setChecked(bookmark_at(bookmarks, step) is not None)
        self.next_bookmark.setEnabled(next_bookmark(bookmarks, step) is not None)
        self.previous_bookmark.setEnabled(previous_bookmark(bookmarks, step) is not None)
        self.clear_bookmarks.setEnabled(bool(bookmarks))
