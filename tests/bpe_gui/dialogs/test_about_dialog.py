from importlib.metadata import PackageNotFoundError

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QLabel

from bpe_gui.dialogs import about_dialog
from bpe_gui.dialogs.about_dialog import AboutDialog


def texts(dialog):
    return [label.text() for label in dialog.findChildren(QLabel)]


def test_it_names_version_licence_and_libraries(theme, qtbot):
    dialog = AboutDialog(theme)
    dialog.show()
    said = "\n".join(texts(dialog))
    for word in ("bpe-gui", "Version", "MIT licence", f"Qt {qVersion()}", "PySide6", "pyqtgraph", "numpy", "regex"):
        assert word in said
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    dialog.deleteLater()


def test_it_opens_where_nothing_is_installed(theme, monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(about_dialog, "version", missing)
    dialog = AboutDialog(theme)
    assert "Version (development version)" in texts(dialog)
    dialog.deleteLater()
