import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.csv_words import looks_like_csv, read_csv_words
from core.errors import CorpusError, FormatError
from core.text_encoding import DetectedBy
from core.word_counts import load_word_counts, looks_like_word_counts, read_word_counts, write_word_counts
from tests.core.hard_texts import any_text

EXPECTED = " Expected was a word, a comma and how often the word occurs, such as low,5."


def load(folder, data: bytes):
    (folder / "words.csv").write_bytes(data)
    return load_word_counts(folder / "words.csv")


def entries(folder, data: bytes) -> list[tuple[str, int]]:
    return list(load(folder, data).given_counts.items())


def test_a_table_as_a_corpus(tmp_path):
    corpus = load(tmp_path, b"word,count\r\nlow,5\r\nlower,2\r\n")
    assert list(corpus.given_counts.items()) == [("low", 5), ("lower", 2)]
    assert (corpus.text, corpus.name, corpus.path) == ("low\nlower\n", "words.csv", tmp_path / "words.csv")
    assert (corpus.encoding, corpus.detected_by, corpus.byte_count) == ("utf-8", DetectedBy.VALID_UTF8, 28)
    # printf 'word,count\r\nlow,5\r\nlower,2\r\n' | sha256sum
    assert corpus.sha256 == "fc601a9c620b9608eb7b07dc0e549d98203420361fcd7363a1cfcdcd45da3f10"
    assert corpus.notes[0] == "Word counts: 2 words, 7 in all."


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"low,5\nlower,2", [("low", 5), ("lower", 2)]),
        (b"low,5\r\n\r\n\n", [("low", 5)]),
        (b"\xef\xbb\xbfword,count\nlow,5\n", [("low", 5)]),
        (b"\xef\xbb\xbflow,5\n", [("low", 5)]),
        (b'"a,b",1\n"say ""hi""",2\n"x\r\ny",3\n" z ",4\n', [("a,b", 1), ('say "hi"', 2), ("x\r\ny", 3), (" z ", 4)]),
        (b"Count,TEXT,other\n5,low,x\n2,lower,\n", [("low", 5), ("lower", 2)]),
        (b'"word","freq"\n"count",5\nword,2\n', [("count", 5), ("word", 2)]),
        (b"word,count,first\nc,1,9\na,2,3\nb,3,5\nc,4,4\n", [("a", 2), ("c", 5), ("b", 3)]),
        (b"word,count\n", []),
        (b"b,1\na,2\nb,3\n", [("b", 4), ("a", 2)]),
        (b"New York,7\npage 1,234567\n", [("New York", 7), ("page 1", 234_567)]),
        (b"word,count\npage 1,234\n", [("page 1", 234)]),
        (b"a\0b,1\n\xe2\x80\xa8,2\n", [("a\0b", 1), ("\u2028", 2)]),
        (b"a,9223372036854775807\n", [("a", 9_223_372_036_854_775_807)]),
        (b"word,count\n" + b"x" * 200_000 + b",1\n", [("x" * 200_000, 1)]),
    ],
)
def test_what_is_read(tmp_path, data, expected):
    assert entries(tmp_path, data) == expected


def test_a_compressed_table(tmp_path):
    corpus = load(tmp_path, gzip.compress(b"low,5\n"))
    assert corpus.given_counts == {"low": 5}
    assert corpus.notes[0] == "Unpacked from gzip."


