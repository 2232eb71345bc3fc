"""Every colour, font and icon. A token's colour comes from its id alone, so it keeps it at every step and place."""

import math
from dataclasses import dataclass
from functools import lru_cache

import pyqtgraph
import qtawesome
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QApplication

from bpe_gui.settings import Settings

GOLDEN_ANGLE_DEGREES = 137.50776405003785
SAFE_HUES_DEGREES = (70.0, 245.0, 95.0, 285.0)
"""Ochre, blue, yellow, violet: apart for protanopes, deuteranopes and (by lightness) tritanopes."""


@dataclass(frozen=True, slots=True)
class Colors:
    """The colours of a theme that are not a token's; `second` stands beside the accent where two things compare."""

    window: QColor
    surface: QColor
    text: QColor
    muted: QColor
    border: QColor
    accent: QColor
    on_accent: QColor
    second: QColor
    danger: QColor
    warning: QColor
    success: QColor
    row: QColor


LIGHT = Colors(
    window=QColor("#f5f5f7"),
    surface=QColor("#ffffff"),
    text=QColor("#1d1d1f"),
    muted=QColor("#66666e"),
    border=QColor("#d9d9de"),
    accent=QColor("#0b63ce"),
    on_accent=QColor("#ffffff"),
    second=QColor("#c2570c"),
    danger=QColor("#b3261e"),
    warning=QColor("#8a5700"),
    success=QColor("#1e7a3c"),
    row=QColor("#f0f4fa"),
)
DARK = Colors(
    window=QColor("#1e1f22"),
    surface=QColor("#26272b"),
    text=QColor("#e8e8ec"),
    muted=QColor("#a0a1a8"),
    border=QColor("#3c3d43"),
    accent=QColor("#6cb0ff"),
    on_accent=QColor("#10131a"),
    second=QColor("#f0954a"),
    danger=QColor("#ff8a80"),
    warning=QColor("#f2bd5c"),
    success=QColor("#7fd99a"),
    row=QColor("#2b3038"),
)


@dataclass(frozen=True, slots=True)
class TokenColors:
    fill: QColor
    edge: QColor
    text: QColor


