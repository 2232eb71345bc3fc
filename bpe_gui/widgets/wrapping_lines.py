"""Controls beside each other, in as many lines as they need: a panel is no wider than its widest control."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget, QWidgetItem

LINE_SPACING = 4


class WrappingLines(QWidget):
    """Controls that can shrink do so before a line wraps. What a line has left over stands behind `last_at_left`."""

    def __init__(
        self,
        controls: Sequence[QWidget],
        parent: QWidget | None = None,
        spacing: int = 6,
        last_at_left: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._spacing = spacing
        self._last_at_left = last_at_left
        self._items: list[QWidgetItem] = []
        self._line_count = 1
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for control in controls:
            self.add(control)

    @property
    def line_count(self) -> int:
        return self._line_count

    def add(self, control: QWidget) -> None:
        """Put it behind the others."""
        control.setParent(self)
        self._items.append(QWidgetItem(control))

    def rewrap(self) -> None:
        """Decide anew: a control appeared, or got wider or narrower, or the panel came to the front."""
        area = self.contentsRect()
        lines, top = self._lines(area.width()), area.top()
        for line in lines:
            height = _height(line)
            left = area.left()
            for item, width in zip(line, self._widths(line, area.width()), strict=True):
                place = QRect(left, top, width, height)
                item.setGeometry(_mirrored(place, area) if self.isRightToLeft() else place)
                left += width + self._spacing + self._gap_after(item, line, area.width())
            top += height + LINE_SPACING
        self._line_count = len(lines)
        self.updateGeometry()

    def _shown(self) -> list[QWidgetItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lines(self, width: int) -> list[list[QWidgetItem]]:
        lines: list[list[QWidgetItem]] = []
        room = 0
        for item in self._shown():
            least = item.minimumSize().width()
            if lines and room >= self._spacing + least:
                lines[-1].append(item)
                room -= self._spacing + least
            else:
                lines.append([item])
                room = width - least
        return lines

    def _widths(self, line: list[QWidgetItem], width: int) -> list[int]:
        """Of each its least, then a part of what it would like more; the rest for those that take any room."""
        widths = [item.minimumSize().width() for item in line]
        wishes = [max(item.sizeHint().width() - least, 0) for item, least in zip(line, widths, strict=True)]
        room = max(width - self._spacing * (len(line) - 1) - sum(widths), 0)
        wanted = sum(wishes)
        if wanted:
            widths = [least + wish * min(room, wanted) // wanted for least, wish in zip(widths, wishes, strict=True)]
        takers = [place for place, item in enumerate(line) if _takes_any_room(item)]
        for place in takers:
            widths[place] += max(room - wanted, 0) // len(takers)
        return [min(each, width) for each in widths]

    def _gap_after(self, item: QWidgetItem, line: list[QWidgetItem], width: int) -> int:
        if item.widget() is not self._last_at_left:
            return 0
        return max(width - sum(self._widths(line, width)) - self._spacing * (len(line) - 1), 0)

    def _size(self, content_width: int) -> QSize:
        margins = self.contentsMargins()
        is_placed = not self.visibleRegion().isEmpty()  # else, as behind another tab, its width means nothing
        lines = self._lines(self.contentsRect().width() if is_placed else content_width)
        height = sum(map(_height, lines)) + LINE_SPACING * max(len(lines) - 1, 0)
        return QSize(
            content_width + margins.left() + margins.right(), max(height, 0) + margins.top() + margins.bottom()
        )

    # Qt

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.rewrap()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rewrap()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.rewrap()

    def minimumSizeHint(self) -> QSize:
        """As high as it is at its present width; in one line while it cannot be seen."""
        width = max((item.minimumSize().width() for item in self._shown()), default=0)
        return QSize(self._size(width).width(), self.sizeHint().height())

    def sizeHint(self) -> QSize:
        """As wide as all in one line."""
        widths = [item.sizeHint().width() for item in self._shown()]
        return self._size(sum(widths) + self._spacing * max(len(widths) - 1, 0))


def _height(line: list[QWidgetItem]) -> int:
    return max(item.sizeHint().height() for item in line)


def _takes_any_room(item: QWidgetItem) -> bool:
    return bool(item.expandingDirections() & Qt.Orientation.Horizontal)


def _mirrored(place: QRect, area: QRect) -> QRect:
    return QRect(
        area.left() + area.right() + 1 - place.left() - place.width(), place.top(), place.width(), place.height()
    )
