"""Two groups of controls: beside each other where there is room, otherwise one below the other."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget


class WrappingRow(QWidget):
    def __init__(self, first: QWidget, second: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups = first, second
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(4)
        self._box.addWidget(first, 1)
        self._box.addWidget(second)

    @property
    def is_wrapped(self) -> bool:
        return self._box.direction() is QBoxLayout.Direction.TopToBottom

    def rewrap(self) -> None:
        """Decide anew: a group got wider or narrower."""
        wanted = sum(group.sizeHint().width() for group in self._groups) + self._box.spacing()
        fits = wanted <= self.width()
        direction = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if direction is not self._box.direction():
            self._box.setDirection(direction)
            self.updateGeometry()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.rewrap()
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        width = max(group.minimumSizeHint().width() for group in self._groups)
        return QSize(width, self._box.minimumSize().height())
