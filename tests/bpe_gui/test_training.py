import threading
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QThread, Signal

from bpe_gui.session import Session
from bpe_gui.training import Training, TrainingState
from bpe_gui.training_thread import TrainingThread
from core import kernel_loader
from core.alphabet import Base
from core.branching import fresh
from core.corpus import Corpus
from core.formats.opening import open_model
from core.merge import Merge
from core.pipeline import Pipeline, WordCounts
from core.progress import Progress
from core.recording import Recording
from core.trainer import StopReason, TrainerConfig, build_alphabet
from core.trainers import train
from core.word_counts import corpus_words_counted, load_word_counts
from core.word_limits import WordLimits

DATA = Path(__file__).parents[1] / "data"
WORDS = " ".join(f"{a}{b}{c}{d}" for a in "abcd" for b in "efghe" for c in "ijkl" for d in "mnopm")
CORPUS = Corpus.typed(WORDS)
PIPELINE = Pipeline()


def expected(config: TrainerConfig) -> list[Merge]:
    counts: dict[str, int] = {}
    for word in PIPELINE.words(WORDS):
        counts[word.text] = counts.get(word.text, 0) + 1
    return list(train(counts, config))


def test_every_merge_arrives_once_and_in_order(qtbot, session: Session, training: Training) -> None:
    config = TrainerConfig()
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, config)
    assert list(session.recording) == expected(config)
    assert session.recording.stop_reason is StopReason.NO_PAIR
    assert session.step == session.last_step > 100
    assert training.state is TrainingState.IDLE


def test_a_list_of_word_counts_is_trained_on_as_it_is(qtbot, tmp_path, session: Session, training: Training) -> None:
    (tmp_path / "words.txt").write_text("new york 6\nlow 5\n")
    with qtbot.waitSignal(session.recording_ended):
        training.start(load_word_counts(tmp_path / "words.txt"), PIPELINE, TrainerConfig())
    assert session.recording.word_counts == {"new york": 6, "low": 5}
    assert b"new york" in {session.recording.token(merge.token_id).content for merge in session.recording}


def test_the_thread_emits_a_signal_for_every_merge(qtbot) -> None:
    received: list[tuple[int, Merge]] = []
    thread = TrainingThread(7, CORPUS, PIPELINE, partial(fresh, config=TrainerConfig(merges=50)))
    thread.merge_made.connect(lambda run, merge: received.append((run, merge)))
    thread.prepared.connect(lambda *_: thread.release())
    with qtbot.waitSignal(thread.ended) as ended:
        thread.start()
    thread.wait()
    assert received == [(7, merge) for merge in expected(TrainerConfig(merges=50))]
    assert ended.args == [7, StopReason.MERGES]


def test_pause_step_resume_and_stop(qtbot, session: Session, training: Training) -> None:
    training.set_merges_per_second(200)
    training.start(CORPUS, PIPELINE, TrainerConfig())
    qtbot.waitUntil(lambda: session.last_step >= 5)
    training.pause()
    assert training.state is TrainingState.PAUSED
    qtbot.wait(100)  # what was under way arrives
    paused_at = session.last_step
    qtbot.wait(100)
    assert session.last_step == paused_at

    training.make_one_merge()
    qtbot.waitUntil(lambda: session.last_step == paused_at + 1)
    qtbot.wait(100)
    assert session.last_step == paused_at + 1

    training.resume()
    qtbot.waitUntil(lambda: session.last_step > paused_at + 5)
    with qtbot.waitSignal(session.recording_ended):
        training.stop()
    assert training.state is TrainingState.IDLE
    assert session.recording.stop_reason is StopReason.CANCELLED
    assert list(session.recording) == expected(TrainerConfig())[: session.last_step]


