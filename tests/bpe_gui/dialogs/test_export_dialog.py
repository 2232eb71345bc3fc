"""The export dialog from its first choice to the files on the disk."""

import threading
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QMessageBox

from bpe_gui.dialogs import export_plan
from bpe_gui.dialogs.export_dialog import ExportDialog
from bpe_gui.dialogs.export_plan import GROUPS, Written
from bpe_gui.settings import Settings
from bpe_gui.widgets.fitting_scroll_area import FittingScrollArea
from core.formats import EXPORTS, FORMATS, Difference, ExportResult, SelfTest, Severity
from core.formats.self_test import exporting
from core.trainer import TrainerConfig
from tests.bpe_gui.conftest import FOUR_WORDS, trained

WRITABLE = ("huggingface", "gpt2", "tiktoken", "timeline-csv", "timeline-json", "word-counts")


@pytest.fixture
def folder(tmp_path, settings):
    folder = tmp_path / "exports"
    folder.mkdir()
    settings.set(Settings.EXPORT_FOLDER, str(folder))
    return folder


@pytest.fixture
def open_dialog(qtbot, session, settings, theme, folder):
    def open(format_name: str = "huggingface", step: int | None = None) -> ExportDialog:
        settings.set(Settings.EXPORT_FORMAT, format_name)
        if not session.last_step:
            session.replace_recording(trained(FOUR_WORDS, TrainerConfig(merges=10)))
        if step is not None:
            session.go_to(step)
        dialog = ExportDialog(session, settings, theme)
        qtbot.addWidget(dialog)
        with qtbot.waitSignal(dialog.plan_made):
            dialog.show()
        return dialog

    return open


def click(qtbot, button) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def export(qtbot, dialog: ExportDialog) -> None:
    with qtbot.waitSignal(dialog.export_ended, timeout=20_000):
        click(qtbot, dialog.export_button)


@pytest.mark.parametrize("name", WRITABLE)
def test_every_format_from_choice_to_file(qtbot, open_dialog, settings, folder, name):
    dialog = open_dialog("timeline-csv" if name != "timeline-csv" else "gpt2")
    with qtbot.waitSignal(dialog.plan_made):
        dialog.form.choose(name)
    assert dialog.form.preview.toPlainText()
    export(qtbot, dialog)
    page = dialog.result_page
    assert page.isVisible()
    paths = [line for line in page.files.toPlainText().splitlines() if line]
    assert paths
    assert all(path.startswith(str(folder)) for path in paths)
    assert page.verdict_label.isVisible() == (FORMATS[name].read is not None)
    if FORMATS[name].read:
        assert "give the same ids and text" in page.verdict_label.text()
        assert page.verdict_label.property("role") == "success"
        assert page.snippet.toPlainText()
    assert settings.text(Settings.EXPORT_FORMAT) == name
    assert settings.text(Settings.EXPORT_FOLDER) == str(folder)


def test_by_keyboard_alone(qtbot, open_dialog, folder):
    dialog = open_dialog("huggingface")
    dialog.form.format_list.setFocus()
    with qtbot.waitSignal(dialog.plan_made):
        qtbot.keyClick(dialog.form.format_list, Qt.Key.Key_End)
        qtbot.keyClick(dialog.form.format_list, Qt.Key.Key_Up)
    dialog.form.name_field.setFocus()
    dialog.form.name_field.selectAll()
    with qtbot.waitSignal(dialog.plan_made):
        qtbot.keyClicks(dialog.form.name_field, "mine")
    with qtbot.waitSignal(dialog.export_ended):
        qtbot.keyClick(dialog.form.name_field, Qt.Key.Key_Return)
    assert list(EXPORTS)[-2] == "timeline-json"
    assert (folder / "mine.json").exists()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_current_step_or_all_merges(qtbot, open_dialog, folder):
    dialog = open_dialog("timeline-csv", step=4)
    assert "step 4" in dialog.form.current_radio.text()
    assert "10 merges" in dialog.form.all_radio.text()
    export(qtbot, dialog)
    assert len((folder / "merges.csv").read_text().splitlines()) == 5
    click(qtbot, dialog.back_button)
    with qtbot.waitSignal(dialog.plan_made):
        dialog.form.name_field.setText("all")
        dialog.form.all_radio.setChecked(True)
    export(qtbot, dialog)
    assert len((folder / "all.csv").read_text().splitlines()) == 11


