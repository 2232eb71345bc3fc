import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from bpe_gui.measures_export import MeasuresExport
from bpe_gui.settings import Settings
from core.corpus import Corpus
from core.measures_tables import Table
from core.recording import Recording


@pytest.fixture
def exporter(session, corpus_measures, held_out, settings, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    return MeasuresExport(session, corpus_measures, held_out, settings, parent)


def entries(exporter):
    exporter.menu.aboutToShow.emit()
    return [(action.text(), action.isEnabled()) for action in exporter.menu.actions() if not action.isSeparator()]


def sections(exporter):
    exporter.menu.aboutToShow.emit()
    return [action.text() for action in exporter.menu.actions() if action.isSeparator()]


def asked(exporter, title):
    """The file dialog that a menu entry opens."""
    exporter.menu.aboutToShow.emit()
    next(action for action in exporter.menu.actions() if action.text() == title).trigger()
    return exporter._parent.findChild(QFileDialog, "export_measures")


def test_the_menu_offers_every_table_of_each_text(exporter, session, recording, held_out):
    session.replace_recording(recording)
    assert sections(exporter) == ["Corpus"]
    assert entries(exporter) == [
        ("&Measures at this step...", True),
        ("&Curves of all steps...", True),
        ("Token lengths in &bytes...", True),
        ("Token lengths in c&haracters...", True),
        ("Token &frequencies...", True),
    ]
    held_out.choose_own_text()
    assert sections(exporter) == ["Corpus", "Held-out text"]
    assert [enabled for _, enabled in entries(exporter)] == [True] * 5 + [False] * 5  # it is not measured yet


def test_what_is_not_counted_cannot_be_saved(exporter, session, recording, held_out, qtbot):
    bare = Recording(recording.alphabet, recording.config)
    bare.extend(recording)
    session.replace_recording(bare)
    held_out.choose_own_text()
    with qtbot.waitSignal(held_out.changed):
        held_out.measure_soon()
    assert [enabled for _, enabled in entries(exporter)] == [False] * 5 + [True] * 5


def test_measures_at_the_step(exporter, session, recording, tmp_path, qtbot):
    session.replace_recording(recording)
    session.go_to(3)
    with qtbot.waitSignal(exporter.saved) as saved:
        exporter.save(Table.SCALARS, False, tmp_path / "m.csv")
    assert saved.args == [tmp_path / "m.csv"]
    assert (tmp_path / "m.csv").read_text().startswith("name,value,unit\ntoken_count,54,tokens\n")


def test_curves_go_to_the_last_step_and_take_the_order_of_the_entropy(
    exporter, session, recording, settings, tmp_path, qtbot
):
    session.replace_recording(recording)
    session.go_to(3)
    settings.set(Settings.RENYI_ALPHA, 1.0)
    with qtbot.waitSignal(exporter.saved):
        exporter.save(Table.CURVES, False, tmp_path / "c.csv")
    lines = (tmp_path / "c.csv").read_text().splitlines()
    assert len(lines) == 14
    assert lines[0].startswith("step,token_count,")
    assert float(lines[1].rpartition(",")[2]) == pytest.approx(0.918830, abs=1e-6)  # 3.052 bits of log2 10


def test_tables_of_the_held_out_text(exporter, session, recording, held_out, settings, tmp_path, qtbot):
    session.replace_recording(recording)
    settings.set(Settings.PASTED_TEXT, "low low")
    held_out.choose_own_text()
    with qtbot.waitSignal(held_out.changed):
        held_out.measure_soon()
    with qtbot.waitSignal(exporter.saved):
        exporter.save(Table.SCALARS, True, tmp_path / "h.csv")
    assert "token_count,2,tokens" in (tmp_path / "h.csv").read_text()


def test_a_folder_that_is_gone_is_told(exporter, session, recording, tmp_path, qtbot):
    session.replace_recording(recording)
    with qtbot.waitSignal(exporter.failed) as failed:
        exporter.save(Table.SCALARS, False, tmp_path / "gone" / "m.csv")
    assert failed.args[0].startswith("m.csv cannot be saved: there is no folder")


def test_cancelling_writes_nothing(exporter, session, recording, tmp_path, qtbot):
    session.replace_recording(recording)
    told = []
    exporter.saving_changed.connect(told.append)
    exporter.save(Table.CURVES, False, tmp_path / "c.csv")
    exporter.cancel()
    assert told == [True, False]


def test_the_dialog_proposes_a_name_and_remembers_the_folder(exporter, session, recording, settings, tmp_path, qtbot):
    recording.corpus = Corpus.typed("x", "my text.v2.txt")
    session.replace_recording(recording)
    settings.set(Settings.EXPORT_FOLDER, str(tmp_path))
    dialog = asked(exporter, "&Curves of all steps...")
    assert dialog.directory().absolutePath() == str(tmp_path)
    assert [path.rpartition("/")[2] for path in dialog.selectedFiles()] == ["my_text.v2-curves.csv"]
    (tmp_path / "sub").mkdir()
    with qtbot.waitSignal(exporter.saved):
        dialog.fileSelected.emit(str(tmp_path / "sub" / "c.csv"))
    dialog.reject()
    assert settings.text(Settings.EXPORT_FOLDER) == str(tmp_path / "sub")
    assert (tmp_path / "sub" / "c.csv").exists()
