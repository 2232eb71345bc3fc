import pytest
from PySide6.QtGui import QImage, QPainter

from bpe_gui.settings import Settings
from bpe_gui.widgets.shown_text import Place, ShownText
from bpe_gui.widgets.token_layout import Measures
from bpe_gui.widgets.token_painter import Moment, TokenPainter, chip
from core.recording import Recording
from core.segmentation import Segmenter
from core.trainer import TrainerConfig, build_alphabet


def painted(theme, segmenter, step, moment=None):
    """The picture, and the rows that are on it."""
    font = theme.text_font()
    shown = ShownText(segmenter, Measures.of(font, 400.0, True, False))
    rows = list(shown.rows(Place(0, 0.0), 0.0, 60.0, step))
    image = QImage(400, 60, QImage.Format.Format_RGB32)
    image.fill(theme.colors.surface)
    painter = QPainter(image)
    TokenPainter(painter, theme, segmenter, moment or Moment()).paint(rows)
    painter.end()
    return image, rows


def color_of(image, rows, index):
    """The background just inside the upper edge of the token's box, where no glyph is."""
    box = chip(rows[0], rows[0].spans[index])
    return image.pixelColor(round(box.center().x()), round(box.top()) + 3).name()


@pytest.mark.parametrize("palette", ["full", "safe"])
def test_a_token_has_the_colour_of_its_id(theme, settings, recording, palette):
    settings.set(Settings.PALETTE, palette)
    image, rows = painted(theme, Segmenter(recording, "now"), 0)
    ids = [span.segment.token_id for span in rows[0].spans]
    assert [color_of(image, rows, i) for i in range(3)] == [theme.token_colors(i).fill.name() for i in ids]


def test_neighbours_that_would_look_alike_differ(theme, recording):
    image, rows = painted(theme, Segmenter(recording, "ooo"), 0)
    first, second, third = (color_of(image, rows, i) for i in range(3))
    assert first == third != second


def test_bytes_of_one_character_are_stripes_of_their_colours(theme):
    recording = Recording(build_alphabet({}, TrainerConfig()))
    image, rows = painted(theme, Segmenter(recording, "\u3000"), 0)
    ids = [span.segment.token_id for span in rows[0].spans]
    assert len(ids) == 3
    assert color_of(image, rows, 0) == theme.token_colors(ids[0]).fill.name()
    assert len({color_of(image, rows, i) for i in range(3)}) == 3


def test_the_new_token_has_an_outline_in_the_accent_colour(theme, recording):
    image, rows = painted(theme, Segmenter(recording, "est"), 1)
    box = chip(rows[0], rows[0].spans[0])
    edge = image.pixelColor(round(box.center().x()), round(box.top() + 0.5))
    accent = theme.colors.accent
    assert abs(edge.hue() - accent.hue()) < 10
    assert edge.saturation() > 150


def test_a_pulse_tints_the_new_token_only(theme, recording):
    still, rows = painted(theme, Segmenter(recording, "est"), 1)
    pulsing, _ = painted(theme, Segmenter(recording, "est"), 1, Moment(pulse=1.0))
    assert color_of(still, rows, 0) != color_of(pulsing, rows, 0)
    assert color_of(still, rows, 1) == color_of(pulsing, rows, 1)


def test_dropped_text_has_no_background(theme, recording):
    image, rows = painted(theme, Segmenter(recording, "o o"), 0)
    assert color_of(image, rows, 1) == theme.colors.surface.name()


def test_white_space_is_marked_when_asked_for(theme, recording):
    plain, _ = painted(theme, Segmenter(recording, "o o\to\n"), 0)
    marked, _ = painted(theme, Segmenter(recording, "o o\to\n"), 0, Moment(shows_white_space=True))
    assert plain != marked
