"""SentencePiece's ModelProto: pieces with scores and types, and how the text before them is treated.

Numbers of fields and values as in the library's sentencepiece_model.proto.
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, NoReturn

from core.errors import FormatError
from core.formats import protobuf
from core.formats.protobuf import Field
from core.progress import Progress

PIECES_PER_SLICE = 1 << 11
PIECES, TRAINER, NORMALIZER, DENORMALIZER = 1, 2, 3, 5
MAX_PIECE_CHARS = 1 << 12


class PieceType(IntEnum):
    """What a piece is for."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class ModelType(IntEnum):
    """How a model cuts texts; only BPE has merges."""

    UNIGRAM = 1
    BPE = 2
    WORD = 3
    CHAR = 4


class Piece(NamedTuple):
    """Its id is its place."""

    text: str
    score: float = 0.0
    type: PieceType = PieceType.NORMAL


@dataclass(frozen=True)
class Treatment:
    """How a text is treated before pieces are looked for: normalizer_spec, and two settings of trainer_spec."""

    rule: str = ""
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    whitespace_as_suffix: bool = False
    byte_fallback: bool = False


@dataclass(frozen=True)
class SentencePieceModel:
    """`rest` is all of a file but its pieces, as it stands there."""

    pieces: list[Piece]
    treatment: Treatment = field(default_factory=Treatment)
    type: ModelType = ModelType.BPE
    rest: bytes = b""
    has_denormalizer: bool = False


def looks_like_model(data: bytes) -> bool:
    """Whether a file begins with a piece that begins with its text."""
    if data[:1] != b"\n" or data[2:3] != b"\n" or len(data) < 5:  # field 1, length below 128, in it field 1
        return False
    size, length = data[1], data[3]
    return size < 0x80 and 0 < length <= size - 2 and data[4 + length : 5 + length] in (b"", b"\x15", b"\x18", b"\n")


def read_model(data: bytes, file: str) -> Generator[Progress, None, SentencePieceModel]:
    """Raises FormatError with the piece or field that is not as it should be."""
    pieces, others = list[Piece](), list[Field]()
    done = 0
    for part in protobuf.fields(data, file):
        done += len(part.raw)
        if part.number != PIECES:
            others.append(part)
            continue
        pieces.append(_piece(protobuf.bytes_of(part, file), f"{file}, piece {len(pieces):,}"))
        if len(pieces) % PIECES_PER_SLICE == 0:
            yield Progress(done, len(data))
    trainer, normalizer, denormalizer = (_message(others, n, file) for n in (TRAINER, NORMALIZER, DENORMALIZER))
    type, treatment = _treatment(trainer, normalizer, file)
    has_denormalizer = any(each.number == 2 and each.value for each in protobuf.fields(denormalizer, file))
    return SentencePieceModel(pieces, treatment, type, b"".join(each.raw for each in others), has_denormalizer)


def _piece(message: bytes, where: str) -> Piece:
    text, score, type = "", 0.0, PieceType.NORMAL
    for part in protobuf.fields(message, where):
        if part.number == 1:
            text = protobuf.text_of(part, where)
        elif part.number == 2:
            score = protobuf.float_of(part, where)
        elif part.number == 3:
            number = protobuf.number_of(part, where)
            if number not in tuple(PieceType):
                raise FormatError(f"{where}: expected a type from 1 to 6, found {number}.")
            type = PieceType(number)
    return Piece(text, score, type)


def _message(parts: list[Field], number: int, file: str) -> bytes:
    """A message that is there once, or in parts."""
    return b"".join(protobuf.bytes_of(part, file) for part in parts if part.number == number)


def _treatment(trainer: bytes, normalizer: bytes, file: str) -> tuple[ModelType, Treatment]:
    where = f"{file}, trainer_spec"
    numbers = {
        part.number: protobuf.number_of(part, where)
        for part in protobuf.fields(trainer, where)
        if part.number in (3, 24, 35)
    }
    type = numbers.get(3, ModelType.UNIGRAM)
    if type not in tuple(ModelType):
        raise FormatError(f"{where}: there is no type of model {type}.")
    where = f"{file}, normalizer_spec"
    parts = {part.number: part for part in protobuf.fields(normalizer, where)}
    flags = [protobuf.number_of(parts[n], where) != 0 if n in parts else True for n in (3, 4, 5)]
    rule = protobuf.text_of(parts[1], where) if 1 in parts else ""
    charsmap = protobuf.bytes_of(parts[2], where) if 2 in parts else b""
    dummy, removes, escapes = flags
    suffix, fallback = (numbers.get(number, 0) != 0 for number in (24, 35))
    return ModelType(type), Treatment(rule, charsmap, dummy, removes, escapes, suffix, fallback)


