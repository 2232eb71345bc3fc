import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError
from core.formats import protobuf
from core.formats.protobuf import Field, Wire


def test_fields() -> None:
    message = b"\x08\x96\x01\x12\x07testing\x1d\x00\x00\x80\x3f\x21\x01\x02\x03\x04\x05\x06\x07\x08"
    assert list(protobuf.fields(message, "m")) == [
        Field(1, Wire.NUMBER, 150, b"\x08\x96\x01"),
        Field(2, Wire.BYTES, b"testing", b"\x12\x07testing"),
        Field(3, Wire.FOUR_BYTES, b"\x00\x00\x80\x3f", b"\x1d\x00\x00\x80\x3f"),
        Field(4, Wire.EIGHT_BYTES, b"\x01\x02\x03\x04\x05\x06\x07\x08", message[-9:]),
    ]
    assert protobuf.float_of(list(protobuf.fields(message, "m"))[2], "m") == 1.0


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"\x08", "m, byte 1: a number is cut off."),
        (b"\x08\xff\xff", "m, byte 1: a number is cut off."),
        (b"\x08" + b"\xff" * 11, "m, byte 1: a number has no end."),
        (b"\x08\x01\x12\x05abc", "m, byte 2: field 2 should have 5 bytes more, and 3 are left."),
        (b"\x12\xff\xff\xff\xff\x0f", "m, byte 0: field 2 should have 4,294,967,295 bytes more, and 0 are left."),
        (b"\x0d\x01", "m, byte 0: field 1 should have 4 bytes more, and 1 are left."),
        (b"\x0b", "m, byte 0: expected the start of a field, found 0B."),
        (b"\x00\x01", "m, byte 0: expected the start of a field, found 00."),
    ],
)
def test_wrong_bytes_are_named(message: bytes, expected: str) -> None:
    with pytest.raises(FormatError) as error:
        list(protobuf.fields(message, "m"))
    assert str(error.value) == expected


def test_wrong_kinds_are_named() -> None:
    number, text = protobuf.fields(b"\x08\x01\x12\x01\xff", "m")
    for read, field in (
        (protobuf.text_of, number),
        (protobuf.text_of, text),
        (protobuf.number_of, text),
        (protobuf.float_of, text),
        (protobuf.bytes_of, number),
    ):
        with pytest.raises(FormatError, match=r"^m: field [12] "):
            read(field, "m")


@given(
    st.integers(-(2**63), 2**63 - 1),
    st.binary(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.floats(width=32, allow_nan=False),
)
def test_what_is_written_is_read(number: int, data: bytes, text: str, fraction: float) -> None:
    message = (
        protobuf.number_field(1, number)
        + protobuf.bytes_field(300, data)
        + protobuf.text_field(2**29 - 1, text)
        + protobuf.float_field(4, fraction)
    )
    first, second, third, fourth = protobuf.fields(message, "m")
    assert (protobuf.number_of(first, "m"), second.value, protobuf.text_of(third, "m")) == (number, data, text)
    assert protobuf.float_of(fourth, "m") == fraction
    assert [first.number, second.number, third.number, fourth.number] == [1, 300, 2**29 - 1, 4]
    assert b"".join(field.raw for field in (first, second, third, fourth)) == message
