"""Every action of the window with its key and what it does."""

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QAction, QIcon, QKeySequence, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from bpe_gui.actions import Actions

COLUMNS = ("Action", "Key", "What it does")
WIDTH, HEIGHT = 680, 520


class ShortcutsDialog(QDialog):
    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self._rows = QSortFilterProxyModel(self)
        self._rows.setSourceModel(_model(actions, self))
        self._rows.setFilterKeyColumn(-1)
        self._rows.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._filter = QLineEdit(placeholderText="Filter by action, key or what it does", clearButtonEnabled=True)
        self._filter.setAccessibleName("Filter")
        self._filter.setToolTip("Show only the actions that contain this text")
        self._filter.textChanged.connect(self._rows.setFilterFixedString)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(
            QIcon()
        )  # the style's icon is black in the dark too
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self._filter)
        layout.addWidget(self._make_table())
        layout.addWidget(buttons)
        self.resize(WIDTH, HEIGHT)
        self._filter.setFocus()

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self._rows)
        table.setAccessibleName("Actions and their keys")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setAlternatingRowColors(True)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        return table


def _model(actions: Actions, parent: QDialog) -> QStandardItemModel:
    model = QStandardItemModel(parent)
    model.setHorizontalHeaderLabels(COLUMNS)
    for action in actions.all():
        model.appendRow([QStandardItem(text) for text in _row(action)])
    return model


def _row(action: QAction) -> tuple[str, str, str]:
    key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    name = action.text().replace("&", "").removesuffix("...")
    return name, key, action.statusTip().removesuffix(f" ({key})")
