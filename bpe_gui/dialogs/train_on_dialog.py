"""Asks from which step training goes on with the corpus at hand, and where it stops; core.branching does the rest."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.session import Session
from bpe_gui.training import Training
from bpe_gui.widgets.plain_label import plain_label
from core.branching import order_problem
from core.options import MAX_NUMBER, Stop
from core.trainer import TrainerConfig

WIDTH_IN_LETTERS = 62
DEFAULT_MERGES = 1_000


class TrainOnDialog(QDialog):
    """`stop` are the trainer's options, whose stop rule is proposed."""

    def __init__(
        self, session: Session, training: Training, stop: TrainerConfig, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._training = training
        self._stop = stop
        self._stops: dict[Stop, QRadioButton] = {}
        self.setWindowTitle("Train on from here")
        self._make_keep()
        self._make_stops()
        self._make_buttons()
        self._arrange()
        self._show_state()
        session.recording_replaced.connect(self.reject)

    @property
    def step(self) -> int:
        """So many merges stay."""
        return self._session.last_step if self.keep_all.isChecked() else self._session.step

    def stop_rules(self) -> TrainerConfig:
        """A config that says nothing but where to stop."""
        rule = next(stop for stop, button in self._stops.items() if button.isChecked())
        return TrainerConfig(
            merges=self.step + self.merges.value() if rule is Stop.MERGES else None,
            vocab_size=self.vocab_size.value() if rule is Stop.VOCAB_SIZE else None,
            min_frequency=self.min_frequency.value(),
            stop_token=self._stop.stop_token,
        )

    def problem(self) -> str | None:
        """Why training cannot go on like this, in the user's words."""
        recording, step = self._session.recording, self.step
        if problem := order_problem(recording, step):
            return problem
        size = recording.vocab_size(step)
        if self._stops[Stop.VOCAB_SIZE].isChecked() and self.vocab_size.value() <= size:
            return f"The vocabulary has {size:,} tokens already."
        return None

    def _make_keep(self) -> None:
        all_merges, step = self._session.last_step, self._session.step
        self.keep_all = _radio(f"&All {_merges(all_merges)}", "Every merge of this run stays as it is")
        self.keep_first = _radio(
            f"The &first {_merges(step)}: up to the step shown", "The merges after the step shown are dropped"
        )
        self.keep_first.setVisible(0 < step < all_merges)
        self._keep = _group(self, self.keep_all, self.keep_first)
        self.keep_all.setChecked(True)
        self._keep.buttonToggled.connect(self._show_state)

    def _make_stops(self) -> None:
        merges, vocab_size = self._stop.merges, self._stop.vocab_size
        recorded = self._session.recording.vocab_size(self._session.last_step)
        self.merges = _number(merges or DEFAULT_MERGES, 1, "Number of new merges")
        self.vocab_size = _number(vocab_size or recorded + DEFAULT_MERGES, 1, "Vocabulary size")
        self.min_frequency = _number(self._stop.min_frequency, 1, "Minimum frequency")
        self.min_frequency.setToolTip("Training ends when the most frequent pair is rarer than that")
        self._stops = {
            Stop.MERGES: _radio("After &more merges:", "So many merges are added to those that stay"),
            Stop.VOCAB_SIZE: _radio("At &vocabulary size:", "Special tokens, base symbols and all merges together"),
            Stop.NO_PAIR: _radio("When &no pair is left", "Training goes on as long as there is anything to merge"),
        }
        self._stop_group = _group(self, *self._stops.values())
        rule = Stop.MERGES if merges is not None else Stop.NO_PAIR if vocab_size is None else Stop.VOCAB_SIZE
        self._stops[rule].setChecked(True)
        self._stop_group.buttonToggled.connect(self._show_state)
        self.vocab_size.valueChanged.connect(self._show_state)

    def _make_buttons(self) -> None:
        self.buttons = QDialogButtonBox(self)
        self.train_button = QPushButton("&Train on")
        self.train_button.setToolTip("Make the merges that stay once more with this corpus, then learn new ones")
        self.train_button.setDefault(True)
        self.cancel_button = QPushButton("Cancel")
        for button, role in (
            (self.train_button, QDialogButtonBox.ButtonRole.AcceptRole),
            (self.cancel_button, QDialogButtonBox.ButtonRole.RejectRole),
        ):
            self.buttons.addButton(button, role)
            button.setIcon(QIcon())  # the style's icon is black in the dark too
        self.train_button.clicked.connect(self._train)
        self.cancel_button.clicked.connect(self.reject)

    def _arrange(self) -> None:
        self.head = plain_label(
            f"New merges are learned from {self._session.corpus.name}, the text in the corpus panel. "
            "Words are cut and pairs chosen as when this tokenizer was trained, whatever the trainer panel says."
        )
        self.trouble = plain_label("", "danger")
        layout = self._column = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self.head)
        layout.addWidget(plain_label("Merges that stay, with their ids", "heading"))
        layout.addWidget(self.keep_all)
        layout.addWidget(self.keep_first)
        layout.addWidget(plain_label("Stop", "heading"))
        layout.addLayout(self._stop_grid())
        layout.addWidget(self.trouble)
        layout.addStretch(1)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * WIDTH_IN_LETTERS)

    def _stop_grid(self) -> QGridLayout:
        grid = QGridLayout()
        for row, (stop, number) in enumerate(
            ((Stop.MERGES, self.merges), (Stop.VOCAB_SIZE, self.vocab_size), (Stop.NO_PAIR, None))
        ):
            grid.addWidget(self._stops[stop], row, 0)
            if number:
                grid.addWidget(number, row, 1)
        if self._session.recording.config.min_frequency_only_stops:
            rarest = QLabel("Or before pairs &rarer than:")
            rarest.setBuddy(self.min_frequency)
            grid.addWidget(rarest, 3, 0)
            grid.addWidget(self.min_frequency, 3, 1)
        else:
            self.min_frequency.setParent(self)
            self.min_frequency.hide()
        if self._stop.stop_token:
            grid.addWidget(plain_label(f"Or at a token that matches {self._stop.stop_token}"), 4, 0, 1, 2)
        grid.setColumnStretch(2, 1)
        return grid

    def _show_state(self) -> None:
        self.merges.setEnabled(self._stops[Stop.MERGES].isChecked())
        self.vocab_size.setEnabled(self._stops[Stop.VOCAB_SIZE].isChecked())
        problem = self.problem()
        self.trouble.setText(problem or "")
        self.trouble.setVisible(problem is not None)
        self.train_button.setEnabled(problem is None)
        if self.isVisible():
            self._grow()

    def _grow(self) -> None:
        """Make room for what is written: a layout gives no more of it to a label that wraps by itself."""
        self._column.activate()
        self.resize(self.width(), max(self.height(), self._column.totalHeightForWidth(self.width())))

    def _train(self) -> None:
        corpus, step, stop = self._session.corpus, self.step, self.stop_rules()
        self.accept()
        self._training.train_on(corpus, step, stop)


def _merges(number: int) -> str:
    return f"{number:,} {'merge' if number == 1 else 'merges'}"


def _radio(text: str, tip: str) -> QRadioButton:
    button = QRadioButton(text)
    button.setToolTip(tip)
    return button


def _group(parent: QWidget, *buttons: QRadioButton) -> QButtonGroup:
    group = QButtonGroup(parent)
    for button in buttons:
        group.addButton(button)
    return group


def _number(value: int, least: int, name: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, MAX_NUMBER)
    box.setGroupSeparatorShown(True)
    box.setValue(value)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setAccessibleName(name)
    box.setToolTip(name)
    return box
