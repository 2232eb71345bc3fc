import pytest

from bpe_gui.settings import Settings
from bpe_gui.step_distributions import StepDistributions
from core.distributions import LengthUnit
from core.recording import Recording


@pytest.fixture
def found(session, held_out, qtbot):
    found = StepDistributions(session, held_out)
    yield found
    found.deleteLater()


def counted(found, qtbot):
    with qtbot.waitSignal(found.counted):
        found.count_soon()


def test_of_the_corpus_at_the_step(found, session, recording, qtbot):
    session.replace_recording(recording)
    assert not found.is_current
    session.go_to(0)
    counted(found, qtbot)
    assert found.is_current
    assert found.corpus.lengths[LengthUnit.BYTES] == [(1, 10, 79)]
    assert found.corpus.frequencies[0].occurrences == 17
    assert found.held_out is None
    session.go_to(2)
    assert not found.is_current
    counted(found, qtbot)
    assert found.corpus.step == 2


def test_what_is_there_is_not_counted_again(found, session, recording, qtbot):
    session.replace_recording(recording)
    counted(found, qtbot)
    found.count_soon()
    assert not found._rest.isActive()


def test_of_the_held_out_text_too(found, session, recording, held_out, settings, qtbot):
    session.replace_recording(recording)
    settings.set(Settings.PASTED_TEXT, "low low")
    held_out.choose_own_text()
    with qtbot.waitSignal(held_out.changed):
        held_out.measure_soon()
    counted(found, qtbot)
    assert found.held_out.lengths[LengthUnit.BYTES][-1].occurrences == 0
    assert [frequency.occurrences for frequency in found.held_out.frequencies] == [2]
    with qtbot.waitSignal(found.counted):
        held_out.clear()
    assert found.held_out is None
    assert found.corpus is not None


def test_another_recording_has_others(found, session, recording, qtbot):
    session.replace_recording(recording)
    counted(found, qtbot)
    bare = Recording(recording.alphabet, recording.config)
    session.replace_recording(bare)
    assert found.corpus is None
    counted(found, qtbot)
    assert found.corpus is None
    assert found.is_current
