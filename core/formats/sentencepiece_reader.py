"""Makes a recording of SentencePiece's pieces, from a .model or from a file that has the same in another form."""

import struct
from base64 import b64encode
from collections.abc import Collection, Generator, Iterator
from typing import Any

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker, Token, Unknown
from core.charsmap import Charsmap
from core.encoding_rules import Encoder, EncodingRules
from core.errors import FormatError
from core.formats.assembly import Model, assembled
from core.formats.base import Reading
from core.formats.piece_merges import PieceMerges
from core.formats.sentencepiece_model import ModelType, Piece, PieceType, SentencePieceModel, Treatment, check_pieces
from core.imported import Imported
from core.normalizer import Normalizer
from core.normalizer_steps import PrependMetaspace
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer, by_splits
from core.progress import Progress
from core.sentencepiece_text import SentencePieceText
from core.splits import Behavior, Split

BEHIND_SPACES = Split("▁+", Behavior.MERGED_WITH_PREVIOUS)
_MERGED = (PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED)


def recording_of(
    model: SentencePieceModel,
    format: str,
    file: str,
    document: dict[str, Any] | None = None,
    added_tokens: tuple[AddedToken, ...] | None = None,
) -> Reading:
    """`added_tokens` are for a tool that looks for others in texts than user-defined pieces, and otherwise.

    Raises FormatError, in the user's words, for what cannot be such a model or is none with merges.
    """
    if model.type is not ModelType.BPE:
        raise FormatError(
            f"{file}: this is a SentencePiece model of the type {model.type.name}, and only those of the type BPE are "
            "made by merges."
        )
    yield Progress(0, len(model.pieces))
    check_pieces(model, file)
    yield Progress(0, len(model.pieces))
    kept = {i: piece for i, piece in enumerate(model.pieces) if piece != hole(i)}
    pieces = [(piece.score, i, piece.text) for i, piece in kept.items() if piece.type in _MERGED]
    is_user_defined = {i for i, piece in enumerate(model.pieces) if piece.type is PieceType.USER_DEFINED}
    found = PieceMerges([entry for entry in pieces if entry[1] not in is_user_defined or len(entry[2]) == 1])
    yield Progress(0, len(model.pieces))
    yield from found.find()
    normalizer = yield from _normalizer(model, file)
    made = {token_id for _, _, token_id in found.merges}
    unused = {i for i, piece in enumerate(model.pieces) if piece.type is PieceType.UNUSED} & made
    cut_out = {token.token_id for token in added_tokens or ()} - made  # never part of a word
    recording = yield from assembled(
        Model(
            tokens={i: _token(*piece, i in cut_out) for i, piece in kept.items()},
            merges=found.merges,
            base=Base.CHARACTERS,
            marker=Marker.METASPACE if model.treatment.escape_whitespaces else Marker.NONE,
            pipeline=Pipeline(normalizer, _pre_tokenizer(model, bool(unused))),
            unknown=Unknown.BYTES if model.treatment.byte_fallback else Unknown.FUSE,
            unknown_token=next(piece.text for piece in model.pieces if piece.type is PieceType.UNKNOWN),
            rules=EncodingRules(
                Encoder.TOKEN_RANK,
                tied=frozenset(found.tied),
                unused=frozenset(unused),
                specials_are_text=added_tokens is None,
            ),
            added_tokens=_user_defined(model) if added_tokens is None else added_tokens,
        ),
        Imported(
            format,
            file,
            tuple(_facts(model, unused)),
            tuple(_not_applied(model, kept.values(), added_tokens is None)),
            document or {},
        ),
    )
    return recording


def _user_defined(model: SentencePieceModel) -> tuple[AddedToken, ...]:
    return tuple(
        AddedToken(piece.text, i, special=False, normalized=True, as_spelled=True)
        for i, piece in enumerate(model.pieces)
        if piece.type is PieceType.USER_DEFINED
    )


def hole(token_id: int) -> Piece:
    """What stands in the place of an id that no token has, when we write a model."""
    return Piece(f"<bpe-gui hole {token_id}>", 0.0, PieceType.UNUSED)


def _token(text: str, score: float, type: PieceType, is_cut_out: bool) -> Token:
    if type is PieceType.BYTE:
        return Token(bytes([int(text[3:5], 16)]), is_fallback=True)
    return Token(text.encode(), special=is_cut_out or type in (PieceType.UNKNOWN, PieceType.CONTROL))


