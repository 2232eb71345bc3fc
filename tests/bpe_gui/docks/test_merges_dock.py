import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from bpe_gui.docks.merges_dock import NO_MATCH, NOTHING_YET, MergesDock
from bpe_gui.settings import Settings
from core.alphabet import Base
from core.merge import Merge
from core.merge_table import COUNT_COLUMNS, Column
from core.recording import Recording
from core.trainer import Score, TrainerConfig, build_alphabet
from tests.bpe_gui.conftest import FOUR_WORDS, trained


def long_recording(merges: int) -> Recording:
    config = TrainerConfig()
    recording = Recording(build_alphabet({}, config), config, base_counts={64: 1_000_000})
    recording.extend(made(0, merges))
    return recording


def made(first: int, last: int) -> list[Merge]:
    return [Merge(rank, 64, 65, 256 + rank, 5, 5, 1) for rank in range(first, last)]


@pytest.fixture
def dock(session, settings, theme, qtbot):
    dock = MergesDock(session, settings, theme)
    qtbot.addWidget(dock)
    dock.resize(420, 300)
    dock.show()
    qtbot.waitExposed(dock)
    return dock


def current_rank(dock):
    index = dock.table.currentIndex()
    return dock.model.ranks[index.row()] if index.isValid() else None


def in_view(dock, rank):
    rectangle = dock.table.visualRect(dock.model.index(dock.model.row_of(rank), 0))
    return dock.table.viewport().rect().contains(rectangle.center())


def test_an_empty_table_says_what_will_come(dock, session, recording):
    assert dock.nothing.text() == NOTHING_YET
    assert dock.nothing.isVisible()
    session.replace_recording(recording)
    assert dock.table.isVisible()


def test_the_current_row_is_the_merge_of_the_step(dock, session, recording):
    session.replace_recording(recording)
    assert current_rank(dock) == len(recording) - 1
    session.go_to(3)
    assert current_rank(dock) == 2
    session.go_to(0)
    assert current_rank(dock) is None


def test_each_click_shows_once_where_the_merge_applied(dock, session, recording, qtbot):
    session.replace_recording(recording)
    session.go_to(1)
    revealed = []
    session.merge_revealed.connect(revealed.append)
    place = dock.table.visualRect(dock.model.index(1, Column.TOKEN)).center()
    qtbot.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert revealed == [1]
    assert session.step == 2
    qtbot.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert revealed == [1, 1]


def test_scrubbing_reveals_nothing(dock, session, recording):
    session.replace_recording(recording)
    revealed = []
    session.merge_revealed.connect(revealed.append)
    session.go_to(4)
    assert revealed == []


@pytest.mark.parametrize(
    ("key", "step"),
    [
        (Qt.Key.Key_Up, 4),
        (Qt.Key.Key_Down, 6),
        (Qt.Key.Key_Home, 1),
        (Qt.Key.Key_End, 12),
        (Qt.Key.Key_PageUp, 1),
        (Qt.Key.Key_Return, 5),
    ],
)
def test_keys_choose_a_row(dock, session, recording, qtbot, key, step):
    dock.resize(420, 700)
    session.replace_recording(recording)
    session.go_to(5)
    with qtbot.waitSignal(session.merge_revealed):
        qtbot.keyClick(dock.table, key)
    assert session.step == step


def test_follows_the_end_while_it_stands_there(dock, session):
    session.replace_recording(long_recording(100))
    session.append(made(100, 300))
    QApplication.processEvents()
    assert current_rank(dock) == 299
    assert in_view(dock, 299)


def whole_in_view(dock, rank):
    rectangle = dock.table.visualRect(dock.model.index(dock.model.row_of(rank), Column.RANK))
    return rectangle.top() >= 0 and rectangle.bottom() < dock.table.viewport().height()


@pytest.mark.parametrize("pixels_more", range(40))  # more than a row is high
def test_follows_the_end_at_every_height(dock, session, pixels_more):
    dock.resize(420, 200 + pixels_more)
    session.replace_recording(long_recording(1))
    for rank in range(1, 15):
        session.append(made(rank, rank + 1))
        QApplication.processEvents()
        assert whole_in_view(dock, rank)


@pytest.mark.parametrize("height", range(180, 260, 7))
def test_the_end_stays_in_view_when_the_panel_changes_its_height(dock, session, height):
    session.replace_recording(long_recording(100))
    dock.resize(420, height)
    QApplication.processEvents()
    assert whole_in_view(dock, 99)
    session.append(made(100, 101))
    QApplication.processEvents()
    assert whole_in_view(dock, 100)


def test_a_row_before_the_end_stays_in_view_when_the_panel_shrinks(dock, session):
    dock.resize(420, 700)
    session.replace_recording(long_recording(12))
    session.go_to(1)
    dock.resize(420, 200)
    QApplication.processEvents()
    assert in_view(dock, 0)


