"""What survives a restart. The only module that names QSettings; every value is read with a type and a default."""

from contextlib import suppress
from math import nan
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from core.corpus_source import CorpusSource
from core.errors import BpeError
from core.model_source import ModelSource

LAYOUT_VERSION = 2
MAX_RECENT_FILES = 10

Source = CorpusSource | ModelSource


class Settings(QObject):
    """Signals:
    changed(key)
    """

    changed = Signal(str)

    THEME = "appearance/theme"  # "system", "light" or "dark"
    PALETTE = "appearance/palette"  # "full" or "safe" for colour-blind eyes
    MONOSPACED = "appearance/monospaced"
    TEXT_POINTS = "appearance/text_points"
    REDUCED_MOTION = "appearance/reduced_motion"
    SHOW_WHITESPACE = "tokens/show_whitespace"
    TOKENS_SOURCE = "tokens/source"  # "corpus" or "pasted"
    PASTED_TEXT = "tokens/pasted_text"
    SPEED = "training/merges_per_second"  # 0 is as fast as possible
    PLAY_SPEED = "playback/steps_per_second"  # 0 plays the whole recording in ten seconds
    MERGES_WIDTHS = "merges/column_widths"  # such as token=177,count=64; empty until a column is resized
    MERGES_HIDDEN = "merges/hidden_columns"  # names with commas between
    WHAT_IF = "what_if/rule"  # a tie rule or score
    CHART = "charts/shown"
    CHART_LOG_STEPS = "charts/log_steps"
    CHART_LOG_VALUES = "charts/log_values"
    CHART_LENGTHS_OF = "charts/lengths_of"  # "types" or "occurrences"
    RENYI_ALPHA = "measures/alpha"
    ENCODE_TEXT = "encode/text"
    ENCODER = "encode/encoder"  # "model" is what the tokenizer is made for
    OTHER_ENCODER = "encode/compared_with"
    COMPARES_ENCODERS = "encode/compares"
    FOLDS_SAME_WORDS = "encode/folds_same"
    ENCODE_SPECIALS = "encode/special_tokens"
    DROPOUT = "encode/dropout_percent"
    DROPOUT_SEED = "encode/dropout_seed"
    SHOWS_DROPOUT = "encode/shows_dropout"
    EXPORT_FOLDER = "export/folder"
    EXPORT_FORMAT = "export/format"
    TRAINER_OPTIONS = "trainer/options"  # JSON written by the trainer dock
    TRAINER_SECTIONS = "trainer/open_sections"  # titles with | between
    RECENT_FILES = "files/recent"  # JSON of a CorpusSource or ModelSource each
    LAST_FOLDER = "files/last_folder"
    GEOMETRY = "window/geometry"
    LAYOUT = "window/layout"

    _DEFAULTS: ClassVar[dict[str, Any]] = {
        THEME: "system",
        PALETTE: "full",
        MONOSPACED: True,
        TEXT_POINTS: 13,
        REDUCED_MOTION: False,
        SHOW_WHITESPACE: False,
        TOKENS_SOURCE: "corpus",
        PASTED_TEXT: "",
        SPEED: 100.0,
        PLAY_SPEED: 4.0,
        MERGES_WIDTHS: "",
        MERGES_HIDDEN: "completed",
        WHAT_IF: "",
        CHART: "",
        CHART_LOG_STEPS: False,
        CHART_LOG_VALUES: False,
        CHART_LENGTHS_OF: "types",
        RENYI_ALPHA: 2.5,
        ENCODE_TEXT: "unhappiness",
        ENCODER: "model",
        OTHER_ENCODER: "longest-match",
        COMPARES_ENCODERS: False,
        FOLDS_SAME_WORDS: True,
        ENCODE_SPECIALS: "match",
        DROPOUT: 0.0,
        DROPOUT_SEED: 0.0,
        SHOWS_DROPOUT: False,
        EXPORT_FOLDER: "",
        EXPORT_FORMAT: "huggingface",
        TRAINER_OPTIONS: "",
        TRAINER_SECTIONS: "",
        LAST_FOLDER: "",
    }

    _RANGES: ClassVar[dict[str, tuple[float, float]]] = {
        TEXT_POINTS: (1, 200),
        SPEED: (0, 1_000_000),
        PLAY_SPEED: (0, 1_000_000),
        RENYI_ALPHA: (0, 1_000),
        DROPOUT: (0, 100),
        DROPOUT_SEED: (0, 999_999),
    }
    """Numbers beyond these would keep the window from opening; who reads one may allow less."""

    def __init__(self, store: QSettings | None = None, parent: QObject | None = None) -> None:
        """`store` defaults to the user's own settings file; tests pass an INI file of theirs."""
        super().__init__(parent)
        self._store = store if store is not None else _own_file()
        self._until_set: dict[str, str] = {}

    @property
    def folder(self) -> Path:
        """Where the settings file lies; other things to keep lie beside it."""
        return Path(self._store.fileName()).parent

    def text(self, key: str) -> str:
        if key in self._until_set:
            return self._until_set[key]
        return str(self._store.value(key, self._DEFAULTS[key], str))

    def flag(self, key: str) -> bool:
        return bool(self._store.value(key, self._DEFAULTS[key], bool))

    def number(self, key: str) -> float:
        """The default where the file has no number, or one out of its range: somebody has edited it by hand."""
        smallest, largest = self._RANGES[key]
        try:
            number = float(str(self._store.value(key)))
        except ValueError:
            number = nan
        return number if smallest <= number <= largest else float(self._DEFAULTS[key])

    def set(self, key: str, value: str | bool | float) -> None:
        self._until_set.pop(key, None)
        self._store.setValue(key, value)
        self.changed.emit(key)

    def use_until_set(self, key: str, text: str) -> None:
        """Take this for what is stored, which stays as it is until somebody sets it."""
        self._until_set[key] = text
        self.changed.emit(key)

    def recent_sources(self) -> list[Source]:
        """What was opened lately, newest first."""
        sources = (_stored_source(text) for text in self._strings(self.RECENT_FILES))
        return [source for source in sources if source is not None]

    def add_recent_source(self, source: Source) -> None:
        """Put it first; another way of reading the same files is forgotten."""
        others = (other for other in self.recent_sources() if other.paths != source.paths)
        self._store_recent([source, *others][:MAX_RECENT_FILES])

    def remove_recent_source(self, source: Source) -> None:
        self._store_recent([other for other in self.recent_sources() if other.paths != source.paths])

    def clear_recent_files(self) -> None:
        self._store.remove(self.RECENT_FILES)
        self.changed.emit(self.RECENT_FILES)

    def _store_recent(self, sources: list[Source]) -> None:
        self._store.setValue(self.RECENT_FILES, [source.to_json() for source in sources])
        self.changed.emit(self.RECENT_FILES)

    def geometry(self) -> QByteArray:
        return self._bytes(self.GEOMETRY)

    def layout(self) -> QByteArray:
        return self._bytes(self.LAYOUT)

    def store_window(self, geometry: QByteArray, layout: QByteArray) -> None:
        self._store.setValue(self.GEOMETRY, geometry)
        self._store.setValue(self.LAYOUT, layout)

    def sync(self) -> None:
        self._store.sync()

    def _strings(self, key: str) -> list[str]:
        value: Any = self._store.value(key, [])
        # an INI file gives back a list of one string as a string, and an empty list as None
        return [value] if isinstance(value, str) else [str(v) for v in value or []]

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key, QByteArray())
        return value if isinstance(value, QByteArray) else QByteArray()


def _stored_source(text: str) -> Source | None:
    """None if somebody else has written it."""
    kinds: tuple[type[Source], ...] = (CorpusSource, ModelSource)
    for kind in kinds:
        with suppress(BpeError):
            return kind.from_json(text)
    return None


def _own_file() -> QSettings:
    # an INI file on Windows and macOS too, so that there is a folder beside it
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "bpe-gui", "bpe-gui")
