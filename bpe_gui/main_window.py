"""Arranges the panels, menus and tool bar around the session. What an action does is decided elsewhere."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from bpe_gui.actions import Actions
from bpe_gui.compiled_loops import CompiledLoops
from bpe_gui.corpus_measures import CorpusMeasures
from bpe_gui.dialogs.about_dialog import AboutDialog
from bpe_gui.dialogs.bookmark_dialog import BookmarkDialog
from bpe_gui.dialogs.export_dialog import ExportDialog
from bpe_gui.dialogs.force_dialog import ForceDialog
from bpe_gui.dialogs.model_dialog import ModelDialog
from bpe_gui.dialogs.pattern_dialog import PatternDialog
from bpe_gui.dialogs.shortcuts_dialog import ShortcutsDialog
from bpe_gui.dialogs.train_on_dialog import TrainOnDialog
from bpe_gui.dialogs.what_if_dialog import WhatIfDialog
from bpe_gui.docks.charts_dock import ChartsDock
from bpe_gui.docks.corpus_dock import CorpusDock
from bpe_gui.docks.encode_dock import EncodeDock
from bpe_gui.docks.measures_dock import MeasuresDock
from bpe_gui.docks.merges_dock import MergesDock
from bpe_gui.docks.tokens_panel import TokensPanel
from bpe_gui.docks.trainer_dock import TrainerDock
from bpe_gui.draft import Draft
from bpe_gui.held_out_text import HeldOutText
from bpe_gui.merge_counter import MergeCounter
from bpe_gui.notices import Notices
from bpe_gui.opener import SAMPLES, Opener, dropped_paths
from bpe_gui.playback import Playback
from bpe_gui.recording_saver import RecordingSaver
from bpe_gui.replaced_text import ReplacedText
from bpe_gui.session import Session
from bpe_gui.settings import LAYOUT_VERSION, Settings
from bpe_gui.theme import Theme
from bpe_gui.training import Training
from bpe_gui.widgets.bookmarks_menu import BookmarksMenu
from bpe_gui.widgets.loops_status import LoopsStatus
from bpe_gui.widgets.model_banner import ModelBanner
from bpe_gui.widgets.progress_row import ProgressRow
from bpe_gui.widgets.recent_menu import RecentMenu
from bpe_gui.widgets.step_bar import StepBar
from bpe_gui.widgets.training_status import TrainingStatus
from bpe_gui.word_count_saver import WordCountSaver
from core.corpus_source import CorpusSource
from core.cut_preview import MAX_SAMPLE_CHARS
from core.errors import BpeError
from core.kernel_loader import LOADER
from core.model_facts import SAMPLE_TEXT
from core.opened_files import PatternWanted
from core.trainer import TrainerConfig

WIDTH, HEIGHT = 1280, 800
MERGES_MORE = 1_000
CORPUS_WIDTH, MERGES_WIDTH, BOTTOM_HEIGHT = 290, 450, 270


class MainWindow(QMainWindow):
    def __init__(self, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings = settings
        self.theme = theme
        self.notices = Notices(self)
        self.session = Session(self)
        self.training = Training(self.session, self)
        self.playback = Playback(self.session, self)
        self.loops = CompiledLoops(LOADER, self)
        self.opener = Opener(self.session, settings, self)
        self.corpus_measures = CorpusMeasures(self.session, settings, self)
        self.held_out = HeldOutText(self.session, self.corpus_measures, settings, self)
        self.word_count_saver = WordCountSaver(settings, self)
        self.recording_saver = RecordingSaver(self.session, settings, self)
        self.merge_counter = MergeCounter(self.session, self)
        self.draft = Draft(self.session, settings, self.opener, self)
        self.replaced_text = ReplacedText(self.session, settings, self.opener, self.draft, self)
        self.actions_ = Actions(self.session, self.training, self.playback, self.replaced_text, settings, theme, self)
        self._merges_after_opening: int | None = None
        self._was_shown = False
        self._button_icons: dict[QToolButton, str] = {}
        self.setObjectName("main_window")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self._make_panels()
        self._make_tool_bar()
        self._make_menus()
        self._connect()
        self.statusBar().addPermanentWidget(LoopsStatus(self.loops, self.session, self.training, theme, self))
        self.statusBar().addPermanentWidget(
            TrainingStatus(self.session, self.training, self.opener, self.actions_, self)
        )
        self._show_title()
        self.resize(WIDTH, HEIGHT)
        self._arrange()
        self._first_layout = self.saveState(LAYOUT_VERSION)
        self.restoreGeometry(settings.geometry())
        self.restoreState(settings.layout(), LAYOUT_VERSION)
        self.model_banner.show_recording()  # whether it was there when the layout was stored does not count

    def train(self, paused: bool = False, merges: int | None = None) -> None:
        """Train on the corpus with the trainer's options; `merges` overrides their stop rule.

        `paused` makes one merge and waits: the first one, or the next one where the last run ended.
        """
        self.corpus_dock.flush()
        try:
            pipeline, config = self.trainer_dock.choices()
            if merges is not None:
                config = config.with_merges(merges)
        except BpeError as error:
            self.notices.error("These options cannot be used", str(error))
            return
        if paused:
            self.training.begin_single_merges(self.session.corpus, pipeline, config)
        else:
            self.training.start(self.session.corpus, pipeline, config)

    def open_and_train(self, source: CorpusSource, merges: int | None = None) -> None:
        """Open files and, when `merges` is given, train so many as soon as they are read, if they are texts."""
        if merges is not None:
            self.actions_.train_at_full_speed()
        self.opener.open_files(source)  # which cancels what was being opened, and with it the wish to train that
        self._merges_after_opening = merges

    def _train_opened(self) -> None:
        merges, self._merges_after_opening = self._merges_after_opening, None
        if merges is not None:
            self.train(merges=merges)

    def _train_no_more(self) -> None:
        self._merges_after_opening = None

    def _make_panels(self) -> None:
        session, settings, theme = self.session, self.settings, self.theme
        self.tokens_panel = TokensPanel(session, settings, theme, self)
        self.step_bar = StepBar(session, self.playback, self.actions_, theme, settings, self)
        self.tokens_panel.add_footer(self.step_bar)
        self.setCentralWidget(self.tokens_panel)
        self.corpus_dock = CorpusDock(session, self.opener, self.word_count_saver, self.training, settings, theme, self)
        self._add_progress()
        self.trainer_dock = TrainerDock(session, self.training, settings, theme, self)
        self.merges_dock = MergesDock(session, settings, theme, self)
        self.encode_dock = EncodeDock(session, settings, theme, self)
        self.charts_dock = ChartsDock(session, self.corpus_measures, self.held_out, theme, settings, self)
        self.measures_dock = MeasuresDock(session, self.corpus_measures, self.held_out, settings, theme, self)
        self.measures_dock.curve_wanted.connect(self.charts_dock.show_measure)
        self.trainer_dock.set_train_action(self.actions_.train)
        self.merges_dock.set_row_actions([self.actions_.forbid, self.actions_.force, self.actions_.train_on])

    def _add_progress(self) -> None:
        """Saving and counting show in the corpus panel, as opening does."""
        saver, counter = self.recording_saver, self.merge_counter
        saving = ProgressRow("How much is written", "Cancel saving", "Stop writing; no file changes")
        counting = ProgressRow("How much is counted", "Cancel counting", "Stop counting; the recording stays as it is")
        saver.started.connect(partial(_begin, saving, "Saving"))
        counter.started.connect(partial(_begin, counting, "Counting merges in"))
        for row, job, done in ((saving, saver, saver.saved), (counting, counter, counter.counted)):
            job.progressed.connect(row.show_progress)
            for signal in (done, job.failed, job.cancelled):
                signal.connect(row.end)
            row.cancel_wanted.connect(job.cancel)
            self.corpus_dock.add_progress(row)

    def _docks(self) -> tuple[QDockWidget, ...]:
        below = self.encode_dock, self.charts_dock, self.measures_dock
        return self.corpus_dock, self.trainer_dock, self.merges_dock, *below

    def _arrange(self) -> None:
        """Corpus and trainer on the left, merges on the right, encoding and charts below tokens and merges."""
        area = Qt.DockWidgetArea
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.BottomDockWidgetArea)
        self.addDockWidget(area.LeftDockWidgetArea, self.corpus_dock)
        self.addDockWidget(area.LeftDockWidgetArea, self.trainer_dock)
        self.addDockWidget(area.RightDockWidgetArea, self.merges_dock)
        self.addDockWidget(area.BottomDockWidgetArea, self.encode_dock)
        self.addDockWidget(area.BottomDockWidgetArea, self.charts_dock)
        self.tabifyDockWidget(self.charts_dock, self.measures_dock)
        self.charts_dock.raise_()
        self._size_docks()

    def _size_docks(self) -> None:
        self.resizeDocks([self.corpus_dock, self.merges_dock], [CORPUS_WIDTH, MERGES_WIDTH], Qt.Orientation.Horizontal)
        self.resizeDocks([self.encode_dock, self.charts_dock], [BOTTOM_HEIGHT] * 2, Qt.Orientation.Vertical)
        self.resizeDocks([self.encode_dock, self.charts_dock], [6, 5], Qt.Orientation.Horizontal)

    def _make_tool_bar(self) -> None:
        actions, bar = self.actions_, QToolBar("Tools", self)
        self._speed_button = self._menu_button("Speed", "gauge", self._speed_menu(bar))
        actions.speeds.triggered.connect(self._show_speed)
        self._show_speed()
        bar.setObjectName("tools")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for group in (
            (actions.open, actions.paste, self._menu_button("Samples", "books", self._samples_menu(bar))),
            (actions.train, actions.pause, actions.step, actions.stop),
            (self._speed_button,),
            (actions.export,),
        ):
            for item in group:
                if isinstance(item, QAction):
                    bar.addAction(item)
                else:
                    bar.addWidget(item)
            bar.addSeparator()
        for action, short in (
            (actions.open, "Open"),
            (actions.paste, "Paste"),
            (actions.step, "Single merge"),
            (actions.export, "Export"),
        ):
            action.setIconText(short)
        self.addToolBar(bar)
        self.addToolBarBreak()
        self.model_banner = ModelBanner(self.session, self.theme, actions.count_merges, actions.about_model, self)
        self.addToolBar(self.model_banner)

    def _menu_button(self, text: str, icon: str, menu: QMenu) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(menu.toolTip())
        button.setAccessibleName(text)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setAutoRaise(True)
        button.setMenu(menu)
        self._button_icons[button] = icon
        return button

    def _show_speed(self) -> None:
        texts = [action.iconText() for action in self.actions_.speeds.actions() if action.isChecked()]
        self._speed_button.setText(texts[0] if texts else "Speed")

    def _show_icons(self) -> None:
        for button, icon in self._button_icons.items():
            button.setIcon(self.theme.icon(icon))

    def _samples_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu("&Samples", parent)
        menu.setToolTip("Take a text that comes with the app as corpus")
        for title, name in SAMPLES:
            menu.addAction(title).triggered.connect(partial(self.opener.open_sample, name))
        return menu

    def _speed_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu("Spee&d", parent)
        menu.setToolTip("How fast training makes merges")
        menu.addActions(self.actions_.speeds.actions())
        return menu

    def _make_menus(self) -> None:
        actions, bar = self.actions_, self.menuBar()
        file = bar.addMenu("&File")
        file.addActions(
            [actions.open, actions.open_model, actions.open_folder, actions.open_word_counts, actions.paste]
        )
        file.addMenu(self._samples_menu(file))
        file.addMenu(RecentMenu(self.settings, self.opener, actions.clear_recent, file))
        file.addAction(actions.bring_back)
        file.addSeparator()
        file.addActions([actions.save, actions.save_as])
        file.addSeparator()
        file.addActions([actions.save_word_counts, actions.export])
        file.addAction(actions.export_measures)
        file.addSeparator()
        file.addAction(actions.quit)
        training = bar.addMenu("&Training")
        training.addActions([actions.train, actions.pause, actions.step, actions.stop])
        training.addMenu(self._speed_menu(training))
        training.addSeparator()
        training.addActions([actions.train_on, actions.forbid, actions.force, actions.what_if])
        training.addAction(actions.count_merges)
        training.addSeparator()
        training.addActions([actions.run_before, actions.run_after])
        timeline = bar.addMenu("T&imeline")
        timeline.addActions([actions.first, actions.back, actions.play, actions.forward, actions.last])
        timeline.addSeparator()
        timeline.addMenu(BookmarksMenu(self.session, self._bookmark_actions(), timeline))
        timeline.addSeparator()
        timeline.addActions([actions.find_merge, actions.encode])
        self._make_view_menu(bar.addMenu("&View"))
        bar.addMenu("&Help").addActions([actions.shortcuts, actions.about])

    def _bookmark_actions(self) -> list[QAction]:
        actions = self.actions_
        two = [actions.bookmark, actions.name_bookmark]
        return [*two, actions.previous_bookmark, actions.next_bookmark, actions.clear_bookmarks]

    def _make_view_menu(self, view: QMenu) -> None:
        actions = self.actions_
        view.addActions([actions.whitespace, actions.monospaced, actions.reduced_motion])
        view.addSeparator()
        view.addActions([actions.larger, actions.smaller, actions.normal_size])
        view.addSeparator()
        view.addActions(actions.themes.actions())
        view.addSeparator()
        view.addActions(actions.palettes.actions())
        view.addSeparator()
        view.addAction(actions.about_model)
        view.addSeparator()
        view.addActions([dock.toggleViewAction() for dock in self._docks()])
        view.addAction(actions.reset_layout)

    def _connect(self) -> None:
        actions = self.actions_
        actions.open.triggered.connect(self._open)
        actions.open_model.triggered.connect(self._open_model)
        actions.open_folder.triggered.connect(self._open_folder)
        actions.open_word_counts.triggered.connect(self._open_word_counts)
        actions.save_word_counts.triggered.connect(self._save_word_counts)
        actions.save.triggered.connect(self._save)
        actions.save_as.triggered.connect(self._save_as)
        actions.count_merges.triggered.connect(self._count_merges)
        actions.paste.triggered.connect(self.opener.paste_clipboard)
        actions.export.triggered.connect(self._export)
        actions.export_measures.triggered.connect(self.measures_dock.open_export_menu)
        actions.quit.triggered.connect(self.close)
        actions.train.triggered.connect(self._train)
        actions.step.triggered.connect(self._make_one_merge)
        actions.train_on.triggered.connect(self._train_on)
        actions.force.triggered.connect(self._force)
        actions.what_if.triggered.connect(self._what_if)
        actions.reset_layout.triggered.connect(self._reset_layout)
        actions.find_merge.triggered.connect(self._find_merge)
        actions.encode.triggered.connect(self._encode)
        actions.about_model.triggered.connect(self._show_about_model)
        actions.name_bookmark.triggered.connect(self._name_bookmark)
        actions.shortcuts.triggered.connect(self._show_shortcuts)
        actions.about.triggered.connect(self._show_about)
        self.opener.opened.connect(self._train_opened)
        self.opener.replacing_recording.connect(self.training.stop)
        self.opener.model_opened.connect(self._train_no_more)
        self.opener.pattern_wanted.connect(self._ask_for_pattern)
        self.opener.failed.connect(partial(self.notices.error, "The file could not be opened"))
        self.opener.failed.connect(self._train_no_more)
        self.opener.cancelled.connect(self._train_no_more)
        self.replaced_text.put_aside.connect(partial(self.notices.text_put_aside, actions.bring_back))
        self.recording_saver.saved.connect(self.notices.recording_saved)
        self.recording_saver.failed.connect(partial(self.notices.error, "The recording could not be saved"))
        self.merge_counter.failed.connect(partial(self.notices.error, "The merges could not be counted"))
        self.word_count_saver.saved.connect(self.notices.word_counts_saved)
        self.word_count_saver.failed.connect(partial(self.notices.error, "The word counts could not be saved"))
        self.training.failed.connect(partial(self.notices.error, "Training could not go on"))
        self.session.corpus_replaced.connect(self._show_title)
        self.session.recording_replaced.connect(self._show_title)
        self.theme.changed.connect(self._show_icons)
        self._show_icons()
        self.trainer_dock.choices_changed.connect(self._hand_on_pipeline)
        self._hand_on_pipeline()

    def _hand_on_pipeline(self) -> None:
        try:
            pipeline, _ = self.trainer_dock.choices()
        except BpeError:
            return  # the trainer dock shows what is wrong
        self.corpus_dock.set_pipeline(pipeline)

    def _train(self) -> None:
        self.train()

    def _make_one_merge(self) -> None:
        if self.training.is_active:
            self.training.make_one_merge()
        else:
            self.train(paused=True)

    def _train_on(self) -> None:
        self.corpus_dock.flush()
        try:
            _, stop = self.trainer_dock.choices()
        except BpeError:
            stop = TrainerConfig(merges=MERGES_MORE)  # the trainer dock shows what is wrong with its own
        self._show_dialog(TrainOnDialog(self.session, self.training, stop, self))

    def _force(self) -> None:
        self.corpus_dock.flush()
        self._show_dialog(ForceDialog(self.session, self.training, self.theme, self))

    def _what_if(self) -> None:
        self._show_dialog(WhatIfDialog(self.session, self.training, self.settings, self.theme, self))

    def _open(self) -> None:
        self.opener.open_with_dialog(self)

    def _open_model(self) -> None:
        self.opener.open_model_with_dialog(self)

    def _open_folder(self) -> None:
        self.opener.open_folder_with_dialog(self)

    def _open_word_counts(self) -> None:
        self.opener.open_word_counts_with_dialog(self)

    def _save(self) -> None:
        self.recording_saver.save_again_or_with_dialog(self)

    def _save_as(self) -> None:
        self.recording_saver.save_with_dialog(self)

    def _count_merges(self) -> None:
        self.corpus_dock.flush()
        self.merge_counter.count()

    def _save_word_counts(self) -> None:
        self.corpus_dock.flush()
        try:
            pipeline, _ = self.trainer_dock.choices()
        except BpeError as error:
            self.notices.error("These options cannot be used", str(error))
            return
        self.word_count_saver.save_with_dialog(self.session.corpus, pipeline, self)

    def _export(self) -> None:
        self._show_dialog(ExportDialog(self.session, self.settings, self.theme, self))

    def _name_bookmark(self) -> None:
        self._show_dialog(BookmarkDialog(self.session, self))

    def _show_shortcuts(self) -> None:
        self._show_dialog(ShortcutsDialog(self.actions_, self))

    def _show_about_model(self) -> None:
        self._show_dialog(ModelDialog(self.session.recording, self.theme, self))

    def _show_about(self) -> None:
        self._show_dialog(AboutDialog(self.theme, self))

    def _show_dialog(self, dialog: QWidget) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()

    def _find_merge(self) -> None:
        self.merges_dock.show()
        self.merges_dock.raise_()
        self.merges_dock.focus_filter()

    def _encode(self) -> None:
        self.encode_dock.show()
        self.encode_dock.raise_()
        self.encode_dock.focus_field()

    def _reset_layout(self) -> None:
        self.restoreState(self._first_layout, LAYOUT_VERSION)
        self._arrange()
        self.model_banner.show_recording()

    def _show_title(self) -> None:
        corpus, imported = self.session.corpus, self.session.recording.imported
        model = imported.source.name if imported and imported.source else ""
        self.setWindowTitle(" — ".join(filter(None, (model, corpus.name if corpus.text else "", "bpe-gui"))))

    def _ask_for_pattern(self, wanted: PatternWanted) -> None:
        sample = self.session.corpus.text[:MAX_SAMPLE_CHARS] or SAMPLE_TEXT
        dialog = PatternDialog(wanted.source, wanted.message, sample, self.theme, self)
        dialog.chosen.connect(self.opener.open_source)
        self._show_dialog(dialog)

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._was_shown and self.settings.layout().isEmpty():
            self._size_docks()  # before the window is shown its docks have no room to share
        self._was_shown = True

    def closeEvent(self, event: QCloseEvent) -> None:
        self.settings.store_window(self.saveGeometry(), self.saveState(LAYOUT_VERSION))
        self.settings.sync()
        self.hide()
        self.playback.stop()
        self.draft.keep_unread()
        self.opener.cancel()
        self.word_count_saver.cancel()
        self.recording_saver.finish()
        self.merge_counter.cancel()
        self.corpus_dock.flush()
        self.draft.save_if_pending()
        self.replaced_text.finish()
        self.training.end()
        self.loops.end()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := dropped_paths(event.mimeData()):
            event.acceptProposedAction()
            self.opener.open_paths(paths)


def _begin(row: ProgressRow, deed: str, name: str) -> None:
    row.begin(f"{deed} {name}")
