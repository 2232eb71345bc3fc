"""The middle of the window: the corpus, or a text of the user's own, as the tokens it has at the current step."""

from functools import partial

from PySide6.QtCore import QMimeData, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel, FactsLabel
from bpe_gui.widgets.round_trip_badge import RoundTripBadge
from bpe_gui.widgets.token_view import TokenView
from core.corpus import Corpus
from core.model_facts import SAMPLE_TEXT, model_name
from core.recording import Recording
from core.round_trip import RoundTrip, recording_losses, round_trip_work
from core.segmentation import MAX_WORD_CHARS, Segmenter, is_quick, is_word_list, prepare, prepare_now
from core.tokenizer import Specials
from core.vocab import token_label

STORE_MILLISECONDS = 500
COUNT_MILLISECONDS = 120
DECODED_PER_MILLISECOND = 50  # characters: a third of the time at most goes into decoding while the steps move on
QUICK_CHARS = 2_000  # decoded in some 15 ms
COUNT_CHARS = 1_000_000  # a longer text that was not trained on is not counted
MAX_PASTED_CHARS = 100_000  # the text field is slow with more
FIELD_LINES = 3
CHECKING = "Checking whether it comes back…"


class PastedTextField(QPlainTextEdit):
    """A plain text field that takes no more than it can show without a delay.

    Signals:
    text_cut: what was pasted was too long, its end is left out.
    """

    text_cut = Signal()

    def take(self, text: str) -> None:
        """Replace the text."""
        self.setPlainText(text[:MAX_PASTED_CHARS])
        if len(text) > MAX_PASTED_CHARS:
            self.text_cut.emit()

    # Qt

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        room = max(MAX_PASTED_CHARS + 1 - self.document().characterCount(), 0)  # a paragraph's end is counted too
        self.insertPlainText(text[:room])
        if len(text) > room:
            self.text_cut.emit()


