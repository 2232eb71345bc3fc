import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from bpe_gui.curves import DRAWN_MEASURES
from bpe_gui.docks.charts_dock import NO_COUNTS, NO_CURVE, NOT_OF_OTHER_TEXTS, NOTHING_YET, ChartsDock
from bpe_gui.settings import Settings
from core.alphabet import Alphabet, Base, Marker, Token
from core.measuring import corpus_tally, measures_along
from core.merge import Merge
from core.recording import Recording
from core.statistics import Series
from core.trainer import TrainerConfig, build_alphabet
from tests.core.runs import finish


@pytest.fixture
def make_dock(session, corpus_measures, held_out, theme, settings, qtbot):
    def make() -> ChartsDock:
        dock = ChartsDock(session, corpus_measures, held_out, theme, settings)
        qtbot.addWidget(dock)
        dock.resize(900, 300)
        dock.show()
        qtbot.waitExposed(dock)
        return dock

    return make


@pytest.fixture
def dock(make_dock):
    return make_dock()


@pytest.fixture
def long_recording() -> Recording:
    config = TrainerConfig()
    recording = Recording(build_alphabet({}, config), config, base_counts={64: 10_000_000})
    recording.extend(merges(0, 20_000))
    return recording


def merges(first, last):
    return [Merge(rank, 64, 65, 256 + rank, 30_000 - rank, 100, 1) for rank in range(first, last)]


def plots(dock):
    return [panel.plot for panel in dock.panels]


def plot_of(dock, series):
    return next(panel.plot for panel in dock.panels if panel.quantity is series)


def read_outs(dock):
    return [panel.read_out.text() for panel in dock.panels if panel.isVisible()]


def test_says_what_will_come(dock):
    assert dock.nothing.text() == NOTHING_YET
    assert dock.nothing.isVisible()


def test_says_why_a_file_has_no_curves(dock, session, recording):
    bare = Recording(recording.alphabet, recording.config)
    bare.extend(recording)
    session.replace_recording(bare)
    assert dock.nothing.text() == NO_COUNTS
    session.go_to(3)
    assert read_outs(dock) == []


def test_draws_the_curves_exactly(dock, session, recording):
    session.replace_recording(recording)
    steps, lengths = plot_of(dock, Series.CORPUS_LENGTH).points()
    assert list(steps) == list(range(13))
    assert list(lengths) == [79, 70, 61, 54, 47, 41, 35, 29, 26, 23, 20, 18, 16]
    steps, counts = plot_of(dock, Series.PAIR_COUNT).points()
    assert list(steps) == list(range(1, 13))
    assert list(counts) == [9, 9, 7, 7, 6, 6, 6, 3, 3, 3, 2, 2]


def test_thins_long_curves_and_keeps_their_ends(dock, session, long_recording):
    session.replace_recording(long_recording)
    steps, _ = plot_of(dock, Series.CORPUS_LENGTH).points()
    assert len(steps) < 2_000
    assert (steps[0], steps[-1]) == (0, 20_000)


def test_zooming_draws_the_visible_part_finely(dock, session, long_recording, qtbot):
    session.replace_recording(long_recording)
    plot = plot_of(dock, Series.CORPUS_LENGTH)
    plot.setXRange(5_000, 5_100, padding=0)
    steps, _ = plot.points()
    assert set(range(5_000, 5_101)) <= set(steps)
    other = plot_of(dock, Series.PAIR_COUNT)
    assert other.getViewBox().viewRange()[0] == pytest.approx([5_000, 5_100], abs=1)
    dock.all.click()
    qtbot.waitUntil(lambda: plot.getViewBox().viewRange()[0][1] > 20_000)


