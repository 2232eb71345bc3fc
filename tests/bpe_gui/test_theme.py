import pytest
from PySide6.QtGui import QColor

from bpe_gui.settings import Settings
from bpe_gui.theme import Theme, oklch


def luminance(color: QColor) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.getRgbF()[:3]]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(one: QColor, other: QColor) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("palette", ["full", "safe"])
def test_text_is_readable_on_every_token(settings: Settings, theme: Theme, mode, palette) -> None:
    settings.set(Settings.THEME, mode)
    settings.set(Settings.PALETTE, palette)
    for token_id in range(500):
        colors = theme.token_colors(token_id)
        assert contrast(colors.text, colors.fill) >= 4.5, token_id


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_interface_s_texts_are_readable(settings: Settings, theme: Theme, mode) -> None:
    settings.set(Settings.THEME, mode)
    colors = theme.colors
    for ink in (colors.text, colors.muted, colors.danger, colors.success, colors.accent):
        assert contrast(ink, colors.surface) >= 4.5
    assert contrast(colors.on_accent, colors.accent) >= 4.5


def test_a_token_keeps_its_colour_and_neighbouring_ids_differ(theme: Theme) -> None:
    assert theme.token_colors(1234) == theme.token_colors(1234)
    for token_id in range(300):
        assert theme.token_colors(token_id).fill != theme.token_colors(token_id + 1).fill


def test_oklch_gives_known_colours() -> None:
    assert oklch(1, 0, 0).name() == "#ffffff"
    assert oklch(0, 0, 0).name() == "#000000"
    assert oklch(0.6279, 0.2577, 29.23).name() in ("#ff0000", "#fe0000", "#ff0100")


def test_a_theme_chosen_is_announced_and_applied(qtbot, qapp, settings: Settings, theme: Theme) -> None:
    settings.set(Settings.THEME, "light")
    with qtbot.waitSignal(theme.changed):
        settings.set(Settings.THEME, "dark")
    assert theme.is_dark
    assert qapp.palette().window().color() == theme.colors.window


def test_larger_text_changes_the_font_of_tokens(settings: Settings, theme: Theme) -> None:
    settings.set(Settings.TEXT_POINTS, 20.0)
    assert theme.text_font().pointSizeF() == 20.0


def test_every_icon_of_the_actions_exists(theme: Theme) -> None:
    assert not theme.icon("folder-open").pixmap(16, 16).isNull()
