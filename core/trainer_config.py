"""How words become merges: every choice of a training run but the text itself, and the alphabet it starts from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import regex

from core.alphabet import (
    Alphabet,
    Base,
    ByteOrder,
    Marker,
    Token,
    Unknown,
    byte_alphabet,
    byte_marker_problem,
    character_alphabet,
    has_half_characters,
)
from core.errors import ConfigError


class TieBreak(StrEnum):
    """Which pair is merged when several share the top score."""

    IDS = "ids"
    """Smallest left id, then smallest right id (Hugging Face)."""
    BYTES = "bytes"
    """The same with bytes ordered by value, whatever their ids (rustbpe)."""
    FIRST_SEEN = "first_seen"
    """Earliest place in the corpus as it stands at that step, words in order of first appearance (minbpe)."""
    LEXICOGRAPHIC = "lexicographic"
    """Smallest left, then right token as a string (textbooks)."""
    REVERSE_LEXICOGRAPHIC = "reverse_lexicographic"
    """Largest left, then right token as a string (subword-nmt)."""
    SHORT_THEN_STRING = "short_then_string"
    """Fewest characters of the merged token, then its smallest string (SentencePiece)."""


class Score(StrEnum):
    """What makes one pair better than another."""

    FREQUENCY = "frequency"
    """How often it stands in the corpus: byte pair encoding."""
    WORDPIECE = "wordpiece"
    """Its count divided by the product of its parts' counts: WordPiece (Schuster and Nakajima 2012)."""


class StopReason(StrEnum):
    """Why training ended; whichever comes first."""

    MERGES = "the number of merges was reached"
    VOCAB_SIZE = "the vocabulary size was reached"
    MIN_FREQUENCY = "the most frequent pair is rarer than the minimum frequency"
    TOKEN_FOUND = "a token appeared that the stop pattern matches"
    LONGEST_TOKEN = "every pair left would make a token longer than allowed"
    FORBIDDEN = "every pair left is forbidden"
    NO_PAIR = "no pair is left"
    CANCELLED = "it was stopped"


