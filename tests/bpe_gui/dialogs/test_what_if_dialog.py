import pytest

from bpe_gui.dialogs.what_if_dialog import WhatIfDialog
from bpe_gui.settings import Settings
from bpe_gui.training import TrainingState
from core.alphabet import Base
from core.compare_rules import Agreement
from core.trainer import Score, StopReason, TieBreak, TrainerConfig
from tests.bpe_gui.conftest import FOUR_WORDS, trained


@pytest.fixture
def open_dialog(session, training, settings, theme, recording, qtbot):
    def opened(shown=recording, rule=TieBreak.REVERSE_LEXICOGRAPHIC):
        settings.set(Settings.WHAT_IF, str(rule))
        session.replace_recording(shown)
        dialog = WhatIfDialog(session, training, settings, theme)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return opened


def compared(dialog, qtbot):
    qtbot.waitUntil(lambda: dialog.comparison is not None)
    return dialog


def test_shows_where_two_rules_part_and_why(open_dialog, qtbot):
    dialog = compared(open_dialog(), qtbot)
    assert dialog.summary.text() == "The two rules part at step 1."
    assert dialog.mine.rule.text() == "This run: smallest ids"
    assert dialog.mine.taken.text() == "e + s, 9 times"
    assert dialog.mine.reason.text() == "On the left, id 1 is smaller than id 7."
    assert dialog.other.rule.text() == "The other rule: reverse alphabetical"
    assert dialog.other.taken.text() == "s + t, 9 times"
    assert dialog.other.tied_title.text() == "2 tied pairs, in the order of this rule"
    assert dialog.other.tied.pairs.index(0, 0).data() == "s"
    assert dialog.other.tied.isVisible()


def test_rules_that_agree_say_so(open_dialog, qtbot):
    dialog = compared(open_dialog(rule=TieBreak.BYTES), qtbot)
    assert dialog.comparison == Agreement(12, StopReason.MERGES)
    assert dialog.text.text().startswith("Both rules make the same 12 merges.")
    assert dialog.text.isVisible()
    assert not dialog.go_button.isEnabled()
    assert not dialog.train_button.isEnabled()


def test_offers_every_rule_but_the_one_that_was_used(open_dialog):
    dialog = open_dialog()
    rules = {dialog.choice.itemData(index) for index in range(dialog.choice.count())}
    assert rules == {*map(str, TieBreak), str(Score.WORDPIECE)} - {str(TieBreak.IDS)}


def test_the_rule_is_remembered(open_dialog, settings):
    dialog = open_dialog()
    dialog.choice.setCurrentIndex(dialog.choice.findData(str(Score.WORDPIECE)))
    assert settings.text(Settings.WHAT_IF) == Score.WORDPIECE


@pytest.mark.parametrize("stored", ["", "nonsense", TieBreak.IDS])
def test_a_rule_that_cannot_be_compared_is_not_chosen(open_dialog, qtbot, stored):
    dialog = compared(open_dialog(rule=stored), qtbot)
    assert dialog.choice.currentIndex() == 0


def test_goes_to_the_step(open_dialog, session, qtbot):
    dialog = compared(open_dialog(), qtbot)
    with qtbot.waitSignal(session.merge_revealed) as revealed:
        dialog.go_button.click()
    assert revealed.args == [0]
    assert session.step == 1
    assert not dialog.isVisible()


def test_trains_with_the_other_rule(open_dialog, session, training, qtbot):
    dialog = compared(open_dialog(), qtbot)
    dialog.train_button.click()
    qtbot.waitUntil(lambda: bool(session.about) and training.state is TrainingState.IDLE)
    assert session.about == "With another rule: reverse alphabetical"
    assert session.recording.config.tie_break is TieBreak.REVERSE_LEXICOGRAPHIC
    assert session.recording.token(session.recording[0].token_id).content == b"st"
    assert session.has_run_before


def test_a_scored_run_is_compared_with_counts(open_dialog, qtbot):
    scored = trained(FOUR_WORDS, TrainerConfig(base=Base.CHARACTERS, score=Score.WORDPIECE, merges=4), "whitespace")
    dialog = compared(open_dialog(scored, Score.FREQUENCY), qtbot)
    assert dialog.mine.rule.text() == "This run: WordPiece score, ties: smallest ids"
    assert dialog.mine.taken.text() == "i + d, 3 times, score 0.333"


def test_cancelling_says_so_and_closing_ends_the_work(open_dialog, qtbot):
    dialog = open_dialog()
    dialog._compare()
    dialog.progress.cancel_wanted.emit()
    assert dialog.text.text() == "Not compared. Choose a rule to compare with."
    dialog._compare()
    dialog.reject()
    assert not dialog._comparing.is_running
