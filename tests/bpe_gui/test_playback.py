import pytest

from bpe_gui.playback import Playback


@pytest.fixture
def playback(session):
    playback = Playback(session)
    yield playback
    playback.stop()
    playback.deleteLater()


def test_plays_to_the_end_and_stops(playback, session, recording, qtbot):
    session.replace_recording(recording)
    session.go_to(3)
    playback.set_steps_per_second(1_000)
    with qtbot.waitSignals([playback.playing_changed] * 2):
        playback.play()
    assert session.step == len(recording)
    assert not playback.is_playing


def test_plays_from_the_start_when_it_stands_at_the_end(playback, session, recording):
    session.replace_recording(recording)
    playback.play()
    assert session.step == 0
    assert playback.is_playing


def test_steps_one_at_a_time_when_slow(playback, session, recording, qtbot):
    session.replace_recording(recording)
    steps = []
    session.step_changed.connect(steps.append)
    playback.set_steps_per_second(60)
    playback.play()
    qtbot.waitUntil(lambda: not playback.is_playing)
    assert steps[0] == 0
    assert steps == sorted(set(steps))
    assert steps[-1] == len(recording)


def test_zero_plays_the_whole_recording_in_ten_seconds(playback, session, recording):
    session.replace_recording(recording)
    playback.set_steps_per_second(0)
    assert playback.steps_per_second == pytest.approx(1.2)


def test_there_is_nothing_to_play_before_training(playback):
    playback.play()
    assert not playback.is_playing


def test_another_recording_stops_it(playback, session, recording):
    session.replace_recording(recording)
    playback.play()
    session.replace_recording(recording)
    assert not playback.is_playing


def test_toggles(playback, session, recording):
    session.replace_recording(recording)
    playback.toggle()
    assert playback.is_playing
    playback.toggle()
    assert not playback.is_playing
