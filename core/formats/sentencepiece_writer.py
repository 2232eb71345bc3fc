"""Makes SentencePiece's pieces of a recording; what was read from such a model is written again as it was."""

import struct
from base64 import b64decode
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from core.encoding_rules import Encoder
from core.formats.sentencepiece_findings import token_ranks, treatment_of, unknown_piece
from core.formats.sentencepiece_model import Piece, PieceType, SentencePieceModel, specs
from core.formats.sentencepiece_reader import hole
from core.formats.spelling import ids_at
from core.recording import Recording


def model_of(recording: Recording, step: int, document: Mapping[str, Any]) -> SentencePieceModel:
    """The pieces after `step` merges. `document` is what `document_of` kept of the model that it was read from."""
    tokens = _Known.of(document, recording, step) or _New(recording, step)
    ids = set(ids_at(recording, step))
    pieces = [tokens.piece(i) if i in ids else hole(i) for i in range(max(ids, default=-1) + 1)]
    return SentencePieceModel(pieces, rest=tokens.rest or specs(treatment_of(recording), pieces))


class _New:
    """Scores by rank, in steps of one; characters and what no merge makes come behind all that is merged."""

    rest = b""

    def __init__(self, recording: Recording, step: int) -> None:
        self._recording, self._step, self._unknown = recording, step, unknown_piece(recording)
        is_plain = recording.is_monotone or recording.rules.encoder is Encoder.TOKEN_RANK
        self._ranks = None if is_plain else token_ranks(recording, step)
        self._user_defined = {token.token_id for token in recording.added_tokens if not token.special}

    def piece(self, token_id: int) -> Piece:
        token = self._recording.token(token_id)
        text = token.text().decode()
        if token.special:
            return Piece(text, 0.0, PieceType.UNKNOWN if text == self._unknown else PieceType.CONTROL)
        if token.is_fallback:
            return Piece(text, 0.0, PieceType.BYTE)
        if token_id in self._user_defined:
            return Piece(text, 0.0, PieceType.USER_DEFINED)
        type = PieceType.UNUSED if token_id in self._recording.rules.unused else PieceType.NORMAL
        return Piece(text, self._score(token_id), type)

    def _score(self, token_id: int) -> float:
        rank = self._ranks.get(token_id) if self._ranks else self._recording.rank_of_token(token_id)
        if rank is None or rank >= self._step:
            return -float(self._step + token_id)
        return -float(self._recording.rules.first_of_equals(rank))


class _Known:
    """Scores and types as they were."""

    def __init__(self, recording: Recording, scores: tuple[float, ...], types: bytes, rest: bytes) -> None:
        self._recording, self._scores, self._types, self.rest = recording, scores, types, rest

    @classmethod
    def of(cls, document: Mapping[str, Any], recording: Recording, step: int) -> "_Known | None":
        """None where there is no such document, or its scores do not order the merges as they are."""
        if document.keys() != {"scores", "types", "rest"}:
            return None
        types = b64decode(document["types"])
        scores = struct.unpack(f"<{len(types)}f", b64decode(document["scores"]))
        order = [scores[recording[rank].token_id] for rank in range(step) if recording[rank].token_id < len(scores)]
        is_same = len(order) == step and all(before >= after for before, after in pairwise(order))
        return cls(recording, scores, types, b64decode(document["rest"])) if is_same else None

    def piece(self, token_id: int) -> Piece:
        text = self._recording.token(token_id).text().decode()
        return Piece(text, self._scores[token_id], PieceType(self._types[token_id]))


def lines_of(model: SentencePieceModel) -> Iterator[str]:
    """The pieces to look at: id, piece, score and type."""
    for token_id, piece in enumerate(model.pieces):
        type = "" if piece.type is PieceType.NORMAL else f"  {piece.type.name}"
        yield f"{token_id}  {piece.text!r}  {piece.score:g}{type}\n"