def test_repeated_words_and_a_mark_are_noted(tmp_path):
    corpus = load(tmp_path, b"\xef\xbb\xbfa,1\nb,2\na,3\n")
    assert corpus.detected_by is DetectedBy.BYTE_ORDER_MARK
    assert corpus.notes[2:] == (
        "A byte order mark at the start was removed.",
        "1 row with a word that was listed before: the counts were added up.",
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,1\nb\n", "line 2: there are 1 value and not 2." + EXPECTED),
        (b"a,1\nb,2,3\n", "line 2: there are 3 values and not 2." + EXPECTED),
        (b"a,1\n\nb,2\n", "line 3: the line is empty, and not at the end of the file." + EXPECTED),
        (b"a,1\n,2\n", "line 2: the word is empty." + EXPECTED),
        (b"a,1\nb,0\n", "line 2: the count is 0, and must be at least 1." + EXPECTED),
        (b"a,1\nb,-2\n", 'line 2: the count "-2" is negative, and must be at least 1.' + EXPECTED),
        (b"a,1\nb,2.5\n", 'line 2: the count "2.5" is not a whole number.' + EXPECTED),
        (b"a,1\nb, 2\n", 'line 2: the count " 2" is not a whole number.' + EXPECTED),
        (b"a,1\nb,9223372036854775808\n",
         'line 2: the count "9223372036854775808" is too large; the largest is 9,223,372,036,854,775,807.' + EXPECTED),
        (b'"x\ny",1\n"z"2,3\n', "line 3: the quotes or line ends are not those of CSV "),
        (b'a,1\n"b,2\nc,3\n', "line 3: the quotes or line ends are not those of CSV (unexpected end of data)."),
        (b"a,1\nb\r,2\n", "line 2: the quotes or line ends are not those of CSV "),
        (b"a,1\ncaf\xe9,2\n", "line 2: byte 8 of the file is not UTF-8. A table of word counts must be UTF-8 text;"),
        (b"word,count,first\na,1,-1\n",
         'line 2: the place "-1", in the column first, is not a number up to 9,223,372,036,854,775,807.' + EXPECTED),
    ],
)  # fmt: skip
def test_wrong_tables(tmp_path, data, message):
    with pytest.raises(CorpusError) as caught:
        load(tmp_path, data)
    assert str(caught.value).startswith(f"words.csv, {message}")


def test_sums_that_are_too_large(tmp_path):
    with pytest.raises(
        CorpusError, match=r'^words.csv: the counts of "a" add up to more than 9,223,372,036,854,775,807'
    ):
        load(tmp_path, b"a,9223372036854775807\na,1\n")


@pytest.mark.parametrize(
    ("beginning", "is_csv"),
    [
        ("low,5\n", True),
        ("low,5", True),
        ('"a\nb",5\n', True),
        ("word,count\n", True),
        ("text,frequency,x\n", True),
        ("New York,7\n", True),
        ("page 1,234\n", False),  # as likely a thousand in a list of lines
        ("low 1,000\n", False),
        ("low 5\n", False),
        ("a,b 5\n", False),
        ("a,5 3\n", False),
        ('"a" 5\n', False),
        ('"a', False),
        ("a,b\n", False),
        ("a,1,2\n", False),
        (",5\n", False),
        ("word\tcount\n", False),
        ("#word-counts json\n", False),
        ("\n", False),
        ("", False),
    ],
)
def test_told_by_the_first_row(beginning, is_csv):
    assert looks_like_csv(beginning) is is_csv


def test_a_text_that_looks_like_a_table():
    assert looks_like_word_counts("word,count\nlow,5\nlower,2\nnew")
    assert looks_like_word_counts("low,5\nlower,2\n")
    assert not looks_like_word_counts("low,5\nthen text\nagain\n")


def test_progress_in_bytes(tmp_path):
    path = tmp_path / "many.csv"
    path.write_bytes(b"".join(b"word%06d,3000000000\n" % i for i in range(100_000)))
    progress = list(read_word_counts(path))
    assert len(progress) > 20
    assert [step.done for step in progress] == sorted(step.done for step in progress)
    assert progress[-1] == (2_200_000, 2_200_000) == (path.stat().st_size,) * 2


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CorpusError, match=r"^no\.csv: there is no such file"):
        list(read_csv_words(tmp_path / "no.csv"))


def test_what_is_written(tmp_path):
    write_word_counts(tmp_path / "saved.csv", {"low": 5, "a,b": 3_000_000_000, 'x"\r': 1, "é": 2})
    assert (tmp_path / "saved.csv").read_bytes() == (
        b'word,count\r\nlow,5\r\n"a,b",3000000000\r\n"x""\r",1\r\n\xc3\xa9,2\r\n'
    )


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    (tmp_path / "saved.csv").write_bytes(b"old")
    with pytest.raises(FormatError, match="half a character"):
        write_word_counts(tmp_path / "saved.csv", {"a": 1, "\ud83d": 2})
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("saved.csv", b"old")]


@settings(max_examples=80)
@example({"word": 1, "count": 2})
@example({"\ufeff": 1, "\r": 2, "\n": 3, '"': 4, " ": 5})
@example({})
@given(st.dictionaries(any_text.filter(bool), st.integers(1, 2**63 - 1), max_size=6))
def test_what_was_written_is_read_back(tmp_path_factory, counts):
    path = tmp_path_factory.getbasetemp() / "saved.csv"
    counts = {word: count for word, count in counts.items() if not any("\ud800" <= char <= "\udfff" for char in word)}
    write_word_counts(path, counts)
    assert list(load_word_counts(path).given_counts.items()) == list(counts.items())