def test_at_step_0_all_merges_are_offered_first(open_dialog):
    assert open_dialog("timeline-csv", step=0).form.all_radio.isChecked()


def test_a_refusal_says_why_and_disables_export(qtbot, open_dialog, session, recording):
    session.replace_recording(recording)
    dialog = open_dialog("tiktoken")
    assert not dialog.export_button.isEnabled()
    findings = dialog.form.findings.list.findings
    assert [finding.severity for finding in findings] == [Severity.REFUSAL]
    assert "256 bytes" in findings[0].message
    assert dialog.form.status_label.text() == "This tokenizer cannot be saved as tiktoken ranks."
    assert dialog.form.status_label.property("role") == "danger"
    with qtbot.waitSignal(dialog.plan_made):
        dialog.form.choose("huggingface")
    assert dialog.export_button.isEnabled()


def test_a_place_that_will_not_do_is_named(qtbot, open_dialog, folder):
    dialog = open_dialog()
    with qtbot.waitSignal(dialog.plan_made):
        dialog.form.folder_field.setText(str(folder / "missing"))
    assert dialog.form.status_label.text().startswith("There is no folder")
    assert not dialog.export_button.isEnabled()
    with qtbot.waitSignal(dialog.plan_made):
        dialog.form.folder_field.setText(str(folder))
        dialog.form.name_field.setText("a/b")
    assert not dialog.export_button.isEnabled()


def test_a_failure_is_shown_and_nothing_is_lost(qtbot, open_dialog, folder):
    dialog = open_dialog("timeline-csv")
    (folder / "merges.csv").mkdir()  # appears behind the dialog's back
    with qtbot.waitSignal(dialog.export_ended):
        dialog._start_export()
    assert "there is a folder of that name" in dialog.form.status_label.text()
    assert dialog.form.status_label.property("role") == "danger"
    assert dialog.form.name_field.text() == "merges.csv"
    with qtbot.waitSignal(dialog.plan_made):
        dialog.form.name_field.setText("other.csv")
    export(qtbot, dialog)
    assert (folder / "other.csv").exists()


def question(qtbot, dialog: ExportDialog) -> QMessageBox:
    qtbot.waitUntil(lambda: dialog.findChild(QMessageBox) is not None)
    box = dialog.findChild(QMessageBox)
    assert isinstance(box, QMessageBox)
    return box


def button_of(box: QMessageBox, text: str) -> QAbstractButton:
    return next(button for button in box.buttons() if text in button.text())


def test_files_are_replaced_only_when_the_user_says_so(qtbot, open_dialog, folder):
    target = folder / "merges.csv"
    target.write_text("old")
    dialog = open_dialog("timeline-csv")
    assert "there already" in dialog.form.status_label.text()
    click(qtbot, dialog.export_button)
    box = question(qtbot, dialog)
    assert "merges.csv" in box.informativeText()
    click(qtbot, button_of(box, "Cancel"))
    qtbot.waitUntil(lambda: dialog.findChild(QMessageBox) is None)
    assert target.read_text() == "old"
    click(qtbot, dialog.export_button)
    with qtbot.waitSignal(dialog.export_ended):
        click(qtbot, button_of(question(qtbot, dialog), "Replace"))
    assert target.read_text().startswith("rank,")


def slow_export(release, *arguments):
    release.wait(10)
    yield from exporting(*arguments)


@pytest.fixture
def held_export(monkeypatch):
    """Exports wait until this event is set."""
    release = threading.Event()
    monkeypatch.setattr(export_plan, "exporting", partial(slow_export, release))
    yield release
    release.set()


