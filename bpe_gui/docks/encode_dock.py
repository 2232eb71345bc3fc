"""The encode panel: a phrase is typed, and every merge inside it is shown under the merges up to the current step."""

import time

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

from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.encode_view import EncodeView
from core.encode_steps import Phrase, encode_phrase, phrase_title, why
from core.errors import BpeError

FRAME_MILLISECONDS = 33
REST_FACTOR = 4
"""A refresh that took 20 ms is followed by at least 80 ms for the rest of the window."""
MAX_IDS_SHOWN = 500
LEAST_CHARACTERS = 14
"""Of the phrase, in a narrow panel."""


class EncodeDock(QDockWidget):
    """Reads recording and step from the session, the phrase from the settings."""

    def __init__(self, session: Session, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Encode", parent)
        self._session = session
        self._settings = settings
        self._theme = theme
        self._icons: dict[QToolButton, str] = {}
        self._refresh_timer = QTimer(self, singleShot=True, interval=FRAME_MILLISECONDS)
        self._refresh_timer.timeout.connect(self.refresh)
        self.setObjectName("encode")
        self._make_widgets()
        self._arrange()
        self._show_icons()
        self.view.current_changed.connect(self._show_current)
        self.view.reveal_requested.connect(session.reveal_merge)
        self.field.textChanged.connect(self._store_text)
        settings.changed.connect(self._on_setting_changed)
        session.step_changed.connect(self._refresh_soon)
        session.recording_replaced.connect(self._refresh_soon)
        theme.changed.connect(self._show_icons)
        self.refresh()

    def focus_field(self) -> None:
        """Let the user type."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def refresh(self) -> None:
        """Encode the phrase now; changes call for it by themselves, at most once a frame."""
        self._refresh_timer.stop()
        start = time.perf_counter()
        phrase = self._encoded()
        self.view.show_phrase(phrase, self._session.step)
        self._show_ids(phrase)
        self._show_note(phrase)
        self._show_emptiness()
        self._show_current()
        milliseconds = (time.perf_counter() - start) * 1000
        self._refresh_timer.setInterval(max(FRAME_MILLISECONDS, round(milliseconds * REST_FACTOR)))

    def _encoded(self) -> Phrase:
        if not self._session.last_step:
            return Phrase()
        try:
            return encode_phrase(self._session.recording, self.field.text(), self._session.step)
        except BpeError as error:
            return Phrase(problem=str(error))

    def _make_widgets(self) -> None:
        self.field = QLineEdit(self._settings.text(Settings.ENCODE_TEXT), self)
        self.field.setPlaceholderText("Type a word or a phrase")
        self.field.setAccessibleName("Phrase to encode")
        self.field.setToolTip("Encoded with the merges up to the current step; Up and Down go through its merges")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(self.fontMetrics().averageCharWidth() * LEAST_CHARACTERS)
        self.field.installEventFilter(self)
        self.view = EncodeView(self._theme, self)
        self.first_button = self._button("arrow-line-up", "First merge", "Home")
        self.back_button = self._button("arrow-up", "One merge back", "Up")
        self.forward_button = self._button("arrow-down", "One merge forward", "Down")
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
        self.why_label = self._label("Why this pair is merged")
        self.note_label = self._label("Note")
        self.note_label.setWordWrap(True)
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

    def _label(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setProperty("role", "muted")
        label.setAccessibleName(name)
        label.setMinimumWidth(1)
        return label

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(2)
        top.addWidget(self.field, 1)
        top.addSpacing(4)
        for button in (self.first_button, self.back_button, self.forward_button, self.last_button, self.all_button):
            top.addWidget(button)
        top.addWidget(self.go_button)
        bottom = QHBoxLayout()
        bottom.setSpacing(8)
        bottom.addWidget(self.count_label)
        bottom.addWidget(self.ids_field, 1)
        bottom.addWidget(self.copy_button)
        self._pages = QStackedLayout()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.empty_label)
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self.note_label)
        column.addLayout(self._pages, 1)
        column.addWidget(self.why_label)
        column.addLayout(bottom)
        self.why_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setWidget(body)

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
        if key == Settings.ENCODE_TEXT and self._settings.text(key) != self.field.text():
            self.field.setText(self._settings.text(key))

    def _show_ids(self, phrase: Phrase) -> None:
        ids = phrase.ids
        shown = ", ".join(map(str, ids[:MAX_IDS_SHOWN])) + (", …" if len(ids) > MAX_IDS_SHOWN else "")
        self.ids_field.setText(shown)
        self.ids_field.setCursorPosition(0)
        self.count_label.setText(f"{phrase_title(phrase)}, ids:")
        self.copy_button.setEnabled(bool(ids))

    def _show_note(self, phrase: Phrase) -> None:
        note = phrase.problem
        if phrase.characters_left_out:
            note = f"The first {len(self.field.text()) - phrase.characters_left_out:,} characters are shown."
        self.note_label.setText(note)
        self.note_label.setVisible(bool(note))

    def _show_emptiness(self) -> None:
        if not self._session.last_step:
            self.empty_label.setText("Train on a text first; then every merge inside this word shows here.")
        else:
            self.empty_label.setText("Type a word or a phrase above; every merge inside it shows here.")
        has_rows = self.view.row_count > 0
        self._pages.setCurrentIndex(0 if has_rows else 1)
        for widget in (self.count_label, self.ids_field, self.copy_button):
            widget.setVisible(has_rows)

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
        self.why_label.setToolTip(self.why_label.text())
        self.why_label.setVisible(current is not None)

    def _copy_ids(self) -> None:
        QGuiApplication.clipboard().setText(", ".join(map(str, self.view.phrase.ids)))

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # the field has no use for Up and Down: they step through the merges while one types
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.view.go_forward()
                return True
            if event.key() == Qt.Key.Key_Up:
                self.view.go_back()
                return True
        return super().eventFilter(watched, event)
