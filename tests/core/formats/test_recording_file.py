"""This program's own file: all of a recording comes back, and nothing else is taken for one."""

from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.alphabet import Marker, byte_alphabet
from core.bookmarks import Bookmark, Notes
from core.branching import going_on
from core.corpus import Corpus
from core.formats import recording_file, recording_tables
from core.formats.base import Severity
from core.formats.opening import open_model
from core.formats.recording_file import load, notes_of, save
from core.imported import Imported
from core.merge import Merge
from core.packed_words import PackedWords
from core.recording import Recording
from core.trainer import CorpusSize, StopReason, TieBreak, TrainerConfig
from tests.core import schemes
from tests.core.formats.kinds import DATA, IMPORTED, KINDS, imported, kind
from tests.core.runs import listed, record, record_words

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
    read.imported = Imported("recording", "a.bpe")  # as the window notes it
    assert read.can_go_on(again, recording.pipeline, config)
    assert load(save(read, tmp_path / "b.bpe")).recording.imported is None
    assert not again.is_that_of(recording.corpus)  # only a corpus without its text is known by its content


def test_the_entries_are_what_a_person_can_read(tmp_path):
    file = save(record("ab abab", TrainerConfig(merges=1)), tmp_path / "a.bpe")
    zipped = recording_file._open(file)
    assert zipped.read("merges.jsonl") == (
        b'{"left":[64],"right":[65],"token":[256],"count":[3],"applied":[3],"tied":[1],"completed":[1]}\n'
    )
    assert zipped.read("words.jsonl") == b'{"word":["ab"," abab"],"count":[1,1]}\n'


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(schemes.trained(), st.data())
def test_whatever_is_trained_comes_back(tmp_path, recording, data):
    if data.draw(st.booleans()):
        recording.word_counts = PackedWords.of(recording.word_counts)
    assert_same(load(save(recording, tmp_path / "a.bpe")).recording, recording)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(schemes.rule_lists)
def test_merges_in_any_order_come_back(tmp_path, rules):
    recording = schemes.listed(rules)
    read = load(save(recording, tmp_path / "a.bpe")).recording
    assert_same(read, recording)
    assert read.is_monotone is recording.is_monotone
    assert read.orphans == recording.orphans


@pytest.mark.parametrize("name", IMPORTED)
def test_imported_tokenizers_come_back(name, tmp_path):
    recording = imported(name)
    read = load(save(recording, tmp_path / "a.bpe")).recording
    assert_same(read, recording)
    assert read.imported == replace(recording.imported, source=None)
    assert (read.is_monotone, read.orphans) == (recording.is_monotone, recording.orphans)


@pytest.mark.parametrize("name", IMPORTED)
def test_some_merges_of_an_imported_tokenizer(name, tmp_path):
    recording, file = imported(name), tmp_path / "half.bpe"
    step = len(recording) // 2
    recording_file.FORMAT.save(recording, step, file)
    read = load(file).recording
    assert list(read) == list(recording)[:step]
    more = dict(read.tokens_at(step)).keys() - dict(recording.tokens_at(step)).keys()
    warnings = [f.message for f in recording_file.FORMAT.preflight(recording, step) if f.severity is Severity.WARNING]
    assert len(more) == (7 if name == "gpt_oss_300.tokenizer.json" else 0)
    assert [message[:42] for message in warnings] == (["At this step 7 tokens are parts of merges "] if more else [])


def test_training_goes_on_as_if_it_had_never_been_saved(tmp_path):
    text = kind("bytes gpt2").corpus.text[:20_000]
    config = TrainerConfig(merges=60, special_tokens=("<s>",), tie_break=TieBreak.FIRST_SEEN)
    whole, part = record(text, config), record(text, replace(config, merges=25))
    read = load(save(part, tmp_path / "a.bpe")).recording
    assert read.can_go_on(Corpus.typed(text), read.pipeline, config)
    beginning = going_on(read, config)
    trained = record_words(read.word_counts, beginning.config, beginning.alphabet, plan=beginning.plan)
    assert list(trained) == list(whole)
    assert_same(load(save(trained, tmp_path / "b.bpe")).recording, trained)  # with the merges that were given


def test_every_field_of_a_recording_is_thought_of():
    """One that is new must be kept in the file; then it is named here."""
    assert {field.name for field in fields(Recording)} == {
        *("alphabet", "config", "pipeline", "corpus", "word_counts", "base_counts", "stop_reason", "size", "plan"),
        *("vocabulary", "rules", "added_tokens", "imported", "decoder"),
    }
    assert {field.name for field in fields(Imported)} == {
        *("format", "file", "facts", "not_applied", "document"),
        "source",  # which whoever opens the file says
    }


def test_words_that_are_too_many_are_left_out_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr(recording_tables, "MAX_WORDS", 3)
    recording = record("a b c d", TrainerConfig(merges=1))
    assert [finding.message for finding in recording_file.FORMAT.preflight(recording, 1)] == [
        "Neither the text nor its 4 different words are kept: that is too much. Its name, where it lies and its "
        "SHA-256 are; to train on, open the text again."
    ]
    read = load(save(recording, tmp_path / "a.bpe")).recording
    assert read.word_counts == {}
    assert read.base_counts == recording.base_counts


def test_saving_and_opening_yield_after_every_slice(tmp_path):
    recording = Recording(byte_alphabet(), base_counts={0: 9_000})
    recording.extend(Merge(rank, rank % 256, rank // 256, 256 + rank, 1) for rank in range(9_000))
    assert len(list(recording_file.saving(recording, tmp_path / "a.bpe"))) == 8  # five of them are merges
    assert len(list(recording_file.opening(tmp_path / "a.bpe"))) == 12


def test_the_same_recording_is_the_same_bytes(tmp_path):
    recording = record("low low lower", TrainerConfig(merges=3))
    assert save(recording, tmp_path / "a").read_bytes() == save(recording, tmp_path / "b").read_bytes()


def test_a_folder_with_other_files_called_so(tmp_path):
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\nl o\n")
    file = save(record("low low", TrainerConfig(merges=1)), tmp_path / "mine.bpe")
    assert recording_file.finds(tmp_path) == [file]
    assert open_model(file).format.name == "recording"


def test_files_of_version_1_are_read_for_ever():
    recording, notes = load(DATA / "formats" / "recording_version_1.bpe")
    assert notes == Notes((Bookmark(2, "est"),), 3)
    assert listed(recording) == "e s 9 | es t 9 | est </w> 9 | l o 7"
    assert recording.word_counts == {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    assert recording.size == CorpusSize(words=16, whole_words=0, byte_count=79, characters=79)
    assert (recording.config.marker, recording.config.tie_break) == (Marker.SYMBOL, TieBreak.FIRST_SEEN)
    assert recording.pipeline.normalizer.names == ("lowercase", "nfc")
    assert recording.alphabet.special_ids == {"<s>": 0}
    assert recording.stop_reason is StopReason.MERGES
    assert recording.corpus.sha256 == "044f0e09df70b5d1ec0f4bad93cb1e3353466758a75b53f3b23346d17d390aae"