def test_a_first_single_step_makes_one_merge_and_waits(qtbot, session: Session, training: Training) -> None:
    training.start(CORPUS, PIPELINE, TrainerConfig(), paused=True)
    qtbot.waitUntil(lambda: session.last_step == 1)
    assert training.state is TrainingState.PAUSED
    qtbot.wait(100)
    assert session.last_step == 1


@pytest.mark.parametrize("limit", [{"merges": 20}, {"vocab_size": 276}])
def test_a_run_that_has_ended_goes_on_by_single_merges(qtbot, session: Session, training: Training, limit) -> None:
    config = TrainerConfig(**limit)
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, config)
    recording = session.recording
    assert recording.can_go_on(CORPUS, PIPELINE, config)
    training.go_on(CORPUS, PIPELINE, config)
    qtbot.waitUntil(lambda: session.last_step == 21)
    assert training.state is TrainingState.PAUSED
    training.make_one_merge()
    qtbot.waitUntil(lambda: session.last_step == 22)
    assert session.recording is recording
    assert session.step == 22
    assert list(recording) == expected(TrainerConfig(merges=22))


def test_a_run_that_was_stopped_goes_on_paused(qtbot, session: Session, training: Training) -> None:
    training.start(CORPUS, PIPELINE, TrainerConfig(merges=100), paused=True)
    qtbot.waitUntil(lambda: session.last_step == 1)
    training.stop()
    training.go_on(CORPUS, PIPELINE, TrainerConfig(merges=100))
    qtbot.waitUntil(lambda: session.last_step == 2)
    assert training.state is TrainingState.PAUSED
    with qtbot.waitSignal(session.recording_ended):
        training.resume()
    assert list(session.recording) == expected(TrainerConfig(merges=100))


def test_other_settings_or_another_text_begin_anew(qtbot, session: Session, training: Training) -> None:
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, TrainerConfig(merges=20))
    recording = session.recording
    assert recording.can_go_on(CORPUS, PIPELINE, TrainerConfig(vocab_size=400, min_frequency=2))
    assert not recording.can_go_on(Corpus.typed(WORDS), PIPELINE, TrainerConfig(merges=20))
    assert not recording.can_go_on(CORPUS, PIPELINE, TrainerConfig(base=Base.CHARACTERS, merges=20))


def test_one_merge_a_second_is_slow_and_can_be_sped_up_at_once(qtbot, session: Session, training: Training) -> None:
    training.set_merges_per_second(0.001)
    training.start(CORPUS, PIPELINE, TrainerConfig(merges=60))
    qtbot.waitUntil(lambda: session.last_step == 1)
    with qtbot.waitSignal(session.recording_ended):
        training.set_merges_per_second(None)
    assert session.last_step == 60


def test_a_new_run_replaces_one_that_is_going(qtbot, session: Session, training: Training) -> None:
    training.set_merges_per_second(20)
    training.start(CORPUS, PIPELINE, TrainerConfig())
    qtbot.waitUntil(lambda: session.last_step >= 1)
    training.set_merges_per_second(None)
    config = TrainerConfig(base=Base.CHARACTERS, merges=40)
    training.start(CORPUS, PIPELINE, config)
    qtbot.waitUntil(lambda: training.state is TrainingState.IDLE)
    assert list(session.recording) == expected(config)


def test_a_stop_while_counting_leaves_the_session_as_it_was(qtbot, session: Session, training: Training) -> None:
    before = session.recording
    training.start(Corpus.typed(WORDS * 3000), PIPELINE, TrainerConfig())
    assert training.state is TrainingState.COUNTING
    training.stop()
    assert training.state is TrainingState.IDLE
    assert session.recording is before


