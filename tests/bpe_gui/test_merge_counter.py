from dataclasses import replace

import pytest

from bpe_gui.merge_counter import MergeCounter, counting_problem
from core.bookmarks import Bookmark
from core.corpus import Corpus
from core.imported import Imported
from tests.bpe_gui.conftest import FOUR_WORDS


@pytest.fixture
def counter(session):
    counter = MergeCounter(session)
    yield counter
    counter.deleteLater()


@pytest.fixture
def bare(recording):
    """The same merges, as if they came from a file without counts."""
    bare = replace(recording, corpus=None, word_counts={}, base_counts={}, imported=Imported("gpt2", "merges.txt"))
    bare.extend(merge._replace(count=0, applied=0, tied=0, completed=0) for merge in recording)
    return bare


def test_the_counts_are_those_of_training(counter, session, recording, bare, qtbot):
    session.replace_corpus(Corpus.typed(FOUR_WORDS))
    session.replace_recording(bare)
    session.go_to(4)
    session.set_bookmarks((Bookmark(2, "here"),))
    with qtbot.waitSignals([counter.started, counter.counted]):
        counter.count()
    counted = session.recording
    assert list(counted) == list(recording)
    assert counted.imported == bare.imported
    assert session.step == 4
    assert session.bookmarks == (Bookmark(2, "here"),)
    assert session.about == "Counted in pasted text"
    session.go_to_run_before()
    assert session.recording is bare


def test_why_there_is_nothing_to_count(session, recording, bare):
    assert counting_problem(session) == "There are no merges to count: open a tokenizer first."
    session.replace_recording(bare)
    assert counting_problem(session) == "There is no text to count merges in: open or paste one first."
    session.replace_corpus(Corpus.typed("low"))
    assert counting_problem(session) == ""
    session.replace_recording(recording)
    session.replace_corpus(recording.corpus)
    assert counting_problem(session) == "The counts shown are those of this text."


def test_another_recording_ends_the_counting(counter, session, recording, bare, qtbot):
    session.replace_corpus(Corpus.typed(FOUR_WORDS * 2_000))
    session.replace_recording(bare)
    with qtbot.waitSignal(counter.cancelled), qtbot.assertNotEmitted(counter.counted):
        counter.count()
        session.replace_recording(recording)
    assert not counter.is_counting
    assert session.recording is recording


def test_another_text_ends_the_counting(counter, session, bare, qtbot):
    session.replace_corpus(Corpus.typed(FOUR_WORDS * 2_000))
    session.replace_recording(bare)
    with qtbot.waitSignal(counter.cancelled):
        counter.count()
        session.replace_corpus(Corpus.typed("other"))
    assert session.recording is bare
