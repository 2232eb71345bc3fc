import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from bpe_gui.settings import Settings
from bpe_gui.widgets.token_view import TokenView
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.segmentation import Segmenter
from core.trainer import TrainerConfig, build_alphabet

pytestmark = pytest.mark.qt_log_ignore("OpenType support missing")

TEXT = "low lower newest widest"


@pytest.fixture
def view(qtbot, session, settings, theme, recording):
    view = TokenView(session, settings, theme)
    qtbot.addWidget(view)
    view.resize(600, 300)
    session.replace_recording(recording)
    view.show_text(Segmenter(recording, TEXT))
    view.move(100, 100)
    QCursor.setPos(5, 5)  # an earlier test left the mouse somewhere
    view.show()
    return view


def point_of(view, character):
    for shown in view._rows():
        if shown.row.start <= character < shown.row.end:
            return shown.row.box(character, shown.y).center() + QPointF(12, 0)
    raise AssertionError(f"character {character} is not in view")


def shown_tokens(view):
    return [view.segmenter.shown_text(span.segment) for shown in view._rows() for span in shown.spans]


def test_the_tokens_follow_the_step(view, session):
    session.go_to(0)
    assert shown_tokens(view)[:4] == ["l", "o", "w", " "]
    session.go_to(session.last_step)
    assert shown_tokens(view)[0] == "low"


def test_tokens_follow_a_recording_that_grows(view, session, recording):
    growing = Recording(recording.alphabet, recording.config, recording.pipeline)
    session.replace_recording(growing)
    view.show_text(Segmenter(growing, "newest"))
    assert shown_tokens(view) == ["n", "e", "w", "e", "s", "t"]
    session.append([recording[0]])
    assert shown_tokens(view) == ["n", "e", "w", "es", "t"]


def test_another_recording_of_the_same_text_keeps_what_is_known_of_it(view, session, recording):
    text = "low lower\n" * 900
    view.show_text(Segmenter(recording, text))
    blocks = view._shown.blocks
    growing = Recording(recording.alphabet, recording.config, recording.pipeline)
    session.replace_recording(growing)
    view.show_text(Segmenter(growing, text))
    assert view._shown.blocks is blocks
    view.show_text(None, "Nothing yet.")
    assert view.segmenter is None


def test_a_token_is_found_under_the_mouse(view, session):
    session.go_to(session.last_step)
    segment = view.token_at(point_of(view, 1))
    assert (segment.start, segment.end) == (0, 3)
    assert view.token_at(QPointF(590, 290)) is None


def test_facts_of_the_token_under_the_mouse(view, session, qtbot):
    session.go_to(1)
    es = TEXT.index("est")
    with qtbot.waitSignal(view.facts_changed) as blocker:
        qtbot.mouseMove(view.viewport(), point_of(view, es).toPoint())
    assert blocker.args[0].startswith("es  ·  id 10  ·  bytes 65 73 (hex)  ·  rank 0: e + s  ·  9 times in the corpus")
    assert view.accessibleDescription() == blocker.args[0]
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert view.accessibleDescription() == ""


def test_tooltip(view, session):
    session.go_to(1)
    at = point_of(view, 0).toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)
    assert "<b>l</b>" in QToolTip.text()
    QToolTip.hideText()


def test_arrow_keys_walk_through_the_tokens(view, session, qtbot):
    session.go_to(0)
    lines = []
    view.facts_changed.connect(lines.append)
    for _ in range(4):
        qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert [line.split()[0] for line in lines] == ["l", "o", "w", "l", "w"]
    session.go_to(session.last_step)
    assert view.segmenter.shown_text(view._cursor) == "low"


def test_enter_reveals_the_merge_of_the_token(view, session, qtbot, recording):
    session.go_to(session.last_step)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    low = view._cursor.token_id
    with qtbot.waitSignal(session.merge_revealed) as blocker:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert blocker.args == [recording.rank_of_token(low)]


def test_a_click_tells_a_merged_token_only(view, session, qtbot):
    session.go_to(1)
    clicked = []
    view.token_clicked.connect(clicked.append)
    button = Qt.MouseButton.LeftButton
    qtbot.mouseClick(view.viewport(), button, pos=point_of(view, 0).toPoint())
    qtbot.mouseClick(view.viewport(), button, pos=point_of(view, TEXT.index("est")).toPoint())
    assert clicked == [10]


def test_a_revealed_merge_is_scrolled_to(view, session, recording, qtbot):
    text = "lo\n" * 3_000 + "widest\n" + "lo\n" * 3_000
    view.show_text(Segmenter(recording, text))
    session.reveal_merge(0)
    qtbot.waitUntil(lambda: "widest" in "".join(shown.row.text for shown in view._rows()), timeout=5_000)
    assert any(span.segment.is_new for shown in view._rows() for span in shown.spans)


