"""What a person has noted of a recording: steps with names, and the step that was last looked at."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Bookmark:
    step: int
    name: str


@dataclass(frozen=True)
class Notes:
    """What is kept beside a recording. `step` None is the last one."""

    bookmarks: tuple[Bookmark, ...] = ()
    step: int | None = None

    def up_to(self, step: int) -> "Notes":
        """Those of the first `step` merges."""
        shown = None if self.step is None or self.step > step else self.step
        return Notes(tuple(bookmark for bookmark in self.bookmarks if bookmark.step <= step), shown)
