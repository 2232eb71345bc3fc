"""What if another rule had chosen? Finds the first merge at which two rules part, and says why each takes its pair."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.alphabet import Alphabet
from core.branching import Beginning, Candidate, as_far_as, pair_label
from core.merge import Merge, Pair
from core.merge_table import score_text
from core.pipeline import Pipeline
from core.progress import Progress
from core.recording import Recording
from core.trainer import Plan, Score, StopReason, TieBreak, TrainerConfig
from core.trainers import AnyTrainer, trainer_for
from core.vocab import token_label

MERGES_PER_PROGRESS = 50
MAX_TIED_KEPT = 200
MAX_TIED_NAMED = 8

RULE_NAMES: dict[TieBreak | Score, str] = {
    TieBreak.IDS: "smallest ids",
    TieBreak.BYTES: "smallest bytes",
    TieBreak.FIRST_SEEN: "first in the text",
    TieBreak.LEXICOGRAPHIC: "alphabetical",
    TieBreak.REVERSE_LEXICOGRAPHIC: "reverse alphabetical",
    TieBreak.SHORT_THEN_STRING: "shortest first",
    Score.FREQUENCY: "most frequent pair",
    Score.WORDPIECE: "WordPiece score",
}


@dataclass(frozen=True)
class Side:
    """One of the two rules at the step where they part.

    `tied` are the first of the `tied_total` pairs that share its top score, in the order in which it takes them.
    `stop_reason` is set where it takes none.
    """

    rule: str
    reason: str
    tied: tuple[Candidate, ...] = ()
    tied_total: int = 0
    stop_reason: StopReason | None = None

    @property
    def taken(self) -> Candidate | None:
        return self.tied[0] if self.tied else None


@dataclass(frozen=True)
class Difference:
    """The two rules make the same merges, which `before` holds; then, at `rank`, they part."""

    before: Recording
    rank: int
    sides: tuple[Side, Side]


@dataclass(frozen=True)
class Agreement:
    """Both rules make the same merges, so many, and end for the same reason."""

    merges: int
    stop_reason: StopReason


def rule_name(config: TrainerConfig, other: TrainerConfig | None = None) -> str:
    """`smallest ids`; where the score is another one than in `other`, the score as well."""
    tie = RULE_NAMES[config.tie_break]
    if other is None or config.score is other.score:
        return tie
    return f"{RULE_NAMES[config.score]}, ties: {tie}"


def with_rules_of(recording: Recording, rules: TrainerConfig, words: Mapping[str, int]) -> Beginning:
    """The run of the recording once more, with the score and the tie rule of `rules`."""
    stop = as_far_as(recording, len(recording.plan.given))
    config = replace(stop, tie_break=rules.tie_break, score=rules.score)
    about = f"With another rule: {rule_name(rules, recording.config)}"
    return Beginning(recording.alphabet, config, recording.plan, about, recording.added_tokens, recording.decoder)


def first_difference(
    word_counts: Mapping[str, int],
    config_a: TrainerConfig,
    config_b: TrainerConfig,
    alphabet: Alphabet,
    plan: Plan | None = None,
) -> Generator[Progress, None, Difference | Agreement]:
    """Train under both rules side by side until they take different pairs; progress is in merges.

    The two configs should differ in tie rule and score only. Of the total of merges, 0 means that nobody knows it.
    """
    both = trainer_for(word_counts, config_a, alphabet, plan), trainer_for(word_counts, config_b, alphabet, plan)
    total = config_a.merge_limit(len(alphabet.tokens)) or 0
    try:
        for trainer in both:
            for _ in trainer.count_pairs():
                yield Progress(0, total)
        return (yield from _lockstep(both, (config_a, config_b), total))
    finally:
        for trainer in both:
            trainer.clear()


def _lockstep(
    both: tuple[AnyTrainer, AnyTrainer], configs: tuple[TrainerConfig, TrainerConfig], total: int
) -> Generator[Progress, None, Difference | Agreement]:
    agreed, runs = list[Merge](), [trainer.merges(in_step=True) for trainer in both]
    while True:
        if len(agreed) >= len(both[0].plan.given):
            turns = both[0].next_turn(), both[1].next_turn()
            if turns[0] != turns[1]:
                return _difference(both, configs, turns, agreed)
            if isinstance(turns[0], StopReason):
                return Agreement(len(agreed), turns[0])
        merge, _ = [next(run) for run in runs]
        agreed.append(merge)
        if len(agreed) % MERGES_PER_PROGRESS == 0:
            yield Progress(len(agreed), total)


def against(
    recording: Recording, rules: TrainerConfig, merges: int
) -> Generator[Progress, None, Difference | Agreement]:
    """Where the first so many merges of a recording part from those that the rules of another config would make."""
    mine = replace(recording.config, merges=merges, vocab_size=None, stop_token="")
    theirs = replace(mine, tie_break=rules.tie_break, score=rules.score)
    return first_difference(recording.word_counts, mine, theirs, recording.alphabet, recording.plan)


def _difference(
    both: tuple[AnyTrainer, AnyTrainer],
    configs: tuple[TrainerConfig, TrainerConfig],
    turns: tuple[Pair | StopReason, Pair | StopReason],
    agreed: list[Merge],
) -> Difference | Agreement:
    if isinstance(turns[0], StopReason) and isinstance(turns[1], StopReason):
        return Agreement(len(agreed), turns[0])
    made = Recording.of(both[0], configs[0], Pipeline())
    made.extend(agreed)
    names = rule_name(*configs), rule_name(configs[1], configs[0])
    sides = [
        _Corner(trainer, config, made, name).side(mine, theirs)
        for trainer, config, name, mine, theirs in zip(both, configs, names, turns, reversed(turns), strict=True)
    ]
    return Difference(made, len(agreed), (sides[0], sides[1]))


@dataclass(frozen=True)
class _Corner:
    """One trainer, standing before the merge at which it parts from the other one."""

    trainer: AnyTrainer
    config: TrainerConfig
    made: Recording
    name: str

    def side(self, mine: Pair | StopReason, theirs: Pair | StopReason) -> Side:
        if isinstance(mine, StopReason):
            return Side(self.name, f"It ends before this step: {mine}.", stop_reason=mine)
        tied = self.trainer.tied_pairs(mine)
        candidates = tuple(map(self._candidate, tied[:MAX_TIED_KEPT]))
        rival = None if isinstance(theirs, StopReason) else self._candidate(theirs)
        return Side(self.name, self._reason(candidates[0], rival), candidates, len(tied))

    def _candidate(self, pair: Pair) -> Candidate:
        return Candidate(pair, self.trainer.count_of(pair), self.trainer.score_of(pair))

    def _reason(self, mine: Candidate, rival: Candidate | None) -> str:
        if rival is None:
            return f"{pair_label(self.made, mine.pair)} stands in the corpus {_times(mine.count)}."
        if not self.trainer.is_tied(mine.pair, rival.pair):
            return _better(rival, pair_label(self.made, rival.pair), self.config)
        return _TIE_REASONS[self.config.tie_break](mine, rival, self.made)


def _better(rival: Candidate, name: str, config: TrainerConfig) -> str:
    if rival.score is None:
        return f"{name} stands in the corpus only {_times(rival.count)}."
    if rival.count < config.min_frequency:
        return f"{name} is passed over: it is rarer than the minimum frequency {config.min_frequency:,}."
    return f"The score of {name} is lower, {score_text(rival.score)}; it stands there {_times(rival.count)}."


def _by_ids(mine: Candidate, rival: Candidate, made: Recording) -> str:
    return _by_parts(mine, rival, int, "id {0:,} is smaller than id {1:,}", int)


def _by_bytes(mine: Candidate, rival: Candidate, made: Recording) -> str:
    def byte(token_id: int) -> int | None:
        content = made.token(token_id).content
        return content[0] if token_id in made.alphabet.tokens and len(content) == 1 else None

    def key(token_id: int) -> int:
        value = byte(token_id)
        return 256 + token_id if value is None else value

    def named(token_id: int) -> str:
        value, label = byte(token_id), token_label(made, token_id)
        return f"{label} with id {token_id:,}" if value is None else f"byte {value:02X} ({label})"

    return _by_parts(mine, rival, key, "{0} comes before {1}", named)


def _by_place(mine: Candidate, rival: Candidate, made: Recording) -> str:
    return f"{pair_label(made, mine.pair)} stands earlier in the corpus than {pair_label(made, rival.pair)}."


def _by_string(mine: Candidate, rival: Candidate, made: Recording) -> str:
    sentence = "“{0}” comes before “{1}” in the order of characters"
    return _by_parts(mine, rival, _speller(made), sentence, _labeller(made))


def _by_reverse(mine: Candidate, rival: Candidate, made: Recording) -> str:
    sentence = "“{0}” comes behind “{1}” in the order of characters, and the last one is taken"
    return _by_parts(mine, rival, _speller(made), sentence, _labeller(made))


def _by_length(mine: Candidate, rival: Candidate, made: Recording) -> str:
    mine_text, rival_text = (_merged(made, candidate.pair) for candidate in (mine, rival))
    mine_name, rival_name = (pair_label(made, candidate.pair) for candidate in (mine, rival))
    if len(mine_text) != len(rival_text):
        lengths = f"{len(mine_text):,} against {len(rival_text):,} characters"
        return f"{mine_name} makes a shorter token than {rival_name}: {lengths}."
    if mine_text == rival_text:
        return _SAME
    return f"{mine_name} makes a token as long as {rival_name} does, and one earlier in the order of characters."


_SAME = "Both pairs are the same to this rule, so the one with the smaller ids is taken."


def _by_parts(
    mine: Candidate, rival: Candidate, key: Callable[[int], Any], sentence: str, named: Callable[[int], Any]
) -> str:
    """The sentence about the side on which the two pairs differ first."""
    for side, token_id, other in zip(("left", "right"), mine.pair, rival.pair, strict=True):
        if key(token_id) != key(other):
            return f"On the {side}, {sentence.format(named(token_id), named(other))}."
    return _SAME


def _speller(made: Recording) -> Callable[[int], bytes]:
    return lambda token_id: made.token(token_id).text(made.config.marker_text)


def _labeller(made: Recording) -> Callable[[int], str]:
    return lambda token_id: token_label(made, token_id)


def _merged(made: Recording, pair: Pair) -> str:
    merged = made.token(pair[0]) + made.token(pair[1])
    return merged.text(made.config.marker_text).decode(errors="surrogateescape")


_TIE_REASONS = {
    TieBreak.IDS: _by_ids,
    TieBreak.BYTES: _by_bytes,
    TieBreak.FIRST_SEEN: _by_place,
    TieBreak.LEXICOGRAPHIC: _by_string,
    TieBreak.REVERSE_LEXICOGRAPHIC: _by_reverse,
    TieBreak.SHORT_THEN_STRING: _by_length,
}


def describe(result: Difference | Agreement) -> str:
    """The result in plain words, a few lines."""
    if isinstance(result, Agreement):
        merges = "no merge" if not result.merges else f"the same {_merges(result.merges)}"
        return f"Both rules make {merges}. Then training ends: {result.stop_reason}."
    before = f"Both rules make the same {_merges(result.rank)}. They" if result.rank else "The two rules"
    lines = [f"{before} part at step {result.rank + 1:,}:"]
    for side in result.sides:
        lines += ["", *_side_lines(side, result.before)]
    return "\n".join(lines)


def _side_lines(side: Side, before: Recording) -> list[str]:
    if side.taken is None:
        return [f"{side.rule}: {side.reason}"]
    lines = [f"{side.rule}: takes {pair_label(before, side.taken.pair)}, {times_text(side.taken)}. {side.reason}"]
    if side.tied_total > 1:
        named = ", ".join(f"{pair_label(before, tied.pair)} ({tied.count:,})" for tied in side.tied[:MAX_TIED_NAMED])
        more = f" and {side.tied_total - MAX_TIED_NAMED:,} more" if side.tied_total > MAX_TIED_NAMED else ""
        lines.append(f"    Tied, in its order: {named}{more}.")
    return lines


def times_text(candidate: Candidate) -> str:
    """`9 times`, `9 times, score 0.125`"""
    times = _times(candidate.count)
    return times if candidate.score is None else f"{times}, score {score_text(candidate.score)}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _merges(count: int) -> str:
    return f"{count:,} {'merge' if count == 1 else 'merges'}"
