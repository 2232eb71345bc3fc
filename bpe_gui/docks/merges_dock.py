"""The panel of the merges: filter, table, and what to do with its rows."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.latest_job import LatestJob
from bpe_gui.models.merges_model import HEADERS, MergesModel
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from bpe_gui.theme import Theme
from bpe_gui.widgets.eliding_label import ElidingLabel
from bpe_gui.widgets.merges_table import MergesTable
from core.merge_table import Column, FilterError, has_values, parse_filter, tsv

NOTHING_YET = "The merges appear here, one a row, while training runs.\nOpen or paste a text and press Train."
NO_MATCH = "No merge matches this filter."
PLACEHOLDER = "Filter: text, #rank, id:300, or count>100"
FILTER_TIP = (
    "Show only some merges:\n"
    "the   tokens with this text, in any case unless it has capitals; a space finds ␣\n"
    "#12   the merge of rank 12; #12-20 several\n"
    "id:300   merges that make or use this token\n"
    "count>100   likewise applied, completed, tied, rank, id with <, <=, =, >=\n"
    "score>0.01   where WordPiece's score chooses\n"
    "also>0   tokens that other merges make too, as in Llama 3\n"
    '"#12"   text in quotes, whatever it looks like'
)
STORE_AFTER_MILLISECONDS = 400
FIXED_COLUMNS = (Column.RANK, Column.TOKEN)
"""Those that cannot be hidden."""


class MergesDock(QDockWidget):
    """Choosing a row goes to the step after that merge and shows where it applied."""

    def __init__(self, session: Session, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Merges", parent)
        self.setObjectName("merges")
        self._session = session
        self._settings = settings
        self._theme = theme
        self._grows = False
        self._widths = _stored_widths(settings)
        self._row_actions: Sequence[QAction] = ()
        self.model = MergesModel(session, theme, self)
        self.table = MergesTable(self.model, theme, self)
        self.filter = QLineEdit(self)
        self.error = QLabel(self)
        self.shown = ElidingLabel(parent=self)
        self._pages = QStackedWidget(self)
        self.nothing = QLabel(self)
        self._copying = LatestJob(self)
        self._store_later = QTimer(self, interval=STORE_AFTER_MILLISECONDS, singleShot=True)
        self._set_up_filter()
        self._set_up_pages()
        self._set_up_menu()
        self.table.set_widths(dict(self._widths))
        self._lay_out()
        self._connect()
        self._show_recording()

    def focus_filter(self) -> None:
        """Let the person type a filter."""
        self.show()
        self.raise_()
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def set_row_actions(self, actions: Sequence[QAction]) -> None:
        """What else can be done with the row of the current step."""
        self._row_actions = actions

    def _set_up_filter(self) -> None:
        self.filter.setPlaceholderText(PLACEHOLDER)
        self.filter.setToolTip(FILTER_TIP)
        self.filter.setAccessibleName("Filter the merges")
        self.filter.setClearButtonEnabled(True)
        self.error.setProperty("role", "danger")
        self.error.setTextFormat(Qt.TextFormat.PlainText)
        self.error.setWordWrap(True)
        self.error.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.error.hide()
        self.shown.setProperty("role", "muted")
        self.shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _set_up_pages(self) -> None:
        self.nothing.setProperty("role", "muted")
        self.nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self._pages.addWidget(self.table)
        self._pages.addWidget(self.nothing)

    def _set_up_menu(self) -> None:
        self._go = QAction("&Go to this step", self)
        self._copy_row = QAction("&Copy this row", self)
        self._copy_all = QAction("Copy &all rows shown", self)
        self._go.triggered.connect(self._go_to_row)
        self._copy_row.triggered.connect(self._copy_current)
        self._copy_all.triggered.connect(self._copy_shown)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_menu)
        header = self.table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_columns_menu)

    def _lay_out(self) -> None:
        body = QWidget(self)
        top = QVBoxLayout()
        top.setContentsMargins(8, 8, 8, 0)
        top.setSpacing(4)
        top.addWidget(self.filter)
        top.addWidget(self.error)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(8, 0, 8, 4)
        bottom.addWidget(self.shown)
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self._pages, 1)
        layout.addLayout(bottom)
        self.setWidget(body)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self._apply_filter)
        self.filter.returnPressed.connect(self.table.setFocus)
        self.table.row_chosen.connect(self._reveal)
        self.table.copy_wanted.connect(self._copy_current)
        self.table.horizontalHeader().sectionResized.connect(self._note_width)
        self._store_later.timeout.connect(self._store_widths)
        self._copying.done.connect(self._put_on_clipboard)
        self.model.arranged.connect(self._show_arranged)
        self._session.recording_replaced.connect(self._show_recording)
        self._session.merges_appended.connect(self._on_appended)
        self._session.step_changed.connect(self._go_to_step)

    def _apply_filter(self, text: str) -> None:
        try:
            condition = parse_filter(text)
        except FilterError as error:
            self._show_error(str(error))
            return
        self._show_error("")
        self.model.set_condition(condition)

    def _show_error(self, message: str) -> None:
        self.error.setText(message)
        self.error.setVisible(bool(message))
        self.filter.setAccessibleDescription(message)

    def _show_recording(self) -> None:
        self._grows = False
        self._show_columns()
        self._show_count()
        self._show_step()

    def _show_columns(self) -> None:
        """Those that the person wants and that say anything about the recording."""
        hidden = self._hidden_columns()
        for column in Column:
            self.table.setColumnHidden(column, column in hidden or not has_values(self._session.recording, column))

    def _hidden_columns(self) -> set[Column]:
        names = self._settings.text(Settings.MERGES_HIDDEN).split(",")
        return {column for column in Column if column.name.lower() in names and column not in FIXED_COLUMNS}

    def _show_arranged(self) -> None:
        self._show_count()
        self._show_step()

    def _on_appended(self, first: int) -> None:
        self._grows = self._session.step == first
        self._show_count()

    def _go_to_step(self, step: int) -> None:
        self._show_step()
        if step == 0:  # no row is the current one: what comes next is the first
            self.table.scrollToTop()

    def _show_step(self) -> None:
        """While the recording grows the table goes along only if it stood at its end; otherwise it always does."""
        follows = not self._grows or self.table.stood_at_end
        self._grows = False
        step = self._session.step
        self.table.show_row(self.model.row_of(step - 1) if step else None, follows)

    def _show_count(self) -> None:
        rows, merges = len(self.model.ranks), self._session.last_step
        self.table.make_room_for_ranks(merges)
        shown = f"{merges:,}" if rows == merges else f"{rows:,} of {merges:,}"
        self.shown.setText(f"{shown} {'merge' if merges == 1 else 'merges'}" if merges else "")
        self.nothing.setText(NO_MATCH if merges else NOTHING_YET)
        self._pages.setCurrentWidget(self.table if rows else self.nothing)

    def _reveal(self, row: int) -> None:
        self._session.reveal_merge(self.model.ranks[row])

    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addAction(self._go)
        if self._row_actions:
            menu.addSeparator()
            menu.addActions(self._row_actions)
            menu.addSeparator()
        menu.addActions([self._copy_row, self._copy_all])
        self._fill_columns_menu(menu.addMenu("C&olumns"))
        has_row = self.table.currentIndex().isValid()
        self._go.setEnabled(has_row)
        self._copy_row.setEnabled(has_row)
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _open_columns_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_columns_menu(menu)
        menu.popup(self.table.horizontalHeader().mapToGlobal(place))

    def _fill_columns_menu(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        hidden = self._hidden_columns()
        for column in Column:
            if column in FIXED_COLUMNS:
                continue
            title, tip = HEADERS[column]
            action = menu.addAction(title)
            action.setToolTip(tip)
            action.setData(column)
            action.setCheckable(True)
            action.setChecked(column not in hidden)
            action.setEnabled(has_values(self._session.recording, column))
        menu.triggered.connect(self._toggle_column)

    def _toggle_column(self, action: QAction) -> None:
        if isinstance(action.data(), int) and action.isCheckable():
            hidden = self._hidden_columns() ^ {Column(action.data())}
            self._settings.set(Settings.MERGES_HIDDEN, ",".join(column.name.lower() for column in sorted(hidden)))
            self._show_columns()

    def _go_to_row(self) -> None:
        self._reveal(self.table.currentIndex().row())

    def _copy_current(self) -> None:
        if self.table.currentIndex().isValid():
            self._copy((self.model.ranks[self.table.currentIndex().row()],))

    def _copy_shown(self) -> None:
        self._copy(tuple(self.model.ranks))

    def _copy(self, ranks: tuple[int, ...]) -> None:
        recording = self._session.recording
        self._copying.start(lambda: tsv(recording, ranks))

    def _put_on_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        rows = text.count("\n") - 1
        self.shown.setText(f"{rows:,} {'row' if rows == 1 else 'rows'} copied")

    def _note_width(self, section: int, old: int, new: int) -> None:
        if new:  # 0 when it is hidden
            self._widths[Column(section)] = new
            self._store_later.start()

    def _store_widths(self) -> None:
        widths = (f"{column.name.lower()}={width}" for column, width in sorted(self._widths.items()))
        self._settings.set(Settings.MERGES_WIDTHS, ",".join(widths))


def _stored_widths(settings: Settings) -> dict[Column, int]:
    parts = (part.partition("=") for part in settings.text(Settings.MERGES_WIDTHS).split(","))
    known = {column.name.lower(): column for column in Column}
    return {known[name]: int(width) for name, _, width in parts if name in known and width.isdecimal() and int(width)}
