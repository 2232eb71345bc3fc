import pytest

from bpe_gui.widgets.drawn_text import drawn, has_right_to_left, reads_right_to_left, spaces, utf16_places


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("a\x00b\x07\x7f", "a␀b␇␡"),
        ("tab\tstays", "tab\tstays"),
        ("\u202eoverride\u202c", "▯override▯"),
        ("a\u200bb\u2028c\u2029d\ufeffe\u00adf\u0085", "a▯b▯c▯d▯e▯f▯"),
        ("x\u200dy \ufe0f", "x▯y ▯"),
    ],
)
def test_what_is_unseen_gets_a_stand_in(text, expected):
    assert drawn(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧\u200d👦",
        "👩🏽\u200d🚀",
        "❤\ufe0f",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "نمی\u200cخواهم",
        "क्\u200dष",
        "é e\u0301",
        "葛\U000e0100",
    ],
)
def test_what_shapes_its_neighbours_stays(text):
    assert drawn(text) == text


def test_reading_directions():
    assert not has_right_to_left("abc 中文 é")
    assert has_right_to_left("abc שלום")
    assert not reads_right_to_left("abc שלום")
    assert reads_right_to_left("12 שלום abc")
    assert not reads_right_to_left("123")


def test_places_in_utf16():
    assert utf16_places("ab") == [0, 1, 2]
    assert utf16_places("a😀b") == [0, 1, 3, 4]


def test_spaces():
    assert spaces("a b\t\u3000c\r\n") == [1, 3, 4, 6, 7]
