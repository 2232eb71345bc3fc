"""What can be said of an alphabet before training: its size against the vocabulary wanted, and what it leaves out."""

from collections.abc import Generator, Mapping
from itertools import islice

from core.alphabet import Alphabet, Base, Token, utf8
from core.corpus import Corpus
from core.options import Options
from core.pipeline import Pipeline
from core.progress import Progress
from core.trainer_config import TrainerConfig, build_alphabet
from core.vocab import label
from core.word_counts import corpus_words_counted
from core.word_facts import forget

DROPPED_SHOWN = 12
FIRST_STRONG, POP = "\u2068", "\u2069"


def needs_counting(options: Options) -> bool:
    """Whether the alphabet of a text can change anything: its size the room for merges, its characters what is left."""
    if options.problem():
        return False
    config = options.config()
    leaves_out = config.coverage < 1 or config.alphabet_limit is not None
    return config.vocab_size is not None or (config.base is Base.CHARACTERS and leaves_out)


def count_alphabet(corpus: Corpus, pipeline: Pipeline, config: TrainerConfig) -> Generator[Progress, None, Alphabet]:
    """The alphabet that training on `corpus` starts from; needs the whole text only where its characters count."""
    if config.base is Base.BYTES:
        return build_alphabet({}, config)
    words = yield from corpus_words_counted(corpus, pipeline)
    alphabet = build_alphabet(words.counts, config)
    forget(words.counts)
    return alphabet


def dropped_line(alphabet: Alphabet, isolate: bool = False) -> str:
    """Says which characters coverage or limit leave out; "" for none.

    `isolate` keeps letters that are written from right to left from turning round what stands beside them, where
    Unicode's marks for that are understood.
    """
    if not alphabet.dropped:
        return ""
    labels = ((label(Token(utf8(c)), ""), n) for c, n in islice(alphabet.dropped.items(), DROPPED_SHOWN))
    shown = ", ".join(f"{f'{FIRST_STRONG}{c}{POP}' if isolate else c} ({n:,})" for c, n in labels)
    number = len(alphabet.dropped)
    more = f" and {number - DROPPED_SHOWN:,} more" if number > DROPPED_SHOWN else ""
    are = "is" if number == 1 else "are"
    return f"{_count(number, 'rare character')} {are} left out of the alphabet: {shown}{more}."


def room_problem(vocab_size: int | None, alphabet: Alphabet) -> str | None:
    """Says so if a vocabulary of this size is full before the first merge."""
    if vocab_size is None or vocab_size > (size := len(alphabet.tokens)):
        return None
    are = "is" if size == 1 else "are"
    return (
        f"There {are} {_count(size, 'token')} before the first merge: {_listed(_kinds(alphabet))}. A vocabulary of "
        f"{vocab_size:,} leaves no room for merges; choose at least {size + 1:,}."
    )


def _kinds(alphabet: Alphabet) -> dict[str, int]:
    unit = "byte" if alphabet.base is Base.BYTES else "character"
    kinds = dict.fromkeys(
        ("special token", "fallback byte", unit, "final character", "continuing character", "end-of-word marker"), 0
    )
    for token in alphabet.tokens.values():
        if token.special:
            kinds["special token"] += 1
        elif token.is_fallback:
            kinds["fallback byte"] += 1
        elif token.continues:
            kinds["continuing character"] += 1
        elif token.ends_word:
            kinds["final character" if token.content else "end-of-word marker"] += 1
        else:
            kinds[unit] += 1
    return kinds


def _listed(kinds: Mapping[str, int]) -> str:
    parts = [_count(number, one) for one, number in kinds.items() if number]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"
