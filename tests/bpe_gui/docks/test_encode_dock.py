"""The encode panel, typed into and stepped through by keyboard and mouse."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QTextDocumentFragment
from PySide6.QtWidgets import QApplication, QToolButton, QToolTip

from bpe_gui.docks.encode_dock import EncodeDock
from bpe_gui.encode_choices import AS_THE_MODEL
from bpe_gui.settings import Settings
from core.alphabet import Base, Marker, Unknown
from core.encode_steps import row_title
from core.encoding_rules import Encoder, EncodingRules
from core.imported import Imported
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer
from core.recording import Recording
from core.tokenizer import Specials
from core.trainer import Score, TrainerConfig
from tests.bpe_gui.conftest import FOUR_WORDS, trained
from tests.core.runs import record_words


@pytest.fixture
def dock(qtbot, session, settings, theme, recording):
    session.replace_recording(recording)
    settings.set(Settings.ENCODE_TEXT, "lowest")
    dock = EncodeDock(session, settings, theme)
    qtbot.addWidget(dock)
    dock.resize(800, 320)
    dock.show()
    qtbot.waitExposed(dock)
    dock.refresh()
    return dock


def type_text(qtbot, dock: EncodeDock, text: str) -> None:
    dock.field.selectAll()
    qtbot.keyClick(dock.field, Qt.Key.Key_Delete)
    qtbot.keyClicks(dock.field, text)
    dock.refresh()


def words(dock: EncodeDock) -> list[str]:
    return [word.word for word in dock.view.phrase.words]


def test_shows_the_merges_of_the_remembered_text(dock):
    assert words(dock) == ["lowest"]
    assert dock.view.row_count == 5
    assert dock.ids_field.text() == "13, 11"
    assert dock.count_label.text() == "2 tokens, ids:"


def test_typing_is_followed_and_remembered(qtbot, dock, settings):
    dock.focus_field()
    qtbot.keyClicks(dock.field, "low")
    qtbot.waitUntil(lambda: words(dock) == ["low"])
    assert settings.text(Settings.ENCODE_TEXT) == "low"


def test_text_set_elsewhere_is_taken(dock, settings):
    settings.set(Settings.ENCODE_TEXT, "newest")
    dock.refresh()
    assert words(dock) == ["newest"]


def test_follows_the_step(qtbot, dock, session):
    session.go_to(1)
    qtbot.waitUntil(lambda: dock.view.row_count == 2)
    session.go_to(0)
    qtbot.waitUntil(lambda: dock.view.row_count == 1)


def test_a_hidden_panel_does_no_work_and_is_right_when_shown(qtbot, dock, session):
    dock.hide()
    session.go_to(1)
    assert dock.view.row_count == 5
    dock.show()
    assert dock.view.row_count == 2


def test_keys_go_through_the_rows(qtbot, dock):
    view = dock.view
    view.setFocus()
    assert view.current is None
    rows = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Down, Qt.Key.Key_Home):
        qtbot.keyClick(view, key)
        rows.append(view.current)
    assert rows == [0, 1, 0, 4, 4, 0]
    assert dock.why_label.text().startswith("Rank 0 is the lowest of")
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.current is None
    assert not dock.why_label.isVisible()


def test_up_and_down_in_the_field_go_through_the_rows_too(qtbot, dock):
    dock.focus_field()
    qtbot.keyClick(dock.field, Qt.Key.Key_Down)
    qtbot.keyClick(dock.field, Qt.Key.Key_Down)
    qtbot.keyClick(dock.field, Qt.Key.Key_Up)
    assert dock.view.current == 0


def test_buttons_go_through_the_rows(qtbot, dock):
    def click(button: QToolButton) -> int | None:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        return dock.view.current

    assert click(dock.forward_button) == 0
    assert not dock.back_button.isEnabled()
    assert click(dock.forward_button) == 1
    assert click(dock.back_button) == 0
    assert click(dock.last_button) == 4
    assert not dock.go_button.isEnabled()
    assert click(dock.first_button) == 0
    assert click(dock.all_button) is None


def test_stepping_in_the_word_leaves_the_main_step_alone(qtbot, dock, session):
    qtbot.keyClick(dock.view, Qt.Key.Key_Home)
    assert session.step == session.last_step


def test_enter_goes_to_the_merge(qtbot, dock, session):
    qtbot.keyClick(dock.view, Qt.Key.Key_Down)
    qtbot.keyClick(dock.view, Qt.Key.Key_Down)
    with qtbot.waitSignal(session.merge_revealed) as revealed:
        qtbot.keyClick(dock.view, Qt.Key.Key_Return)
    assert revealed.args == [1]
    assert session.step == 2


def test_button_goes_to_the_merge(qtbot, dock, session):
    dock.view.go_first()
    with qtbot.waitSignal(session.merge_revealed) as revealed:
        qtbot.mouseClick(dock.go_button, Qt.MouseButton.LeftButton)
    assert revealed.args == [0]


def test_double_click_goes_to_the_merge_of_the_row(qtbot, dock, session):
    point = dock.view.row_rect(2).center().toPoint()
    qtbot.mouseClick(dock.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert dock.view.current == 2
    point = dock.view.row_rect(2).center().toPoint()
    with qtbot.waitSignal(session.merge_revealed) as revealed:
        qtbot.mouseDClick(dock.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert revealed.args == [2]


def test_a_click_beside_the_rows_shows_all(qtbot, dock):
    dock.view.go_first()
    bottom = QPoint(5, dock.view.viewport().height() - 2)
    qtbot.mouseClick(dock.view.viewport(), Qt.MouseButton.LeftButton, pos=bottom)
    assert dock.view.current is None


def test_ids_are_copied(qtbot, dock):
    qtbot.mouseClick(dock.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "13, 11"


def tip_at(dock: EncodeDock, point: QPoint) -> str:
    viewport = dock.view.viewport()
    QApplication.sendEvent(viewport, QHelpEvent(QHelpEvent.Type.ToolTip, point, viewport.mapToGlobal(point)))
    return QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText().replace("\N{NO-BREAK SPACE}", " ")


def test_tips_are_facts_about_the_chip_and_reasons_beside_it(qtbot, dock):
    chip = dock.view.chip_rect(1, 3).center().toPoint()
    assert "rank 0: e + s" in tip_at(dock, chip)
    assert "is the lowest of" in tip_at(dock, QPoint(10, round(dock.view.row_rect(0).center().y())))
    QToolTip.hideText()


def test_markup_in_a_token_is_text(qtbot, session, settings, theme):
    session.replace_recording(trained("<b>x</b> <b>x</b>", TrainerConfig(base=Base.CHARACTERS), "whitespace"))
    dock = EncodeDock(session, settings, theme)
    qtbot.addWidget(dock)
    dock.resize(800, 320)
    dock.show()
    type_text(qtbot, dock, "<b>x</b>")
    last = dock.view.row_count - 1
    dock.view.go_last()
    assert tip_at(dock, dock.view.chip_rect(last, 0).center().toPoint()).startswith("<b>x</b>\n")
    QToolTip.hideText()


def test_row_in_words_for_screen_readers(dock):
    dock.view.go_first()
    assert dock.view.accessibleDescription().startswith("rank 0: e plus s makes es, rivals ")
    dock.view.go_last()
    assert dock.view.accessibleDescription() == "2 tokens: low, est"


def test_every_control_has_a_name_and_a_tip(dock):
    for button in dock.widget().findChildren(QToolButton):
        if button.parent() is not dock.field:
            assert button.accessibleName()
            assert button.toolTip()


def test_empty_field_says_what_to_do(qtbot, dock):
    type_text(qtbot, dock, "")
    assert dock.empty_label.isVisible()
    assert dock.empty_label.text().startswith("Type a word")
    assert not dock.copy_button.isVisible()
    dock.view.go_first()
    assert dock.view.current is None


def test_before_training_says_how_to_get_there(qtbot, session, settings, theme):
    dock = EncodeDock(session, settings, theme)
    qtbot.addWidget(dock)
    dock.show()
    assert dock.empty_label.text() == "Train on a text first; then every merge inside this word shows here."


def test_the_sum_of_the_rows_is_the_line_below(qtbot, dock):
    """The text of the recording has no z."""
    type_text(qtbot, dock, "lowest zow")
    titles = [row_title(word, word.row_count - 1) for word in dock.view.phrase.words]
    assert titles == ["2 tokens", "2 tokens, 1 unknown"]
    assert dock.count_label.text() == "4 tokens, 1 unknown character left out, ids:"
    assert len(dock.ids_field.text().split(", ")) == 4


def test_characters_never_seen(qtbot, dock):
    type_text(qtbot, dock, "l?w")
    assert dock.view.row_count == 1
    assert "never seen in training" in tip_at(dock, dock.view.chip_rect(0, 1).center().toPoint())
    dock.view.viewport().repaint()
    QToolTip.hideText()


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("marker", [Marker.SYMBOL, Marker.SUFFIX])
def test_paints_markers_specials_and_other_scripts(qtbot, session, settings, theme, marker, is_dark):
    config = TrainerConfig(
        base=Base.CHARACTERS, marker=marker, special_tokens=("<unk>",), unknown_token="<unk>", unknown=Unknown.TOKEN
    )
    session.replace_recording(trained(FOUR_WORDS + "中文 中文", config, "whitespace"))
    settings.set(Settings.THEME, "dark" if is_dark else "light")
    dock = EncodeDock(session, settings, theme)
    qtbot.addWidget(dock)
    dock.show()
    dock.field.setText("lowest <unk> 中文 é")
    dock.refresh()
    assert words(dock) == ["lowest", "<unk>", "中文", "é"]
    for row in range(dock.view.row_count):
        dock.view.go_forward()
        assert dock.view.current == row
        assert not dock.grab().isNull()


def test_large_text_is_laid_out_anew(qtbot, dock, settings):
    before = dock.view.row_rect(0).height()
    settings.set(Settings.TEXT_POINTS, 30)
    assert dock.view.row_rect(0).height() > 1.5 * before


def test_current_row_is_scrolled_into_view(qtbot, dock):
    type_text(qtbot, dock, "lowest newest widest lower " * 5)
    view = dock.view
    view.go_last()
    assert view.row_rect(view.row_count - 1).bottom() < view.viewport().height() + 1  # scrolled by whole pixels
    view.go_first()
    assert view.row_rect(0).top() >= 0


def test_a_page_is_cut_and_painted(qtbot, dock):
    dock.field.setText("lowest " * 2_000)
    dock.refresh()
    assert dock.note_label.text() == "The first 5,000 characters are shown."
    dock.view.go_last()
    assert not dock.view.grab().isNull()


def test_a_long_word_says_that_rows_are_left_out(qtbot, dock):
    dock.field.setText("low" * 600)
    dock.refresh()
    assert dock.view.row_count == 501
    assert not dock.view.grab().isNull()


def test_a_pattern_that_fails_on_the_phrase_is_named(qtbot, dock, session, recording):
    broken = Pipeline(pre_tokenizer=PreTokenizer("custom", r"\w*"))
    other = Recording(recording.alphabet, recording.config, broken)
    other.extend(recording)
    session.replace_recording(other)
    dock.refresh()
    assert "matches nothing" in dock.note_label.text()


@pytest.fixture
def parting(dock, session):
    """Merges es, lo, low, est, rest, er, lower, lowest: merge rank and longest match part at `lowerest`."""
    counts = {"es": 9, "rest": 5, "low": 6, "lower": 4, "lowest": 1}
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    config = TrainerConfig(base=Base.CHARACTERS, special_tokens=("<s>",))
    session.replace_recording(record_words(counts, config, pipeline=pipeline))
    dock.field.setText("low lowerest low")
    dock.refresh()
    return dock


def compare(dock: EncodeDock, settings: Settings, other: Encoder = Encoder.LONGEST_MATCH) -> None:
    settings.set(Settings.OTHER_ENCODER, other)
    settings.set(Settings.COMPARES_ENCODERS, True)
    dock.refresh()


def result(dock: EncodeDock, word: int) -> list[str]:
    steps = dock.view.phrase.words[word]
    return [steps.token_of(piece).text().decode() for piece in steps.result]


def test_an_encoder_is_chosen_and_remembered(qtbot, parting, session, settings, theme):
    assert result(parting, 1) == ["low", "e", "rest"]
    parting.controls.encoder.setFocus()
    qtbot.keyClick(parting.controls.encoder, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: result(parting, 1) == ["lower", "est"])
    assert row_title(*parting.view.word_at(2)) == "match: lower"
    other = EncodeDock(session, settings, theme)
    qtbot.addWidget(other)
    assert result(other, 1) == ["lower", "est"]


def test_two_encoders_and_why_they_part(qtbot, parting, settings):
    compare(parting, settings)
    view = parting.view
    assert parting.difference_button.text() == "1 of 3 words differs"
    assert parting.sides_label.text() == "Merge rank: 5 tokens  ·  Longest match: 4 tokens"
    assert not parting.ids_field.isVisible()
    qtbot.mouseClick(parting.difference_button, Qt.MouseButton.LeftButton)
    assert row_title(*view.word_at(view.current)) == "rank 4: r + est → rest"
    assert view.accessibleDescription().startswith("Merge rank, rank 4: r plus est makes rest")
    assert "Longest match takes ‘lower’ at once." in view.accessibleDescription()
    settings.set(Settings.COMPARES_ENCODERS, False)
    parting.refresh()
    assert parting.ids_field.isVisible()
    assert not parting.difference_button.isVisible()


def test_keys_go_across_and_to_the_next_difference(qtbot, parting, settings):
    parting.resize(1200, 500)
    compare(parting, settings)
    view = parting.view
    assert view.columns.are_beside
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_N)
    assert view.current_column == 0
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.current_column == 1
    assert view.word_at(view.current)[0].word == "lowerest"
    assert view.accessibleDescription().startswith("Longest match, ")
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.current_column == 0
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.current is None


def test_a_click_takes_the_row_of_the_column_under_it(qtbot, parting, settings):
    parting.resize(1200, 500)
    compare(parting, settings)
    point = parting.view.row_rect(1, column=1).center().toPoint()
    qtbot.mouseClick(parting.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert (parting.view.current_column, parting.view.current) == (1, 1)
    header = QPoint(5, 3)
    qtbot.mouseClick(parting.view.viewport(), Qt.MouseButton.LeftButton, pos=header)
    assert parting.view.current is None


def test_equal_words_fold_and_unfold(qtbot, parting, settings):
    compare(parting, settings)
    folded = parting.view.row_count
    qtbot.mouseClick(parting.controls.fold, Qt.MouseButton.LeftButton)
    assert parting.view.row_count == folded + 4  # low is two merges, and stands there twice


def test_narrow_panels_stack_what_wide_ones_put_beside(parting, settings):
    compare(parting, settings)
    parting.resize(1200, 500)
    QApplication.processEvents()
    assert parting.view.columns.are_beside
    parting.view.go_to_difference()
    parting.resize(400, 500)
    QApplication.processEvents()
    assert not parting.view.columns.are_beside
    assert parting.view.current is None
    assert not parting.grab().isNull()


def test_the_reason_is_a_tip_and_can_be_copied(qtbot, parting, settings):
    compare(parting, settings)
    band = parting.view.columns.bands[1]
    point = QPoint(40, round(band.sentence.center().y()) - parting.view.verticalScrollBar().value())
    assert tip_at(parting, point).startswith("Longest match takes ‘lower’ at once.")
    QToolTip.hideText()
    parting.view.go_to_difference()
    parting.view._copy_reason()
    assert QGuiApplication.clipboard().text().startswith("Longest match takes ‘lower’ at once.")


def test_dropout_leaves_merges_out_and_says_so(parting, settings):
    settings.set(Settings.DROPOUT, 100.0)
    compare(parting, settings, Encoder.MERGE_RANK)
    assert result(parting, 0) == ["l", "o", "w"]
    assert parting.sides_label.text() == "Merge rank with dropout: 14 tokens  ·  Merge rank: 5 tokens"
    assert parting.difference_button.text() == "3 of 3 words differ"
    parting.view.go_first()
    assert parting.why_label.text().startswith("Dropout left out")
    assert not parting.grab().isNull()


def test_another_seed_leaves_out_other_merges(parting, settings):
    parting.field.setText("lowest " * 30)
    settings.set(Settings.DROPOUT, 50.0)
    parting.refresh()
    before = parting.view.phrase.ids
    parting.refresh()
    assert parting.view.phrase.ids == before
    settings.set(Settings.DROPOUT_SEED, 1.0)
    parting.refresh()
    assert parting.view.phrase.ids != before


def test_the_dropout_row_folds(qtbot, parting):
    assert not parting.dropout_row.isVisible()
    qtbot.mouseClick(parting.controls.dropout, Qt.MouseButton.LeftButton)
    assert parting.dropout_row.isVisible()


def test_a_refused_special_token_is_named_and_selected(qtbot, parting, settings):
    settings.set(Settings.ENCODE_SPECIALS, Specials.REFUSE)
    parting.field.setText("👍 low <s> low")
    parting.refresh()
    assert "special token '<s>' at character 7" in parting.note_label.text()
    assert parting.note_label.property("role") == "danger"
    assert not parting.badge.isVisible()
    qtbot.mouseClick(parting.select_button, Qt.MouseButton.LeftButton)
    assert parting.field.selectedText() == "<s>"
    settings.set(Settings.ENCODE_SPECIALS, Specials.AS_TEXT)
    parting.refresh()
    assert not parting.note_label.isVisible()
    assert not parting.select_button.isVisible()
    assert [word.is_special for word in parting.view.phrase.words] == [False] * 4


def test_wordpieces_users_are_offered_the_longest_match(qtbot, dock, session, settings):
    config = TrainerConfig(base=Base.CHARACTERS, marker=Marker.CONTINUING, score=Score.WORDPIECE)
    session.replace_recording(trained(FOUR_WORDS, config, "whitespace"))
    dock.refresh()
    assert not dock.use_button.isVisible()  # it is used unless someone has chosen another
    assert dock.controls.encoder.currentText() == "Longest match (model's own)"
    settings.set(Settings.ENCODER, Encoder.MERGE_RANK)
    dock.refresh()
    assert "scored as in WordPiece" in dock.note_label.text()
    assert dock.use_button.text() == "Use longest match"
    qtbot.mouseClick(dock.use_button, Qt.MouseButton.LeftButton)
    dock.refresh()
    assert settings.text(Settings.ENCODER) == AS_THE_MODEL
    assert not dock.use_button.isVisible()


def test_an_opened_tokenizer_is_used_as_its_own_tool_uses_it(dock, session, settings, recording):
    recording.imported = Imported("sentencepiece", "spm.model")
    recording.rules = EncodingRules(Encoder.TOKEN_RANK)
    session.replace_recording(recording)
    dock.refresh()
    assert dock.controls.encoder.currentText() == "Token rank (model's own)"
    assert {word.encoder for word in dock.view.phrase.words} == {Encoder.TOKEN_RANK}
    settings.set(Settings.ENCODER, Encoder.LIST_ORDER)
    dock.refresh()
    assert "made for encodes by another rule: token rank" in dock.note_label.text()
    assert dock.use_button.text() == "Use token rank"


def test_whether_the_phrase_comes_back(parting):
    parting.field.setText("low lowest")
    parting.refresh()
    assert parting.badge.message == "Comes back exactly"
    parting.field.setText("low  lowest")
    parting.refresh()
    assert parting.badge.message == "At character 5, ‘␣lowest’ comes back as ‘lowest’."
    assert "White space between words is dropped" in parting.badge.accessibleDescription()
    parting.field.setText("")
    parting.refresh()
    assert parting.badge.message == ""


def test_the_badge_says_which_encoder_loses_something(dock, session, settings):
    config = TrainerConfig(
        base=Base.CHARACTERS, marker=Marker.CONTINUING, score=Score.WORDPIECE, unknown=Unknown.TOKEN,
        special_tokens=("[UNK]",), unknown_token="[UNK]",
    )  # fmt: skip
    session.replace_recording(trained(FOUR_WORDS, config, "whitespace"))
    dock.field.setText("low")
    compare(dock, settings)
    assert dock.badge.message == "Comes back exactly"
    dock.field.setText("lowz")
    dock.refresh()
    assert dock.badge.message.startswith("At character ")


def test_a_page_with_two_encoders_says_how_much_is_shown(parting, settings):
    compare(parting, settings)
    parting.field.setText("low " * 1_000)
    parting.refresh()
    assert parting.note_label.text() == "The first 1,000 characters are shown."
    assert "first 1,000 characters" in parting.badge.accessibleDescription()
    assert not parting.grab().isNull()


SCHEMES = {
    "bytes for unknown characters": (
        TrainerConfig(base=Base.CHARACTERS, unknown=Unknown.BYTES), "low中", "<0xE4>",
    ),
    "a run of unknown characters": (
        TrainerConfig(base=Base.CHARACTERS, unknown=Unknown.FUSE, special_tokens=("<u>",), unknown_token="<u>"),
        "low中文", "中文",
    ),
    "WordPiece": (TrainerConfig(base=Base.CHARACTERS, marker=Marker.CONTINUING), "low", "##o"),
    "a marker of its own": (TrainerConfig(base=Base.CHARACTERS, marker=Marker.SYMBOL), "low", "</w>"),
    "a suffix": (TrainerConfig(base=Base.CHARACTERS, marker=Marker.SUFFIX), "low", "w</w>"),
    "metaspace": (TrainerConfig(base=Base.CHARACTERS, marker=Marker.METASPACE), "low▁", "▁"),
}  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
def test_chips_are_written_as_in_the_files_of_each_scheme(dock, session, scheme):
    config, text, expected = SCHEMES[scheme]
    session.replace_recording(trained(FOUR_WORDS + " low▁" * (config.marker is Marker.METASPACE), config, "whitespace"))
    dock.field.setText(text)
    dock.refresh()
    layout = dock.view.columns.columns[0].layout
    word, index = layout.word_at(0)
    texts = [layout.chip_text(word, piece) for piece in word.row(index).pieces]
    assert expected in [text.before + text.content + text.behind for text in texts]
    assert all(text.width > 0 for text in texts)
    assert not dock.grab().isNull()


def test_a_reason_with_markup_has_a_tip_that_shows_it(qtbot, dock, session, settings):
    settings.set(Settings.ENCODER, Encoder.LONGEST_MATCH)
    session.replace_recording(trained("<b> <b> <b>", TrainerConfig(base=Base.CHARACTERS), "whitespace"))
    type_text(qtbot, dock, "<b>")
    dock.view.go_first()
    reason = dock.why_label.text()
    assert reason.startswith("<b> is the longest of")
    assert QTextDocumentFragment.fromHtml(dock.why_label.toolTip()).toPlainText() == reason
