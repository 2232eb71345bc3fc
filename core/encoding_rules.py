"""How tools turn a word into tokens, by name, and which of these ways a model is meant for."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class Encoder(StrEnum):
    """Which tokens a word becomes under a list of merges."""

    MERGE_RANK = "merge-rank"
    TOKEN_RANK = "token-rank"
    ALL_AT_ONCE = "all-at-once"
    LIST_ORDER = "list-order"
    LONGEST_MATCH = "longest-match"


ENCODER_TITLES = {
    Encoder.MERGE_RANK: "Merge rank",
    Encoder.TOKEN_RANK: "Token rank",
    Encoder.ALL_AT_ONCE: "All places at once",
    Encoder.LIST_ORDER: "List order",
    Encoder.LONGEST_MATCH: "Longest match",
}
ENCODER_HELPS = {
    Encoder.MERGE_RANK: (
        "The merge learned first goes first, the leftmost among equals, one at a time. "
        "Used by Hugging Face and most tokenizers of language models."
    ),
    Encoder.TOKEN_RANK: (
        "Any two neighbours that spell a token may join; the token learned first goes first, the leftmost among "
        "equals. Used by tiktoken (GPT-4) and SentencePiece (Llama 2)."
    ),
    Encoder.ALL_AT_ONCE: (
        "The merge learned first goes first, at all its places in the word at once. "
        "Used by subword-nmt and by GPT-2's first program."
    ),
    Encoder.LIST_ORDER: (
        "Every merge once, in the order learned, at all its places. The plain loop of many textbooks and lessons."
    ),
    Encoder.LONGEST_MATCH: (
        "From the left, always the longest token that the rest of the word begins with; the order of the merges does "
        "not count. Used by WordPiece (BERT)."
    ),
}


@dataclass(frozen=True)
class EncodingRules:
    """How the tool that a model is made for encodes a word.

    `whole_pieces`: a word that is a token as it stands becomes that token, whatever the merges make of it (tiktoken,
    Hugging Face `ignore_merges`).

    The others are SentencePiece's. `tied` are the ranks of merges that are as good as the one before: the leftmost goes
    first. `unused` are the ids of tokens that fall into their parts again when all is merged. `specials_are_text`:
    special tokens are never looked for in texts.
    """

    encoder: Encoder = Encoder.MERGE_RANK
    whole_pieces: bool = False
    tied: frozenset[int] = frozenset()
    unused: frozenset[int] = frozenset()
    specials_are_text: bool = False

    @property
    def is_by_rank(self) -> bool:
        """Whether the ranks of merges, all different, say what a word becomes."""
        return not (self.tied or self.unused)

    def first_of_equals(self, rank: int) -> int:
        """The rank that counts in place of this one."""
        return self._firsts.get(rank, rank)

    @cached_property
    def _firsts(self) -> dict[int, int]:
        firsts = dict[int, int]()
        for rank in sorted(self.tied):
            firsts[rank] = firsts.get(rank - 1, rank - 1)
        return firsts
