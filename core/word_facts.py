"""What counting the words of a corpus tells about it, in a few numbers; the words themselves are not kept."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass

from core.corpus import Corpus
from core.pipeline import Pipeline, WordCounts
from core.progress import Progress
from core.word_counts import corpus_words_counted


@dataclass(frozen=True)
class WordFacts:
    """All as in WordCounts."""

    total: int
    unique: int
    unmatched: int = 0
    unmatched_samples: tuple[tuple[int, str], ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: WordCounts) -> "WordFacts":
        return cls(words.total, words.unique, words.unmatched, words.unmatched_samples, words.notes)


def word_facts(corpus: Corpus, pipeline: Pipeline) -> Generator[Progress, None, WordFacts]:
    """Raises PatternError as count_words does."""
    words = yield from corpus_words_counted(corpus, pipeline)
    facts = WordFacts.of(words)
    forget(words.counts)
    return facts


def forget(counts: Mapping[str, int]) -> None:
    """Empty a large dictionary word by word: all at once it stops every thread for 0.1 s per million words."""
    while isinstance(counts, dict) and counts:
        counts.popitem()
