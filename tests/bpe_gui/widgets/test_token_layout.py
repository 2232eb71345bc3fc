from itertools import pairwise

import pytest
from PySide6.QtGui import QFont

from bpe_gui.widgets.token_layout import Measures, lay_out
from core.segmentation import Segment

# shaping of scripts that no font of this machine has is not what is tested
pytestmark = [pytest.mark.qt_log_ignore("OpenType support missing"), pytest.mark.usefixtures("qapp")]


def laid_out(text, width=400.0, spaces_lead=True):
    font = QFont()
    font.setPointSize(13)
    return lay_out(text, 0, len(text), Measures.of(font, width, spaces_lead, False))


TEXTS = [
    "a short line",
    "many words in a line that has to be broken into several rows " * 4,
    "nospacesatall" * 30,
    "中文也要换行因为它太长了，一行放不下的。" * 5,
    "👨\u200d👩\u200d👧\u200d👦😀" * 20,
    "שלום עולם abc 123 מרחבא " * 10,
    "مرحبا بالعالم hello " * 10,
    "a\x00b\u202ec\u2028d\te",
    "CRLF\r\nlone\rlast\n\n",
    "e\u0301\u0302 \u0301",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [30.0, 400.0])
def test_every_character_has_its_place_on_a_row(text, width):
    layout = laid_out(text, width)
    assert "".join(row.text for row in layout.rows) == text
    place = y = 0
    for row in layout.rows:
        assert (row.start, row.y) == (place, y)
        assert len(row.leading) == len(row.trailing) == row.end - row.start == len(row.text)
        place, y = row.end, row.y + row.height
    assert layout.height == y


@pytest.mark.parametrize("text", TEXTS)
def test_rows_fit_the_width(text):
    for row in laid_out(text).rows:
        assert min([*row.leading, *row.trailing]) >= -0.5
        assert max([*row.leading, *row.trailing]) <= 400.5


@pytest.mark.parametrize("text", ["abcdef", "ab中文😀", "שלום", "abc שלום 12", "e\u0301e"])
def test_characters_lie_side_by_side(text):
    (row,) = laid_out(text).rows
    boxes = sorted(sorted(edges) for edges in zip(row.leading, row.trailing, strict=True))
    for (_, right), (left, _) in pairwise(boxes):
        assert left == pytest.approx(right, abs=1.0)


def test_a_row_starts_with_the_space_of_its_word():
    second = laid_out("word " * 40).rows[1]
    assert second.text.startswith(" word")
    assert laid_out("word " * 40, spaces_lead=False).rows[1].text.startswith("word")


def test_bytes_share_the_room_of_their_character():
    (row,) = laid_out("中x").rows
    thirds = [row.stretches(Segment(0, 0, 1, lead, 2 - lead))[0] for lead in range(3)]
    width = (row.trailing[0] - row.leading[0]) / 3
    for index, (left, right) in enumerate(thirds):
        assert (left, right) == (pytest.approx(index * width), pytest.approx((index + 1) * width))


def test_from_right_to_left_the_first_byte_is_on_the_right():
    (row,) = laid_out("ש").rows
    ((first_left, first_right),) = row.stretches(Segment(0, 0, 1, 0, 1))
    ((second_left, second_right),) = row.stretches(Segment(0, 0, 1, 1, 0))
    assert second_left < second_right == pytest.approx(first_left)
    assert first_left < first_right


def test_a_token_may_stand_in_two_places_where_directions_mix():
    (row,) = laid_out("abc שלום").rows
    assert len(row.stretches(Segment(0, 2, 6))) == 2
    assert len(row.stretches(Segment(0, 4, 8))) == 1


def test_a_family_is_shared_by_its_characters():
    (row,) = laid_out("👨\u200d👩").rows
    assert row.leading[0] < row.leading[1] < row.leading[2] < row.trailing[2]
    assert row.trailing[2] - row.leading[2] == pytest.approx(row.trailing[0] - row.leading[0])


def test_a_marker_of_its_own_is_a_thin_bar_behind_its_word():
    (row,) = laid_out("low x").rows
    ((left, right),) = row.stretches(Segment(5, 3, 3))
    assert left < row.trailing[2] < right
    assert row.holds(Segment(5, 3, 3))
    assert not row.holds(Segment(5, 0, 0))


def test_a_line_end_has_room_even_on_an_empty_line():
    first, second = laid_out("\n\r\n").rows
    assert first.trailing[0] > first.leading[0]
    assert second.trailing[1] > second.trailing[0] > second.leading[0]


def test_row_of_a_character_and_of_a_height():
    layout = laid_out("a\nb\nc")
    assert layout.row_of(2) is layout.rows[1]
    assert layout.row_of(5) is layout.rows[2]
    assert layout.row_at(layout.rows[1].y + 1) is layout.rows[1]
