"""The settings of a tokenizer as JSON, in a file of ours beside formats that cannot keep them."""

from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from core.alphabet import Base, Marker, Unknown
from core.errors import BpeError, FormatError
from core.formats.spelled import Settings
from core.formats.strict_json import read_object
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pipeline_json import pipeline_json
from core.pre_tokenizer import PreTokenizer, by_splits, named
from core.recording import Recording
from core.splits import Split
from core.trainer import Score

Json = dict[str, Any]
Choice = TypeVar("Choice", bound=StrEnum)


def settings_json(recording: Recording) -> Json:
    alphabet, config = recording.alphabet, recording.config
    return {
        "base": alphabet.base,
        "marker": alphabet.marker,
        "marker_text": config.marker_text,
        "score": config.score,
        **pipeline_json(recording.pipeline),
        "special_tokens": list(alphabet.special_ids),
        "unknown": alphabet.unknown,
        "unknown_token": config.unknown_token,
    }


class SideCar:
    """What such a file says, with errors that name the key that is not as expected."""

    def __init__(self, path: Path) -> None:
        self.file = path.name
        self.data: Json = read_object(path)

    def check_kind(self, kind: str, version: int) -> None:
        if self.data.get("format") != kind or self.data.get("version") != version:
            raise FormatError(f"{self.file} is not a file of {kind}, version {version}.")

    def settings(self) -> Settings:
        try:
            return Settings(
                self.choice("base", Base),
                self.choice("marker", Marker),
                self.string("marker_text"),
                self.strings("special_tokens"),
                self.string_or_null("unknown_token"),
                self.pipeline(),
                self.choice("unknown", Unknown),
                self.choice("score", Score),
            )
        except BpeError as error:
            raise FormatError(str(error)) from None

    def pipeline(self) -> Pipeline:
        try:
            return Pipeline(self.normalizer(), self._pre_tokenizer())
        except FormatError:
            raise
        except BpeError as error:
            raise FormatError(f"{self.file}, pre_tokenizer: {error}") from None

    def normalizer(self) -> Normalizer:
        try:
            return Normalizer.from_json(self.data.get("normalizer"))
        except BpeError as error:
            raise FormatError(f"{self.file}, normalizer: {error}") from None

    def _pre_tokenizer(self) -> PreTokenizer:
        value = self.data.get("pre_tokenizer")
        if not isinstance(value, dict) or value.keys() - {"splits"} != {"name", "pattern", "digits", "punctuation"}:
            self.fail("pre_tokenizer", "an object with name, pattern, digits and punctuation")
        if splits := value.get("splits"):
            if not isinstance(splits, list):
                self.fail("pre_tokenizer", "a list as its splits")
            return by_splits([Split.from_json(split) for split in splits])
        for key in ("name", "pattern", "digits"):
            if not isinstance(value[key], str):
                self.fail("pre_tokenizer", f"a string as its {key}")
        if not isinstance(value["punctuation"], bool):
            self.fail("pre_tokenizer", "true or false as its punctuation")
        return named(value["name"], value["pattern"], value["digits"], value["punctuation"])

    def string(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str):
            self.fail(key, "a string")
        return value

    def string_or_null(self, key: str) -> str | None:
        value = self.data.get(key)
        if not isinstance(value, str | None):
            self.fail(key, "a string or null")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.data.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(key, "a list of strings")
        return tuple(value)

    def choice(self, key: str, choices: type[Choice]) -> Choice:
        value = self.data.get(key)
        if value not in tuple(choices):
            self.fail(key, f"one of {', '.join(choices)}")
        return choices(value)

    def fail(self, key: str, expected: str) -> NoReturn:
        raise FormatError(f"{self.file}, {key}: expected {expected}, found {self.data.get(key)!r}.")
