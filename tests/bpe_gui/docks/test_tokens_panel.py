from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QLabel

from bpe_gui.docks.tokens_panel import MAX_PASTED_CHARS, TokensPanel
from bpe_gui.settings import Settings
from core.corpus import Corpus, read_corpora
from core.imported import Imported
from core.model_facts import SAMPLE_TEXT
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.progress import without_progress
from core.recording import Recording, record
from core.trainer import TrainerConfig, build_alphabet
from core.word_limits import WordLimits
from tests.bpe_gui.conftest import trained


@pytest.fixture
def panel(qtbot, session, settings, theme):
    panel = TokensPanel(session, settings, theme)
    qtbot.addWidget(panel)
    panel.resize(700, 500)
    panel.show()
    return panel


def recorded(**options):
    return Recording(build_alphabet({}, TrainerConfig()), **options)


def shown_text(panel):
    return panel.view.segmenter.text if panel.view.segmenter else None


def test_an_empty_panel_says_how_to_fill_it(panel):
    panel.grab()
    assert panel.view._placeholder == "Open a text file or choose a sample, and its tokens appear here."


def test_the_corpus_is_shown_before_training(panel, session):
    session.replace_corpus(Corpus.typed("some text"))
    assert shown_text(panel) == "some text"


def test_the_recordings_corpus_is_shown_when_none_is_open(panel, session, recording):
    session.replace_recording(recording)
    assert shown_text(panel) == recording.corpus.text


def test_numbers_of_the_corpus_at_each_step(panel, session, recording):
    session.replace_recording(recording)
    session.go_to(0)
    # 16 words, 79 letters; spaces are in the text but in no token
    assert panel._numbers.text().startswith(f"{recording.corpus_length(0):,} tokens")
    session.go_to(2)
    assert panel._numbers.text().startswith(f"{recording.corpus_length(2):,} tokens")


def test_of_a_large_text_the_beginning_is_shown(panel, session, tmp_path):
    (tmp_path / "large.txt").write_text("low lower\n")
    corpus = without_progress(read_corpora([tmp_path / "large.txt"], most_bytes=3))
    session.replace_recording(record(corpus, config=TrainerConfig(merges=2)))
    session.replace_corpus(corpus)
    assert shown_text(panel) == "low lower\n"
    assert panel._numbers.text() == "10 characters"  # its tokens are those of more than is shown
    assert panel._note.text() == "Only the beginning of the text is shown; training reads all of it."


def test_numbers_of_a_corpus_are_those_of_all_its_words_though_rare_ones_were_left_out(panel, session, qtbot):
    corpus = Corpus.typed("low low lower")
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"], limits=WordLimits(min_count=2))
    session.replace_corpus(corpus)
    session.replace_recording(record(corpus, pipeline, TrainerConfig(merges=2)))  # l o, lo w
    assert session.recording.corpus_length(2) == 2
    qtbot.waitUntil(lambda: "tokens" in panel._numbers.text(), timeout=5_000)
    assert panel._numbers.text() == "5 tokens  ·  13 characters  ·  13 bytes"


def test_numbers_of_a_list_of_word_counts_are_those_of_its_words(panel, session, qtbot):
    corpus = replace(Corpus.typed("low\nlower\n"), given_counts={"low": 5, "lower": 2})
    session.replace_corpus(corpus)
    session.replace_recording(record(corpus, config=TrainerConfig(merges=2)))  # l o, lo w
    qtbot.waitUntil(lambda: shown_text(panel) == "low\nlower\n")

    assert panel._numbers.text() == "11 tokens  ·  7 counted words"


def test_numbers_of_another_text_are_counted(panel, session, recording, qtbot):
    session.replace_recording(recording)
    panel.show_pasted("low low")
    qtbot.waitUntil(lambda: "tokens" in panel._numbers.text(), timeout=5_000)
    assert panel._numbers.text() == "2 tokens  ·  7 characters  ·  7 bytes"
    session.go_to(0)
    qtbot.waitUntil(lambda: panel._numbers.text().startswith("6 tokens"), timeout=5_000)


