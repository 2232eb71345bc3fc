"""The options of the next training run. What they mean and rule out is core.options's; this shows and stores them."""

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.training import Training
from bpe_gui.widgets.fields import Choice, ChoiceField
from bpe_gui.widgets.fitting_scroll_area import FittingScrollArea
from bpe_gui.widgets.section import Section
from bpe_gui.widgets.trainer_form import TrainerForm
from bpe_gui.widgets.trainer_remarks import TrainerRemarks, dividing_line
from core.alphabet import Alphabet
from core.alphabet_facts import count_alphabet, dropped_line, needs_counting, room_problem
from core.errors import ConfigError
from core.options import Options
from core.pipeline import Pipeline
from core.presets import PRESETS, preset_of
from core.round_trip import scheme_losses
from core.trainer import TrainerConfig

COUNT_MILLISECONDS = 400
CUSTOM = Choice(None, "Custom")


class TrainerDock(QDockWidget):
    """Signals:
    choices_changed: `choices` gives other ones now, or has begun or ceased to raise.
    """

    choices_changed = Signal()

    def __init__(
        self, session: Session, training: Training, settings: Settings, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__("Trainer", parent)
        self.setObjectName("trainer")
        self._session = session
        self._training = training
        self._settings = settings
        self._theme = theme
        self._options = _stored_options(settings)
        self._preset = ChoiceField(
            "preset",
            "Preset",
            "Options of a well-known tokenizer; special tokens and where to stop stay as they are.",
            [*(Choice(preset, preset.title) for preset in PRESETS), CUSTOM],
        )
        self._form = TrainerForm(theme)
        self._remarks = TrainerRemarks(theme)
        self._train_button = QToolButton()
        self._counting = LatestJob(self)
        self._count_timer = QTimer(self, interval=COUNT_MILLISECONDS, singleShot=True)
        self._scroll = FittingScrollArea(self._form)
        self._reveal_timer = QTimer(self, interval=0, singleShot=True)
        self._opened: Section | None = None
        self._open_sections()
        self._arrange()
        self._connect()
        self._take_theme()
        self._show()
        self._show_state()

    @property
    def options(self) -> Options:
        return self._options

    @property
    def problem(self) -> str | None:
        """What keeps the options from being used, in the user's words."""
        return self._options.problem()

    def choices(self) -> tuple[Pipeline, TrainerConfig]:
        """Raises PatternError or ConfigError for options that cannot be used."""
        return self._options.pipeline(), self._options.config()

    def set_train_action(self, action: QAction) -> None:
        """What the large button at the bottom does."""
        self._train_button.setDefaultAction(action)
        self._train_button.show()

    def _arrange(self) -> None:
        self._train_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._train_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._train_button.setAccessibleName("Train")
        self._train_button.setToolTip("Train with these options")
        self._train_button.hide()
        content = QWidget(self)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 4, 0, 8)
        layout.addLayout(_padded(self._preset))
        layout.addWidget(self._scroll, 1)
        layout.addWidget(dividing_line())
        layout.addLayout(_padded(self._remarks, self._train_button))
        self.setWidget(content)

    def _connect(self) -> None:
        self._form.chosen.connect(self._choose)
        self._form.normalizer_toggled.connect(self._toggle_normalizer)
        self._form.normalizer_moved.connect(self._move_normalizer)
        self._form.section_toggled.connect(self._take_section)
        self._remarks.decoding.toggled.connect(self._store_sections)
        self._reveal_timer.timeout.connect(self._reveal)
        self._preset.chosen.connect(self._choose_preset)
        self._count_timer.timeout.connect(self._count)
        self._counting.done.connect(self._take_alphabet)
        self._session.corpus_replaced.connect(self._show_corpus)
        self._training.state_changed.connect(self._show_state)
        self._theme.changed.connect(self._take_theme)

    def _choose(self, name: str, value: Any) -> None:
        self._take(replace(self._options, **{name: value}))

    def _toggle_normalizer(self, name: str, is_chosen: bool) -> None:
        self._take(self._options.with_normalizer(name, is_chosen))

    def _move_normalizer(self, name: str, places: int) -> None:
        self._take(self._options.with_normalizer_moved(name, places))

    def _open_sections(self) -> None:
        titles = self._settings.text(Settings.TRAINER_SECTIONS).split("|")
        self._form.open_sections(titles)
        self._remarks.decoding.set_open(self._remarks.decoding.title in titles)

    def _store_sections(self) -> None:
        titles = [
            *self._form.open_titles(),
            *([self._remarks.decoding.title] if self._remarks.decoding.is_open else []),
        ]
        self._settings.set(Settings.TRAINER_SECTIONS, "|".join(titles))

    def _take_section(self, section: Section) -> None:
        self._store_sections()
        if section.is_open:
            self._opened = section
            self._reveal_timer.start()  # when it has its height

    def _reveal(self) -> None:
        if self._opened:
            self._scroll.reveal(self._opened)

    def _choose_preset(self, _: str, preset: object) -> None:
        chosen = next((one for one in PRESETS if one == preset), None)
        if chosen is not None:
            self._take(chosen.applied_to(self._options))
        else:
            self._show()  # "Custom" is a name for what is there, not a choice

    def _take(self, options: Options) -> None:
        if options != self._options:
            self._options = options
            self._settings.set(Settings.TRAINER_OPTIONS, options.to_json())
            self._show()
            self.choices_changed.emit()

    def _show(self) -> None:
        self._form.show_options(self._options)
        self._preset.show_value(preset_of(self._options))
        # what has a field of its own stands below that
        self._remarks.show_problem(None if self._options.faults() else self.problem)
        self._show_corpus()

    def _show_corpus(self) -> None:
        self._remarks.show_given(self._session.corpus.given_counts is not None)
        self._check_alphabet()

    def _check_alphabet(self) -> None:
        """Find out whether the alphabet of the text leaves room for merges, and characters out."""
        self._counting.cancel()
        self._remarks.show_alphabet(None, "")
        self._show_losses(None)
        corpus = self._session.corpus
        if corpus.text and not corpus.is_partial and needs_counting(self._options):  # a large one takes minutes
            self._count_timer.start()
        else:
            self._count_timer.stop()

    def _count(self) -> None:
        pipeline, config = self.choices()
        self._counting.start(partial(count_alphabet, self._session.corpus, pipeline, config))

    def _take_alphabet(self, alphabet: Alphabet) -> None:
        vocab_size = self._options.config().vocab_size
        self._remarks.show_alphabet(room_problem(vocab_size, alphabet), dropped_line(alphabet, isolate=True))
        self._show_losses(alphabet)

    def _show_losses(self, alphabet: Alphabet | None) -> None:
        self._remarks.show_losses(None if self.problem else scheme_losses(*self.choices(), alphabet))

    def _show_state(self) -> None:
        self._remarks.show_later(self._training.is_active)

    def _take_theme(self) -> None:
        colors = self._theme.colors
        self._train_button.setStyleSheet(
            f"QToolButton {{ color: {colors.on_accent.name()}; background: {colors.accent.name()};"
            f" border: 1px solid {colors.accent.name()}; border-radius: 4px; padding: 6px; font-weight: 600; }}"
            f"QToolButton:hover, QToolButton:focus {{ border-color: {colors.text.name()}; }}"
            f"QToolButton:disabled {{ color: {colors.muted.name()}; background: {colors.border.name()};"
            f" border-color: {colors.border.name()}; }}"
        )


def _stored_options(settings: Settings) -> Options:
    text = settings.text(Settings.TRAINER_OPTIONS)
    try:
        return Options.from_json(text) if text else Options()
    except ConfigError:  # written by hand or by another version: better the defaults than no window
        return Options()


def _padded(*widgets: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout()
    layout.setContentsMargins(8, 0, 8, 0)
    layout.setSpacing(4)
    for widget in widgets:
        layout.addWidget(widget)
    return layout
