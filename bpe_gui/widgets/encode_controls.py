"""Which encoder the encode panel uses, with which other one it compares, and what special tokens in the text mean."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from bpe_gui.encode_choices import AS_THE_MODEL, stored_encoder, stored_specials
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_combo import ElidingCombo
from bpe_gui.widgets.fields import keep_wheel_for_scrolling
from bpe_gui.widgets.wrapping_lines import WrappingLines
from core.encoding_rules import ENCODER_HELPS, ENCODER_TITLES, Encoder
from core.tokenizer import Specials

LEAST_LETTERS = 13
"""Of the choice, in a narrow panel."""
ENCODERS = tuple((encoder.value, ENCODER_TITLES[encoder], ENCODER_HELPS[encoder]) for encoder in Encoder)
SPECIALS = (
    (Specials.MATCH.value, "Match", "A special token's text is the special token: Hugging Face."),
    (Specials.AS_TEXT.value, "As text", "A special token's text is text like any other: SentencePiece."),
    (Specials.REFUSE.value, "Refuse", "A special token's text is a mistake, which is reported: tiktoken."),
)


MODELS_HELP = "What the tool does that this tokenizer is made for."


class SettingCombo(ElidingCombo):
    """A choice that is stored as soon as it is made. An entry is (stored value, title, help)."""

    def __init__(
        self, key: str, name: str, choices: tuple[tuple[str, str, str], ...], settings: Settings, parent: QWidget
    ) -> None:
        super().__init__(LEAST_LETTERS, parent)
        self._key = key
        self._name = name
        self._settings = settings
        self.setAccessibleName(name)
        for place, (value, title, help_text) in enumerate(choices):
            self.addItem(title, value)
            self.setItemData(place, help_text, Qt.ItemDataRole.ToolTipRole)
        keep_wheel_for_scrolling(self)
        self.activated.connect(self._store)

    def show_icon(self, icon: QIcon) -> None:
        """Before every choice, where the choices alone do not say what they are about."""
        for place in range(self.count()):
            self.setItemIcon(place, icon)

    def show_value(self, value: str) -> None:
        self.setCurrentIndex(max(self.findData(value), 0))
        help_text = self.currentData(Qt.ItemDataRole.ToolTipRole)
        self.setToolTip(f"{self._name}: {self.currentText()}\n{help_text}")
        self.setAccessibleDescription(help_text)

    def _store(self) -> None:
        self._settings.set(self._key, self.currentData())


class SettingToggle(QToolButton):
    """A button that stays down, and stores whether it is."""

    def __init__(self, key: str, name: str, tip: str, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._key = key
        self._settings = settings
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setChecked(settings.flag(key))
        self.clicked.connect(self._store)

    def show_value(self) -> None:
        self.setChecked(self._settings.flag(self._key))

    def _store(self, is_checked: bool) -> None:
        self._settings.set(self._key, is_checked)


class EncodeControls(QWidget):
    """Shows what the settings hold and writes into them; whoever encodes listens to the settings."""

    def __init__(self, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._theme = theme
        self._usual = Encoder.MERGE_RANK
        as_the_model = AS_THE_MODEL, "", MODELS_HELP
        self.encoder = SettingCombo(Settings.ENCODER, "Encoder", (as_the_model, *ENCODERS), settings, self)
        self.compare = SettingToggle(
            Settings.COMPARES_ENCODERS, "Compare with", "Compare with another encoder, word beside word", settings, self
        )
        self.other = SettingCombo(Settings.OTHER_ENCODER, "Compared with", ENCODERS, settings, self)
        self.fold = SettingToggle(
            Settings.FOLDS_SAME_WORDS, "Fold equal words", "Of words cut alike show the result only", settings, self
        )
        self.specials = SettingCombo(Settings.ENCODE_SPECIALS, "Special tokens in the text", SPECIALS, settings, self)
        self.dropout = SettingToggle(
            Settings.SHOWS_DROPOUT, "Dropout", "BPE dropout: leave merges out at random", settings, self
        )
        self._arrange()
        self._show_icons()
        self.show_values()
        settings.changed.connect(self._on_setting_changed)
        theme.changed.connect(self._show_icons)

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """As they are read and reached by Tab."""
        return self.encoder, self.compare, self.other, self.fold, self.specials, self.dropout

    def take_usual(self, encoder: Encoder) -> None:
        """Which encoder the tokenizer that is shown is made for."""
        if encoder is not self._usual:
            self._usual = encoder
            self.show_values()

    def show_values(self) -> None:
        self.encoder.setItemText(0, f"{ENCODER_TITLES[self._usual]} (model's own)")
        self.encoder.setItemData(0, f"{MODELS_HELP} {ENCODER_HELPS[self._usual]}", Qt.ItemDataRole.ToolTipRole)
        is_models = self._settings.text(Settings.ENCODER) == AS_THE_MODEL
        self.encoder.show_value(AS_THE_MODEL if is_models else stored_encoder(self._settings, Settings.ENCODER))
        self.other.show_value(stored_encoder(self._settings, Settings.OTHER_ENCODER))
        self.specials.show_value(stored_specials(self._settings))
        for toggle in (self.compare, self.fold, self.dropout):
            toggle.show_value()
        compares = self._settings.flag(Settings.COMPARES_ENCODERS)
        style = Qt.ToolButtonStyle
        self.compare.setToolButtonStyle(style.ToolButtonIconOnly if compares else style.ToolButtonTextBesideIcon)
        self.other.setVisible(compares)
        self.fold.setVisible(compares)
        self._show_dropout()
        self._lines.rewrap()

    def offer_specials(self, are_there: bool) -> None:
        """Ask what special tokens in the text mean, where the recording has any."""
        self.specials.setVisible(are_there)
        self._lines.rewrap()

    def add(self, widget: QWidget) -> None:
        """Put it behind the others."""
        self._lines.add(widget)

    @property
    def is_wrapped(self) -> bool:
        """Whether it takes more than one line."""
        return self._lines.line_count > 1

    def _arrange(self) -> None:
        self.compare.setText("Compare")
        self.dropout.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._lines = WrappingLines(self.in_order, self, spacing=2)
        around = QHBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._lines)

    def _show_dropout(self) -> None:
        """The button says so while dropout is at work, folded or not."""
        percent = self._settings.number(Settings.DROPOUT)
        works = percent > 0 and stored_encoder(self._settings, Settings.ENCODER, self._usual) is Encoder.MERGE_RANK
        self.dropout.setText(f"Dropout {percent:g} %" if works else "Dropout")
        caret = "caret-down" if self.dropout.isChecked() else "caret-right"
        self.dropout.setIcon(self._theme.icon(caret, self._theme.colors.muted))

    def _show_icons(self) -> None:
        self.compare.setIcon(self._theme.icon("arrows-left-right"))
        self.fold.setIcon(self._theme.icon("arrows-in-line-vertical"))
        self.specials.show_icon(self._theme.icon("tag"))
        self._show_dropout()

    def _on_setting_changed(self, key: str) -> None:
        if key.startswith("encode/") and key != Settings.ENCODE_TEXT:
            self.show_values()