def test_stop_does_not_wait_for_a_slow_pattern(qtbot, monkeypatch, session: Session, training: Training) -> None:
    begun, may_go_on = threading.Event(), threading.Event()

    def count_slowly(corpus: Corpus, pipeline: Pipeline) -> Generator[Progress, None, WordCounts]:
        begun.set()
        assert may_go_on.wait(10)
        return (yield from corpus_words_counted(corpus, pipeline))

    monkeypatch.setattr("bpe_gui.training_thread.corpus_words_counted", count_slowly)
    training.start(CORPUS, PIPELINE, TrainerConfig())
    assert begun.wait(10)
    training.stop()
    assert training.state is TrainingState.IDLE
    (thread,) = training.findChildren(QThread)
    assert thread.isRunning()

    training.start(CORPUS, PIPELINE, TrainerConfig(merges=7))
    may_go_on.set()
    with qtbot.waitSignal(session.recording_ended):
        pass
    assert list(session.recording) == expected(TrainerConfig())[:7]
    qtbot.waitUntil(lambda: not training.findChildren(QThread))


def test_ending_waits_for_every_thread(training: Training) -> None:
    for _ in range(3):
        training.start(Corpus.typed(WORDS * 300), PIPELINE, TrainerConfig())
    threads = training.findChildren(QThread)
    training.end()
    assert len(threads) == 3
    assert not any(thread.isRunning() for thread in threads)


def test_counting_reports_progress(qtbot, training: Training) -> None:
    with qtbot.waitSignal(training.progressed) as progressed:
        training.start(Corpus.typed(WORDS * 100), PIPELINE, TrainerConfig(merges=1))
    phase, progress = progressed.args
    assert phase == "words"
    assert 0 < progress.done <= progress.total


def test_a_corpus_without_pairs_ends_with_a_reason(qtbot, session: Session, training: Training) -> None:
    with qtbot.waitSignal(session.recording_ended):
        training.start(Corpus.typed(""), PIPELINE, TrainerConfig())
    assert session.recording.stop_reason is StopReason.NO_PAIR
    assert session.last_step == 0


def test_given_word_counts_are_trained_on_as_they_are(qtbot, session: Session, training: Training) -> None:
    corpus = replace(Corpus.typed("a b\ncd\n"), given_counts={"a b": 3, "cd": 2})
    with qtbot.waitSignal(session.recording_ended):
        training.start(corpus, PIPELINE, TrainerConfig())
    assert session.recording.word_counts == {"a b": 3, "cd": 2}
    assert [merge.count for merge in session.recording] == [3, 3, 2]


def test_a_run_goes_on_past_the_token_it_stopped_at(qtbot, session: Session, training: Training) -> None:
    config = TrainerConfig(stop_token="^ae")
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, config)
    found = session.last_step
    assert session.recording.stop_reason is StopReason.TOKEN_FOUND
    training.go_on(CORPUS, PIPELINE, config)
    qtbot.waitUntil(lambda: session.last_step == found + 1)
    assert list(session.recording) == expected(TrainerConfig(merges=found + 1))


def test_a_run_goes_on_with_the_ids_it_gave(qtbot, session: Session, training: Training) -> None:
    config = TrainerConfig(special_tokens=("<s>", "</s>"), specials_last=True, merges=5)
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, config)
    recording = session.recording
    assert recording.alphabet.special_ids == {"<s>": 261, "</s>": 262}
    training.go_on(CORPUS, PIPELINE, config)
    qtbot.waitUntil(lambda: session.last_step == 6)
    training.make_one_merge()
    qtbot.waitUntil(lambda: session.last_step == 7)
    assert session.recording is recording
    assert [merge.token_id for merge in recording] == [256, 257, 258, 259, 260, 263, 264]
    assert recording.can_go_on(CORPUS, PIPELINE, config)


