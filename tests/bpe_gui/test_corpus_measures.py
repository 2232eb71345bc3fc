import pytest

from bpe_gui.settings import Settings
from core.measuring import measures_at
from core.recording import Recording


def counted(corpus_measures, qtbot):
    """Count what is missing, and wait for it."""
    corpus_measures.count_soon()
    qtbot.waitUntil(lambda: corpus_measures.is_complete)


def test_sums_are_there_at_once(session, recording, corpus_measures):
    session.replace_recording(recording)
    found = corpus_measures.at(3)
    assert (found.step, found.token_count, found.spread) == (3, 54, None)
    assert found.bytes_per_token == pytest.approx(79 / 54)


def test_the_spread_comes_when_it_is_asked_for(session, recording, corpus_measures, qtbot):
    session.replace_recording(recording)
    with qtbot.waitSignal(corpus_measures.counted):
        corpus_measures.count_soon()
    assert corpus_measures.is_complete
    for step in range(session.last_step + 1):
        assert corpus_measures.at(step) == measures_at(recording, step)


def test_it_goes_along_as_the_recording_grows(session, recording, corpus_measures, qtbot):
    grown = Recording(recording.alphabet, recording.config, base_counts=recording.base_counts, size=recording.size)
    session.replace_recording(grown)
    counted(corpus_measures, qtbot)
    session.append(list(recording)[:5])
    assert not corpus_measures.is_complete
    assert corpus_measures.at(5).spread is None
    counted(corpus_measures, qtbot)
    assert corpus_measures.at(5) == measures_at(recording, 5)


def test_another_recording_is_counted_anew(session, recording, corpus_measures, qtbot):
    session.replace_recording(recording)
    counted(corpus_measures, qtbot)
    other = Recording(recording.alphabet, recording.config, base_counts={0: 4})
    session.replace_recording(other)
    assert not corpus_measures.is_complete
    counted(corpus_measures, qtbot)
    assert corpus_measures.at(0).spread.used == 1


def test_another_order_of_the_entropy_is_counted_anew(session, recording, corpus_measures, settings, qtbot):
    session.replace_recording(recording)
    counted(corpus_measures, qtbot)
    with qtbot.waitSignal(corpus_measures.counted):
        settings.set(Settings.RENYI_ALPHA, 1.0)
    assert corpus_measures.at(4).spread is None
    counted(corpus_measures, qtbot)
    assert corpus_measures.at(4) == measures_at(recording, 4, alpha=1)


@pytest.mark.parametrize("stored", ["high", -1.0, 11.0, "nan"])
def test_an_order_that_was_edited_by_hand_is_not_taken(corpus_measures, settings, stored):
    settings.set(Settings.RENYI_ALPHA, stored)
    assert corpus_measures.alpha == 2.5


def test_a_recording_without_counts_is_left_alone(session, recording, corpus_measures):
    bare = Recording(recording.alphabet, recording.config)
    bare.extend(recording)
    session.replace_recording(bare)
    corpus_measures.count_soon()
    assert not corpus_measures.has_counts
    assert corpus_measures.at(3).vocab_size == recording.vocab_size(3)
