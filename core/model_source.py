"""Which file or folder a tokenizer is read from, and how: enough to read it again, also after a restart."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import BpeError, FormatError
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer, named

GENERIC_NAMES = {"tokenizer", "vocab", "merges", "tokenizer_config", "tekken"}
"""Files called so say nothing of the model; their folder does."""


@dataclass(frozen=True)
class ModelSource:
    """`pre_tokenizer` is what a person said of a file that does not say how texts are cut: a name or a pattern."""

    path: Path
    pre_tokenizer: str = ""

    def absolute(self) -> "ModelSource":
        """The same file whatever folder the program is started in."""
        return replace(self, path=self.path.absolute())

    def cut_by(self, pre_tokenizer: PreTokenizer) -> "ModelSource":
        """The same file, with texts cut so."""
        is_known = pre_tokenizer == PRE_TOKENIZERS.get(pre_tokenizer.name)
        return replace(self, pre_tokenizer=pre_tokenizer.name if is_known else pre_tokenizer.pattern)

    @property
    def chosen_pre_tokenizer(self) -> PreTokenizer | None:
        """What was said, None if nothing was. Raises PatternError for a pattern that cannot be used."""
        if not self.pre_tokenizer:
            return None
        if self.pre_tokenizer in PRE_TOKENIZERS:
            return PRE_TOKENIZERS[self.pre_tokenizer]
        return named("custom", self.pre_tokenizer)

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def name(self) -> str:
        """What to call it: `gpt_oss_300.json`, or `qwen3` for `qwen3/tokenizer.json`."""
        path = self.path.absolute()
        return path.parent.name if path.stem in GENERIC_NAMES and path.parent.name else path.name

    @property
    def listing(self) -> str:
        """The whole path, and how texts are cut where somebody chose that."""
        lines = [str(self.path), "read as a tokenizer"]
        if self.pre_tokenizer:
            lines.append(f"texts are cut by {self.pre_tokenizer}")
        return "\n".join(lines)

    def to_json(self) -> str:
        return json.dumps({"model": str(self.path), "pre_tokenizer": self.pre_tokenizer})

    @classmethod
    def from_json(cls, text: str) -> "ModelSource":
        """Raises FormatError for anything that `to_json` does not write."""
        try:
            value = json.loads(text)
            path, pre_tokenizer = value["model"], value["pre_tokenizer"]
            if isinstance(path, str) and path and isinstance(pre_tokenizer, str):
                source = cls(Path(path), pre_tokenizer)
                _ = source.chosen_pre_tokenizer
                return source
        except (ValueError, KeyError, TypeError, RecursionError, BpeError):
            pass
        raise FormatError("This does not say which tokenizer to read: expected were model and pre_tokenizer.")
