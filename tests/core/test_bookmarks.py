from core.bookmarks import (
    Bookmark,
    Bookmarks,
    Notes,
    bookmark_at,
    bookmark_title,
    named,
    next_bookmark,
    previous_bookmark,
    toggled,
)
from core.trainer import TrainerConfig
from tests.core.runs import record

THREE: Bookmarks = (Bookmark(2, ""), Bookmark(5, "春"), Bookmark(9, "end"))


def test_a_step_is_marked_and_unmarked() -> None:
    assert toggled((), 3) == (Bookmark(3, ""),)
    assert toggled(THREE, 7) == (Bookmark(2, ""), Bookmark(5, "春"), Bookmark(7, ""), Bookmark(9, "end"))
    assert toggled(THREE, 5) == (Bookmark(2, ""), Bookmark(9, "end"))
    assert bookmark_at(THREE, 5) == Bookmark(5, "春")
    assert bookmark_at(THREE, 6) is None


def test_a_name_takes_the_place_of_the_one_before() -> None:
    assert named(THREE, 5, "spring") == (Bookmark(2, ""), Bookmark(5, "spring"), Bookmark(9, "end"))
    assert named((), 0, "start") == (Bookmark(0, "start"),)


def test_the_next_and_the_one_before() -> None:
    assert [next_bookmark(THREE, step) for step in (0, 2, 8, 9)] == [THREE[0], THREE[1], THREE[2], None]
    assert [previous_bookmark(THREE, step) for step in (2, 3, 9, 99)] == [None, THREE[0], THREE[1], THREE[2]]


def test_titles_name_step_and_merge() -> None:
    recording = record("aab aab", TrainerConfig(merges=2))
    assert bookmark_title(recording, Bookmark(1, "")) == "step 1: a + a → aa"
    assert bookmark_title(recording, Bookmark(2, "whole word")) == "step 2: whole word (aa + b → aab)"
    assert bookmark_title(recording, Bookmark(0, "")) == "step 0: the base symbols"


def test_notes_of_the_first_merges() -> None:
    assert Notes(THREE, 9).up_to(5) == Notes(THREE[:2], None)
    assert Notes(THREE, 4).up_to(5) == Notes(THREE[:2], 4)
