import pytest

from bpe_gui.curves import DRAWN_MEASURES, Curves, first_step, is_share, title, value_text
from core.imported import Imported
from core.measures import MEASURES
from core.merge import Merge
from core.recording import Recording
from core.statistics import Series
from core.trainer import TrainerConfig

BY_NAME = {measure.name: measure for measure in MEASURES}
FERTILITY, USED = BY_NAME["fertility"], BY_NAME["used_share"]


@pytest.fixture
def curves(session, corpus_measures, held_out):
    return Curves(session, corpus_measures, held_out)


def test_measures_that_say_something_about_a_step_are_drawn():
    assert [measure.name for measure in DRAWN_MEASURES] == [
        "compression_ratio",
        "bytes_per_token",
        "characters_per_token",
        "fertility",
        "whole_word_share",
        "used_share",
        "once_share",
        "never_share",
        "unknown_rate",
        "renyi_efficiency",
    ]


@pytest.mark.parametrize(
    ("quantity", "name", "first", "shares", "text", "nothing"),
    [
        (Series.CORPUS_LENGTH, "Corpus length", 0, False, "1,234 tokens", "– tokens"),
        (Series.PAIR_COUNT, "Pair count", 1, False, "pair count 1,234", "pair count –"),
        (FERTILITY, "Fertility", 0, False, "1,234.00", "–"),
        (USED, "Vocabulary used", 0, True, "123400.0%", "–"),
    ],
)
def test_quantities(quantity, name, first, shares, text, nothing):
    assert (title(quantity), first_step(quantity), is_share(quantity)) == (name, first, shares)
    assert value_text(quantity, 1_234) == text
    assert value_text(quantity, None) == nothing


def test_values_of_the_corpus(curves, session, recording, corpus_measures, qtbot):
    session.replace_recording(recording)
    assert curves.of_corpus(Series.CORPUS_LENGTH, 3) == 54
    assert curves.of_corpus(Series.PAIR_COUNT, 0) is None
    assert curves.of_corpus(FERTILITY, 3) == 54 / 16
    assert curves.of_corpus(FERTILITY, 13) is None
    assert curves.of_corpus(USED, 3) is None
    corpus_measures.count_soon()
    qtbot.waitUntil(lambda: corpus_measures.is_complete)
    assert curves.corpus_points(USED, [0, 12]) == [(0, 1.0), (12, 4 / 22)]


def test_values_of_the_held_out_text(curves, session, recording, held_out, settings, qtbot):
    session.replace_recording(recording)
    assert not curves.has_held_out(FERTILITY)
    settings.set("tokens/pasted_text", "low lowest")
    held_out.choose_own_text()
    assert curves.of_held_out(FERTILITY, 0) is None
    with qtbot.waitSignal(held_out.changed):
        held_out.measure_soon()
    assert curves.has_held_out(FERTILITY)
    assert not curves.has_held_out(Series.PAIR_COUNT)
    assert curves.held_out_points(FERTILITY, [0, 12, 13]) == [(0, 4.5), (12, 1.5)]
    assert curves.held_out_points(Series.CORPUS_LENGTH, [0]) == []


def test_a_recording_without_counts_has_no_values(curves, session, recording):
    bare = Recording(recording.alphabet, recording.config)
    bare.extend(recording)
    session.replace_recording(bare)
    assert curves.corpus_points(FERTILITY, range(5)) == []
    assert curves.corpus_points(Series.CORPUS_LENGTH, range(5)) == []


def test_counts_between_the_steps_that_are_drawn_are_not_missed(curves, session, recording):
    config = TrainerConfig()
    imported = Recording(recording.alphabet, config, base_counts={0: 9}, imported=Imported("gpt2", "merges.txt"))
    imported.extend(Merge(rank, 0, 1, 256 + rank, 50 * (rank == 70)) for rank in range(100))
    assert curves.with_peaks(Series.PAIR_COUNT, [1, 60, 100]) == [1, 60, 100]
    session.replace_recording(imported)
    assert curves.with_peaks(Series.PAIR_COUNT, [60, 100]) == [60, 71, 100]
    assert curves.with_peaks(Series.CORPUS_LENGTH, [60, 100]) == [60, 100]
