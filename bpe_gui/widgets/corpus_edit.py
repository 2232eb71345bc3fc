"""The text pane of the corpus: plain text in and out with every character kept, and dropped files handed on."""

from PySide6.QtCore import QMimeData, QSize, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from bpe_gui.opener import dropped_paths
from core.editing import as_shown, excerpt

LEAST_LINES = 4
PARAGRAPH_END = "\u2029"
BYTE_ORDER_MARKS = ("\ufeff", "\ufffe")  # at the start of a str that is passed to Qt, PySide6 takes them for its own


class CorpusEdit(QPlainTextEdit):
    """Signals:
    files_dropped(tuple[Path, ...]): in their order, folders too.
    pasted_too_much(text): pasting would make the text too large to edit; it was not done. `text` is what it would be.
    """

    files_dropped = Signal(object)
    pasted_too_much = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)

    def show_text(self, text: str) -> None:
        """Replace the text; this cannot be undone."""
        if not text.startswith(BYTE_ORDER_MARKS):
            self.setPlainText(text)
            return
        self.setPlainText(f"-{text}")
        QTextCursor(self.document()).deleteChar()
        self.document().clearUndoRedoStacks()

    def shown_text(self) -> str:
        """The text as shown; unlike toPlainText it keeps no-break spaces and U+2028."""
        return self.document().toRawText().replace(PARAGRAPH_END, "\n")

    def _text_with(self, pasted: str) -> str:
        """What the text would be with `pasted` in the place of the selection."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        return self._between(0, start) + as_shown(pasted) + self._between(end, self.document().characterCount() - 1)

    def _between(self, start: int, end: int) -> str:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace(PARAGRAPH_END, "\n")

    # Qt

    def minimumSizeHint(self) -> QSize:
        height = LEAST_LINES * self.fontMetrics().lineSpacing()
        return QSize(super().minimumSizeHint().width(), height + 2 * self.frameWidth())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # the panel gives it all the height that is left

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.isReadOnly() or not source.hasText():
            return
        whole = self._text_with(source.text())
        if excerpt(whole).editable:
            super().insertFromMimeData(source)
        else:
            self.pasted_too_much.emit(whole)

    def createMimeDataFromSelection(self) -> QMimeData:
        # made by Qt: one made here would crash the program at its end, when the clipboard still holds it (PySide 6.11)
        mime = super().createMimeDataFromSelection()
        mime.text()  # fills it, with spaces in place of no-break spaces; it would do so later otherwise
        mime.clear()
        mime.setText(self.textCursor().selectedText().replace(PARAGRAPH_END, "\n"))
        return mime

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := dropped_paths(event.mimeData()):
            event.acceptProposedAction()
            self.files_dropped.emit(paths)
        else:
            super().dropEvent(event)