def test_a_merge_that_applies_nowhere_is_told(view, session, recording, qtbot):
    view.show_text(Segmenter(recording, "lo lo"))
    with qtbot.waitSignal(view.merge_missing) as blocker:
        session.reveal_merge(0)
    assert blocker.args == [0]


def test_scrolling_reaches_both_ends(view, recording, qtbot):
    text = "".join(f"{n}\n" for n in range(5_000))
    view.show_text(Segmenter(recording, text))
    bar = view.verticalScrollBar()
    assert view._rows()[0].row.text == "0\n"
    bar.setValue(bar.maximum())
    last = view._rows()[-1]
    assert last.row.text == "4999\n"
    assert last.y + last.row.height <= view.viewport().height()
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert bar.value() == 0
    seen = set()
    while bar.value() < bar.maximum():
        seen.update(shown.row.text for shown in view._rows())
        qtbot.keyClick(view, Qt.Key.Key_PageDown)
    seen.update(shown.row.text for shown in view._rows())
    assert len(seen) == 5_000
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert bar.value() < bar.maximum()


def test_a_short_text_does_not_scroll(view):
    assert view.verticalScrollBar().maximum() == 0


def test_the_first_row_stays_when_the_view_gets_narrower(view, recording):
    view.show_text(Segmenter(recording, "".join(f"line number {n} of the text\n" for n in range(2_000))))
    view.verticalScrollBar().setValue(10_000)
    first = view._rows()[1].row.start
    view.resize(350, 300)
    assert abs(view._rows()[0].row.start - first) < 80


def test_copying(view, session):
    session.go_to(1)
    view.copy_visible()
    assert QGuiApplication.clipboard().text().endswith("n|e|w|es|t| |w|i|d|es|t")
    view._move_cursor(forward=True)
    view._copy_id()
    assert QGuiApplication.clipboard().text() == str(view._cursor.token_id)
    view._copy_token()
    assert QGuiApplication.clipboard().text() == "l"


def test_context_menu(view, session, qtbot):
    session.go_to(1)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.RightButton, pos=point_of(view, TEXT.index("est")).toPoint())
    menu = view._menu()
    assert isinstance(menu, QMenu)
    assert [action.isEnabled() for action in menu.actions()] == [True] * 4
    menu.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("shows_white_space", [False, True])
@pytest.mark.parametrize("monospaced", [False, True])
def test_any_text_is_painted(view, session, settings, recording, dark, shows_white_space, monospaced):
    settings.set(Settings.THEME, "dark" if dark else "light")
    settings.set(Settings.SHOW_WHITESPACE, shows_white_space)
    settings.set(Settings.MONOSPACED, monospaced)
    text = "low Z 中文 שלום مرحبا 👨\u200d👩 \u202e\u2028\x00\t\r\n\rlow" + "x" * 3_000
    alphabet = build_alphabet({}, TrainerConfig())
    bytes_only = Recording(alphabet, pipeline=Pipeline(pre_tokenizer=PRE_TOKENIZERS["gpt2"]))
    for one in (recording, bytes_only):
        session.replace_recording(one)
        view.show_text(Segmenter(one, text))
        view._move_cursor(forward=True)
        view.setFocus()
        view._hover(view.token_at(QPointF(20, 20)))
        image = view.grab().toImage()
        assert len({image.pixelColor(x, 28).rgb() for x in range(10, 500)}) > 5


def test_only_rows_in_view_are_cut_and_encoded(view, recording):
    segmenter = Segmenter(recording, "some text that is long\n" * 200_000)
    view.show_text(segmenter)
    view.grab()
    assert len(segmenter._cells) < 5


def test_a_merge_pulses_once_if_things_may_move(view, session, settings, qtbot):
    view._last_step_time = 0.0
    session.go_to(2)
    assert view._pulse.state() is view._pulse.State.Running
    session.go_to(3)  # at once: no pulse, the outline only
    assert view._pulse.state() is view._pulse.State.Stopped
    settings.set(Settings.REDUCED_MOTION, True)
    view._last_step_time = 0.0
    session.go_to(2)
    assert view._pulse.state() is view._pulse.State.Stopped


def test_an_empty_view_says_how_to_fill_it(view, qtbot):
    view.show_text(None, "Open a text file")
    view.grab()
    assert view.segmenter is None
    assert view.token_at(QPointF(20, 20)) is None
    for key in (Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_PageDown, Qt.Key.Key_Return):
        qtbot.keyClick(view, key)


def test_a_long_word_is_admitted(view, recording, qtbot):
    with qtbot.waitSignal(view.exactness_lost):
        view.show_text(Segmenter(recording, "w" * 20_000))
        view.grab()
