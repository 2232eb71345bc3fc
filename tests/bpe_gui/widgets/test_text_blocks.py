import pytest

from bpe_gui.widgets.text_blocks import LONG_LINE_CHARS, TextBlocks, lines

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "\n" * 5_000,
        "a" * 10_000,
        "line of text\n" * 900,
        "line\r\n" * 900,
        "line\r" * 900,
        FAMILY * 900,
        "word " * 3_000,
        ("x" * 599 + "\r\n") * 9,
    ],
)
def test_blocks_cover_the_text(text):
    blocks = TextBlocks(text)
    spans = [blocks.span(i) for i in range(len(blocks))]
    assert "".join(text[start:stop] for start, stop in spans) == text
    assert all(0 < stop - start <= LONG_LINE_CHARS + 1 for start, stop in spans)
    assert not any(text[stop - 1 : stop + 1] == "\r\n" for _, stop in spans)


def test_blocks_end_at_line_ends_where_they_can():
    text = "a line of some length\n" * 500
    blocks = TextBlocks(text)
    assert all(text[blocks.span(i)[1] - 1] == "\n" for i in range(len(blocks)))


def test_a_long_line_is_not_cut_inside_an_emoji():
    blocks = TextBlocks(FAMILY * 900)
    assert all((stop - start) % len(FAMILY) == 0 for start, stop in map(blocks.span, range(len(blocks))))


def test_block_of_a_character():
    blocks = TextBlocks("a" * 5_000)
    for character in (0, 1_999, 2_000, 4_999):
        start, stop = blocks.span(blocks.index_of(character))
        assert start <= character < stop
    assert blocks.index_of(5_000) == len(blocks) - 1


def test_line_ends():
    assert lines("a\r\nb\rc\n\nd", 0, 9) == [(0, 1, 3), (3, 4, 5), (5, 6, 7), (7, 7, 8), (8, 9, 9)]
    assert lines("ab\ncd", 1, 4) == [(1, 2, 3), (3, 4, 4)]
