import pytest
from PySide6.QtCore import Qt

from bpe_gui.models.measures_model import NOT_YET, Column, MeasuresModel
from bpe_gui.settings import Settings
from core.corpus import Corpus
from core.measures import MEASURES

ROWS = {measure.name: row for row, measure in enumerate(MEASURES)}


@pytest.fixture
def model(session, corpus_measures, held_out, theme, qtmodeltester):
    model = MeasuresModel(session, corpus_measures, held_out, theme)
    qtmodeltester.check(model)
    yield model
    model.deleteLater()


def shown(model, name, column=Column.CORPUS):
    return model.index(ROWS[name], column).data()


def header(model, column, role=Qt.ItemDataRole.DisplayRole):
    return model.headerData(column, Qt.Orientation.Horizontal, role)


def test_every_measure_has_a_row_with_its_unit_and_help(model):
    assert model.rowCount() == len(MEASURES) == 12
    assert shown(model, "fertility", Column.TITLE) == "Fertility"
    assert shown(model, "fertility", Column.UNIT) == "tokens per word"
    tip = model.index(ROWS["once_share"], Column.TITLE).data(Qt.ItemDataRole.ToolTipRole)
    assert "too rare to learn from" in tip


def test_numbers_of_the_corpus_at_the_step(model, session, recording, corpus_measures, qtbot):
    session.replace_recording(recording)
    session.go_to(3)
    assert shown(model, "token_count") == "54"
    assert shown(model, "bytes_per_token") == "1.46"
    assert shown(model, "whole_word_share") == "0.0%"
    assert shown(model, "renyi_efficiency") == NOT_YET
    corpus_measures.count_soon()
    qtbot.waitUntil(lambda: corpus_measures.is_complete)
    assert shown(model, "used_share") == "61.5%"  # 8 of 13
    session.go_to(12)
    assert shown(model, "token_count") == "16"


def test_numbers_of_the_held_out_text(model, session, recording, held_out, settings, qtbot):
    session.replace_recording(recording)
    settings.set(Settings.PASTED_TEXT, "low lowest")
    held_out.choose_own_text()
    assert shown(model, "token_count", Column.HELD_OUT) == NOT_YET
    with qtbot.waitSignal(held_out.changed):
        held_out.measure_soon()
    assert shown(model, "token_count", Column.HELD_OUT) == "3"
    assert shown(model, "fertility", Column.HELD_OUT) == "1.50"


def test_columns_are_named_after_the_texts_and_markup_stays_text(model, session, recording, held_out, settings):
    recording.corpus = Corpus.typed("x", "<b>a.txt")
    session.replace_recording(recording)
    held_out.choose_own_text()
    assert [header(model, column) for column in Column] == ["Measure", "<b>a.txt", "your text", "Unit"]
    assert "&lt;b&gt;a.txt" in header(model, Column.CORPUS, Qt.ItemDataRole.ToolTipRole)


def test_rows_as_text(model, session, recording):
    session.replace_recording(recording)
    columns = [Column.TITLE, Column.CORPUS, Column.UNIT]
    assert model.tsv([0, 3], columns) == "Tokens\t16\ttokens\nBytes per token\t4.94\tbytes\n"


def test_a_new_step_changes_the_numbers_only(model, qtbot):
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.show_step()
    first, last, _ = changed.args
    assert (first.row(), first.column()) == (0, Column.CORPUS)
    assert (last.row(), last.column()) == (11, Column.HELD_OUT)
