"""This program's own file: all of a recording comes back, and nothing else is taken for one."""

from dataclasses import fields, replace

import pytest

from core.bookmarks import Bookmark, Notes
from core.corpus import Corpus
from core.formats import recording_file
from core.formats.recording_file import load, notes_of, save
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.formats.kinds import KINDS, kind
from tests.core.runs import record

NOTES = Notes((Bookmark(3, "中文 first"), Bookmark(7, "")), 5)


def assert_same(read: Recording, saved: Recording) -> None:
    """In all that a file can hold: of a corpus that is not its text."""
    for field in fields(Recording):
        if field.name != "corpus":
            assert getattr(read, field.name) == getattr(saved, field.name), field.name
    assert list(read) == list(saved)
    assert read.alphabet.dropped == saved.alphabet.dropped
    assert dict(read.tokens_at(len(read))) == dict(saved.tokens_at(len(saved)))
    for step in {0, len(saved) // 2, len(saved)}:
        assert read.corpus_length(step) == saved.corpus_length(step)
        assert read.words_kept_whole(step) == saved.words_kept_whole(step)
        assert read.vocab_size(step) == saved.vocab_size(step)


@pytest.mark.parametrize("name", KINDS)
def test_all_kinds_come_back(name, tmp_path):
    recording = kind(name)
    file = save(recording, tmp_path / "a.bpe", NOTES)
    read = load(file)
    assert read.notes == notes_of(file) == NOTES
    assert_same(read.recording, recording)
    assert save(read.recording, tmp_path / "b.bpe", NOTES).read_bytes() == file.read_bytes()


def test_the_corpus_is_known_again(tmp_path):
    config = TrainerConfig(merges=20)
    recording = record("low low lower newest newest widest " * 3, config)
    read = load(save(recording, tmp_path / "a.bpe")).recording
    assert read.corpus is not None
    assert (read.corpus.text, read.corpus.is_partial) == ("", True)
    again, other = Corpus.typed(recording.corpus.text), Corpus.typed("low lower")
    assert read.can_go_on(again, recording.pipeline, replace(config, merges=30)) is False  # no pair was left
    read.stop_reason = None
    assert read.can_go_on(again, recording.pipeline, replace(config, merges=30))
    assert not read.can_go_on(other, recording.pipeline, config)
    assert not again.is_that_of(recording.corpus)  # only a corpus without its text is known by its content


def test_the_entries_are_what_a_person_can_read(tmp_path):
    file = save(record("ab abab", TrainerConfig(merges=1)), tmp_path / "a.bpe")
    zipped = recording_file._open(file)
    assert zipped.read("merges.jsonl") == (
        b'{"left":[64],"right":[65],"token":[256],"count":[3],"applied":[3],"tied":[1],"completed":[1]}\n'
    )
    assert zipped.read("words.jsonl") == b'{"word":["ab"," abab"],"count":[1,1]}\n'
