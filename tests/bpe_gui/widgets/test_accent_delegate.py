"""The list whose chosen item has a bar in the accent colour."""

from PySide6.QtWidgets import QListWidget

from bpe_gui.widgets.accent_delegate import BAR_PIXELS, AccentDelegate


def test_a_bar_before_the_chosen_item(qtbot, theme):
    view = QListWidget()
    qtbot.addWidget(view)
    view.setItemDelegate(AccentDelegate(theme, view))
    view.addItems(["one", "two"])
    view.setCurrentRow(1)
    view.show()
    picture = view.viewport().grab().toImage()

    def color_in(row: int) -> str:
        area = view.visualItemRect(view.item(row))
        return picture.pixelColor(area.left() + BAR_PIXELS // 2, area.center().y()).name()

    assert color_in(1) == theme.colors.accent.name()
    assert color_in(0) != theme.colors.accent.name()


def test_items_have_air(qtbot, theme):
    view = QListWidget()
    qtbot.addWidget(view)
    view.addItem("one")
    tight = view.sizeHintForRow(0)
    view.setItemDelegate(AccentDelegate(theme, view))
    assert view.sizeHintForRow(0) == tight + 8
