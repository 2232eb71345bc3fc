import pytest

from bpe_gui.settings import Settings
from core.alphabet import Alphabet, Base, Marker, Token
from core.errors import PatternError
from core.held_out import held_out as measured_once
from core.merge import Merge
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from tests.core.runs import finish

TEXT = "lowest newer wide low"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "test set.txt"
    path.write_text(TEXT)
    return path


def chosen(held_out, file, qtbot):
    """Choose the file and wait until it is read."""
    with qtbot.waitSignal(held_out.changed):
        held_out.choose_file(file)


def measured(held_out, qtbot):
    with qtbot.waitSignal(held_out.changed):
        held_out.measure_soon()


@pytest.fixture
def out_of_order():
    """bc, abc, ab, and abc once more: no training run makes a token twice."""
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, {i: Token(bytes([97 + i])) for i in range(3)})
    recording = Recording(alphabet, pipeline=Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    recording.extend([Merge(0, 1, 2, 3), Merge(1, 0, 3, 4), Merge(2, 0, 1, 5), Merge(3, 5, 2, 4)])
    return recording


def test_without_a_text_there_is_nothing(held_out, session, recording):
    session.replace_recording(recording)
    held_out.measure_soon()
    assert held_out.corpus is None
    assert not held_out.is_busy
    assert held_out.at(0) is None


def test_a_file_is_measured_at_every_step(held_out, file, session, recording, qtbot):
    session.replace_recording(recording)
    chosen(held_out, file, qtbot)
    assert held_out.name == "test set.txt"
    assert held_out.at(12) is None
    measured(held_out, qtbot)
    for step in range(13):
        assert held_out.at(step) == finish(measured_once(recording, TEXT, step))
    assert held_out.word_counts == {"lowest": 1, "newer": 1, "wide": 1, "low": 1}
    assert not held_out.is_busy


def test_nothing_is_measured_twice(held_out, file, session, recording, qtbot):
    session.replace_recording(recording)
    chosen(held_out, file, qtbot)
    measured(held_out, qtbot)
    session.go_to(3)
    held_out.measure_soon()
    assert not held_out._rest.isActive()
    assert not held_out.is_busy


def test_it_is_measured_again_when_there_are_more_merges(held_out, file, session, recording, qtbot):
    grown = Recording(recording.alphabet, recording.config, recording.pipeline, base_counts=recording.base_counts)
    session.replace_recording(grown)
    chosen(held_out, file, qtbot)
    measured(held_out, qtbot)
    session.append(list(recording)[:6])
    assert held_out.at(6) is None
    assert held_out.at(0) is not None
    measured(held_out, qtbot)
    assert held_out.at(6).token_count == finish(measured_once(recording, TEXT, 6)).token_count


def test_another_recording_has_other_measures(held_out, file, session, recording, qtbot):
    session.replace_recording(recording)
    chosen(held_out, file, qtbot)
    measured(held_out, qtbot)
    other = Recording(recording.alphabet, recording.config)  # cuts with GPT-2's pattern
    session.replace_recording(other)
    assert held_out.at(0) is None
    measured(held_out, qtbot)
    assert held_out.at(0) == finish(measured_once(other, TEXT, 0))
    assert " newer" in held_out.word_counts


def test_another_order_of_the_entropy(held_out, file, session, recording, settings, qtbot):
    session.replace_recording(recording)
    chosen(held_out, file, qtbot)
    measured(held_out, qtbot)
    settings.set(Settings.RENYI_ALPHA, 1.0)
    measured(held_out, qtbot)
    assert held_out.at(5) == finish(measured_once(recording, TEXT, 5, 1))


def test_merges_out_of_order_are_measured_step_by_step(held_out, tmp_path, session, out_of_order, qtbot):
    path = tmp_path / "abc.txt"
    path.write_text("abc abc")
    session.replace_recording(out_of_order)
    chosen(held_out, path, qtbot)
    measured(held_out, qtbot)
    assert held_out.at(4).token_count == 2
    assert held_out.at(1) is None
    session.go_to(1)
    measured(held_out, qtbot)
    assert held_out.at(1).token_count == 4
    assert (held_out.tally(1) is None, held_out.tally(4) is None) == (False, True)


def test_the_user_s_text_is_followed(held_out, session, recording, settings, qtbot):
    session.replace_recording(recording)
    settings.set(Settings.PASTED_TEXT, "low low")
    held_out.choose_own_text()
    assert held_out.is_own_text
    measured(held_out, qtbot)
    assert held_out.at(0).word_count == 2
    settings.set(Settings.PASTED_TEXT, "low low low")
    measured(held_out, qtbot)
    assert held_out.at(0).word_count == 3
    held_out.clear()
    settings.set(Settings.PASTED_TEXT, "low")
    assert held_out.corpus is None


def test_an_empty_text_has_no_ratios(held_out, session, recording, qtbot):
    session.replace_recording(recording)
    held_out.choose_own_text()
    measured(held_out, qtbot)
    assert held_out.at(3).token_count == 0
    assert held_out.at(3).fertility is None


def test_a_file_that_is_not_there_leaves_the_text_there_was(held_out, file, tmp_path, session, recording, qtbot):
    session.replace_recording(recording)
    chosen(held_out, file, qtbot)
    with qtbot.waitSignal(held_out.failed) as failed:
        held_out.choose_file(tmp_path / "gone.txt")
    assert failed.args[0].startswith("gone.txt: there is no such file")
    assert held_out.name == "test set.txt"
    measured(held_out, qtbot)
    assert held_out.at(0) is not None


def test_progress_tells_the_phases(held_out, tmp_path, session, recording, qtbot):
    path = tmp_path / "long.txt"
    path.write_text(" ".join(f"{n}wordless" for n in range(20_000)))
    session.replace_recording(recording)
    told = []
    held_out.progressed.connect(told.append)
    chosen(held_out, path, qtbot)
    measured(held_out, qtbot)
    phases = list(dict.fromkeys(phase for phase, _ in told))
    assert phases == ["Reading", "Counting words", "Encoding"]
    assert all(0 <= progress.done <= progress.total for _, progress in told)


def test_cancelling_ends_measuring_and_drops_the_text(held_out, tmp_path, session, recording, qtbot):
    path = tmp_path / "long.txt"
    path.write_text("newest lowest " * 200_000)
    session.replace_recording(recording)
    chosen(held_out, path, qtbot)
    with qtbot.waitSignal(held_out.progressed):
        held_out.measure_soon()
    assert held_out.is_busy
    held_out.cancel()
    assert not held_out.is_busy
    assert held_out.corpus is None


def test_cancelling_while_a_file_is_read_keeps_the_text_there_was(held_out, file, tmp_path, session, recording, qtbot):
    session.replace_recording(recording)
    chosen(held_out, file, qtbot)
    path = tmp_path / "long.txt"
    path.write_text("newest lowest " * 500_000)
    held_out.choose_file(path)
    held_out.cancel()
    assert not held_out.is_busy
    assert held_out.name == "test set.txt"


def test_a_pattern_that_fails_is_told_once(held_out, session, recording, qtbot, monkeypatch):
    def failing(corpus, pipeline):
        yield
        raise PatternError("The pattern takes too long.")

    monkeypatch.setattr("bpe_gui.held_out_text.corpus_words_counted", failing)
    session.replace_recording(recording)
    held_out.choose_own_text()
    with qtbot.waitSignal(held_out.failed) as failed:
        held_out.measure_soon()
    assert failed.args == ["The pattern takes too long."]
    held_out.measure_soon()  # and not again and again
    assert not held_out._rest.isActive()
