import pytest
from PySide6.QtGui import QFont

from bpe_gui.widgets.shown_text import Place, ShownText
from bpe_gui.widgets.token_layout import Measures
from core.segmentation import Segmenter


@pytest.fixture
def shown(qapp, recording):
    text = "".join(f"low {n}\n" for n in range(1_000))
    return ShownText(Segmenter(recording, text), Measures.of(QFont(), 300.0, False, False))


def texts(shown, place, height=200.0, y=0.0):
    return [row.row.text for row in shown.rows(place, y, height, 0)]


def test_rows_of_a_view_from_a_place_on(shown):
    row_height = shown.layout(0).rows[0].height
    assert texts(shown, Place(0, 0.0), 2 * row_height) == ["low 0\n", "low 1\n"]
    assert texts(shown, Place(0, row_height + 1), 2 * row_height) == ["low 1\n", "low 2\n", "low 3\n"]


def test_rows_above_the_place_fill_a_margin(shown):
    first_of_second = texts(shown, Place(1, 0.0))[0]
    with_margin = texts(shown, Place(1, 0.0), y=10.0)
    assert with_margin[1] == first_of_second


def test_moving_down_and_up_again_comes_back(shown):
    place = Place(3, 7.0)
    assert shown.moved(shown.moved(place, 5_000.0), -5_000.0) == place
    assert shown.moved(place, -1e9) == Place(0, 0.0)


def test_the_last_top_shows_the_end(shown):
    assert texts(shown, shown.last_top(200.0))[-1] == "low 999\n"


def test_place_of_a_character_and_back(shown):
    character = shown.segmenter.text.index("low 500")
    assert shown.character_at(shown.place_of(character)) == character


def test_tokens_change_with_the_step_and_rows_do_not(shown):
    (before, *_) = shown.rows(Place(0, 0.0), 0.0, 10.0, 0)
    (after, *_) = shown.rows(Place(0, 0.0), 0.0, 10.0, len(shown.segmenter.recording))
    assert before.row is after.row
    assert len(after.spans) < len(before.spans)


def test_the_same_text_keeps_its_blocks(shown, recording):
    measures = Measures.of(QFont(), 300.0, False, False)
    again = ShownText(Segmenter(recording, shown.segmenter.text), measures, shown.blocks)
    other = ShownText(Segmenter(recording, "low\n" * 1_000), measures, shown.blocks)
    assert again.blocks is shown.blocks
    assert (other.blocks.text, len(other.blocks)) == ("low\n" * 1_000, 7)