def test_cancelled_while_busy_writes_nothing(qtbot, open_dialog, folder, held_export):
    dialog = open_dialog("timeline-csv")
    click(qtbot, dialog.export_button)
    assert dialog.is_exporting
    assert dialog.form.progress.isVisible()
    assert not dialog.form.name_field.isEnabled()
    click(qtbot, dialog.cancel_button)
    assert dialog.isVisible()
    assert dialog.form.status_label.text() == "Cancelling…"
    with qtbot.waitSignal(dialog.export_ended):
        held_export.set()
    assert dialog.form.status_label.text() == "Cancelled. Nothing was written."
    assert list(folder.iterdir()) == []
    assert dialog.export_button.isEnabled()


def test_closing_the_window_while_busy_cancels_first(qtbot, open_dialog, folder, held_export):
    dialog = open_dialog("timeline-csv")
    click(qtbot, dialog.export_button)
    dialog.close()
    assert dialog.isVisible()
    with qtbot.waitSignal(dialog.export_ended):
        held_export.set()
    dialog.close()
    assert not dialog.isVisible()


def test_a_dialog_destroyed_while_busy_ends_its_thread(qtbot, open_dialog, folder, held_export):
    dialog = open_dialog("timeline-csv")
    click(qtbot, dialog.export_button)
    held_export.set()
    dialog.hide()
    dialog.deleteLater()


def test_a_fault_of_the_program_does_not_hold_the_dialog(qtbot, open_dialog, folder, monkeypatch):
    def fail(*arguments):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(export_plan, "exporting", fail)
    dialog = open_dialog("timeline-csv")
    with qtbot.capture_exceptions(), qtbot.waitSignal(dialog.export_ended):
        click(qtbot, dialog.export_button)
    assert "ZeroDivisionError" in dialog.form.status_label.text()
    dialog.close()
    assert not dialog.isVisible()


def test_a_folder_that_is_gone_is_not_offered(qtbot, open_dialog, folder, settings):
    folder.rmdir()
    assert open_dialog().form.folder_field.text() not in ("", str(folder))


def test_differences_are_shown(qtbot, open_dialog, folder):
    dialog = open_dialog("huggingface")
    request = dialog.form.request()
    difference = Difference("it’s", (1, 2), (1, 3), "it’s", "it’s")
    result = ExportResult((request.path,), (), SelfTest(False, 44, (difference,)))
    dialog.result_page.show_result(request, Written(result))
    assert dialog.result_page.verdict_label.property("role") == "danger"
    assert "'it’s'" in dialog.result_page.differences.toPlainText()
    assert "1, 3" in dialog.result_page.differences.toPlainText()


