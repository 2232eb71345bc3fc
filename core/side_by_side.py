"""Two encoders over the same phrase, word beside word; and which encoder the users of a recording's kind expect."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.encode_compare import Difference, compare
from core.encode_steps import Phrase
from core.encoding_rules import ENCODER_TITLES, Encoder
from core.recording import Recording
from core.round_trip import RoundTrip
from core.trainer_config import Score
from core.word_steps import WordSteps


@dataclass(frozen=True, slots=True)
class WordPair:
    """The same word under two encoders; `difference` is None where both cut it alike."""

    first: WordSteps
    second: WordSteps
    difference: Difference | None


def side_by_side(first: Phrase, second: Phrase) -> tuple[WordPair, ...]:
    """The words of a phrase that was encoded twice. Empty if one of the two could not be cut."""
    if first.problem or second.problem:
        return ()
    words = zip(first.words, second.words, strict=True)
    return tuple(WordPair(ours, theirs, compare(ours, theirs)) for ours, theirs in words)


def comparison_title(pairs: Sequence[WordPair]) -> str:
    """`2 of 5 words differ`, or that none does."""
    differing = sum(pair.difference is not None for pair in pairs)
    if not differing:
        return "the same in this word" if len(pairs) == 1 else f"the same in all {len(pairs):,} words"
    if len(pairs) == 1:
        return "the word differs"
    return f"{differing:,} of {len(pairs):,} words {'differs' if differing == 1 else 'differ'}"


def encoder_name(encoder: Encoder, has_dropout: bool = False) -> str:
    """`Merge rank with dropout`"""
    return f"{ENCODER_TITLES[encoder]} with dropout" if has_dropout else ENCODER_TITLES[encoder]


def usual_encoder(recording: Recording) -> Encoder:
    """What the libraries do that tokens of this kind are made for."""
    return Encoder.LONGEST_MATCH if recording.config.score is Score.WORDPIECE else recording.rules.encoder


def encoder_advice(recording: Recording, encoder: Encoder) -> str:
    """Why another encoder would be expected here, "" if this one will do."""
    usual = usual_encoder(recording)
    if encoder is usual:
        return ""
    if usual is Encoder.LONGEST_MATCH:
        return "These tokens were scored as in WordPiece: BERT and its kin encode with the longest match."
    title = ENCODER_TITLES[usual]
    return (
        f"The tool that this tokenizer is made for encodes by another rule: {title.lower()}."
        if recording.imported
        else ""
    )


def worst(trips: Iterable[RoundTrip]) -> RoundTrip:
    """One that does not come back, if there is any."""
    return min(trips, key=lambda trip: trip.is_equal)
