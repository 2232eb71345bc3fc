"""Token ids of bytes that are no UTF-8 text, as tiktoken gives them."""

from core.alphabet import Base, Marker
from core.encoders import encode
from core.errors import BpeError
from core.merge import UNKNOWN
from core.special_tokens import Specials
from core.tokenizer import Tokenizer

_SPACES = b" \n\t"


def ids_of_bytes(tokenizer: Tokenizer, data: bytes, specials: Specials = Specials.AS_TEXT) -> list[int]:
    """The ids of a text in UTF-8, which may be broken.

    From the first byte on that is not UTF-8 all bytes are one word, with the word before them and, if that is white
    space, all white space before (`Encoding._encode_bytes` of tiktoken). Raises BpeError for a broken text where base
    symbols are no bytes, and as Tokenizer.ids does.
    """
    try:
        return tokenizer.ids(data.decode(), specials)
    except UnicodeDecodeError as error:
        valid = data[: error.start].decode()
    alphabet = tokenizer.recording.alphabet
    if alphabet.base is not Base.BYTES or alphabet.marker is not Marker.NONE:
        raise BpeError(
            f"Byte {len(valid.encode()) + 1:,} is not UTF-8, and this tokenizer knows characters only, not bytes."
        )
    tokens = tokenizer.encode(valid, specials)
    kept = len(tokens) - _length_of_last_word(tokenizer, valid, len(tokens), specials)
    ids = [token.token_id for token in tokens]
    contents = [tokenizer.recording.token(token_id).content for token_id in ids]
    if kept < len(ids) and not contents[kept].strip(_SPACES):
        while kept and not contents[kept - 1].strip(_SPACES):
            kept -= 1
    return ids[:kept] + _ids_of_word(tokenizer, b"".join(contents[kept:]) + data[len(valid.encode()) :])


def _length_of_last_word(tokenizer: Tokenizer, text: str, tokens: int, specials: Specials) -> int:
    """How many tokens the last word has; 0 if a special token ends the text."""
    stretches = list(tokenizer.stretches(text, specials))
    if not stretches or stretches[-1].token_id is not None:
        return 0
    last = stretches[-1]
    aligned = last.aligned or tokenizer.recording.pipeline.normalizer.align(text[last.start : last.end])
    words = list(tokenizer.recording.pipeline.pre_tokenizer.words(aligned.text))
    return min(len(tokenizer.pieces(words[-1].text)), tokens) if words else 0


def _ids_of_word(tokenizer: Tokenizer, word: bytes) -> list[int]:
    recording, step = tokenizer.recording, tokenizer.step
    whole = recording.whole_piece_of(word, step) if tokenizer.encoder is recording.rules.encoder else None
    if whole is not None:
        return [whole]
    symbols = [recording.alphabet.inner[value] for value in word]
    ids = (piece.token_id for piece in encode(recording, symbols, step, tokenizer.encoder))
    return [token_id for token_id in ids if token_id != UNKNOWN]