class TokensPanel(QWidget):
    """Signals:
    token_clicked(token id)
    """

    token_clicked = Signal(int)

    def __init__(self, session: Session, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._theme = theme
        self._preparing = LatestJob(self)
        self._counting = LatestJob(self)
        self._decoding = LatestJob(self)
        self._store_timer = QTimer(self, interval=STORE_MILLISECONDS, singleShot=True)
        self._count_timer = QTimer(self, interval=COUNT_MILLISECONDS, singleShot=True)
        self._decode_timer = QTimer(self, interval=COUNT_MILLISECONDS, singleShot=True)
        self._pasted = Corpus.typed(settings.text(Settings.PASTED_TEXT))
        self._message = ""
        self._stands_in = False  # the own text is shown for want of a corpus, not because someone chose it
        self._make_widgets()
        self._arrange()
        self._connect()
        self._show_icons()
        self._show_source()

    @property
    def view(self) -> TokenView:
        return self._view

    def show_pasted(self, text: str) -> None:
        """Switch to the user's own text and make it this one."""
        self._pasted_button.setChecked(True)
        self._field.take(text)

    def add_footer(self, widget: QWidget) -> None:
        """Put a widget below the tokens."""
        self._layout.addWidget(widget)

    def _make_widgets(self) -> None:
        self._corpus_button = self._source_button("Corpus", "The text that is opened and trained on, in tokens")
        self._pasted_button = self._source_button("Your text", "A text of your own, in the tokens of this step")
        self._sources = QButtonGroup(self)
        self._sources.addButton(self._corpus_button)
        self._sources.addButton(self._pasted_button)
        is_pasted = self._settings.text(Settings.TOKENS_SOURCE) == "pasted"
        (self._pasted_button if is_pasted else self._corpus_button).setChecked(True)
        self._numbers = FactsLabel(self)
        self._numbers.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._numbers.setFont(self._theme.number_font())
        self._numbers.setAccessibleName("Numbers of the text shown")
        self._white_space = _checkable_button(self)
        self._white_space.setText("¶")
        self._white_space.setToolTip("Mark spaces, tabs and line ends in the tokens")
        self._white_space.setAccessibleName("Show white space")
        self._white_space.setChecked(self._settings.flag(Settings.SHOW_WHITESPACE))
        self._field = PastedTextField(self._pasted.text, self)
        self._field.setPlaceholderText("Paste or type a text to see its tokens")
        self._field.setAccessibleName("Your text")
        self._field.setTabChangesFocus(True)
        self._badge = RoundTripBadge(self._theme, self)
        self._badge.keep_room(False)  # the corpus has none
        self._note = QLabel("", self, wordWrap=True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setProperty("role", "muted")
        self._view = TokenView(self._session, self._settings, self._theme, self)
        self._facts = ElidingLabel("", self)
        self._facts.setProperty("role", "muted")
        self._facts.setAccessibleName("Token under the mouse or the cursor")

    def _source_button(self, text: str, tip: str) -> QToolButton:
        button = _checkable_button(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        return button

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(8, 4, 8, 4)
        top.setSpacing(4)
        for widget in (self._corpus_button, self._pasted_button):
            top.addWidget(widget)
        top.addWidget(self._numbers, 1)
        top.addSpacing(8)
        top.addWidget(self._white_space)
        field = QVBoxLayout()
        field.setContentsMargins(8, 0, 8, 0)
        field.setSpacing(2)
        field.addWidget(self._field)
        field.addWidget(self._badge)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addLayout(top)
        self._layout.addLayout(field)
        self._layout.addWidget(self._note)
        self._layout.addWidget(self._view, 1)
        self._layout.addWidget(self._facts)
        self._note.setContentsMargins(12, 4, 12, 4)
        self._facts.setContentsMargins(12, 4, 12, 4)

    def _connect(self) -> None:
        session, settings = self._session, self._settings
        self._sources.buttonToggled.connect(self._on_source_toggled)
        self._field.textChanged.connect(self._take_pasted)
        self._field.text_cut.connect(self._tell_cut)
        self._white_space.toggled.connect(self._store_white_space)
        self._store_timer.timeout.connect(self._store_pasted)
        self._count_timer.timeout.connect(self._count)
        self._preparing.done.connect(self._show_segmenter)
        self._preparing.failed.connect(self._show_failure)
        self._counting.done.connect(self._show_count)
        self._decode_timer.timeout.connect(self._decode)
        self._decoding.done.connect(self._show_trip)
        self._decoding.failed.connect(self._badge.show_open)
        self._view.token_clicked.connect(self.token_clicked)
        self._view.facts_changed.connect(self._facts.setText)
        self._view.merge_missing.connect(self._tell_missing)
        self._view.exactness_lost.connect(self._show_note)
        session.corpus_replaced.connect(self._take_in)
        session.recording_replaced.connect(self._take_in)
        session.step_changed.connect(self._show_step)
        settings.changed.connect(self._on_setting_changed)
        self._theme.changed.connect(self._show_icons)

    def _is_pasted(self) -> bool:
        return self._pasted_button.isChecked()

    def _corpus(self) -> Corpus:
        """The text whose tokens are shown."""
        if self._is_pasted():
            return self._pasted
        corpus = self._session.corpus
        return corpus if corpus.text else self._session.recording.corpus or corpus

    def _take_in(self) -> None:
        """Another corpus or recording: a tokenizer that was opened has something to cut, if only a text of its user."""
        recording = self._session.recording
        has_text = self._session.corpus.text or (recording.corpus and recording.corpus.text)
        wants_text = recording.imported is not None and not has_text
        if wants_text and not self._is_pasted():
            self._choose(self._pasted_button)
            self._stands_in = True
        elif self._stands_in and not wants_text:
            self._choose(self._corpus_button)
        if wants_text and not self._pasted.text:
            with QSignalBlocker(self._field):
                self._field.take(SAMPLE_TEXT)
            self._pasted = Corpus.typed(SAMPLE_TEXT)
        self._show_source()

    def _choose(self, button: QToolButton) -> None:
        """Without storing it, as a person's choice is."""
        self._stands_in = False
        with QSignalBlocker(self._sources):
            button.setChecked(True)

    def _show_source(self) -> None:
        """Show the text that is chosen, under the recording of now."""
        self._field.setVisible(self._is_pasted())
        self._expect_trip()
        self._preparing.cancel()
        recording, text = self._session.recording, self._corpus().text
        if is_quick(recording, text):
            self._show_segmenter(prepare_now(recording, text))
        else:
            self._view.show_text(None, "Cutting the text into words…")
            self._show_numbers(None)
            self._preparing.start(partial(prepare, recording, text))

    def _show_segmenter(self, segmenter: Segmenter) -> None:
        self._message = ""
        if self._view.segmenter:
            segmenter.know_size_from(self._view.segmenter)
        self._view.show_text(segmenter, self._placeholder())
        self._show_step()

    def _placeholder(self) -> str:
        if self._is_pasted():
            return "Paste or type a text above, and its tokens appear here."
        return "Open a text file or choose a sample, and its tokens appear here."

    def _show_failure(self, message: str) -> None:
        self._view.show_text(None, message)
        self._show_numbers(None)

    def _show_step(self) -> None:
        self._message = ""
        self._show_note()
        if self._is_pasted() and self._pasted.text:
            self._expect_step()
        self._counting.cancel()
        self._count_timer.stop()
        recording, corpus = self._session.recording, self._corpus()
        if corpus.text and corpus is recording.corpus and self._knows_all_words(recording):
            self._show_numbers(recording.corpus_length(self._session.step))
        else:
            self._show_numbers(None)
            if self._view.segmenter and 0 < len(corpus.text) <= COUNT_CHARS:
                self._count_timer.start()

    def _knows_all_words(self, recording: Recording) -> bool:
        """Whether its words are those of the text that is shown, no more and no fewer."""
        corpus = recording.corpus
        if corpus is None or not recording.has_counts or corpus.is_partial:
            return False
        return corpus.given_counts is not None or recording.pipeline.limits.keep_all

    def _expect_trip(self) -> None:
        """Another text, or another recording: whether the text comes back is open until it was decoded."""
        self._decoding.cancel()
        self._decode_timer.stop()
        if self._is_pasted() and self._pasted.text:
            self._badge.show_open(CHECKING)
            self._decode_soon()
        else:
            self._badge.clear()

    def _expect_step(self) -> None:
        """What was said of the step before stays for the moment that it takes; with a long text it takes longer."""
        if len(self._pasted.text) > QUICK_CHARS:
            self._badge.show_open(CHECKING)
        if not self._decode_timer.isActive():
            self._decode_soon()

    def _decode_soon(self) -> None:
        self._decode_timer.start(COUNT_MILLISECONDS + len(self._pasted.text) // DECODED_PER_MILLISECOND)

    def _decode(self) -> None:
        recording, step, text = self._session.recording, self._session.step, self._pasted.text
        self._decoding.start(partial(round_trip_work, recording, step, text, Specials.AS_TEXT))  # as it is shown

    def _show_trip(self, trip: RoundTrip) -> None:
        self._badge.show_trip(trip, recording_losses(self._session.recording))

    def _count(self) -> None:
        if segmenter := self._view.segmenter:
            self._counting.start(partial(segmenter.copy().count_tokens, self._session.step))

    def _show_count(self, tokens: int) -> None:
        self._show_numbers(tokens)

    def _show_numbers(self, tokens: int | None) -> None:
        segmenter = self._view.segmenter
        text = segmenter.text if segmenter else ""
        if segmenter is None or not text:
            self._numbers.set_facts()
        elif not tokens:
            self._numbers.set_facts(_counted(len(text), "character"))
        else:
            counts = [(tokens, "token"), (len(text), "character"), (segmenter.byte_count, "byte")]
            if is_word_list(segmenter.recording, text):
                counts[1:] = [(segmenter.recording.word_total, "counted word")]
            self._numbers.set_facts(*(_counted(*count) for count in counts))

    def _show_note(self) -> None:
        segmenter = self._view.segmenter
        notes = [self._message, self._origin_note()]
        if segmenter and segmenter.is_changed:
            names = ", ".join(segmenter.recording.pipeline.normalizer.names)
            notes.append(f"Shown as the trainer sees it, normalized: {names}.")
        if not self._is_pasted() and self._corpus().is_partial and self._corpus().text:
            notes.append("Only the beginning of the text is shown; training reads all of it.")
        if segmenter and not segmenter.is_exact:
            notes.append(f"Words of more than {MAX_WORD_CHARS:,} characters are shown in parts of that length.")
        text = " ".join(note for note in notes if note)
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def _origin_note(self) -> str:
        """Whose merges are shown when they were not learned from the corpus."""
        recording, corpus = self._session.recording, self._corpus()
        if self._is_pasted() or not corpus.text or corpus.is_that_of(recording.corpus) or not len(recording):
            return ""
        if recording.corpus is None:
            name = model_name(recording) or "a file"
            return f"Shown with the merges of {name}; Training > Count merges in the corpus counts them in this text."
        return f"Shown with the merges of {recording.corpus.name}; train to learn merges from this text."

    def _tell_cut(self) -> None:
        self._message = f"Only {MAX_PASTED_CHARS:,} characters fit here; open a longer text as corpus."
        self._show_note()

    def _tell_missing(self, rank: int) -> None:
        recording = self._session.recording
        label = token_label(recording, recording[rank].token_id)
        self._message = f"The merge that makes {label} applies nowhere in this text."
        self._show_note()

    def _on_source_toggled(self, button: QToolButton, is_checked: bool) -> None:
        if is_checked:
            self._stands_in = False
            self._settings.set(Settings.TOKENS_SOURCE, "pasted" if self._is_pasted() else "corpus")
            self._show_source()

    def _take_pasted(self) -> None:
        self._pasted = Corpus.typed(self._field.toPlainText())
        self._store_timer.start()
        if self._is_pasted():
            self._show_source()

    def _store_pasted(self) -> None:
        self._settings.set(Settings.PASTED_TEXT, self._pasted.text)

    def _store_white_space(self, is_on: bool) -> None:
        if is_on != self._settings.flag(Settings.SHOW_WHITESPACE):
            self._settings.set(Settings.SHOW_WHITESPACE, is_on)

    def _on_setting_changed(self, key: str) -> None:
        if key == Settings.SHOW_WHITESPACE:
            self._white_space.setChecked(self._settings.flag(key))

    def _show_icons(self) -> None:
        self._numbers.setFont(self._theme.number_font())
        self._field.setFont(self._theme.text_font())
        height = self._field.fontMetrics().lineSpacing() * FIELD_LINES + 2 * round(
            self._field.document().documentMargin()
        )
        self._field.setFixedHeight(height + 2 * self._field.frameWidth())

    # Qt

    def hideEvent(self, event: QHideEvent) -> None:
        if self._store_timer.isActive():
            self._store_timer.stop()
            self._store_pasted()
        super().hideEvent(event)


def _counted(count: int, thing: str) -> str:
    """`1 token`, `2,345 tokens`"""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def _checkable_button(parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setCheckable(True)
    button.setAutoRaise(True)
    return button
