"""Scrolls what is too high for its panel; the panel is never narrower than what is in it."""

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class FittingScrollArea(QScrollArea):
    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus, and is scrolled to
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)

    def reveal(self, widget: QWidget) -> None:
        """Scroll until all of `widget` in the content can be seen, or its upper part where it is too high."""
        bar, viewport = self.verticalScrollBar(), self.viewport()
        top = widget.mapTo(viewport, QPoint()).y() + bar.value()
        lowest = min(top, top + widget.height() - viewport.height())
        bar.setValue(min(max(bar.value(), lowest), top))

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()  # the content may need another width
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        content, hint = self.widget(), super().minimumSizeHint()
        width = content.minimumSizeHint().width() if content else 0
        return QSize(max(hint.width(), width + self.verticalScrollBar().sizeHint().width()), hint.height())
