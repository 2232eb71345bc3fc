"""Scrolls what is too high for its panel; the panel is never narrower than what is in it."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class FittingScrollArea(QScrollArea):
    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)

    # Qt

    def minimumSizeHint(self) -> QSize:
        content, hint = self.widget(), super().minimumSizeHint()
        width = content.minimumSizeHint().width() if content else 0
        return QSize(max(hint.width(), width + self.verticalScrollBar().sizeHint().width()), hint.height())
