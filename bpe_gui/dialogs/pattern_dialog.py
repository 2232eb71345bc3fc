"""Asks how texts are cut into words, for a tokenizer whose file does not say it, and shows what a choice does."""

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.latest_job import LatestJob
from bpe_gui.theme import Theme
from bpe_gui.widgets.plain_label import plain_label
from bpe_gui.widgets.text_fields import PatternField
from core.cut_preview import CutPreview, cut_preview
from core.model_source import ModelSource
from core.options import Fault
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer

WIDTH_IN_LETTERS = 70
LIKELY = ("cl100k", "o200k", "gpt2", "qwen2", "llama3")
"""What most files of ranks go with, in this order before the rest."""
PREVIEW_LINES = 7
TYPING_MILLISECONDS = 150
NO_WORDS = "Nothing in this sample matches: no text like it would become tokens."


class PatternDialog(QDialog):
    """Signals:
    chosen(ModelSource): the same file, with the way that texts are cut.
    """

    chosen = Signal(object)

    def __init__(
        self, source: ModelSource, message: str, sample: str, theme: Theme, parent: QWidget | None = None
    ) -> None:
        """`message` says what is missing; `sample` is a text to show what a choice does."""
        super().__init__(parent)
        self._source = source
        self._sample = sample
        self._cut: PreTokenizer | None = None
        self.setWindowTitle("How are texts cut into words?")
        self._job = LatestJob(self)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._show_fault)
        self._typing = QTimer(self, interval=TYPING_MILLISECONDS, singleShot=True)
        self._typing.timeout.connect(self._look)
        self.choice = self._make_choice()
        self.help = plain_label("", "muted")
        self.pattern = PatternField("pattern", "Pattern", "A regular expression that matches one word", theme)
        self.pattern.chosen.connect(self._take_pattern)
        self._own_pattern = ""
        self.preview = self._make_preview()
        self._make_buttons()
        self._arrange(message)
        self._show_choice()

    def _make_choice(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName("How texts are cut")
        box.setToolTip("The pre-tokenizer that the tokenizer was trained with")
        others = [name for name in PRE_TOKENIZERS if name not in LIKELY]
        for name in (*LIKELY, *others):
            box.addItem(PRE_TOKENIZERS[name].title, name)
            box.setItemData(box.count() - 1, PRE_TOKENIZERS[name].help, Qt.ItemDataRole.ToolTipRole)
        box.addItem("Own pattern", "")
        box.currentIndexChanged.connect(self._show_choice)
        return box

    def _make_preview(self) -> QPlainTextEdit:
        preview = QPlainTextEdit()
        preview.setReadOnly(True)
        preview.setTabChangesFocus(True)
        preview.setAccessibleName("The words of a sample")
        preview.setMinimumHeight(self.fontMetrics().lineSpacing() * PREVIEW_LINES)
        return preview

    def _make_buttons(self) -> None:
        self.buttons = QDialogButtonBox(self)
        self.open_button = QPushButton("&Open")
        self.open_button.setToolTip("Open the tokenizer with this choice")
        self.open_button.setDefault(True)
        cancel = QPushButton("Cancel")
        for button, role in (
            (self.open_button, QDialogButtonBox.ButtonRole.AcceptRole),
            (cancel, QDialogButtonBox.ButtonRole.RejectRole),
        ):
            self.buttons.addButton(button, role)
            button.setIcon(QIcon())  # the style's icon is black in the dark too
        cancel.setAutoDefault(False)  # while a sample is cut the other one is disabled, and Enter would cancel
        self.open_button.clicked.connect(self._choose)
        cancel.clicked.connect(self.reject)

    def _arrange(self, message: str) -> None:
        row = QHBoxLayout()
        title = QLabel("&Texts are cut")
        title.setBuddy(self.choice)
        row.addWidget(title)
        row.addWidget(self.choice, 1)
        layout = self._column = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(plain_label(message))
        layout.addLayout(row)
        layout.addWidget(self.help)
        layout.addWidget(self.pattern)
        layout.addWidget(plain_label("A sample in words", "heading"))
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.buttons)
        width = self.fontMetrics().averageCharWidth() * WIDTH_IN_LETTERS
        self.setMinimumWidth(width)
        self.resize(width, 0)

    def _is_own(self) -> bool:
        return not self.choice.currentData()

    def _show_choice(self) -> None:
        known = PRE_TOKENIZERS.get(self.choice.currentData())
        self.help.setText(known.help if known else "Every match of a regular expression is a word.")
        self.pattern.setVisible(known is None)
        self._grow()
        self._look()

    def _grow(self) -> None:
        """Make room for what is written: a layout gives no more of it to a label that wraps by itself."""
        self._column.activate()
        self.resize(self.width(), max(self.height(), self._column.totalHeightForWidth(self.width())))

    def _take_pattern(self, name: str, pattern: str) -> None:
        self._own_pattern = pattern
        self._set(None)
        self._typing.start()

    def _look(self) -> None:
        """Cut the sample, on a thread: a pattern of one's own may be slow."""
        self._typing.stop()
        self._set(None)
        self.pattern.show_fault(None)
        choice = self._own_pattern if self._is_own() else PRE_TOKENIZERS[self.choice.currentData()]
        if choice:
            self._job.start(partial(cut_preview, choice, self._sample))
        else:
            self._job.cancel()
            self.preview.setPlainText("Type a pattern, and the words that it finds appear here.")

    def _take(self, preview: CutPreview) -> None:
        self._set(preview.pre_tokenizer)
        self.preview.setPlainText(preview.words or NO_WORDS)

    def _show_fault(self, message: str) -> None:
        self.pattern.show_fault(Fault(message))
        self._grow()
        self.preview.setPlainText("")

    def _set(self, cut: PreTokenizer | None) -> None:
        self._cut = cut
        self.open_button.setEnabled(cut is not None)
        self.open_button.setDefault(True)  # Qt takes that from a disabled button

    def _choose(self) -> None:
        if self._cut is not None:
            self.accept()
            self.chosen.emit(self._source.cut_by(self._cut))