def test_paths_and_code_are_copied_and_the_folder_opened(qtbot, open_dialog, folder, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    dialog = open_dialog("gpt2")
    export(qtbot, dialog)
    click(qtbot, dialog.result_page.copy_path_button)
    assert str(folder / "gpt2" / "merges.txt") in QGuiApplication.clipboard().text().splitlines()
    click(qtbot, dialog.result_page.copy_code_button)
    assert QGuiApplication.clipboard().text() == dialog.result_page.snippet.toPlainText() != ""
    click(qtbot, dialog.result_page.open_button)
    assert [url.toLocalFile() for url in opened] == [str(folder / "gpt2")]


def test_browse_takes_the_folder(qtbot, open_dialog, folder):
    dialog = open_dialog()
    click(qtbot, dialog.form.browse_button)
    chooser = dialog.findChild(QFileDialog)
    assert isinstance(chooser, QFileDialog)
    with qtbot.waitSignal(dialog.plan_made):
        chooser.fileSelected.emit(str(folder.parent))
    assert dialog.form.folder_field.text() == str(folder.parent)
    chooser.close()


def test_another_recording_is_taken(qtbot, open_dialog, session, recording):
    dialog = open_dialog("tiktoken")
    assert dialog.export_button.isEnabled()
    with qtbot.waitSignal(dialog.plan_made):
        session.replace_recording(recording)
    assert not dialog.export_button.isEnabled()


def test_light_and_dark(qtbot, open_dialog, settings):
    dialog = open_dialog("timeline-csv")
    for name in ("dark", "light"):
        settings.set(Settings.THEME, name)
        assert not dialog.grab().isNull()


def test_on_a_low_screen_it_scrolls_above_its_buttons(qtbot, open_dialog):
    dialog = open_dialog()
    screen = dialog.screen().availableGeometry()
    assert dialog.width() <= screen.width()
    assert dialog.height() <= screen.height()
    bar = dialog.findChild(FittingScrollArea).verticalScrollBar()
    assert bar.maximum() == 0
    dialog.resize(dialog.width(), 260)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert dialog.rect().contains(dialog.buttons.geometry())
    assert dialog.form.folder_field.visibleRegion().isEmpty()
    dialog.form.name_field.setFocus()
    qtbot.keyClick(dialog.form.name_field, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: not dialog.form.folder_field.visibleRegion().isEmpty())


def test_the_list_shows_what_each_format_would_say(qtbot, open_dialog):
    dialog = open_dialog("huggingface")
    items = dialog.form._items
    qtbot.waitUntil(lambda: len(dialog.form._looks) == len(EXPORTS))
    assert "256 bytes" not in items["tiktoken"].toolTip()
    assert items["tiktoken"].foreground().color() == dialog._theme.colors.text


def test_a_refused_format_can_be_seen_in_the_list(qtbot, open_dialog, session, recording, theme):
    session.replace_recording(recording)
    dialog = open_dialog("huggingface")
    item = dialog.form._items["tiktoken"]
    qtbot.waitUntil(lambda: "256 bytes" in item.toolTip())
    assert item.foreground().color() == theme.colors.muted
    assert dialog.form.format.name == "huggingface"


def test_headings_cannot_be_chosen(qtbot, open_dialog):
    dialog = open_dialog(GROUPS["Reports"][0].name)
    form = dialog.form
    form.format_list.setFocus()
    tokenizers = [format.name for format in GROUPS["Other tools"]]
    with qtbot.waitSignal(dialog.plan_made):
        qtbot.keyClick(form.format_list, Qt.Key.Key_Up)
    assert form.format.name == tokenizers[-1]
    assert form.format_label.text() == EXPORTS[tokenizers[-1]].title
    assert form.help_label.text() == EXPORTS[tokenizers[-1]].help


def test_code_in_both_languages(qtbot, open_dialog):
    dialog = open_dialog("huggingface")
    export(qtbot, dialog)
    page = dialog.result_page
    assert [page.language_tabs.tabText(i) for i in range(page.language_tabs.count())] == ["Python", "JavaScript"]
    assert "from tokenizers import" in page.snippet.toPlainText()
    page.language_tabs.setFocus()
    qtbot.keyClick(page.language_tabs, Qt.Key.Key_Right)
    click(qtbot, page.copy_code_button)
    assert "@huggingface/tokenizers" in QGuiApplication.clipboard().text()
    assert not page.no_code_label.isVisible()


def test_why_there_is_no_javascript(qtbot, open_dialog):
    dialog = open_dialog("gpt2")
    export(qtbot, dialog)
    page = dialog.result_page
    assert page.language_tabs.count() == 1
    assert page.no_code_label.isVisible()
    assert page.no_code_label.text() == FORMATS["gpt2"].no_javascript


def test_stopped_while_reading_back(qtbot, open_dialog, folder, monkeypatch):
    release = threading.Event()

    def held(*arguments):
        work = exporting(*arguments)
        yield next(work)
        release.wait(10)
        yield from work

    monkeypatch.setattr(export_plan, "exporting", held)
    dialog = open_dialog("huggingface")
    click(qtbot, dialog.export_button)
    qtbot.waitUntil(lambda: "Reading back" in dialog.form.status_label.text())
    click(qtbot, dialog.cancel_button)
    with qtbot.waitSignal(dialog.export_ended):
        release.set()
    assert "nothing proves them" in dialog.result_page.verdict_label.text()
    assert dialog.result_page.verdict_label.property("role") == "warning"
    assert (folder / "tokenizer" / "tokenizer.json").exists()
