"""The preview of files that are no text."""

from core.formats.hex_dump import hex_dump


def test_bytes_and_the_characters_among_them():
    lines = list(hex_dump(b"\x0a\x07\n\x03\xe2\x96\x81\xe4\xb8\xad<a>\x00\xff" + "é".encode() * 2))
    assert lines == [
        "00000000  0A 07 0A 03 E2 96 81 E4 B8 AD 3C 61 3E 00 FF C3  ····▁中<a>··é\n",
        "00000010  A9 C3 A9                                         é\n",
    ]


def test_nothing_gives_nothing():
    assert list(hex_dump(b"")) == []


def test_what_moves_its_neighbours_is_not_shown_as_itself():
    (line,) = hex_dump("a\u202eb\u200d".encode())
    assert line.endswith(" a·b·\n")
