import pytest
from PySide6.QtWidgets import QLabel

from bpe_gui.widgets.section import SectionHeader
from bpe_gui.widgets.trainer_remarks import TrainerRemarks


@pytest.fixture
def remarks(theme):
    remarks = TrainerRemarks(theme)
    remarks.resize(280, 400)
    remarks.show()
    yield remarks
    remarks.close()
    remarks.deleteLater()


def seen(remarks):
    return [label.text() for label in remarks.findChildren(QLabel) if label.isVisible()]


def test_there_is_nothing_to_say_at_first(remarks):
    assert seen(remarks) == []


def test_remarks_come_and_go(remarks):
    remarks.show_given(True)
    remarks.show_later(True)
    remarks.show_problem("It cannot be.")
    remarks.show_alphabet("No room.", "1 rare character.")
    assert seen(remarks) == [
        "The corpus is a list of word counts: its words are taken as they are, not normalized or cut.",
        "Changes here take effect when you press Train again.",
        "It cannot be.",
        "No room.",
        "1 rare character.",
    ]
    remarks.show_given(False)
    remarks.show_later(False)
    remarks.show_problem(None)
    remarks.show_alphabet(None, "")
    assert seen(remarks) == []


def test_markup_is_shown_as_it_is(remarks):
    remarks.show_alphabet(None, "<b>x</b> (1)")
    (label,) = [label for label in remarks.findChildren(QLabel) if label.isVisible()]
    assert label.textFormat().name == "PlainText"


@pytest.mark.parametrize(
    ("losses", "summary", "text"),
    [
        ((), "texts come back exactly", "Every text comes back exactly as it was."),
        (("A is lost.", "B is lost."), "texts may change", "• A is lost.\n• B is lost."),
    ],
)
def test_what_does_not_come_back(remarks, losses, summary, text):
    remarks.show_losses(losses)
    assert summary in remarks.findChild(SectionHeader).accessibleDescription()
    remarks.decoding.set_open(True)
    assert seen(remarks) == [text]
    remarks.show_losses(None)
    assert not remarks.decoding.isVisible()