def test_trains_on_with_another_text(qtbot, session: Session, training: Training) -> None:
    config = TrainerConfig(base=Base.CHARACTERS, merges=10)
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, config)
    old, other = session.recording, Corpus.typed("中文 中文 中文 aei aei")
    with qtbot.waitSignal(session.recording_ended):
        training.train_on(other, 4, TrainerConfig(merges=6))
    new = session.recording
    assert [(merge.pair, merge.token_id) for merge in new][:4] == [(merge.pair, merge.token_id) for merge in old][:4]
    assert (len(new), new.stop_reason) == (6, StopReason.MERGES)
    assert new.corpus is other
    assert new.alphabet.id_of("中".encode()) > max(old.alphabet.tokens)
    assert session.about == "Trained on from step 4"
    training.go_on(other, PIPELINE, new.config)
    qtbot.waitUntil(lambda: session.last_step == 7)
    assert session.recording is new


def test_what_is_forbidden_stays_forbidden_when_training_goes_on(qtbot, session: Session, training: Training) -> None:
    config = TrainerConfig(merges=4)
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, config)
    pair = session.recording[0].pair
    with qtbot.waitSignal(session.recording_ended):
        training.forbid(0)
    assert len(session.recording) == 4
    training.go_on(CORPUS, PIPELINE, config)
    qtbot.waitUntil(lambda: training.state is TrainingState.PAUSED and session.last_step == 5)
    with qtbot.waitSignal(session.recording_ended):
        training.resume()
    assert pair not in {merge.pair for merge in session.recording}
    assert session.recording.stop_reason is StopReason.NO_PAIR or session.recording.stop_reason is StopReason.FORBIDDEN


def test_single_merges_of_a_branch_follow_its_own_options(qtbot, session: Session, training: Training) -> None:
    config = TrainerConfig(merges=5)
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, config)
    with qtbot.waitSignal(session.recording_ended):
        training.forbid(2)
    branch, other = session.recording, TrainerConfig(base=Base.CHARACTERS, merges=50)
    training.begin_single_merges(CORPUS, PIPELINE, other)
    qtbot.waitUntil(lambda: session.last_step == 6)
    assert session.recording is branch
    text = Corpus.typed("low lower")
    training.begin_single_merges(text, PIPELINE, other)
    qtbot.waitUntil(lambda: session.recording is not branch and session.last_step == 1)
    assert session.recording.config == other
    assert session.about == ""


def test_merges_that_stay_do_not_wait_for_a_slow_speed(qtbot, session: Session, training: Training) -> None:
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, TrainerConfig(merges=80))
    training.set_merges_per_second(1)
    with qtbot.waitSignal(session.recording_replaced):
        training.forbid(79)
    assert session.last_step == 79


def test_a_recording_from_elsewhere_ends_the_run_that_filled_the_last_one(
    qtbot, session: Session, training: Training, recording: Recording
) -> None:
    training.set_merges_per_second(50)
    training.start(CORPUS, PIPELINE, TrainerConfig())
    qtbot.waitUntil(lambda: session.last_step >= 1)
    left = session.recording
    merges = list(recording)
    session.replace_recording(recording)
    assert training.state is TrainingState.IDLE
    assert left.stop_reason is StopReason.CANCELLED
    qtbot.waitUntil(lambda: not training.findChildren(QThread))
    assert list(session.recording) == merges


def test_a_branch_that_cannot_be_made_leaves_everything_as_it_was(qtbot, session: Session, training: Training) -> None:
    config = TrainerConfig(base=Base.CHARACTERS)
    imported = Recording(build_alphabet({"ab": 1}, config), config)
    imported.extend([Merge(0, 0, 1, 2), Merge(1, 0, 1, 3), Merge(2, 2, 2, 4)])
    session.replace_recording(imported)
    session.replace_corpus(Corpus.typed("abab"))
    with qtbot.waitSignal(training.failed) as failed:
        training.forbid(2)
    assert "out of order" in failed.args[0]
    assert session.recording is imported
    with qtbot.waitSignal(session.recording_ended):
        training.forbid(0)
    assert session.about == "Branch at step 1: a + b forbidden"


class Emitter(QThread):
    emitted = Signal(int, object)

    def run(self) -> None:
        for rank in range(5_000):
            self.emitted.emit(rank, Merge(rank, 1, 2, 3))


