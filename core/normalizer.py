"""What is done to the text before it is split: steps such as lower case and Unicode's normal forms, in an order."""

from base64 import b64decode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from core.alignment import Alignment
from core.charsmap import Charsmap, Precompiled
from core.errors import ConfigError, FormatError
from core.normalizer_library import LIBRARY_STEPS
from core.normalizer_steps import (
    NUMBER_TOKEN,
    CollapseWhitespace,
    Lowercase,
    Metaspace,
    Numbers,
    PrependMetaspace,
    Replace,
    Step,
    Strip,
    StripAccents,
    lines,
    placed_lines,
)
from core.sentencepiece_text import FLAGS, SentencePieceText
from core.text_cleaning import Ftfy, HtmlUnescape
from core.unicode_forms import Nfc, Nfd, Nfkc, Nfkd, NmtNfkc

__all__ = ["NORMALIZERS", "NUMBER_TOKEN", "Alignment", "Normalizer", "Step"]

NORMALIZERS: dict[str, type[Step]] = {
    step.name: step
    for step in (
        *(Lowercase, Nfc, Nfkc, Nfd, Nfkd, NmtNfkc, StripAccents),
        *(Strip, CollapseWhitespace, Numbers, Replace, Metaspace, PrependMetaspace, HtmlUnescape, Ftfy),
    )
}


@dataclass(frozen=True)
class Normalizer:
    """Steps applied one after the other; without steps the text stays as it is.

    A long text may be cut after any "\\n" and normalized part by part, unless the normalizer `needs_whole_text`;
    `at_start` is False for all parts but the first. So where a step takes line ends away, every line goes through all
    steps on its own.
    """

    steps: tuple[Step, ...] = ()

    @classmethod
    def named(
        cls, *names: str, number_token: str = NUMBER_TOKEN, replacements: Iterable[tuple[str, str]] = ()
    ) -> "Normalizer":
        """The steps of these names, in this order; `replacements` are the (pattern, new text) of "replace".

        Raises ConfigError for a name that is not in NORMALIZERS, an empty number token or no replacements, and
        PatternError for a pattern that cannot be used.
        """
        pairs = tuple(replacements)
        return cls(tuple(_step(name, number_token, pairs) for name in names))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)

    @property
    def has_metaspace(self) -> bool:
        """Whether spaces become "▁"."""
        return any(isinstance(step, Metaspace) for step in self.steps)

    @property
    def needs_whole_text(self) -> bool:
        return any(step.needs_whole_text for step in self.steps)

    def behind_special(self) -> "Normalizer":
        """The same for a stretch of a text that begins behind a special token."""
        steps = tuple(step.behind_special() for step in self.steps)
        return self if steps == self.steps else Normalizer(steps)

    def __bool__(self) -> bool:
        return bool(self.steps)

    def normalize(self, text: str, at_start: bool = True) -> str:
        if not self._goes_line_by_line:
            return _normalize(text, self._steps(at_start))
        normalized = [_normalize(line, self._steps(at_start and not i)) for i, line in enumerate(lines(text))]
        return "".join(normalized)

    def align(self, text: str, at_start: bool = True) -> Alignment:
        """The normalized text with the place in `text` every character came from."""
        if not self._goes_line_by_line:
            return _align(text, self._steps(at_start))
        return Alignment.of_parts(
            (start, _align(line, self._steps(at_start and not start))) for start, line in placed_lines(text)
        )

    def to_json(self) -> list[Any]:
        """The steps as names, or objects with a "name" where there is more to say."""
        return [step.to_json() for step in self.steps]

    @classmethod
    def from_json(cls, steps: object) -> "Normalizer":
        """Read what `to_json` wrote. Raises ConfigError for anything else, PatternError for a pattern of no use."""
        if not isinstance(steps, list):
            raise ConfigError(f"The normalizer should be a list of steps, but it is {steps!r}.")
        return cls(tuple(_read_step(step) for step in steps))

    @property
    def _goes_line_by_line(self) -> bool:
        return not self.needs_whole_text and any(not step.keeps_line_ends for step in self.steps[:-1])

    def _steps(self, at_start: bool) -> tuple[Step, ...]:
        return self.steps if at_start else tuple(step.inside() for step in self.steps)


def _normalize(text: str, steps: Sequence[Step]) -> str:
    for step in steps:
        text = step.normalize(text)
    return text


def _align(text: str, steps: Sequence[Step]) -> Alignment:
    alignment = Alignment.identity(text)
    for step in steps:
        alignment = alignment.then(step.align(alignment.text))
    return alignment