@dataclass(frozen=True)
class TrainerConfig:
    """How words become merges. Without `merges` and `vocab_size` training goes on until no pair is left.

    `vocab_size` counts special tokens, base symbols and merges. `min_frequency` is inclusive: a pair that occurs
    exactly so often is still merged. `longest_token` is in characters, in bytes for a byte base, markers not counted;
    it is inclusive too. `stop_token` is a pattern of the `regex` module, searched for in every new token; the merge
    that makes a match is the last one. `coverage` and `alphabet_limit` leave out rare characters, see
    `choose_characters`. `specials_last` gives special tokens the ids behind the last merge asked for, so it needs
    `merges` or `vocab_size`; a run that ends sooner leaves a hole in the ids. `marker_text` "" is the usual one.
    """

    base: Base = Base.BYTES
    marker: Marker = Marker.NONE
    byte_order: ByteOrder = ByteOrder.STAND_IN
    tie_break: TieBreak = TieBreak.IDS
    merges: int | None = None
    vocab_size: int | None = None
    min_frequency: int = 1
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None
    initial_characters: str = ""
    complete_alphabet: bool = True
    marker_text: str = ""
    score: Score = Score.FREQUENCY
    longest_token: int | None = None
    stop_token: str = ""
    coverage: float = 1.0
    alphabet_limit: int | None = None
    specials_last: bool = False
    unknown: Unknown = Unknown.KEEP

    def __post_init__(self) -> None:
        object.__setattr__(self, "marker_text", self.marker_text or self.marker.text)
        if problem := self.problem():
            raise ConfigError(problem)

    def with_merges(self, merges: int | None) -> "TrainerConfig":
        """The same, stopping after so many merges instead of at a vocabulary size; None: when no pair is left."""
        return replace(self, merges=merges, vocab_size=None)

    def merge_limit(self, base_tokens: int) -> int | None:
        """How many merges these options ask for at most, after so many special tokens and base symbols.

        None if training goes on until no pair is left.
        """
        limits = [] if self.merges is None else [self.merges]
        if self.vocab_size is not None:
            limits.append(max(self.vocab_size - base_tokens, 0))
        return min(limits, default=None)

    def learns_like(self, other: "TrainerConfig") -> bool:
        """Whether both make the same merges, however many each of them makes."""
        return self._endless() == other._endless()

    @property
    def min_frequency_only_stops(self) -> bool:
        """Whether the minimum frequency decides only how much is learned: WordPiece passes over rarer pairs."""
        return self.score is not Score.WORDPIECE

    def _endless(self) -> "TrainerConfig":
        rarest = 1 if self.min_frequency_only_stops else self.min_frequency
        return replace(self, merges=None, vocab_size=None, min_frequency=rarest, stop_token="", specials_last=False)

    def problem(self) -> str | None:
        """What makes these options impossible together, in the user's words; None if nothing does."""
        return self._number_problem() or self._token_problem() or self._alphabet_problem()

    def _number_problem(self) -> str | None:
        for name, value in (("number of merges", self.merges), ("vocabulary size", self.vocab_size)):
            if value is not None and value < 0:
                return f"The {name} must not be negative, but is {value:,}."
        for name, value in (
            ("minimum frequency", self.min_frequency),
            ("length of the longest token", self.longest_token),
            ("alphabet limit", self.alphabet_limit),
        ):
            if value is not None and value < 1:
                return f"The {name} must be at least 1, but is {value:,}."
        if not 0 < self.coverage <= 1:
            return f"The character coverage must be more than 0 and at most 1, such as 0.9995, but is {self.coverage}."
        return None

    def _token_problem(self) -> str | None:
        if "" in self.special_tokens:
            return "A special token must not be empty."
        for name, texts in (
            ("A special token", self.special_tokens),
            ("The marker text", (self.marker_text,)),
            ("The list of initial characters", (self.initial_characters,)),
        ):
            if any(has_half_characters(text) for text in texts):
                return f"{name} holds half a character (a lone surrogate), which no file can hold; leave it out."
        if len(set(self.special_tokens)) < len(self.special_tokens):
            return "The same special token is listed twice."
        if self.unknown_token is not None and self.unknown_token not in self.special_tokens:
            return f"The unknown token {self.unknown_token!r} must be one of the special tokens."
        if self.unknown in (Unknown.TOKEN, Unknown.FUSE) and self.unknown_token is None and self.base is not Base.BYTES:
            return "Which special token stands for unknown characters? Choose an unknown token, such as <unk>."
        if self.specials_last and self.merges is None and self.vocab_size is None:
            return (
                "Special tokens can only have the last ids if a number of merges or a vocabulary size ends the "
                "training: their ids are needed before it begins."
            )
        try:
            regex.compile(self.stop_token)
        except regex.error as error:
            return f"The pattern of tokens to stop at cannot be read: {getattr(error, 'msg', error)}."
        return None

    def _alphabet_problem(self) -> str | None:
        if self.base is Base.BYTES:
            return byte_marker_problem(self.marker)
        if self.unknown is Unknown.BYTES and self.marker.changes_symbols:
            return "Bytes of unknown characters have no final or continuing forms: choose another marker."
        return None


def build_alphabet(words: Mapping[str, int], config: TrainerConfig) -> Alphabet:
    """The special tokens and base symbols that training on `words` starts from."""
    first = () if config.specials_last else config.special_tokens
    if config.base is Base.BYTES:
        alphabet = byte_alphabet(config.marker, config.byte_order, first)
    else:
        alphabet = character_alphabet(
            words,
            config.marker,
            first,
            config.initial_characters,
            config.complete_alphabet,
            config.coverage,
            config.alphabet_limit,
            config.unknown,
        )
    return _with_last(alphabet, config) if config.specials_last else alphabet


def _with_last(alphabet: Alphabet, config: TrainerConfig) -> Alphabet:
    """The alphabet with the special tokens behind all the merges that are asked for."""
    size = len(alphabet.tokens)
    merges = config.merge_limit(size + len(config.special_tokens))
    assert merges is not None, "the config would have refused"
    specials = enumerate(config.special_tokens, size + merges)
    tokens = {**alphabet.tokens, **{i: Token(text.encode(), special=True) for i, text in specials}}
    return replace(alphabet, tokens=tokens)


def extended_alphabet(alphabet: Alphabet, words: Mapping[str, int], config: TrainerConfig, first_id: int) -> Alphabet:
    """The alphabet with the characters of `words` that it lacks, by code point, with ids from `first_id` on.

    What training goes on from when a tokenizer meets a new corpus; the ids that are there stay as they are.
    """
    if config.base is Base.BYTES:
        return alphabet
    plain = replace(config, special_tokens=(), unknown_token=None, unknown=Unknown.KEEP, specials_last=False)
    wanted = build_alphabet(words, plain)
    known = {replace(token, special=False) for token in alphabet.tokens.values()}
    new = (token for token in wanted.tokens.values() if token not in known)
    return replace(alphabet, tokens={**alphabet.tokens, **dict(enumerate(new, first_id))}, dropped=wanted.dropped)
