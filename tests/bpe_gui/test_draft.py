from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_gui.draft import MAX_CHARACTERS, SAVE_MILLISECONDS, Draft
from bpe_gui.opener import Opener
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.corpus import Corpus, load_corpus


@pytest.fixture
def opener(session: Session, settings: Settings) -> Iterator[Opener]:
    opener = Opener(session, settings)
    yield opener
    opener.deleteLater()


TEXT = "typed\r\nby hand\u2028春 🌸\r"


def test_a_typed_text_is_there_after_a_restart(qtbot, session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(Corpus.typed(TEXT))
    qtbot.waitUntil(draft.path.exists, timeout=SAVE_MILLISECONDS + 5_000)
    again = Session()
    assert Draft(again, settings, opener, again).restore()
    assert again.corpus.text == TEXT
    assert again.corpus.name == "your text"
    again.deleteLater()


def test_a_text_typed_just_before_the_end_is_kept_too(session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(Corpus.typed(TEXT))
    draft.save_if_pending()
    assert draft.path.read_bytes() == TEXT.encode()


def test_a_file_ends_the_draft(session: Session, settings: Settings, opener: Opener, tmp_path: Path) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(Corpus.typed(TEXT))
    draft.save()
    file = tmp_path / "book.txt"
    file.write_text("in a file")
    session.replace_corpus(load_corpus(file))
    draft.save()
    assert not draft.path.exists()
    assert not draft.restore()


def test_a_huge_text_is_not_kept(session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(Corpus.typed("a" * (MAX_CHARACTERS + 1)))
    draft.save()
    assert not draft.path.exists()


def test_a_folder_that_cannot_be_written_disturbs_nothing(session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    draft.path.mkdir()
    session.replace_corpus(Corpus.typed(TEXT))
    draft.save()
    assert session.corpus.text == TEXT


def test_without_a_draft_nothing_is_restored(session: Session, settings: Settings, opener: Opener) -> None:
    assert not Draft(session, settings, opener, session).restore()
    assert session.corpus.text == ""


def test_a_draft_that_is_not_text_is_left_alone(session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    draft.path.write_bytes(b"\xff\xfe\x00")
    assert not draft.restore()
