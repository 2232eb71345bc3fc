"""What a file with tokens by their spelling says beside them, and what follows from spellings alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, Unknown
from core.errors import ConfigError, FormatError
from core.formats.assembly import byte_order
from core.formats.spelling import BYTE_OF_STAND_IN, FALLBACK
from core.pipeline import Pipeline
from core.recording import Recording
from core.trainer import Score, TrainerConfig

SpelledMerge = tuple[str, str]


@dataclass(frozen=True)
class Settings:
    """What a file says beside its vocabulary and merges. `marker_text` "" is the marker's usual one."""

    base: Base = Base.BYTES
    marker: Marker = Marker.NONE
    marker_text: str = ""
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None
    pipeline: Pipeline = field(default_factory=Pipeline)
    unknown: Unknown = Unknown.KEEP
    score: Score = Score.FREQUENCY

    def __post_init__(self) -> None:
        object.__setattr__(self, "marker_text", self.marker_text or self.marker.text)

    def joined(self, left: str, right: str) -> str:
        """The spelling of a merge's token."""
        return left + (right.removeprefix(self.marker_text) if self.marker is Marker.CONTINUING else right)

    def symbols(self, text: str) -> list[str]:
        """The base symbols that a token is spelled with."""
        if self.marker is not Marker.CONTINUING:
            return list(text)
        letters = text.removeprefix(self.marker_text)
        first = text[: len(text) - len(letters) + 1]
        return [first, *(self.marker_text + letter for letter in letters[1:])]


def base_recording(vocab: Mapping[str, int], settings: Settings, file: str) -> Recording:
    """The recording without its merges: special tokens and base symbols are told by their spelling alone."""
    base = {t: i for t, i in vocab.items() if t in settings.special_tokens or is_base_symbol(t, settings)}
    return empty_recording({i: _base_token(text, i, settings, file) for text, i in base.items()}, settings, file)


def is_base_symbol(text: str, settings: Settings) -> bool:
    try:
        _base_token(text, 0, settings, "")
    except FormatError:
        return False
    return True


def recovered_merges(vocab: Mapping[str, int], settings: Settings, file: str) -> list[SpelledMerge]:
    """The merges that a vocabulary was made by, where ids rise in the order of merges.

    Each token, cut by the merges before its own, falls into the two parts it was made of. Raises FormatError where it
    does not: then the vocabulary was not trained by merges.
    """
    made: dict[SpelledMerge, int] = {}
    for text, token_id in sorted(vocab.items(), key=lambda item: item[1]):
        if text in settings.special_tokens or len(symbols := settings.symbols(text)) == 1:
            continue
        parts = _merged(symbols, made, settings)
        if len(parts) != 2:
            raise FormatError(
                f"{file}: the token {text!r} (id {token_id}) is made of {len(parts)} tokens of lower id, not of two. "
                "It was not trained by merges."
            )
        made[parts[0], parts[1]] = token_id
    return list(made)


def _merged(parts: list[str], made: Mapping[SpelledMerge, int], settings: Settings) -> list[str]:
    while candidates := [(made[pair], place) for place, pair in enumerate(pairwise(parts)) if pair in made]:
        place = min(candidates)[1]
        parts[place : place + 2] = [settings.joined(parts[place], parts[place + 1])]
    return parts


def empty_recording(tokens: Mapping[int, Token], settings: Settings, file: str) -> Recording:
    tokens = dict(sorted(tokens.items()))
    try:
        config = TrainerConfig(
            base=settings.base,
            marker=settings.marker,
            byte_order=byte_order(tokens.values()) if settings.base is Base.BYTES else ByteOrder.STAND_IN,
            special_tokens=tuple(token.content.decode() for token in tokens.values() if token.special),
            unknown_token=settings.unknown_token,
            unknown=settings.unknown,
            marker_text=settings.marker_text,
            score=settings.score,
        )
    except ConfigError as error:
        raise FormatError(f"{file}: {error}") from None
    return Recording(Alphabet(settings.base, settings.marker, tokens, settings.unknown), config, settings.pipeline)


def _base_token(text: str, token_id: int, settings: Settings, file: str) -> Token:
    if text in settings.special_tokens:
        return Token(text.encode(), special=True)
    if settings.base is Base.BYTES and text in BYTE_OF_STAND_IN:
        return Token(bytes([BYTE_OF_STAND_IN[text]]))
    if settings.base is Base.CHARACTERS:
        if settings.marker is Marker.SYMBOL and text == settings.marker_text:
            return Token(b"", ends_word=True)
        if settings.unknown is Unknown.BYTES and FALLBACK.fullmatch(text.encode()):
            return Token(bytes.fromhex(text[3:5]), is_fallback=True)
        if token := _letter(text, settings):
            return token
    kind = "byte" if settings.base is Base.BYTES else "character"
    raise FormatError(f"{file}: the token {text!r} (id {token_id}) is no single {kind}, and no merge makes it.")


def _letter(text: str, settings: Settings) -> Token | None:
    letter = text
    if settings.marker is Marker.SUFFIX:
        letter = text.removesuffix(settings.marker_text)
    elif settings.marker is Marker.CONTINUING:
        letter = text.removeprefix(settings.marker_text)
    if len(letter) != 1:
        return None
    is_marked = letter != text
    return Token(
        letter.encode(),
        is_marked and settings.marker is Marker.SUFFIX,
        continues=is_marked and settings.marker is Marker.CONTINUING,
    )


def missing_bytes(tokens: Iterable[Token]) -> list[int]:
    """The byte values that no base symbol stands for."""
    present = {token.content[0] for token in tokens if len(token.content) == 1}
    return [value for value in range(256) if value not in present]
