import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt

from bpe_gui.models.merges_model import MergesModel, Role
from bpe_gui.session import Session
from core.alphabet import Base
from core.merge_table import Column, parse_filter
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.bpe_gui.conftest import trained

Item = Qt.ItemDataRole


@pytest.fixture
def model(session, theme):
    model = MergesModel(session, theme)
    yield model
    model.deleteLater()


def grow(session: Session, recording: Recording, sizes=(5, 1, 100)):
    """Replace the session's recording by an equal one that arrives in batches."""
    empty = Recording(
        recording.alphabet,
        recording.config,
        recording.pipeline,
        recording.corpus,
        recording.word_counts,
        recording.base_counts,
    )
    session.replace_recording(empty)
    merges = list(recording)
    for size in sizes:
        session.append(merges[:size])
        merges = merges[size:]


def column(model: QAbstractItemModel, of: Column, role=Item.DisplayRole):
    return [model.index(row, of).data(role) for row in range(model.rowCount())]


def test_is_a_proper_model_while_it_grows(model, session, recording, qtmodeltester):
    qtmodeltester.check(model, force_py=True)
    grow(session, recording)
    qtmodeltester.check(model, force_py=True)
    assert model.rowCount() == len(recording)


@pytest.mark.parametrize("text", ["", "e"])
@pytest.mark.parametrize("by", [Column.RANK, Column.TOKEN])
@pytest.mark.parametrize("order", list(Qt.SortOrder))
def test_is_a_proper_model_while_it_grows_sorted_and_filtered(
    model, session, recording, qtmodeltester, text, by, order
):
    model.sort(by, order)
    model.set_condition(parse_filter(text))
    qtmodeltester.check(model, force_py=True)
    grow(session, recording)
    qtmodeltester.check(model, force_py=True)
    assert sorted(model.ranks) == ([0, 1, 4, 5, 6, 7, 8, 9, 10, 11] if text else list(range(12)))


def test_takes_each_batch_in_with_one_insertion(model, session, recording, qtbot):
    insertions: list[tuple[int, int]] = []

    def note(parent: QModelIndex, first: int, last: int) -> None:
        insertions.append((first, last))

    model.rowsInserted.connect(note)
    grow(session, recording, (5, 3))
    assert insertions == [(0, 4), (5, 7)]


def test_says_what_a_merge_is(model, session, recording):
    session.replace_recording(recording)
    row = [model.index(0, c).data() for c in Column]
    assert row == ["0", "e", "s", "es", "9", "", "9", "0", "2", "70", "10", ""]
    assert model.index(0, Column.COUNT).data(Role.VALUE) == 9
    assert model.index(0, Column.TOKEN).data(Role.VALUE) == "es"
    assert model.index(0, Column.TOKEN).data(Role.TOKEN_ID) == 10
    assert model.index(0, Column.COUNT).data(Role.TOKEN_ID) is None


def test_numbers_stand_right_and_tokens_left(model, session, recording):
    session.replace_recording(recording)
    for c in Column:
        for alignment in (
            model.index(0, c).data(Item.TextAlignmentRole),
            model.headerData(c, Qt.Orientation.Horizontal, Item.TextAlignmentRole),
        ):
            is_token = c in (Column.LEFT, Column.RIGHT, Column.TOKEN)
            assert bool(alignment & Qt.AlignmentFlag.AlignLeft) is is_token


def test_every_column_explains_itself(model):
    for c in Column:
        assert model.headerData(c, Qt.Orientation.Horizontal)
        assert model.headerData(c, Qt.Orientation.Horizontal, Item.ToolTipRole)


def test_markup_in_a_token_is_text_in_its_tooltip(model, session):
    session.replace_recording(trained("<b><b>", TrainerConfig(base=Base.CHARACTERS), "whitespace"))
    assert any("&lt;b&gt;" in tip for tip in column(model, Column.TOKEN, Item.ToolTipRole))


def test_the_step_divides_the_rows(model, session, recording, qtbot):
    session.replace_recording(recording)
    with qtbot.waitSignal(model.dataChanged):
        session.go_to(3)
    assert column(model, Column.RANK, Role.APPLIES) == [True] * 3 + [False] * (len(recording) - 3)
    assert column(model, Column.RANK, Role.CURRENT).index(True) == 2


def test_filters_and_finds_rows(model, session, recording):
    session.replace_recording(recording)
    model.set_condition(parse_filter("#1-2"))
    assert list(model.ranks) == [1, 2]
    assert model.row_of(2) == 1
    assert model.row_of(0) is None
    model.set_condition(None)
    assert model.rowCount() == len(recording)


def test_sorts_and_returns_to_the_order_of_training(model, session, recording):
    session.replace_recording(recording)
    model.sort(Column.COUNT)
    counts = column(model, Column.COUNT, Role.VALUE)
    assert counts == sorted(counts)
    model.sort(-1)
    assert list(model.ranks) == list(range(len(recording)))


def test_newest_first_takes_new_merges_in_at_the_top(model, session, recording):
    model.sort(Column.RANK, Qt.SortOrder.DescendingOrder)
    grow(session, recording)
    assert list(model.ranks) == list(range(len(recording) - 1, -1, -1))


def test_a_sorted_table_sorts_again_when_no_merge_comes_any_more(model, session, recording, qtbot):
    model.sort(Column.TOKEN)
    grow(session, recording, (5, 5))
    assert list(model.ranks) == list(range(10))
    qtbot.waitUntil(lambda: column(model, Column.TOKEN) == sorted(column(model, Column.TOKEN)))


def test_long_filters_work_in_slices_and_keep_what_arrives_meanwhile(model, session, recording, monkeypatch, qtbot):
    monkeypatch.setattr("bpe_gui.models.merges_model.SLICE_MILLISECONDS", 0)
    grow(session, recording, (5,))
    model.set_condition(parse_filter("count>0"))
    assert model.is_arranging
    session.append(list(recording)[5:7])
    qtbot.waitUntil(lambda: not model.is_arranging)
    assert list(model.ranks) == list(range(7))


def test_another_recording_drops_a_filter_at_work(model, session, recording, monkeypatch, qtbot):
    monkeypatch.setattr("bpe_gui.models.merges_model.SLICE_MILLISECONDS", 0)
    session.replace_recording(recording)
    model.set_condition(parse_filter("#1"))
    grow(session, recording, ())
    qtbot.waitUntil(lambda: not model.is_arranging)
    assert model.rowCount() == 0
