"""How the encode panel encodes: what is stored of it, read with care."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from bpe_gui.settings import Settings
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.tokenizer import Specials

AS_THE_MODEL = "model"
"""Stored for the encoder, whichever it is, that a tokenizer is made for."""

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class EncodeChoices:
    """`other` is the encoder to compare with, None without one. Dropout goes with the merge rank, and only with the
    first encoder: compared with itself, it shows what dropout does."""

    encoder: Encoder = Encoder.MERGE_RANK
    other: Encoder | None = None
    dropout: Dropout | None = None
    specials: Specials = Specials.MATCH


KEYS = frozenset(
    (
        Settings.ENCODER,
        Settings.OTHER_ENCODER,
        Settings.COMPARES_ENCODERS,
        Settings.ENCODE_SPECIALS,
        Settings.DROPOUT,
        Settings.DROPOUT_SEED,
    )
)
"""The settings that the choices are made of."""


def stored_choices(settings: Settings, usual: Encoder = Encoder.MERGE_RANK) -> EncodeChoices:
    """`usual` is the encoder that the tokenizer is made for."""
    encoder = stored_encoder(settings, Settings.ENCODER, usual)
    compares = settings.flag(Settings.COMPARES_ENCODERS)
    return EncodeChoices(
        encoder,
        stored_encoder(settings, Settings.OTHER_ENCODER) if compares else None,
        _dropout(settings) if encoder is Encoder.MERGE_RANK else None,
        stored_specials(settings),
    )


def stored_encoder(settings: Settings, key: str, usual: Encoder = Encoder.MERGE_RANK) -> Encoder:
    return usual if settings.text(key) == AS_THE_MODEL else _stored(settings, key, Encoder.MERGE_RANK)


def stored_specials(settings: Settings) -> Specials:
    return _stored(settings, Settings.ENCODE_SPECIALS, Specials.MATCH)


def _dropout(settings: Settings) -> Dropout | None:
    percent = min(max(settings.number(Settings.DROPOUT), 0), 100)
    return Dropout(percent / 100, int(settings.number(Settings.DROPOUT_SEED))) if percent else None


def _stored(settings: Settings, key: str, default: Choice) -> Choice:
    """What an older or a newer version has stored under another name is the default."""
    try:
        return type(default)(settings.text(key))
    except ValueError:
        return default
