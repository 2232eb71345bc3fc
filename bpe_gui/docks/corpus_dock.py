"""The text that training learns from: shown, edited, and described in numbers. Opening it is the opener's business."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QLabel, QVBoxLayout, QWidget

from bpe_gui.latest_job import LatestJob
from bpe_gui.opener import Opener
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.training import Training
from bpe_gui.widgets.corpus_edit import CorpusEdit
from bpe_gui.widgets.corpus_facts import CorpusFacts
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.fitting_scroll_area import FittingScrollArea
from bpe_gui.widgets.progress_row import ProgressRow
from bpe_gui.widgets.reading_hint import ReadingHint
from bpe_gui.widgets.tips import plain_tip
from bpe_gui.word_count_saver import WordCountSaver
from core.corpus import Corpus
from core.corpus_source import CorpusSource, is_same_text
from core.editing import corpus_excerpt, edited, edited_name
from core.pipeline import Pipeline
from core.word_facts import WordFacts, word_facts

EDIT_MILLISECONDS = 300
COUNT_MILLISECONDS = 250
MAX_NAME_CHARS = 40  # in a sentence
PLACEHOLDER = "Type or paste a text here, drop files on it, or open some with Ctrl+O."


class CorpusDock(QDockWidget):
    def __init__(
        self,
        session: Session,
        opener: Opener,
        saver: WordCountSaver,
        training: Training,
        settings: Settings,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Corpus", parent)
        self.setObjectName("corpus")
        self._session = session
        self._opener = opener
        self._saver = saver
        self._training = training
        self._theme = theme
        self._pipeline = Pipeline()
        self._shown = ""  # what the pane had when it and the session last agreed
        self._own_corpus: Corpus | None = None  # made by an edit here: the pane shows it already
        self._counted: tuple[Corpus, Pipeline, WordFacts] | None = None
        self._is_loading = False
        self._edit = self._make_edit()
        self._name = ElidingLabel()
        self._name.setProperty("role", "heading")
        self._remark = _muted_label("What the pane leaves out")
        self._freshness = _muted_label("Whether training knows this text")
        self._facts = CorpusFacts(theme)
        self._hint = ReadingHint()
        self._reading = ProgressRow(
            "How much of the files is read", "Cancel opening", "Stop reading; the text stays what it was"
        )
        self._saving = ProgressRow(
            "How much of the text is counted", "Cancel saving", "Stop counting; no file is written"
        )
        self._edit_timer = self._make_timer(EDIT_MILLISECONDS, self._take_edit)
        self._count_timer = self._make_timer(COUNT_MILLISECONDS, self._count)
        self._counting = LatestJob(self)
        self._arrange()
        self._connect()
        self._take_fonts()
        self._show_corpus()

    def flush(self) -> None:
        """Give the session what was typed a moment ago."""
        if self._edit_timer.isActive():
            self._edit_timer.stop()
            self._take_edit()

    def add_progress(self, row: ProgressRow) -> None:
        """Show how far some other work with the text has come."""
        self._layout.insertWidget(self._layout.indexOf(self._remark), row)

    def set_pipeline(self, pipeline: Pipeline) -> None:
        """Count words as this pipeline cuts them."""
        if pipeline != self._pipeline:
            self._pipeline = pipeline
            self._facts.show_texts(self._session.corpus, pipeline.texts)
            self._count_soon()

    def _make_edit(self) -> CorpusEdit:
        edit = CorpusEdit()
        edit.setPlaceholderText(PLACEHOLDER)
        edit.setAccessibleName("Text of the corpus")
        edit.setTabChangesFocus(True)
        return edit

    def _make_timer(self, milliseconds: int, slot: object) -> QTimer:
        timer = QTimer(self, interval=milliseconds, singleShot=True)
        timer.timeout.connect(slot)
        return timer

    def _arrange(self) -> None:
        content = QWidget()
        layout = self._layout = QVBoxLayout(content)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._name)
        layout.addWidget(self._edit, 1)
        for widget in (self._reading, self._saving, self._remark, self._hint, self._freshness, self._facts):
            layout.addWidget(widget)
        self.setWidget(FittingScrollArea(content, self))
        self.setFocusProxy(self._edit)

    def _connect(self) -> None:
        self._edit.textChanged.connect(self._edit_soon)
        self._edit.files_dropped.connect(self._opener.open_paths)
        self._edit.pasted_too_much.connect(self._take_large_text)
        self._hint.reading_chosen.connect(self._opener.open_source)
        self._facts.encoding_chosen.connect(self._read_again)
        self._counting.done.connect(self._facts.show_words)
        self._counting.failed.connect(self._facts.show_failure)
        self._connect_progress()
        self._session.corpus_replaced.connect(self._show_corpus)
        self._session.recording_replaced.connect(self._show_freshness)
        self._training.state_changed.connect(self._show_freshness)
        self._training.words_counted.connect(self._take_counted)
        self._theme.changed.connect(self._take_fonts)

    def _connect_progress(self) -> None:
        opener, saver = self._opener, self._saver
        opener.opening.connect(self._show_opening)
        opener.replacing.connect(self.flush)
        opener.progressed.connect(self._reading.show_progress)
        for signal in (opener.opened, opener.model_opened, opener.pattern_wanted, opener.failed, opener.cancelled):
            signal.connect(self._end_opening)
        self._reading.cancel_wanted.connect(opener.cancel)
        saver.saving.connect(self._show_saving)
        saver.progressed.connect(self._saving.show_progress)
        for signal in (saver.saved, saver.failed, saver.cancelled):
            signal.connect(self._saving.end)
        self._saving.cancel_wanted.connect(saver.cancel)

    def _edit_soon(self) -> None:
        if not self._is_loading:
            self._edit_timer.start()

    def _take_edit(self) -> None:
        shown, corpus = self._edit.shown_text(), self._session.corpus
        if shown == self._shown:
            return
        text = edited(corpus.text, self._shown, shown)
        self._shown = shown
        self._own_corpus = Corpus.typed(text, edited_name(corpus.name, was_empty=not corpus.text))
        self._session.replace_corpus(self._own_corpus)

    def _take_large_text(self, shown: str) -> None:
        self.flush()
        corpus = self._session.corpus
        name = edited_name(corpus.name, was_empty=not corpus.text) if self._shown else "pasted text"
        self._opener.take_text(edited(corpus.text, self._shown, shown), name)

    def _show_corpus(self) -> None:
        corpus = self._session.corpus
        if corpus is not self._own_corpus:
            self._load(corpus)
        self._name.setText(corpus.name if corpus.text else "No text yet")
        source = CorpusSource.of(corpus)
        self._name.setToolTip(plain_tip(source.listing if source else corpus.name))
        self._hint.show_corpus(corpus)
        self._facts.show_corpus(corpus)
        self._facts.show_texts(corpus, self._pipeline.texts)
        self._show_freshness()
        self._count_soon()

    def _load(self, corpus: Corpus) -> None:
        self._edit_timer.stop()
        part = corpus_excerpt(corpus)
        self._is_loading = True
        self._edit.show_text(part.shown)
        self._is_loading = False
        self._edit.setReadOnly(not part.editable)
        self._shown = part.shown
        self._own_corpus = None
        self._remark.setText(part.remark)
        self._remark.setVisible(bool(part.remark))

    def _show_freshness(self) -> None:
        learned, text = self._session.recording.corpus, self._session.corpus
        is_other = learned is not None and bool(learned.text) and not is_same_text(learned, text)
        self._freshness.setVisible(is_other)
        if is_other and learned is not None:
            self._freshness.setText(
                "Training goes on with the text it began with."
                if self._training.is_active
                else f"The merges shown were learned from another text: {_shortened(learned.name)}."
            )

    def _count_soon(self) -> None:
        self._counting.cancel()
        if self._session.corpus.is_partial:  # takes minutes
            self._count_timer.stop()
            self._show_counted()
            return
        self._facts.show_counting()
        self._count_timer.start()

    def _take_counted(self, corpus: Corpus, pipeline: Pipeline, facts: WordFacts) -> None:
        """Training has counted words: those of a large text nobody else counts."""
        self._counted = corpus, pipeline, facts
        if self._session.corpus.is_partial:
            self._show_counted()

    def _show_counted(self) -> None:
        corpus, pipeline, facts = self._counted or (None, None, None)
        if facts and corpus is self._session.corpus and pipeline == self._pipeline:
            self._facts.show_words(facts)
        else:
            self._facts.show_uncounted()

    def _count(self) -> None:
        self._counting.start(partial(word_facts, self._session.corpus, self._pipeline))

    def _read_again(self, encoding: str | None) -> None:
        source = CorpusSource.of(self._session.corpus)
        if source is not None:
            self._opener.open_source(replace(source, encoding=encoding))

    def _show_opening(self, name: str) -> None:
        self._reading.begin(f"Reading {name}")

    def _end_opening(self) -> None:
        self._reading.end()
        self._facts.show_encoding(self._session.corpus)

    def _show_saving(self, name: str) -> None:
        self._saving.begin(f"Counting words for {name}")

    def _take_fonts(self) -> None:
        self._edit.setFont(self._theme.text_font())


def _shortened(name: str) -> str:
    half = MAX_NAME_CHARS // 2
    return name if len(name) <= MAX_NAME_CHARS else f"{name[:half]}…{name[-half:]}"


def _muted_label(name: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", "muted")
    label.setAccessibleName(name)
    label.hide()
    return label
