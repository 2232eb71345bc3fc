"""Drives the generators of core to their ends and spells ids as text, for the tests in this folder."""

from collections.abc import Generator, Iterable, Mapping
from typing import Any

from core.alphabet import Alphabet
from core.corpus import Corpus
from core.pipeline import Pipeline, count_words
from core.recording import Recording
from core.trainer import Plan, TrainerConfig, build_alphabet
from core.trainers import AnyTrainer, trainer_for


def finish(generator: Generator[Any, None, Any]) -> Any:
    """What the generator returns."""
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value


def count(text: str, pipeline: Pipeline) -> dict[str, int]:
    return finish(count_words(text, pipeline)).counts


def counted_trainer(
    word_counts: Mapping[str, int], config: TrainerConfig, alphabet: Alphabet | None = None, plan: Plan | None = None
) -> AnyTrainer:
    """A trainer that stands before its first merge."""
    trainer = trainer_for(word_counts, config, alphabet or build_alphabet(word_counts, config), plan)
    finish(trainer.count_pairs())
    return trainer


def record_words(
    word_counts: Mapping[str, int],
    config: TrainerConfig,
    alphabet: Alphabet | None = None,
    pipeline: Pipeline | None = None,
    corpus: Corpus | None = None,
    plan: Plan | None = None,
) -> Recording:
    """A whole training run."""
    trainer = counted_trainer(word_counts, config, alphabet, plan)
    recording = Recording.of(trainer, config, pipeline or Pipeline(), corpus)
    merges = trainer.merges()
    while True:
        try:
            recording.append(next(merges))
        except StopIteration as stop:
            recording.stop_reason = stop.value
            return recording


def record(
    text: str, config: TrainerConfig, pipeline: Pipeline | None = None, alphabet: Alphabet | None = None
) -> Recording:
    pipeline = pipeline or Pipeline()
    return record_words(count(text, pipeline), config, alphabet, pipeline, Corpus.typed(text))


def spelled(recording: Recording, ids: Iterable[int]) -> str:
    """Tokens between spaces, the marker as `</w>`."""
    return " ".join(recording.token(i).text().decode() for i in ids)


def listed(recording: Recording) -> str:
    """Each merge as `left right count`."""
    return " | ".join(f"{spelled(recording, merge.pair)} {merge.count}" for merge in recording)
