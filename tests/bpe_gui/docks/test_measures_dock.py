import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from bpe_gui.docks.measures_dock import CHOOSE_TEXT, NO_CORPUS, NOTHING_YET, MeasuresDock
from bpe_gui.models.measures_model import NOT_YET, Column
from bpe_gui.settings import Settings
from core.measures import MEASURES
from core.measures_tables import Table
from core.recording import Recording

ROWS = {measure.name: row for row, measure in enumerate(MEASURES)}


@pytest.fixture
def dock(session, corpus_measures, held_out, settings, theme, qtbot):
    dock = MeasuresDock(session, corpus_measures, held_out, settings, theme)
    qtbot.addWidget(dock)
    dock.resize(600, 400)
    dock.show()
    qtbot.waitExposed(dock)
    return dock


@pytest.fixture
def bare(recording):
    """The merges as a tokenizer file keeps them."""
    bare = Recording(recording.alphabet, recording.config, recording.pipeline)
    bare.extend(recording)
    return bare


def shown(dock, name, column=Column.CORPUS):
    return dock.model.index(ROWS[name], column).data()


def columns(dock):
    return [column for column in Column if not dock.table.isColumnHidden(column)]


def measure_own_text(dock, held_out, settings, qtbot, text="low lowest"):
    settings.set(Settings.PASTED_TEXT, text)
    dock.choose_own_text.trigger()
    qtbot.waitUntil(lambda: held_out.at(dock._session.step) is not None)


def test_says_what_will_come(dock):
    assert dock.nothing.text() == NOTHING_YET
    assert dock.nothing.isVisible()
    assert not dock.export_button.isEnabled()


def test_lists_every_measure_of_the_corpus(dock, session, recording, qtbot):
    session.replace_recording(recording)
    assert dock.table.isVisible()
    assert columns(dock) == [Column.TITLE, Column.CORPUS, Column.UNIT]
    assert shown(dock, "token_count") == "16"
    qtbot.waitUntil(lambda: shown(dock, "renyi_efficiency") != NOT_YET)
    assert shown(dock, "used_share") == "18.2%"  # 4 of 22
    session.go_to(0)
    assert (shown(dock, "token_count"), shown(dock, "used_share")) == ("79", "100.0%")


def test_the_table_is_painted_anew_when_the_step_changes(dock, session, recording, qtbot):
    session.replace_recording(recording)
    with qtbot.waitSignal(dock.model.dataChanged):
        session.go_to(5)


def test_does_nothing_while_hidden(dock, session, recording, corpus_measures, qtbot):
    dock.hide()
    session.replace_recording(recording)
    session.go_to(3)
    assert not corpus_measures.is_complete
    dock.show()
    qtbot.waitUntil(lambda: corpus_measures.is_complete)


def test_a_second_column_for_the_user_s_own_text(dock, session, recording, held_out, settings, qtbot):
    session.replace_recording(recording)
    measure_own_text(dock, held_out, settings, qtbot)
    assert columns(dock) == list(Column)
    assert shown(dock, "token_count", Column.HELD_OUT) == "3"
    dock.choose_none.trigger()
    assert Column.HELD_OUT not in columns(dock)
    assert not dock.choose_none.isEnabled()


