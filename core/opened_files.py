"""Reads whatever a person opens: a tokenizer if that is what a file or folder holds, otherwise texts for the corpus."""

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from core.bookmarks import Notes
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.errors import FormatError, PatternWantedError
from core.formats import FORMATS, recording_file
from core.formats.base import ReadOptions
from core.formats.opening import BEGINNING, is_model, located
from core.formats.recording_file import OpenedRecording
from core.imported import Imported
from core.model_source import ModelSource
from core.progress import Progress
from core.recording import Recording

COMPANIONS = frozenset(
    {"vocab.json", "merges.txt", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}
)
"""Files that lie beside a tokenizer and belong to it: chosen together with it, they are no texts."""


LEAST_KEYS = 3
"""Of those of a tokenizer.json, by which its beginning is known."""


class PatternWanted(NamedTuple):
    """A tokenizer that cannot be read before somebody says how texts are cut; `message` says why."""

    source: ModelSource
    message: str


class Opened(NamedTuple):
    """A corpus, a tokenizer, or both; or what is missing to read the tokenizer."""

    corpus: Corpus | None = None
    model: Recording | None = None
    wanted: PatternWanted | None = None
    notes: Notes = Notes()


class Sorted(NamedTuple):
    """What several files are."""

    texts: tuple[Path, ...]
    model: Path | None


def reading_paths(paths: Sequence[Path]) -> Generator[Progress, None, Opened]:
    """Read files as what they are. Raises BpeError, with the file's name, for what cannot be read."""
    texts, model_path = sorted_by_content(paths)
    model = Opened() if model_path is None else (yield from reading_model_or_asking(ModelSource(model_path).absolute()))
    corpus = (yield from reading_texts(CorpusSource(texts))) if texts else None
    return model._replace(corpus=corpus)


def reading_texts(source: CorpusSource) -> Generator[Progress, None, Corpus]:
    """The lines are counted here as well."""
    corpus = yield from source.read()
    _ = corpus.line_count  # now, not when the window asks
    return corpus


def reading_model_or_asking(source: ModelSource) -> Generator[Progress, None, Opened]:
    """Raises as `reading_model`, but for what a person can say."""
    try:
        recording, notes = yield from reading_model(source)
        return Opened(model=recording, notes=notes)
    except PatternWantedError as error:
        return Opened(wanted=PatternWanted(source, str(error)))


def reading_model(source: ModelSource) -> Generator[Progress, None, OpenedRecording]:
    """Raises FormatError for what is no tokenizer or cannot be read, PatternError for a choice that cannot be used."""
    yield Progress(0, 0)
    format, place = located(source.path)
    if format is recording_file.FORMAT:
        recording, notes = yield from recording_file.opening(place)
    else:
        recording = yield from format.loading(place, ReadOptions(pre_tokenizer=source.chosen_pre_tokenizer))
        notes = Notes()
    imported = recording.imported or Imported(format.name, place.name)
    recording.imported = replace(imported, source=source)
    look_up_once(recording)
    return OpenedRecording(recording, notes)


def look_up_once(recording: Recording) -> None:
    """Build what a window asks for at once: on this thread, which may take half a second for 400,000 merges."""
    _ = recording.vocab_size(len(recording)), recording.whole_piece("", 0), recording.index.has_several_ways
    _ = recording.rank_of((0, 0)), recording.is_monotone or recording.index.last_rank((0, 0), 0)


def sorted_by_content(paths: Sequence[Path]) -> Sorted:
    """Raises FormatError for more than one tokenizer."""
    models = [path for path in paths if holds_model(path)]
    if not models:
        return Sorted(tuple(paths), None)
    folders = {path.absolute().parent for path in models if path.name not in COMPANIONS} or {
        models[0].absolute().parent
    }
    parts = [path for path in paths if path.name in COMPANIONS and path.absolute().parent in folders]
    whole = [path for path in models if path not in parts] or models[:1]
    if len(whole) > 1:
        names = ", ".join(path.name for path in whole)
        raise FormatError(
            f"These are {len(whole)} tokenizers: {names}. The window shows one at a time: open one of them."
        )
    return Sorted(tuple(path for path in paths if path not in {*models, *parts}), whole[0])


def holds_model(path: Path) -> bool:
    """Whether it is a tokenizer, whole or broken, or a folder with one, or several, in it."""
    if path.is_dir():
        return any(True for format in FORMATS.values() if format.read for _ in format.finds(path))
    return is_model(path) or _begins_like_one(path)


def _begins_like_one(path: Path) -> bool:
    """A tokenizer.json that was cut off is no text to train on: its reader says what is wrong with it."""
    if not path.is_file():  # opening a pipe would wait for somebody to write into it
        return False
    try:
        with path.open("rb") as file:
            beginning = file.read(BEGINNING)
    except OSError:
        return False
    return beginning.lstrip()[:1] == b"{" and len({*_KEYS.findall(beginning)}) >= LEAST_KEYS


_KEYS = re.compile(rb'"(added_tokens|normalizer|pre_tokenizer|post_processor|decoder|truncation|padding)"\s*:')
