"""Makes a recording of tokens by rank, as tiktoken and tools that are built on it keep their vocabularies."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.added_tokens import AddedToken
from core.alphabet import Token
from core.encoding_rules import Encoder, EncodingRules
from core.errors import FormatError
from core.formats.rank_file import Ranks
from core.formats.spelled import Settings, empty_recording
from core.imported import Imported
from core.loaded_merges import LoadedMerges, PackedTokens
from core.merge_recovery import BYTES, recovered_packed
from core.packed_words import Numbers
from core.progress import Progress
from core.recording import Recording

TOKENS_PER_SLICE = 512
NO_TOKEN = 1 << 40


class RankMerges(NamedTuple):
    """The merges that tokens by rank were made by, and the ids of the tokens that no merge makes.

    `has_twice`: some token stands there twice, and then nothing else of this counts. `is_by_any_way`: some tokens are
    made of ones of higher rank.
    """

    merges: LoadedMerges
    orphans: Numbers
    has_twice: bool
    is_by_any_way: bool = False
    is_regular: bool | None = None
    """As of a recording; None if it is not known."""

    @property
    def rules(self) -> EncodingRules:
        """Without orphans all ways of merging agree. With them only tiktoken's own is right."""
        is_plain = len(self.orphans) == 0 and not self.is_by_any_way
        return EncodingRules() if is_plain else EncodingRules(Encoder.TOKEN_RANK, whole_pieces=True)


@dataclass(frozen=True)
class RankModel:
    """What a file says; `ranks` has the ids of tokens for ranks. `others` are tokens by id that are no bytes of texts:
    special ones, and those that are only looked for."""

    ranks: Ranks
    recovered: RankMerges
    others: Mapping[int, Token]
    settings: Settings
    added_tokens: tuple[AddedToken, ...] = ()
    specials_are_text: bool = False


def check_bytes(ranks: Ranks, file: str) -> None:
    """Raises FormatError if one of the 256 bytes is no token: texts that hold it could not be encoded."""
    is_there = np.zeros(BYTES, bool)
    is_there[ranks.data[ranks.offsets[:-1][ranks.lengths == 1]]] = True
    if missing := np.flatnonzero(~is_there).tolist():
        raise FormatError(f"{file}: {len(missing)} of the 256 bytes have no rank, such as {missing[0]:02X}.")


def merges_of(ranks: Ranks) -> Generator[Progress, None, RankMerges]:
    """Recover the merges; `check_bytes` has passed.

    tiktoken joins any neighbours that spell a token. So it makes all tokens that fall into two parts, and may come to
    others by way of tokens of higher rank: if that is so of any, all merges are looked for in that way, which is slow.
    """
    is_long = ranks.lengths > 1
    parts = yield from recovered_packed(*ranks.packed(is_long))
    ids = ranks.ranks[is_long]
    numbers = np.concatenate([_byte_ids(ranks), ids]).astype(np.int32)
    is_merge = parts.counts == 2
    orphans = ids[parts.counts > 2]
    merges = LoadedMerges(numbers[parts.lefts[is_merge]], numbers[parts.rights[is_merge]], ids[is_merge])
    long = ranks.tokens(is_long) if len(orphans) else []
    has_twice = (
        bool((parts.counts == 1).any())  # what a merge has made falls into one part when it comes again
        or len(set(long)) < len(long)
        or len(ranks) - len(ids) > BYTES + bool((ranks.lengths == 0).any())
    )
    if has_twice or not len(orphans):
        return RankMerges(merges, orphans, has_twice, is_regular=True)
    ids_of = dict(zip(ranks.tokens(), ranks.ranks.tolist(), strict=True))
    if all(made_of(token, ids_of) is None for token, count in zip(long, parts.counts, strict=True) if count > 2):
        return RankMerges(merges, orphans, has_twice)
    return (yield from _merges_by_any_way(long, ids_of))


def _merges_by_any_way(tokens: list[bytes], ids_of: Mapping[bytes, int]) -> Generator[Progress, None, RankMerges]:
    merges, orphans = list[tuple[int, int, int]](), list[int]()
    for place, token in enumerate(tokens):
        if pair := made_of(token, ids_of):
            merges.append((ids_of[pair[0]], ids_of[pair[1]], ids_of[token]))
        else:
            orphans.append(ids_of[token])
        if place % TOKENS_PER_SLICE == 0:
            yield Progress(place, len(tokens))
    columns = np.array(merges, np.int32).reshape(-1, 3).T
    return RankMerges(LoadedMerges(*columns), np.array(orphans, np.int64), has_twice=False, is_by_any_way=True)


def made_of(token: bytes, ids_of: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """The two tokens that tiktoken joins last when it makes this one, if it does: always the lowest id next, the
    leftmost among equals."""
    parts = [token[i : i + 1] for i in range(len(token))]
    while True:
        ids = [ids_of.get(left + right, NO_TOKEN) for left, right in pairwise(parts)]
        if not ids or (lowest := min(ids)) == NO_TOKEN:
            return None
        if len(ids) == 1:
            return parts[0], parts[1]
        place = ids.index(lowest)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def recording_of(model: RankModel, imported: Imported) -> Recording:
    """The recording, with facts on what is unusual about it added to those of `imported`."""
    ranks = model.ranks
    is_byte = ranks.lengths == 1
    ids, places = ranks.ranks[is_byte], ranks.offsets[:-1][is_byte]
    base = {i: Token(bytes([value])) for i, value in zip(ids.tolist(), ranks.data[places].tolist(), strict=True)}
    special = {i: token for i, token in model.others.items() if token.special}
    recording = empty_recording(base | special, model.settings, imported.file)
    recording = replace(
        recording,
        vocabulary=_vocabulary(model),
        rules=replace(model.recovered.rules, specials_are_text=model.specials_are_text),
        added_tokens=model.added_tokens,
        imported=replace(imported, facts=(*imported.facts, *_facts(model))),
    )
    recording.load(model.recovered.merges, model.recovered.is_regular)
    return recording


def _vocabulary(model: RankModel) -> Mapping[int, Token]:
    ranks, is_byte = model.ranks, model.ranks.lengths == 1
    kept = np.repeat(~is_byte, ranks.lengths)
    lengths = ranks.lengths[~is_byte]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    packed = PackedTokens(ranks.ranks[~is_byte].astype(np.int32), ranks.data[kept].tobytes(), offsets)
    others = {i: token for i, token in model.others.items() if not token.special}
    return {**packed, **others} if others else packed


def _facts(model: RankModel) -> Iterator[str]:
    ranks, orphans = model.ranks, len(model.recovered.orphans)
    if orphans:
        yield f"{_counted(orphans, 'token has', 'tokens have')} no merge: only words that are such a token hold it."
    if model.recovered.is_by_any_way:
        yield "Some tokens are made of tokens of higher rank: no training has made these ranks."
    for token_id in ranks.ranks[ranks.lengths == 0].tolist():
        yield f"The token {token_id} is empty: no text holds it."
    last = max([*model.others, *ranks.ranks[-1:].tolist()], default=-1)
    if holes := last + 1 - len(ranks) - len(model.others):
        yield f"{_counted(holes, 'id', 'ids')} below {last + 1:,} {'stands' if holes == 1 else 'stand'} for no token."


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _byte_ids(ranks: Ranks) -> Numbers:
    ids, is_byte = np.zeros(BYTES, np.int64), ranks.lengths == 1
    ids[ranks.data[ranks.offsets[:-1][is_byte]]] = ranks.ranks[is_byte]
    return ids
