"""Shows the first merge that another rule would have made differently, and why; core.compare_rules finds it."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.training import Training
from bpe_gui.widgets.pairs_table import PairsTable
from bpe_gui.widgets.plain_label import plain_label
from bpe_gui.widgets.progress_row import ProgressRow
from bpe_gui.widgets.trainer_choices import SCORES, TIES
from core.branching import pair_label
from core.compare_rules import Agreement, Difference, Side, against, describe, rule_name, times_text
from core.recording import Recording
from core.trainer import Score, TieBreak, TrainerConfig

START_DELAY_MILLISECONDS = 150
WIDTH, HEIGHT = 720, 480
TAKEN_SCALE = 1.3
TOP = Qt.AlignmentFlag.AlignTop


class SideView(QObject):
    """What one of the rules did at the step where they part: the pair, why, and the pairs it was tied with."""

    def __init__(self, title: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._title = title
        self.rule = plain_label("", "heading")
        self.taken = plain_label("")
        font = self.taken.font()
        font.setPointSizeF(font.pointSizeF() * TAKEN_SCALE)
        self.taken.setFont(font)
        self.reason = plain_label("")
        self.tied_title = plain_label("", "muted")
        self.tied = PairsTable(f"Tied pairs, {title}", theme)

    def widgets(self) -> tuple[QWidget, ...]:
        """From top to bottom."""
        return self.rule, self.taken, self.reason, self.tied_title, self.tied

    def show_side(self, side: Side, before: Recording) -> None:
        self.rule.setText(f"{self._title}: {side.rule}")
        taken = f"{pair_label(before, side.taken.pair)}, {times_text(side.taken)}" if side.taken else "no pair"
        self.taken.setText(taken)
        self.reason.setText(side.reason)
        self.tied_title.setText(_tied_title(side))
        self.tied.pairs.show_step(before, side.tied)


def _tied_title(side: Side) -> str:
    if side.tied_total <= 1:
        return "No other pair was as good"
    if side.tied_total > len(side.tied):
        return f"The first {len(side.tied):,} of {side.tied_total:,} tied pairs, in the order of this rule"
    return f"{side.tied_total:,} tied pairs, in the order of this rule"


class WhatIfDialog(QDialog):
    """Compares the rule of the session's recording with one that the person chooses, as far as the recording goes."""

    def __init__(
        self, session: Session, training: Training, settings: Settings, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._training = training
        self._settings = settings
        self._theme = theme
        self._recording = session.recording
        self._merges = session.last_step
        self._result: Difference | Agreement | None = None
        self.setWindowTitle("What if another rule chose?")
        self._make_choice()
        self._make_result()
        self._make_buttons()
        self._arrange()
        self._comparing = LatestJob(self)
        self._comparing.progressed.connect(self.progress.show_progress)
        self._comparing.done.connect(self._show_result)
        self._comparing.failed.connect(self._show_text)
        self._start_timer = QTimer(self, interval=START_DELAY_MILLISECONDS, singleShot=True)
        self._start_timer.timeout.connect(self._compare)
        self.choice.currentIndexChanged.connect(self._on_chosen)
        session.recording_replaced.connect(self.reject)
        self._compare_soon()

    @property
    def comparison(self) -> Difference | Agreement | None:
        """None until the comparison is done."""
        return self._result

    def _other(self) -> TrainerConfig:
        """The recording's options with the rule that is chosen."""
        rule = self.choice.currentData()
        config = self._recording.config
        if rule in set(Score):
            return replace(config, score=Score(rule))
        return replace(config, tie_break=TieBreak(rule))

    def _make_choice(self) -> None:
        config = self._recording.config
        self.choice = QComboBox()
        self.choice.setAccessibleName("The other rule")
        self.choice.setToolTip("The rule to compare with the one that this run was trained with")
        others = [("Ties", choice) for choice in TIES if choice.value is not config.tie_break]
        others += [("Score", choice) for choice in SCORES if choice.value is not config.score]
        for kind, choice in others:
            self.choice.addItem(f"{kind}: {choice.title}", str(choice.value))
            self.choice.setItemData(self.choice.count() - 1, choice.help, Qt.ItemDataRole.ToolTipRole)
        self.choice.setCurrentIndex(max(self.choice.findData(self._settings.text(Settings.WHAT_IF)), 0))

    def _make_result(self) -> None:
        self.summary = plain_label("", "heading")
        self.text = plain_label("")
        self.mine = SideView("This run", self._theme, self)
        self.other = SideView("The other rule", self._theme, self)
        self.progress = ProgressRow("Training under both rules", "Cancel", "Stop comparing", self)
        self.progress.cancel_wanted.connect(self._cancel)
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.text)
        self._pages.addWidget(self._side_by_side())

    def _side_by_side(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setRowMinimumHeight(1, self.fontMetrics().height() // 2)
        grid.addWidget(self.summary, 0, 0, 1, 2)
        for column, side in enumerate((self.mine, self.other)):
            grid.setColumnStretch(column, 1)
            for row, widget in enumerate(side.widgets(), 2):
                grid.addWidget(widget, row, column, Qt.AlignmentFlag(0) if widget is side.tied else TOP)
        grid.setRowStretch(6, 1)
        return page

    def _make_buttons(self) -> None:
        self.go_button = QPushButton("&Go to that step")
        self.go_button.setToolTip("Show the merge of this run at which the rules part")
        self.train_button = QPushButton("&Train with this rule instead")
        self.train_button.setToolTip("Train once more on the same text with the other rule")
        self.close_button = QPushButton("Close")
        self.buttons = QDialogButtonBox(self)
        for button, role in (
            (self.go_button, QDialogButtonBox.ButtonRole.ActionRole),
            (self.train_button, QDialogButtonBox.ButtonRole.ActionRole),
            (self.close_button, QDialogButtonBox.ButtonRole.RejectRole),
        ):
            self.buttons.addButton(button, role)
            button.setIcon(QIcon())  # the style's icon is black in the dark too
        self.go_button.clicked.connect(self._go)
        self.train_button.clicked.connect(self._train)
        self.close_button.clicked.connect(self.reject)

    def _arrange(self) -> None:
        label = QLabel("&Other rule:")
        label.setBuddy(self.choice)
        top = QHBoxLayout()
        top.addWidget(label)
        top.addWidget(self.choice, 1)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(plain_label(f"This run took pairs by: {rule_name(self._recording.config)}.", "muted"))
        layout.addLayout(top)
        layout.addWidget(self.progress)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self.buttons)
        self.resize(WIDTH, HEIGHT)

    def _on_chosen(self) -> None:
        self._settings.set(Settings.WHAT_IF, self.choice.currentData())
        self._compare_soon()

    def _compare_soon(self) -> None:
        self._comparing.cancel()
        self._clear()
        self._start_timer.start()

    def _compare(self) -> None:
        self.progress.begin("Training under both rules")
        self._comparing.start(partial(against, self._recording, self._other(), self._merges))

    def _cancel(self) -> None:
        self._comparing.cancel()
        self._clear()
        self._show_text("Not compared. Choose a rule to compare with.")

    def _clear(self) -> None:
        self._result = None
        self.progress.end()
        self.text.clear()
        self._pages.setCurrentWidget(self.text)
        self._show_state()

    def _show_text(self, text: str) -> None:
        self.progress.end()
        self.text.setText(text)

    def _show_result(self, result: Difference | Agreement) -> None:
        self._clear()
        self._result = result
        if isinstance(result, Difference):
            self.summary.setText(describe(result).partition(":\n")[0] + ".")
            self.mine.show_side(result.sides[0], result.before)
            self.other.show_side(result.sides[1], result.before)
            self._pages.setCurrentIndex(1)
        else:
            self._show_text(describe(result))
        self._show_state()

    def _show_state(self) -> None:
        rank = self._result.rank if isinstance(self._result, Difference) else None
        self.go_button.setEnabled(rank is not None and rank < self._session.last_step)
        self.train_button.setEnabled(rank is not None)

    def _go(self) -> None:
        if isinstance(self._result, Difference):
            rank = self._result.rank
            self.accept()
            self._session.reveal_merge(rank)

    def _train(self) -> None:
        config = self._other()
        self.accept()
        self._training.change_rules(config)

    # Qt

    def done(self, result: int) -> None:
        self._start_timer.stop()
        self._comparing.cancel()
        super().done(result)
