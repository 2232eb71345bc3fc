"""What is said about the trainer's options as a whole: problems, warnings, and whether texts come back."""

from collections.abc import Sequence

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_gui.theme import Theme
from bpe_gui.widgets.fields import RemarkLabel, help_label
from bpe_gui.widgets.section import Section, Tone

LATER = "Changes here take effect when you press Train again."
GIVEN = "The corpus is a list of word counts: its words are taken as they are, not normalized or cut."


class TrainerRemarks(QWidget):
    """Every remark is hidden until there is one; `decoding` folds what does not come back."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._given = RemarkLabel("muted", "What the corpus leaves without effect")
        self._later = RemarkLabel("muted", "When these options apply")
        self._problem = RemarkLabel("danger", "What keeps these options from being used")
        self._room = RemarkLabel("danger", "Warning about the vocabulary size")
        self._dropped = RemarkLabel("warning", "Characters that are left out of the alphabet")
        self.decoding = Section("Decoding", "Whether texts come back from their tokens as they were.", theme)
        self._losses = help_label()
        self._losses.setAccessibleName("What does not come back")
        self.decoding.add([self._losses])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for widget in (self._given, self._later, self._problem, self._room, self._dropped, self.decoding):
            layout.addWidget(widget)

    def show_given(self, are_given: bool) -> None:
        """Whether the corpus is a list of words and their counts."""
        self._given.show_remark(GIVEN if are_given else None)

    def show_later(self, is_later: bool) -> None:
        """Whether changes wait for the next run."""
        self._later.show_remark(LATER if is_later else None)

    def show_problem(self, problem: str | None) -> None:
        self._problem.show_remark(problem)

    def show_alphabet(self, room_problem: str | None, dropped_line: str) -> None:
        self._room.show_remark(room_problem)
        self._dropped.show_remark(dropped_line)

    def show_losses(self, losses: Sequence[str] | None) -> None:
        """What may not come back; None where it is not known."""
        self.decoding.setVisible(losses is not None)
        if losses:
            self._losses.setText("\n".join(f"• {loss}" for loss in losses))
            self.decoding.show_summary("texts may change", Tone.WARNING)
        else:
            self._losses.setText("Every text comes back exactly as it was.")
            self.decoding.show_summary("texts come back exactly", Tone.SUCCESS)


def dividing_line() -> QWidget:
    """Between what scrolls and what stays."""
    line = QWidget()
    line.setBackgroundRole(QPalette.ColorRole.Mid)
    line.setAutoFillBackground(True)
    line.setFixedHeight(1)
    return line