def _step(name: str, number_token: str, replacements: tuple[tuple[str, str], ...]) -> Step:
    if name not in NORMALIZERS:
        raise ConfigError(f"There is no normalizer named {name!r}. Known are: {', '.join(NORMALIZERS)}.")
    if name == Numbers.name:
        return Numbers(number_token)
    if name == Replace.name:
        return Replace(replacements)
    return NORMALIZERS[name]()


def _read_step(step: object) -> Step:
    if isinstance(step, str):
        if step in LIBRARY_STEPS:
            return _read_library_step(LIBRARY_STEPS[step], {"name": step})
        if step in _READERS:
            raise ConfigError(f"The normalizer {step!r} should be an object with its settings, not a name alone.")
        return _step(step, NUMBER_TOKEN, ())
    if not isinstance(step, dict):
        raise ConfigError(f"A normalizer should be a name or an object, but one is {step!r}.")
    name = step.get("name")
    if isinstance(name, str) and name in LIBRARY_STEPS:
        return _read_library_step(LIBRARY_STEPS[name], step)
    if not isinstance(name, str) or name not in _READERS:
        raise ConfigError(f"There is no normalizer with settings named {name!r}. Known are: {', '.join(_READERS)}.")
    settings, read = _READERS[name]
    if step.keys() != {"name", *settings}:
        named = " and ".join(f"a {setting!r}" for setting in settings)
        raise ConfigError(f"The normalizer {name!r} should have {named} and nothing else.")
    return read(*(step[setting] for setting in settings))


def _read_library_step(kind: type[Step], step: dict[str, Any]) -> Step:
    settings = {key: value for key, value in step.items() if key != "name"}
    known = {field.name: field.type for field in fields(kind) if field.name != "at_start"}  # type: ignore[arg-type]
    for key, value in settings.items():
        if key not in known or type(value) is not known[key]:
            raise ConfigError(f"The normalizer {kind.name!r} has no setting {key!r} that can be {value!r}.")
    try:
        return kind(**settings)
    except TypeError:
        raise ConfigError(f"The normalizer {kind.name!r} lacks a setting: {step!r}.") from None


def _read_numbers(token: object) -> Numbers:
    if not isinstance(token, str):
        raise ConfigError(f"The text for numbers should be a string, but it is {token!r}.")
    return Numbers(token)


def _read_replace(pairs: object) -> Replace:
    if not isinstance(pairs, list):
        raise ConfigError(f"The replacements should be a list, but they are {pairs!r}.")
    return Replace(tuple(_read_pair(pair) for pair in pairs))


def _read_pair(pair: object) -> tuple[str, str]:
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
        raise ConfigError(f"A replacement should be a pattern and a text, but one is {pair!r}.")
    return pair[0], pair[1]


def _read_precompiled(charsmap: object, by_graphemes: object) -> Precompiled:
    if not isinstance(by_graphemes, bool):
        raise ConfigError(f"The table's by_graphemes should be true or false, but it is {by_graphemes!r}.")
    return Precompiled(read_charsmap(charsmap), by_graphemes)


def _read_sentencepiece(charsmap: object, kept: object, *flags: object) -> SentencePieceText:
    if not isinstance(kept, list) or not all(isinstance(text, str) and text for text in kept):
        raise ConfigError(f"The texts to be kept should be a list of texts, but they are {kept!r}.")
    for name, flag in zip(FLAGS, flags, strict=True):
        if not isinstance(flag, bool):
            raise ConfigError(f"SentencePiece's {name} should be true or false, but it is {flag!r}.")
    table = None if charsmap is None else read_charsmap(charsmap)
    return SentencePieceText(charsmap=table, kept=tuple(kept), **dict(zip(FLAGS, map(bool, flags), strict=True)))


def read_charsmap(charsmap: object) -> Charsmap:
    """A table of characters in JSON. Raises ConfigError for what is none."""
    try:
        return Charsmap.of(b64decode(charsmap if isinstance(charsmap, str) else "?", validate=True))
    except ValueError:
        raise ConfigError("The table of characters should be a string in base64, but it is not.") from None
    except FormatError as error:
        raise ConfigError(str(error)) from None


_READERS: dict[str, tuple[tuple[str, ...], Callable[..., Step]]] = {
    Numbers.name: (("token",), _read_numbers),
    Replace.name: (("replacements",), _read_replace),
    Precompiled.name: (("charsmap", "by_graphemes"), _read_precompiled),
    SentencePieceText.name: (("charsmap", "kept", *FLAGS), _read_sentencepiece),
}