class Theme(QObject):
    """Signals:
    changed: colours, fonts or token palette are other ones; repaint and take icons anew.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._read_settings()
        settings.changed.connect(self._on_setting_changed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def is_dark(self) -> bool:
        return self._is_dark

    @property
    def colors(self) -> Colors:
        return DARK if self.is_dark else LIGHT

    @property
    def moves(self) -> bool:
        """Whether things may pulse and slide."""
        return not self._settings.flag(Settings.REDUCED_MOTION)

    def token_colors(self, token_id: int, shift: int = 0) -> TokenColors:
        """Colours of a token; `shift` 1, 2, ... are the next ones, for a neighbour that would look the same."""
        return _token_colors(token_id + shift, self._is_dark, self._has_full_palette)

    def unknown_colors(self) -> TokenColors:
        """For a character that no token covers."""
        return TokenColors(self.colors.surface, self.colors.danger, self.colors.danger)

    def text_font(self) -> QFont:
        """The font tokens are written in, at the size the user chose."""
        kind = QFontDatabase.SystemFont.FixedFont
        font = QFontDatabase.systemFont(kind) if self._settings.flag(Settings.MONOSPACED) else QFont()
        font.setPointSizeF(self._settings.number(Settings.TEXT_POINTS))
        return font

    def number_font(self) -> QFont:
        """The interface's font with digits of equal width."""
        font = QFont()
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def code_font(self) -> QFont:
        """For files and program text: even width, the interface's size."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(QFont().pointSizeF())
        return font

    def icon(self, name: str, color: QColor | None = None) -> QIcon:
        """An icon of the Phosphor set (`play`, `folder-open`), in the theme's text colour if no other is asked for."""
        icon: QIcon = qtawesome.icon(
            f"ph.{name}", color=color or self.colors.text, color_disabled=_mixed(self.colors.muted, self.colors.window)
        )
        return icon

    def apply(self) -> None:
        """Colour the whole application."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.setStyle("Fusion")
        application.setPalette(_palette(self.colors))
        for widget in ("QCheckBox", "QRadioButton"):  # Fusion outlines them in black, which is lost on a dark window
            application.setPalette(_indicator_palette(self.colors), widget)  # type: ignore[arg-type]  # stub wants bytes
        pyqtgraph.setConfigOptions(background=self.colors.surface, foreground=self.colors.muted, antialias=True)
        application.setStyleSheet(_style_sheet(self.colors))
        self.changed.emit()

    def _read_settings(self) -> None:
        """Kept, since colours are asked for thousands of times in one painting: 4 us each from the settings."""
        mode = self._settings.text(Settings.THEME)
        if mode == "system":
            self._is_dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
        else:
            self._is_dark = mode == "dark"
        self._has_full_palette = self._settings.text(Settings.PALETTE) == "full"

    def _on_setting_changed(self, key: str) -> None:
        self._read_settings()
        if key == Settings.THEME:
            self.apply()
        elif key.startswith("appearance/"):
            self.changed.emit()

    def _follow_system(self) -> None:
        self._read_settings()
        if self._settings.text(Settings.THEME) == "system":
            self.apply()


@lru_cache(maxsize=65_536)
def _token_colors(number: int, is_dark: bool, full: bool) -> TokenColors:
    if full:
        hue, step = number * GOLDEN_ANGLE_DEGREES % 360, 0
    else:
        hue, step = SAFE_HUES_DEGREES[number % 4], number // 4 % 3
    lightness = 0.38 + 0.07 * step if is_dark else 0.90 - 0.06 * step
    fill = oklch(lightness, 0.075 if is_dark else 0.065, hue)
    edge = oklch(lightness + 0.14 if is_dark else lightness - 0.14, 0.09, hue)
    return TokenColors(fill, edge, QColor("#f7f7fa") if is_dark else QColor("#16161a"))


def oklch(lightness: float, chroma: float, hue_degrees: float) -> QColor:
    """A colour of the perceptual space OKLCH (lightness 0 to 1), cut to sRGB. Source: Björn Ottosson, 2020."""
    a = chroma * math.cos(math.radians(hue_degrees))
    b = chroma * math.sin(math.radians(hue_degrees))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return QColor.fromRgbF(*(_gamma(min(max(channel, 0.0), 1.0)) for channel in linear))


def _gamma(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def _mixed(one: QColor, other: QColor) -> QColor:
    return QColor(*((a + b) // 2 for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)))  # type: ignore[index]  # getRgb's stub says object


def _palette(colors: Colors) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for roles, color in (
        ((role.Window, role.Button), colors.window),
        ((role.Base, role.ToolTipBase), colors.surface),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), colors.text),
        ((role.PlaceholderText,), colors.muted),
        ((role.AlternateBase,), colors.row),
        ((role.Highlight, role.Accent, role.Link), colors.accent),
        ((role.HighlightedText,), colors.on_accent),
        ((role.Mid, role.Midlight), colors.border),
    ):
        for one in roles:
            palette.setColor(one, color)
    disabled = _mixed(colors.muted, colors.window)
    for one in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, disabled)
    return palette


def _indicator_palette(colors: Colors) -> QPalette:
    palette = _palette(colors)
    if colors is DARK:
        palette.setColor(QPalette.ColorRole.Base, _mixed(colors.border, colors.muted))
        palette.setColor(QPalette.ColorRole.Text, QColor("white"))  # the mark, whose edge is blended with the base
    return palette


def _style_sheet(colors: Colors) -> str:
    return f"""
        QToolTip {{ color: {colors.text.name()}; background: {colors.surface.name()};
                    border: 1px solid {colors.border.name()}; padding: 4px; }}
        QLabel[role="muted"] {{ color: {colors.muted.name()}; }}
        QLabel[role="danger"] {{ color: {colors.danger.name()}; }}
        QLabel[role="warning"] {{ color: {colors.warning.name()}; }}
        QLabel[role="success"] {{ color: {colors.success.name()}; }}
        QLabel[role="heading"] {{ font-weight: 600; }}
        QMainWindow::separator {{ width: 5px; height: 5px; background: {colors.window.name()}; }}
        QMainWindow::separator:hover {{ background: {colors.border.name()}; }}
        QToolBar {{ border: none; spacing: 2px; padding: 3px; }}
        QStatusBar::item {{ border: none; }}
    """
