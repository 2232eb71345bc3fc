"""The one source of truth: the merges in rank order, with the settings and the corpus they came from.

A recording only grows at its end, so whatever is shown is a function of (recording, step): step k means that the
first k merges apply, step 0 is the base alphabet. A run that was stopped early is a complete recording.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from core.alphabet import Alphabet, Token
from core.corpus import Corpus, Pipeline
from core.merge import Merge, Pair
from core.trainer import StopReason, TrainerConfig


@dataclass
class Recording:
    """`word_counts` and `corpus` are empty in a recording read from a file; `base_counts` is each base symbol's
    number of occurrences in the corpus at step 0."""

    alphabet: Alphabet
    config: TrainerConfig = field(default_factory=TrainerConfig)
    pipeline: Pipeline = field(default_factory=Pipeline)
    corpus: Corpus | None = None
    word_counts: Mapping[str, int] = field(default_factory=dict)
    base_counts: Mapping[int, int] = field(default_factory=dict)
    stop_reason: StopReason | None = None

    def __post_init__(self) -> None:
        self._merges: list[Merge] = []
        self._tokens: dict[int, Token] = dict(self.alphabet.tokens)
        self._rank_of_pair: dict[Pair, int] = {}
        self._rank_of_token: dict[int, int] = {}
        self._ranks_of_changes: dict[int, list[int]] = {}  # by token id, the merges that make it or use it up
        self._corpus_lengths = [sum(self.base_counts.values())]

    def __len__(self) -> int:
        """Number of merges, which is also the last step."""
        return len(self._merges)

    def __getitem__(self, rank: int) -> Merge:
        return self._merges[rank]

    def __iter__(self) -> Iterator[Merge]:
        return iter(self._merges)

    def append(self, merge: Merge) -> None:
        """Add the next merge. Raises ValueError if its rank is not the next one."""
        if merge.rank != len(self._merges):
            raise ValueError(f"expected the merge of rank {len(self._merges)}, got that of rank {merge.rank}")
        self._merges.append(merge)
        self._tokens[merge.token_id] = self._tokens[merge.left] + self._tokens[merge.right]
        self._rank_of_pair[merge.pair] = merge.rank
        self._rank_of_token.setdefault(merge.token_id, merge.rank)
        for token_id in {merge.left, merge.right, merge.token_id}:
            self._ranks_of_changes.setdefault(token_id, []).append(merge.rank)
        self._corpus_lengths.append(self._corpus_lengths[-1] - merge.applied)

    def extend(self, merges: Iterable[Merge]) -> None:
        for merge in merges:
            self.append(merge)

    @property
    def has_counts(self) -> bool:
        """Whether the merges carry counts: false for a recording read from a tokenizer file."""
        return bool(self.base_counts)

    @property
    def merges_wanted(self) -> int | None:
        """How many merges the settings ask for at most; None if training goes on until no pair is left."""
        return self.config.merge_limit(len(self.alphabet.tokens))

    def can_go_on(self, corpus: Corpus, pipeline: Pipeline, config: TrainerConfig) -> bool:
        """Whether training on `corpus` with these settings would make the merges that are here, and then more."""
        same = self.corpus is corpus and self.pipeline == pipeline and self.config.learns_like(config)
        return same and len(self) > 0 and self.stop_reason is not StopReason.NO_PAIR

    def token(self, token_id: int) -> Token:
        """What an id stands for. Raises KeyError for an id that no token has."""
        return self._tokens[token_id]

    def rank_of(self, pair: Pair) -> int | None:
        """Rank of the merge that joins `pair`, or None."""
        return self._rank_of_pair.get(pair)

    def rank_of_token(self, token_id: int) -> int | None:
        """Rank of the first merge that makes the token; None for a base symbol or special token."""
        return self._rank_of_token.get(token_id)

    def parts_of(self, token_id: int) -> Pair | None:
        """The two tokens that the token was merged from; None for a base symbol or special token."""
        rank = self._rank_of_token.get(token_id)
        return None if rank is None else self._merges[rank].pair

    def tokens_at(self, step: int) -> Iterator[tuple[int, Token]]:
        """(id, token) of the vocabulary after `step` merges: special tokens and base symbols first."""
        yield from self.alphabet.tokens.items()
        for merge in self._merges[:step]:
            yield merge.token_id, self._tokens[merge.token_id]

    def vocab_size(self, step: int) -> int:
        return len(self.alphabet.tokens) + step

    def corpus_length(self, step: int) -> int:
        """Number of tokens the corpus has after `step` merges."""
        return self._corpus_lengths[step]

    def token_count(self, token_id: int, step: int) -> int:
        """How often the token stands in the corpus after `step` merges, from the merges' own numbers."""
        count = self.base_counts.get(token_id, 0)
        for rank in self._ranks_of_changes.get(token_id, ()):
            if rank >= step:
                break
            merge = self._merges[rank]
            if merge.token_id == token_id:
                count += merge.applied
            count -= merge.applied * ((merge.left == token_id) + (merge.right == token_id))
        return count
