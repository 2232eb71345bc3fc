"""The strip under the tool bar that says which tokenizer is open, and what of its file is not applied."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolBar, QToolButton, QWidget

from bpe_gui.session import Session
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from core.imported import Imported
from core.model_facts import headline, not_applied_line


class ModelBanner(QToolBar):
    """There for a recording that was read from a file, until it is closed for this one."""

    def __init__(self, session: Session, theme: Theme, count: QAction, details: QAction, parent: QWidget) -> None:
        """The action that counts merges in the corpus is offered while there are no counts."""
        super().__init__("Open tokenizer", parent)
        self.setObjectName("model_banner")
        self.setMovable(False)
        self.toggleViewAction().setVisible(False)  # it comes and goes with what is open
        self._session = session
        self._theme = theme
        self._closed: list[Imported] = []
        self._picture, self._warning = QLabel(self), QLabel(self)
        self.headline = _line("The tokenizer that is open", self)
        self.not_applied = _line("What of the file is not applied", self)
        self.not_applied.setProperty("role", "warning")
        self.count_button, self.details_button = _button(count, self), _button(details, self)
        self.close_button = self._make_close_button()
        self._lay_out()
        session.recording_replaced.connect(self.show_recording)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self.show_recording()

    def show_recording(self) -> None:
        """Say what is open, or be away."""
        recording = self._session.recording
        imported = recording.imported
        if imported is None:
            self.hide()
            return
        self.headline.setText(headline(recording))
        self.not_applied.setText(not_applied_line(recording))
        for widget in (self.not_applied, self._warning):
            widget.setVisible(bool(imported.not_applied))
        self.count_button.setVisible(not recording.has_counts)
        self.setVisible(not any(imported is closed for closed in self._closed))

    def close_for_this_recording(self) -> None:
        """What it says is still to be had by the action for details."""
        if imported := self._session.recording.imported:
            self._closed.append(imported)
        self.hide()

    def _make_close_button(self) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setToolTip("Close this strip for this tokenizer; View > About this tokenizer says the same")
        button.setAccessibleName("Close the strip")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self.close_for_this_recording)
        return button

    def _lay_out(self) -> None:
        body = QWidget(self)
        body.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(body)
        row.setContentsMargins(6, 0, 0, 0)
        row.setSpacing(6)
        for widget in (self._picture, self.headline):
            row.addWidget(widget)
        row.addSpacing(12)
        for widget in (self._warning, self.not_applied):
            row.addWidget(widget)
        row.addStretch(1)
        for button in (self.count_button, self.details_button, self.close_button):
            row.addWidget(button)
        self.addWidget(body)

    def _show_icons(self) -> None:
        side = self.fontMetrics().height()
        colors = self._theme.colors
        self._picture.setPixmap(self._theme.icon("stack", colors.muted).pixmap(QSize(side, side)))
        self._warning.setPixmap(self._theme.icon("warning", colors.warning).pixmap(QSize(side, side)))
        self.close_button.setIcon(self._theme.icon("x"))


def _line(name: str, parent: QWidget) -> ElidingLabel:
    """As wide as its text if there is so much room."""
    label = ElidingLabel("", parent)
    label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
    label.setAccessibleName(name)
    return label


def _button(action: QAction, parent: QWidget) -> QToolButton:
    button = QToolButton(parent, autoRaise=True)
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAccessibleName(action.iconText())
    return button
