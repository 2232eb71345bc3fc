"""Makes a recording from what a file says: a vocabulary of spellings, merges of spellings, settings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.alphabet import MARKER_TEXT, Alphabet, Base, ByteOrder, Marker, Token, Unknown
from core.corpus import Pipeline
from core.errors import ConfigError, FormatError
from core.formats.spelling import BYTE_OF_STAND_IN
from core.merge import Merge
from core.recording import Recording
from core.trainer import TrainerConfig

SpelledMerge = tuple[str, str]


@dataclass(frozen=True)
class Settings:
    """What a file says beside its vocabulary and merges."""

    base: Base = Base.BYTES
    marker: Marker = Marker.NONE
    marker_text: str = MARKER_TEXT
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None
    pipeline: Pipeline = field(default_factory=Pipeline)


def recording_of(
    vocab: Mapping[str, int], merges: Sequence[SpelledMerge], settings: Settings, where: Callable[[int], str], file: str
) -> Recording:
    """The recording that a vocabulary by spelling and merges by spelling describe.

    `where(rank)` names the place of a merge and `file` that of the vocabulary in messages. Raises FormatError for
    what plain BPE training does not make: a token no merge makes, a merge before those of its parts, the same twice.
    """
    check_vocabulary(vocab, file)
    made = {left + right for left, right in merges}
    base = {text: i for text, i in vocab.items() if text not in made or text in settings.special_tokens}
    tokens = {i: _base_token(text, i, settings, file) for text, i in base.items()}
    recording = empty_recording(tokens, settings, file)
    for rank, (left, right) in enumerate(merges):
        _append(recording, rank, vocab, (left, right), where)
    return recording


def empty_recording(tokens: Mapping[int, Token], settings: Settings, file: str) -> Recording:
    tokens = dict(sorted(tokens.items()))
    unknown = Unknown.KEEP if settings.unknown_token is None else Unknown.TOKEN
    try:
        config = TrainerConfig(
            base=settings.base,
            marker=settings.marker,
            byte_order=_byte_order(tokens) if settings.base is Base.BYTES else ByteOrder.STAND_IN,
            special_tokens=tuple(token.content.decode() for token in tokens.values() if token.special),
            unknown_token=settings.unknown_token,
            unknown=unknown,
            marker_text=settings.marker_text,
        )
    except ConfigError as error:
        raise FormatError(f"{file}: {error}") from None
    return Recording(Alphabet(settings.base, settings.marker, tokens, unknown), config, settings.pipeline)


def check_vocabulary(vocab: Mapping[str, int], file: str) -> None:
    """Raises FormatError if two tokens share an id."""
    if len(set(vocab.values())) < len(vocab):
        seen: dict[int, str] = {}
        for text, i in vocab.items():
            if i in seen:
                raise FormatError(f"{file}: the tokens {seen[i]!r} and {text!r} both have the id {i}.")
            seen[i] = text


def _append(
    recording: Recording, rank: int, vocab: Mapping[str, int], pair: SpelledMerge, where: Callable[[int], str]
) -> None:
    left, right = pair
    for text in (left, right, left + right):
        if text not in vocab:
            raise FormatError(f"{where(rank)}: {text!r} is not in the vocabulary.")
    merge = Merge(rank, vocab[left], vocab[right], vocab[left + right])
    for text in pair:
        if not _is_known(recording, vocab[text]):
            raise FormatError(f"{where(rank)}: it needs {text!r}, which only a later merge makes.")
    if _is_known(recording, merge.token_id):
        raise FormatError(f"{where(rank)}: {left + right!r} is there already; a second way to it is not supported.")
    recording.append(merge)


def _is_known(recording: Recording, token_id: int) -> bool:
    try:
        recording.token(token_id)
    except KeyError:
        return False
    return True


def _base_token(text: str, token_id: int, settings: Settings, file: str) -> Token:
    if text in settings.special_tokens:
        return Token(text.encode(), special=True)
    if settings.base is Base.BYTES and text in BYTE_OF_STAND_IN:
        return Token(bytes([BYTE_OF_STAND_IN[text]]))
    if settings.base is Base.CHARACTERS:
        if settings.marker is Marker.SYMBOL and text == settings.marker_text:
            return Token(b"", ends_word=True)
        letter = text.removesuffix(settings.marker_text) if settings.marker is Marker.SUFFIX else text
        if len(letter) == 1:
            return Token(letter.encode(), ends_word=letter != text)
    kind = "byte" if settings.base is Base.BYTES else "character"
    raise FormatError(f"{file}: the token {text!r} (id {token_id}) is no single {kind}, and no merge makes it.")


def _byte_order(tokens: Mapping[int, Token]) -> ByteOrder:
    values = [token.content for token in tokens.values() if len(token.content) == 1]
    return ByteOrder.VALUE if values == sorted(values) else ByteOrder.STAND_IN


def missing_bytes(tokens: Iterable[Token]) -> list[int]:
    """The byte values that no base symbol stands for."""
    present = {token.content[0] for token in tokens if len(token.content) == 1}
    return [value for value in range(256) if value not in present]
