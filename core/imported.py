"""Where a recording that was read from a file came from, and what of the file it does not show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.model_source import ModelSource

RECORDING = "recording"
"""The format of this program's own files."""


@dataclass(frozen=True)
class Imported:
    """`format` is the name of the file's format in FORMATS, `file` the file's own name.

    `facts` are what is unusual about the vocabulary, such as tokens that no merge makes; `not_applied` names parts of
    the file that do something to texts or tokens which this program does not do. `document` is a tokenizer.json without
    its vocabulary and merges, to be written again as it was; empty for other formats. `source` says how to read the
    file again, None if whoever read it did not say.
    """

    format: str
    file: str
    facts: tuple[str, ...] = ()
    not_applied: tuple[str, ...] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    source: ModelSource | None = None

    @property
    def is_recording(self) -> bool:
        """Whether the file is a recording of this program, and not another tool's."""
        return self.format == RECORDING
