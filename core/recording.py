"""The one source of truth: the merges in rank order, with the settings and the corpus they came from.

A recording only grows at its end, so whatever is shown is a function of (recording, step): step k means that the
first k merges apply, step 0 is the base alphabet. A run that was stopped early is a complete recording.
"""

from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.added_tokens import AddedToken, AddedTokens
from core.alphabet import Alphabet, Token, Unknown
from core.corpus import Corpus
from core.decoders import Decoder
from core.encoding_rules import Encoder, EncodingRules
from core.imported import Imported
from core.loaded_merges import LoadedMerges, TokenTable
from core.merge import UNKNOWN, Merge, Pair
from core.merge_index import MergeIndex
from core.pipeline import Pipeline
from core.progress import without_progress
from core.trainer import CorpusSize, Plan, StopReason, TrainerConfig, build_alphabet
from core.trainers import AnyTrainer, trainer_for
from core.utf8 import utf8
from core.whole_pieces import WholePieces, merges_to_itself
from core.word_counts import corpus_words_counted

if TYPE_CHECKING:
    from core.compiled_merges import CompiledMerges


@dataclass
class Recording:
    """`word_counts` and `corpus` are empty in a recording read from a file; `base_counts` is each base symbol's
    number of occurrences in the corpus at step 0, UNKNOWN's is that of characters the alphabet lacks.

    `vocabulary` names tokens before a merge makes them, which a list of merges out of order needs, and tokens that no
    merge makes. `rules` are how the tool that the tokens are made for encodes; `added_tokens`, if there are any, are
    looked for in texts in place of the alphabet's special tokens. `imported` is what is known of the file it was read
    from.
    """

    alphabet: Alphabet
    config: TrainerConfig = field(default_factory=TrainerConfig)
    pipeline: Pipeline = field(default_factory=Pipeline)
    corpus: Corpus | None = None
    word_counts: Mapping[str, int] = field(default_factory=dict)
    base_counts: Mapping[int, int] = field(default_factory=dict)
    stop_reason: StopReason | None = None
    size: CorpusSize = field(default_factory=CorpusSize)
    plan: Plan = field(default_factory=Plan)
    vocabulary: Mapping[int, Token] = field(default_factory=dict)
    rules: EncodingRules = field(default_factory=EncodingRules)
    added_tokens: tuple[AddedToken, ...] = ()
    imported: Imported | None = None
    decoder: Decoder | None = None

    def __post_init__(self) -> None:
        self._merges: list[Merge] | LoadedMerges = []
        self._tokens = TokenTable(self.alphabet.tokens, self.vocabulary)
        self._ranks_of_changes: dict[int, list[int]] = {}  # by token id, the merges that make it or use it up
        self._changes_noted = 0  # of so many merges
        self._noting = Lock()  # counts are asked for on threads of their own too
        self._corpus_lengths = [sum(self.base_counts.values())]
        self._whole_words = [self.size.whole_words]
        self._vocab_sizes = [len(self.alphabet.tokens)]
        self._is_monotone = True

    @classmethod
    def of(
        cls, trainer: AnyTrainer, config: TrainerConfig, pipeline: Pipeline, corpus: Corpus | None = None
    ) -> "Recording":
        """An empty recording for the merges of a trainer that has counted its pairs."""
        return cls(
            trainer.alphabet,
            config,
            pipeline,
            corpus,
            trainer.word_counts,
            dict(trainer.symbol_counts),
            size=trainer.size,
            plan=trainer.plan,
        )

    def load(self, merges: LoadedMerges, is_regular: bool | None = None) -> None:
        """Take merges without counts that were read from a file: as `extend`, but at once. There must be none yet.

        `is_regular`, if known, spares to find it out; `vocabulary` must have every token.
        """
        assert not len(self._merges), "what is loaded comes first"
        base = np.fromiter(self.alphabet.tokens, np.int32, len(self.alphabet.tokens))
        self._is_monotone = bool(is_regular) or merges.is_monotone(base)
        if is_regular is not None:
            self.is_regular = is_regular
        self._merges = merges
        self._corpus_lengths *= len(merges) + 1
        self._whole_words *= len(merges) + 1
        if self._is_monotone:
            self._vocab_sizes = list(range(len(base), len(base) + len(merges) + 1))
        else:
            self._vocab_sizes = [len(base), *(len(base) + np.cumsum(merges.makes_new_tokens(base))).tolist()]

    @property
    def loaded(self) -> LoadedMerges | None:
        """The arrays of a recording that was read from a file and has not grown."""
        return self._merges if isinstance(self._merges, LoadedMerges) else None

    @cached_property
    def _rank_of_pair(self) -> dict[Pair, int]:
        return self._merges.ranks_of_pairs() if isinstance(self._merges, LoadedMerges) else {}

    @cached_property
    def _rank_of_token(self) -> dict[int, int]:
        return self._merges.ranks_of_tokens() if isinstance(self._merges, LoadedMerges) else {}

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
        if isinstance(self._merges, LoadedMerges):
            _ = self._rank_of_pair, self._rank_of_token
            self._merges = list(self._merges)
            self.__dict__.pop("is_regular", None)
        left, right, token_id, rank = merge.left, merge.right, merge.token_id, merge.rank
        tokens, ranks, base = self._tokens, self._rank_of_token, self.alphabet.tokens
        is_new = token_id not in ranks and token_id not in base
        if self._is_monotone:
            parts_are_there = (left in ranks or left in base) and (right in ranks or right in base)
            self._is_monotone = is_new and parts_are_there and (left, right) not in self._rank_of_pair
        self._merges.append(merge)
        if token_id not in tokens and token_id not in self.vocabulary:
            tokens[token_id] = tokens[left] + tokens[right]
        self._rank_of_pair[left, right] = rank
        ranks.setdefault(token_id, rank)
        self._corpus_lengths.append(self._corpus_lengths[-1] - merge.applied)
        self._whole_words.append(self._whole_words[-1] + merge.completed)
        self._vocab_sizes.append(self._vocab_sizes[-1] + is_new)

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

    @property
    def is_monotone(self) -> bool:
        """Whether every merge makes a new token from tokens that are there already, as training does.

        Only then does one rank per boundary tell a word's whole history, and do all encoders by rank agree.
        """
        return self._is_monotone

    @cached_property
    def is_regular(self) -> bool:
        """Whether every token, as a word of its own, is merged to itself, as training makes them, and the merges are
        monotone: then merge ranks, token ranks and words taken whole all give the same tokens. Of a complete recording.

        It may be False where that was not found out: it is for models that were read.
        """
        return self._is_monotone and self.imported is not None and merges_to_itself(self)

    @property
    def has_histories(self) -> bool:
        """Whether one rank for each boundary of a word tells what the model makes of it at all steps."""
        rules = self.rules
        is_plain = rules.encoder is not Encoder.TOKEN_RANK and not rules.whole_pieces
        if rules.encoder is Encoder.LONGEST_MATCH:
            return False
        return self._is_monotone and rules.is_by_rank and (is_plain or self.is_regular)

    @property
    def word_total(self) -> int:
        """Words of the corpus, each as often as it occurs."""
        return self.size.words

    @property
    def corpus_bytes(self) -> int:
        """UTF-8 bytes of all words."""
        return self.size.byte_count

    @property
    def corpus_characters(self) -> int:
        return self.size.characters

    @property
    def whole_words(self) -> int:
        """Words that are one base symbol at step 0."""
        return self.size.whole_words

    def words_kept_whole(self, step: int) -> int:
        """Words that are one token after `step` merges, each as often as it occurs."""
        return self._whole_words[step]

    @property
    def unknown_id(self) -> int:
        """The id written for a character the alphabet lacks; UNKNOWN if it is to be left as it is."""
        token = self.config.unknown_token
        if token is None or self.alphabet.unknown in (Unknown.KEEP, Unknown.DROP):
            return UNKNOWN
        return self.alphabet.special_ids.get(token, UNKNOWN)

    def can_go_on(self, corpus: Corpus, pipeline: Pipeline, config: TrainerConfig) -> bool:
        """Whether training on `corpus` with these settings would make the merges that are here, and then more."""
        if self.imported is not None and not self.imported.is_recording:
            return False
        same = corpus.is_that_of(self.corpus) and self.pipeline == pipeline and self.config.learns_like(config)
        return same and len(self) > 0 and self.stop_reason is not StopReason.NO_PAIR

    def token(self, token_id: int) -> Token:
        """What an id stands for. Raises KeyError for an id that no token has."""
        return self._tokens[token_id]

    def rank_of(self, pair: Pair) -> int | None:
        """Rank of the merge that joins `pair`, or None."""
        if isinstance(self._merges, LoadedMerges):
            return self._merges.rank_of(pair)
        return self._rank_of_pair.get(pair)

    @cached_property
    def index(self) -> MergeIndex:
        """For encoders that ask for more than the rank of a pair."""
        return MergeIndex(self)

    @property
    def looked_for(self) -> tuple[AddedToken, ...]:
        """Special tokens and others that texts are searched for before they are cut into words."""
        if self.added_tokens or self.rules.specials_are_text:
            return self.added_tokens
        return tuple(AddedToken(*special) for special in self.alphabet.special_ids.items())

    @cached_property
    def orphans(self) -> Mapping[int, int]:
        """Tokens that are neither in the alphabet nor made by a merge, and the first step at which each is there: as
        soon as all merges apply that make tokens of lower id. Of a complete recording."""
        if self.loaded and self._is_monotone and len(self.vocabulary) == len(self._merges):
            return {}  # the most usual, and quick to see
        if self.loaded:
            ids = np.fromiter(self.vocabulary, np.int64, len(self.vocabulary))
            base = np.fromiter(self.alphabet.tokens, np.int64, len(self.alphabet.tokens))
            return self.loaded.orphans(ids[~np.isin(ids, base)])
        if not self.vocabulary.keys() - self._rank_of_token.keys():
            return {}
        latest, steps = 0, dict[int, int]()
        for token_id in sorted({*self._rank_of_token, *self.vocabulary} - self.alphabet.tokens.keys()):
            rank = self._rank_of_token.get(token_id)
            latest = latest if rank is None else max(latest, rank + 1)
            if rank is None:
                steps[token_id] = latest
        return steps

    @cached_property
    def matched(self) -> "Matched":
        """What is looked for in texts."""
        tokens = self.looked_for
        late = [self._as_normalized(token) for token in tokens if token.normalized]
        return Matched(AddedTokens([token for token in tokens if not token.normalized]), AddedTokens(late))

    def _as_normalized(self, token: AddedToken) -> AddedToken:
        is_spelled = token.as_spelled or not self.pipeline.normalizer
        return token if is_spelled else replace(token, content=self.pipeline.normalizer.normalize(token.content))

    @cached_property
    def normalized_spellings(self) -> dict[int, str]:
        """What Hugging Face decodes added tokens to that it looks for in the normalized text, by id."""
        return {token.token_id: self._as_normalized(token).content for token in self.looked_for if token.normalized}

    def whole_piece(self, word: str, step: int) -> int | None:
        """Id of the token that the word is as it stands after `step` merges; None without `rules.whole_pieces`."""
        return self.whole_piece_of(utf8(word), step)

    def whole_piece_of(self, content: bytes, step: int) -> int | None:
        """The same of a word in bytes."""
        return self._whole_pieces.at(content, step) if self.rules.whole_pieces else None

    def tokens_as_words(self, step: int) -> dict[bytes, int]:
        """The tokens that are there after `step` merges, by the words that they are as they stand."""
        return self._whole_pieces.up_to(step)

    @cached_property
    def _whole_pieces(self) -> WholePieces:
        return WholePieces(self)

    @cached_property
    def compiled_merges(self) -> "CompiledMerges":
        """For compiled loops, which this compiles or loads: see kernel_loader.py."""
        from core.compiled_merges import CompiledMerges

        return CompiledMerges(self)

    def rank_of_token(self, token_id: int) -> int | None:
        """Rank of the first merge that makes the token; None for a base symbol or special token."""
        if isinstance(self._merges, LoadedMerges):
            return self._merges.rank_of_token(token_id)
        return self._rank_of_token.get(token_id)

    @property
    def first_ranks(self) -> Mapping[int, int]:
        """`rank_of_token` of all tokens that merges make."""
        return self._rank_of_token

    def parts_of(self, token_id: int) -> Pair | None:
        """The two tokens that the token was merged from; None for a base symbol or special token."""
        rank = self.rank_of_token(token_id)
        return None if rank is None else self._merges[rank].pair

    def tokens_at(self, step: int) -> Iterator[tuple[int, Token]]:
        """(id, token) of the vocabulary after `step` merges: special tokens and base symbols, then what merges make,
        then orphans."""
        base = self.alphabet.tokens
        yield from base.items()
        for merge in islice(self._merges, step):
            if self._is_monotone or (merge.token_id not in base and self._rank_of_token[merge.token_id] == merge.rank):
                yield merge.token_id, self._tokens[merge.token_id]
        for token_id, first_step in self.orphans.items() if self.vocabulary else ():
            if first_step <= step:
                yield token_id, self._tokens[token_id]

    def vocab_size(self, step: int) -> int:
        orphans = bisect_right(tuple(self.orphans.values()), step) if self.vocabulary else 0
        return self._vocab_sizes[step] + orphans

    def corpus_length(self, step: int) -> int:
        """Number of tokens the corpus has after `step` merges."""
        return self._corpus_lengths[step]

    def token_count(self, token_id: int, step: int) -> int:
        """How often the token stands in the corpus after `step` merges, from the merges' own numbers."""
        self._note_changes()
        count = self.base_counts.get(token_id, 0)
        for rank in self._ranks_of_changes.get(token_id, ()):
            if rank >= step:
                break
            merge = self._merges[rank]
            if merge.token_id == token_id:
                count += merge.applied
            count -= merge.applied * ((merge.left == token_id) + (merge.right == token_id))
        return count

    def _note_changes(self) -> None:
        with self._noting:
            while self._changes_noted < len(self._merges):
                merge = self._merges[self._changes_noted]
                for token_id in {merge.left, merge.right, merge.token_id}:
                    self._ranks_of_changes.setdefault(token_id, []).append(merge.rank)
                self._changes_noted += 1


class Matched(NamedTuple):
    """The tokens that are looked for in a text as it is, and those in what is left, once it is normalized."""

    first: AddedTokens
    then: AddedTokens


def record(
    corpus: Corpus,
    pipeline: Pipeline | None = None,
    config: TrainerConfig | None = None,
    alphabet: Alphabet | None = None,
    plan: Plan | None = None,
) -> Recording:
    """A whole training run, without its progress. Raises PatternError as PreTokenizer.words does."""
    pipeline, config = pipeline or Pipeline(), config or TrainerConfig()
    words = without_progress(corpus_words_counted(corpus, pipeline)).counts
    trainer = trainer_for(words, config, alphabet or build_alphabet(words, config), plan)
    without_progress(trainer.count_pairs())
    recording = Recording.of(trainer, config, pipeline, corpus)
    recording.stop_reason = without_progress(_appended(recording, trainer))
    return recording


def _appended(recording: Recording, trainer: AnyTrainer) -> Generator[Merge, None, StopReason]:
    merges = trainer.merges()
    while True:
        try:
            recording.append(next(merges))
        except StopIteration as stop:
            reason: StopReason = stop.value
            return reason
        yield recording[-1]
