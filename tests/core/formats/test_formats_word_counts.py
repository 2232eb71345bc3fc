"""The words of the corpus as a list that can be trained on, here and by subword-nmt."""

import pytest

from core.errors import FormatError
from core.formats import FORMATS, Severity, export
from core.formats.opening import open_model
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import TrainerConfig
from core.trainers import train
from core.word_counts import load_word_counts
from tests.core.runs import record

WORD_COUNTS = FORMATS["word-counts"]
WORDS = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])


def messages(recording, severity):
    found = WORD_COUNTS.preflight(recording, len(recording))
    return [finding.message for finding in found if finding.severity is severity]


def test_the_list_written_out(tmp_path):
    recording = record("low lower low 春眠", TrainerConfig(merges=2), WORDS)
    result = export(recording, 2, WORD_COUNTS, tmp_path / "words.txt")
    assert (tmp_path / "words.txt").read_bytes().decode() == "low 2\nlower 1\n春眠 1\n"
    assert result.self_test is None
    assert [finding.severity for finding in result.findings] == [Severity.LOSS]
    assert WORD_COUNTS.preview(recording, 0) == "low 2\nlower 1\n春眠 1\n"  # the same at every step


def test_training_on_the_list_gives_the_same_merges(tmp_path):
    recording = record("the cat sat on the mat\n\n  the end  3\n", TrainerConfig())
    WORD_COUNTS.save(recording, 0, tmp_path / "words.txt")
    counts = load_word_counts(tmp_path / "words.txt").given_counts
    assert counts == recording.word_counts
    assert list(train(counts, TrainerConfig())) == list(recording)


def test_what_other_tools_may_read_otherwise_is_said():
    assert messages(record("low lower", TrainerConfig(), WORDS), Severity.WARNING) == []
    (spaces,) = messages(record("low lower", TrainerConfig()), Severity.WARNING)
    assert "begin or end with a space" in spaces
    (json_strings,) = messages(record("low\nlower", TrainerConfig()), Severity.WARNING)
    assert "JSON strings" in json_strings


def test_without_words_there_is_nothing_to_save(tmp_path):
    trained = record("low low", TrainerConfig(merges=1))
    for recording in (Recording(trained.alphabet, trained.config), record("", TrainerConfig())):
        with pytest.raises(FormatError, match="no words to save"):
            WORD_COUNTS.save(recording, 0, tmp_path / "words.txt")
        assert WORD_COUNTS.preview(recording, 0) == ""
    assert not (tmp_path / "words.txt").exists()


def test_a_report_is_not_read_back(tmp_path):
    with pytest.raises(FormatError, match="is a report"):
        WORD_COUNTS.load(tmp_path / "words.txt")


@pytest.mark.parametrize(
    "text", ["low 5\nlower 3\n", "low\t5\n春眠\t3\n", "low,5\nlower,3\n", '#word-counts json\n"a\\n" 5\n']
)
def test_a_list_is_said_to_be_one_where_a_tokenizer_was_expected(text, tmp_path):
    (tmp_path / "words").write_bytes(text.encode())
    with pytest.raises(FormatError, match=r"words: this is a list of words and their counts.*--word-counts"):
        open_model(tmp_path / "words")


def test_what_goes_out_comes_back_with_its_order(tmp_path):
    recording = record("the cat sat on the mat, 3 mats\n 春眠 a</w> \u2028x", TrainerConfig())
    WORD_COUNTS.save(recording, 0, tmp_path / "words.txt")
    again = load_word_counts(tmp_path / "words.txt").given_counts
    assert list(again.items()) == list(recording.word_counts.items())
