import pytest
from PySide6.QtWidgets import QAbstractButton, QSpinBox

from bpe_gui.dialogs.train_on_dialog import TrainOnDialog
from bpe_gui.training import TrainingState
from core.alphabet import Base
from core.corpus import Corpus
from core.merge import Merge
from core.options import Stop
from core.recording import Recording
from core.trainer import Score, StopReason, TrainerConfig, build_alphabet
from tests.bpe_gui.conftest import FOUR_WORDS, trained

STOP = TrainerConfig(merges=3)


@pytest.fixture
def open_dialog(session, training, recording, qtbot):
    def opened(stop=STOP, shown=recording, text="zest zest zoo zoo zoo", step=None):
        session.replace_corpus(Corpus.typed(text, "new.txt"))
        session.replace_recording(shown)
        if step is not None:
            session.go_to(step)
        dialog = TrainOnDialog(session, training, stop)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return opened


def ended(session, training, qtbot):
    qtbot.waitUntil(lambda: bool(session.about) and training.state is TrainingState.IDLE)


def test_all_merges_stay_and_new_ones_of_the_text_at_hand_follow(open_dialog, session, training, recording, qtbot):
    dialog = open_dialog(step=4)
    assert "new.txt" in dialog.head.text()
    assert dialog.keep_all.text() == "&All 12 merges"
    assert dialog.keep_first.text() == "The &first 4 merges: up to the step shown"
    dialog.train_button.click()
    assert not dialog.isVisible()
    ended(session, training, qtbot)
    new = session.recording
    assert new is not recording
    assert [merge.pair for merge in new][:12] == [merge.pair for merge in recording]
    assert len(new) == 15
    assert new.stop_reason is StopReason.MERGES
    assert session.about == "Trained on from step 12"
    assert new.corpus is session.corpus


def test_only_the_first_merges_stay(open_dialog, session, training, recording, qtbot):
    dialog = open_dialog(step=2)
    dialog.keep_first.setChecked(True)
    dialog.merges.setValue(1)
    dialog.train_button.click()
    ended(session, training, qtbot)
    assert [merge.token_id for merge in session.recording][:2] == [merge.token_id for merge in recording][:2]
    assert len(session.recording) == 3


@pytest.mark.parametrize("step", [0, 12])
def test_there_is_nothing_to_choose_at_the_ends(open_dialog, step):
    assert not open_dialog(step=step).keep_first.isVisible()


@pytest.mark.parametrize(
    ("stop", "chosen"),
    [
        (TrainerConfig(merges=7), Stop.MERGES),
        (TrainerConfig(vocab_size=400), Stop.VOCAB_SIZE),
        (TrainerConfig(), Stop.NO_PAIR),
    ],
)
def test_proposes_the_stop_rule_of_the_options(open_dialog, stop, chosen):
    dialog = open_dialog(stop)
    assert dialog._stops[chosen].isChecked()
    merges = 12 + 7 if chosen is Stop.MERGES else None
    assert (dialog.stop_rules().merges, dialog.stop_rules().vocab_size) == (merges, stop.vocab_size)


def test_keeps_the_rarest_pair_and_the_token_to_stop_at(open_dialog):
    dialog = open_dialog(TrainerConfig(merges=7, min_frequency=3, stop_token="zo"))
    assert dialog.stop_rules() == TrainerConfig(merges=19, min_frequency=3, stop_token="zo")


def test_a_vocabulary_that_is_full_is_said(open_dialog):
    dialog = open_dialog()
    height = dialog.height()
    dialog._stops[Stop.VOCAB_SIZE].setChecked(True)
    dialog.vocab_size.setValue(22)
    assert dialog.trouble.text() == "The vocabulary has 22 tokens already."
    assert dialog.trouble.isVisible()
    assert dialog.height() >= height
    assert not dialog.train_button.isEnabled()
    dialog.vocab_size.setValue(23)
    assert dialog.train_button.isEnabled()
    assert not dialog.trouble.isVisible()


def test_merges_out_of_order_are_refused_until_fewer_of_them_stay(open_dialog):
    config = TrainerConfig(base=Base.CHARACTERS)
    imported = Recording(build_alphabet({"abc": 1}, config), config)
    imported.extend([Merge(0, 0, 1, 3), Merge(1, 0, 1, 4)])
    dialog = open_dialog(shown=imported, step=1)
    assert "first 1 merges at most" in dialog.trouble.text()
    assert not dialog.train_button.isEnabled()
    dialog.keep_first.setChecked(True)
    assert dialog.train_button.isEnabled()


def test_wordpiece_has_no_rarest_pair_to_stop_at(open_dialog):
    scored = trained(FOUR_WORDS, TrainerConfig(base=Base.CHARACTERS, score=Score.WORDPIECE, merges=4), "whitespace")
    assert not open_dialog(shown=scored).min_frequency.isVisible()


def test_every_control_says_what_it_is(open_dialog):
    dialog = open_dialog(step=4)
    for control in (*dialog.findChildren(QAbstractButton), *dialog.findChildren(QSpinBox)):
        assert control.toolTip() or control is dialog.cancel_button, control
        assert control.accessibleName() or isinstance(control, QAbstractButton)


def test_another_recording_closes_it(open_dialog, session, recording):
    dialog = open_dialog()
    session.replace_recording(recording)
    assert not dialog.isVisible()
