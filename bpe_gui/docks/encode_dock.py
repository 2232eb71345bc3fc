"""The encode panel: a phrase is typed, and all that encoders do to it up to the current step is shown row by row."""

import time
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.encode_choices import AS_THE_MODEL, KEYS, EncodeChoices, stored_choices
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.dropout_row import DropoutRow
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.encode_controls import EncodeControls
from bpe_gui.widgets.encode_view import EncodeView
from bpe_gui.widgets.round_trip_badge import RoundTripBadge
from bpe_gui.widgets.tips import plain_tip
from bpe_gui.widgets.wrapping_row import WrappingRow
from core.encode_steps import MAX_PHRASE_CHARS, Phrase, encode_phrase, phrase_title, why
from core.encoders import Dropout
from core.encoding_rules import ENCODER_TITLES, Encoder
from core.errors import BpeError
from core.round_trip import RoundTrip, recording_losses, round_trip_of
from core.side_by_side import (
    WordPair,
    comparison_title,
    encoder_advice,
    encoder_name,
    side_by_side,
    usual_encoder,
    worst,
)
from core.tokenizer import SpecialTokenError

FRAME_MILLISECONDS = 33
REST_FACTOR = 4
"""A refresh that took 20 ms is followed by at least 80 ms for the rest of the window."""
MAX_IDS_SHOWN = 500
LEAST_CHARACTERS = 14
"""Of the phrase, in a narrow panel."""
MAX_COMPARED_CHARS = 1_000
"""With two encoders, with dropout or another encoder than the merge rank: these take longer."""


