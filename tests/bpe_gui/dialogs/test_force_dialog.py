import pytest
from PySide6.QtCore import Qt

from bpe_gui.dialogs.force_dialog import ForceDialog
from bpe_gui.models.candidates_model import TAKEN, CandidateColumn
from bpe_gui.settings import Settings
from bpe_gui.training import TrainingState
from core.alphabet import Base
from core.corpus import Corpus
from core.merge import Merge
from core.recording import Recording
from core.trainer import Score, TrainerConfig, build_alphabet
from tests.bpe_gui.conftest import FOUR_WORDS, trained


@pytest.fixture
def open_dialog(session, training, theme, recording, qtbot):
    def opened(step=2, shown=recording):
        session.replace_recording(shown)
        session.go_to(step)
        dialog = ForceDialog(session, training, theme)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return opened


def filled(dialog, qtbot):
    qtbot.waitUntil(lambda: dialog.model.rowCount() > 0)
    return dialog


def rows(dialog, columns=(0, 1, 2)):
    model = dialog.model
    return [tuple(model.index(row, column).data() for column in columns) for row in range(model.rowCount())]


def test_lists_the_pairs_of_the_step_best_first_and_proposes_another_one(open_dialog, qtbot):
    dialog = filled(open_dialog(), qtbot)
    assert dialog.head.text() == "Step 2 merged es + t. Which pair should it merge instead?"
    assert rows(dialog)[:4] == [("es", "t", "9"), ("l", "o", "7"), ("o", "w", "7"), ("n", "e", "6")]
    assert dialog.model.index(0, CandidateColumn.NOTE).data() == TAKEN
    assert dialog.table.currentIndex().row() == 1
    assert dialog.table.isColumnHidden(CandidateColumn.SCORE)
    assert dialog.found.text() == "11 pairs"


def test_forces_the_pair_and_trains_a_branch(open_dialog, session, training, recording, qtbot):
    dialog = filled(open_dialog(), qtbot)
    dialog.force_button.click()
    qtbot.waitUntil(lambda: bool(session.about) and training.state is TrainingState.IDLE)
    assert session.about == "Branch at step 2: l + o in place of es + t"
    assert session.recording[0] == recording[0]
    assert session.recording[1].pair == recording[2].pair


def test_the_pair_that_was_merged_cannot_be_forced(open_dialog, training, qtbot):
    dialog = filled(open_dialog(), qtbot)
    dialog.table.selectRow(0)
    assert not dialog.force_button.isEnabled()
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert training.state is TrainingState.IDLE


def test_finds_pairs_by_their_text(open_dialog, qtbot):
    dialog = filled(open_dialog(), qtbot)
    qtbot.keyClicks(dialog.search, "ow")
    qtbot.waitUntil(lambda: rows(dialog) == [("o", "w", "7")])
    assert dialog.found.text() == "1 of 11 pairs"
    qtbot.keyClicks(dialog.search, "xyz")
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 0)
    assert dialog.found.text() == "None of 11 pairs makes a token with this text"
    assert not dialog.force_button.isEnabled()


def test_can_be_used_with_the_keyboard_alone(open_dialog, session, training, qtbot):
    dialog = filled(open_dialog(), qtbot)
    assert dialog.focusWidget() is dialog.search
    qtbot.keyClick(dialog.search, Qt.Key.Key_Down)
    assert dialog.focusWidget() is dialog.table
    qtbot.keyClick(dialog.table, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(session.about) and training.state is TrainingState.IDLE)
    assert session.about == "Branch at step 2: o + w in place of es + t"


def test_scores_are_shown_where_they_choose(open_dialog, qtbot):
    scored = trained(FOUR_WORDS, TrainerConfig(base=Base.CHARACTERS, score=Score.WORDPIECE, merges=4), "whitespace")
    dialog = filled(open_dialog(1, scored), qtbot)
    assert not dialog.table.isColumnHidden(CandidateColumn.SCORE)
    assert rows(dialog, (0, 1, 3))[0] == ("i", "d", "0.333")


def test_an_imported_tokenizer_takes_its_pairs_from_the_corpus_at_hand(open_dialog, session, qtbot):
    config = TrainerConfig(base=Base.CHARACTERS)
    imported = Recording(build_alphabet({"ab": 1}, config), config)
    imported.append(Merge(0, 0, 1, 2))
    session.replace_corpus(Corpus.typed("zz zz ab"))
    dialog = filled(open_dialog(1, imported), qtbot)
    assert rows(dialog)[0] == ("z", "z", "2")


def test_merges_out_of_order_are_explained(open_dialog, session, qtbot):
    config = TrainerConfig(base=Base.CHARACTERS)
    imported = Recording(build_alphabet({"ab": 1}, config), config)
    imported.extend([Merge(0, 0, 1, 2), Merge(1, 0, 1, 3), Merge(2, 2, 0, 4)])
    session.replace_corpus(Corpus.typed("ab"))
    dialog = open_dialog(3, imported)
    qtbot.waitUntil(lambda: "out of order" in dialog.hint.text())
    assert not dialog.force_button.isEnabled()


def test_closing_ends_the_work(open_dialog, qtbot):
    dialog = open_dialog()
    dialog.reject()
    assert not dialog._counting.is_running


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_can_be_drawn(open_dialog, settings, qtbot, scheme):
    settings.set(Settings.THEME, scheme)
    dialog = filled(open_dialog(), qtbot)
    image = dialog.table.viewport().grab().toImage()
    colors = {image.pixelColor(x, y).rgb() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}
    assert len(colors) > 20
