"""The lines of a rank file: every way to be wrong names its line, and the fast reader agrees with the careful one."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError
from core.formats import rank_file
from core.formats.rank_file import check_tokens, parsed_ranks, rank_lines


def listed(data):
    ranks = parsed_ranks(data, "x.tiktoken")
    return list(zip(ranks.tokens(), ranks.ranks.tolist(), strict=True))


def test_tokens_come_by_rising_rank():
    assert listed(b"IQ== 0\nIg== 1\naGVsbG8= 2\n") == [(b"!", 0), (b'"', 1), (b"hello", 2)]
    assert listed(b"aGVsbG8= 70\nIQ== 3\nYWI= 9") == [(b"!", 3), (b"ab", 9), (b"hello", 70)]


def test_blank_lines_line_ends_and_tabs_do_not_matter():
    expected = [(b"!", 0), (b"ab", 5)]
    for data in (b"IQ== 0\r\nYWI= 5\r\n", b"\n\nIQ== 0\n \nYWI= 5", b"IQ==\t0\nYWI=  5 \n", b"IQ== 0\r\n\r\nYWI= 005"):
        assert listed(data) == expected


def test_an_empty_token_is_written_as_padding_alone():
    assert listed(b"IQ== 0\n= 1\nIg== 2\n") == [(b"!", 0), (b"", 1), (b'"', 2)]
    assert "".join(rank_lines([(b"!", 0), (b"", 1)])) == "IQ== 0\n= 1\n"


def test_a_file_of_nothing_has_no_tokens():
    assert listed(b"") == listed(b"\n\r\n") == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"IQ== 0\nnot base64 at all\nIg== x\n", "x.tiktoken, line 2: expected a token in base64, a space and a rank"),
        (b"IQ==\n", "line 1: expected a token in base64, a space and a rank, found 'IQ=='."),
        (b" 0\n", "line 1: expected a token in base64, a space and a rank"),
        (b"IQ== 0\nIg== x\n", "line 2: expected a rank, a whole number from 0 on, found 'x'."),
        (b"IQ== -1\n", "line 1: expected a rank, a whole number from 0 on, found '-1'."),
        (b"IQ== 1.5\n", "line 1: expected a rank, a whole number from 0 on"),
        ("IQ== ٣\n".encode(), "line 1: expected a rank, a whole number from 0 on"),
        (b"IQ== 2147483648\n", "line 1: the rank 2147483648 is larger than any token id can be."),
        (b"IQ== " + b"9" * 5000 + b"\n", "is larger than any token id can be."),
        (b"I! 0\n", "line 1: expected a token in base64, found 'I!'."),
        (b"IQ= 0\n", "line 1: expected a token in base64, found 'IQ='."),
        (b"IQ==IQ== 0\n", "line 1: expected a token in base64, found 'IQ==IQ=='."),
        (b"I=Q= 0\n", "line 1: expected a token in base64"),
        (b"==== 0\n", "line 1: expected a token in base64"),
        (b"IQ=\xff 0\n", "line 1: expected a token in base64"),
        (b"\n\nIQ== 7\n\nIg== 7\n", "line 5: two tokens have the rank 7, this one and that of line 3."),
        (base64.b64encode(bytes(5_000)) + b" 0\n", "line 1: the token has 5,000 bytes; up to 4,096 are read."),
    ],
)
def test_what_is_wrong_is_named_with_its_line(data, message):
    with pytest.raises(FormatError) as caught:
        listed(data)
    assert message in str(caught.value)


def test_a_token_that_stands_there_twice_is_found_when_asked():
    data = b"IQ== 0\nIg== 1\nIQ== 2\n"
    assert len(listed(data)) == 3
    with pytest.raises(FormatError, match=r"line 3: the token '!' stands there twice, first in line 1\."):
        check_tokens(data, "x.tiktoken")


def test_files_too_large_are_refused(monkeypatch):
    monkeypatch.setattr(rank_file, "MAX_TOKENS", 2)
    with pytest.raises(FormatError, match="more than 2 tokens"):
        listed(b"IQ== 0\nIg== 1\nIw== 2\n")
    monkeypatch.setattr(rank_file, "MAX_FILE_BYTES", 1 << 20)
    with pytest.raises(FormatError, match="larger than 1 MB"):
        listed(b" " * ((1 << 20) + 1))


LINES = st.tuples(st.binary(max_size=9), st.integers(0, 2000))
PIECES = st.sampled_from(
    [b"\n", b"\r\n", b" ", b"=", b"==", b"IQ==", b"YWJj", b"YWI=", b"1", b"22", b"-", b"\xff", b"\t"]
)


@given(st.lists(LINES, unique_by=(lambda line: line[0], lambda line: line[1])))
def test_what_is_written_is_read(lines):
    assert listed("".join(rank_lines(lines)).encode()) == sorted(lines, key=lambda line: line[1])


@given(st.lists(PIECES, max_size=20).map(b"".join))
def test_the_fast_reader_agrees_with_the_careful_one(data):
    fast = rank_file._parsed_at_once(data)
    if fast is not None:
        lines = list(rank_file._lines(data, "x"))
        assert [(token, rank) for _, token, rank in lines] == list(zip(fast.tokens(), fast.ranks.tolist(), strict=True))
