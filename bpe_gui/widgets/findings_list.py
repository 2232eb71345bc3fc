"""The findings of an export format: an icon and a sentence each, in the colour of how bad they are."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QSizePolicy, QWidget

from bpe_gui.theme import Colors, Theme
from core.formats import Finding, Severity

ICONS = {
    Severity.REFUSAL: "prohibit",
    Severity.WARNING: "warning",
    Severity.LOSS: "info",
    Severity.NOTE: "check-circle",
}
NAMES = {
    Severity.REFUSAL: "Cannot be written",
    Severity.WARNING: "Warning",
    Severity.LOSS: "Not kept",
    Severity.NOTE: "Kept",
}
ROLES = {Severity.REFUSAL: "danger", Severity.WARNING: "warning", Severity.LOSS: "muted", Severity.NOTE: "success"}
LINES_ALWAYS_SEEN = 4


class FindingsArea(QScrollArea):
    """A findings list that asks for no more height than its sentences need, and scrolls when it gets less."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = FindingsList(theme, self)
        self.setWidget(self.list)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("What to know before writing")

    def show_findings(self, findings: Sequence[Finding]) -> None:
        self.list.show_findings(findings)
        self._fit()

    def _fit(self) -> None:
        needed = max(self.list.heightForWidth(self.viewport().width()), 0)  # -1 before the first findings
        self.setMaximumHeight(needed)
        self.setMinimumHeight(min(needed, self.fontMetrics().lineSpacing() * LINES_ALWAYS_SEEN))
        self.updateGeometry()

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.maximumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()


class FindingsList(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._findings: Sequence[Finding] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(8)
        theme.changed.connect(self._rebuild)

    @property
    def findings(self) -> Sequence[Finding]:
        return self._findings

    def show_findings(self, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._rebuild()

    def _rebuild(self) -> None:
        while item := self._grid.takeAt(0):
            widget = item.widget()
            if widget:
                widget.hide()
                widget.deleteLater()
        for row, finding in enumerate(self._findings):
            self._add_row(row, finding)
        if not self._findings:
            self._add(0, "check-circle", self._theme.colors.success, "Nothing gets lost.", "Fine", "success")
        # the last row takes what is left over, so that the sentences stand together at the top
        for row in range(self._grid.rowCount() + 1):
            self._grid.setRowStretch(row, 0)
        self._grid.setRowStretch(max(len(self._findings), 1), 1)

    def _add_row(self, row: int, finding: Finding) -> None:
        severity = finding.severity
        self._add(
            row,
            ICONS[severity],
            color_of(severity, self._theme.colors),
            finding.message,
            NAMES[severity],
            ROLES[severity],
        )

    def _add(self, row: int, icon: str, color: QColor, text: str, name: str, role: str) -> None:
        picture = QLabel(self)
        size = self.fontMetrics().height()
        picture.setPixmap(self._theme.icon(icon, color).pixmap(size, size))
        picture.setToolTip(name)
        picture.setAccessibleName(name)
        sentence = QLabel(text, self)
        sentence.setTextFormat(Qt.TextFormat.PlainText)
        sentence.setWordWrap(True)
        sentence.setAccessibleName(f"{name}: {text}")
        if role != "muted":
            sentence.setProperty("role", role)
        self._grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(sentence, row, 1, Qt.AlignmentFlag.AlignTop)


def color_of(severity: Severity, colors: Colors) -> QColor:
    return {
        Severity.REFUSAL: colors.danger,
        Severity.WARNING: colors.warning,
        Severity.LOSS: colors.muted,
        Severity.NOTE: colors.success,
    }[severity]
