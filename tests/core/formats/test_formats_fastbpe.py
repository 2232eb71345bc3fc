"""fastBPE's codes: tokens are those that its own program gave, and its rules for lists are kept."""

import hashlib

import pytest

from core.alphabet import Base, Marker
from core.bpe_text import BpeText
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.formats import FORMATS, Severity, export
from core.formats.fastbpe import AT_SPACES
from core.formats.opening import open_model
from core.pipeline import Pipeline
from core.pre_tokenizer import custom
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
from tests.core.formats.kinds import DATA, alice, kind, messages, refusals
from tests.core.runs import record

FASTBPE = FORMATS["fastbpe"]
REAL = DATA / "formats" / "fastbpe_150.codes"  # its `learnbpe 150 alice_50k.txt`
ITS_TEXT = (
    "ec86bae645d2b1d3e78bbc2ee071b9d8dd667de334bd8143209a196371362df3"  # of its `applybpe_stream` on the same text
)


def read(text, folder):
    path = folder / "x.codes"
    path.write_bytes(text.encode())
    return FASTBPE.load(path)


def written(recording, text):
    return "".join(BpeText(Tokenizer(recording)).encoded(text))


def its_lines(recording, text):
    """It leaves one space between words, and none at the ends of a line."""
    return "".join(f"{written(recording, line).strip(' ')}\n" for line in text.removesuffix("\n").split("\n"))


def test_the_text_that_the_program_itself_wrote():
    recording = open_model(REAL).recording
    assert len(recording) == 150
    assert recording.is_monotone
    text = its_lines(recording, alice())
    assert text.split("\n")[24] == "R@@ ab@@ b@@ it with p@@ in@@ k e@@ y@@ e@@ s r@@ an c@@ l@@ o@@ se b@@ y her@@ ."
    assert hashlib.sha256(text.encode()).hexdigest() == ITS_TEXT


def test_all_places_of_a_pair_are_merged_at_once_and_only_the_space_ends_words(tmp_path):
    recording = read("ab a 5\na b 3\n", tmp_path)
    assert recording.rules.encoder is Encoder.ALL_AT_ONCE
    assert written(recording, "ababx abababx") == "ab@@ ab@@ x ab@@ ab@@ ab@@ x"
    assert written(recording, "a\tb ab\u00a0") == "a@@ \t@@ b ab@@ \u00a0"


def test_what_is_said_of_a_file(tmp_path):
    recording = read("l o 7\nlo w</w> 5\n", tmp_path)
    assert recording.pipeline.pre_tokenizer.pattern == AT_SPACES
    assert recording.alphabet.marker is Marker.SUFFIX
    assert not recording.has_counts
    assert "how often each pair occurred when it was merged, is not kept" in recording.imported.facts[1]


def test_the_file_written_out_and_read_back(tmp_path):
    config = TrainerConfig(Base.CHARACTERS, Marker.SUFFIX, merges=2)
    recording = record("low low lower", config, Pipeline(pre_tokenizer=custom(AT_SPACES)))
    result = export(recording, 2, FASTBPE, tmp_path / "x.codes")
    assert (tmp_path / "x.codes").read_text(encoding="utf-8") == "l o 3\nlo w</w> 2\n"
    assert result.self_test.passed
    assert messages(recording, "fastbpe", Severity.WARNING) == []
    compile(FASTBPE.snippet(tmp_path / "x.codes"), "snippet", "exec")


def test_a_file_of_its_own_goes_out_with_the_same_merges(tmp_path):
    recording = FASTBPE.load(REAL)
    assert export(recording, 150, FASTBPE, tmp_path / "x.codes").self_test.passed
    again = FASTBPE.load(tmp_path / "x.codes")
    assert list(again) == list(recording)
    assert again.alphabet == recording.alphabet
    FORMATS["subword-nmt"].save(recording, 150, tmp_path / "y.codes")
    assert list(FORMATS["subword-nmt"].load(tmp_path / "y.codes")) == list(recording)
    assert "at the space and at line ends only" in messages(recording, "subword-nmt", Severity.WARNING)[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("l o 5\nlo w\n", "x.codes, line 2: expected two tokens and a count with spaces between, found 'lo w'"),
        ("l o five\n", "line 1: expected two tokens and a count"),
        ("l o -5\n", "line 1: expected two tokens and a count"),
        ("l o 5\n\n", "line 2: expected two tokens and a count"),
        ("#version: 0.2\nl o 5\n", "line 1: expected two tokens and a count"),
        ("a b 5\nb c 4\na b 3\n", "x.codes, line 3: the pair 'a' and 'b' stands in line 1 already"),
        ("", "there is no merge in it"),
        ("\ufeffl o 5\n", "byte order mark"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, message, tmp_path):
    with pytest.raises(FormatError) as caught:
        read(text, tmp_path)
    assert message in str(caught.value)


def test_carriage_returns_and_a_missing_last_line_end(tmp_path):
    assert [merge.pair for merge in read("l o 5\r\nlo w</w> 3", tmp_path)] == [(0, 1), (6, 5)]


def test_what_the_format_cannot_hold(tmp_path):
    assert "not bytes" in refusals(kind("bytes gpt2"), "fastbpe")[0]
    assert "part of each word's last symbol" in refusals(kind("symbol words"), "fastbpe")[0]
    path = tmp_path / "bpe.codes"
    path.write_text("#version: 0.2\na b\nab c\nb c\na bc\n", encoding="utf-8")
    assert "takes no pair and no token twice" in refusals(FORMATS["subword-nmt"].load(path), "fastbpe")[0]
    path.write_text("#version: 0.2\nab c\na b\n", encoding="utf-8")
    assert refusals(FORMATS["subword-nmt"].load(path), "fastbpe") == []


def test_it_is_known_by_what_is_in_it(tmp_path):
    assert FASTBPE.recognizes(b"l o 5\nlo w</w> 3\n", tmp_path)
    for text in (b"l o\nlo w</w>\n", b"low 5\n", b"a text 5\nof lines 4\n", b"", b"\xff\0 a 3</w>"):
        assert not FASTBPE.recognizes(text, tmp_path)
