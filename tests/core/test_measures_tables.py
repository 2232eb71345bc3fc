import pytest

from core.alphabet import Alphabet, Base, Marker, Token
from core.errors import ConfigError, FormatError
from core.measures_tables import Table, save_corpus_table, save_held_out_table
from core.merge import Merge
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.runs import finish, record_words


@pytest.fixture
def low_low_lot():
    """Merges: l o 3, lo w 2, lo t 1."""
    return record_words({"low": 2, "lot": 1}, TrainerConfig(Base.CHARACTERS))


def lines_of(path):
    return path.read_bytes().decode().split("\n")


def test_measures_of_the_corpus(low_low_lot, tmp_path):
    path = tmp_path / "measures.csv"
    assert finish(save_corpus_table(low_low_lot, Table.SCALARS, 2, path, alpha=2)) == path
    lines = lines_of(path)
    assert lines[:2] == ["name,value,unit", "token_count,4,tokens"]
    assert lines[-2].startswith("renyi_efficiency,0.5474")
    assert lines[-1] == ""


def test_curves_go_up_to_the_step(low_low_lot, tmp_path):
    path = tmp_path / "curves.csv"
    finish(save_corpus_table(low_low_lot, Table.CURVES, 2, path))
    assert [line[:5] for line in lines_of(path)] == ["step,", "0,9,4", "1,6,5", "2,4,6", ""]


def test_token_lengths_in_bytes_and_in_characters(tmp_path):
    recording = record_words({"中中": 1}, TrainerConfig(Base.CHARACTERS))
    path = tmp_path / "lengths.csv"
    finish(save_corpus_table(recording, Table.LENGTHS_IN_BYTES, 1, path))
    assert lines_of(path) == ["length,types,occurrences", "3,1,0", "6,1,1", ""]
    finish(save_corpus_table(recording, Table.LENGTHS_IN_CHARACTERS, 1, path))
    assert lines_of(path) == ["length,types,occurrences", "1,1,0", "2,1,1", ""]


def test_token_frequencies(low_low_lot, tmp_path):
    path = tmp_path / "frequencies.csv"
    finish(save_corpus_table(low_low_lot, Table.FREQUENCIES, 3, path))
    assert [line.split(",")[:2] for line in lines_of(path)[1:3]] == [["1", "2"], ["2", "1"]]
    assert lines_of(path)[1].endswith(",low,6c6f77")


def test_tables_of_another_text(low_low_lot, tmp_path):
    path = tmp_path / "held out.csv"
    finish(save_held_out_table(low_low_lot, {"lot": 5}, Table.SCALARS, 3, path))
    assert lines_of(path)[1] == "token_count,5,tokens"
    finish(save_held_out_table(low_low_lot, {"lot": 5}, Table.CURVES, 3, path))
    assert [line[:4] for line in lines_of(path)] == ["step", "0,15", "1,10", "2,10", "3,5,", ""]


def test_a_curve_of_merges_out_of_order_is_encoded_step_by_step(tmp_path):
    """bc, abc, ab, and abc once more, which is no training run."""
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, {i: Token(bytes([97 + i])) for i in range(3)})
    recording = Recording(alphabet)
    recording.extend([Merge(0, 1, 2, 3), Merge(1, 0, 3, 4), Merge(2, 0, 1, 5), Merge(3, 5, 2, 4)])
    path = tmp_path / "curves.csv"
    finish(save_held_out_table(recording, {"abc": 2}, Table.CURVES, 4, path))
    assert [line.split(",")[:2] for line in lines_of(path)[1:-1]] == [
        ["0", "6"],
        ["1", "4"],
        ["2", "2"],
        ["3", "2"],
        ["4", "2"],
    ]


def test_a_file_that_cannot_be_written_stays_as_it_was(low_low_lot, tmp_path):
    with pytest.raises(FormatError, match=r"x\.csv cannot be saved: there is no folder"):
        finish(save_corpus_table(low_low_lot, Table.SCALARS, 0, tmp_path / "gone" / "x.csv"))
    path = tmp_path / "x.csv"
    path.write_text("old")
    with pytest.raises(ConfigError):
        finish(save_corpus_table(low_low_lot, Table.CURVES, 0, path, alpha=-1))
    saving = save_corpus_table(low_low_lot, Table.CURVES, 3, path)
    next(saving)
    saving.close()
    assert path.read_text() == "old"
