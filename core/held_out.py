"""Measures of a text that the tokenizer was not trained on: its words are encoded once, for all steps.

Special tokens in the text are text, as in training.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass

from core import kernel_loader
from core.alphabet import utf8
from core.measures import ALPHA, Measures
from core.measuring import MERGES_PER_PROGRESS, SpreadHistory, Tally, measure, measures_along
from core.pipeline import count_words
from core.progress import Progress
from core.recording import Recording
from core.tokenizer import Tokenizer, merge_ranks

COMPILED_WORDS = 200
"""Different words from which on the compiled loops are worth their preparation: 5 ms in plain Python."""
SYMBOLS_PER_PROGRESS = 4_000
"""About 10 ms of work."""


def held_out(recording: Recording, text: str, step: int, alpha: float = ALPHA) -> Generator[Progress, None, Measures]:
    """All measures of `text` after the first `step` merges.

    Progress is first in characters, then in different words. Raises PatternError as count_words does, ConfigError as
    measures_at does.
    """
    words = yield from count_words(text, recording.pipeline)
    tally = yield from held_out_tally(recording, words.counts, step)
    return measure(recording, tally, step, alpha)


def held_out_along(
    recording: Recording, text: str, steps: Iterable[int], alpha: float = ALPHA
) -> Generator[Progress, None, list[Measures]]:
    """All measures of `text` at each of `steps`, in ascending order; progress and errors as held_out.

    Every step costs a new encoding where words have no histories (see Recording.has_histories).
    """
    words = yield from count_words(text, recording.pipeline)
    wanted = sorted(set(steps))
    if recording.has_histories or not wanted:
        tally = yield from _tally_of_all_steps(recording, words.counts)
        return (yield from measures_along(recording, tally, wanted, alpha))
    found = list[Measures]()
    for step in wanted:
        tally = yield from _tally_of_one_step(recording, words.counts, step)
        found.append(measure(recording, tally, step, alpha))
    return found


@dataclass(frozen=True)
class Encoded:
    """A text that was encoded with a recording, with all its measures at any of `steps`, in no time.

    These are all the steps there were, or a single one where the merges are not those of a training run.
    """

    recording: Recording
    tally: Tally
    spreads: SpreadHistory
    steps: range

    def at(self, step: int) -> Measures | None:
        """None for a step that it was not encoded for."""
        return self.tally.measures(self.recording, step, self.spreads.at(step)) if step in self.steps else None

    def with_alpha(self, alpha: float) -> Generator[Progress, None, "Encoded"]:
        """The same with another order of the Rényi entropy, without encoding anew."""
        return _encoded(self.recording, self.tally, self.steps, alpha)


def encoded(
    recording: Recording, word_counts: Mapping[str, int], step: int, alpha: float = ALPHA
) -> Generator[Progress, None, Encoded]:
    """Encode these words for all steps, or for `step` where each costs a new encoding; errors as held_out."""
    tally = yield from held_out_tally(recording, word_counts, step)
    steps = range(tally.last_step + 1) if recording.has_histories else range(step, step + 1)
    return (yield from _encoded(recording, tally, steps, alpha))


def _encoded(recording: Recording, tally: Tally, steps: range, alpha: float) -> Generator[Progress, None, Encoded]:
    spreads = SpreadHistory(recording, tally.base_counts, alpha, tally.applied)
    while not spreads.is_complete:
        spreads.advance(MERGES_PER_PROGRESS)
        yield Progress(spreads.last_step, tally.last_step)
    return Encoded(recording, tally, spreads, steps)


def held_out_tally(recording: Recording, word_counts: Mapping[str, int], step: int) -> Generator[Progress, None, Tally]:
    """What measuring these words takes at `step`, and at all other steps where the recording has histories."""
    if recording.has_histories:
        return (yield from _tally_of_all_steps(recording, word_counts))
    return (yield from _tally_of_one_step(recording, word_counts, step))


def _tally_of_all_steps(recording: Recording, word_counts: Mapping[str, int]) -> Generator[Progress, None, Tally]:
    if len(word_counts) >= COMPILED_WORDS and kernel_loader.are_ready():
        from core.compiled_encoder import can_follow
        from core.compiled_tally import compiled_tally, packed_for_tally

        if can_follow(recording) and (words := packed_for_tally(word_counts)):
            return (yield from compiled_tally(recording, words))
    return (yield from _plain_tally_of_all_steps(recording, word_counts))


def _plain_tally_of_all_steps(recording: Recording, word_counts: Mapping[str, int]) -> Generator[Progress, None, Tally]:
    """A merge removes a boundary of a word, and it is gone for good: so the ranks at which the boundaries of all words
    go are how often each merge applies, and the last of them is the merge that completes its word."""
    last_step = len(recording)
    base_counts, whole_words = Counter[int](), 0
    applied, completed = [0] * last_step, [0] * last_step
    reported = symbols_done = 0
    for done, (word, count) in enumerate(word_counts.items(), 1):
        symbols = recording.alphabet.symbols_of(word)
        for symbol in symbols:
            base_counts[symbol] += count
        tokens = len(symbols)
        whole_words += count * (tokens == 1)
        for rank, _ in merge_ranks(recording, symbols, last_step):
            applied[rank] += count
            tokens -= 1
            if tokens == 1:
                completed[rank] += count
        symbols_done += len(symbols)
        if symbols_done > reported + SYMBOLS_PER_PROGRESS:
            reported = symbols_done
            yield Progress(done, len(word_counts))
    return _tally(word_counts, base_counts, whole_words, applied, completed)


def _tally_of_one_step(
    recording: Recording, word_counts: Mapping[str, int], step: int
) -> Generator[Progress, None, Tally]:
    """The tokens at `step` stand in place of the base symbols, and no merge does anything to them."""
    tokenizer = Tokenizer(recording, step)
    counts, whole_words = Counter[int](), 0
    reported = symbols_done = 0
    for done, (word, count) in enumerate(word_counts.items(), 1):
        pieces = tokenizer.pieces(word)
        for piece in pieces:
            counts[piece.token_id] += count
        whole_words += count * (len(pieces) == 1)
        symbols_done += len(word)
        if symbols_done > reported + SYMBOLS_PER_PROGRESS:
            reported = symbols_done
            yield Progress(done, len(word_counts))
    idle = [0] * len(recording)
    return _tally(word_counts, counts, whole_words, idle, idle)


def _tally(
    word_counts: Mapping[str, int],
    base_counts: Mapping[int, int],
    whole_words: int,
    applied: list[int],
    completed: list[int],
) -> Tally:
    return Tally(
        sum(word_counts.values()),
        sum(count * len(utf8(word)) for word, count in word_counts.items()),
        sum(count * len(word) for word, count in word_counts.items()),
        whole_words,
        base_counts,
        applied,
        completed,
    )