def check_pieces(model: SentencePieceModel, file: str) -> None:
    """What the library asks of a model. Raises FormatError with the piece."""
    seen, unknown = dict[str, int](), list[int]()
    for number, piece in enumerate(model.pieces):
        if not piece.text:
            _wrong(file, number, "it is empty")
        if len(piece.text) > MAX_PIECE_CHARS:
            _wrong(file, number, f"it has {len(piece.text):,} characters")
        if math.isnan(piece.score):
            _wrong(file, number, "its score is not a number")
        if piece.text in seen:
            _wrong(file, number, f"{piece.text[:40]!r} is piece {seen[piece.text]:,} too")
        seen[piece.text] = number
        if piece.type is PieceType.UNKNOWN:
            unknown.append(number)
        if piece.type is PieceType.BYTE and not is_byte(piece.text):
            _wrong(file, number, f"{piece.text[:40]!r} is no byte such as '<0x0A>'")
    if len(unknown) != 1:
        found = f"pieces {unknown[0]:,} and {unknown[1]:,}" if unknown else "none"
        raise FormatError(f"{file}: expected one piece for what is unknown, found {found}.")
    _check_bytes(model, file)


def _check_bytes(model: SentencePieceModel, file: str) -> None:
    number_of_bytes = sum(piece.type is PieceType.BYTE for piece in model.pieces)
    if model.treatment.byte_fallback and number_of_bytes != 256:
        raise FormatError(
            f"{file}: unknown characters are to be written in bytes (byte_fallback), and {number_of_bytes} of the 256 "
            "bytes are pieces."
        )
    if number_of_bytes and not model.treatment.byte_fallback:
        raise FormatError(f"{file}: bytes are pieces, and byte_fallback, which uses them, is off.")


def is_byte(text: str) -> bool:
    return len(text) == 6 and text[:3] == "<0x" and text[5] == ">" and text[3:5] in _BYTES


_BYTES = frozenset(f"{value:02X}" for value in range(256))


def _wrong(file: str, number: int, what: str) -> NoReturn:
    raise FormatError(f"{file}, piece {number:,}: {what}.")


def written(model: SentencePieceModel) -> Iterator[bytes]:
    """The bytes of a model: one of each piece, then the rest."""
    for piece in model.pieces:
        content = protobuf.text_field(1, piece.text) + protobuf.float_field(2, piece.score)
        if piece.type is not PieceType.NORMAL:
            content += protobuf.number_field(3, piece.type)
        yield protobuf.bytes_field(PIECES, content)
    yield model.rest


def specs(treatment: Treatment, pieces: list[Piece]) -> bytes:
    """trainer_spec and normalizer_spec of a BPE model, as far as they count for using it."""
    unknown = next(number for number, piece in enumerate(pieces) if piece.type is PieceType.UNKNOWN)
    ids = {text: n for n, (text, _, type) in enumerate(pieces) if type is PieceType.CONTROL}
    begin, end, padding = (ids.get(text, -1) for text in ("<s>", "</s>", "<pad>"))
    trainer = [
        protobuf.number_field(3, ModelType.BPE),
        protobuf.number_field(4, len(pieces)),
        protobuf.number_field(24, treatment.whitespace_as_suffix),
        protobuf.number_field(35, treatment.byte_fallback),
        *(protobuf.number_field(40 + n, value) for n, value in enumerate((unknown, begin, end, padding))),
        protobuf.text_field(44, pieces[unknown].text),  # what it is decoded as; otherwise " ⁇ "
        protobuf.text_field(45, pieces[unknown].text),
    ]
    normalizer = [
        protobuf.text_field(1, treatment.rule),
        protobuf.bytes_field(2, treatment.charsmap) if treatment.charsmap else b"",
        protobuf.number_field(3, treatment.add_dummy_prefix),
        protobuf.number_field(4, treatment.remove_extra_whitespaces),
        protobuf.number_field(5, treatment.escape_whitespaces),
    ]
    return protobuf.bytes_field(TRAINER, b"".join(trainer)) + protobuf.bytes_field(NORMALIZER, b"".join(normalizer))
