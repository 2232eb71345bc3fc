import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.alphabet import Base
from core.corpus import Corpus
from core.errors import CorpusError, FormatError
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts, WordCounts
from core.pre_tokenizer import PRE_TOKENIZERS
from core.text_encoding import DetectedBy
from core.trainer import TrainerConfig
from core.word_counts import (
    HEADER,
    MAX_COUNT,
    corpus_words_counted,
    load_word_counts,
    looks_like_word_counts,
    read_word_counts,
    write_word_counts,
)
from tests.core.runs import finish, listed, record_words

AS_THEY_ARE = "The words are trained on as they are: neither normalizer nor pre-tokenizer changes them."


def load(folder: Path, data: bytes) -> Corpus:
    path = folder / "words.txt"
    path.write_bytes(data)
    return load_word_counts(path)


def entries(folder: Path, data: bytes) -> list[tuple[str, int]]:
    counts = load(folder, data).given_counts
    assert counts is not None
    return list(counts.items())


def saved(folder: Path, counts: dict[str, int]) -> bytes:
    write_word_counts(folder / "saved.txt", counts)
    return (folder / "saved.txt").read_bytes()


def test_a_list_as_a_corpus(tmp_path):
    corpus = load(tmp_path, b"low 5\nlower 2\nnewest 6\n")
    assert corpus.given_counts == {"low": 5, "lower": 2, "newest": 6}
    assert (corpus.text, corpus.name, corpus.path) == ("low\nlower\nnewest\n", "words.txt", tmp_path / "words.txt")
    assert (corpus.encoding, corpus.detected_by, corpus.byte_count) == ("utf-8", DetectedBy.VALID_UTF8, 23)
    # printf 'low 5\nlower 2\nnewest 6\n' | sha256sum
    assert corpus.sha256 == "0d9dc8ba7fd6e61c33e020c36fd0f264ea366e74c1f02e1d66fd252c7337538e"
    assert corpus.notes == ("Word counts: 3 words, 13 in all.", AS_THEY_ARE)
    assert hash(corpus) == hash(corpus)
    assert Corpus.typed("low 5").given_counts is None


def test_notes_tell_large_numbers_apart(tmp_path):
    lines = "".join(f"w{i} 100\n" for i in range(12_345))
    corpus = load(tmp_path, lines.encode())
    assert corpus.notes[0] == "Word counts: 12,345 words, 1,234,500 in all."
    assert load(tmp_path, b"one 1\n").notes[0] == "Word counts: 1 word, 1 in all."


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n\r\n\n", []),
        (b"low 5", [("low", 5)]),
        (b"low\t5\nlower 2", [("low", 5), ("lower", 2)]),
        (b"low 5\r\nlower 2\r\n\r\n\n", [("low", 5), ("lower", 2)]),
        (b"\xef\xbb\xbflow 5\n", [("low", 5)]),
        (b"b 1\na 2\nb 3\n", [("b", 4), ("a", 2)]),
        (b"  a  5\n", [("  a ", 5)]),
        (b"  5\n", [(" ", 5)]),
        (b"\t\t5\n", [("\t", 5)]),
        (b"New York\t7\n12 7\na\t1 2\n", [("New York", 7), ("12", 7), ("a\t1", 2)]),
        (b"a\r 5\n\r 6\nb 5\rc 6\r\n", [("a\r", 5), ("\r", 6), ("b 5\rc", 6)]),
        ("a\u2028b 1\nc\x85 2\n\u00a0 3\nd\x0b\x0c\x1c 4\n\ufeff 5\n".encode(),
         [("a\u2028b", 1), ("c\x85", 2), ("\u00a0", 3), ("d\x0b\x0c\x1c", 4), ("\ufeff", 5)]),
        (b"a\0b 1\n", [("a\0b", 1)]),
        (b'"a" 1\n"\\n" 2\n', [('"a"', 1), ('"\\n"', 2)]),
        (b"#version: 0.2 5\n# 6\n", [("#version: 0.2", 5), ("#", 6)]),
        (b"#word-counts 1\n#word-counts json 2\n", [("#word-counts", 1), ("#word-counts json", 2)]),
        (b"a 1\n#word-counts json 3\n", [("a", 1), ("#word-counts json", 3)]),
        (b"a 007\n", [("a", 7)]),
        (b"a 0000000000000000000000000000000000001\n", [("a", 1)]),
        (b"a 9223372036854775807\n", [("a", 9_223_372_036_854_775_807)]),
    ],
)  # fmt: skip
def test_what_other_tools_write_is_read_literally(tmp_path, data, expected):
    assert entries(tmp_path, data) == expected


