"""What the measures of a tokenizer mean: a text in numbers at one step, each measure's formula, and how it is shown.

The counting is done by measuring.py for the corpus trained on, and by held_out.py for any other text.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from math import ldexp, log2

from core.errors import ConfigError

ALPHA = 2.5
"""Order of the Rényi entropy that agreed best with translation quality (Zouhar et al. 2023)."""
MAX_ALPHA = 10.0
"""Up to here no power of a 64-bit count is too large for a float."""
NO_VALUE = "–"
_FRACTION_BITS = 52


@dataclass(frozen=True, slots=True)
class Spread:
    """How the tokens of a text are spread over the vocabulary.

    `type_count` is the size of the vocabulary without special tokens, which no text is cut into; one that is spelled
    like a base symbol is a base symbol too and counts. `used` of them occur in the text, `once` exactly once.
    `entropy` is the Rényi entropy of order `alpha` in bits, 0 for an empty text; unknown tokens are one type in it.
    """

    type_count: int
    used: int
    once: int
    entropy: float
    alpha: float = ALPHA


@dataclass(frozen=True, slots=True)
class Measures:
    """A text at one step, counted, and what follows from the counts.

    The text is its words, as the pre-tokenizer cut them: what the normalizer and the pre-tokenizer drop has no bytes
    here, nor has a marker. `unknown_count` of the tokens are unknown; `whole_words` of the words are a single token. A
    measure is None where it is not defined, as for an empty text; `spread` is None where it was not asked for.
    """

    step: int
    vocab_size: int
    word_count: int
    byte_count: int
    character_count: int
    token_count: int
    unknown_count: int
    whole_words: int
    spread: Spread | None = None

    @property
    def compression_ratio(self) -> float | None:
        """8 · bytes / (tokens · ⌈log2 |V|⌉): bits of the UTF-8 text over bits of its ids, all of the same width.

        An id has at least one bit, also where the vocabulary is a single token.
        """
        return _ratio(8 * self.byte_count, self.token_count * bits_per_id(self.vocab_size))

    @property
    def bytes_per_token(self) -> float | None:
        """UTF-8 bytes / tokens."""
        return _ratio(self.byte_count, self.token_count)

    @property
    def characters_per_token(self) -> float | None:
        """Code points / tokens."""
        return _ratio(self.character_count, self.token_count)

    @property
    def fertility(self) -> float | None:
        """Tokens / words (Rust et al. 2021, "How Good is Your Tokenizer?"), words being those of the pre-tokenizer."""
        return _ratio(self.token_count, self.word_count)

    @property
    def whole_word_share(self) -> float | None:
        """Words that are one token, marker included / words: 1 - "proportion of continued words" of Rust et al."""
        return _ratio(self.whole_words, self.word_count)

    @property
    def unknown_rate(self) -> float | None:
        """Unknown tokens / tokens. A character that vanishes, or is spelled in fallback bytes, is no unknown token."""
        return _ratio(self.unknown_count, self.token_count)

    @property
    def used_share(self) -> float | None:
        """Types that occur in the text / types, see Spread."""
        return _ratio(self.spread.used, self.spread.type_count) if self.spread and self.token_count else None

    @property
    def once_share(self) -> float | None:
        """Types that occur exactly once / types."""
        return _ratio(self.spread.once, self.spread.type_count) if self.spread and self.token_count else None

    @property
    def never_share(self) -> float | None:
        """Types that do not occur / types."""
        if self.spread is None or not self.token_count:
            return None
        return _ratio(self.spread.type_count - self.spread.used, self.spread.type_count)

    @property
    def renyi_efficiency(self) -> float | None:
        """H_α(p) / log2 |V|, from 0 to 1 (Zouhar et al. 2023, "Tokenization and the Noiseless Channel").

        p is the share of each token in the text, H_α(p) = log2(Σ p^α) / (1 - α), for α = 1 Shannon's -Σ p log2 p. |V|
        is the whole vocabulary, unused and special tokens included; the authors' tokenization-scorer takes the tokens
        that occur unless it is told otherwise. Where more occurs than it holds, unknown characters without an id being
        one thing more, that number takes its place.
        """
        if self.spread is None or not self.token_count:
            return None
        size = max(self.vocab_size, self.spread.used + bool(self.unknown_count))
        return self.spread.entropy / log2(size) if size > 1 else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def bits_per_id(vocab_size: int) -> int:
    """⌈log2 |V|⌉, but at least 1.

    >>> [bits_per_id(size) for size in (1, 2, 3, 256, 257)]
    [1, 1, 2, 8, 9]
    """
    return max((vocab_size - 1).bit_length(), 1)


def renyi_entropy(counts: Iterable[int], alpha: float = ALPHA) -> float:
    """Entropy, in bits, of things that occur so often; 0 if nothing does.

    >>> renyi_entropy([1, 1, 1, 1])
    2.0
    """
    occurring = [count for count in counts if count]
    return entropy_of_sum(sum(entropy_term(count, alpha) for count in occurring), sum(occurring), alpha)


def entropy_term(count: int, alpha: float) -> int:
    """What a token that occurs `count` times adds to the sum under the entropy: c^α, or c · log2 c for α = 1.

    In units of 2^-52, in which every float of 1 or more is a whole number: terms can be added and taken away for
    100,000 merges, and the sum is still exactly that of its terms.
    """
    if not count:
        return 0
    return int(ldexp(count * log2(count) if alpha == 1 else count**alpha, _FRACTION_BITS))


def entropy_of_sum(terms: int, total: int, alpha: float) -> float:
    """The entropy, in bits, that a sum of `entropy_term`s of `total` tokens stands for."""
    if not total:
        return 0.0
    if alpha == 1:
        entropy = log2(total) - terms / (total << _FRACTION_BITS)
    else:
        entropy = (log2(terms) - _FRACTION_BITS - alpha * log2(total)) / (1 - alpha)
    return max(entropy, 0.0)  # not -1e-16


def check_alpha(alpha: float) -> None:
    """Raises ConfigError for an order of the Rényi entropy that cannot be computed."""
    if not 0 <= alpha <= MAX_ALPHA:
        raise ConfigError(f"The order α of the Rényi efficiency must be from 0 to {MAX_ALPHA:g}, but is {alpha:g}.")


class Shown(Enum):
    """How a value is written for a person."""

    COUNT = "{:,.0f}"
    DECIMAL = "{:,.2f}"
    FINE = "{:.3f}"
    SHARE = "{:.1%}"


@dataclass(frozen=True)
class Measure:
    """A measure as a panel and the command line name it; `name` is its attribute of Measures.

    `needs_spread`: it depends on the count of every token, the others on a few sums.
    """

    name: str
    title: str
    help: str
    unit: str
    shown: Shown
    needs_spread: bool = False

    def value(self, measures: Measures) -> float | None:
        value: float | None = getattr(measures, self.name)
        return value

    def text(self, measures: Measures) -> str:
        """`1,234`, `4.07`, `12.3%`, or `–` where there is no value."""
        value = self.value(measures)
        return NO_VALUE if value is None else self.shown.value.format(value)


MEASURES: tuple[Measure, ...] = (
    Measure("token_count", "Tokens", "How many tokens the text is cut into.", "tokens", Shown.COUNT),
    Measure(
        "vocab_size",
        "Vocabulary size",
        "Special tokens, base symbols, and a token for every merge so far.",
        "tokens",
        Shown.COUNT,
    ),
    Measure(
        "compression_ratio",
        "Compression ratio",
        "How many times smaller the text is as token ids than as UTF-8, when every id takes the same number of bits.",
        "UTF-8 bits per id bit",
        Shown.DECIMAL,
    ),
    Measure(
        "bytes_per_token",
        "Bytes per token",
        "How many bytes of UTF-8 a token stands for on average. More is shorter; Chinese has 3 bytes a character.",
        "bytes",
        Shown.DECIMAL,
    ),
    Measure(
        "characters_per_token",
        "Characters per token",
        "How many characters a token stands for on average. More is shorter.",
        "characters",
        Shown.DECIMAL,
    ),
    Measure(
        "fertility",
        "Fertility",
        "Tokens for one word on average, words being what the text was cut into before merging.",
        "tokens per word",
        Shown.DECIMAL,
    ),
    Measure(
        "whole_word_share",
        "Words kept whole",
        "Share of the words that are one single token, however often each occurs.",
        "share of words",
        Shown.SHARE,
    ),
    Measure(
        "used_share",
        "Vocabulary used",
        "Share of the vocabulary, special tokens left out, that occurs in the text. A token that was wholly merged "
        "into longer ones does not.",
        "share of vocabulary",
        Shown.SHARE,
        needs_spread=True,
    ),
    Measure(
        "once_share",
        "Vocabulary used once",
        "Share of the vocabulary, special tokens left out, that occurs a single time: too rare to learn from.",
        "share of vocabulary",
        Shown.SHARE,
        needs_spread=True,
    ),
    Measure(
        "never_share",
        "Vocabulary never used",
        "Share of the vocabulary, special tokens left out, that does not occur in the text.",
        "share of vocabulary",
        Shown.SHARE,
        needs_spread=True,
    ),
    Measure(
        "unknown_rate",
        "Unknown tokens",
        "Share of the tokens that stand for characters the alphabet lacks.",
        "share of tokens",
        Shown.SHARE,
    ),
    Measure(
        "renyi_efficiency",
        "Rényi efficiency",
        "How evenly the text uses the vocabulary: 1 if every token is equally frequent, less if a few are everywhere "
        "or many are rare.",
        "share of log2 of the vocabulary size",
        Shown.FINE,
        needs_spread=True,
    ),
)
"""In the order they are listed in."""