class EncodeDock(QDockWidget):
    """Reads recording and step from the session, the phrase and how to encode it from the settings."""

    def __init__(self, session: Session, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Encode", parent)
        self._session = session
        self._settings = settings
        self._theme = theme
        self._icons: dict[QToolButton, str] = {}
        self._refused: SpecialTokenError | None = None
        self._refresh_timer = QTimer(self, singleShot=True, interval=FRAME_MILLISECONDS)
        self._refresh_timer.timeout.connect(self.refresh)
        self.setObjectName("encode")
        self._make_widgets()
        self._make_notes()
        self._make_bottom()
        self._arrange()
        self._show_icons()
        self._connect()
        self.refresh()

    def focus_field(self) -> None:
        """Let the user type."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def refresh(self) -> None:
        """Encode the phrase now; changes call for it by themselves, at most once a frame."""
        self._refresh_timer.stop()
        start = time.perf_counter()
        recording = self._session.recording
        usual = usual_encoder(recording)
        self.controls.take_usual(usual)
        self.dropout_row.take_usual(usual)
        choices = stored_choices(self._settings, usual)
        text = self._text_shown(choices)
        self._refused = None
        phrase = self._encoded(text, choices, choices.encoder, choices.dropout)
        other = self._encoded(text, choices, choices.other) if choices.other else None
        pairs = side_by_side(phrase, other) if other else ()
        if other and pairs:
            self.view.show_comparison(phrase, other, pairs, self._session.step)
        else:
            self.view.show_phrase(phrase, self._session.step)
        self._show_numbers(phrase, other, pairs)
        self._show_badge(text, [phrase, other] if other else [phrase])
        self._show_note(phrase.problem, len(text), choices)
        self._show_emptiness(phrase.problem)
        self._show_current()
        self.controls.offer_specials(any(token.special for token in recording.looked_for))
        self._top.rewrap()
        milliseconds = (time.perf_counter() - start) * 1000
        self._refresh_timer.setInterval(max(FRAME_MILLISECONDS, round(milliseconds * REST_FACTOR)))

    def _text_shown(self, choices: EncodeChoices) -> str:
        is_costly = choices != EncodeChoices(specials=choices.specials)
        return self.field.text()[: MAX_COMPARED_CHARS if is_costly else MAX_PHRASE_CHARS]

    def _encoded(self, text: str, choices: EncodeChoices, encoder: Encoder, dropout: Dropout | None = None) -> Phrase:
        if not self._session.last_step:
            return Phrase()
        recording, step = self._session.recording, self._session.step
        try:
            return encode_phrase(recording, text, step, encoder, dropout, choices.specials)
        except SpecialTokenError as error:
            self._refused = error
            return Phrase(problem=str(error))
        except BpeError as error:
            return Phrase(problem=str(error))

    def _make_widgets(self) -> None:
        self.field = QLineEdit(self._settings.text(Settings.ENCODE_TEXT), self)
        self.field.setPlaceholderText("Type a word or a phrase")
        self.field.setAccessibleName("Phrase to encode")
        self.field.setToolTip("Encoded with the merges up to the current step; Up and Down go through its rows")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(self.fontMetrics().averageCharWidth() * LEAST_CHARACTERS)
        self.field.installEventFilter(self)
        self.controls = EncodeControls(self._settings, self._theme, self)
        self.badge = RoundTripBadge(self._theme, self)
        self.dropout_row = DropoutRow(self._settings, self._theme, self)
        self.view = EncodeView(self._theme, self)
        self.first_button = self._button("arrow-line-up", "First row", "Home")
        self.back_button = self._button("arrow-up", "One row back", "Up")
        self.forward_button = self._button("arrow-down", "One row forward", "Down")
        self.last_button = self._button("arrow-line-down", "Result", "End")
        self.all_button = self._button("rows", "Show all rows alike", "Esc")
        self.go_button = self._button("crosshair", "Go to this merge", "Enter, or double click")
        for button, work in (
            (self.first_button, self.view.go_first),
            (self.back_button, self.view.go_back),
            (self.forward_button, self.view.go_forward),
            (self.last_button, self.view.go_last),
            (self.all_button, self.view.show_all),
            (self.go_button, self.view.reveal_current),
        ):
            button.clicked.connect(work)

    def _make_notes(self) -> None:
        self.note_label = self._label("Note")
        self.note_label.setWordWrap(True)
        self.select_button = self._text_button("Select it", "Select the special token in the phrase")
        self.select_button.clicked.connect(self._select_refused)
        self.use_button = self._text_button("Use it", "Encode with the encoder that is usual for these tokens")
        self.use_button.clicked.connect(self._use_usual_encoder)

    def _make_bottom(self) -> None:
        self.why_label = self._label("Why this pair is merged")
        self.empty_label = self._label("Nothing to show yet")
        self.empty_label.setWordWrap(True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.count_label = self._label("Number of tokens")
        self.ids_field = QLineEdit(self)
        self.ids_field.setReadOnly(True)
        self.ids_field.setFrame(False)
        self.ids_field.setStyleSheet("background: transparent")
        self.ids_field.setAccessibleName("Token ids")
        self.ids_field.setToolTip("Token ids of the phrase")
        self.sides_label = ElidingLabel("", self)
        self.sides_label.setProperty("role", "muted")
        self.sides_label.setAccessibleName("Number of tokens of both encoders")
        self.difference_button = self._text_button("Next difference", "Go to the next word that differs (N)")
        self.difference_button.setAutoRaise(True)
        self.difference_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._icons[self.difference_button] = "arrow-circle-down"
        self.difference_button.clicked.connect(self.view.go_to_difference)
        self.copy_button = self._button("copy", "Copy the ids")
        self.copy_button.clicked.connect(self._copy_ids)

    def _button(self, icon: str, name: str, key: str = "") -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setAccessibleName(name)
        button.setToolTip(f"{name} ({key})" if key else name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._icons[button] = icon
        return button

    def _text_button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setAccessibleName(text)
        button.setToolTip(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _label(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setProperty("role", "muted")
        label.setAccessibleName(name)
        label.setMinimumWidth(1)
        return label

    def _arrange(self) -> None:
        self._pages = QStackedLayout()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.empty_label)
        buttons = self.first_button, self.back_button, self.forward_button, self.last_button, self.all_button
        phrase = _in_a_row(2, self.field, *buttons, self.go_button)
        self.controls.add(self.badge)
        self._top = WrappingRow(phrase, self.controls, self)
        self._notes = _in_a_row(8, self.note_label, self.select_button, self.use_button)
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        for widget in (self._top, self.dropout_row, self._notes):
            column.addWidget(widget)
        column.addLayout(self._pages, 1)
        column.addWidget(self.why_label)
        numbers = self.count_label, self.ids_field, self.copy_button, self.sides_label, self.difference_button
        column.addWidget(_in_a_row(8, *numbers))
        self._order_tabs()
        self.why_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setWidget(body)

    def _order_tabs(self) -> None:
        steps = self.first_button, self.back_button, self.forward_button, self.last_button
        row = self.dropout_row
        first = self.field, *steps, self.all_button, self.go_button, *self.controls.in_order, self.badge
        second = row.probability, row.seed, row.new_seed, self.select_button, self.use_button
        last = self.view, self.ids_field, self.copy_button, self.difference_button
        for before, after in pairwise((*first, *second, *last)):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        session, settings = self._session, self._settings
        self.view.current_changed.connect(self._show_current)
        self.view.reveal_requested.connect(session.reveal_merge)
        self.field.textChanged.connect(self._store_text)
        settings.changed.connect(self._on_setting_changed)
        session.step_changed.connect(self._refresh_soon)
        session.recording_replaced.connect(self._refresh_soon)
        self._theme.changed.connect(self._show_icons)
        self.dropout_row.setVisible(settings.flag(Settings.SHOWS_DROPOUT))
        self.view.fold_same(settings.flag(Settings.FOLDS_SAME_WORDS))

    def _show_icons(self) -> None:
        for button, name in self._icons.items():
            button.setIcon(self._theme.icon(name))

    def _refresh_soon(self) -> None:
        if self.isVisible() and not self._refresh_timer.isActive():
            self._refresh_timer.start()

    def _store_text(self, text: str) -> None:
        self._settings.set(Settings.ENCODE_TEXT, text)
        self._refresh_soon()

    def _on_setting_changed(self, key: str) -> None:
        settings = self._settings
        if key == Settings.ENCODE_TEXT and settings.text(key) != self.field.text():
            self.field.setText(settings.text(key))
        elif key == Settings.SHOWS_DROPOUT:
            self.dropout_row.setVisible(settings.flag(key))
        elif key == Settings.FOLDS_SAME_WORDS:
            self.view.fold_same(settings.flag(key))
        elif key in KEYS:
            self._refresh_soon()

    def _show_numbers(self, phrase: Phrase, other: Phrase | None, pairs: tuple[WordPair, ...]) -> None:
        ids = phrase.ids
        shown = ", ".join(map(str, ids[:MAX_IDS_SHOWN])) + (", …" if len(ids) > MAX_IDS_SHOWN else "")
        self.ids_field.setText(shown)
        self.ids_field.setCursorPosition(0)
        self.copy_button.setEnabled(bool(ids))
        self.count_label.setText(f"{phrase_title(phrase)}, ids:")
        for widget in (self.count_label, self.ids_field, self.copy_button):
            widget.setVisible(bool(phrase.words) and not pairs)
        if other and pairs:
            self.sides_label.setText("  ·  ".join(f"{_name(one)}: {phrase_title(one)}" for one in (phrase, other)))
            self.difference_button.setText(comparison_title(pairs))
            self.difference_button.setAccessibleName(f"{comparison_title(pairs)}: go to the next one")
            self.difference_button.setEnabled(any(pair.difference for pair in pairs))
        for widget in (self.sides_label, self.difference_button):
            widget.setVisible(bool(pairs))

    def _show_badge(self, text: str, phrases: list[Phrase]) -> None:
        """Say whether what is shown comes back when it is decoded."""
        recording = self._session.recording
        trips = [round_trip_of(recording, text, phrase.ids) for phrase in phrases if phrase.words]
        if not trips:
            self.badge.clear()
            return
        is_cut = len(text) < len(self.field.text())
        note = f"These are the first {len(text):,} characters." if is_cut else ""
        self.badge.show_trip(_sum_of(phrases, trips), recording_losses(recording), note)

    def _show_note(self, problem: str, characters: int, choices: EncodeChoices) -> None:
        advice = encoder_advice(self._session.recording, choices.encoder) if self._session.last_step else ""
        is_advised = bool(advice) and not problem and choices.other is not usual_encoder(self._session.recording)
        parts = [problem, advice if is_advised else ""]
        if characters < len(self.field.text()):
            parts.append(f"The first {characters:,} characters are shown.")
        note = " ".join(part for part in parts if part)
        self.note_label.setText(note)
        self.note_label.setProperty("role", "danger" if problem else "muted")
        self.note_label.style().polish(self.note_label)
        self.select_button.setVisible(self._refused is not None)
        self.use_button.setVisible(is_advised)
        self.use_button.setText(f"Use {ENCODER_TITLES[usual_encoder(self._session.recording)].lower()}")
        self._notes.setVisible(bool(note))

    def _show_emptiness(self, problem: str) -> None:
        if not self._session.last_step:
            self.empty_label.setText("Train on a text first; then every merge inside this word shows here.")
        elif problem:
            self.empty_label.setText("Nothing is encoded: the line above says why.")
        else:
            self.empty_label.setText("Type a word or a phrase above; every merge inside it shows here.")
        self._pages.setCurrentIndex(0 if self.view.row_count > 0 else 1)

    def _show_current(self) -> None:
        view, current = self.view, self.view.current
        has_rows = view.row_count > 0
        self.first_button.setEnabled(has_rows and current != 0)
        self.back_button.setEnabled(has_rows and current != 0)
        self.forward_button.setEnabled(has_rows and current != view.row_count - 1)
        self.last_button.setEnabled(has_rows and current != view.row_count - 1)
        self.all_button.setEnabled(current is not None)
        self.go_button.setEnabled(view.current_merge is not None)
        self.why_label.setText("" if current is None else why(*view.word_at(current)))
        self.why_label.setToolTip(plain_tip(self.why_label.text()))
        self.why_label.setVisible(current is not None)

    def _copy_ids(self) -> None:
        QGuiApplication.clipboard().setText(", ".join(map(str, self.view.phrase.ids)))

    def _select_refused(self) -> None:
        if self._refused is not None:
            before = self.field.text()[: self._refused.position]
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            self.field.setSelection(_units(before), _units(self._refused.token))

    def _use_usual_encoder(self) -> None:
        self._settings.set(Settings.ENCODER, AS_THE_MODEL)

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # the field has no use for Up and Down: they step through the rows while one types
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.view.go_forward()
                return True
            if event.key() == Qt.Key.Key_Up:
                self.view.go_back()
                return True
        return super().eventFilter(watched, event)


def _in_a_row(spacing: int, *widgets: QWidget) -> QWidget:
    """Widgets beside each other; those that want room share it."""
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for widget in widgets:
        layout.addWidget(widget)
    return row


def _name(phrase: Phrase) -> str:
    word = phrase.words[0]
    return encoder_name(word.encoder, word.dropout is not None)


def _sum_of(phrases: list[Phrase], trips: list[RoundTrip]) -> RoundTrip:
    """What is worst, with the encoder's name where another one does better."""
    found = worst(trips)
    if all(trip.is_equal == found.is_equal for trip in trips):
        return found
    return replace(found, message=f"{_name(phrases[trips.index(found)])}: {found.message}")


def _units(text: str) -> int:
    """The length of a text as Qt counts it: characters beyond U+FFFF are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