def test_words_as_json_strings(tmp_path):
    data = b'#word-counts json\r\n"a\\nb" 5\r\n" c " 2\n"\\ud83d\\ude00\\u00e9"\t3\n"\\"" 1\n'
    assert entries(tmp_path, data) == [("a\nb", 5), (" c ", 2), ("😀é", 3), ('"', 1)]
    assert entries(tmp_path, b"\xef\xbb\xbf#word-counts json") == []
    corpus = load(tmp_path, b'#word-counts json\n"a\\nb" 5\n')
    assert corpus.text == "a\nb\n"


def test_words_listed_twice_are_noted(tmp_path):
    corpus = load(tmp_path, b"\xef\xbb\xbfa 1\nb 2\na 3\na 4\n")
    assert corpus.given_counts == {"a": 8, "b": 2}
    assert corpus.detected_by is DetectedBy.BYTE_ORDER_MARK
    assert corpus.notes == (
        "Word counts: 2 words, 10 in all.",
        AS_THEY_ARE,
        "A byte order mark at the start was removed.",
        "2 lines with a word that was listed before: the counts were added up.",
    )


EXPECTED = ' Expected was a word, a space or tab, and how often the word occurs, such as "low 5".'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"low 5\nlower\n", 'words.txt, line 2: there is no space or tab in "lower".' + EXPECTED),
        (b"low 5\n\nlower 2\n", "words.txt, line 2: the line is empty, and not at the end of the file." + EXPECTED),
        (b"low 5\n\r\nlower 2\n", "words.txt, line 2: the line is empty, and not at the end of the file." + EXPECTED),
        (b"It was a bright day\n",
         'words.txt, line 1: "day" behind the last space or tab is not a whole number.' + EXPECTED),
        (b"low 5.5\n", 'words.txt, line 1: "5.5" behind the last space or tab is not a whole number.' + EXPECTED),
        (b"low 1,000\n", 'words.txt, line 1: "1,000" behind the last space or tab is not a whole number.' + EXPECTED),
        (b"low +5\n", 'words.txt, line 1: "+5" behind the last space or tab is not a whole number.' + EXPECTED),
        ("low ٥\n".encode(), 'words.txt, line 1: "٥" behind the last space or tab is not a whole number.' + EXPECTED),
        (b"low 5\r\r\n", 'words.txt, line 1: "5\\r" behind the last space or tab is not a whole number.' + EXPECTED),
        (b"low 5 \n", "words.txt, line 1: nothing follows the last space or tab." + EXPECTED),
        (b"low 5\n \n", "words.txt, line 2: nothing follows the last space or tab." + EXPECTED),
        (b"low 5\nlower -2\n",
         'words.txt, line 2: the count "-2" is negative, and must be at least 1.' + EXPECTED),
        (b"low 0\n", "words.txt, line 1: the count is 0, and must be at least 1." + EXPECTED),
        (b"low 000\n", "words.txt, line 1: the count is 0, and must be at least 1." + EXPECTED),
        (b"low 9223372036854775808\n",
         'words.txt, line 1: the count "9223372036854775808" is too large; the largest is 9,223,372,036,854,775,807.'
         + EXPECTED),
        (b"low " + b"9" * 5_000 + b"\n",
         f'words.txt, line 1: the count "{"9" * 39}…" is too large; the largest is 9,223,372,036,854,775,807.'
         + EXPECTED),
        (b"a 1\nlow 9223372036854775807\nlow 1\n",
         'words.txt, line 3: with it the counts of "low" add up to more than 9,223,372,036,854,775,807.' + EXPECTED),
        (b" 5\n", 'words.txt, line 1: there is no word before the count "5".' + EXPECTED),
        (b"low 5\n\t6\n", 'words.txt, line 2: there is no word before the count "6".' + EXPECTED),
        (b"low 5\ncaf\xe9 2\n",
         "words.txt, line 2: byte 10 of the file is not UTF-8. A list of word counts must be UTF-8 text; "
         "save it as that."),
        ("low 5\n".encode("utf-16"),
         "words.txt, line 1: byte 1 of the file is not UTF-8. A list of word counts must be UTF-8 text; "
         "save it as that."),
        (b"#word-counts json\nlow 5\n",
         'words.txt, line 2: "low" is not a JSON string, which the first line says that every word is.' + EXPECTED),
        (b'#word-counts json\n"a" 1\n"low 5\n',
         'words.txt, line 3: ""low" is not a JSON string, which the first line says that every word is.' + EXPECTED),
        (b"#word-counts json\n[1] 5\n",
         'words.txt, line 2: "[1]" is not a JSON string, which the first line says that every word is.' + EXPECTED),
        (b'#word-counts json\n"" 5\n', "words.txt, line 2: the word is empty." + EXPECTED),
        (b'#word-counts json\n"a\\ud83d" 5\n',
         'words.txt, line 2: "a\\ud83d" holds half a character (a lone surrogate).' + EXPECTED),
        (b"#word-counts yaml\n- low\n",
         'words.txt, line 1: "yaml" behind the last space or tab is not a whole number.' + EXPECTED),
    ],
)  # fmt: skip
def test_wrong_files(tmp_path, data, message):
    with pytest.raises(CorpusError) as caught:
        load(tmp_path, data)
    assert str(caught.value) == message


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(CorpusError, match=r"^no\.txt: there is no such file in "):
        load_word_counts(tmp_path / "no.txt")
    with pytest.raises(CorpusError, match=rf"^{tmp_path.name} is a folder"):
        load_word_counts(str(tmp_path))