def test_a_pasted_text_is_shown_and_remembered(panel, settings, qtbot):
    panel.show_pasted("my own text")
    assert shown_text(panel) == "my own text"
    assert settings.text(Settings.TOKENS_SOURCE) == "pasted"
    qtbot.waitUntil(lambda: settings.text(Settings.PASTED_TEXT) == "my own text")


def test_the_source_and_the_text_survive_a_restart(qtbot, session, settings, theme):
    settings.set(Settings.TOKENS_SOURCE, "pasted")
    settings.set(Settings.PASTED_TEXT, "from last time")
    panel = TokensPanel(session, settings, theme)
    qtbot.addWidget(panel)
    assert shown_text(panel) == "from last time"
    panel._corpus_button.click()
    assert settings.text(Settings.TOKENS_SOURCE) == "corpus"
    assert shown_text(panel) is None


def test_typing_shows_tokens_at_once(panel, qtbot):
    panel.show_pasted("")
    assert panel.view._placeholder.startswith("Paste or type a text above")
    qtbot.keyClicks(panel._field, "abc")
    assert shown_text(panel) == "abc"


def test_too_long_a_text_is_cut_with_a_word_about_it(panel):
    panel.show_pasted("")
    data = QMimeData()
    data.setText("a" * (MAX_PASTED_CHARS + 5))
    panel._field.insertFromMimeData(data)
    assert len(panel._field.toPlainText()) == MAX_PASTED_CHARS
    assert "Only 100,000 characters fit here" in panel._note.text()


def test_white_space_is_one_setting(panel, settings):
    panel._white_space.click()
    assert settings.flag(Settings.SHOW_WHITESPACE)
    settings.set(Settings.SHOW_WHITESPACE, False)
    assert not panel._white_space.isChecked()


def test_normalized_text_is_shown_with_a_note(panel, session):
    session.replace_corpus(Corpus.typed("ABC"))
    session.replace_recording(recorded(pipeline=Pipeline(Normalizer.named("lowercase"))))
    assert shown_text(panel) == "abc"
    assert panel._note.text() == "Shown as the trainer sees it, normalized: lowercase."
    assert panel._note.isVisible()


def test_a_large_text_is_normalized_in_the_background(panel, session, qtbot):
    session.replace_corpus(Corpus.typed("ABC\n" * 100_000))
    session.replace_recording(recorded(pipeline=Pipeline(Normalizer.named("lowercase"))))
    assert shown_text(panel) is None
    qtbot.waitUntil(lambda: shown_text(panel) == "abc\n" * 100_000, timeout=10_000)


def test_own_patterns_are_matched_in_the_background(panel, session, qtbot):
    session.replace_corpus(Corpus.typed("abcdef"))
    session.replace_recording(recorded(pipeline=Pipeline(pre_tokenizer=custom("..."))))
    qtbot.waitUntil(lambda: shown_text(panel) == "abcdef", timeout=5_000)
    assert [word.text for word in panel.view.segmenter.words(0, 6)] == ["abc", "def"]


def test_a_pattern_that_fails_is_told(panel, session, qtbot):
    session.replace_corpus(Corpus.typed("50% " * 3))
    session.replace_recording(recorded(pipeline=Pipeline(pre_tokenizer=custom(r"\w+|(?=%)"))))
    qtbot.waitUntil(lambda: "matches nothing" in panel.view._placeholder, timeout=5_000)


def test_whose_merges_are_shown(panel, session, recording):
    session.replace_recording(recording)
    assert panel._note.text() == ""
    session.replace_corpus(Corpus.typed("another text"))
    assert panel._note.text() == "Shown with the merges of pasted text; train to learn merges from this text."


def test_a_merge_that_applies_nowhere_is_told_until_the_next_step(panel, session, recording, qtbot):
    session.replace_recording(recording)
    panel.show_pasted("zzz")
    session.reveal_merge(0)
    qtbot.waitUntil(lambda: panel._note.text() == "The merge that makes es applies nowhere in this text.")
    session.go_to(3)
    assert panel._note.text() == ""


def test_facts_reach_the_status_line(panel, session, recording):
    session.replace_recording(recording)
    panel.view._move_cursor(forward=True)
    assert panel._facts.text().startswith("low")