def test_stays_where_the_person_scrolled(dock, session):
    session.replace_recording(long_recording(100))
    dock.table.verticalScrollBar().setValue(20)
    session.append(made(100, 300))
    QApplication.processEvents()
    assert dock.table.verticalScrollBar().value() == 20
    assert current_rank(dock) == 299


def test_does_not_follow_when_the_step_stands_elsewhere(dock, session):
    session.replace_recording(long_recording(100))
    session.go_to(50)
    session.append(made(100, 300))
    assert current_rank(dock) == 49
    assert in_view(dock, 49)


def test_a_step_far_away_comes_into_view(dock, session):
    session.replace_recording(long_recording(1_000))
    session.go_to(500)
    assert in_view(dock, 499)
    session.go_to(1_000)
    assert in_view(dock, 999)


def test_the_first_merges_are_seen_at_step_0(dock, session):
    session.replace_recording(long_recording(1_000))
    assert not in_view(dock, 0)
    session.go_to(0)
    assert in_view(dock, 0)


def test_filters_while_typing(dock, session, recording, qtbot):
    session.replace_recording(recording)
    qtbot.keyClicks(dock.filter, "est")
    assert list(dock.model.ranks) == [1, 6, 7, 8, 9]
    assert dock.shown.text() == "5 of 12 merges"


def test_a_filter_without_a_match_says_so(dock, session, recording):
    session.replace_recording(recording)
    dock.filter.setText("xyz")
    assert dock.nothing.text() == NO_MATCH
    assert dock.nothing.isVisible()


def test_a_bad_filter_says_what_is_wrong_and_keeps_the_rows(dock, session, recording):
    session.replace_recording(recording)
    dock.filter.setText("count>")
    assert dock.error.text() == "A whole number must follow count>, as in count>100."
    assert dock.error.isVisible()
    assert dock.model.rowCount() == len(recording)
    dock.filter.clear()
    assert not dock.error.isVisible()


def test_the_filter_can_be_reached(dock):
    dock.hide()
    dock.focus_filter()
    assert dock.isVisible()
    assert dock.focusWidget() is dock.filter


def test_the_current_row_returns_when_the_filter_is_lifted(dock, session, recording):
    session.replace_recording(recording)
    session.go_to(1)
    dock.filter.setText("#5")
    assert current_rank(dock) is None
    dock.filter.clear()
    assert current_rank(dock) == 0


def test_copies_a_row(dock, session, recording, qtbot):
    session.replace_recording(recording)
    session.go_to(1)
    with qtbot.waitSignal(QGuiApplication.clipboard().dataChanged):
        qtbot.keyClick(dock.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[1].split("\t") == [
        "0", "e", "s", "es", "9", "9", "0", "2", "70", "10"
    ]  # fmt: skip
    assert dock.shown.text() == "1 row copied"


def test_the_menu_copies_all_rows_shown(dock, session, recording, qtbot):
    session.replace_recording(recording)
    dock.filter.setText("est")
    dock.table.customContextMenuRequested.emit(QPoint(5, 5))
    (menu,) = dock.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    texts = [action.text() for action in menu.actions()]
    assert texts == ["&Go to this step", "&Copy this row", "Copy &all rows shown", "C&olumns"]
    with qtbot.waitSignal(QGuiApplication.clipboard().dataChanged):
        menu.actions()[2].trigger()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 6
    menu.close()


def test_a_recording_without_counts_hides_their_columns(dock, session):
    config = TrainerConfig()
    recording = Recording(build_alphabet({}, config), config)
    recording.extend(made(0, 3))
    session.replace_recording(recording)
    assert all(dock.table.isColumnHidden(column) for column in COUNT_COLUMNS)
    session.replace_recording(long_recording(3))
    shown = [column for column in COUNT_COLUMNS if not dock.table.isColumnHidden(column)]
    assert shown == [Column.COUNT, Column.APPLIED, Column.TIED, Column.TOKENS_LEFT]


def test_scores_have_a_column_where_they_choose(dock, session, recording):
    session.replace_recording(recording)
    assert dock.table.isColumnHidden(Column.SCORE)
    config = TrainerConfig(base=Base.CHARACTERS, score=Score.WORDPIECE, merges=4)
    session.replace_recording(trained(FOUR_WORDS, config, "whitespace"))
    assert not dock.table.isColumnHidden(Column.SCORE)
    assert dock.model.index(0, Column.SCORE).data() == "0.333"
    dock.filter.setText("score<0.3")
    assert 0 not in dock.model.ranks


def columns_menu(dock):
    dock.table.horizontalHeader().customContextMenuRequested.emit(QPoint(5, 5))
    return dock.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)[-1]


