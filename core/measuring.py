"""Takes the measures of the corpus that a recording was trained on, at any step, from the merges' own numbers.

Nothing is encoded anew: what a merge does to the count of every token is written on it. A Tally is that for any text,
so that a held-out one is measured in the same way.
"""

from array import array
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice

from core.alphabet import Alphabet, Token
from core.measures import ALPHA, Measures, Spread, check_alpha, entropy_of_sum, entropy_term
from core.merge import UNKNOWN, Merge
from core.progress import Progress
from core.recording import Recording

MERGES_PER_PROGRESS = 2_000
"""About 5 ms of work."""


@dataclass(frozen=True)
class Tally:
    """All that measuring a text takes, for every step up to `last_step`.

    `base_counts` is each base symbol's number of occurrences at step 0, `whole_words` the number of words that are one
    symbol then. `applied` and `completed` are those of the merges, by rank, but in this text.
    """

    word_count: int
    byte_count: int
    character_count: int
    whole_words: int
    base_counts: Mapping[int, int]
    applied: Sequence[int] = field(repr=False)
    completed: Sequence[int] = field(repr=False)

    @property
    def last_step(self) -> int:
        return len(self.applied)

    @cached_property
    def token_counts(self) -> Sequence[int]:
        """Tokens of the text by step."""
        start = sum(self.base_counts.values())
        return list(accumulate(self.applied, lambda length, applied: length - applied, initial=start))

    @cached_property
    def whole_word_counts(self) -> Sequence[int]:
        """Words that are one token, by step."""
        return list(accumulate(self.completed, initial=self.whole_words))

    def measures(self, recording: Recording, step: int, spread: Spread | None = None) -> Measures:
        """Those that are sums, in no time; without `spread` those that need it are None."""
        return Measures(
            step,
            recording.vocab_size(step),
            self.word_count,
            self.byte_count,
            self.character_count,
            self.token_counts[step],
            self.base_counts.get(UNKNOWN, 0),
            self.whole_word_counts[step],
            spread,
        )


def corpus_tally(recording: Recording) -> Tally:
    """Of the words trained on, up to the last merge there is now; all 0 for a recording without counts."""
    merges = list(recording)
    size = recording.size
    return Tally(
        size.words,
        size.byte_count,
        size.characters,
        size.whole_words,
        recording.base_counts,
        [merge.applied for merge in merges],
        [merge.completed for merge in merges],
    )


def sums_at(recording: Recording, step: int, spread: Spread | None = None) -> Measures:
    """Those measures of the corpus that are sums, in no time: for a curve that is drawn while merges arrive.

    Without `spread`, as a SpreadHistory has it, the measures that need it are None.
    """
    return Measures(
        step,
        recording.vocab_size(step),
        recording.word_total,
        recording.corpus_bytes,
        recording.corpus_characters,
        recording.corpus_length(step),
        recording.base_counts.get(UNKNOWN, 0),
        recording.words_kept_whole(step),
        spread,
    )


def measures_at(recording: Recording, step: int, alpha: float = ALPHA) -> Measures:
    """All measures of the corpus after `step` merges; those of an empty text for a recording without counts.

    Raises ConfigError for an order `alpha` of the Rényi efficiency that cannot be computed.
    """
    return measure(recording, corpus_tally(recording), step, alpha)


def measure(recording: Recording, tally: Tally, step: int, alpha: float = ALPHA) -> Measures:
    """All measures of one step, counted directly."""
    check_alpha(alpha)
    counts = occurrences(recording, tally, step)
    types = {token_id for token_id, _ in types_at(recording, step)}
    used = [counts[token_id] for token_id in types if counts.get(token_id)]
    terms = sum(entropy_term(count, alpha) for count in counts.values())
    entropy = entropy_of_sum(terms, sum(counts.values()), alpha)
    return tally.measures(recording, step, Spread(len(types), len(used), used.count(1), entropy, alpha))


def measures_along(
    recording: Recording, tally: Tally, steps: Iterable[int], alpha: float = ALPHA
) -> Generator[Progress, None, list[Measures]]:
    """All measures at each of `steps`, in ascending order, in one pass over the merges.

    A merge changes the count of three tokens, so its work is the same whatever the size of the vocabulary; everything
    is kept in whole numbers, so nothing drifts. 100,000 merges take 0.2 s.
    """
    check_alpha(alpha)
    counter, found, done = _SpreadCounter(recording.alphabet, tally.base_counts, alpha), list[Measures](), 0
    wanted = sorted(set(steps))
    for step in wanted:
        while done < step:
            counter.apply(recording[done], tally.applied[done])
            done += 1
            if done % MERGES_PER_PROGRESS == 0:
                yield Progress(done, wanted[-1])
        found.append(tally.measures(recording, step, counter.spread(tally.token_counts[step])))
    return found


