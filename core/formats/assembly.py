"""Makes a recording of a vocabulary and merges that another tool may have made, whatever their order."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from core.added_tokens import AddedToken
from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, Unknown
from core.decoders import Decoder
from core.encoding_rules import EncodingRules
from core.errors import ConfigError, FormatError
from core.imported import Imported
from core.loaded_merges import LoadedMerges, distinct
from core.pipeline import Pipeline
from core.progress import Progress
from core.recording import Recording
from core.trainer import Score, TrainerConfig

MERGES_PER_SLICE = 1 << 14
TOKENS_PER_SLICE = 1 << 12

NumberedMerge = tuple[int, int, int]
"""The ids of the left and the right part and of the token that a merge makes."""


@dataclass(frozen=True)
class Model:
    """What a file says. `tokens` are all of its vocabulary by id, special ones too.

    `marker_text` "" is the marker's usual one.
    """

    tokens: Mapping[int, Token]
    merges: Sequence[NumberedMerge] | LoadedMerges
    base: Base = Base.BYTES
    marker: Marker = Marker.NONE
    marker_text: str = ""
    pipeline: Pipeline = field(default_factory=Pipeline)
    unknown: Unknown = Unknown.KEEP
    unknown_token: str | None = None
    score: Score = Score.FREQUENCY
    rules: EncodingRules = field(default_factory=EncodingRules)
    added_tokens: tuple[AddedToken, ...] = ()
    decoder: Decoder | None = None


def assembled(model: Model, imported: Imported) -> Generator[Progress, None, Recording]:
    """The recording, with facts on what is unusual about it added to those of `imported`.

    The alphabet is the special tokens and the tokens that are a single byte or character. Raises FormatError for
    settings that contradict each other. All ids of merges must be among the tokens: readers, who know the place in the
    file, say so if they are not.
    """
    merges = yield from _columns(model.merges)
    made = merges.made_tokens(max(model.tokens, default=0))
    base, others = dict[int, Token](), dict[int, Token]()
    for number, token_id in enumerate(sorted(model.tokens)):
        token = model.tokens[token_id]
        is_base = token.special or (not made[token_id] and is_unit(token, model.base))
        (base if is_base else others)[token_id] = token
        if number % TOKENS_PER_SLICE == 0:
            yield Progress(number, len(model.tokens))
    recording = Recording(
        Alphabet(model.base, model.marker, base, model.unknown),
        _config(model, base, imported.file),
        model.pipeline,
        vocabulary=others,
        rules=model.rules,
        added_tokens=model.added_tokens,
        decoder=model.decoder,
    )
    recording.load(merges)
    yield Progress(len(others), len(model.tokens))
    recording.imported = Imported(
        imported.format,
        imported.file,
        (*imported.facts, *facts_about(recording)),
        imported.not_applied,
        imported.document,
    )
    return recording


def _columns(merges: Sequence[NumberedMerge] | LoadedMerges) -> Generator[Progress, None, LoadedMerges]:
    if isinstance(merges, LoadedMerges):
        return merges
    columns = np.empty((3, len(merges)), np.int32)
    for first in range(0, len(merges), MERGES_PER_SLICE):
        columns[:, first : first + MERGES_PER_SLICE] = np.array(merges[first : first + MERGES_PER_SLICE]).T
        yield Progress(first, len(merges))
    return LoadedMerges(*columns)


def is_unit(token: Token, base: Base) -> bool:
    """Whether a token is what words are spelled with before anything is merged."""
    if token.is_fallback or (not token.content and token.ends_word):
        return True
    if base is Base.BYTES:
        return len(token.content) == 1
    try:
        return len(token.content.decode()) == 1
    except UnicodeDecodeError:
        return False


def _config(model: Model, base: Mapping[int, Token], file: str) -> TrainerConfig:
    is_trainable = model.base is Base.CHARACTERS or not model.marker.changes_symbols
    try:
        return TrainerConfig(
            base=model.base,
            marker=model.marker if is_trainable else Marker.NONE,
            byte_order=byte_order(base.values()) if model.base is Base.BYTES else ByteOrder.STAND_IN,
            special_tokens=tuple(token.content.decode() for token in base.values() if token.special),
            unknown_token=model.unknown_token,
            unknown=model.unknown,
            marker_text=model.marker_text or model.marker.text,
            score=model.score,
        )
    except ConfigError as error:
        raise FormatError(f"{file}: {error}") from None


def byte_order(tokens: Iterable[Token]) -> ByteOrder:
    values = [token.content for token in tokens if len(token.content) == 1 and not token.special]
    return ByteOrder.VALUE if values == sorted(values) else ByteOrder.STAND_IN


def facts_about(recording: Recording) -> tuple[str, ...]:
    """What is unusual about the merges and ids of a recording, in sentences."""
    facts = list[str]()
    merges = recording.loaded or LoadedMerges.of(recording)
    pairs, tokens = distinct(merges.pairs()), sum(merges.made_tokens(0))
    if twice := len(recording) - pairs:
        facts.append(f"{_counted(twice, 'merge is', 'merges are')} listed again for a pair that has one already.")
    if more := pairs - tokens:
        facts.append(f"{_counted(more, 'merge makes', 'merges make')} a token that another merge makes too.")
    if orphans := len(recording.orphans):
        facts.append(f"{_counted(orphans, 'token has', 'tokens have')} no merge.")
    if not recording.is_monotone and not twice and not more:
        facts.append(
            "The merges are not in the order in which they were learned: some come before those of their parts."
        )
    if recording.rules.whole_pieces:
        facts.append("A word that is a token as it stands is taken whole, before any merge.")
    if holes := holes_in(recording, merges):
        verb = "stands" if holes.missing == 1 else "stand"
        facts.append(f"{_counted(holes.missing, 'id', 'ids')} below {holes.end:,} {verb} for no token.")
    return tuple(facts)


class Holes(NamedTuple):
    """How many ids below `end`, which is behind the last one, stand for no token."""

    missing: int
    end: int


def holes_in(recording: Recording, merges: LoadedMerges) -> Holes | None:
    known = [merges.token_ids.astype(np.int64)]
    for tokens in (recording.alphabet.tokens, recording.vocabulary):
        known.append(np.fromiter(tokens, np.int64, len(tokens)))
    end = max(int(ids.max(initial=-1)) for ids in known) + 1
    is_token = np.zeros(end, bool)
    for ids in known:
        is_token[ids] = True
    count = end - int(np.count_nonzero(is_token))
    return Holes(count, end) if count else None


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
