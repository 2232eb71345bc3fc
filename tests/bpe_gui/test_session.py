import pytest

from bpe_gui.session import Session
from core.corpus import Corpus
from core.recording import Recording


def test_a_new_session_shows_the_bytes_and_no_merge(session: Session) -> None:
    assert session.step == session.last_step == 0
    assert session.recording.vocab_size(0) == 256
    assert session.corpus.text == ""


def test_a_replaced_recording_is_shown_at_its_end(qtbot, session: Session, recording: Recording) -> None:
    with qtbot.waitSignals([session.recording_replaced, session.step_changed]):
        session.replace_recording(recording)
    assert session.step == len(recording) > 5


def test_the_step_follows_the_end_only_while_it_stands_there(session: Session, recording: Recording) -> None:
    merges = list(recording)
    session.append(merges[:3])
    assert session.step == 3
    session.go_to(1)
    session.append(merges[3:5])
    assert (session.step, session.last_step) == (1, 5)
    session.go_to(5)
    session.append(merges[5:6])
    assert session.step == 6


def test_appending_names_the_first_rank_and_the_number(qtbot, session: Session, recording: Recording) -> None:
    merges = list(recording)
    session.append(merges[:2])
    with qtbot.waitSignal(session.merges_appended) as appended:
        session.append(merges[2:5])
    assert appended.args == [2, 3]


@pytest.mark.parametrize(("wanted", "shown"), [(-5, 0), (2, 2), (10**9, 4)])
def test_a_step_outside_becomes_the_nearest_inside(session: Session, recording: Recording, wanted, shown) -> None:
    session.append(list(recording)[:4])
    session.go_to(wanted)
    assert session.step == shown


def test_the_same_step_is_no_change(qtbot, session: Session, recording: Recording) -> None:
    session.append(list(recording)[:4])
    with qtbot.assertNotEmitted(session.step_changed):
        session.go_to(4)


def test_revealing_a_merge_goes_to_the_step_it_made(qtbot, session: Session, recording: Recording) -> None:
    session.append(list(recording)[:4])
    with qtbot.waitSignal(session.merge_revealed) as revealed:
        session.reveal_merge(1)
    assert (revealed.args, session.step) == ([1], 2)


def test_another_corpus_leaves_the_recording(qtbot, session: Session, recording: Recording) -> None:
    session.replace_recording(recording)
    with qtbot.waitSignal(session.corpus_replaced):
        session.replace_corpus(Corpus.typed("new text"))
    assert session.recording is recording
