import pytest

from bpe_gui.session import MAX_RUNS_KEPT, Session
from core.corpus import Corpus
from core.recording import Recording
from tests.bpe_gui.conftest import trained


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


def test_a_replaced_recording_can_be_shown_again_at_its_step(session: Session, recording: Recording) -> None:
    assert not session.has_run_before
    session.replace_recording(recording)
    assert not session.has_run_before  # nothing was trained before it
    session.go_to(3)
    other = trained("ab ab")
    session.replace_recording(other, "Branch at step 3: a + b forbidden")
    assert session.about == "Branch at step 3: a + b forbidden"
    session.go_to_run_before()
    assert (session.recording, session.step, session.about) == (recording, 3, "")
    assert (session.has_run_before, session.has_run_after) == (False, True)
    session.go_to_run_after()
    assert (session.recording, session.about) == (other, "Branch at step 3: a + b forbidden")
    session.go_to_run_after()
    assert session.recording is other


def test_a_new_run_after_going_back_forgets_the_one_after(session: Session, recording: Recording) -> None:
    session.replace_recording(recording)
    session.replace_recording(trained("ab ab"))
    session.go_to_run_before()
    session.replace_recording(trained("cd cd"))
    assert not session.has_run_after
    session.go_to_run_before()
    assert session.recording is recording


def test_only_the_latest_runs_are_kept(session: Session) -> None:
    runs = [trained(f"{letter}b" * 2) for letter in "acdefghi"]
    for run in runs:
        session.replace_recording(run)
    shown = []
    while session.has_run_before:
        session.go_to_run_before()
        shown.append(session.recording)
    assert shown == runs[-2 : -2 - MAX_RUNS_KEPT : -1]


def test_runs_with_many_words_make_room_for_others(session: Session, monkeypatch) -> None:
    monkeypatch.setattr("bpe_gui.session.MAX_WORDS_KEPT", 3)
    runs = [trained("ab cd"), trained("ef gh"), trained("ij kl mn op"), trained("qr st")]
    kept = []
    for run in runs:
        session.replace_recording(run)
        kept.append([run.recording for run in session._runs_before])
    assert kept == [[], runs[:1], runs[1:2], runs[2:3]]


def test_branches_of_one_run_need_no_more_room(session: Session, monkeypatch) -> None:
    monkeypatch.setattr("bpe_gui.session.MAX_WORDS_KEPT", 3)
    run = trained("ab cd")
    for _ in range(4):
        branch = Recording(run.alphabet, run.config, word_counts=run.word_counts)
        branch.extend(run)
        session.replace_recording(branch)
    assert len(session._runs_before) == 3