def test_progress_in_bytes(tmp_path):
    path = tmp_path / "many.txt"
    path.write_bytes(b"".join(b"word%06d 3000000000\n" % i for i in range(100_000)))
    progress = list(read_word_counts(path))
    assert progress[:2] == [(1_048_576, 2_200_000), (2_097_152, 2_200_000)]
    assert len(progress) > 20
    assert [step.done for step in progress] == sorted(step.done for step in progress)
    assert progress[-1] == (2_200_000, 2_200_000)


def test_plain_words_are_written_plainly(tmp_path):
    assert saved(tmp_path, {"low": 5, " the ": 3_000_000_000, "é\u2028\0": 1}) == (
        b"low 5\n the  3000000000\n\xc3\xa9\xe2\x80\xa8\0 1\n"
    )
    assert saved(tmp_path, {}) == b""
    assert saved(tmp_path, {HEADER: 1}) == b"#word-counts json 1\n"


@pytest.mark.parametrize(
    ("counts", "data"),
    [
        ({" a": 2, "\n": 1}, b'#word-counts json\n" a" 2\n"\\n" 1\n'),
        ({"é\r": 2}, b'#word-counts json\n"\xc3\xa9\\r" 2\n'),
        ({"\ufeff": 1, "a": 2}, b'#word-counts json\n"\xef\xbb\xbf" 1\n"a" 2\n'),
        ({"a": 2, "\ufeff": 1}, b"a 2\n\xef\xbb\xbf 1\n"),
    ],
)
def test_words_that_need_it_are_written_as_json(tmp_path, counts, data):
    assert saved(tmp_path, counts) == data
    assert entries(tmp_path, data) == list(counts.items())


WORDS = st.text(
    alphabet=st.one_of(
        st.sampled_from("a1 \t\n\r\0\"'\\#\x0b\x0c\x1c\x85\u2028\u3000\ufeffé\u0301😀"), st.characters()
    ),
    min_size=1,
    max_size=8,
).filter(lambda word: not any("\ud800" <= char <= "\udfff" for char in word))
LOOK_ALIKES = st.sampled_from(
    [HEADER, HEADER + "\n", "\ufeff" + HEADER, '"a"', "5", " ", "\r", "a 5", "a\n5", "\ufeff"]
)


@settings(derandomize=True, max_examples=200)
@example({HEADER: 1, "\n": MAX_COUNT})
@example({"\ufeff": 1})
@given(st.dictionaries(st.one_of(WORDS, LOOK_ALIKES), st.one_of(st.integers(1, MAX_COUNT), st.just(1)), max_size=8))
def test_what_was_written_is_read_back(tmp_path_factory, counts):
    folder = tmp_path_factory.getbasetemp()
    data = saved(folder, counts)
    assert entries(folder, data) == list(counts.items())
    assert data.startswith(b"#word-counts json\n") == (
        any("\n" in word or "\r" in word for word in counts) or next(iter(counts), "").startswith("\ufeff")
    )
    assert looks_like_word_counts(data.decode()) == bool(counts)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"low": 1, "": 2}, "A list of word counts cannot hold a word without characters."),
        ({"low": 0}, 'The word "low" has the count 0; from 1 to 9,223,372,036,854,775,807 can be saved.'),
        ({"low": -3}, 'The word "low" has the count -3; from 1 to 9,223,372,036,854,775,807 can be saved.'),
        ({"low": 2**63},
         'The word "low" has the count 9,223,372,036,854,775,808; from 1 to 9,223,372,036,854,775,807 can be saved.'),
        ({"a\ud83d": 1},
         r"The word 'a\ud83d' holds half a character (a lone surrogate), which UTF-8 cannot hold."),
    ],
)  # fmt: skip
def test_what_cannot_be_written_leaves_the_old_file(tmp_path, counts, message):
    (tmp_path / "saved.txt").write_bytes(b"old 1\n")
    with pytest.raises(FormatError) as caught:
        saved(tmp_path, counts)
    assert str(caught.value) == message
    assert [path.name for path in tmp_path.iterdir()] == ["saved.txt"]
    assert (tmp_path / "saved.txt").read_bytes() == b"old 1\n"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match=r"saved\.txt cannot be saved: there is no folder "):
        saved(tmp_path / "no", {"a": 1})


