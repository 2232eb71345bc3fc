from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_gui.draft import MAX_CHARACTERS, Draft
from bpe_gui.opener import Opener
from bpe_gui.replaced_text import FILE_NAME, ReplacedText
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.corpus import Corpus

TEXT = "typed\r\nby hand\u2028春 🌸\r"


@pytest.fixture
def opener(session: Session, settings: Settings) -> Iterator[Opener]:
    opener = Opener(session, settings)
    yield opener
    opener.deleteLater()


@pytest.fixture
def draft(session: Session, settings: Settings, opener: Opener) -> Draft:
    return Draft(session, settings, opener, opener)


@pytest.fixture
def replaced(session: Session, settings: Settings, opener: Opener, draft: Draft) -> Iterator[ReplacedText]:
    replaced = ReplacedText(session, settings, opener, draft, opener)
    yield replaced
    replaced.finish()


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.txt"
    path.write_text("in a file", encoding="utf-8")
    return path


def open_path(qtbot, opener: Opener, path: Path) -> None:
    with qtbot.waitSignal(opener.opened):
        opener.open_path(path)


def bring_back(qtbot, opener: Opener, replaced: ReplacedText) -> None:
    with qtbot.waitSignal(opener.opened):
        replaced.bring_back()


@pytest.mark.parametrize("name", ["typed text", "pasted text", "alice.txt (edited)", "your text"])
def test_a_text_that_is_in_no_file_comes_back(
    qtbot, session: Session, opener: Opener, replaced: ReplacedText, book: Path, name: str
) -> None:
    session.replace_corpus(Corpus.typed(TEXT, name))
    assert not replaced.exists
    with qtbot.waitSignals([replaced.put_aside, replaced.changed]):
        opener.open_path(book)
    assert replaced.exists
    bring_back(qtbot, opener, replaced)
    assert (session.corpus.text, session.corpus.name) == (TEXT, name)
    assert not replaced.exists


def test_it_is_in_a_file_of_its_own_and_there_after_a_restart(
    qtbot, session: Session, settings: Settings, opener: Opener, draft: Draft, replaced: ReplacedText, book: Path
) -> None:
    session.replace_corpus(Corpus.typed(TEXT))
    draft.save()
    open_path(qtbot, opener, book)
    draft.save()
    replaced.finish()
    assert not draft.path.exists()
    assert (settings.folder / FILE_NAME).read_bytes() == TEXT.encode()
    session.replace_corpus(Corpus.typed(""))
    again = ReplacedText(session, settings, opener, draft, opener)
    assert again.exists
    bring_back(qtbot, opener, again)
    assert (session.corpus.text, session.corpus.name) == (TEXT, "your text")
    again.finish()


def test_bringing_back_goes_both_ways(
    qtbot, session: Session, settings: Settings, opener: Opener, replaced: ReplacedText, book: Path
) -> None:
    session.replace_corpus(Corpus.typed("first"))
    open_path(qtbot, opener, book)
    session.replace_corpus(Corpus.typed("second"))
    for text, other in (("first", "second"), ("second", "first"), ("first", "second")):
        with qtbot.waitSignal(replaced.put_aside):
            replaced.bring_back()
        assert session.corpus.text == text
        replaced.finish()
        assert (settings.folder / FILE_NAME).read_text() == other


def test_a_text_that_is_brought_back_is_at_no_time_off_the_disk(
    qtbot, session: Session, settings: Settings, opener: Opener, draft: Draft, replaced: ReplacedText, book: Path
) -> None:
    session.replace_corpus(Corpus.typed(TEXT))
    open_path(qtbot, opener, book)
    draft.save()
    bring_back(qtbot, opener, replaced)
    replaced.finish()
    assert draft.path.read_bytes() == TEXT.encode()
    assert not (settings.folder / FILE_NAME).exists()


def test_pasting_keeps_what_was_there_too(qtbot, session: Session, opener: Opener, replaced: ReplacedText) -> None:
    session.replace_corpus(Corpus.typed(TEXT))
    with qtbot.waitSignal(replaced.put_aside):
        opener.take_text("another", "pasted text")
    bring_back(qtbot, opener, replaced)
    assert session.corpus.text == TEXT


def test_a_text_too_long_for_the_draft_is_kept_on_the_disk(
    qtbot, session: Session, settings: Settings, opener: Opener, replaced: ReplacedText, book: Path
) -> None:
    session.replace_corpus(Corpus.typed("春" * (MAX_CHARACTERS + 1)))
    open_path(qtbot, opener, book)
    replaced.finish()
    assert (settings.folder / FILE_NAME).stat().st_size == 3 * (MAX_CHARACTERS + 1)


def test_what_is_in_a_file_or_empty_is_not_kept_and_drives_nothing_out(
    qtbot, session: Session, opener: Opener, replaced: ReplacedText, book: Path
) -> None:
    session.replace_corpus(Corpus.typed(TEXT))
    open_path(qtbot, opener, book)
    with qtbot.assertNotEmitted(replaced.put_aside):
        with qtbot.waitSignal(opener.opened):
            opener.open_sample("emoji.txt")
        session.replace_corpus(Corpus.typed(""))
        open_path(qtbot, opener, book)
    bring_back(qtbot, opener, replaced)
    assert session.corpus.text == TEXT


def test_a_text_that_is_there_still_is_not_put_aside(
    qtbot, session: Session, opener: Opener, replaced: ReplacedText
) -> None:
    session.replace_corpus(Corpus.typed(TEXT))
    with qtbot.assertNotEmitted(replaced.put_aside), qtbot.waitSignal(opener.opened):
        opener.take_text(TEXT, "pasted text")
    assert not replaced.exists


def test_an_opening_that_fails_or_is_cancelled_puts_nothing_aside(
    qtbot, session: Session, opener: Opener, replaced: ReplacedText, book: Path, tmp_path: Path
) -> None:
    session.replace_corpus(Corpus.typed(TEXT))
    with qtbot.waitSignal(opener.failed):
        opener.open_path(tmp_path / "missing.txt")
    opener.open_path(book)
    opener.cancel()
    assert not replaced.exists
    assert session.corpus.text == TEXT


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00"])
def test_a_file_without_a_text_is_no_text(
    session: Session, settings: Settings, opener: Opener, draft: Draft, content: bytes
) -> None:
    (settings.folder / FILE_NAME).write_bytes(content)
    replaced = ReplacedText(session, settings, opener, draft, opener)
    assert not replaced.exists
    replaced.bring_back()
    assert not opener.is_opening


def test_a_folder_that_cannot_be_written_disturbs_nothing(
    qtbot, session: Session, settings: Settings, opener: Opener, replaced: ReplacedText, book: Path
) -> None:
    (settings.folder / FILE_NAME).mkdir()
    session.replace_corpus(Corpus.typed(TEXT))
    open_path(qtbot, opener, book)
    replaced.finish()
    bring_back(qtbot, opener, replaced)
    assert session.corpus.text == TEXT