def test_the_wheel_does_not_zoom_out_of_the_recording(dock, session, long_recording):
    session.replace_recording(long_recording)
    plot = plot_of(dock, Series.CORPUS_LENGTH)
    place = QPointF(plot.width() / 2, plot.height() / 2)
    for _ in range(20):
        event = QWheelEvent(
            place,
            place,
            QPoint(0, 0),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(plot.viewport(), event)
    low, high = plot.getViewBox().viewRange()[0]
    assert -2_000 < low < high < 22_000


def test_the_read_out_tells_the_step(dock, session, recording):
    session.replace_recording(recording)
    session.go_to(2)
    assert read_outs(dock) == ["61 tokens at step 2", "pair count 9 at step 2"]
    session.go_to(0)
    assert read_outs(dock) == ["79 tokens at step 0", "pair count – at step 0"]


def test_the_read_out_follows_the_mouse_and_returns(dock, session, recording):
    session.replace_recording(recording)
    plot = plots(dock)[0]
    plot.step_hovered.emit(5)
    assert read_outs(dock) == ["41 tokens at step 5", "pair count 6 at step 5"]
    plot.step_hovered.emit(-1)
    assert read_outs(dock) == ["16 tokens at step 12", "pair count 2 at step 12"]


def test_the_line_follows_the_step_and_can_be_dragged(dock, session, recording):
    session.replace_recording(recording)
    plot = plots(dock)[0]
    session.go_to(4)
    assert plot.line.value() == 4
    plot.line.setValue(7.4)
    plot.line.sigDragged.emit(plot.line)
    assert session.step == 7


def test_the_line_is_right_on_a_log_axis(dock, session, recording):
    session.replace_recording(recording)
    dock.log_steps.setChecked(True)
    session.go_to(10)
    assert plots(dock)[0].line.value() == pytest.approx(1.0)
    plots(dock)[0].line.setValue(0.0)
    plots(dock)[0].line.sigDragged.emit(plots(dock)[0].line)
    assert session.step == 1
    session.go_to(0)  # has no place on a log axis
    steps, _ = plots(dock)[0].points()
    assert steps[0] == 0.0  # log of step 1


def test_a_click_goes_to_the_step_there(dock, session, recording, qtbot):
    session.replace_recording(recording)
    plot = plots(dock)[0]
    QApplication.processEvents()
    place = plot.mapFromScene(plot.getViewBox().mapViewToScene(QPointF(3.0, 40.0)))
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.step == 3


def test_grows_with_the_recording(dock, session, long_recording, qtbot):
    session.replace_recording(long_recording)
    session.append(merges(20_000, 21_000))
    qtbot.waitUntil(lambda: plot_of(dock, Series.CORPUS_LENGTH).points()[0][-1] == 21_000)
    assert plot_of(dock, Series.CORPUS_LENGTH).line.value() == 21_000


def test_the_first_merges_are_drawn_a_moment_later(dock, session, recording, qtbot):
    session.replace_recording(Recording(recording.alphabet, recording.config, base_counts=recording.base_counts))
    session.append(list(recording))
    assert len(plot_of(dock, Series.CORPUS_LENGTH).points()[0]) == 0  # the tokens are drawn now, in the same frame
    qtbot.waitUntil(lambda: len(plot_of(dock, Series.CORPUS_LENGTH).points()[0]) == 13)
    assert not dock.nothing.isVisible()


def test_all_steps_stay_in_view_when_merges_come_one_by_one(dock, session, recording, qtbot):
    slow = Recording(recording.alphabet, recording.config, base_counts=recording.base_counts)
    session.replace_recording(slow)
    for merge in recording:
        session.append([merge])
        dock._refresh()
        qtbot.wait(20)  # painting sets the range
        for plot in plots(dock)[:2]:
            steps, values = plot.points()
            (left, right), (bottom, top) = plot.viewRange()
            assert left <= steps[0] <= steps[-1] <= right
            assert bottom <= min(values) <= max(values) <= top


def test_a_zoomed_plot_stays_where_it_is_when_merges_come(dock, session, long_recording, qtbot):
    session.replace_recording(long_recording)
    plot_of(dock, Series.CORPUS_LENGTH).setXRange(5_000, 5_100, padding=0)
    session.append(merges(20_000, 20_100))
    dock._refresh()
    assert plot_of(dock, Series.CORPUS_LENGTH).viewRange()[0] == pytest.approx([5_000, 5_100])


def test_does_nothing_while_hidden(dock, session, recording):
    dock.hide()
    session.replace_recording(recording)
    session.go_to(3)
    assert len(plot_of(dock, Series.CORPUS_LENGTH).points()[0]) == 0
    dock.show()
    assert len(plot_of(dock, Series.CORPUS_LENGTH).points()[0]) == 13


def test_shows_what_is_chosen_and_remembers_it(make_dock, session, recording, settings):
    session.replace_recording(recording)
    dock = make_dock()
    dock.choice.setCurrentText("Bytes per token")
    assert read_outs(dock) == ["Bytes per token 4.94 at step 12"]
    dock.log_values.setChecked(True)
    second = make_dock()
    assert second.choice.currentText() == "Bytes per token"
    assert second.log_values.isChecked()
    assert not second.log_steps.isChecked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_takes_on_the_theme(dock, session, recording, settings, theme, scheme):
    session.replace_recording(recording)
    settings.set(Settings.THEME, scheme)
    image = plots(dock)[0].grab().toImage()
    assert image.pixelColor(image.width() - 2, 2) == theme.colors.surface


def test_plots_stand_side_by_side_where_there_is_room(dock, session, recording, qtbot):
    session.replace_recording(recording)
    one, other = dock.panels[:2]
    qtbot.waitUntil(lambda: other.x() > one.x() and other.y() == one.y())
    dock.resize(400, 600)
    qtbot.waitUntil(lambda: other.x() == one.x() and other.y() > one.y())


@pytest.fixture
def bare(recording):
    """The merges as a tokenizer file keeps them."""
    bare = Recording(recording.alphabet, recording.config, recording.pipeline)
    bare.extend(recording)
    return bare


def measure_own_text(held_out, settings, dock, qtbot, text="low lowest"):
    settings.set(Settings.PASTED_TEXT, text)
    held_out.choose_own_text()
    qtbot.waitUntil(lambda: held_out.at(dock._session.step) is not None)
    qtbot.waitUntil(lambda: not dock._refresh_later.isActive())


def choose(dock, name):
    dock.choice.setCurrentText(name)
    assert dock.choice.currentText() == name


@pytest.mark.parametrize("measure", DRAWN_MEASURES, ids=lambda measure: measure.name)
def test_every_measure_has_its_curve(dock, session, recording, qtbot, measure):
    session.replace_recording(recording)
    choose(dock, measure.title)
    qtbot.waitUntil(lambda: len(dock.panels[0].plot.points()[0]) == 13)
    found = finish(measures_along(recording, corpus_tally(recording), range(13)))
    assert list(dock.panels[0].plot.points()[1]) == [measure.value(at) for at in found]
    assert read_outs(dock) == [f"{measure.title} {measure.text(found[12])} at step 12"]
    assert not dock.panels[1].isVisible()


def test_the_held_out_text_has_a_curve_of_its_own(dock, session, recording, held_out, settings, qtbot):
    session.replace_recording(recording)
    choose(dock, "Fertility")
    measure_own_text(held_out, settings, dock, qtbot)
    plot = dock.panels[0].plot
    qtbot.waitUntil(lambda: len(plot.held_out_points()[0]) == 13)
    assert (plot.held_out_points()[1][0], plot.held_out_points()[1][12]) == (4.5, 1.5)
    assert read_outs(dock) == ["pasted text 1.00 your text 1.50 at step 12"]
    held_out.clear()
    qtbot.waitUntil(lambda: len(plot.held_out_points()[0]) == 0)
    choose(dock, "Pair count")
    assert read_outs(dock) == ["pair count 2 at step 12"]


def test_without_counts_only_the_held_out_text_has_curves(dock, session, bare, held_out, settings, qtbot):
    session.replace_recording(bare)
    choose(dock, "Fertility")
    assert dock.nothing.text() == NO_COUNTS
    measure_own_text(held_out, settings, dock, qtbot)
    qtbot.waitUntil(lambda: len(dock.panels[0].plot.held_out_points()[0]) == 13)
    assert len(dock.panels[0].plot.points()[0]) == 0
    assert read_outs(dock) == ["your text 1.50 at step 12"]
    choose(dock, "Pair count")
    assert dock.nothing.text() == NOT_OF_OTHER_TEXTS


def test_merges_out_of_order_have_no_curve_but_lengths(dock, session, held_out, settings, qtbot):
    """bc, abc, ab, and abc once more: no training run makes a token twice."""
    alphabet = Alphabet(Base.CHARACTERS, Marker.NONE, {i: Token(bytes([97 + i])) for i in range(3)})
    recording = Recording(alphabet)
    recording.extend([Merge(0, 1, 2, 3), Merge(1, 0, 3, 4), Merge(2, 0, 1, 5), Merge(3, 5, 2, 4)])
    session.replace_recording(recording)
    choose(dock, "Fertility")
    measure_own_text(held_out, settings, dock, qtbot, "abc")
    assert dock.nothing.text() == NO_CURVE
    choose(dock, "Token lengths (bytes)")
    qtbot.waitUntil(lambda: len(dock.lengths.plot.bars(1)[0]) > 0)
    assert dock.lengths.read_out.text() == "mean 1.67 bytes at step 4"  # of a, b, c, bc, ab and abc


def test_token_lengths(dock, session, recording, held_out, settings, qtbot):
    session.replace_recording(recording)
    choose(dock, "Token lengths (bytes)")
    plot = dock.lengths.plot
    qtbot.waitUntil(lambda: len(plot.bars(0)[0]) > 0)
    assert plot.bars(0)[0] == [1, 2, 3, 4, 5, 6]
    assert plot.bars(0)[1] == [10, 4, 3, 1, 2, 2]
    assert dock.lengths.read_out.text() == "mean 2.41 bytes at step 12"
    plot.length_hovered.emit(2)
    assert dock.lengths.read_out.text() == "4 tokens (18.2%) of 2 bytes at step 12"
    dock.counted.setCurrentText("In text")
    assert plot.bars(0) == ([3, 5, 6], [5, 2, 9])
    measure_own_text(held_out, settings, dock, qtbot)
    qtbot.waitUntil(lambda: len(plot.bars(1)[0]) > 0)
    assert plot.bars(1)[1] == [1.0]  # low, low, est
    assert plot.bars(0)[1] == [5 / 16, 2 / 16, 9 / 16]
    assert settings.text(Settings.CHART_LENGTHS_OF) == "occurrences"


def test_token_frequencies(dock, session, recording, qtbot):
    session.replace_recording(recording)
    choose(dock, "Token frequencies")
    chart = dock.frequencies
    qtbot.waitUntil(lambda: len(chart.plot.points()[0]) > 0)
    assert list(chart.plot.points()[1]) == pytest.approx([0.778, 0.699, 0.477, 0.301], abs=1e-3)  # of 6, 5, 3 and 2
    assert chart.read_out.text() == "4 tokens at step 12"
    chart.plot.rank_hovered.emit(2)
    assert chart.read_out.text() == "rank 2: low 5 times at step 12"
    chart.plot.rank_hovered.emit(-1)
    session.go_to(0)
    qtbot.waitUntil(lambda: chart.read_out.text() == "10 tokens at step 0")


def test_a_measure_asked_for_elsewhere_is_shown(dock, session, recording):
    session.replace_recording(recording)
    dock.show_measure("fertility")
    assert dock.choice.currentText() == "Fertility"
    dock.show_measure("token_count")
    assert dock.choice.currentText() == "Corpus length"


def test_each_chart_shows_the_controls_it_has(dock, session, recording):
    session.replace_recording(recording)
    controls = (dock.log_steps, dock.log_values, dock.counted)
    for name, wanted in (
        ("Fertility", (True, True, False)),
        ("Token lengths (characters)", (False, True, True)),
        ("Token frequencies", (False, False, False)),
    ):
        choose(dock, name)
        assert tuple(control.isVisible() for control in controls) == wanted


def test_plots_in_a_low_panel_stand_side_by_side_though_it_is_narrow(dock, session, recording, qtbot):
    session.replace_recording(recording)
    one, other = dock.panels[:2]
    dock.resize(300, 600)
    qtbot.waitUntil(lambda: other.y() > one.y())
    dock.resize(300, 210)
    qtbot.waitUntil(lambda: other.x() > one.x() and other.y() == one.y())


def test_its_controls_wrap_instead_of_widening_it(dock, session, recording, qtbot):
    session.replace_recording(recording)
    dock.resize(700, 400)
    qtbot.waitUntil(lambda: dock.log_values.y() < dock.choice.geometry().bottom())
    dock.resize(dock.minimumSizeHint().width(), 400)
    qtbot.waitUntil(lambda: dock.log_values.y() > dock.choice.geometry().bottom())
    assert dock.minimumSizeHint().width() < dock.choice.sizeHint().width() + dock.log_values.width()