def test_given_counts_are_used_as_they_are(tmp_path):
    corpus = load(tmp_path, b"New York 3000000000\n low 2\n")
    pipeline = Pipeline(Normalizer.named("lowercase"), PRE_TOKENIZERS["whitespace"], Texts.LINES)
    words = finish(corpus_words_counted(corpus, pipeline))
    assert words == WordCounts({"New York": 3_000_000_000, " low": 2}, 3_000_000_002)
    words.counts.clear()  # as those do who have no more use for them
    assert corpus.given_counts == {"New York": 3_000_000_000, " low": 2}


def test_words_of_an_ordinary_text_are_counted():
    pipeline = Pipeline(Normalizer.named("lowercase"), PRE_TOKENIZERS["whitespace"])
    words = finish(corpus_words_counted(Corpus.typed("Low low 5\n"), pipeline))
    assert words == WordCounts({"low": 2, "5": 1}, 3)


def test_training_on_very_large_counts(tmp_path):
    corpus = load(tmp_path, b"ab 3000000000\nabab 9223372036854775807\nb 1\n")
    words = finish(corpus_words_counted(corpus, Pipeline()))
    assert words.total == 9_223_372_039_854_775_808
    recording = record_words(words.counts, TrainerConfig(base=Base.CHARACTERS), corpus=corpus)
    assert listed(recording) == "a b 18446744076709551614 | ab ab 9223372036854775807"
    assert recording.base_counts == {0: 18_446_744_076_709_551_614, 1: 18_446_744_076_709_551_615}
    assert recording.corpus_length(2) == 3_000_000_000 + 9_223_372_036_854_775_807 + 1


@pytest.mark.parametrize(
    ("beginning", "looks_like_it"),
    [
        ("low 5\nlower 2\n", True),
        ("low\t5\r\nlower\t2\r\n\r\n", True),
        ("low 5", True),
        ("low 5\nlower", True),  # the last line may be cut off
        ("#word-counts json\n", True),
        ("#word-counts json\r\n\"a\\nb\" 5\n", True),
        ("New York 7\n" * 2_000, True),
        ("low 5\n" * 1_000 + "and then text\n" * 2, True),
        ("low 5\n" * 999 + "and then text\n" * 2, False),
        ("low 5\nlower\nnewest 6\n", False),
        ("low 5\n\nlower 2\n", False),
        ("It was a bright day\n", False),
        ("lower", False),
        ("low -5\n", False),
        ("low ٥\n", False),
        (" 5\n", False),
        ("5\n", False),
        ("\n\n", False),
        ("", False),
    ],
)  # fmt: skip
def test_guess_by_the_first_lines(beginning, looks_like_it):
    assert looks_like_word_counts(beginning) is looks_like_it


def test_subword_nmt_reads_and_writes_such_lists(tmp_path):
    pytest.importorskip("subword_nmt")
    data = saved(tmp_path, {"low": 5, "lower": 2, "newest": 6, "widest": 3})
    (tmp_path / "text.txt").write_bytes(b"low lower low\nlow\n")
    learn = [sys.executable, "-W", "ignore", "-m", "subword_nmt.learn_bpe", "--dict-input", "--symbols", "3"]
    codes = subprocess.run(learn, input=data, capture_output=True, check=True)
    assert codes.stdout == b"#version: 0.2\ns t</w>\ne st</w>\nl o\n"
    get = [sys.executable, "-W", "ignore", "-m", "subword_nmt.get_vocab", "--input", str(tmp_path / "text.txt")]
    vocab = subprocess.run(get, capture_output=True, check=True)
    assert entries(tmp_path, vocab.stdout) == [("low", 3), ("lower", 1)]