def _normalizer(model: SentencePieceModel, file: str) -> Generator[Progress, None, Normalizer]:
    treatment, charsmap = model.treatment, None
    if treatment.charsmap:
        reading = Charsmap.reading(treatment.charsmap)
        while True:
            try:
                next(reading)
            except StopIteration as stop:
                charsmap = stop.value
                break
            except FormatError as error:
                raise FormatError(f"{file}, normalizer_spec: {error}") from None
            yield Progress(0, 1)
    if _is_llamas(treatment):
        return Normalizer((PrependMetaspace(),))
    kept = (piece.text for piece in model.pieces if piece.type is PieceType.USER_DEFINED)
    return Normalizer(
        (
            SentencePieceText(
                charsmap=charsmap,
                dummy_prefix=treatment.add_dummy_prefix,
                removes_extra_spaces=treatment.remove_extra_whitespaces,
                as_suffix=treatment.whitespace_as_suffix,
                escapes_spaces=treatment.escape_whitespaces,
                kept=tuple(text for text in kept if charsmap or "  " in text),
            ),
        )
    )


def _is_llamas(treatment: Treatment) -> bool:
    """Whether a ▁ before every text, and for every space, is all there is to it."""
    is_plain = not (treatment.charsmap or treatment.remove_extra_whitespaces or treatment.whitespace_as_suffix)
    return is_plain and treatment.add_dummy_prefix and treatment.escape_whitespaces


def _pre_tokenizer(model: SentencePieceModel, has_unused: bool) -> PreTokenizer:
    """The library does not cut at all. Where no piece has a ▁ behind another character, cutting there gives the same
    tokens, and long texts fall into short words."""
    is_known = model.treatment.byte_fallback or any(piece.text == "▁" for piece in model.pieces)
    if has_unused or not is_known:  # where ▁ is unknown, words with unknown characters become one token
        return PRE_TOKENIZERS["none"]
    merged = [piece.text for piece in model.pieces if piece.type in _MERGED and "▁" in piece.text[1:]]
    if not merged:
        return PRE_TOKENIZERS["metaspace"]
    if not any("▁" in text.lstrip("▁") for text in merged):
        return PRE_TOKENIZERS["metaspaces"]
    merged = [piece.text for piece in model.pieces if piece.type in _MERGED and "▁" in piece.text[:-1]]
    return by_splits([BEHIND_SPACES]) if not any("▁" in text.rstrip("▁") for text in merged) else PRE_TOKENIZERS["none"]


def _facts(model: SentencePieceModel, unused: set[int]) -> Iterator[str]:
    user_defined = sum(piece.type is PieceType.USER_DEFINED for piece in model.pieces)
    if user_defined:
        are = "piece is" if user_defined == 1 else "pieces are"
        yield f"{user_defined:,} user-defined {are} found in texts before anything is merged."
    if unused:
        fall = "token that is not to be used falls" if len(unused) == 1 else "tokens that are not to be used fall"
        yield f"{len(unused):,} {fall} into their parts again when all is merged."


def _not_applied(model: SentencePieceModel, pieces: Collection[Piece], specials_are_text: bool) -> Iterator[str]:
    if model.has_denormalizer:
        yield "the denormalizer, which changes decoded text"
    for piece in pieces:
        if piece.type in (PieceType.UNKNOWN, PieceType.CONTROL) and len(piece.text) == 1 and specials_are_text:
            yield f"that the character {piece.text!r} in a text is unknown, though there is a token for it"
    known = {piece.text for piece in pieces if piece.type in _MERGED or len(piece.text) == 1}
    strange = [
        piece.text
        for piece in pieces
        if piece.type in (PieceType.NORMAL, PieceType.UNUSED) and not known.issuperset(piece.text)
    ]
    if strange:
        yield (
            f"{len(strange):,} pieces with characters that are no pieces of their own, such as {strange[0][:20]!r}, in "
            "texts with such characters"
        )


def document_of(model: SentencePieceModel) -> dict[str, str]:
    """What a recording does not keep, to write the model again: scores, types, and all that is no piece."""
    scores = struct.pack(f"<{len(model.pieces)}f", *(piece.score for piece in model.pieces))
    types = bytes(piece.type for piece in model.pieces)
    parts = {"scores": scores, "types": types, "rest": model.rest}
    return {name: b64encode(part).decode() for name, part in parts.items()}
