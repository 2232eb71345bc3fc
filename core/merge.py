"""The vocabulary of the algorithm: a pair of token ids, and the merge that replaces it by one new token."""

from typing import NamedTuple

Pair = tuple[int, int]

UNKNOWN = -1
"""The id of a base symbol that the alphabet does not hold. It never takes part in a pair."""


class Merge(NamedTuple):
    """One step of training: `left` and `right`, standing side by side, become the token `token_id`.

    `rank` is the place of the merge in the training order, from 0; it is not the token id. `count` is how often the
    pair stood in the corpus when it was chosen, overlapping places counted (`aaaa` holds `a a` three times);
    `applied` is how many replacements were made (`aaaa` becomes `aa aa`: two); `tied` is how many pairs, this one
    included, shared its score; `completed` is how many words of the corpus became one token by it. The four are 0 in
    a recording that was read from a file without counts. `score` is WordPiece's, None where the count is the score.
    """

    rank: int
    left: int
    right: int
    token_id: int
    count: int = 0  # type: ignore[assignment]  # tuple.count, which nobody needs of a merge
    applied: int = 0
    tied: int = 0
    completed: int = 0
    score: float | None = None

    @property
    def pair(self) -> Pair:
        return self.left, self.right
