from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_gui.draft import MAX_CHARACTERS, SAVE_MILLISECONDS, Draft
from bpe_gui.opener import Opener
from bpe_gui.session import Session, empty_recording
from bpe_gui.settings import Settings
from core.corpus import Corpus, load_corpora, load_corpus
from core.formats import FORMATS
from core.model_source import ModelSource
from core.recording import Recording
from core.word_counts import load_word_counts


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


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_typed_text_alone_can_be_restored(
    session: Session, settings: Settings, opener: Opener, tmp_path: Path
) -> None:
    draft = Draft(session, settings, opener, session)
    assert not draft.restore_text()
    session.replace_corpus(load_corpus(written(tmp_path, "book.txt", "in a file")))
    draft.save()
    assert not draft.restore_text()
    assert not opener.is_opening
    session.replace_corpus(Corpus.typed(TEXT))
    draft.save()
    session.replace_corpus(Corpus.typed(""))
    assert draft.restore_text()
    assert session.corpus.text == TEXT


def test_files_are_opened_again(qtbot, session: Session, settings: Settings, opener: Opener, tmp_path: Path) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(Corpus.typed(TEXT))
    draft.save()
    session.replace_corpus(load_corpora([written(tmp_path, "春.txt", "one"), written(tmp_path, "b.txt", "two")]))
    draft.save()
    assert not draft.path.exists()
    session.replace_corpus(Corpus.typed(""))
    with qtbot.waitSignal(opener.opened):
        assert draft.restore()
    assert session.corpus.text == "one\ntwo"
    assert [path.name for path in session.corpus.paths] == ["春.txt", "b.txt"]


def test_files_are_opened_again_as_they_were_read(
    qtbot, session: Session, settings: Settings, opener: Opener, tmp_path: Path
) -> None:
    words = written(tmp_path, "words.txt", "é 3\n")
    draft = Draft(session, settings, opener, session)
    for corpus in (load_word_counts(words), load_corpus(words, "cp1252")):
        session.replace_corpus(corpus)
        draft.save()
        session.replace_corpus(Corpus.typed(""))
        with qtbot.waitSignal(opener.opened):
            assert draft.restore()
        assert session.corpus == corpus
        assert session.corpus.text in ("é\n", "Ã© 3\n")
        assert session.corpus.given_counts == corpus.given_counts


def test_files_that_bring_the_program_down_do_so_once(
    session: Session, settings: Settings, opener: Opener, tmp_path: Path
) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(load_corpus(written(tmp_path, "book.txt", "in a file")))
    draft.save()
    assert draft.restore()
    opener.cancel()
    assert not Draft(session, settings, opener, session).restore()


def test_files_that_were_not_read_again_before_the_end_are_opened_next_time(
    qtbot, session: Session, settings: Settings, opener: Opener, tmp_path: Path
) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(load_corpus(written(tmp_path, "book.txt", "in a file")))
    draft.save()
    assert draft.restore()
    draft.keep_unread()
    opener.cancel()
    with qtbot.waitSignal(opener.opened):
        assert Draft(session, settings, opener, session).restore()


def test_other_files_that_are_read_at_the_end_are_not_kept(
    session: Session, settings: Settings, opener: Opener, tmp_path: Path
) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(load_corpus(written(tmp_path, "book.txt", "in a file")))
    draft.save()
    assert draft.restore()
    opener.open_path(written(tmp_path, "other.txt", "another"))
    draft.keep_unread()
    opener.cancel()
    assert not draft.source_path.exists()


def test_files_that_are_gone_are_named_once(
    qtbot, session: Session, settings: Settings, opener: Opener, tmp_path: Path
) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(load_corpus(written(tmp_path, "book.txt", "in a file")))
    draft.save()
    (tmp_path / "book.txt").unlink()
    with qtbot.waitSignal(opener.failed) as failed:
        assert draft.restore()
    assert failed.args[0].startswith("book.txt: there is no such file")
    assert not draft.restore()


def test_an_edit_of_a_file_is_kept_itself(session: Session, settings: Settings, opener: Opener, tmp_path: Path) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(load_corpus(written(tmp_path, "book.txt", "in a file")))
    draft.save()
    session.replace_corpus(Corpus.typed("edited", "book.txt (edited)"))
    draft.save()
    assert draft.path.read_text() == "edited"
    assert not draft.source_path.exists()


