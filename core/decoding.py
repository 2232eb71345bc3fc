"""From token ids back to text, as each marker asks for it."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from core.alphabet import METASPACE_TEXT, Base, Marker, Token
from core.decoders import STAND_INS
from core.errors import BpeError
from core.merge import UNKNOWN
from core.normalizer_steps import Metaspace
from core.pipeline import Pipeline
from core.recording import Recording


def decode(recording: Recording, ids: Iterable[int]) -> str:
    """Text of token ids. Raises BpeError for an id no token has.

    An end-of-word marker becomes a space, except at the very end; so does the start of a word where later tokens are
    marked as going on with it. Where the pre-tokenizer keeps white space neither puts anything there. Without a marker,
    where the pre-tokenizer drops white space, tokens are joined by spaces, as Hugging Face does when a tokenizer has no
    decoder. `▁` becomes a space, and the one before a text goes. Bytes that are not UTF-8 become U+FFFD: of a byte
    alphabet one for each part of a character, of bytes that stand for unknown characters one for each. A recording with
    a decoder of its own follows that.
    """
    if recording.decoder:
        return recording.decoder.decode([_spelled(recording, token_id) for token_id in ids])
    tokens = [_token(recording, token_id) for token_id in ids]
    if has_metaspace(recording):
        return _decode_metaspace(recording, tokens)
    space = b"" if recording.pipeline.pre_tokenizer.keeps_everything else b" "
    if recording.alphabet.marker is Marker.CONTINUING:
        return _text(_with_spaces_before(tokens, space))
    if joins_with_spaces(recording):
        return _text(_with_spaces_before(tokens, b" "))
    return _text(_with_spaces_behind(tokens, space))


def joins_with_spaces(recording: Recording) -> bool:
    """Whether decoding puts a space between any two tokens."""
    return (
        recording.alphabet.base is Base.CHARACTERS
        and recording.alphabet.marker is Marker.NONE
        and drops_white_space(recording.pipeline)
    )


def drops_white_space(pipeline: Pipeline) -> bool:
    """Whether words are cut at white space, which is in none of them."""
    return pipeline.pre_tokenizer.name in ("whitespace", "words")


def has_metaspace(recording: Recording) -> bool:
    """Whether `▁` stands for a space."""
    return recording.alphabet.marker is Marker.METASPACE or recording.pipeline.normalizer.has_metaspace


def _token(recording: Recording, token_id: int) -> Token:
    try:
        return recording.token(token_id)
    except KeyError:
        raise BpeError(f"No token has the id {token_id}.") from None


_METASPACE = METASPACE_TEXT.encode()


def _spelled(recording: Recording, token_id: int) -> str:
    """As the decoders of Hugging Face's tokenizers see it."""
    token, marker = _token(recording, token_id), recording.config.marker_text
    if token_id in recording.normalized_spellings:
        return recording.normalized_spellings[token_id]
    if recording.alphabet.base is Base.CHARACTERS or token.special:
        return token.text(marker).decode()
    spelled = token.content.decode("latin-1").translate(STAND_INS)
    return spelled + marker if token.ends_word else spelled


_Part = tuple[bytes, bool]  # bytes, and whether they are a fallback's


def _with_spaces_before(tokens: list[Token], space: bytes) -> Iterator[_Part]:
    for place, token in enumerate(tokens):
        goes_on = token.continues or (token.is_fallback and tokens[place - 1].is_fallback)
        if place and not goes_on and space:
            yield space, False
        yield token.content, token.is_fallback


def _with_spaces_behind(tokens: list[Token], space: bytes) -> Iterator[_Part]:
    for place, token in enumerate(tokens, 1):
        yield token.content, token.is_fallback
        if token.ends_word and space and place < len(tokens):
            yield space, False


def _decode_metaspace(recording: Recording, tokens: list[Token]) -> str:
    """Every stretch between special tokens is a text of its own, with a `▁` before it."""
    unknown = None if recording.unknown_id == UNKNOWN else recording.token(recording.unknown_id)
    texts = list[str]()
    for is_special, group in groupby(tokens, lambda token: token.special and token != unknown):
        parts = ((token.content, token.is_fallback) for token in group)
        if is_special:
            texts.append(_text(parts))
            continue
        found = list(parts)
        texts.append(_text(found, METASPACE_TEXT)[_own_spaces(recording, found) :])
    return "".join(texts)


def _own_spaces(recording: Recording, parts: list[_Part]) -> int:
    """How many `▁` at the start of a text the normalizer may have put there, or would not have left there."""
    steps = [step for step in recording.pipeline.normalizer.steps if isinstance(step, Metaspace)]
    wanted = steps[0].first_spaces if steps else 1
    found = 0
    if recording.alphabet.base is Base.BYTES:  # a ▁ is three of them
        return int(bool(wanted) and b"".join(content for content, _ in parts).startswith(_METASPACE))
    for content, is_fallback in parts:
        if found == wanted or is_fallback or not content.startswith(_METASPACE):
            break
        found += 1
        if content != _METASPACE:
            break
    return found


def _text(parts: Iterable[_Part], space: str = " ") -> str:
    """`space` is what becomes a space, except where a fallback's bytes spell it."""
    texts = list[str]()
    for is_fallback, group in groupby(parts, lambda part: part[1]):
        data = b"".join(content for content, _ in group)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = "\ufffd" * len(data) if is_fallback else data.decode(errors="replace")
        texts.append(text if is_fallback else text.replace(space, " "))
    return "".join(texts)
