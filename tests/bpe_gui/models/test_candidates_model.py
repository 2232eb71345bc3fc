import pytest
from PySide6.QtCore import Qt

from bpe_gui.models.candidates_model import TAKEN, TOKEN_ID_ROLE, CandidateColumn, CandidatesModel
from core.alphabet import Base
from core.branching import Candidate
from core.recording import Recording
from core.trainer import TrainerConfig, build_alphabet

CANDIDATES = (Candidate((0, 1), 12_345), Candidate((1, 0), 7))


@pytest.fixture
def model(theme):
    model = CandidatesModel(theme)
    yield model
    model.deleteLater()


@pytest.fixture
def before():
    """No merge yet, so that it is as empty as can be."""
    config = TrainerConfig(base=Base.CHARACTERS)
    return Recording(build_alphabet({"<b": 1}, config), config)


def row(model, number):
    return [model.index(number, column).data() for column in CandidateColumn]


def test_is_a_proper_model(model, before, qtmodeltester):
    qtmodeltester.check(model, force_py=True)
    model.show_step(before, CANDIDATES, (0, 1))
    model.show_candidates(CANDIDATES[1:])
    model.show_candidates(())
    assert model.rowCount() == 0


def test_says_what_a_pair_is(model, before):
    model.show_step(before, CANDIDATES, (0, 1))
    assert row(model, 0) == ["<", "b", "12,345", "", TAKEN]
    assert row(model, 1) == ["b", "<", "7", "", ""]
    assert [model.index(0, column).data(TOKEN_ID_ROLE) for column in CandidateColumn] == [0, 1, None, None, None]
    assert (model.is_taken(0), model.is_taken(1), model.first_choice()) == (True, False, 1)
    assert (model.has_scores, model.has_note) == (False, True)


def test_scores_have_three_digits(model, before):
    model.show_step(before, (Candidate((0, 1), 5, 1 / 3),))
    assert row(model, 0) == ["<", "b", "5", "0.333", ""]
    assert (model.has_scores, model.has_note, model.first_choice()) == (True, False, 0)


def test_there_may_be_nothing_else_to_choose(model, before):
    model.show_step(before, CANDIDATES[:1], (0, 1))
    assert model.first_choice() is None


def test_numbers_stand_right_and_columns_explain_themselves(model, before):
    model.show_step(before, CANDIDATES)
    for column in CandidateColumn:
        is_number = column in (CandidateColumn.COUNT, CandidateColumn.SCORE)
        alignment = model.index(0, column).data(Qt.ItemDataRole.TextAlignmentRole)
        assert bool(alignment & Qt.AlignmentFlag.AlignRight) is is_number
        assert model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