def test_an_empty_pane_ends_the_draft(session: Session, settings: Settings, opener: Opener, tmp_path: Path) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(load_corpus(written(tmp_path, "book.txt", "in a file")))
    draft.save()
    session.replace_corpus(Corpus.typed(""))
    draft.save()
    assert not draft.restore()


def test_a_huge_text_is_not_kept(session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(Corpus.typed("a" * (MAX_CHARACTERS + 1)))
    draft.save()
    assert not draft.path.exists()


def test_a_folder_that_cannot_be_written_disturbs_nothing(session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    draft.path.mkdir()
    draft.source_path.mkdir()
    session.replace_corpus(Corpus.typed(TEXT))
    draft.save()
    assert session.corpus.text == TEXT


def test_without_a_draft_nothing_is_restored(session: Session, settings: Settings, opener: Opener) -> None:
    assert not Draft(session, settings, opener, session).restore()
    assert session.corpus.text == ""


def test_a_draft_that_is_not_text_is_left_alone(session: Session, settings: Settings, opener: Opener) -> None:
    draft = Draft(session, settings, opener, session)
    draft.path.write_bytes(b"\xff\xfe\x00")
    draft.source_path.write_bytes(b'{"files": 5}')
    assert not draft.restore()


@pytest.fixture
def model(recording: Recording, tmp_path: Path) -> ModelSource:
    FORMATS["huggingface"].save(recording, len(recording), tmp_path / "model")
    return ModelSource(tmp_path / "model")


def test_a_tokenizer_is_opened_again_after_the_text(
    qtbot, session: Session, settings: Settings, opener: Opener, model: ModelSource, tmp_path: Path
) -> None:
    draft = Draft(session, settings, opener, session)
    with qtbot.waitSignals([opener.opened, opener.model_opened]):
        opener.open_paths([model.path, written(tmp_path, "book.txt", "low")])
    draft.save_if_pending()
    session.replace_recording(empty_recording())
    session.replace_corpus(Corpus.typed(""))
    with qtbot.waitSignals([opener.opened, opener.model_opened]):
        assert draft.restore()
        assert not draft.model_path.exists()  # one that brings the program down does so once
    assert session.corpus.text == "low"
    assert session.recording.imported is not None
    assert session.recording.imported.source == model
    draft.save_if_pending()
    assert ModelSource.from_json(draft.model_path.read_text()) == model


def test_a_tokenizer_is_opened_again_though_the_text_is_gone(
    qtbot, session: Session, settings: Settings, opener: Opener, model: ModelSource, tmp_path: Path
) -> None:
    draft = Draft(session, settings, opener, session)
    with qtbot.waitSignals([opener.opened, opener.model_opened]):
        opener.open_paths([model.path, book := written(tmp_path, "book.txt", "low")])
    draft.save_if_pending()
    book.unlink()
    session.replace_recording(empty_recording())
    with qtbot.waitSignals([opener.failed, opener.model_opened]):
        assert draft.restore()


def test_closing_before_a_tokenizer_is_read_again_keeps_it(
    qtbot, session: Session, settings: Settings, opener: Opener, model: ModelSource
) -> None:
    draft = Draft(session, settings, opener, session)
    session.replace_corpus(Corpus.typed(TEXT))
    with qtbot.waitSignal(opener.model_opened):
        opener.open_source(model)
    draft.save()
    session.replace_recording(empty_recording())
    assert draft.restore()
    draft.keep_unread()
    opener.cancel()
    draft.save_if_pending()
    assert ModelSource.from_json(draft.model_path.read_text()) == model


def test_a_trained_recording_takes_the_place_of_the_tokenizer(
    qtbot, session: Session, settings: Settings, opener: Opener, model: ModelSource, recording: Recording
) -> None:
    draft = Draft(session, settings, opener, session)
    with qtbot.waitSignal(opener.model_opened):
        opener.open_source(model)
    draft.save()
    assert draft.model_path.exists()
    session.replace_recording(recording)
    draft.save()
    assert not draft.model_path.exists()
