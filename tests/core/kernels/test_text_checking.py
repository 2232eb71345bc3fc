"""What is UTF-8 is what Python decodes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core import byte_checks, kernel_loader
from core.kernels.text_checking import line_ends_and_nuls, whole_characters
from tests.core.hard_texts import any_text

LEADS = [*range(0x7E, 0xC4), *range(0xDD, 0x100)]
SECONDS = [0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]

byte_strings = st.lists(
    st.one_of(
        st.binary(max_size=5),
        any_text.map(lambda text: text.encode(errors="surrogatepass")),
        st.sampled_from(
            [b"plain text " * 12, "中文".encode() * 30, b"\n\n", b"\x00", b"\xed\xa0\x80", b"\xf0\x9f\x99"]
        ),
    ),
    max_size=5,
).map(b"".join)


def decodable(data: bytes) -> int:
    """How many bytes Python decodes before one that is wrong or missing."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def whole(data: bytes) -> int:
    return int(whole_characters(np.frombuffer(data, np.uint8)))


def test_all_beginnings_of_characters() -> None:
    for lead in LEADS:
        for second in SECONDS:
            for rest in (b"", b"\x80", b"\xbf\xbf", b"\x80\x80a", b"a\x80", b"\x80a"):
                data = bytes([lead, second]) + rest
                assert whole(data) == decodable(data), data


@settings(max_examples=1_000)
@given(byte_strings)
def test_same_as_python(data: bytes) -> None:
    assert whole(data) == decodable(data)
    assert line_ends_and_nuls(np.frombuffer(data, np.uint8)) == (data.count(b"\n"), data.count(b"\0"))


@given(byte_strings)
def test_plain_loops_know_the_same_of_what_is_utf8(data: bytes) -> None:
    with_loops = byte_checks.line_ends_and_nuls(data)
    whole_with_loops = byte_checks.whole_characters(data)
    ready, kernel_loader.are_ready = kernel_loader.are_ready, lambda: False
    try:
        assert byte_checks.line_ends_and_nuls(data) == with_loops
        plain = byte_checks.whole_characters(data)
    finally:
        kernel_loader.are_ready = ready
    assert plain <= whole_with_loops
    assert plain == whole_with_loops or whole_with_loops - plain < byte_checks.CHECKED_BYTES
    assert plain == len(data) or decodable(data) < len(data)
