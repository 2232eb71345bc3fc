"""Where two phrases stand, word beside word or below word."""

import pytest
from PySide6.QtGui import QFont

from bpe_gui.widgets.encode_columns import EncodeColumns
from bpe_gui.widgets.encode_layout import Fonts
from core.alphabet import Base
from core.encode_steps import encode_phrase
from core.encoding_rules import Encoder
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.side_by_side import side_by_side
from core.trainer import TrainerConfig
from tests.core.runs import record_words

COUNTS = {"es": 9, "rest": 5, "low": 6, "lower": 4, "lowest": 1}
WIDE, NARROW = 2_000, 300


def columns(text: str, width: float = WIDE, folds: bool = True) -> EncodeColumns:
    """Merge rank and longest match; of the words used here they cut only `lowerest` in different ways."""
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    recording = record_words(COUNTS, TrainerConfig(Base.CHARACTERS), pipeline=pipeline)
    first = encode_phrase(recording, text, len(recording))
    second = encode_phrase(recording, text, len(recording), Encoder.LONGEST_MATCH)
    return EncodeColumns((first, second), side_by_side(first, second), Fonts(QFont(), QFont()), width, folds)


@pytest.fixture(autouse=True)
def application(qapp):
    """Fonts need one."""


def test_beside_each_other_words_begin_at_the_same_height():
    shown = columns("low lowerest low", folds=False)
    first, second = (column.layout.blocks for column in shown.columns)
    assert shown.are_beside
    assert [block.top for block in first] == [block.top for block in second]
    assert shown.columns[0].right == shown.columns[1].left


def test_in_a_narrow_view_a_word_stands_below_itself():
    shown = columns("lowerest", NARROW)
    (band,) = shown.bands
    above, below = band.blocks
    assert not shown.are_beside
    assert above.top + shown.columns[0].layout.block_height(above) <= band.captions[1] < below.top
    assert band.captions[0] < above.top


def test_symbols_of_both_have_the_same_columns():
    for width in (WIDE, NARROW):
        (first,), (second,) = (column.layout.blocks for column in columns("lowerest", width).columns)
        assert (first.lefts, first.rights) == (second.lefts, second.rights)


def test_equal_words_fold_to_their_result():
    shown = columns("low lowerest")
    assert [block.is_folded for block in shown.columns[0].layout.blocks] == [True, False]
    assert shown.columns[0].layout.title(0) == "same: 1 token"
    block = shown.columns[0].layout.blocks[0]
    assert block.index_of(0) == block.word.row_count - 1 == 2
    assert columns("low", folds=False).columns[0].layout.row_count == 3


def test_a_folded_word_takes_no_room_for_what_its_tokens_hide():
    (folded,), (unfolded,) = (columns("lowest", folds=folds).columns[0].layout.blocks for folds in (True, False))
    layout = columns("lowest").columns[0].layout
    (piece,) = folded.word.result
    assert layout.chip(folded, piece, 0).width() < 0.5 * layout.chip(unfolded, piece, 0).width()
    assert layout.chip(folded, piece, 0).width() > layout.chip_text(folded.word, piece).width


def test_an_equal_word_stands_once_in_a_narrow_view():
    shown = columns("low lowerest low", NARROW)
    assert [len(band.blocks) for band in shown.bands] == [1, 2, 1]
    assert [block.word.word for block in shown.columns[1].layout.blocks] == ["lowerest"]
    assert shown.bands[0].captions == ()


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_sentence_stands_above_the_words_that_differ(width):
    shown = columns("low lowerest low", width)
    assert [band.sentence is not None for band in shown.bands] == [False, True, False]
    band = shown.bands[1]
    assert shown.bands[0].bottom < band.top == band.sentence.top()
    assert band.sentence.bottom() <= band.rows_top
    assert all(block.top >= band.rows_top for block in band.blocks)
    assert band.bottom < shown.bands[2].top


def test_a_long_sentence_takes_more_lines_in_a_narrow_view():
    heights = [columns("lowerest", width).bands[0].sentence.height() for width in (WIDE, NARROW)]
    assert heights[1] > 1.5 * heights[0]


def test_bands_are_found_by_height_and_by_row():
    shown = columns("low lowerest low", folds=False)
    for band in shown.bands:
        assert shown.band_at(band.top) is band
        assert shown.band_at(band.bottom) is not band
        for number, block in enumerate(band.blocks):
            assert shown.band_of(number, block.first_row) is shown.band_of(number, block.last_row) is band
    assert shown.band_at(0) is None
    assert shown.bands_between(0, shown.height) == shown.bands


def test_another_width_keeps_the_rows():
    shown = columns("low lowerest", NARROW)
    before = shown.columns[0].layout
    shown.widen(NARROW + 20)
    assert shown.columns[0].layout is before
    shown.widen(WIDE)
    assert shown.are_beside
    assert shown.columns[1].right == WIDE


def test_the_row_across_is_of_the_same_word():
    shown = columns("low lowerest", folds=False)
    ours, theirs = (column.layout.blocks for column in shown.columns)
    assert shown.opposite(0, ours[1].first_row) == theirs[1].first_row
    assert shown.opposite(0, ours[1].last_row) == theirs[1].last_row
    assert columns("low", NARROW).opposite(0, 0) is None


def test_differences_are_gone_through_in_a_circle():
    shown = columns("low lowerest low lowerest")
    first = shown.difference_after(0, None)
    second = shown.difference_after(*first)
    assert [shown.band_of(*place) for place in (first, second)] == [shown.bands[1], shown.bands[3]]
    assert shown.difference_after(*second) == first
    assert columns("low").difference_after(0, None) is None


def test_the_row_of_a_difference_is_the_one_its_sentence_names():
    shown = columns("lowerest")
    column, row = shown.difference_after(0, None)
    assert (column, shown.columns[column].layout.title(row)) == (0, "rank 4: r + est → rest")


def test_one_phrase_alone_has_one_column_and_no_bands():
    recording = record_words(COUNTS, TrainerConfig(Base.CHARACTERS))
    shown = EncodeColumns((encode_phrase(recording, "low", 3),), (), Fonts(QFont(), QFont()), 500, True)
    assert len(shown.columns) == 1
    assert shown.bands == []
    assert shown.header_height == 0
    assert shown.band_of(0, 0) is shown.opposite(0, 0) is None
    shown.widen(700)
    assert shown.columns[0].right == 700