def test_columns_can_be_shown_and_hidden_and_stay_so(dock, session, recording, settings, theme, qtbot):
    session.replace_recording(recording)
    menu = columns_menu(dock)
    actions = {action.text(): action for action in menu.actions()}
    numbers = ["Count", "Score", "Applied", "Completed", "Tied", "Tokens left", "Id", "Ways"]
    assert list(actions) == ["Left", "Right", *numbers]
    assert not actions["Score"].isEnabled()
    assert not actions["Ways"].isEnabled()
    actions["Completed"].trigger()
    actions["Tied"].trigger()
    menu.close()
    second = MergesDock(session, settings, theme)
    qtbot.addWidget(second)
    for shown in (dock, second):
        assert not shown.table.isColumnHidden(Column.COMPLETED)
        assert shown.table.isColumnHidden(Column.TIED)


def test_the_columns_menu_is_in_the_menu_of_the_rows_too(dock, session, recording):
    session.replace_recording(recording)
    dock.table.customContextMenuRequested.emit(QPoint(5, 5))
    (menu,) = dock.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    (columns,) = menu.findChildren(QMenu)
    next(action for action in columns.actions() if action.text() == "Count").trigger()
    assert dock.table.isColumnHidden(Column.COUNT)
    menu.close()


def test_the_menu_offers_what_else_can_be_done_with_a_row(dock, session, recording):
    session.replace_recording(recording)
    forbid = QAction("&Forbid this merge", dock)
    dock.set_row_actions([forbid])
    dock.table.customContextMenuRequested.emit(QPoint(5, 5))
    (menu,) = dock.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert forbid in menu.actions()
    menu.close()


def test_the_width_of_a_hidden_column_is_remembered_too(dock, session, settings, theme, qtbot):
    session.replace_recording(long_recording(3))
    with qtbot.waitSignal(settings.changed):
        dock.table.setColumnWidth(Column.TIED, 91)
    settings.set(Settings.MERGES_HIDDEN, "tied")
    second = MergesDock(session, settings, theme)
    qtbot.addWidget(second)
    with qtbot.waitSignal(settings.changed):
        second.table.setColumnWidth(Column.COUNT, 99)
    assert "tied=91" in settings.text(Settings.MERGES_WIDTHS)


def test_the_first_columns_fit_into_the_panel_of_the_first_window(dock, session):
    """It is 450 pixels wide and leaves 436 for the columns; 8 of them are a digit there."""
    session.replace_recording(long_recording(100))
    table, metrics = dock.table, dock.table.fontMetrics()
    digit = metrics.horizontalAdvance("0")
    assert table.horizontalHeader().sectionPosition(Column.TIED) <= 436 * digit / 8
    assert table.columnWidth(Column.COUNT) >= metrics.horizontalAdvance("123,456")


@pytest.mark.parametrize("column", [Column.LEFT, Column.RIGHT, Column.TOKEN])
def test_chips_use_their_column_before_they_shorten_a_token(dock, column):
    chips, width = dock.table.itemDelegate(), dock.table.columnWidth(column)
    room = width - 10
    longest = max(range(1, 40), key=lambda n: n if chips._metrics.horizontalAdvance("m" * n) <= room else 0)
    assert chips.shown_text("m" * longest, width) == "m" * longest
    assert "…" in chips.shown_text("m" * (longest + 2), width)


def test_titles_are_those_of_the_timeline(dock):
    titles = [dock.model.headerData(column, Qt.Orientation.Horizontal) for column in Column]
    assert titles == [
        "Rank", "Left", "Right", "Token",
        "Count", "Score", "Applied", "Completed", "Tied", "Tokens left", "Id", "Ways",
    ]  # fmt: skip


def test_column_widths_are_remembered(dock, session, settings, theme, qtbot):
    session.replace_recording(long_recording(3))
    with qtbot.waitSignal(settings.changed):
        dock.table.setColumnWidth(Column.TOKEN, 177)
    second = MergesDock(session, settings, theme)
    qtbot.addWidget(second)
    assert second.table.columnWidth(Column.TOKEN) == 177


@pytest.mark.parametrize(
    "stored", ["nonsense", "1,2", ",,,,", "0,0,0", "token=0", "token=", "=5", "token=-7", "other=9"]
)
def test_stored_widths_that_make_no_sense_do_no_harm(session, settings, theme, qtbot, stored):
    settings.set(Settings.MERGES_WIDTHS, stored)
    dock = MergesDock(session, settings, theme)
    qtbot.addWidget(dock)
    assert dock.table.columnWidth(Column.TOKEN_ID) > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_can_be_drawn(dock, session, recording, settings, scheme):
    settings.set(Settings.THEME, scheme)
    session.replace_recording(recording)
    session.go_to(5)
    image = dock.table.viewport().grab().toImage()
    colors = {image.pixelColor(x, y).rgb() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}
    assert len(colors) > 20


def test_ranks_of_six_digits_are_seen_whole(dock, session):
    session.replace_recording(long_recording(100))
    before = dock.table.columnWidth(Column.RANK)
    dock.table.make_room_for_ranks(446_189)
    assert dock.table.columnWidth(Column.RANK) >= dock.table.fontMetrics().horizontalAdvance("446,189") + 8
    dock.table.make_room_for_ranks(100)
    assert dock.table.columnWidth(Column.RANK) >= before
