"""Two groups of controls: beside each other where there is room, otherwise one below the other."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget


class WrappingRow(QWidget):
    """With `shrinks` the groups stay beside each other until they cannot be made any narrower."""

    def __init__(self, first: QWidget, second: QWidget, parent: QWidget | None = None, shrinks: bool = False) -> None:
        super().__init__(parent)
        self._groups = first, second
        self._shrinks = shrinks
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(4)
        self._box.addWidget(first, 0 if shrinks else 1)
        self._box.addWidget(second)

    @property
    def is_wrapped(self) -> bool:
        return self._box.direction() is QBoxLayout.Direction.TopToBottom

    def rewrap(self) -> None:
        """Decide anew: a group got wider or narrower."""
        fits = self._width_beside(self._shrinks) <= self.width()
        direction = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if direction is not self._box.direction():
            self._box.setDirection(direction)
            self.updateGeometry()

    def _width_beside(self, is_least: bool) -> int:
        hints = [group.minimumSizeHint() if is_least else group.sizeHint() for group in self._groups]
        return sum(hint.width() for hint in hints) + self._box.spacing()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.rewrap()
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        width = max(group.minimumSizeHint().width() for group in self._groups)
        return QSize(width, self._box.minimumSize().height())

    def sizeHint(self) -> QSize:
        """Of both beside each other, also while they are not: else a row around this one would never make room."""
        hint = super().sizeHint()
        return QSize(self._width_beside(False), hint.height()) if self._shrinks else hint
