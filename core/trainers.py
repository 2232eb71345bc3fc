"""Chooses between the plain trainer and the compiled one; both make the same merges."""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from core import kernel_loader
from core.alphabet import Alphabet, Marker
from core.merge import UNKNOWN, Merge
from core.packed_words import PackedWords
from core.trainer import Plan, Trainer
from core.trainer_config import Score, StopReason, TrainerConfig, build_alphabet

if TYPE_CHECKING:
    from core.compiled_trainer import CompiledTrainer

AnyTrainer: TypeAlias = "Trainer | CompiledTrainer"

LARGEST_ID = 2**31 - 1
LARGEST_TOTAL = 2**62
LARGEST_CORPUS = 2**32 - 2**20
"""Bytes of unique words, with two more for each: their places in the compiled trainer have 32 bits."""


def trainer_for(
    word_counts: Mapping[str, int], config: TrainerConfig, alphabet: Alphabet, plan: Plan | None = None
) -> AnyTrainer:
    """The fastest trainer there is for this run now; never waits for anything to be compiled."""
    if kernel_loader.are_ready() and can_be_compiled(word_counts, config, alphabet, plan or Plan()):
        from core.compiled_trainer import CompiledTrainer

        return CompiledTrainer(word_counts, config, alphabet, plan)
    return Trainer(word_counts, config, alphabet, plan)


def train(
    word_counts: Mapping[str, int],
    config: TrainerConfig,
    alphabet: Alphabet | None = None,
    plan: Plan | None = None,
) -> Generator[Merge, None, StopReason]:
    """Yield the merges of `word_counts` in rank order; the generator returns why it stopped.

    >>> from core.alphabet import Base
    >>> [(m.left, m.right, m.count) for m in train({"aaaa": 1}, TrainerConfig(base=Base.CHARACTERS))]
    [(0, 0, 3), (1, 1, 1)]
    """
    trainer = trainer_for(word_counts, config, alphabet or build_alphabet(word_counts, config), plan)
    for _ in trainer.count_pairs():
        pass
    return (yield from trainer.merges())


def can_be_compiled(word_counts: Mapping[str, int], config: TrainerConfig, alphabet: Alphabet, plan: Plan) -> bool:
    """False for WordPiece's score, given merges out of order, ids over 31 bits, totals over 62, and 4 GB of words."""
    lacks_marker = alphabet.marker is Marker.SYMBOL and alphabet.id_of(b"", ends_word=True) == UNKNOWN
    return (
        config.score is Score.FREQUENCY
        and not lacks_marker
        and all(0 <= token_id <= LARGEST_ID for token_id in alphabet.tokens)
        and _makes_new_tokens(alphabet, plan)
        and _can_be_counted(word_counts)
    )


def _makes_new_tokens(alphabet: Alphabet, plan: Plan) -> bool:
    """Whether every given merge joins two tokens that are there, and may be joined, to one that is not."""
    inner = {i for i, token in alphabet.tokens.items() if not (token.ends_word or token.is_fallback)}
    final = {i for i, token in alphabet.tokens.items() if token.ends_word}
    pairs = set[tuple[int, int]]()
    for merge in plan.given:
        is_new = merge.pair not in pairs and merge.token_id not in alphabet.tokens
        if not is_new or merge.left not in inner or not (merge.right in inner or merge.right in final):
            return False
        if merge.token_id in inner or merge.token_id in final or not 0 <= merge.token_id <= LARGEST_ID:
            return False
        pairs.add(merge.pair)
        (final if merge.right in final else inner).add(merge.token_id)
    return True


def _can_be_counted(word_counts: Mapping[str, int]) -> bool:
    if not word_counts:
        return True
    if isinstance(word_counts, PackedWords):
        counts, longest = word_counts.counts, int(np.diff(word_counts.offsets).max())
        size = int(word_counts.offsets[-1])
    else:
        longest = 4 * max(map(len, word_counts))
        size = 4 * sum(map(len, word_counts))
        try:
            counts = np.fromiter(word_counts.values(), np.int64, len(word_counts))
        except OverflowError:
            return False
    is_small_enough = float(counts.sum(dtype=np.float64)) * (longest + 1) < LARGEST_TOTAL
    return bool(is_small_enough and counts.min() > 0 and size + 2 * len(counts) < LARGEST_CORPUS)
