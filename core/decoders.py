"""The decoders of Hugging Face's tokenizers: what becomes of the tokens' spellings when they are put together again.

Source: `tokenizers::decoders`; a decoder is a list of steps, and what they leave is joined without spaces.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core import user_patterns
from core.alphabet import byte_stand_ins
from core.errors import ConfigError

Texts = list[str]
Step = Callable[[Texts], Texts]

STAND_INS = byte_stand_ins()
_BYTES = {char: value for value, char in STAND_INS.items()}
_CLEANUPS = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip


@dataclass(frozen=True)
class Decoder:
    """`settings` are those of the steps, as the library spells them; without steps tokens are joined by spaces."""

    settings: tuple[dict[str, Any], ...]

    def __post_init__(self) -> None:
        self._steps()

    def decode(self, spellings: Sequence[str]) -> str:
        texts = list(spellings)
        if not self.settings:
            return " ".join(texts)
        for step in self._steps():
            texts = step(texts) if texts else texts
        return "".join(texts)

    def _steps(self) -> list[Step]:
        """Raises ConfigError for a step that is not known, PatternError for a pattern of no use."""
        return [step_of(settings) for settings in self.settings]


def step_of(settings: dict[str, Any]) -> Step:
    kind = settings.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ConfigError(f"There is no decoder {kind!r} here.")
    try:
        return _KINDS[kind](settings)
    except (KeyError, TypeError):
        raise ConfigError(f"The decoder {kind} lacks a setting or has one of another kind.") from None


def _byte_level(_: dict[str, Any]) -> Step:
    def decode(texts: Texts) -> Texts:
        return [b"".join(map(_bytes_of, texts)).decode(errors="replace")]

    return decode


def _bytes_of(text: str) -> bytes:
    try:
        return bytes([_BYTES[char] for char in text])
    except KeyError:
        return text.encode()


def _bpe(settings: dict[str, Any]) -> Step:
    suffix = _string(settings, "suffix")

    def decode(texts: Texts) -> Texts:
        *others, last = texts
        return [*(_replaced(text, suffix, " ") for text in others), _replaced(last, suffix, "")]

    return decode


def _replaced(text: str, old: str, new: str) -> str:
    return text.replace(old, new)  # of an empty text too: Rust puts it between all characters as Python does


def _metaspace(settings: dict[str, Any]) -> Step:
    mark = _string(settings, "replacement")
    scheme = settings.get("prepend_scheme")
    if scheme is None:
        scheme = "never" if settings.get("add_prefix_space") is False else "always"

    def decode(texts: Texts) -> Texts:
        first, *others = texts
        return [first.replace(mark, " " if scheme == "never" else ""), *(text.replace(mark, " ") for text in others)]

    return decode


def _word_piece(settings: dict[str, Any]) -> Step:
    prefix, cleans_up = _string(settings, "prefix"), settings.get("cleanup", True)

    def decode(texts: Texts) -> Texts:
        first, *others = texts
        found = [first, *(t.removeprefix(prefix) if t.startswith(prefix) else " " + t for t in others)]
        return list(map(_cleaned, found)) if cleans_up else found

    return decode


def _cleaned(text: str) -> str:
    for old, new in _CLEANUPS:
        text = text.replace(old, new)
    return text


def _byte_fallback(_: dict[str, Any]) -> Step:
    def decode(texts: Texts) -> Texts:
        found, pending = Texts(), bytearray()
        for text in [*texts, None]:
            value = None if text is None else _fallback_byte(text)
            if value is not None:
                pending.append(value)
                continue
            if pending:
                found += _text_of_fallback(bytes(pending))
                pending.clear()
            if text is not None:
                found.append(text)
        return found

    return decode


def _fallback_byte(text: str) -> int | None:
    if len(text) != 6 or not (text.startswith("<0x") and text.endswith(">")):
        return None
    try:
        return int(text[3:5], 16) if text[3:5].isalnum() else None
    except ValueError:
        return None


def _text_of_fallback(data: bytes) -> Texts:
    try:
        return [data.decode()]
    except UnicodeDecodeError:
        return ["\ufffd"] * len(data)


def _fuse(_: dict[str, Any]) -> Step:
    return lambda texts: ["".join(texts)]


def _strip(settings: dict[str, Any]) -> Step:
    mark, start, stop = _string(settings, "content"), _number(settings, "start"), _number(settings, "stop")

    def strip(text: str) -> str:
        first = 0
        while first < min(start, len(text)) and text[first] == mark:
            first += 1
        last = len(text)
        while last > max(first, len(text) - stop) and text[last - 1] == mark:
            last -= 1
        return text[first:last]

    return lambda texts: list(map(strip, texts))


def _replace(settings: dict[str, Any]) -> Step:
    pattern, new = settings["pattern"], _string(settings, "content")
    if old := pattern.get("String"):
        return lambda texts: [text.replace(old, new) for text in texts]
    regex = pattern.get("Regex")
    if not isinstance(regex, str):
        return lambda texts: texts  # of no text nothing is replaced
    user_patterns.check(regex, may_be_empty=True)

    def replace(text: str) -> str:
        parts, place = Texts(), 0
        for batch in user_patterns.match_batches(regex, text, may_be_empty=True):
            for match in batch:
                parts += (text[place : match.start()], new)
                place = match.end()
        return "".join((*parts, text[place:]))

    return lambda texts: list(map(replace, texts))


def _string(settings: dict[str, Any], key: str) -> str:
    if not isinstance(settings[key], str):
        raise TypeError(key)
    value: str = settings[key]
    return value


def _number(settings: dict[str, Any], key: str) -> int:
    if type(settings[key]) is not int:
        raise TypeError(key)
    value: int = settings[key]
    return value


_KINDS: dict[str, Callable[[dict[str, Any]], Step]] = {
    "ByteLevel": _byte_level,
    "BPEDecoder": _bpe,
    "Metaspace": _metaspace,
    "WordPiece": _word_piece,
    "ByteFallback": _byte_fallback,
    "Fuse": _fuse,
    "Strip": _strip,
    "Replace": _replace,
}