def test_a_file_as_held_out_text(dock, session, recording, held_out, settings, tmp_path, qtbot):
    session.replace_recording(recording)
    path = tmp_path / "test.txt"
    path.write_text("low low low")
    dock.choose_file.trigger()
    dialog = dock.findChild(QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    qtbot.waitUntil(lambda: held_out.at(12) is not None)
    assert shown(dock, "token_count", Column.HELD_OUT) == "3"
    assert settings.text(Settings.LAST_FOLDER) == str(tmp_path)


def test_a_file_that_cannot_be_read_is_told(dock, session, recording, held_out, tmp_path, qtbot):
    session.replace_recording(recording)
    with qtbot.waitSignal(held_out.failed):
        held_out.choose_file(tmp_path / "gone.txt")
    assert dock.told.isVisible()
    assert dock.told.text().startswith("gone.txt: there is no such file")
    assert not dock.job_bar.isVisible()


def test_progress_is_seen_and_can_be_cancelled(dock, session, recording, held_out, tmp_path, qtbot):
    session.replace_recording(recording)
    path = tmp_path / "long.txt"
    path.write_text("newest lowest " * 200_000)
    held_out.choose_file(path)
    qtbot.waitUntil(lambda: dock.job_bar.text.text() == "Counting words: long.txt")
    assert dock.job_bar.isVisible()
    qtbot.mouseClick(dock.job_bar.cancel, Qt.MouseButton.LeftButton)
    assert held_out.corpus is None
    assert not dock.job_bar.isVisible()


def test_without_counts_it_says_what_to_do(dock, session, bare, held_out, settings, qtbot):
    session.replace_recording(bare)
    assert dock.nothing.isVisible()
    assert dock.nothing.text() == CHOOSE_TEXT
    measure_own_text(dock, held_out, settings, qtbot)
    assert columns(dock) == [Column.TITLE, Column.HELD_OUT, Column.UNIT]
    assert (dock.note.isVisible(), dock.note.text()) == (True, NO_CORPUS)
    assert shown(dock, "fertility", Column.HELD_OUT) == "1.50"


def test_the_order_of_the_entropy_is_chosen_and_remembered(dock, session, recording, settings, corpus_measures, qtbot):
    session.replace_recording(recording)
    session.go_to(0)
    qtbot.waitUntil(lambda: shown(dock, "renyi_efficiency") != NOT_YET)
    dock.alpha.setValue(1.0)
    qtbot.waitUntil(lambda: shown(dock, "renyi_efficiency") == "0.919")
    assert settings.number(Settings.RENYI_ALPHA) == 1.0
    settings.set(Settings.RENYI_ALPHA, 0.0)
    assert dock.alpha.value() == 0.0
    qtbot.waitUntil(lambda: shown(dock, "renyi_efficiency") == "1.000")  # all ten symbols occur


def test_rows_are_copied(dock, session, recording, qtbot):
    session.replace_recording(recording)
    dock.table.selectRow(ROWS["bytes_per_token"])
    qtbot.keyClick(dock.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Bytes per token\t4.94\tbytes\n"
    dock._copy_all.trigger()
    assert QGuiApplication.clipboard().text().startswith("Tokens\t16\ttokens\nVocabulary size\t22\ttokens\n")


def test_enter_asks_for_the_curve_of_the_row(dock, session, recording, qtbot):
    session.replace_recording(recording)
    dock.table.selectRow(ROWS["fertility"])
    with qtbot.waitSignal(dock.curve_wanted) as wanted:
        qtbot.keyClick(dock.table, Qt.Key.Key_Return)
    assert wanted.args == ["fertility"]


def test_saving_is_told(dock, session, recording, tmp_path, qtbot):
    session.replace_recording(recording)
    with qtbot.waitSignal(dock.exporter.saved):
        dock.exporter.save(Table.SCALARS, False, tmp_path / "m.csv")
    assert dock.told.text() == f"Saved m.csv in {tmp_path}"
    with qtbot.waitSignal(dock.exporter.failed):
        dock.exporter.save(Table.SCALARS, False, tmp_path / "gone" / "m.csv")
    assert "there is no folder" in dock.told.text()


@pytest.mark.parametrize("width", [260, 330, 600, 1_800])
def test_numbers_have_room_at_any_width(dock, session, recording, held_out, settings, qtbot, width):
    session.replace_recording(recording)
    measure_own_text(dock, held_out, settings, qtbot)
    dock.resize(width, 400)
    qtbot.waitUntil(lambda: dock.table.viewport().width() >= width - 40)
    table, header = dock.table, dock.table.horizontalHeader()
    needed = table.fontMetrics().horizontalAdvance("123,456") + 8
    assert min(table.columnWidth(Column.CORPUS), table.columnWidth(Column.HELD_OUT)) >= needed
    assert header.length() <= table.viewport().width()
    assert table.isColumnHidden(Column.UNIT) == (width < 400)


def test_every_control_has_a_name_and_a_tip(dock):
    for control in (dock.held_out_button, dock.alpha, dock.export_button, dock.table, dock.job_bar.cancel):
        assert control.accessibleName()
    for control in (dock.held_out_button, dock.alpha, dock.export_button, dock.job_bar.cancel):
        assert control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_export_menu_opens_by_an_action_too(dock, session, recording):
    session.replace_recording(recording)
    dock.hide()
    dock.open_export_menu()
    assert dock.isVisible()
    assert dock.exporter.menu.isVisible()
    assert len(dock.exporter.menu.actions()) == 6
    dock.exporter.menu.close()
