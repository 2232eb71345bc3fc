"""What a recording file says besides its tables, as one JSON object: settings, the corpus, what is noted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.added_tokens import AddedToken
from core.alphabet import Alphabet, Base, Marker, Unknown
from core.bookmarks import Bookmark, Notes
from core.corpus import Corpus
from core.decoders import Decoder
from core.encoding_rules import EncodingRules
from core.errors import ConfigError, FormatError
from core.formats.json_values import Readers, json_of, value_of
from core.imported import Imported
from core.merge import Pair
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pipeline_json import pipeline_json
from core.pre_tokenizer import PreTokenizer, by_splits, named
from core.recording import Recording
from core.splits import Split
from core.text_encoding import DetectedBy
from core.trainer import CorpusSize, StopReason, TrainerConfig
from core.utf8 import whole_characters

KIND, VERSION = "bpe-gui recording", 1


@dataclass(frozen=True)
class Source:
    """What is kept of the file that a recording was imported from: not its path, and its document elsewhere."""

    format: str
    file: str
    facts: tuple[str, ...] = ()
    not_applied: tuple[str, ...] = ()

    @classmethod
    def of(cls, imported: Imported | None) -> "Source | None":
        """None for what was trained here, also if it was saved and opened before."""
        if imported is None or imported.is_recording:
            return None
        return cls(imported.format, imported.file, imported.facts, imported.not_applied)


@dataclass(frozen=True)
class Text:
    """What is kept of a corpus: all but its text. `is_list` for a list of word counts."""

    name: str
    paths: tuple[str, ...]
    encoding: str
    detected_by: DetectedBy
    byte_count: int
    sha256: str
    notes: tuple[str, ...] = ()
    files: tuple[tuple[int, int], ...] = ()
    asked_for: tuple[str, ...] = ()
    is_list: bool = False

    @classmethod
    def of(cls, corpus: Corpus) -> "Text":
        return cls(
            corpus.name,
            _written(corpus.paths),
            corpus.encoding,
            corpus.detected_by,
            corpus.byte_count,
            corpus.sha256,
            tuple(map(whole_characters, corpus.notes)),
            corpus.files,
            _written(corpus.asked_for),
            corpus.given_counts is not None,
        )

    def remembered(self, words: Mapping[str, int]) -> Corpus:
        return Corpus(
            "",
            self.name,
            tuple(map(Path, self.paths)),
            self.encoding,
            self.detected_by,
            self.byte_count,
            self.sha256,
            self.notes,
            words if self.is_list else None,
            self.files,
            asked_for=tuple(map(Path, self.asked_for)),
            is_remembered=True,
        )


def _written(paths: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(whole_characters(str(path)) for path in paths)


@dataclass(frozen=True)
class Head:
    """`merges` is how many there are; the characters in `dropped` were left out of the alphabet."""

    merges: int
    base: Base
    marker: Marker
    unknown: Unknown
    config: TrainerConfig
    pipeline: Pipeline
    size: CorpusSize = field(default_factory=CorpusSize)
    stop_reason: StopReason | None = None
    forbidden: frozenset[Pair] = frozenset()
    dropped: tuple[tuple[str, int], ...] = ()
    rules: EncodingRules = field(default_factory=EncodingRules)
    added_tokens: tuple[AddedToken, ...] = ()
    imported: Source | None = None
    decoder: Decoder | None = None
    corpus: Text | None = None
    has_words: bool = False
    bookmarks: tuple[Bookmark, ...] = ()
    step: int | None = None

    @classmethod
    def of(cls, recording: Recording, step: int, notes: Notes, has_words: bool) -> "Head":
        """Of the first `step` merges."""
        alphabet, kept = recording.alphabet, notes.up_to(step)
        return cls(
            merges=step,
            base=alphabet.base,
            marker=alphabet.marker,
            unknown=alphabet.unknown,
            config=recording.config,
            pipeline=recording.pipeline,
            size=recording.size,
            stop_reason=recording.stop_reason if step == len(recording) else None,
            forbidden=recording.plan.forbidden,
            dropped=tuple(alphabet.dropped.items()),
            rules=recording.rules,
            added_tokens=recording.added_tokens,
            imported=Source.of(recording.imported),
            decoder=recording.decoder,
            corpus=Text.of(recording.corpus) if recording.corpus else None,
            has_words=has_words,
            bookmarks=kept.bookmarks,
            step=kept.step,
        )

    @property
    def notes(self) -> Notes:
        return Notes(self.bookmarks, self.step)

    def to_json(self) -> dict[str, Any]:
        said = {name: json_of(getattr(self, name)) for name in self.__dataclass_fields__}
        pipeline = said["pipeline"] | pipeline_json(self.pipeline)
        return {"format": KIND, "version": VERSION, **said, "pipeline": pipeline}

    def alphabet(self, tokens: Mapping[int, Any]) -> Alphabet:
        return Alphabet(self.base, self.marker, tokens, self.unknown, dict(self.dropped))

    def source(self, document: Mapping[str, Any]) -> Imported | None:
        return Imported(**vars(self.imported), document=document) if self.imported else None


def read_head(said: Any, name: str) -> Head:
    """Raises FormatError, in the user's words and with the key, for what `to_json` would not have given."""
    if not isinstance(said, dict) or said.get("format") != KIND:
        raise FormatError(f"{name}: this is not a {KIND}.")
    version = said.get("version")
    if type(version) is not int or version < 1:
        raise FormatError(f"{name}, version: expected {VERSION}, found {str(version)[:40]}.")
    if version > VERSION:
        raise FormatError(
            f"{name} was written by a newer version of this program: its format has the number {version:,}, and this "
            f"version reads up to {VERSION}. Get a newer one to open it."
        )
    rest = {key: value for key, value in said.items() if key not in ("format", "version")}
    head: Head = value_of(Head, rest, name, _READERS)
    last = max([*(bookmark.step for bookmark in head.bookmarks), head.step or 0])
    if last > head.merges:
        raise FormatError(f"{name}: a step or bookmark is {last:,}, and there are {head.merges:,} merges.")
    return head


def _pre_tokenizer(said: Any) -> PreTokenizer:
    keys = {"name": str, "pattern": str, "digits": str, "punctuation": bool}
    is_known = isinstance(said, dict) and said.keys() - {"splits"} == keys.keys()
    if not is_known or not all(isinstance(said[key], kind) for key, kind in keys.items()):
        raise ConfigError("expected an object with name, pattern, digits and punctuation.")
    if splits := said.get("splits"):
        if not isinstance(splits, list):
            raise ConfigError("expected a list as its splits.")
        made = by_splits([Split.from_json(split) for split in splits])
        return replace(named("none", None, said["digits"], said["punctuation"]), **_cut_by(made))
    return named(said["name"], said["pattern"], said["digits"], said["punctuation"])


def _cut_by(splits: PreTokenizer) -> dict[str, Any]:
    return {"name": splits.name, "pattern": splits.pattern, "splits": splits.splits}


_READERS: Readers = {Normalizer: Normalizer.from_json, PreTokenizer: _pre_tokenizer}