class Receiver(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.merges: list[Merge] = []
        self.thread_ids: set[int] = set()

    def take(self, rank: int, merge: Merge) -> None:
        assert merge.rank == rank
        self.merges.append(merge)
        self.thread_ids.add(threading.get_ident())


@pytest.mark.parametrize("run", range(3))
def test_five_thousand_signals_arrive_in_order_on_the_window_s_thread(qtbot, run: int) -> None:
    """PySide6 6.12.0 on Python below 3.12 aborts here after some 600."""
    emitter, receiver = Emitter(), Receiver()
    emitter.emitted.connect(receiver.take)
    with qtbot.waitSignal(emitter.finished):
        emitter.start()
    qtbot.waitUntil(lambda: len(receiver.merges) == 5_000)
    assert [m.rank for m in receiver.merges] == list(range(5_000))
    assert receiver.thread_ids == {threading.get_ident()}
    emitter.wait()


def test_the_words_that_were_counted_are_told(training, qtbot):
    with qtbot.waitSignal(training.words_counted) as counted:
        training.start(CORPUS, Pipeline(limits=WordLimits(min_count=2)), TrainerConfig(merges=1))
    corpus, pipeline, facts = counted.args
    assert (corpus, pipeline.limits.min_count) == (CORPUS, 2)
    assert facts.notes[0].endswith("that occur fewer than 2 times.")


class SlowLoader:
    """Of loops that are compiled already: they are there when `is_ready` says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_ready = threading.Event()
        self.asked = threading.Event()
        monkeypatch.setattr(kernel_loader, "are_ready", lambda: False)
        monkeypatch.setattr(kernel_loader, "are_cached", lambda: True)
        monkeypatch.setattr(kernel_loader, "load", self.load)

    def load(self, progress: kernel_loader.Progress) -> None:
        self.asked.set()
        while not self.is_ready.wait(0.01):
            progress(kernel_loader.Status(kernel_loader.State.LOADING))


LARGE = Corpus.typed("low lower lowest\n" * 120_000)


def test_a_large_text_waits_for_loops_that_are_being_loaded(qtbot, monkeypatch, session, training) -> None:
    loader, phases = SlowLoader(monkeypatch), list[str]()
    training.progressed.connect(lambda phase, progress: phases.append(phase))
    training.start(LARGE, PIPELINE, TrainerConfig(merges=2))
    assert loader.asked.wait(5)
    qtbot.wait(20)
    assert phases == []
    with qtbot.waitSignal(session.recording_ended):
        loader.is_ready.set()
    assert session.last_step == 2


def test_a_run_that_waits_for_loops_can_be_stopped(qtbot, monkeypatch, training) -> None:
    loader = SlowLoader(monkeypatch)
    training.start(LARGE, PIPELINE, TrainerConfig(merges=2))
    assert loader.asked.wait(5)
    training.stop()
    assert training.state is TrainingState.IDLE  # and its thread has ended, or the test fails for it


def test_a_small_text_waits_for_nothing(qtbot, monkeypatch, session, training) -> None:
    loader = SlowLoader(monkeypatch)
    with qtbot.waitSignal(session.recording_ended):
        training.start(CORPUS, PIPELINE, TrainerConfig(merges=2))
    assert not loader.asked.is_set()


def test_what_an_imported_tokenizer_looks_for_is_looked_for_still(qtbot, session: Session, training: Training) -> None:
    imported = open_model(DATA / "formats" / "qwen3_500.tokenizer.json").recording
    session.replace_recording(imported)
    with qtbot.waitSignal(session.recording_ended):
        training.train_on(CORPUS, 10, TrainerConfig(merges=12))
    assert session.recording is not imported
    assert len(session.recording) == 12
    assert [token.content for token in session.recording.looked_for if not token.special] == ["<think>", "</think>"]
    assert session.recording.added_tokens == imported.added_tokens
