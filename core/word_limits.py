"""What is done when a corpus has more different words than there is memory for, or than are wanted."""

from dataclasses import dataclass
from enum import StrEnum

MEGABYTE = 1 << 20
MIN_MEMORY_MB = 1


class Beyond(StrEnum):
    """What becomes of words when they take more memory than they may."""

    SPILL = "spill"
    """They wait on the disk; the counts are exact."""
    DROP = "drop"
    """Rare ones are dropped, so that a word which comes again is counted from there on only."""


@dataclass(frozen=True)
class WordLimits:
    """`memory_mb` 0 sets no limit; words that occur fewer than `min_count` times in the end are left out."""

    memory_mb: int = 0
    beyond: Beyond = Beyond.SPILL
    min_count: int = 1

    @property
    def keep_all(self) -> bool:
        """Whether no word can be left out."""
        return self.min_count <= 1 and (self.beyond is Beyond.SPILL or not self.memory_mb)

    @property
    def memory_bytes(self) -> int | None:
        return self.memory_mb * MEGABYTE if self.memory_mb else None
