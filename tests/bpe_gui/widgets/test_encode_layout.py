"""Geometry of the encode view, apart from painting."""

import pytest
from PySide6.QtGui import QFont

from bpe_gui.widgets.encode_layout import EncodeLayout, Fonts
from core.encode_steps import encode_phrase
from core.recording import Recording


@pytest.fixture
def layout(qapp, recording: Recording) -> EncodeLayout:
    return laid_out(recording, "lowest newer")


def laid_out(recording: Recording, text: str) -> EncodeLayout:
    phrase = encode_phrase(recording, text, len(recording))
    return EncodeLayout(phrase.words, Fonts(QFont(), QFont()))


def test_merged_token_spans_the_columns_of_its_parts(layout):
    block = layout.blocks[0]
    before, after = block.word.row(0), block.word.row(1)
    e, s, es = before.pieces[3], before.pieces[4], after.pieces[3]
    parts = layout.chip(block, e, 0).united(layout.chip(block, s, 0))
    assert layout.chip(block, es, 0) == parts


def test_chips_do_not_overlap_and_leave_room_for_the_ranks(layout):
    for block in layout.blocks:
        for boundary, (right, left) in enumerate(zip(block.rights, block.lefts[1:], strict=False)):
            ranks = block.word.ranks_at(boundary)
            widest = max((layout.fonts.bold_metrics.horizontalAdvance(f"#{rank:,}") for rank in ranks), default=0)
            assert left - right >= max(widest, 1)


def test_every_row_is_found_at_its_height(layout):
    for row in range(layout.row_count):
        middle = (layout.row_top(row) + layout.row_bottom(row)) / 2
        assert layout.row_at(middle) == row
        assert row in layout.rows_between(middle, middle + 1)
    assert layout.row_at(-1) is None
    assert layout.row_at(layout.height + 1) is None


def test_only_visible_rows_are_asked_for(qapp, recording):
    layout = laid_out(recording, "lowest " * 200)
    rows = layout.rows_between(3_000, 3_200)
    assert 1 <= len(rows) <= 200 / layout.row_height + 3
    assert layout.row_bottom(rows[0]) >= 3_000 - layout.row_height
    assert layout.row_top(rows[-1]) < 3_200


def test_pieces_are_found_by_their_place(layout):
    block = layout.blocks[0]
    last = block.word.row_count - 1
    middle = (block.lefts[0] + block.rights[2]) / 2
    assert layout.piece_at(last, middle) == block.word.row(last).pieces[0]
    assert layout.piece_at(last, block.rights[-1] + 5) is None


def test_results_have_room_for_ids_below(layout):
    word = layout.blocks[0].word
    result = word.row_count - 1
    assert layout.is_result(result)
    assert layout.row_bottom(result) - layout.row_top(result) == layout.row_height + layout.ids_height
    assert layout.row_top(result + 1) > layout.row_bottom(result)


def test_nothing_to_lay_out(qapp, recording):
    layout = laid_out(recording, "")
    assert layout.row_count == 0
    assert layout.row_at(0) is None
    assert list(layout.rows_between(0, 100)) == []
    assert layout.blocks_between(0, 100) == []