def occurrences(recording: Recording, tally: Tally, step: int) -> dict[int, int]:
    """How often each token stands in the text after `step` merges, by id; 0 for some that do not."""
    counts = dict(tally.base_counts)
    for merge, applied in zip(islice(recording, step), tally.applied, strict=False):  # recordings grow
        if applied:
            counts[merge.left] -= applied
            counts[merge.right] -= applied
            counts[merge.token_id] = counts.get(merge.token_id, 0) + applied
    return counts


def types_at(recording: Recording, step: int) -> Iterable[tuple[int, Token]]:
    """(id, token) of what a text can be cut into after `step` merges: the vocabulary without special tokens."""
    alphabet = recording.alphabet
    tokens = {i: token for i, token in alphabet.tokens.items() if alphabet.is_in_words(i)}
    tokens.update((merge.token_id, recording.token(merge.token_id)) for merge in islice(recording, step))
    return tokens.items()


class SpreadHistory:
    """The Spread of a text at every step so far: it grows behind the recording, and any step is there in no time.

    `base_counts` and `applied` are those of a Tally; without `applied` the merges' own numbers are taken, which are the
    corpus's. A merge takes 10 us and 32 bytes. Raises ConfigError as measures_at does.
    """

    def __init__(
        self,
        recording: Recording,
        base_counts: Mapping[int, int],
        alpha: float = ALPHA,
        applied: Sequence[int] | None = None,
    ) -> None:
        check_alpha(alpha)
        self._recording = recording
        self._applied = applied
        self._alpha = alpha
        self._counter = _SpreadCounter(recording.alphabet, base_counts, alpha)
        self._token_count = sum(base_counts.values())
        self._type_counts, self._used, self._once = array("q"), array("q"), array("q")
        self._entropies = array("d")
        self._note()

    @property
    def alpha(self) -> float:
        return self._alpha

    @property
    def last_step(self) -> int:
        return len(self._entropies) - 1

    @property
    def is_complete(self) -> bool:
        """Whether it has come to the end of the recording, or of the tally."""
        return self.last_step >= self._end

    def advance(self, merges: int) -> None:
        """Take in up to so many of the merges that it does not know."""
        for rank in range(self.last_step, min(self.last_step + merges, self._end)):
            merge = self._recording[rank]
            applied = merge.applied if self._applied is None else self._applied[rank]
            self._counter.apply(merge, applied)
            self._token_count -= applied
            self._note()

    def at(self, step: int) -> Spread | None:
        """None for a step that it has not come to."""
        if not 0 <= step <= self.last_step:
            return None
        return Spread(self._type_counts[step], self._used[step], self._once[step], self._entropies[step], self._alpha)

    @property
    def _end(self) -> int:
        return len(self._recording if self._applied is None else self._applied)

    def _note(self) -> None:
        spread = self._counter.spread(self._token_count)
        self._type_counts.append(spread.type_count)
        self._used.append(spread.used)
        self._once.append(spread.once)
        self._entropies.append(spread.entropy)


class _SpreadCounter:
    """The Spread of a text, kept up to date merge by merge."""

    def __init__(self, alphabet: Alphabet, base_counts: Mapping[int, int], alpha: float) -> None:
        self._alpha = alpha
        self._types = {i for i in alphabet.tokens if alphabet.is_in_words(i)}
        self._counts: dict[int, int] = {}
        self._terms = entropy_term(base_counts.get(UNKNOWN, 0), alpha)
        self._used = self._once = 0
        for token_id, count in base_counts.items():
            if token_id != UNKNOWN:
                self._change(token_id, count)

    def apply(self, merge: Merge, applied: int) -> None:
        """The merge was made in `applied` places."""
        self._types.add(merge.token_id)
        if applied:
            for token_id, change in ((merge.left, -applied), (merge.right, -applied), (merge.token_id, applied)):
                self._change(token_id, change)

    def spread(self, token_count: int) -> Spread:
        entropy = entropy_of_sum(self._terms, token_count, self._alpha)
        return Spread(len(self._types), self._used, self._once, entropy, self._alpha)

    def _change(self, token_id: int, change: int) -> None:
        old = self._counts.get(token_id, 0)
        new = self._counts[token_id] = old + change
        self._used += (new > 0) - (old > 0)
        self._once += (new == 1) - (old == 1)
        self._terms += entropy_term(new, self._alpha) - entropy_term(old, self._alpha)
