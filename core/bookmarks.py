"""What a person has noted of a recording: steps with names, and the step that was last looked at."""

from dataclasses import dataclass

from core.recording import Recording
from core.vocab import merge_text


@dataclass(frozen=True, order=True)
class Bookmark:
    step: int
    name: str


Bookmarks = tuple[Bookmark, ...]


@dataclass(frozen=True)
class Notes:
    """What is kept beside a recording. `step` None is the last one."""

    bookmarks: tuple[Bookmark, ...] = ()
    step: int | None = None

    def up_to(self, step: int) -> "Notes":
        """Those of the first `step` merges."""
        shown = None if self.step is None or self.step > step else self.step
        return Notes(tuple(bookmark for bookmark in self.bookmarks if bookmark.step <= step), shown)


def bookmark_at(bookmarks: Bookmarks, step: int) -> Bookmark | None:
    """The one at a step."""
    return next((bookmark for bookmark in bookmarks if bookmark.step == step), None)


def toggled(bookmarks: Bookmarks, step: int) -> Bookmarks:
    """Without the one at a step, or with one more, without a name."""
    if bookmark_at(bookmarks, step):
        return tuple(bookmark for bookmark in bookmarks if bookmark.step != step)
    return named(bookmarks, step, "")


def named(bookmarks: Bookmarks, step: int, name: str) -> Bookmarks:
    """With the one at a step called so."""
    others = (bookmark for bookmark in bookmarks if bookmark.step != step)
    return tuple(sorted((*others, Bookmark(step, name))))


def next_bookmark(bookmarks: Bookmarks, step: int) -> Bookmark | None:
    """The first one behind a step."""
    return next((bookmark for bookmark in sorted(bookmarks) if bookmark.step > step), None)


def previous_bookmark(bookmarks: Bookmarks, step: int) -> Bookmark | None:
    """The last one before a step."""
    return next((bookmark for bookmark in sorted(bookmarks, reverse=True) if bookmark.step < step), None)


def bookmark_title(recording: Recording, bookmark: Bookmark) -> str:
    """`step 1,234: first whole word (th + e → the)`"""
    step, name = bookmark.step, bookmark.name
    merge = merge_text(recording, recording[step - 1]) if 0 < step <= len(recording) else ""
    if not name:
        return f"step {step:,}: {merge or 'the base symbols'}"
    return f"step {step:,}: {name}{f' ({merge})' if merge else ''}"