def test_a_footer_goes_below(panel, qtbot):
    footer = QLabel("steps", panel)
    panel.add_footer(footer)
    qtbot.waitUntil(lambda: footer.y() > panel.view.y())


def test_controls_have_names_and_tooltips(panel):
    for button in (panel._corpus_button, panel._pasted_button, panel._white_space):
        assert button.accessibleName()
        assert button.toolTip()
    assert panel._field.accessibleName() == "Your text"


def test_whether_your_text_comes_back(qtbot, panel, session, recording):
    session.replace_recording(recording)
    assert panel._badge.message == ""
    panel.show_pasted("low lower")
    assert panel._badge.message == "Checking whether it comes back…"
    qtbot.waitUntil(lambda: panel._badge.message == "Comes back exactly")
    panel.show_pasted("low\nlower")
    qtbot.waitUntil(lambda: panel._badge.message == "At character 4, ‘⏎lower’ comes back as ‘␣lower’.")
    assert "White space between words is dropped" in panel._badge.accessibleDescription()
    panel.show_pasted("")
    assert panel._badge.message == ""


def test_the_corpus_has_no_badge(qtbot, panel, session, recording):
    session.replace_recording(recording)
    panel.show_pasted("low")
    qtbot.waitUntil(lambda: panel._badge.message == "Comes back exactly")
    panel._corpus_button.setChecked(True)
    assert panel._badge.isHidden()
    assert not panel._decode_timer.isActive()


def test_another_step_is_decoded_anew(qtbot, panel, session, recording):
    session.replace_recording(recording)
    panel.show_pasted("low")
    qtbot.waitUntil(lambda: panel._badge.message == "Comes back exactly")
    session.go_to(1)
    qtbot.waitUntil(lambda: panel._badge.message == "At character 2, ‘ow’ comes back as ‘␣o␣w’.")
    session.go_to(session.last_step)
    qtbot.waitUntil(lambda: panel._badge.message == "Comes back exactly")


def test_what_is_said_of_a_long_text_goes_with_its_step(qtbot, panel, session, recording):
    session.replace_recording(recording)
    panel.show_pasted(" ".join(["low"] * 1_000))
    qtbot.waitUntil(lambda: panel._badge.message == "Comes back exactly")
    session.go_to(1)
    assert panel._badge.message == "Checking whether it comes back…"
    qtbot.waitUntil(lambda: panel._badge.message.startswith("At character 2, "))


def test_special_tokens_in_your_text_are_text_as_they_are_shown(qtbot, panel, session):
    session.replace_recording(trained("low low", TrainerConfig(special_tokens=("<s>",))))
    panel.show_pasted("a<s>b")
    qtbot.waitUntil(lambda: panel._badge.message == "Comes back exactly")


def test_one_of_a_kind_is_named_so(qtbot, panel, session, recording):
    session.replace_recording(recording)
    panel.show_pasted("l")
    qtbot.waitUntil(lambda: panel._numbers.text() == "1 token  ·  1 character  ·  1 byte")


IMPORTED = Imported("gpt2", "merges.txt")


def test_an_opened_tokenizer_without_a_corpus_cuts_a_text_of_its_user(panel, session, settings, recording):
    recording.imported, recording.corpus = IMPORTED, None
    session.replace_recording(recording)
    assert panel._is_pasted()
    assert shown_text(panel) == SAMPLE_TEXT
    assert settings.text(Settings.TOKENS_SOURCE) == "corpus"  # nobody has chosen another
    session.replace_corpus(Corpus.typed("low lower"))
    assert not panel._is_pasted()
    assert shown_text(panel) == "low lower"


def test_a_text_of_ones_own_is_not_written_over(panel, session, recording):
    panel.show_pasted("春眠")
    recording.imported, recording.corpus = IMPORTED, None
    session.replace_recording(recording)
    assert shown_text(panel) == "春眠"
    session.replace_corpus(Corpus.typed("low lower"))
    assert shown_text(panel) == "春眠"  # someone has chosen it


def test_an_opened_tokenizer_shows_the_corpus_there_is(panel, session, recording):
    session.replace_corpus(Corpus.typed("low lower"))
    recording.imported, recording.corpus = IMPORTED, None
    session.replace_recording(recording)
    assert shown_text(panel) == "low lower"
